/* calls.c: makes a call for a device. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"

#define NAME(name) #name,
const char *const call_names[CALLS] = {EVERY_CALL(NAME)};

ghz_status make_call(kind call, const arguments *a) {
  const ghz_lattice *l = a->no_lattice ? NULL : &a->lattice;
  const ghz_bytes *s = a->many ? a->many : a->streams, *m = a->many ? a->many : &a->message;
  const ghz_cuda_slice slice = {a->type, a->shape, a->first, a->tiles};
  const uint64_t *origin = a->no_origin ? NULL : a->origin, *extent = a->no_extent ? NULL : a->extent;
  ghz_cuda *gpu = a->gpu;
  if (a->no_streams)
    s = m = NULL;
#define DONE a->outcome, a->stream
#define TO_BYTES a->dst, a->room, DONE
  switch (call) {
  case RANGE: return ghz_cuda_range(gpu, a->type, a->x, (size_t)a->shape.extent[2], a->range, a->stream);
  case COMPRESS: return ghz_cuda_compress(gpu, l, a->order, a->x, a->shape, TO_BYTES);
  case SLICE_COMPRESS:
    return ghz_cuda_slice_compress(gpu, l, a->order, a->x, a->shape, a->first, a->tiles, TO_BYTES);
  case DECOMPRESS: return ghz_cuda_decompress(gpu, a->type, a->shape, s[0], a->out, a->y, DONE);
  case DECOMPRESS_RANGE:
    return ghz_cuda_decompress_range(gpu, a->type, a->shape, s[0], a->out, a->from, (size_t)a->values, a->y,
                                     DONE);
  case DECOMPRESS_BOX:
    return ghz_cuda_decompress_box(gpu, a->type, a->shape, s[0], a->out, origin, extent, a->y, DONE);
  case SLICE_DECOMPRESS: return ghz_cuda_slice_decompress(gpu, slice, m[0], a->out, a->y, DONE);
  case SLICE_DECOMPRESS_INTO: return ghz_cuda_slice_decompress_into(gpu, slice, m[0], a->out, a->y, DONE);
  case ADD: return ghz_cuda_add(gpu, a->type, a->shape, s[0], s[1], TO_BYTES);
  case SUBTRACT: return ghz_cuda_subtract(gpu, a->type, a->shape, s[0], s[1], TO_BYTES);
  case SUM: return ghz_cuda_sum(gpu, a->type, a->shape, a->k, s, TO_BYTES);
  case MEAN: return ghz_cuda_mean(gpu, a->type, a->shape, a->k, s, TO_BYTES);
  case COMBINE: return ghz_cuda_linear(gpu, a->type, a->shape, a->k, s, a->coefficients, 1, TO_BYTES);
  case ACCUMULATE: return ghz_cuda_accumulate(gpu, a->type, a->shape, a->dst, a->room, s[1], DONE);
  default: return ghz_cuda_slice_sum(gpu, slice, a->many ? a->k : a->k > 0, m, a->divisor, TO_BYTES);
  }
}
