/* test_inspect.c: what is found without decompressing: the range of values; what a stream says, how
 * its tiles are coded, its extremes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "quad.h"
#include "support.h"
#include <math.h>

SUITE_WITH_CONTEXT(inspect);

/* The least and largest finite value that is not missing. */
static void range_of(const ghz_lattice *l, const void *x, size_t n, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (size_t i = 0; i < n; i++) {
    double v = value_at(l->type, x, i);
    if (!isfinite(v) || (l->has_fill && v == l->fill))
      continue;
    *low = fmin(*low, v);
    *high = fmax(*high, v);
  }
}

/* ---- Of values ---- */
Test(inspect, ranges) {
  const float x[1] = {1e20f};
  double min, max;
  cr_assert_eq(ghz_range(ctx, GHZ_F32, x, 0, &min, &max), GHZ_OK);
  cr_assert(min == INFINITY && max == -INFINITY);
  cr_assert_eq(ghz_range(ctx, GHZ_F32, NULL, 0, &min, &max), GHZ_OK);
  cr_assert_eq(ghz_range(ctx, GHZ_F32, NULL, 1, &min, &max), GHZ_EINVAL);
  cr_assert_eq(ghz_range(ctx, (ghz_type)9, x, 1, &min, &max), GHZ_EINVAL);
  cr_assert_eq(ghz_range(ctx, GHZ_F32, x, 1, NULL, &max), GHZ_EINVAL);
  cr_assert_eq(ghz_range_without(ctx, GHZ_F32, x, 1, (double)1e20f, &min, &max), GHZ_OK);
  cr_assert(min == INFINITY && max == -INFINITY, "nothing but fill");
  cr_assert_eq(ghz_range_without(ctx, GHZ_F32, x, 1, 1e20, &min, &max), GHZ_EINVAL);
  cr_assert_eq(ghz_range_without(ctx, GHZ_F32, x, 1, NAN, &min, &max), GHZ_EINVAL);
  cr_assert_eq(ghz_range_without(ctx, GHZ_F32, NULL, 1, 0, &min, &max), GHZ_EINVAL);
}

Test(inspect, ranges_of_every_input) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t in = 0; in < input_count; in++)
      for (size_t n = 1; n < 70000; n = 3 * n + 1) {
        SCOPE;
        const ghz_lattice l = lattice_filled((ghz_type)type, 1, in + n);
        void *x = input_make(&inputs[in], l.type, n, 1, in);
        double low, high, min, max;
        plant_fill(&l, x, n, in);
        range_of(&l, x, n, &low, &high);
        succeeded(l.has_fill ? ghz_range_without(ctx, l.type, x, n, l.fill, &min, &max)
                             : ghz_range(ctx, l.type, x, n, &min, &max),
                  ctx, "range");
        cr_assert(min == low && max == high, "%s, type %d, n %zu", inputs[in].name, type, n);
      }
}

/* ---- Of streams ---- */
Test(inspect, info) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    ref_bytes s = stream_by(ctx, "mixture", (ghz_type)type, 5000, 1), three[3] = {s, s, s},
              total = sum(ctx, 3, three);
    ghz_info info = info_of(total);
    ghz_lattice l = lattice_abs((ghz_type)type, 0.01);
    cr_assert(info.lattice.type == l.type && info.lattice.cap == l.cap && info.lattice.step == l.step &&
              info.lattice.eb == l.eb);
    cr_assert(info.count == 5000 && info.tiles == 5 && info.terms == 3 && info.bytes == total.size);
    cr_assert_eq(info.inexact, ref_header_read(total.data).inexact);
    if (!info.inexact)
      cr_assert((quad)info.bound >= (quad)3 * l.eb && info.bound <= nextafter(3 * l.eb, 1));
    else
      cr_assert_eq(info.bound, INFINITY);
  }
  ghz_info info;
  ghz_bytes nothing = {NULL, 0};
  cr_assert_neq(ghz_info_read(nothing, &info), GHZ_OK);
  ref_bytes s = stream_by(ctx, "walk", GHZ_F32, 10, 1);
  cr_assert_eq(ghz_info_read(view(s), NULL), GHZ_EINVAL);
}

static void count_tile(const uint8_t *data, size_t size, size_t each, ghz_statistics *want) {
  if (size == 0) {
    want->empty++;
    return;
  }
  if (data[0] == 0x18) {
    want->raw++;
    return;
  }
  if (data[0] == 0x38) {
    want->constant++;
    want->specials += size > 2 + each && (data[1 + each] & 4) && (data[2 + each] & 0x40);
    return;
  }
  want->order[data[0] & 3]++;
  want->mode[(data[0] >> 3) & 3]++;
  want->specials += (data[0] & 4) && (data[1] & 0x40);
}

Test(inspect, scan) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    ref_bytes s = stream_by(ctx, "mixture", (ghz_type)type, 200500, 5);
    ref_header h = ref_header_read(s.data);
    ghz_statistics got, want = {0};
    for (uint64_t t = 0; t < ref_tiles(h.n); t++) {
      size_t size;
      const uint8_t *data = ref_tile_at(s.data, t, &size);
      count_tile(data, size, ghz_type_size((ghz_type)type), &want);
    }
    succeeded(ghz_scan(ctx, view(s), &got), ctx, "scan");
    cr_assert(got.raw == want.raw && got.specials == want.specials && got.constant == want.constant);
    for (int i = 0; i < 3; i++)
      cr_assert(got.mode[i] == want.mode[i] || got.mode[i] == want.mode[i] + want.empty, "mode %d", i);
    for (int i = 0; i < 3; i++)
      cr_assert(got.order[i] == want.order[i] || got.order[i] == want.order[i] + want.empty, "order %d", i);
    cr_assert_eq(got.empty, want.empty);
  }
}

Test(inspect, extrema) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t in = 0; in < input_count; in++) {
      SCOPE;
      const ghz_lattice l = lattice_filled((ghz_type)type, 0.01, in);
      ref_bytes s = stream_of(ctx, &l, GHZ_ORDER_BEST, inputs[in].name, 20000, 5), twice = add(ctx, s, s);
      for (int which = 0; which < 2; which++) {
        double low, high, min, max;
        range_of(&l, decompress(ctx, which ? twice : s, l.type), 20000, &low, &high);
        succeeded(ghz_extrema(ctx, view(which ? twice : s), &min, &max), ctx, "extrema");
        cr_assert(min == low && max == high, "%s, type %d: %a %a, should be %a %a", inputs[in].name, type, min,
                  max, low, high);
      }
    }
}
