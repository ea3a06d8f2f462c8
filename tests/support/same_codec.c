/* same_codec.c: holds the library against the reference codec, array by array. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "support.h"

void same_decoded(ghz_context *ctx, ref_bytes stream, const char *what) {
  ref_header h = ref_header_read(stream.data);
  for (int out = h.type; out <= GHZ_F64; out++) {
    SCOPE;
    void *want = scratch((size_t)h.n * ghz_type_size((ghz_type)out));
    ref_decode(stream.data, out, want);
    same_values(decompress(ctx, stream, (ghz_type)out), want, (size_t)h.n, (ghz_type)out,
                say("%s, decoded to type %d", what, out));
  }
  if (!h.integers || h.terms != 1)
    return;
  SCOPE;
  void *want = scratch((size_t)h.n * 8);
  ref_decode(stream.data, h.integers, want);
  same_values(decompress(ctx, stream, (ghz_type)h.integers), want, (size_t)h.n, (ghz_type)h.integers, what);
}

static void check_bound(ref_bytes stream, const ghz_lattice *l, ghz_type out, const void *x, const char *what) {
  SCOPE;
  ref_header h = ref_header_read(stream.data);
  void *y = scratch((size_t)h.n * ref_any_size((int)out));
  ref_decode(stream.data, (int)out, y);
  for (size_t i = 0; i < h.n; i++)
    if (!kept_on(l, x, out, y, i)) /* Criterion takes longer to count an assertion than this takes */
      cr_assert_fail("%s: value %zu is %a, comes back as %a", what, i, value_at(l->type, x, i),
                     value_at(out, y, i));
}

void same_codec(const context_pool *pool, const ghz_lattice *l, const ghz_shape *shape, int order,
                const void *x, const char *name) {
  SCOPE;
  ref_header header = header_shaped(l, shape);
  ref_bytes want = ref_compress(&header, order, x);
  const char *what = say("%s, %s, type %d, order %d", name, shape_text(shape), (int)l->type, order);
  cr_assert_eq(ref_check(want.data, want.size), REF_GOOD, "%s", what);
  check_bound(want, l, l->type, x, what);
  if (l->type == GHZ_F32)
    check_bound(want, l, GHZ_F64, x, what);
  for (size_t c = 0; c < pool->count; c++) {
    SCOPE;
    const char *which =
        say("%s, %s, %d threads", what, ghz_context_isa(pool->ctx[c]), ghz_context_threads(pool->ctx[c]));
    same_bytes(compress_shape(pool->ctx[c], l, order, x, shape), want, which);
    same_decoded(pool->ctx[c], want, which);
  }
}
