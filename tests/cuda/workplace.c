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

void refuses(trial *t, ghz_status got, ghz_status want, const char *what) {
  expect(t, got == want, "%d instead of %d: %s", (int)got, (int)want, what);
  expect(t, ghz_cuda_message(t->gpu)[0], "no message: %s", what);
  cudaError_t error = cudaStreamSynchronize(t->stream);
  expect(t, error == cudaSuccess, "%s: %s", cudaGetErrorString(error), what);
}

arguments right_arguments(trial *t, const place *p) {
  static const int64_t coefficients[GHZ_CUDA_OPERANDS + 1] = {3, -2, 1};
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
                     .coefficients = coefficients,
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
                     .outcome = t->outcome,
                     .stream = t->stream};
}
