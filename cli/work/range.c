/* range.c: owns the range of the values of a file, and the value that a user means by --fill. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>

#include "io/file.h"
#include "io/reader.h"
#include "range.h"
#include "report/report.h"

enum { BATCH = 1 << 20 }; /* values */

value_range range_nothing(void) {
  return (value_range){INFINITY, -INFINITY};
}

static void widen(value_range *r, double min, double max) {
  r->min = min < r->min ? min : r->min;
  r->max = max > r->max ? max : r->max;
}

static ghz_status range_of_batch(ghz_context *ctx, ghz_type type, const void *x, size_t n, const double *fill,
                                 double *min, double *max) {
  return fill ? ghz_range_without(ctx, type, x, n, *fill, min, max) : ghz_range(ctx, type, x, n, min, max);
}

static void count_specials(ghz_type type, const void *batch, size_t n, special_counts *s) {
  for (size_t i = 0; s && i < n; i++) {
    const double x = value_at(type, batch, i);
    s->nans += isnan(x) != 0;
    s->infinities += isinf(x) != 0;
  }
}

static bool read_batches(ghz_context *ctx, input *in, const double *fill, void *batch, special_counts *specials,
                         value_range *r) {
  const char *name = in->file.name;
  for (size_t got = 1; got && in->taken < in->count;) {
    double min, max;
    if (!input_read(in, batch, BATCH, &got) ||
        !library_ok(name, ctx, range_of_batch(ctx, in->type, batch, got, fill, &min, &max)))
      return false;
    widen(r, min, max);
    count_specials(in->type, batch, got, specials);
    progress_set(in->taken);
  }
  return true;
}

bool range_of_input(ghz_context *ctx, input *in, const double *fill, special_counts *specials, value_range *r) {
  const size_t size = ghz_type_size(in->type);
  buffer batch = {0};
  progress_begin(in->file.name, in->count, size);
  const bool ok = buffer_reserve(&batch, BATCH * size, in->file.name) &&
                  read_batches(ctx, in, fill, batch.data, specials, r);
  progress_end();
  buffer_free(&batch);
  return ok;
}

bool range_in_advance(ghz_context *ctx, input *in, const double *fill, value_range *r) {
  if (!input_make_seekable(in) || !range_of_input(ctx, in, fill, NULL, r))
    return false;
  input_rewind(in);
  return true;
}

bool range_lattice(const char *name, ghz_type type, ghz_bound bound, value_range r, const double *fill,
                   ghz_lattice *l) {
  if (r.min == 0 && r.max == 0) /* zeros; the library wants to hear that they were measured */
    r = range_nothing();
  return library_ok(name, NULL, ghz_lattice_make(type, bound, r.min, r.max, l)) &&
         (!fill || library_ok(name, NULL, ghz_lattice_set_fill(l, *fill)));
}

bool range_of_frame(const char *name, ghz_context *ctx, const ghz_frame *f, void *range) {
  double min, max;
  if (!library_ok(name, ctx, ghz_extrema(ctx, f->stream, &min, &max)))
    return false;
  widen(range, min, max);
  return true;
}

/* ---- --fill ---------------------------------------------------------------------------------- */

bool fill_choose(const char *name, ghz_type type, double given, double *fill) {
  *fill = given;
  if (type != GHZ_F32)
    return true;
  if (fabs(given) > (double)FLT_MAX)
    return fail(name, "--fill %g is too large for f32", given);
  *fill = (double)(float)given;
  return true;
}
