/* golden.c: the golden streams: types, orders and modes of tiles, what operations make, lattices of
 * other kinds, the ends of what there is, and messages; small enough to keep. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "golden.h"
#include "fields.h"
#include <math.h>
#include <string.h>

static ghz_lattice lattice_with(ghz_type type, double eb, int cap) {
  ghz_lattice l = lattice_abs(type, eb);
  l.cap = cap;
  return l;
}

/* One array by a maker; with cap 35 for float32, 44 for float64. */
static ref_bytes plain(ghz_context *ctx, ghz_type type, double eb, int order, const char *maker, size_t n,
                       uint64_t seed) {
  ghz_lattice l = lattice_abs(type, eb);
  return stream_of(ctx, &l, order, maker, n, seed);
}

#define MAKE(name) static ref_bytes name(ghz_context *ctx)

/* Values of less than half a step, none of them alone in its tile. */
MAKE(f32_empty) {
  float x[2000];
  const ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  for (int i = 0; i < 2000; i++)
    x[i] = (float)(i % 9 - 4) * 1e-4f;
  return compress(ctx, &l, 2, x, 2000);
}

/* ---- One value in a tile ---- */
/* In flat tiles: coarse, fine and wide, less than half a step, beside specials, in the short end;
 * and on the lattice. */
MAKE(f32_one_value) {
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

MAKE(f64_one_value) { return one_value_in_cubes(ctx, 3); }
MAKE(f64_one_value_sum) {
  const ref_bytes s[2] = {one_value_in_cubes(ctx, 0), one_value_in_cubes(ctx, 2)};
  return combine(ctx, 2, s, (int64_t[]){3, -2});
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

MAKE(f32_constant) { return constant(ctx, GHZ_F32, -2.5); }
MAKE(f64_constant) { return constant(ctx, GHZ_F64, 0.1); }

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

MAKE(f32_grid) { return grid(ctx, GHZ_F32, 0.01, 70); }
MAKE(f32_grid_of_float) { return grid(ctx, GHZ_F32, (double)0.01f, 70); }
MAKE(f64_grid) { return grid(ctx, GHZ_F64, 0.01, 71); }
MAKE(f32_grid_sum) {
  ref_bytes s[2] = {grid(ctx, GHZ_F32, 0x1p-5, 72), grid(ctx, GHZ_F32, 0x1p-5, 73)};
  return combine(ctx, 2, s, (int64_t[]){300, -7});
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

MAKE(i8_flat) { return integers(ctx, GHZ_I8, -128, ghz_flat(2500)); }
MAKE(i16_planes) { return integers(ctx, GHZ_I16, -32768, (ghz_shape){2, {2, 40, 70}}); }
MAKE(u8_cubes) { return integers(ctx, GHZ_U8, 255, (ghz_shape){3, {9, 17, 20}}); }
MAKE(u16_sum) {
  ref_bytes s = integers(ctx, GHZ_U16, 65535, ghz_flat(1500));
  return combine(ctx, 1, &s, (int64_t[]){-1000});
}
MAKE(i32_mean) {
  ref_bytes s = integers(ctx, GHZ_I32, -0x1p31, ghz_flat(1500)), three[] = {s, s, s};
  return mean(ctx, 3, three);
}
MAKE(u32_scaled) { return scale(ctx, integers(ctx, GHZ_U32, 0x1p32 - 1, ghz_flat(1500)), 3); }
MAKE(i64_flat) { return integers(ctx, GHZ_I64, -0x1p44, ghz_flat(1500)); }
MAKE(f64_cap35) {
  ghz_lattice l = lattice_with(GHZ_F64, 0.5, 35);
  return stream_of(ctx, &l, GHZ_ORDER_BEST, "rare_giants", 2100, 30);
}
MAKE(f32_no_lattice) { return plain(ctx, GHZ_F32, 1e-45, GHZ_ORDER_BEST, "zeros", 1500, 31); }
MAKE(f64_no_lattice) { return plain(ctx, GHZ_F64, 1e-320, GHZ_ORDER_BEST, "zeros", 1500, 31); }
MAKE(f32_largest_step) { return plain(ctx, GHZ_F32, 1e38, 0, "largest_finite", 1100, 32); }

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

MAKE(f32_offset) { return offset(ctx, GHZ_ORDER_BEST, 60); }
MAKE(f32_offset_sum) {
  ref_bytes s[3] = {offset(ctx, 0, 61), offset(ctx, 1, 62), offset(ctx, 2, 63)};
  return combine(ctx, 3, s, (int64_t[]){1000, -7, 5000000});
}

/* ---- What operations make ---- */
MAKE(f32_scaled) { return scale(ctx, plain(ctx, GHZ_F32, 1e-3, 1, "specials", 2500, 33), -0.3); }
MAKE(f64_scaled) { return scale(ctx, plain(ctx, GHZ_F64, 1e-3, 2, "land_mask", 2500, 34), 1.0 / 3); }
MAKE(f64_mean) {
  ref_bytes s[3];
  for (int i = 0; i < 3; i++)
    s[i] = plain(ctx, GHZ_F64, 1e-3, i, "walk", 2500, 35 + (uint64_t)i);
  return mean(ctx, 3, s);
}
MAKE(f32_maximum) {
  return extremum(ctx, plain(ctx, GHZ_F32, 0.1, 1, "specials", 1100, 38),
                  plain(ctx, GHZ_F32, 0.1, 2, "fine_noise", 1100, 39), 1);
}
/* Tiles that cancel keep their order. */
MAKE(f32_difference) {
  ref_bytes a = plain(ctx, GHZ_F32, 0.01, 2, "walk", 2100, 40);
  return subtract(ctx, a, a);
}

static ref_bytes inexact(ghz_context *ctx, ghz_type type, size_t n) {
  ref_bytes s[2] = {plain(ctx, type, 0.1, -1, "specials_far_out", n, 41),
                    plain(ctx, type, 0.1, -1, "walk", n, 42)};
  return combine(ctx, 2, s, (int64_t[]){3, -2});
}

MAKE(f32_inexact) { return inexact(ctx, GHZ_F32, 1030); }
MAKE(f64_inexact) { return inexact(ctx, GHZ_F64, 300); }

/* ---- Fill values ---- */
static ref_bytes with_fill(ghz_context *ctx, ghz_type type, double fill, const char *maker, size_t n,
                           uint64_t seed) {
  ghz_lattice l = lattice_abs(type, 0.1);
  need(ghz_lattice_set_fill(&l, fill), "fill %g", fill);
  return stream_of(ctx, &l, GHZ_ORDER_BEST, maker, n, seed);
}

MAKE(f32_fill) { return with_fill(ctx, GHZ_F32, (double)1e20f, "mixture", 2500, 52); }
MAKE(f64_fill_of_zero) { return with_fill(ctx, GHZ_F64, -0.0, "specials_far_out", 300, 53); }
MAKE(f32_fill_sum) {
  return add(ctx, with_fill(ctx, GHZ_F32, -999, "walk", 1100, 53),
             with_fill(ctx, GHZ_F32, -999, "specials_far_out", 1100, 58));
}

/* ---- The ends ---- */
static ref_bytes at_limit(ghz_context *ctx, ghz_type type, int cap, int order) {
  ghz_lattice l = lattice_with(type, 0.01, cap);
  ref_bytes s = stream_of(ctx, &l, order, cap == 44 ? "widest_noise" : "alternating_wide", 300, 43);
  return combine(ctx, 1, &s, (int64_t[]){((int64_t)1 << (58 - cap)) - 1});
}

MAKE(f32_limit) { return at_limit(ctx, GHZ_F32, 35, 0); }
MAKE(f64_limit) { return at_limit(ctx, GHZ_F64, 44, 2); }
MAKE(f64_cap35_limit) { return at_limit(ctx, GHZ_F64, 35, 1); }
MAKE(f64_no_terms) {
  ref_bytes s = plain(ctx, GHZ_F64, 0.01, 1, "walk", 2000, 44);
  return combine(ctx, 1, &s, (int64_t[]){0});
}
MAKE(f32_nothing) { return plain(ctx, GHZ_F32, 0.01, 1, "walk", 0, 45); }
MAKE(f64_one) { return plain(ctx, GHZ_F64, 0.01, 2, "walk", 1, 46); }
/* More chunks than one, all tiles but a few empty. */
MAKE(f32_chunks) {
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

MAKE(f32_cubes) { return field(ctx, GHZ_F32, PATCHES, 60, GHZ_ORDER_BEST, cubes); }
MAKE(f64_cubes) { return field(ctx, GHZ_F64, LAND, 300, GHZ_ORDER_BEST, cubes); }
MAKE(f32_planes) { return field(ctx, GHZ_F32, LAND, 60, GHZ_ORDER_BEST, planes); }
MAKE(f64_planes) { return field(ctx, GHZ_F64, SHOCK, 300, GHZ_ORDER_BEST, planes); }
MAKE(f64_cubes_order1) { return field(ctx, GHZ_F64, ROUGH, 300, 1, cubes); }
MAKE(f32_cubes_order2) { return field(ctx, GHZ_F32, LAND, 3000, 2, cubes); }
MAKE(f32_planes_order1) { return field(ctx, GHZ_F32, SHOCK, 300, 1, planes); }
MAKE(f32_cubes_order3) { return field(ctx, GHZ_F32, SHOCK, 3e6, 3, cubes); }
MAKE(f32_thin) { return field(ctx, GHZ_F32, WAVES, 300, GHZ_ORDER_BEST, (ghz_shape){3, {2, 3, 200}}); }
MAKE(f32_no_bricks) { return field(ctx, GHZ_F32, WAVES, 300, GHZ_ORDER_BEST, (ghz_shape){3, {5, 0, 7}}); }

/* Layers of every kind: coefficients beside Lorenzo residuals, fine, raw and special ones. */
static ref_bytes mixed(ghz_context *ctx, ghz_type type, ghz_shape shape) {
  ref_bytes s[4] = {field(ctx, type, WAVES, 60, GHZ_ORDER_BEST, shape),
                    field(ctx, type, PATCHES, 3e6, 2, shape),
                    field(ctx, type, LAND, 300, GHZ_ORDER_BEST, shape),
                    field(ctx, type, ROUGH, 3e9, GHZ_ORDER_LORENZO, shape)};
  return combine(ctx, 4, s, (int64_t[]){3, -2, 1, 5});
}

MAKE(f32_cubes_mixed) { return mixed(ctx, GHZ_F32, cubes); }
MAKE(f64_planes_mixed) { return mixed(ctx, GHZ_F64, planes); }
MAKE(f32_cubes_many) {
  ref_bytes s = field(ctx, GHZ_F32, PATCHES, 60, GHZ_ORDER_BEST, cubes);
  return combine(ctx, 1, &s, (int64_t[]){-8388607});
}
MAKE(f32_planes_difference) {
  ref_bytes s = field(ctx, GHZ_F32, WAVES, 60, GHZ_ORDER_BEST, planes);
  return subtract(ctx, s, s);
}
MAKE(f64_cubes_scaled) { return scale(ctx, field(ctx, GHZ_F64, WAVES, 60, GHZ_ORDER_BEST, cubes), -1.0 / 3); }

/* ---- Messages ---- */
static ref_bytes message(ref_bytes stream, uint64_t first, uint64_t tiles) {
  ghz_slice slice = slice_of(stream, first, tiles);
  return packed(&slice);
}

/* The middle, with raw tiles and others, and the short end. */
MAKE(f32_message) { return message(plain(ctx, GHZ_F32, 0.5, -1, "specials", 3 * GHZ_TILE + 100, 47), 1, 2); }
MAKE(f64_message_of_sum) {
  ref_bytes s = plain(ctx, GHZ_F64, 0.5, 2, "parabola", 2 * GHZ_TILE + 100, 48);
  return message(combine(ctx, 1, &s, (int64_t[]){5}), 1, 2);
}
MAKE(f64_message_of_fill) { return message(with_fill(ctx, GHZ_F64, -999, "walk", 2100, 54), 1, 2); }
MAKE(f32_message_of_nothing) { return message(plain(ctx, GHZ_F32, 0.5, -1, "walk", 3000, 49), 2, 0); }
MAKE(f32_message_of_cubes) { return message(field(ctx, GHZ_F32, WAVES, 60, GHZ_ORDER_BEST, cubes), 3, 4); }
MAKE(f32_message_inexact) { return message(inexact(ctx, GHZ_F32, 1030), 1, 1); }

/* ---- The table ---- */
#define MADE(name, checksum)                                                                                   \
  { #name, checksum, GHZ_F32, 0, 0, NULL, 0, 0, 0, name }
const golden goldens[] = {
#include "goldens.inc"
};
const size_t golden_count = COUNT(goldens);

ref_bytes golden_make(const golden *g, ghz_context *ctx) {
  if (g->make)
    return g->make(ctx);
  ref_bytes *s = scratch((size_t)g->copies * sizeof *s),
            total = bytes_new(ghz_size_bound(g->n, g->type, (uint32_t)g->copies));
  size_t capacity = total.size;
  for (int i = 0; i < g->copies; i++)
    s[i] = plain(ctx, g->type, g->eb, g->order, g->maker, g->n, g->seed + (uint64_t)i);
  memcpy(total.data, s[0].data, total.size = s[0].size);
  for (int i = 1; i < g->copies; i++)
    need(ghz_accumulate(ctx, total.data, capacity, &total.size, view(s[i])), "accumulate");
  return total;
}

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
