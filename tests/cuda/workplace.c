/* workplace.c: owns the place that the checks of single calls work on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "workplace.h"

ghz_cuda_slice cuda_slice(ghz_type type, uint64_t first, uint64_t tiles) {
  return (ghz_cuda_slice){type, ghz_flat(N), first, tiles};
}

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
