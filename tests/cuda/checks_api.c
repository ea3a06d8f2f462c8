/* checks_api.c: calls for a device: bad arguments, limits, memory of the wrong kind, streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "checks.h"
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef GHZ_EMULATED
#include "simt/control.h"
#endif

/* ---- A workplace: two streams, their messages, values, and room for results ---- */
enum { N = 20000, FIRST = 2, TILES = 5 };

static ghz_cuda_slice cuda_slice(ghz_type type, uint64_t first, uint64_t tiles) {
  return (ghz_cuda_slice){type, ghz_flat(N), first, tiles};
}

typedef struct place {
  ghz_lattice lattice;
  void *values; /* on the host */
  ref_bytes stream, other, message;
  device_memory x, a, b, m, dst, y, range;
} place;

static place place_make(trial *t, ghz_type type) {
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

static void place_free(trial *t, place *p) {
  device_guards(t, &p->dst, "results");
  device_guards(t, &p->y, "values");
  device_guards(t, &p->range, "range");
}

/* The context still works: a sum on the device is the CPU's. */
static void still_works(trial *t, const place *p, const char *after) {
  ref_bytes s[2] = {p->stream, p->other};
  operation o = {.kind = ADD, .lattice = p->lattice, .n = N, .k = 2, .operands = s};
  agree(t, &o, say("after %s", after));
}

/* A call that must be refused where it is made, with a sentence. */
static void refuses(trial *t, ghz_status got, ghz_status want, const char *call) {
  expect(t, got == want, "%d instead of %d: %s", (int)got, (int)want, call);
  expect(t, ghz_cuda_message(t->gpu)[0], "no message: %s", call);
  cudaError_t error = cudaStreamSynchronize(t->stream);
  expect(t, error == cudaSuccess, "%s: %s", cudaGetErrorString(error), call);
}
#define REFUSES(want, call) refuses(t, call, want, #call)

/* The tail of every call. */
#define DONE t->outcome, t->stream

/* ---- Contexts ---- */
void check_bad_contexts(trial *t) {
  static const size_t operands[] = {0, GHZ_CUDA_OPERANDS + 1, SIZE_MAX};
  ghz_cuda *gpu = t->gpu;
  for (size_t i = 0; i < COUNT(operands); i++) {
    ghz_status status = ghz_cuda_create(&gpu, 1000, operands[i]);
    expect(t, status == GHZ_EINVAL && !gpu, "%zu operands: status %d", operands[i], (int)status);
    expect(t, ghz_cuda_message(NULL)[0], "%zu operands: no message", operands[i]);
    gpu = t->gpu;
  }
  ghz_status status = ghz_cuda_create(NULL, 1000, 2);
  expect(t, status == GHZ_EINVAL, "nowhere to put a context: status %d", (int)status);
  status = ghz_cuda_create(&gpu, SIZE_MAX, 2);
  expect(t, (status == GHZ_ENOMEM || status == GHZ_EINVAL) && !gpu, "SIZE_MAX values: status %d", (int)status);
  expect(t, ghz_cuda_message(NULL)[0], "SIZE_MAX values: no message");
  expect(t, ghz_cuda_built() == 1, "built without CUDA");
  ghz_cuda_free(NULL);
  for (size_t values = 0; values < 3; values++) { /* small ones are contexts too */
    status = ghz_cuda_create(&gpu, values, 1);
    if (expect(t, status == GHZ_OK && gpu, "%zu values: %s", values, ghz_cuda_message(NULL)))
      expect(t, ghz_cuda_message(gpu), "%zu values: NULL for a message", values);
    ghz_cuda_free(gpu);
  }
  expect(t, ghz_cuda_wait(NULL, t->outcome, NULL, t->stream) == GHZ_EINVAL, "wait with no context");
  expect(t, ghz_cuda_wait(t->gpu, NULL, NULL, t->stream) == GHZ_EINVAL, "wait with no outcome");
  place p = place_make(t, GHZ_F32);
  still_works(t, &p, "bad contexts");
  place_free(t, &p);
}

/* ---- Bad arguments ---- */
static void bad_compressions(trial *t, place *p, const void *x, void *dst, size_t room) {
  const ghz_lattice *l = &p->lattice;
  int top = l->type == GHZ_F64 ? 8 : 4;
  REFUSES(GHZ_EINVAL, ghz_cuda_compress(t->gpu, NULL, -1, x, ghz_flat(N), dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_compress(t->gpu, l, -1, NULL, ghz_flat(N), dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_compress(t->gpu, l, -1, x, ghz_flat(N), NULL, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_compress(t->gpu, l, -1, x, ghz_flat(N), dst, room, NULL, t->stream));
  REFUSES(GHZ_EINVAL, ghz_cuda_compress(t->gpu, l, -3, x, ghz_flat(N), dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_compress(t->gpu, l, 3, x, ghz_flat(N), dst, room, DONE));
  for (int by = 1; by < top; by++)
    REFUSES(GHZ_EINVAL,
            ghz_cuda_compress(t->gpu, l, -1, (const char *)x + by, ghz_flat(N - 2), dst, room, DONE));
  for (int by = 1; by < 16; by++)
    REFUSES(GHZ_EINVAL, ghz_cuda_compress(t->gpu, l, -1, x, ghz_flat(N), (char *)dst + by, room - 16, DONE));
  REFUSES(GHZ_ECAPACITY, ghz_cuda_compress(t->gpu, l, -1, x, ghz_flat(N), dst, 0, DONE));
  REFUSES(GHZ_ECAPACITY, ghz_cuda_compress(t->gpu, l, -1, x, ghz_flat(N), dst, 63, DONE));
  REFUSES(GHZ_ECAPACITY, ghz_cuda_compress(t->gpu, l, -1, x, ghz_flat(N), dst, 64 + 8 * 3 + 2 * 20 - 1, DONE));
}

static void bad_lattices(trial *t, const place *p, const void *x, void *dst, size_t room) {
  ghz_lattice bad[9];
  for (size_t i = 0; i < COUNT(bad); i++)
    bad[i] = p->lattice;
  bad[0].type = (ghz_type)2;
  bad[1].cap = 36;
  bad[2].step = NAN;
  bad[3].step = -1;
  bad[4].step = INFINITY;
  bad[5].eb = -1;
  bad[6].eb = NAN;
  bad[7].step = 0x1p1010;
  bad[8].step = -0.0;
  for (size_t i = 0; i < COUNT(bad); i++)
    refuses(t, ghz_cuda_compress(t->gpu, &bad[i], -1, x, ghz_flat(N), dst, room, DONE), GHZ_EINVAL,
            say("lattice %zu, type %d", i, (int)p->lattice.type));
  ghz_lattice scaled = p->lattice; /* float32 admits 24 bits in fresh streams */
  scaled.step = nextafter(scaled.step, 1);
  if (scaled.type == GHZ_F32)
    REFUSES(GHZ_EINVAL, ghz_cuda_compress(t->gpu, &scaled, -1, x, ghz_flat(N), dst, room, DONE));
}

void check_bad_compressions(trial *t) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    place p = place_make(t, (ghz_type)type);
    bad_compressions(t, &p, p.x.data, p.dst.data, p.dst.size);
    bad_lattices(t, &p, p.x.data, p.dst.data, p.dst.size);
    expect(t,
           ghz_cuda_compress(NULL, &p.lattice, -1, p.x.data, ghz_flat(N), p.dst.data, p.dst.size, DONE) ==
               GHZ_EINVAL,
           "no context");
    still_works(t, &p, "bad compressions");
    place_free(t, &p);
  }
}

static void bad_decompressions(trial *t, ghz_type type, ghz_bytes a, void *y) {
  ghz_bytes none = {NULL, a.size};
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress(t->gpu, (ghz_type)2, ghz_flat(N), a, GHZ_F64, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress(t->gpu, (ghz_type)-1, ghz_flat(N), a, GHZ_F64, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress(t->gpu, type, ghz_flat(N), a, (ghz_type)2, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress(t->gpu, type, ghz_flat(N), none, type, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress(t->gpu, type, ghz_flat(N), a, type, NULL, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress(t->gpu, type, ghz_flat(N), a, type, y, NULL, t->stream));
  for (size_t by = 1; by < 16; by++) {
    ghz_bytes off = {(const char *)a.data + by, a.size - by};
    REFUSES(GHZ_EINVAL, ghz_cuda_decompress(t->gpu, type, ghz_flat(N), off, type, y, DONE));
  }
  for (size_t by = 1; by < ghz_type_size(type); by++)
    REFUSES(GHZ_EINVAL, ghz_cuda_decompress(t->gpu, type, ghz_flat(N), a, type, (char *)y + by, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress(t->gpu, type, ghz_flat(N), a, GHZ_F64, (char *)y + 4, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress_range(t->gpu, type, ghz_flat(N), a, type, N, 1, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress_range(t->gpu, type, ghz_flat(N), a, type, N + 1, 0, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress_range(t->gpu, type, ghz_flat(N), a, type, 1, N, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress_range(t->gpu, type, ghz_flat(N), a, type, UINT64_MAX, 2, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress_range(t->gpu, type, ghz_flat(N), a, type, 2, SIZE_MAX, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress_range(t->gpu, type, ghz_flat(N), a, type, 5, 10, NULL, DONE));
  if (type == GHZ_F64)
    REFUSES(GHZ_EINVAL, ghz_cuda_decompress(t->gpu, type, ghz_flat(N), a, GHZ_F32, y, DONE));
}

void check_bad_decompressions(trial *t) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    place p = place_make(t, (ghz_type)type);
    bad_decompressions(t, (ghz_type)type, device_view(&p.a), p.y.data);
    expect(t,
           ghz_cuda_decompress(NULL, GHZ_F32, ghz_flat(N), device_view(&p.a), GHZ_F64, p.y.data, DONE) ==
               GHZ_EINVAL,
           "no context");
    still_works(t, &p, "bad decompressions");
    place_free(t, &p);
  }
}

void check_bad_computations(trial *t) {
  place p = place_make(t, GHZ_F32);
  ghz_bytes a = device_view(&p.a), none = {NULL, 100}, off = {p.a.data + 8, p.a.size - 8};
  ghz_bytes two[2] = {a, device_view(&p.b)}, bad[2] = {a, none}, tilted[2] = {off, a};
  int64_t c[2] = {1, 1};
  void *dst = p.dst.data;
  size_t room = p.dst.size;
  REFUSES(GHZ_EINVAL, ghz_cuda_sum(t->gpu, GHZ_F32, ghz_flat(N), 0, two, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_sum(t->gpu, GHZ_F32, ghz_flat(N), 2, NULL, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_sum(t->gpu, GHZ_F32, ghz_flat(N), 2, bad, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_sum(t->gpu, GHZ_F32, ghz_flat(N), 2, tilted, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_sum(t->gpu, GHZ_F32, ghz_flat(N), 2, two, NULL, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_sum(t->gpu, GHZ_F32, ghz_flat(N), 2, two, dst, room, NULL, t->stream));
  REFUSES(GHZ_EINVAL, ghz_cuda_sum(t->gpu, GHZ_F32, ghz_flat(N), 2, two, (char *)dst + 8, room - 8, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_sum(t->gpu, (ghz_type)7, ghz_flat(N), 2, two, dst, room, DONE));
  REFUSES(GHZ_ECAPACITY, ghz_cuda_sum(t->gpu, GHZ_F32, ghz_flat(N), 2, two, dst, 50, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_mean(t->gpu, GHZ_F32, ghz_flat(N), 0, two, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_mean(t->gpu, GHZ_F32, ghz_flat(N), 2, NULL, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_combine(t->gpu, GHZ_F32, ghz_flat(N), 2, two, NULL, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_combine(t->gpu, GHZ_F32, ghz_flat(N), 0, two, c, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_combine(t->gpu, GHZ_F32, ghz_flat(N), 2, bad, c, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_add(t->gpu, GHZ_F32, ghz_flat(N), none, a, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_add(t->gpu, GHZ_F32, ghz_flat(N), a, off, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_subtract(t->gpu, GHZ_F32, ghz_flat(N), a, none, dst, room, DONE));
  expect(t, ghz_cuda_add(NULL, GHZ_F32, ghz_flat(N), a, a, dst, room, DONE) == GHZ_EINVAL, "no context");
  still_works(t, &p, "bad computations");
  place_free(t, &p);
}

void check_bad_accumulations(trial *t) {
  place p = place_make(t, GHZ_F32);
  ghz_bytes b = device_view(&p.b), none = {NULL, 100};
  uint8_t *acc = p.dst.data;
  REFUSES(GHZ_EINVAL, ghz_cuda_accumulate(t->gpu, GHZ_F32, ghz_flat(N), NULL, p.dst.size, b, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_accumulate(t->gpu, GHZ_F32, ghz_flat(N), acc + 8, p.dst.size - 8, b, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_accumulate(t->gpu, GHZ_F32, ghz_flat(N), acc, p.dst.size, none, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_accumulate(t->gpu, GHZ_F32, ghz_flat(N), acc, p.dst.size, b, NULL, t->stream));
  REFUSES(GHZ_EINVAL, ghz_cuda_accumulate(t->gpu, (ghz_type)3, ghz_flat(N), acc, p.dst.size, b, DONE));
  REFUSES(GHZ_ECAPACITY, ghz_cuda_accumulate(t->gpu, GHZ_F32, ghz_flat(N), acc, 30, b, DONE));
  expect(t, ghz_cuda_accumulate(NULL, GHZ_F32, ghz_flat(N), acc, p.dst.size, b, DONE) == GHZ_EINVAL,
         "no context");
  still_works(t, &p, "bad accumulations");
  place_free(t, &p);
}

void check_bad_slices(trial *t) {
  place p = place_make(t, GHZ_F32);
  const ghz_lattice *l = &p.lattice;
  ghz_bytes m = device_view(&p.m), none = {NULL, 100};
  void *dst = p.dst.data, *y = p.y.data;
  const void *x = p.x.data;
  size_t room = p.dst.size;
  REFUSES(GHZ_EINVAL, ghz_cuda_slice_compress(t->gpu, l, -1, x, ghz_flat(N), 20, 1, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_slice_compress(t->gpu, l, -1, x, ghz_flat(N), 21, 0, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_slice_compress(t->gpu, l, -1, x, ghz_flat(N), UINT64_MAX, 2, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_slice_compress(t->gpu, l, -1, x, ghz_flat(N), 2, UINT64_MAX, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_slice_compress(t->gpu, l, -1, NULL, ghz_flat(N), 2, 3, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_slice_compress(t->gpu, l, 4, x, ghz_flat(N), 2, 3, dst, room, DONE));
  REFUSES(GHZ_ECAPACITY,
          ghz_cuda_slice_compress(t->gpu, l, -1, x, ghz_flat(N), 2, 3, dst, GHZ_SLICE_HEADER + 5, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_slice_sum(t->gpu, cuda_slice(GHZ_F32, FIRST, TILES), 1, &m, 0, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_slice_sum(t->gpu, cuda_slice(GHZ_F32, FIRST, TILES), 0, &m, 1, dst, room, DONE));
  REFUSES(GHZ_EINVAL,
          ghz_cuda_slice_sum(t->gpu, cuda_slice(GHZ_F32, FIRST, TILES), 1, NULL, 1, dst, room, DONE));
  REFUSES(GHZ_EINVAL,
          ghz_cuda_slice_sum(t->gpu, cuda_slice(GHZ_F32, FIRST, TILES), 1, &none, 1, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_slice_sum(t->gpu, cuda_slice(GHZ_F32, 18, 3), 1, &m, 1, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_slice_decompress(t->gpu, cuda_slice(GHZ_F32, 18, 3), m, GHZ_F32, y, DONE));
  REFUSES(GHZ_EINVAL,
          ghz_cuda_slice_decompress(t->gpu, cuda_slice(GHZ_F32, FIRST, TILES), none, GHZ_F32, y, DONE));
  REFUSES(GHZ_EINVAL,
          ghz_cuda_slice_decompress(t->gpu, cuda_slice(GHZ_F32, FIRST, TILES), m, GHZ_F32, NULL, DONE));
  REFUSES(GHZ_EINVAL,
          ghz_cuda_slice_decompress(t->gpu, cuda_slice(GHZ_F64, FIRST, TILES), m, GHZ_F32, y, DONE));
  still_works(t, &p, "bad slices");
  place_free(t, &p);
}

void check_bad_ranges(trial *t) {
  place p = place_make(t, GHZ_F64);
  double *range = (double *)(void *)p.range.data, *host = scratch(2 * sizeof *host);
  REFUSES(GHZ_EINVAL, ghz_cuda_range(t->gpu, (ghz_type)2, p.x.data, N, range, t->stream));
  REFUSES(GHZ_EINVAL, ghz_cuda_range(t->gpu, GHZ_F64, NULL, N, range, t->stream));
  REFUSES(GHZ_EINVAL, ghz_cuda_range(t->gpu, GHZ_F64, p.x.data, N, NULL, t->stream));
  REFUSES(GHZ_EINVAL, ghz_cuda_range(t->gpu, GHZ_F64, p.x.data, N, host, t->stream));
  REFUSES(GHZ_EINVAL, ghz_cuda_range(t->gpu, GHZ_F64, p.values, N, range, t->stream));
  REFUSES(GHZ_EINVAL, ghz_cuda_range(t->gpu, GHZ_F64, p.x.data + 4, N - 1, range, t->stream));
  expect(t, ghz_cuda_range(NULL, GHZ_F64, p.x.data, N, range, t->stream) == GHZ_EINVAL, "no context");
  still_works(t, &p, "bad ranges");
  place_free(t, &p);
}

/* Shapes that are none, and those of bricks where values do not lie one after the other. */
static void bad_shape(trial *t, place *p, ghz_shape shape) {
  const ghz_bytes two[2] = {device_view(&p->a), device_view(&p->b)};
  const int64_t c[2] = {1, 1};
  uint8_t *dst = p->dst.data, *y = p->y.data;
  const size_t room = p->dst.size;
  const ghz_cuda_slice slice = {GHZ_F32, shape, 0, 0};
  const uint64_t nowhere[3] = {0, 0, 0};
  REFUSES(GHZ_EINVAL, ghz_cuda_compress(t->gpu, &p->lattice, -1, p->x.data, shape, dst, room, DONE));
  REFUSES(GHZ_EINVAL,
          ghz_cuda_slice_compress(t->gpu, &p->lattice, -1, p->x.data, shape, 0, 0, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress(t->gpu, GHZ_F32, shape, two[0], GHZ_F32, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress_range(t->gpu, GHZ_F32, shape, two[0], GHZ_F32, 0, 0, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_sum(t->gpu, GHZ_F32, shape, 2, two, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_mean(t->gpu, GHZ_F32, shape, 2, two, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_combine(t->gpu, GHZ_F32, shape, 2, two, c, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_add(t->gpu, GHZ_F32, shape, two[0], two[1], dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_subtract(t->gpu, GHZ_F32, shape, two[0], two[1], dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_accumulate(t->gpu, GHZ_F32, shape, dst, room, two[0], DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_slice_sum(t->gpu, slice, 1, two, 1, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_slice_decompress(t->gpu, slice, two[0], GHZ_F32, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_slice_decompress_into(t->gpu, slice, two[0], GHZ_F32, y, DONE));
  REFUSES(GHZ_EINVAL,
          ghz_cuda_decompress_box(t->gpu, GHZ_F32, shape, two[0], GHZ_F32, nowhere, nowhere, y, DONE));
}

void check_bad_shapes(trial *t) {
  static const ghz_shape bad[] = {{0, {1, 1, N}},
                                  {4, {1, 1, N}},
                                  {-1, {1, 1, N}},
                                  {1, {1, 2, N / 2}},
                                  {1, {2, 1, N / 2}},
                                  {1, {0, 1, N}},
                                  {3, {1ull << 32, 1ull << 32, 1}},
                                  {2, {3, UINT64_MAX, UINT64_MAX}}};
  const ghz_shape bricks = {3, {8, 8, 16}};
  const uint64_t at[3] = {7, 1, 3}, most[3] = {1, 7, 13}, more[3] = {2, 1, 1};
  place p = place_make(t, GHZ_F32);
  for (size_t i = 0; i < COUNT(bad); i++)
    bad_shape(t, &p, bad[i]);
  const ghz_bytes a = device_view(&p.a);
  void *y = p.y.data;
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress_range(t->gpu, GHZ_F32, bricks, a, GHZ_F32, 0, 1, y, DONE));
  REFUSES(GHZ_EINVAL,
          ghz_cuda_slice_decompress(t->gpu, (ghz_cuda_slice){GHZ_F32, bricks, 0, 1}, a, GHZ_F32, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress_box(t->gpu, GHZ_F32, bricks, a, GHZ_F32, at, more, y, DONE));
  REFUSES(GHZ_EINVAL,
          ghz_cuda_decompress_box(t->gpu, GHZ_F32, bricks, a, GHZ_F32, more, bricks.extent, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress_box(t->gpu, GHZ_F32, bricks, a, GHZ_F32, NULL, most, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress_box(t->gpu, GHZ_F32, bricks, a, GHZ_F32, at, NULL, y, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress_box(t->gpu, GHZ_F32, bricks, a, GHZ_F32, at, most, NULL, DONE));
  still_works(t, &p, "bad shapes");
  place_free(t, &p);
}

/* ---- Limits of the context ---- */
/* Slices may be of arrays that are larger than the context; so may arrays whose range is sought. */
static void small_slice(trial *t, const place *p) {
  SCOPE;
  operation o = {.kind = SLICE_COMPRESS,
                 .lattice = p->lattice,
                 .order = -1,
                 .x = p->values,
                 .n = N,
                 .first = FIRST,
                 .tiles = TILES - 1};
  agree(t, &o, "a slice of an array larger than the context");
  double want[2], *range = (double *)(void *)p->range.data;
  ghz_range(t->cpu, p->lattice.type, p->values, N, &want[0], &want[1]);
  ghz_status status = ghz_cuda_range(t->gpu, p->lattice.type, p->x.data, N, range, t->stream);
  double *got = (double *)(void *)device_read(t, &p->range, 2 * sizeof *range);
  expect(t, status == GHZ_OK && got[0] == want[0] && got[1] == want[1],
         "the range of an array larger than the context: status %d, %g to %g", (int)status, got[0], got[1]);
}

void check_set_up_limits(trial *t) {
  place p = place_make(t, GHZ_F32);
  ghz_cuda *large = t->gpu;
  ghz_bytes two[3] = {device_view(&p.a), device_view(&p.b), device_view(&p.a)};
  int64_t c[3] = {1, 1, 1};
  void *dst = p.dst.data;
  size_t room = p.dst.size, few = N - GHZ_CHUNK;
  ghz_status status = ghz_cuda_create(&t->gpu, few, 2);
  if (!expect(t, status == GHZ_OK, "a small context: %s", ghz_cuda_message(NULL))) {
    t->gpu = large;
    return;
  }
  REFUSES(GHZ_ECAPACITY, ghz_cuda_compress(t->gpu, &p.lattice, -1, p.x.data, ghz_flat(N), dst, room, DONE));
  REFUSES(GHZ_ECAPACITY, ghz_cuda_decompress(t->gpu, GHZ_F32, ghz_flat(N), two[0], GHZ_F32, p.y.data, DONE));
  REFUSES(GHZ_ECAPACITY, ghz_cuda_add(t->gpu, GHZ_F32, ghz_flat(N), two[0], two[1], dst, room, DONE));
  REFUSES(GHZ_ECAPACITY, ghz_cuda_accumulate(t->gpu, GHZ_F32, ghz_flat(N), dst, room, two[0], DONE));
  REFUSES(GHZ_ECAPACITY, ghz_cuda_sum(t->gpu, GHZ_F32, ghz_flat(few), 3, two, dst, room, DONE));
  REFUSES(GHZ_ECAPACITY, ghz_cuda_mean(t->gpu, GHZ_F32, ghz_flat(few), 3, two, dst, room, DONE));
  REFUSES(GHZ_ECAPACITY, ghz_cuda_combine(t->gpu, GHZ_F32, ghz_flat(few), 3, two, c, dst, room, DONE));
  REFUSES(GHZ_ECAPACITY,
          ghz_cuda_compress(t->gpu, &p.lattice, -1, p.x.data, ghz_flat(SIZE_MAX), dst, room, DONE));
  REFUSES(GHZ_ECAPACITY, ghz_cuda_slice_compress(t->gpu, &p.lattice, -1, p.x.data, ghz_flat(N), 0,
                                                 (N + 1023) / 1024, dst, room, DONE));
  REFUSES(GHZ_EINVAL,
          ghz_cuda_slice_compress(t->gpu, &p.lattice, -1, p.x.data, ghz_flat(SIZE_MAX), 0, 1, dst, room, DONE));
  small_slice(t, &p);
  void *x = input_make(&inputs[0], GHZ_F32, few, p.lattice.step, 3);
  operation o = {.kind = COMPRESS, .lattice = p.lattice, .order = -1, .x = x, .n = few};
  agree(t, &o, "as many values as the context is for");
  ref_bytes pair[2] = {compress(t->cpu, &p.lattice, 1, x, few), compress(t->cpu, &p.lattice, 2, x, few)};
  o = (operation){.kind = ADD, .lattice = p.lattice, .n = few, .k = 2, .operands = pair};
  agree(t, &o, "as many operands as the context is for");
  ghz_cuda_free(t->gpu);
  t->gpu = large;
  ghz_bytes many[GHZ_CUDA_OPERANDS + 1];
  for (size_t i = 0; i < COUNT(many); i++)
    many[i] = two[0];
  REFUSES(GHZ_ECAPACITY, ghz_cuda_sum(t->gpu, GHZ_F32, ghz_flat(N), COUNT(many), many, dst, room, DONE));
  still_works(t, &p, "limits");
  place_free(t, &p);
}

/* ---- Memory of the wrong kind ---- */
void check_host_memory_is_refused(trial *t) {
  place p = place_make(t, GHZ_F32);
  ghz_bytes a = device_view(&p.a), host = view(p.stream), pair[2] = {a, host}, message = view(p.message);
  void *room = scratch(p.dst.size + 16), *dst = (char *)room + (16 - (uintptr_t)room % 16) % 16;
  ghz_cuda_outcome *outcome = scratch(sizeof *outcome), on_stack;
  int64_t c[2] = {1, 1};
  void *there = p.dst.data;
  size_t size = p.dst.size;
  REFUSES(GHZ_EINVAL, ghz_cuda_compress(t->gpu, &p.lattice, -1, p.values, ghz_flat(N), there, size, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_compress(t->gpu, &p.lattice, -1, p.x.data, ghz_flat(N), dst, size, DONE));
  REFUSES(GHZ_EINVAL,
          ghz_cuda_compress(t->gpu, &p.lattice, -1, p.x.data, ghz_flat(N), there, size, outcome, t->stream));
  REFUSES(GHZ_EINVAL,
          ghz_cuda_compress(t->gpu, &p.lattice, -1, p.x.data, ghz_flat(N), there, size, &on_stack, t->stream));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress(t->gpu, GHZ_F32, ghz_flat(N), host, GHZ_F32, p.y.data, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress(t->gpu, GHZ_F32, ghz_flat(N), a, GHZ_F32, dst, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_decompress_range(t->gpu, GHZ_F32, ghz_flat(N), a, GHZ_F32, 3, 9, dst, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_add(t->gpu, GHZ_F32, ghz_flat(N), host, a, there, size, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_subtract(t->gpu, GHZ_F32, ghz_flat(N), a, host, there, size, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_sum(t->gpu, GHZ_F32, ghz_flat(N), 2, pair, there, size, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_mean(t->gpu, GHZ_F32, ghz_flat(N), 2, pair, there, size, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_combine(t->gpu, GHZ_F32, ghz_flat(N), 2, pair, c, there, size, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_add(t->gpu, GHZ_F32, ghz_flat(N), a, a, dst, size, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_accumulate(t->gpu, GHZ_F32, ghz_flat(N), dst, size, a, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_accumulate(t->gpu, GHZ_F32, ghz_flat(N), there, size, host, DONE));
  REFUSES(GHZ_EINVAL,
          ghz_cuda_slice_compress(t->gpu, &p.lattice, -1, p.values, ghz_flat(N), 1, 2, there, size, DONE));
  REFUSES(GHZ_EINVAL,
          ghz_cuda_slice_sum(t->gpu, cuda_slice(GHZ_F32, FIRST, TILES), 1, &message, 1, there, size, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_slice_decompress(t->gpu, cuda_slice(GHZ_F32, FIRST, TILES), message, GHZ_F32,
                                                p.y.data, DONE));
  still_works(t, &p, "host memory");
  place_free(t, &p);
}

/* ---- Outcomes, arrays, sizes ---- */
void check_managed_memory_will_do(trial *t) {
  place p = place_make(t, GHZ_F32);
  void *x = NULL, *dst = NULL, *outcome = NULL;
  ghz_cuda_outcome copy = {.size = 0};
  int have = cudaMallocManaged(&x, N * sizeof(float), cudaMemAttachGlobal) == cudaSuccess &&
             cudaMallocManaged(&dst, p.stream.size, cudaMemAttachGlobal) == cudaSuccess &&
             cudaMallocManaged(&outcome, sizeof copy, cudaMemAttachGlobal) == cudaSuccess;
  if (expect(t, have, "no managed memory")) {
    cudaMemcpyAsync(x, p.values, N * sizeof(float), cudaMemcpyDefault, t->stream);
    cudaStreamSynchronize(t->stream);
    ghz_status status =
        ghz_cuda_compress(t->gpu, &p.lattice, -1, x, ghz_flat(N), dst, p.stream.size, outcome, t->stream);
    if (status == GHZ_OK)
      status = ghz_cuda_wait(t->gpu, outcome, &copy, t->stream);
    ref_bytes got = bytes_new(p.stream.size);
    cudaMemcpyAsync(got.data, dst, got.size, cudaMemcpyDefault, t->stream);
    cudaStreamSynchronize(t->stream);
    if (expect(t, status == GHZ_OK, "managed memory: %d, %s", (int)status, ghz_cuda_message(t->gpu)))
      same_bytes(t, got, p.stream, "managed memory");
  }
  cudaFree(x);
  cudaFree(dst);
  cudaFree(outcome);
  place_free(t, &p);
}

void check_outcome_in_device_memory(trial *t) {
  place p = place_make(t, GHZ_F32);
  device_memory there = device_output(t, sizeof(ghz_cuda_outcome), 0);
  ghz_cuda_outcome *outcome = (ghz_cuda_outcome *)(void *)there.data, copy = {.size = 0};
  ghz_status status = ghz_cuda_compress(t->gpu, &p.lattice, GHZ_ORDER_BEST, p.x.data, ghz_flat(N), p.dst.data,
                                        p.dst.size, outcome, t->stream);
  expect(t, status == GHZ_OK, "compress: %d, %s", (int)status, ghz_cuda_message(t->gpu));
  status = ghz_cuda_wait(t->gpu, outcome, &copy, t->stream);
  expect(t, status == GHZ_OK && copy.status == GHZ_OK && copy.size == p.stream.size,
         "wait: %d, outcome %d, %llu bytes, should be %zu", (int)status, (int)copy.status,
         (unsigned long long)copy.size, p.stream.size);
  expect(t, ghz_cuda_wait(t->gpu, outcome, NULL, t->stream) == GHZ_OK, "wait without a copy");
  status = ghz_cuda_compress(t->gpu, &p.lattice, GHZ_ORDER_BEST, p.x.data, ghz_flat(N), p.dst.data,
                             p.stream.size - 1, outcome, t->stream);
  status = status == GHZ_OK ? ghz_cuda_wait(t->gpu, outcome, &copy, t->stream) : status;
  expect(t, status == GHZ_ECAPACITY && ghz_cuda_message(t->gpu)[0], "one byte too few: %d, \"%s\"", (int)status,
         ghz_cuda_message(t->gpu));
  device_guards(t, &there, "outcome");
  place_free(t, &p);
}

/* What was passed in host memory may be overwritten at once. */
void check_host_arrays_are_free_after_the_call(trial *t) {
  static const size_t counts[] = {1, 2, 3, GHZ_CUDA_OPERANDS};
  place p = place_make(t, GHZ_F32);
  for (size_t i = 0; i < COUNT(counts); i++)
    for (int what = 0; what < 3; what++) {
      SCOPE;
      size_t k = counts[i];
      ghz_bytes *streams = scratch(k * sizeof *streams);
      int64_t *c = scratch(k * sizeof *c), kept[GHZ_CUDA_OPERANDS];
      ref_bytes s[GHZ_CUDA_OPERANDS];
      for (size_t j = 0; j < k; j++) {
        streams[j] = device_view(j % 2 ? &p.b : &p.a);
        s[j] = j % 2 ? p.other : p.stream;
        kept[j] = c[j] = (int64_t)j % 5 - 2;
      }
      static const kind kinds[3] = {SUM, MEAN, COMBINE};
      operation o = {
          .kind = kinds[what], .lattice = p.lattice, .n = N, .k = k, .operands = s, .coefficients = c};
      ghz_cuda_outcome outcome = {.size = 0};
      ghz_status status = gpu_launch(t, &o, NULL, streams, p.dst.data, p.dst.size);
      memset(streams, 0xff, k * sizeof *streams);
      memset(c, 0xff, k * sizeof *c);
      status = status == GHZ_OK ? gpu_wait(t, &outcome) : status;
      expect(t, status == GHZ_OK, "%zu operands, operation %d: %d", k, what, (int)status);
      o.coefficients = kept;
      made want = cpu_make(t, &o);
      ref_bytes got = {device_read(t, &p.dst, (size_t)outcome.size), (size_t)outcome.size};
      same_bytes(t, got, want.bytes, say("%zu operands, operation %d", k, what));
    }
  ghz_lattice copy = p.lattice, *l = &copy;
  ghz_status status = ghz_cuda_compress(t->gpu, l, -1, p.x.data, ghz_flat(N), p.dst.data, p.dst.size, DONE);
  memset(l, 0xff, sizeof *l);
  ghz_cuda_outcome outcome = {.size = 0};
  status = status == GHZ_OK ? gpu_wait(t, &outcome) : status;
  expect(t, status == GHZ_OK && outcome.size == p.stream.size, "lattice: %d", (int)status);
  place_free(t, &p);
}

/* A stream knows its size: what follows in its buffer is not looked at. */
void check_operands_with_room_behind(trial *t) {
  static const size_t more[] = {1, 7, 100, 10000};
  place p = place_make(t, GHZ_F32);
  for (size_t i = 0; i < COUNT(more); i++) {
    SCOPE;
    ref_bytes s[2] = {bytes_new(p.stream.size + more[i]), bytes_new(p.other.size + more[i])};
    ref_bytes exact[2] = {p.stream, p.other}, message = bytes_new(p.message.size + more[i]);
    for (size_t j = 0; j < 2; j++) {
      memset(s[j].data, 0xee, s[j].size);
      memcpy(s[j].data, exact[j].data, exact[j].size);
    }
    memset(message.data, 0xee, message.size);
    memcpy(message.data, p.message.data, p.message.size);
    operation o = {.kind = ADD, .lattice = p.lattice, .n = N, .k = 2, .operands = exact};
    made want = cpu_make(t, &o);
    o.operands = s;
    made got = gpu_make(t, &o, want.bytes.size, "sum");
    expect(t, got.status == GHZ_OK, "%zu bytes behind the operands of a sum: %d", more[i], (int)got.status);
    same_bytes(t, got.bytes, want.bytes, say("%zu bytes behind", more[i]));
    ref_bytes sources[2] = {s[0], message};
    for (int part = 0; part < 2; part++) {
      SCOPE;
      uint8_t *values;
      reading r = {.type = GHZ_F32, .n = N, .source = sources[part], .out = GHZ_F32};
      r.part = part ? MESSAGE : ALL;
      r.first = part ? FIRST : 0;
      r.count = part ? TILES : 0;
      ghz_status status = gpu_read(t, &r, &values, "values");
      expect(t, status == GHZ_OK, "%zu bytes behind a source: %d", more[i], (int)status);
    }
  }
  place_free(t, &p);
}

/* ---- Streams ---- */
enum { LINES = 4 };

/* x is compressed, added to itself, accumulated, decompressed: no call waits but for its stream. */
typedef struct line {
  trial own; /* context, stream, outcome */
  ghz_lattice lattice;
  size_t n;
  void *values;
  device_memory x, a, sum, y;
  ghz_cuda_outcome *outcomes;
} line;

static line line_make(trial *t, size_t i) {
  line l = {.own = *t, .n = 9000 + 7777 * i, .lattice = lattice_abs((ghz_type)(i % 2), 0.2)};
  ghz_type type = l.lattice.type;
  void *outcomes = NULL;
  expect(t, ghz_cuda_create(&l.own.gpu, l.n, 2) == GHZ_OK, "context %zu: %s", i, ghz_cuda_message(NULL));
  cudaStreamCreateWithFlags(&l.own.stream, cudaStreamNonBlocking);
  cudaMallocHost(&outcomes, 5 * sizeof *l.outcomes);
  l.outcomes = outcomes;
  l.values = input_make(input_named(i % 2 ? "mixture" : "specials"), type, l.n, l.lattice.step, i);
  l.x = device_input(&l.own, l.values, l.n * ghz_type_size(type), 0);
  l.a = device_output(&l.own, ghz_size_bound(l.n, type, 1), 0);
  l.sum = device_output(&l.own, ghz_size_bound(l.n, type, 3), 0);
  l.y = device_output(&l.own, l.n * 8, 0);
  return l;
}

/* Puts the whole line's work on its stream; returns the number of calls that were refused. */
static int line_start(line *l) {
  ghz_cuda *gpu = l->own.gpu;
  cudaStream_t stream = l->own.stream;
  ghz_type type = l->lattice.type;
  ghz_bytes a = device_view(&l->a), sum = device_view(&l->sum);
  ghz_status s[4] = {
      ghz_cuda_compress(gpu, &l->lattice, -1, l->x.data, ghz_flat(l->n), l->a.data, l->a.size, &l->outcomes[0],
                        stream),
      ghz_cuda_add(gpu, type, ghz_flat(l->n), a, a, l->sum.data, l->sum.size, &l->outcomes[1], stream),
      ghz_cuda_accumulate(gpu, type, ghz_flat(l->n), l->sum.data, l->sum.size, a, &l->outcomes[2], stream),
      ghz_cuda_decompress(gpu, type, ghz_flat(l->n), sum, GHZ_F64, l->y.data, &l->outcomes[3], stream)};
  int refused = 0;
  for (int i = 0; i < 4; i++)
    refused += s[i] != GHZ_OK;
  return refused;
}

static void line_check(trial *t, line *l, const char *what) {
  SCOPE;
  ref_bytes a = compress(t->cpu, &l->lattice, -1, l->values, l->n), three[3] = {a, a, a};
  operation o = {.kind = SUM, .lattice = l->lattice, .n = l->n, .k = 3, .operands = three};
  made want = cpu_make(t, &o);
  cudaError_t error = cudaStreamSynchronize(l->own.stream);
  expect(t, error == cudaSuccess, "%s: %s", what, cudaGetErrorString(error));
  for (int i = 0; i < 4; i++)
    expect(t, l->outcomes[i].status == GHZ_OK, "%s: outcome %d is %d", what, i, (int)l->outcomes[i].status);
  size_t size = l->outcomes[2].size <= l->sum.size ? (size_t)l->outcomes[2].size : 0;
  ref_bytes got = {device_read(&l->own, &l->sum, size), size};
  same_bytes(t, got, want.bytes, what);
  reading r = {.type = l->lattice.type, .n = l->n, .source = want.bytes, .out = GHZ_F64, .part = ALL};
  double *values = scratch(l->n * sizeof *values);
  uint8_t *back = device_read(&l->own, &l->y, l->n * sizeof *values);
  cpu_read(t, &r, values);
  same_values(t, back, values, l->n, GHZ_F64, what);
}

static void line_free(line *l) {
  cudaFreeHost(l->outcomes);
  cudaStreamDestroy(l->own.stream);
  ghz_cuda_free(l->own.gpu);
}

void check_several_streams_at_once(trial *t) {
  line lines[LINES];
  for (size_t i = 0; i < LINES; i++)
    lines[i] = line_make(t, i);
  for (int round = 0; round < by_extent(t, 1, 3, 50); round++) {
    for (size_t i = 0; i < LINES; i++)
      expect(t, line_start(&lines[i]) == 0, "line %zu: %s", i, ghz_cuda_message(lines[i].own.gpu));
    for (size_t i = 0; i < LINES; i++)
      line_check(t, &lines[LINES - 1 - i], say("round %d, line %zu", round, LINES - 1 - i));
  }
  for (size_t i = 0; i < LINES; i++)
    line_free(&lines[i]);
}

/* The scratch of a context serves call after call on its stream. */
void check_calls_in_a_row_without_waiting(trial *t) {
  line l = line_make(t, 3);
  for (int round = 0; round < by_extent(t, 3, 10, 100); round++)
    expect(t, line_start(&l) == 0, "round %d: %s", round, ghz_cuda_message(l.own.gpu));
  line_check(t, &l, "the last round");
  line_free(&l);
}

/* ---- The caller's state ---- */
static void compresses(trial *t, place *p, const char *what) {
  ghz_status status = ghz_cuda_compress(t->gpu, &p->lattice, GHZ_ORDER_BEST, p->x.data, ghz_flat(N),
                                        p->dst.data, p->dst.size, DONE);
  expect(t, status == GHZ_OK, "%s: %d, %s", what, (int)status, ghz_cuda_message(t->gpu));
}

static void compressed(trial *t, place *p, const char *what) {
  SCOPE;
  if (!expect(t, ghz_cuda_wait(t->gpu, t->outcome, NULL, t->stream) == GHZ_OK, "%s: %s", what,
              ghz_cuda_message(t->gpu)))
    return;
  ref_bytes got = {device_read(t, &p->dst, p->stream.size), p->stream.size};
  same_bytes(t, got, p->stream, what);
}

/* An error that the caller has not asked for yet is none of the call's, and stays after it. */
void check_error_of_the_caller(trial *t) {
  place p = place_make(t, GHZ_F32);
  cudaError_t own = cudaSetDevice(1000);
  compresses(t, &p, "with an error of the caller's");
  cudaError_t after = cudaGetLastError();
  expect(t, own != cudaSuccess && after == own, "the caller's error was %d, and is %d", (int)own, (int)after);
  compressed(t, &p, "with an error of the caller's");
  place_free(t, &p);
}

/* Nor does the caller's way of rounding matter, and it is kept. */
void check_rounding_of_the_caller(trial *t) {
  static const int ways[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  place p = place_make(t, GHZ_F64);
  for (size_t i = 0; i < COUNT(ways); i++) {
    fesetround(ways[i]);
    compresses(t, &p, "rounding otherwise");
    int after = fegetround();
    fesetround(FE_TONEAREST);
    expect(t, after == ways[i], "the rounding was %d, and is %d", ways[i], after);
    compressed(t, &p, "rounding otherwise");
  }
  place_free(t, &p);
}

/* ---- What only an emulated device can be made to do ---- */
#ifdef GHZ_EMULATED

/* Creates a context that cannot be; yields the status. */
static ghz_status create_in_vain(trial *t, const char *what) {
  ghz_cuda *gpu = t->gpu;
  simt_holdings before = simt_held();
  ghz_status status = ghz_cuda_create(&gpu, 100000, 8);
  simt_holdings after = simt_held();
  if (status == GHZ_OK) {
    ghz_cuda_free(gpu);
    return status;
  }
  expect(t, !gpu, "%s: a context, and status %d", what, (int)status);
  expect(t, ghz_cuda_message(NULL)[0], "%s: no message", what);
  expect(t, after.blocks == before.blocks && after.streams == before.streams && after.events == before.events,
         "%s: %zu blocks of memory, %zu streams, %zu events stay behind", what, after.blocks - before.blocks,
         after.streams - before.streams, after.events - before.events);
  return status;
}

static void device_as_usual(void) {
  simt_settings s = simt_defaults();
  simt_configure(&s);
}

static void usable(trial *t, const char *after) {
  place p = place_make(t, GHZ_F32);
  still_works(t, &p, after);
  place_free(t, &p);
}

void check_no_device(trial *t) {
  simt_settings s = simt_defaults();
  s.devices = 0;
  simt_configure(&s);
  ghz_status status = create_in_vain(t, "no device");
  expect(t, status == GHZ_EDEVICE, "no device: status %d", (int)status);
  s = simt_defaults();
  s.driver = 0;
  simt_configure(&s);
  status = create_in_vain(t, "no driver");
  expect(t, status == GHZ_EDEVICE, "no driver: status %d", (int)status);
  device_as_usual();
  usable(t, "no device");
}

void check_no_device_memory(trial *t) {
  simt_settings s = simt_defaults();
  ghz_status status = GHZ_ENOMEM;
  for (s.fail_allocation = 1; s.fail_allocation < 50 && status != GHZ_OK; s.fail_allocation++) {
    simt_configure(&s);
    status = create_in_vain(t, say("allocation %llu", (unsigned long long)s.fail_allocation));
    expect(t, status == GHZ_ENOMEM || (status == GHZ_OK && s.fail_allocation > 1), "allocation %llu: status %d",
           (unsigned long long)s.fail_allocation, (int)status);
  }
  expect(t, status == GHZ_OK, "more than %llu allocations", (unsigned long long)s.fail_allocation);
  s = simt_defaults();
  s.memory = simt_held().device_bytes + 1000;
  simt_configure(&s);
  status = create_in_vain(t, "1000 bytes left");
  expect(t, status == GHZ_ENOMEM, "1000 bytes left: status %d", (int)status);
  device_as_usual();
  usable(t, "no memory");
}

void check_wrong_architecture(trial *t) {
  static const int errors[] = {98, 209};
  for (size_t i = 0; i < COUNT(errors); i++) {
    simt_settings s = simt_defaults();
    s.kernels = errors[i];
    simt_configure(&s);
    ghz_status status = create_in_vain(t, "no kernels for this device");
    expect(t, status == GHZ_EDEVICE, "kernels fail with %d: status %d", errors[i], (int)status);
  }
  device_as_usual();
  usable(t, "another architecture");
}

/* Every call of CUDA by a call of ours fails in turn: an error, or a result all the same. */
void check_cuda_that_fails(trial *t) {
  place p = place_make(t, GHZ_F32);
  simt_settings s = simt_defaults();
  ghz_status status = GHZ_EDEVICE;
  for (s.fail_call = 1; s.fail_call < 100 && status != GHZ_OK; s.fail_call++) {
    simt_configure(&s);
    status = create_in_vain(t, say("call %llu of CUDA fails", (unsigned long long)s.fail_call));
    expect(t, status != GHZ_EINVAL, "call %llu of CUDA fails: status %d", (unsigned long long)s.fail_call,
           (int)status);
  }
  expect(t, status == GHZ_OK, "ghz_cuda_create with call %llu failing: status %d",
         (unsigned long long)s.fail_call, (int)status);
  int refused = 0;
  for (s.fail_call = 1; s.fail_call < 40; s.fail_call++) {
    simt_configure(&s);
    status = ghz_cuda_add(t->gpu, GHZ_F32, ghz_flat(N), device_view(&p.a), device_view(&p.b), p.dst.data,
                          p.dst.size, DONE);
    device_as_usual();
    refused += status != GHZ_OK;
    expect(t, status == GHZ_OK || ghz_cuda_message(t->gpu)[0], "call %llu of CUDA fails: no message",
           (unsigned long long)s.fail_call);
    cudaStreamSynchronize(t->stream);
    cudaGetLastError();
    if (status != GHZ_OK)
      still_works(t, &p, say("a sum in which call %llu of CUDA failed", (unsigned long long)s.fail_call));
  }
  expect(t, refused > 0, "no call of CUDA failed in a sum");
  place_free(t, &p);
}

/* Look-back over more groups than a warp has lanes: all others wait for the slow first chunk. */
void check_many_groups_at_once(trial *t) {
  const size_t n = (size_t)80 * 16 * 1024, slow = (size_t)16 * 1024;
  simt_settings s = simt_defaults();
  s.order = SIMT_FORWARD;
  s.resident = 90;
  s.multiprocessors = 32;
  simt_configure(&s);
  ghz_cuda *usual = t->gpu;
  ghz_status status = ghz_cuda_create(&t->gpu, n, 2);
  if (expect(t, status == GHZ_OK, "context: %s", ghz_cuda_message(NULL))) {
    ghz_lattice l = lattice_abs(GHZ_F32, 0.1);
    void *x = input_make(input_named("some_constant"), l.type, n, l.step, 1);
    void *first = input_make(input_named("specials"), l.type, slow, l.step, 2);
    memcpy(x, first, slow * sizeof(float));
    ref_bytes one = compress(t->cpu, &l, GHZ_ORDER_BEST, x, n), both[2] = {one, one};
    operation compress = {.kind = COMPRESS, .lattice = l, .order = GHZ_ORDER_BEST, .x = x, .n = n};
    operation add = {.kind = ADD, .lattice = l, .n = n, .k = 2, .operands = both};
    agree(t, &compress, "compression of many groups");
    agree(t, &add, "sum of many groups");
    ghz_cuda_free(t->gpu);
  }
  t->gpu = usual;
  device_as_usual();
}

/* Once set up, calls neither allocate nor wait. */
void check_no_allocation_no_waiting(trial *t) {
  place p = place_make(t, GHZ_F32);
  ghz_bytes two[2] = {device_view(&p.a), device_view(&p.b)}, m = device_view(&p.m);
  int64_t c[2] = {3, -2};
  void *dst = p.dst.data;
  size_t room = p.dst.size;
  ghz_status s[12];
  simt_counters before = simt_count();
  s[0] = ghz_cuda_range(t->gpu, GHZ_F32, p.x.data, N, (double *)(void *)p.range.data, t->stream);
  s[1] = ghz_cuda_compress(t->gpu, &p.lattice, -1, p.x.data, ghz_flat(N), dst, room, DONE);
  s[2] = ghz_cuda_decompress(t->gpu, GHZ_F32, ghz_flat(N), two[0], GHZ_F32, p.y.data, DONE);
  s[3] = ghz_cuda_decompress_range(t->gpu, GHZ_F32, ghz_flat(N), two[0], GHZ_F64, 100, 3000, p.y.data, DONE);
  s[4] = ghz_cuda_subtract(t->gpu, GHZ_F32, ghz_flat(N), two[0], two[1], dst, room, DONE);
  s[5] = ghz_cuda_sum(t->gpu, GHZ_F32, ghz_flat(N), 2, two, dst, room, DONE);
  s[6] = ghz_cuda_mean(t->gpu, GHZ_F32, ghz_flat(N), 2, two, dst, room, DONE);
  s[7] = ghz_cuda_combine(t->gpu, GHZ_F32, ghz_flat(N), 2, two, c, dst, room, DONE);
  s[8] = ghz_cuda_accumulate(t->gpu, GHZ_F32, ghz_flat(N), dst, room, two[1], DONE);
  s[9] = ghz_cuda_slice_compress(t->gpu, &p.lattice, 1, p.x.data, ghz_flat(N), 1, 3, dst, room, DONE);
  s[10] = ghz_cuda_slice_sum(t->gpu, cuda_slice(GHZ_F32, FIRST, TILES), 1, &m, 3, dst, room, DONE);
  s[11] = ghz_cuda_slice_decompress(t->gpu, cuda_slice(GHZ_F32, FIRST, TILES), m, GHZ_F32, p.y.data, DONE);
  simt_counters after = simt_count();
  for (size_t i = 0; i < COUNT(s); i++)
    expect(t, s[i] == GHZ_OK, "call %zu: status %d", i, (int)s[i]);
  expect(t, after.allocations == before.allocations && after.frees == before.frees,
         "memory was allocated or freed");
  expect(t, after.objects == before.objects, "streams or events were created");
  expect(t, after.synchronisations == before.synchronisations, "a call waited");
  expect(t, after.pageable == before.pageable, "a copy from or to pageable memory");
  cudaStreamSynchronize(t->stream);
  place_free(t, &p);
}

#endif
