/* comparison_picture.c: owns what the picture of ghz compare --png shows and says. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>

#include "comparison.h"
#include "report/report.h"

bool comparison_begin_picture(comparison *c) {
  if (!c->o->png)
    return true;
  if (!picture_available())
    return false;
  if (!values_differ(&c->original, c->o->png) || !values_differ(&c->result, c->o->png))
    return false;
  if (c->shape.ndim < 2)
    return fail(c->original.name, "has no shape of two or more dimensions; --png needs --dims NYxNX");
  return picture_begin(&c->picture, c->original.name, &c->shape);
}

/* How large the error is, and which slice of the array is shown. */
static void write_caption(const comparison *c, char *caption, size_t room) {
  const difference *d = &c->difference;
  const picture *p = &c->picture;
  char bound[64] = "", psnr[32] = "", slice[64] = "";
  if (comparison_bound_known(c))
    snprintf(bound, sizeof bound, " = %.3f of the bound %.3g", d->error / c->bound, c->bound);
  if (!isnan(difference_psnr(d)))
    snprintf(psnr, sizeof psnr, "; PSNR %.1f dB", difference_psnr(d));
  if (p->slices > 1)
    snprintf(slice, sizeof slice, "; slice %llu of %llu", (unsigned long long)p->slice,
             (unsigned long long)p->slices);
  snprintf(caption, room, "largest error %.3g%s%s%s%s", d->error, bound, psnr, slice,
           d->finite < d->count ? c->has_fill ? "; grey: missing" : "; grey: NaN, Inf" : "");
}

bool comparison_write_picture(const comparison *c) {
  char result[64] = "result", caption[256];
  if (!c->o->png)
    return true;
  if (c->result.compressed)
    snprintf(result, sizeof result, "compressed %.3g : 1 and back", comparison_ratio(c));
  write_caption(c, caption, sizeof caption);
  return picture_write(
      &c->picture, c->o->png, c->o->force,
      &(picture_labels){result, caption, comparison_bound_known(c) ? c->bound : c->difference.error});
}
