/* checks_api.c: calls for a device: bad arguments, limits, memory of the wrong kind. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "workplace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
  REFUSES(GHZ_EINVAL, ghz_cuda_linear(t->gpu, GHZ_F32, ghz_flat(N), 2, two, c, 0, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_linear(t->gpu, GHZ_F32, ghz_flat(N), 0, two, c, 1, dst, room, DONE));
  REFUSES(GHZ_EINVAL, ghz_cuda_linear(t->gpu, GHZ_F32, ghz_flat(N), 2, bad, c, 1, dst, room, DONE));
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
  REFUSES(GHZ_EINVAL, ghz_cuda_linear(t->gpu, GHZ_F32, shape, 2, two, c, 1, dst, room, DONE));
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
  REFUSES(GHZ_EINVAL,
          ghz_cuda_decompress_range(t->gpu, GHZ_F32, bricks, a, GHZ_F32, bricks.extent[2], 1, y, DONE));
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
  REFUSES(GHZ_ECAPACITY, ghz_cuda_linear(t->gpu, GHZ_F32, ghz_flat(few), 3, two, c, 1, dst, room, DONE));
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
  REFUSES(GHZ_EINVAL, ghz_cuda_linear(t->gpu, GHZ_F32, ghz_flat(N), 2, pair, c, 1, there, size, DONE));
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
