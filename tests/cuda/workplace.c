/* workplace.c: owns the place that the checks of single calls work on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "workplace.h"

place place_make(trial *t, ghz_type type) {
  place p = {.lattice = lattice_abs(type, 0.1)};
  size_t each = ghz_type_size(type);
  p.values = input_make(input_named("walk"), type, N, p.lattice.step, 1);
  p.stream = compress(t->cpu, &p.lattice, GHZ_ORDER_BEST, p.values, N);
  p.other = stream_of(t->cpu, &p.lattice, 1, "specials", N, 2);
  ghz_slice slice = slice_of(p.stream, FIRST, TILES);
  p.message = packed(&slice);
  p.x = device_input(t, p.values, N * each, 0);
  p.a = device_input(t, p.stream.data, p.stream.size, 0);
  p.b = device_input(t, p.other.data, p.other.size, 0);
  p.m = device_input(t, p.message.data, p.message.size, 0);
  p.dst = device_output(t, ghz_size_bound(N, type, 64), 0);
  p.y = device_output(t, N * 8, 0);
  p.range = device_output(t, 2 * sizeof(double), 0);
  return p;
}

void place_free(trial *t, place *p) {
  device_guards(t, &p->dst, "results");
  device_guards(t, &p->y, "values");
  device_guards(t, &p->range, "range");
}

void still_works(trial *t, const place *p, const char *after) {
  ref_bytes s[2] = {p->stream, p->other};
  operation o = {.kind = ADD, .lattice = p->lattice, .n = N, .k = 2, .operands = s};
  agree(t, &o, say("after %s", after));
}

void refuses(trial *t, ghz_status got, ghz_status want, const char *call) {
  expect(t, got == want, "%d instead of %d: %s", (int)got, (int)want, call);
  expect(t, ghz_cuda_message(t->gpu)[0], "no message: %s", call);
  cudaError_t error = cudaStreamSynchronize(t->stream);
  expect(t, error == cudaSuccess, "%s: %s", cudaGetErrorString(error), call);
}

/* ---- Every call on the device ---- */
const char *const call_names[CALLS] = {"range",
                                       "compress",
                                       "slice_compress",
                                       "decompress",
                                       "decompress_range",
                                       "decompress_box",
                                       "slice_decompress",
                                       "slice_decompress_into",
                                       "add",
                                       "subtract",
                                       "sum",
                                       "mean",
                                       "combine",
                                       "accumulate",
                                       "slice_sum"};

arguments right_arguments(trial *t, const place *p) {
  return (arguments){.gpu = t->gpu,
                     .lattice = p->lattice,
                     .order = GHZ_ORDER_BEST,
                     .type = p->lattice.type,
                     .out = p->lattice.type,
                     .shape = ghz_flat(N),
                     .x = p->x.data,
                     .k = 2,
                     .streams = {device_view(&p->a), device_view(&p->b), device_view(&p->a)},
                     .message = device_view(&p->m),
                     .first = FIRST,
                     .tiles = TILES,
                     .divisor = 1,
                     .from = 100,
                     .values = 3000,
                     .origin = {0, 0, 100},
                     .extent = {1, 1, 3000},
                     .dst = p->dst.data,
                     .y = p->y.data,
                     .room = p->dst.size,
                     .range = (double *)(void *)p->range.data,
                     .outcome = t->outcome};
}

ghz_status make_call(trial *t, which call, const arguments *a) {
  static const int64_t c[GHZ_CUDA_OPERANDS + 1] = {3, -2, 1};
  const ghz_lattice *l = a->no_lattice ? NULL : &a->lattice;
  const ghz_bytes *s = a->no_streams ? NULL : a->streams, *m = a->no_streams ? NULL : &a->message;
  const ghz_cuda_slice slice = {a->type, a->shape, a->first, a->tiles};
  const uint64_t *origin = a->no_origin ? NULL : a->origin, *extent = a->no_extent ? NULL : a->extent;
  ghz_cuda *gpu = a->gpu;
  cudaStream_t stream = t->stream;
#define TO_BYTES a->dst, a->room, a->outcome, stream
  switch (call) {
  case CALL_RANGE: return ghz_cuda_range(gpu, a->type, a->x, (size_t)a->shape.extent[2], a->range, stream);
  case CALL_COMPRESS: return ghz_cuda_compress(gpu, l, a->order, a->x, a->shape, TO_BYTES);
  case CALL_SLICE_COMPRESS:
    return ghz_cuda_slice_compress(gpu, l, a->order, a->x, a->shape, a->first, a->tiles, TO_BYTES);
  case CALL_DECOMPRESS:
    return ghz_cuda_decompress(gpu, a->type, a->shape, s[0], a->out, a->y, a->outcome, stream);
  case CALL_DECOMPRESS_RANGE:
    return ghz_cuda_decompress_range(gpu, a->type, a->shape, s[0], a->out, a->from, (size_t)a->values, a->y,
                                     a->outcome, stream);
  case CALL_DECOMPRESS_BOX:
    return ghz_cuda_decompress_box(gpu, a->type, a->shape, s[0], a->out, origin, extent, a->y, a->outcome,
                                   stream);
  case CALL_SLICE_DECOMPRESS:
    return ghz_cuda_slice_decompress(gpu, slice, a->message, a->out, a->y, a->outcome, stream);
  case CALL_SLICE_DECOMPRESS_INTO:
    return ghz_cuda_slice_decompress_into(gpu, slice, a->message, a->out, a->y, a->outcome, stream);
  case CALL_ADD: return ghz_cuda_add(gpu, a->type, a->shape, s[0], s[1], TO_BYTES);
  case CALL_SUBTRACT: return ghz_cuda_subtract(gpu, a->type, a->shape, s[0], s[1], TO_BYTES);
  case CALL_SUM: return ghz_cuda_sum(gpu, a->type, a->shape, a->k, s, TO_BYTES);
  case CALL_MEAN: return ghz_cuda_mean(gpu, a->type, a->shape, a->k, s, TO_BYTES);
  case CALL_COMBINE: return ghz_cuda_linear(gpu, a->type, a->shape, a->k, s, c, 1, TO_BYTES);
  case CALL_ACCUMULATE:
    return ghz_cuda_accumulate(gpu, a->type, a->shape, a->dst, a->room, s[1], a->outcome, stream);
  default: return ghz_cuda_slice_sum(gpu, slice, a->k ? 1 : 0, m, a->divisor, TO_BYTES);
  }
}
