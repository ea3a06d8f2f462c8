/* golden.c: the golden streams: types, orders and modes of tiles, what operations make, lattices of
 * other kinds, the ends of what there is, and messages; small enough to keep. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "golden.h"
#include "fields.h"
#include <math.h>
#include <string.h>

/* One array by a maker. */
static ref_bytes capped(ghz_context *ctx, ghz_type type, double eb, int cap, int order, const char *maker,
                        size_t n, uint64_t seed) {
  ghz_lattice l = lattice_abs(type, eb);
  l.cap = cap;
  return stream_of(ctx, &l, order, maker, n, seed);
}

/* With the cap of its type. */
static ref_bytes plain(ghz_context *ctx, ghz_type type, double eb, int order, const char *maker, size_t n,
                       uint64_t seed) {
  return capped(ctx, type, eb, type == GHZ_F32 ? 35 : 44, order, maker, n, seed);
}

static ref_bytes times(ghz_context *ctx, ref_bytes s, int64_t factor) { return combine(ctx, 1, &s, &factor); }

/* So often one, and so often another. */
static ref_bytes weighted(ghz_context *ctx, int64_t times_a, ref_bytes a, int64_t times_b, ref_bytes b) {
  return combine(ctx, 2, (ref_bytes[]){a, b}, (int64_t[]){times_a, times_b});
}

static ref_bytes mean_of_copies(ghz_context *ctx, ref_bytes s) { return mean(ctx, 3, (ref_bytes[]){s, s, s}); }

/* Tiles that cancel keep their order. */
static ref_bytes less_itself(ghz_context *ctx, ref_bytes s) { return subtract(ctx, s, s); }

/* A hundred, one after the other. */
static ref_bytes sum_of_walks(ghz_context *ctx, ghz_type type, double eb, uint64_t seed) {
  enum { N = 2500, WALKS = 100 };
  ref_bytes total = bytes_new(ghz_size_bound(N, type, WALKS));
  size_t size = 0;
  for (uint64_t i = 0; i < WALKS; i++) {
    const ref_bytes s = plain(ctx, type, eb, GHZ_ORDER_BEST, "walk", N, seed + i);
    need(ghz_accumulate(ctx, total.data, total.size, &size, view(s)), "accumulate");
  }
  return (ref_bytes){total.data, size};
}

/* Values of less than half a step, none of them alone in its tile. */
static ref_bytes near_zero(ghz_context *ctx) {
  float x[2000];
  const ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  for (int i = 0; i < 2000; i++)
    x[i] = (float)(i % 9 - 4) * 1e-4f;
  return compress(ctx, &l, 2, x, 2000);
}

/* ---- One value in a tile ---- */
/* In flat tiles: coarse, fine and wide, less than half a step, beside specials, in the short end;
 * and on the lattice. */
static ref_bytes one_value(ghz_context *ctx) {
  static const float values[] = {273.15f, -1e5f / 3, 1e7f / 3, 1e-7f, 273.15f, 0.984375f, -273.15f};
  enum { N = 6 * GHZ_TILE + 100 };
  float x[N];
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.5);
  for (int i = 0; i < N; i++)
    x[i] = values[i / GHZ_TILE];
  x[4 * GHZ_TILE] = x[4 * GHZ_TILE + 900] = NAN;
  x[4 * GHZ_TILE + 7] = -INFINITY;
  return compress(ctx, &l, GHZ_ORDER_BEST, x, N);
}

/* In cubes, whole and cut, with a fill, at order 3 and at the one that comes for 0. */
static ref_bytes one_value_in_cubes(ghz_context *ctx, int order) {
  const ghz_shape shape = {3, {9, 11, 40}};
  const size_t n = (size_t)ghz_shape_count(&shape);
  double *x = scratch(n * sizeof *x);
  ghz_lattice l = lattice_abs(GHZ_F64, 1e-3);
  need(ghz_lattice_set_fill(&l, -999), "fill");
  for (size_t i = 0; i < n; i++)
    x[i] = i % 40 == 3 ? -999 : i % 40 < 16 ? 273.15 : -1e5 / 3;
  return compress_shape(ctx, &l, order, x, &shape);
}

/* ---- Other lattices ---- */
/* A constant, a NaN in its second tile; multiples of it; in the last tile, another value. */
static ref_bytes constant(ghz_context *ctx, ghz_type type, double c) {
  enum { N = 3 * GHZ_TILE + 100 };
  double x[N];
  ghz_lattice l;
  need(ghz_lattice_make(type, (ghz_bound){GHZ_REL, 1e-3}, c, c, &l), "lattice of %g", c);
  for (size_t i = 0; i < N; i++)
    put_value(type, x, i, i / GHZ_TILE == 2 ? c * ((int)i % 7 - 3) : c);
  put_value(type, x, GHZ_TILE + 5, NAN);
  put_value(type, x, 3 * GHZ_TILE + 5, 1.5 * c);
  return compress(ctx, &l, GHZ_ORDER_BEST, x, N);
}

/* Multiples of a step, of every tile other ones, in float32 beyond 2^22 too; a NaN; a last tile
 * that is not on the grid. */
static ref_bytes grid(ghz_context *ctx, ghz_type type, double step, uint64_t seed) {
  enum { N = 4 * GHZ_TILE + 100 };
  static const double magnitudes[] = {9000, 60000, 1.5e6, 9e6, 100};
  double x[N];
  ghz_lattice l;
  need(ghz_lattice_make(type, (ghz_bound){GHZ_STEP, step}, 0, 0, &l), "grid of %g", step);
  for (size_t i = 0; i < N; i++)
    put_value(type, x, i,
              floor(magnitudes[i / GHZ_TILE] + (double)(i % 50) / 7 + 2 * input_uniform(&seed)) * step);
  put_value(type, x, GHZ_TILE + 5, NAN);
  put_value(type, x, 4 * GHZ_TILE + 5, 1.5 * step);
  return compress(ctx, &l, GHZ_ORDER_BEST, x, N);
}

/* Walks of integers within 0 to 127, in the first tile also others of the type; with a fill. */
static ref_bytes integers(ghz_context *ctx, ghz_type type, double other, ghz_shape shape) {
  const size_t n = (size_t)ghz_shape_count(&shape);
  uint64_t state = 80;
  ghz_lattice l;
  need(ghz_lattice_make(type, (ghz_bound){GHZ_STEP, 1}, 0, 0, &l), "lattice");
  need(ghz_lattice_set_fill(&l, 127), "fill");
  void *x = scratch(n * ghz_type_size(type));
  for (size_t i = 0; i < n; i++)
    put_value(type, x, i,
              i == 5           ? other
              : i % 1000 > 900 ? 127
                               : floor(50 + 20 * input_uniform(&state)) + (double)(i / 7 % 40));
  return compress_shape(ctx, &l, GHZ_ORDER_BEST, x, &shape);
}

/* Coarse integers of 20 bits, and fine ones beside them in the last tile. */
static ref_bytes offset(ghz_context *ctx, int order, uint64_t seed) {
  enum { N = 2 * GHZ_TILE + 100 };
  float x[N];
  ghz_lattice l = lattice_offset(0.01, 0x1.8p19);
  for (int i = 0; i < N; i++) {
    double q = i < 2 * GHZ_TILE ? 850000 : 1.5e6;
    x[i] = (float)((q + (double)(i % 50) + 4 * input_uniform(&seed)) * l.step);
  }
  return compress(ctx, &l, order, x, N);
}

static ref_bytes sum_of_offsets(ghz_context *ctx) {
  const ref_bytes s[3] = {offset(ctx, 0, 61), offset(ctx, 1, 62), offset(ctx, 2, 63)};
  return combine(ctx, 3, s, (int64_t[]){1000, -7, 5000000});
}

/* ---- What operations make ---- */
static ref_bytes inexact(ghz_context *ctx, ghz_type type, size_t n) {
  return weighted(ctx, 3, plain(ctx, type, 0.1, -1, "specials_far_out", n, 41), -2,
                  plain(ctx, type, 0.1, -1, "walk", n, 42));
}

/* ---- Fill values ---- */
static ref_bytes with_fill(ghz_context *ctx, ghz_type type, double fill, const char *maker, size_t n,
                           uint64_t seed) {
  ghz_lattice l = lattice_abs(type, 0.1);
  need(ghz_lattice_set_fill(&l, fill), "fill %g", fill);
  return stream_of(ctx, &l, GHZ_ORDER_BEST, maker, n, seed);
}

/* ---- The ends ---- */
static ref_bytes at_limit(ghz_context *ctx, ghz_type type, int cap, int order) {
  const char *maker = cap == 44 ? "widest_noise" : "alternating_wide";
  return times(ctx, capped(ctx, type, 0.01, cap, order, maker, 300, 43), ((int64_t)1 << (58 - cap)) - 1);
}

/* More chunks than one, all tiles but a few empty. */
static ref_bytes chunks(ghz_context *ctx) {
  static float x[50000];
  ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  for (int i = 0; i < 50000; i += 9001)
    x[i] = (float)i;
  return compress(ctx, &l, GHZ_ORDER_BEST, x, COUNT(x));
}

/* ---- Bricks ---- */
static ref_bytes field(ghz_context *ctx, ghz_type type, field_kind kind, double amount, int order,
                       ghz_shape shape) {
  ghz_lattice l = lattice_abs(type, 0.1);
  return compress_shape(ctx, &l, order, field_make(kind, &l, &shape, amount, 50), &shape);
}

static const ghz_shape cubes = {3, {9, 17, 40}}, planes = {2, {2, 40, 70}};

/* Layers of every kind: coefficients beside Lorenzo residuals, fine, raw and special ones. */
static ref_bytes mixed(ghz_context *ctx, ghz_type type, ghz_shape shape) {
  ref_bytes s[4] = {field(ctx, type, WAVES, 60, GHZ_ORDER_BEST, shape),
                    field(ctx, type, PATCHES, 3e6, 2, shape),
                    field(ctx, type, LAND, 300, GHZ_ORDER_BEST, shape),
                    field(ctx, type, ROUGH, 3e9, GHZ_ORDER_LORENZO, shape)};
  return combine(ctx, 4, s, (int64_t[]){3, -2, 1, 5});
}

/* ---- Messages ---- */
static ref_bytes message(ref_bytes stream, uint64_t first, uint64_t tiles) {
  ghz_slice slice = slice_of(stream, first, tiles);
  return packed(&slice);
}

/* ---- The table ---- */
#define MADE(name, checksum, ...)                                                                              \
  static ref_bytes name(ghz_context *ctx) { return __VA_ARGS__; }
#include "goldens.inc"
#undef MADE
#define MADE(name, checksum, ...) {#name, checksum, name},
const golden goldens[] = {
#include "goldens.inc"
};
const size_t golden_count = COUNT(goldens);

const char *golden_ending(const char *name) { return strstr(name, "message") ? "msg" : "ghz"; }

/* All tiles of a stream, or those of a message. */
static ghz_slice tiles_of(ref_bytes src) {
  ghz_slice slice;
  if (src.size < 4 || memcmp(src.data, "GHZO", 4) != 0)
    return slice_of(src, 0, info_of(src).tiles);
  need(ghz_slice_parse(view(src), &slice), "message");
  return slice;
}

uint64_t golden_checksum(ref_bytes stream, ghz_context *ctx) {
  SCOPE;
  ghz_slice slice = tiles_of(stream);
  ghz_type type = (ghz_type)header_for(&slice.lattice, 0).type; /* of integers the storage type */
  int flat = slice.shape.dims == 1;
  size_t count = flat ? ghz_slice_count(&slice) : (size_t)slice.count, each = ghz_type_size(type);
  uint8_t *values = scratch(count * each);
  uint64_t hash = 0xcbf29ce484222325u;
  memset(values, 0, count * each);
  need((flat ? ghz_slice_decompress : ghz_slice_decompress_into)(ctx, &slice, type, values), "values");
  for (size_t i = 0; i < count; i++) /* NaN as the canonical one */
    put_little(values + each * i, ref_bits((int)type, value_at(type, values, i)), (int)each);
  for (size_t i = 0; i < count * each; i++)
    hash = (hash ^ values[i]) * 0x100000001b3u;
  return hash;
}
