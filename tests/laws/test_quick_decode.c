/* test_quick_decode.c: the quick ways of decoding bricks give the values of the general ones, bit
 * for bit: on fields, sums and crafted tiles of all kinds, and at the limits of their proofs
 * (tile/quick_lorenzo_impl.h, tile/quick_transform_impl.h). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "crafted.h"
#include "fields.h"
#include "reference_parts.h"
#include "support.h"
#include "tile/tile.h"
#include <math.h>

static void *decompress_way(ghz_context *ctx, int quick, ref_bytes stream, ghz_type out) {
  ghz_quick_bricks = quick;
  void *y = decompress(ctx, stream, out);
  ghz_quick_bricks = 1;
  return y;
}

/* That every context decodes a stream to the same values in both ways. */
static void same_either_way(const context_pool *pool, ref_bytes stream, const char *what) {
  ghz_info info = info_of(stream);
  for (ghz_type out = info.lattice.type; out <= GHZ_F64; out++)
    for (size_t i = 0; i < pool->count; i++) {
      SCOPE;
      void *want = decompress_way(pool->ctx[i], 0, stream, out);
      same_values(decompress_way(pool->ctx[i], 1, stream, out), want, (size_t)info.count, out,
                  say("%s, %s, to type %d", what, ghz_context_isa(pool->ctx[i]), (int)out));
    }
}

/* ---- Fields and their sums ---- */
/* Whole bricks, or such that the border cuts. */
static ghz_shape any_shape(uint64_t *state) {
  ghz_shape s = {.dims = 2 + (int)input_below(state, 2), .extent = {1, 0, 0}};
  int cut = input_below(state, 2) != 0;
  if (s.dims == 3)
    s.extent[0] = cut ? 1 + input_below(state, 20) : 16;
  s.extent[1] = cut ? 1 + input_below(state, 40) : 32;
  s.extent[2] = cut ? 1 + input_below(state, 70) : 64;
  return s;
}

/* Of 2 to 8 million steps, as relative bounds of 1e-1 to 1e-6 have. */
Test(quick_decode, fields_and_sums, .timeout = 300) {
  SINGLE_POOL(pool);
  uint64_t state = 21;
  for (int round = 0; round < effort(1500); round++) {
    SCOPE;
    ghz_shape shape = any_shape(&state);
    ghz_lattice l = filled(lattice_abs((ghz_type)input_below(&state, 2), 0.37), input_below(&state, 8));
    int order = input_below(&state, 3) ? GHZ_ORDER_BEST : (int)input_below(&state, 3);
    const char *what = say("round %d, %s, order %d", round, shape_text(&shape), order);
    ref_bytes s[5];
    for (int k = 0; k < 5; k++) {
      double amount = ldexp(1.5 + input_uniform(&state) / 2, (int)input_below(&state, 23));
      void *x =
          field_make((field_kind)input_below(&state, FIELD_KINDS), &l, &shape, amount, input_random(&state));
      s[k] = compress_shape(pool.ctx[0], &l, order, x, &shape);
    }
    same_either_way(&pool, s[0], what);
    same_either_way(&pool, sum(pool.ctx[0], 2 + input_below(&state, 4), s), say("%s, a sum", what));
  }
}

Test(quick_decode, crafted_tiles, .timeout = 300) {
  SINGLE_POOL(pool);
  uint64_t state = 22;
  for (int round = 0; round < effort(1500); round++) {
    SCOPE;
    ghz_shape shape = any_shape(&state);
    ghz_lattice l = lattice_with_fill(&state);
    ref_header h = header_shaped(&l, &shape);
    h.transform = input_below(&state, 3) > 0;
    h.terms = 1 + (uint32_t)(input_below(&state, h.cap == 44 ? 16383 : 8388607) >> input_below(&state, 24));
    crafted_pair pair = crafted_streams(&h, &state);
    same_either_way(&pool, pair.least, say("round %d, %s", round, shape_text(&shape)));
    same_either_way(&pool, pair.loose, say("round %d, %s, loose", round, shape_text(&shape)));
  }
}

/* ---- Tiles at the limits ---- */
static ref_tile *whole_brick(int dims) {
  ref_tile *t = scratch(sizeof *t);
  ref_brick b = ref_brick_of(dims);
  memset(t, 0, sizeof *t);
  t->dims = dims;
  t->z = b.z, t->y = b.y, t->x = b.x;
  t->n = REF_TILE;
  return t;
}

/* A stream of one such tile, in both ways and by the reference, also as a cut one is decoded. */
static void check_tile(const context_pool *pool, const ref_tile *t, const char *what) {
  SCOPE;
  ghz_lattice l = lattice_abs(GHZ_F32, 0.37);
  ghz_shape shape = {t->dims, {(uint64_t)t->z, (uint64_t)t->y, (uint64_t)t->x}};
  ref_header h = header_shaped(&l, &shape);
  h.transform = t->coefficients;
  uint8_t *bytes = scratch(REF_TILE_ROOM);
  uint16_t size = (uint16_t)ref_tile_encode(h.type, t, bytes);
  ref_bytes stream = ref_assemble(&h, &size, bytes);
  same_either_way(pool, stream, what);
  same_decoded(pool, stream, what);
}

/* Residuals of so many bits in one line, the least, the largest or any, at the end of the brick:
 * nothing sums them up further. */
Test(quick_decode, sums_along_x, .timeout = 300) {
  SINGLE_POOL(pool);
  uint64_t state = 23;
  for (int dims = 2; dims <= 3; dims++)
    for (int order = 0; order < ref_orders(dims); order++)
      for (int width = 9; width <= 17; width++)
        for (int kind = 0; kind < 4; kind++) {
          SCOPE;
          ref_tile *t = whole_brick(dims);
          int64_t r[REF_TILE] = {0}, most = INT64_C(1) << (width - 1);
          for (int i = REF_TILE - t->x; i < REF_TILE; i++) {
            int64_t any = (int64_t)input_below(&state, 2 * (uint64_t)most) - most;
            r[i] = kind == 0 ? -most : kind == 1 ? most - 1 : any;
          }
          t->order = order;
          t->turned = dims == 2 && order > 0 && kind == 3;
          ref_integrate(t, r, order ? 5 : 0, 0, 1);
          check_tile(&pool, t, say("%d dims, order %d, width %d, kind %d", dims, order, width, kind));
        }
}

/* Lines of large coefficients, at the frequencies that count most, with odd sums: around what
 * float32 holds and far beyond. */
Test(quick_decode, lines_of_coefficients, .timeout = 300) {
  static const int64_t exact[] = {(1 << 24) / 633, (1 << 24) / 522};
  SINGLE_POOL(pool);
  uint64_t state = 24;
  for (int round = 0; round < effort(60); round++)
    for (int dims = 2; dims <= 3; dims++)
      for (int64_t sum = exact[dims - 2] / 2; sum < 9 * exact[dims - 2]; sum += sum / 3)
        for (int off = -1; off <= 1; off++) {
          SCOPE;
          ref_tile *t = whole_brick(dims);
          int line = t->x * (int)input_below(&state, 4);
          int64_t left = sum > exact[dims - 2] && sum < 3 * exact[dims - 2] / 2 ? exact[dims - 2] + off : sum;
          t->coefficients = 1;
          t->c[0] = (int64_t)input_below(&state, 1 << 20);
          for (int w = t->x - 1; left > 0 && w > 0; w--) {
            int64_t share = left < 32767 ? left : 32767 - (int64_t)input_below(&state, 3);
            t->c[line + w] = input_below(&state, 2) ? share : -share;
            left -= share;
          }
          check_tile(&pool, t, say("%d dims, a line of %lld", dims, (long long)sum));
        }
}

/* First coefficients around 2^28 and far beyond, the others around 16 bits, few or all, and R
 * around them. */
Test(quick_decode, large_coefficients, .timeout = 300) {
  static const int64_t ends[] = {1 << 15, 1 << 16, 1 << 14};
  SINGLE_POOL(pool);
  uint64_t state = 25;
  for (int round = 0; round < effort(4); round++)
    for (int dims = 2; dims <= 3; dims++)
      for (int bits = 26; bits < 34; bits++)
        for (int off = -1; off <= 1; off++)
          for (size_t end = 0; end < COUNT(ends); end++) {
            SCOPE;
            ref_tile *t = whole_brick(dims);
            t->coefficients = 1;
            t->c[0] = (input_below(&state, 2) ? 1 : -1) * ((INT64_C(1) << bits) + off);
            for (int i = 1; i < REF_TILE; i += round % 2 ? 1 : 1 + (int)input_below(&state, 60))
              t->c[i] =
                  round % 2 ? input_below(&state, 2) ? 32767 : -32768 : (int64_t)input_below(&state, 60) - 30;
            t->c[1 + input_below(&state, REF_TILE - 1)] = ends[end] - 1 - (int64_t)input_below(&state, 2);
            t->c[1 + input_below(&state, REF_TILE - 1)] = -ends[end] + (int64_t)input_below(&state, 2);
            t->q[input_below(&state, REF_TILE)] =
                ends[input_below(&state, 3)] - (int64_t)input_below(&state, 2);
            t->q[input_below(&state, REF_TILE)] = -ends[input_below(&state, 3)];
            check_tile(&pool, t, say("%d dims, 2^%d %+d, %lld", dims, bits, off, (long long)ends[end]));
          }
}
