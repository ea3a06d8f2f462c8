/* test_boxes.c: parts of arrays with a shape; shapes that are none, and the one that is chosen for
 * an array. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "support.h"
#include <string.h>

/* ---- Parts ---- */
/* Values of a box of an array, one after the other. */
static void *cut(const ghz_shape *shape, const void *x, size_t each, const uint64_t origin[3],
                 const uint64_t extent[3]) {
  uint8_t *box = scratch((size_t)(extent[0] * extent[1] * extent[2]) * each), *to = box;
  for (uint64_t z = 0; z < extent[0]; z++)
    for (uint64_t y = 0; y < extent[1]; y++)
      for (uint64_t i = 0; i < extent[2]; i++, to += each) {
        uint64_t from = ((origin[0] + z) * shape->extent[1] + origin[1] + y) * shape->extent[2] + origin[2] + i;
        memcpy(to, (const uint8_t *)x + from * each, each);
      }
  return box;
}

Test(boxes, of_values, .timeout = 600) {
  POOL(pool);
  uint64_t state = 4;
  const ghz_shape flat = ghz_flat(40000); /* several chunks */
  for (size_t s = 0; s <= field_shape_count; s++) {
    SCOPE;
    const ghz_shape *shape = s < field_shape_count ? &field_shapes[s] : &flat;
    ghz_lattice l = lattice_abs((ghz_type)(s % 2), 0.37);
    void *x = field_make(LAND, &l, shape, 300, s);
    for (uint64_t i = 0; i < ghz_shape_count(shape) / 2; i++) /* tiles of one value */
      put_value(l.type, x, (size_t)i, 273.15);
    ref_bytes stream = compress_shape(pool.ctx[0], &l, GHZ_ORDER_BEST, x, shape);
    for (int out = (int)l.type; out <= GHZ_F64; out++) {
      const void *whole = decompress(pool.ctx[0], stream, (ghz_type)out);
      size_t each = ghz_type_size((ghz_type)out);
      for (int round = 0; round < (shape == &flat ? 400 : 40); round++) {
        SCOPE;
        uint64_t origin[3], extent[3];
        for (int i = 0; i < 3; i++) {
          origin[i] = input_below(&state, shape->extent[i] + 1);
          extent[i] =
              round == 0 ? shape->extent[i] - origin[i] : input_below(&state, shape->extent[i] - origin[i] + 1);
        }
        if (shape == &flat && round % 2) /* at the ends of tiles and chunks */
          origin[2] -= origin[2] % GHZ_TILE, extent[2] -= extent[2] % GHZ_TILE;
        size_t count = (size_t)(extent[0] * extent[1] * extent[2]);
        void *got = scratch(count * each);
        ghz_context *ctx = context_any(&pool, &state);
        succeeded(ghz_decompress_box(ctx, view(stream), (ghz_type)out, origin, extent, got), ctx, "box");
        same_values(got, cut(shape, whole, each, origin, extent), count, (ghz_type)out, shape_text(shape));
        if (shape->dims == 1 && count) {
          succeeded(ghz_decompress_range(ctx, view(stream), (ghz_type)out, origin[2], count, got), ctx,
                    "range");
          same_values(got, cut(shape, whole, each, origin, extent), count, (ghz_type)out, "a range");
        }
        extent[round % 3] = shape->extent[round % 3] - origin[round % 3] + 1;
        cr_assert_eq(ghz_decompress_box(ctx, view(stream), (ghz_type)out, origin, extent, got), GHZ_EINVAL);
      }
    }
  }
}

/* ---- Mistakes ---- */
Test(boxes, that_are_none) {
  CONTEXT(ctx, NULL, 1);
  static const ghz_shape bad[] = {{0, {1, 1, 1}}, {4, {1, 1, 1}},          {1, {2, 1, 1}},
                                  {1, {1, 0, 1}}, {3, {1ull << 63, 2, 1}}, {2, {1ull << 32, 1ull << 31, 2}},
                                  {-1, {1, 1, 1}}};
  ghz_lattice l = lattice_abs(GHZ_F32, 0.37);
  float x[16] = {0};
  uint8_t dst[4096];
  size_t size;
  for (size_t i = 0; i < COUNT(bad); i++) {
    cr_assert_eq(ghz_compress_shape(ctx, &l, -1, x, &bad[i], dst, sizeof dst, &size), GHZ_EINVAL, "shape %zu",
                 i);
    cr_assert(ghz_shape_count(&bad[i]) == 0 && ghz_shape_tiles(&bad[i]) == 0 &&
              ghz_shape_bound(&bad[i], GHZ_F32, 1) == 0);
  }
  cr_assert_eq(ghz_compress_shape(ctx, &l, 3, x, &(ghz_shape){2, {1, 4, 4}}, dst, sizeof dst, &size),
               GHZ_EINVAL);
  cr_assert_eq(ghz_compress_shape(ctx, &l, 3, x, &(ghz_shape){3, {1, 4, 4}}, dst, sizeof dst, &size), GHZ_OK);
  cr_assert_eq(ghz_compress_shape(ctx, &l, -1, NULL, &(ghz_shape){3, {1ull << 40, 0, 1ull << 40}}, dst,
                                  sizeof dst, &size),
               GHZ_OK, "no values at all");
  float one;
  cr_assert_eq(ghz_decompress_range(ctx, (ghz_bytes){dst, size}, GHZ_F32, 0, 1, &one), GHZ_EINVAL);
}

/* The choice of a shape by the extents of an array. */
Test(boxes, chosen) {
  static const struct {
    size_t rank;
    uint64_t of[5];
    ghz_shape want;
  } cases[] = {{1, {5000}, {1, {1, 1, 5000}}},
               {2, {16, 16}, {2, {1, 16, 16}}},
               {2, {15, 500}, {1, {1, 1, 7500}}},
               {3, {8, 8, 16}, {3, {8, 8, 16}}},
               {3, {7, 16, 16}, {2, {7, 16, 16}}},
               {3, {7, 8, 16}, {2, {1, 56, 16}}},
               {4, {2, 4, 8, 16}, {3, {8, 8, 16}}},
               {5, {3, 2, 1, 20, 30}, {2, {6, 20, 30}}},
               {3, {1601, 401, 1}, {2, {1, 1601, 401}}},
               {5, {1, 64, 1, 64, 64}, {3, {64, 64, 64}}},
               {4, {64, 64, 1, 64}, {3, {64, 64, 64}}},
               {4, {20, 64, 64, 3}, {3, {20, 64, 192}}},
               {3, {100, 200, 2}, {2, {1, 100, 400}}},
               {4, {64, 64, 4, 64}, {3, {64, 256, 64}}},
               {5, {9, 9, 9, 3, 3}, {3, {9, 9, 81}}},
               {3, {5, 3, 1000}, {1, {1, 1, 15000}}},
               {3, {5, 10, 1000}, {2, {1, 50, 1000}}},
               {2, {32768, 8}, {1, {1, 1, 262144}}},
               {3, {1, 1, 1}, {1, {1, 1, 1}}},
               {3, {0, 64, 64}, {1, {1, 1, 0}}},
               {4, {0, 1ull << 60, 1ull << 60, 64}, {1, {1, 1, 0}}}};
  ghz_shape got;
  for (size_t i = 0; i < COUNT(cases); i++) {
    cr_assert_eq(ghz_shape_make(cases[i].rank, cases[i].of, &got), GHZ_OK);
    cr_assert(got.dims == cases[i].want.dims &&
                  memcmp(got.extent, cases[i].want.extent, sizeof got.extent) == 0,
              "case %zu: %s", i, shape_text(&got));
  }
  cr_assert_eq(ghz_shape_make(0, cases[0].of, &got), GHZ_EINVAL);
  cr_assert_eq(ghz_shape_make(3, (uint64_t[]){1ull << 32, 1ull << 31, 2}, &got), GHZ_EINVAL);
}
