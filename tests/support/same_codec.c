/* same_codec.c: holds the library against the reference codec, array by array. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "support.h"
#include "tile/tile.h"

/* Bricks have quick ways and general ones, which give the same: of two contexts one takes these,
 * the other those. */
static void choose_way(size_t context) {
  static uint64_t state = 1, first;
  if (context == 0)
    first = input_below(&state, 2);
  ghz_quick_bricks = (int)((context + first) % 2);
}

/* Every context decodes a stream to the values of the reference in a type; these are within the
 * bound of x, if it is given. */
static void decoded(const context_pool *pool, ref_bytes stream, ghz_type out, const ghz_lattice *l,
                    const void *x, const char *what) {
  SCOPE;
  const size_t n = (size_t)ref_header_read(stream.data).n;
  void *want = scratch(n * ref_any_size((int)out));
  ref_decode(stream.data, (int)out, want);
  for (size_t i = 0; x && i < n; i++)
    if (!kept_on(l, x, out, want, i)) /* an assertion takes longer than this */
      cr_assert_fail("%s: value %zu is %a, comes back as %a", what, i, value_at(l->type, x, i),
                     value_at(out, want, i));
  for (size_t c = 0; c < pool->count; c++) {
    SCOPE;
    choose_way(c);
    same_values(decompress(pool->ctx[c], stream, out), want, n, out,
                say("%s, to type %d by %s, %d threads", what, (int)out, ghz_context_isa(pool->ctx[c]),
                    ghz_context_threads(pool->ctx[c])));
  }
  ghz_quick_bricks = 1;
}

/* The same in every type. */
static void decoded_to_all(const context_pool *pool, ref_bytes stream, const ghz_lattice *l, const void *x,
                           const char *what) {
  ref_header h = ref_header_read(stream.data);
  for (int out = h.type; out <= GHZ_F64; out++)
    decoded(pool, stream, (ghz_type)out, l, x, what);
  if (h.integers && h.terms == 1)
    decoded(pool, stream, (ghz_type)h.integers, l, x, what);
}

void same_decoded(const context_pool *pool, ref_bytes stream, const char *what) {
  decoded_to_all(pool, stream, NULL, NULL, what);
}

ref_bytes same_codec(const context_pool *pool, const ghz_lattice *l, const ghz_shape *shape, int order,
                     const void *x, const char *name) {
  ref_header header = header_shaped(l, shape);
  ref_bytes want = ref_compress(&header, order, x);
  const char *what = say("%s, %s, type %d, order %d", name, shape_text(shape), (int)l->type, order);
  cr_assert_eq(ref_check(want.data, want.size), REF_GOOD, "%s", what);
  for (size_t c = 0; c < pool->count; c++) {
    SCOPE;
    choose_way(c);
    same_bytes(
        compress_shape(pool->ctx[c], l, order, x, shape), want,
        say("%s, %s, %d threads", what, ghz_context_isa(pool->ctx[c]), ghz_context_threads(pool->ctx[c])));
  }
  ghz_quick_bricks = 1;
  decoded_to_all(pool, want, l, x, what);
  return want;
}
