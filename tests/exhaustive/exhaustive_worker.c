/* exhaustive_worker.c: one array through every instruction set: equal bytes, equal values, and the
 * check of each tile. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/slice.h>

#include "common.h"
#include "exhaustive.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ISAS = 4 };

struct worker {
  ghz_context *ctx[ISAS];
  size_t isas, room;
  uint8_t *fresh, *stream[2]; /* [0] of the first instruction set, [1] of another */
  uint8_t *y[2];
  double *z[2];
};

/* The fastest first: its results are the ones that are checked value by value. */
static void open_contexts(worker *w) {
  static const char *const names[ISAS] = {"avx512", "avx2", "neon", "scalar"};
  for (int i = 0; i < ISAS; i++) {
    setenv("GHZ_ISA", names[i], 1);
    if (ghz_context_create(&w->ctx[w->isas], 1) == GHZ_OK)
      w->isas++;
    unsetenv("GHZ_ISA");
  }
}

worker *worker_new(size_t most) {
  worker *w = scratch(sizeof *w);
  memset(w, 0, sizeof *w);
  w->room = ghz_size_bound(most, GHZ_F64, 1);
  open_contexts(w);
  w->fresh = scratch(w->room);
  for (int i = 0; i < 2; i++) {
    w->stream[i] = scratch(w->room);
    w->y[i] = scratch(8 * most);
    w->z[i] = scratch(8 * most);
  }
  return w;
}

void worker_free(worker *w) {
  for (size_t i = 0; i < w->isas; i++)
    ghz_context_free(w->ctx[i]);
}

size_t worker_isas(const worker *w) { return w->isas; }
const char *worker_isa(const worker *w, size_t i) { return ghz_context_isa(w->ctx[i]); }

/* ---- Calls ---- */
static int failed(const subject *s, ghz_context *ctx, const char *call, ghz_status status) {
  fprintf(stderr, "%s: %s on %s: %s (%s)\n", s->name, call, ghz_context_isa(ctx), ghz_status_text(status),
          ghz_context_message(ctx));
  return 0;
}

/* Compresses and scales to stream[to]; returns its size, 0 on failure. */
static size_t make_stream(worker *w, size_t isa, int to, const subject *s, int order, const void *x, size_t n) {
  ghz_context *ctx = w->ctx[isa];
  uint8_t *dst = s->factor == 1 ? w->stream[to] : w->fresh;
  size_t size = 0;
  ghz_status status = ghz_compress(ctx, &s->lattice, order, x, n, dst, w->room, &size);
  if (status != GHZ_OK)
    return (size_t)failed(s, ctx, "compress", status);
  if (s->factor == 1)
    return size;
  ghz_bytes fresh = {w->fresh, size};
  status = ghz_scale(ctx, fresh, s->factor, w->stream[to], w->room, &size);
  return status == GHZ_OK ? size : (size_t)failed(s, ctx, "scale", status);
}

static int read_values(worker *w, size_t isa, int to, const subject *s, ghz_bytes stream, size_t n) {
  ghz_context *ctx = w->ctx[isa];
  ghz_status status = ghz_decompress(ctx, stream, s->lattice.type, w->y[to], n);
  if (status == GHZ_OK)
    status = ghz_decompress(ctx, stream, GHZ_F64, w->z[to], n);
  return status == GHZ_OK || failed(s, ctx, "decompress", status);
}

/* Another instruction set must make the same bytes of x, and the same values of them. */
static int same_on(worker *w, size_t isa, const subject *s, int order, const void *x, size_t n, size_t size) {
  size_t own = make_stream(w, isa, 1, s, order, x, n);
  if (own != size || memcmp(w->stream[0], w->stream[1], size) != 0) {
    fprintf(stderr, "%s: %s and %s write different bytes\n", s->name, worker_isa(w, isa), worker_isa(w, 0));
    return 0;
  }
  ghz_bytes stream = {w->stream[1], size};
  if (!read_values(w, isa, 1, s, stream, n))
    return 0;
  if (memcmp(w->y[0], w->y[1], n * ghz_type_size(s->lattice.type)) != 0 ||
      memcmp(w->z[0], w->z[1], 8 * n) != 0) {
    fprintf(stderr, "%s: %s and %s read different values\n", s->name, worker_isa(w, isa), worker_isa(w, 0));
    return 0;
  }
  return 1;
}

/* ---- Against the reference ---- */
static int as_reference(worker *w, const subject *s, int order, const void *x, size_t n, size_t size) {
  SCOPE;
  const ghz_lattice *l = &s->lattice;
  ref_header header = header_for(l, n);
  ref_bytes want = ref_compress(&header, order, x);
  if (s->factor != 1)
    want = ref_scale(want, s->factor);
  int same = want.size == size && memcmp(want.data, w->stream[0], size) == 0;
  ref_decode(want.data, (int)l->type, w->y[1]);
  ref_decode(want.data, REF_F64, w->z[1]);
  int equal = memcmp(w->y[0], w->y[1], n * ghz_type_size(l->type)) == 0 && memcmp(w->z[0], w->z[1], 8 * n) == 0;
  if (!same || !equal)
    fprintf(stderr, "%s: %s of the reference codec differ\n", s->name, same ? "values" : "bytes");
  return same && equal;
}

/* ---- All of it ---- */
static int tiles_kept(worker *w, const subject *s, ghz_bytes stream, const void *x, size_t n, tally *seen) {
  size_t each = ghz_type_size(s->lattice.type), tiles = (n + GHZ_TILE - 1) / GHZ_TILE;
  uint64_t outside = seen->tiles[OUTSIDE];
  ghz_info info;
  ghz_slice all;
  if (ghz_info_read(stream, &info) != GHZ_OK || ghz_slice_view(stream, 0, tiles, &all) != GHZ_OK) {
    fprintf(stderr, "%s: a stream of the library's own is refused\n", s->name);
    return 0;
  }
  const uint8_t *sizes = all.sizes;
  for (size_t t = 0; t < tiles; t++) {
    size_t first = t * GHZ_TILE, m = n - first < GHZ_TILE ? n - first : GHZ_TILE;
    size_t size = sizes[2 * t] + 256u * sizes[2 * t + 1];
    round_trip trip = {(const char *)x + each * first, w->y[0] + each * first, w->z[0] + first, (int)m,
                       s->factor == 1 && size == 1 + each * m};
    if (!tile_kept(s, info.lattice.eb, &trip, seen))
      return 0;
  }
  /* Empty tiles are tiles outside a lattice without steps, but nothing is added there. */
  int inexact = s->factor != 1 && seen->tiles[OUTSIDE] > outside;
  if (info.inexact != inexact || info.terms != 1)
    fprintf(stderr, "%s: inexact is %d, should be %d; terms %u\n", s->name, info.inexact, inexact, info.terms);
  return info.inexact == inexact && info.terms == 1;
}

int examine(worker *w, const subject *s, int order, const void *x, size_t n, int with_reference, tally *seen) {
  if (w->isas == 0)
    return 0;
  size_t size = make_stream(w, 0, 0, s, order, x, n);
  ghz_bytes stream = {w->stream[0], size};
  if (size == 0 || !read_values(w, 0, 0, s, stream, n))
    return 0;
  for (size_t isa = 1; isa < w->isas; isa++)
    if (!same_on(w, isa, s, order, x, n, size))
      return 0;
  return (!with_reference || as_reference(w, s, order, x, n, size)) && tiles_kept(w, s, stream, x, n, seen);
}
