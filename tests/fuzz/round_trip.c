/* round_trip.c: fuzzer: any values, any bound, any order: law L1. Every finite value comes back
 * within the bound, exactly computed; NaN and infinities come back; the bytes are those of the
 * reference, from every instruction set. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "arrays.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_decoded(ghz_bytes s, const ghz_lattice *l, const void *x, size_t n, ghz_type out) {
  for (size_t i = 0; i < fuzz_contexts(); i++) {
    ghz_status status;
    void *y = fuzz_decode(fuzz_context(i), s, out, n, &status);
    MUST(status == GHZ_OK, "decompress: %d", (int)status);
    for (size_t k = 0; k < n; k++)
      MUST(kept(l->type, x, out, y, k, l->eb), "value %zu: %a comes back as %a, bound %a", k,
           value_at(l->type, x, k), value_at(out, y, k), l->eb);
  }
}

/* Bounds that are relative or in dB need the range of the finite values; width 0 is a constant. */
static void use_range(choices *c, ghz_lattice *l, const void *x, size_t n) {
  double min = 0, max = 0, value = fabs(choose_double(c));
  ghz_bound_kind kind = choose_below(c, 2) ? GHZ_REL : GHZ_PSNR;
  for (size_t i = 0; i < fuzz_contexts(); i++) {
    double own_min, own_max;
    MUST(ghz_range(fuzz_context(i), l->type, x, n, &own_min, &own_max) == GHZ_OK, "range");
    MUST(i == 0 || (own_min == min && own_max == max), "another range");
    min = own_min;
    max = own_max;
  }
  for (size_t i = 0; i < n; i++) {
    double v = value_at(l->type, x, i);
    MUST(!isfinite(v) || (v >= min && v <= max), "value %zu, %a, is not in %a .. %a", i, v, min, max);
  }
  int cap = l->cap;
  int zeros = min == 0 && max == 0;
  if (ghz_lattice_make(l->type, (ghz_bound){kind, value}, zeros ? INFINITY : min, zeros ? -INFINITY : max, l) !=
      GHZ_OK)
    MUST(!(value > 0) || isinf(value), "no lattice for %a of %a .. %a", value, min, max);
  l->cap = cap;
}

/* A message of any tiles is the same part of the stream. */
static void check_slice(choices *c, const ghz_lattice *l, int order, const void *x, const ghz_shape *shape,
                        ghz_bytes s) {
  uint64_t all = ghz_shape_tiles(shape), first = choose_below(c, all + 1),
           tiles = choose_below(c, all - first + 1);
  ghz_slice part, cut;
  MUST(ghz_slice_view(s, first, tiles, &cut) == GHZ_OK, "view");
  size_t room = ghz_slice_bound(shape, tiles, l->type, 1), size = ghz_slice_size(&cut), packed;
  uint8_t *got = scratch(room), *want = scratch(size);
  ghz_context *ctx = fuzz_context(fuzz_contexts() - 1);
  ghz_status status = ghz_slice_compress_shape(ctx, l, order, x, shape, first, tiles, got, room, &part);
  MUST(status == GHZ_OK, "slice_compress: %d", (int)status);
  MUST(ghz_slice_pack(&cut, want, size, &packed) == GHZ_OK, "pack");
  must_equal(got, ghz_slice_size(&part), want, packed, "a message");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SCOPE;
  choices c = {data, size};
  ghz_lattice l = choose_lattice(&c);
  ghz_shape shape = choose_shape(&c);
  size_t n = (size_t)ghz_shape_count(&shape);
  int order = choose_order(&c, &shape);
  unsigned how = (unsigned)choose(&c, 1);
  void *x = choose_values(&c, &l, &shape);
  if (how & 1)
    use_range(&c, &l, x, n);
  ref_bytes stream = compress_everywhere(&l, order, x, &shape);
  ghz_bytes s = {stream.data, stream.size};
  MUST(honest(s), "the stream is not what an encoder makes");
  check_decoded(s, &l, x, n, l.type);
  if (l.type == GHZ_F32)
    check_decoded(s, &l, x, n, GHZ_F64);
  check_slice(&c, &l, order, x, &shape, s);
  return 0;
}
