/* range.c: owns the range of a whole file, a block or a frame at a time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "range.h"

#include <math.h>

#include "io/buffer.h"
#include "report/library.h"
#include "report/progress.h"

enum { BLOCK = 1 << 20 }; /* values */

value_range range_nothing(void) {
  return (value_range){INFINITY, -INFINITY};
}

void range_widen(value_range *r, double min, double max) {
  r->min = min < r->min ? min : r->min;
  r->max = max > r->max ? max : r->max;
}

static ghz_status range_of_block(ghz_context *ctx, ghz_type type, const void *x, size_t n, const double *fill,
                                 double *min, double *max) {
  return fill ? ghz_range_without(ctx, type, x, n, *fill, min, max) : ghz_range(ctx, type, x, n, min, max);
}

static bool read_blocks(ghz_context *ctx, input *in, const double *fill, void *block, value_range *r) {
  const char *name = in->file.name;
  for (size_t got = 1; got && in->taken < in->count;) {
    double min, max;
    if (!input_read(in, block, BLOCK, &got) ||
        !library_ok(name, ctx, range_of_block(ctx, in->type, block, got, fill, &min, &max)))
      return false;
    range_widen(r, min, max);
    progress_set(in->taken);
  }
  return true;
}

bool range_of_input(ghz_context *ctx, input *in, const double *fill, value_range *r) {
  const size_t size = ghz_type_size(in->type);
  buffer block = {0};
  *r = range_nothing();
  progress_begin(in->file.name, in->count, size);
  const bool ok =
      buffer_reserve(&block, BLOCK * size, in->file.name) && read_blocks(ctx, in, fill, block.data, r);
  progress_end();
  buffer_free(&block);
  return ok;
}

bool range_of_frames(ghz_context *ctx, frame_reader *reader, value_range *r) {
  ghz_frame f = {0};
  bool ok = true;
  *r = range_nothing();
  for (bool more = true; ok && more;) {
    double min, max;
    ok = reader_next(reader, ctx, &f, &more);
    if (!ok || !more)
      break;
    ok = library_ok(reader->file->name, ctx, ghz_extrema(ctx, f.stream, &min, &max));
    if (ok)
      range_widen(r, min, max);
  }
  ghz_frame_free(&f);
  return ok;
}
