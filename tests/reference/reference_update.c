/* reference_update.c: streams of arrays that changed in places, by the reference codec. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"
#include "reference_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The lattice ---- */
static int usual(const ref_header *h) { return h->step != 0 && h->step <= 2 * h->eb; }

static int is_fresh(const ref_header *h) {
  double least = h->type == REF_F32 ? 0x1p-120 : 0x1p-1000;
  return h->step >= least && h->step <= 1 / least && (h->type == REF_F64 || (double)(float)h->step == h->step);
}

static void choose_step(const ref_header *old, const ref_header *asked, ref_header *h) {
  h->step = asked->step;
  h->eb = asked->eb;
  if (!usual(old) || !usual(asked) || !is_fresh(old))
    return;
  ref_header nested = *old;
  for (; nested.eb > asked->eb; nested.eb /= 2)
    nested.step /= 2;
  for (; 2 * nested.eb <= asked->eb; nested.eb *= 2)
    nested.step *= 2;
  if (is_fresh(&nested)) {
    h->step = nested.step;
    h->eb = nested.eb;
  }
}

/* ---- Tiles ---- */
typedef struct change {
  const ref_header *was, *h;
  ref_tile old, now;
  int stays[REF_TILE]; /* finite, not missing, and as before */
  int any, all;        /* one of them stays; all bits are as before */
} change;

static void compare(change *c) {
  c->any = 0;
  c->all = 1;
  for (int i = 0; i < REF_TILE; i++)
    if (ref_inside(&c->now, i)) {
      int same = ref_tile_decode(c->was, &c->old, i, c->was->type) == c->now.bits[i];
      c->stays[i] =
          same && isfinite(ref_value(c->h->type, c->now.bits[i])) && !ref_missing(c->h, c->now.bits[i]);
      c->any |= c->stays[i];
      c->all &= same;
    }
}

/* Values that stay and were no integers go to whole steps, unless these are smaller than before. */
static void move(change *c) {
  double step = c->h->step;
  if (!usual(c->was) || !usual(c->h) || c->was->step > step)
    return;
  for (int i = 0; i < REF_TILE; i++)
    if (ref_inside(&c->now, i) && c->stays[i]) {
      double v = ref_value(c->h->type, c->now.bits[i]);
      if (fabs(v) <= ref_coarse_limit(c->h) && (c->h->type == REF_F64 || fabs(v) < 0x1p127))
        c->now.bits[i] = ref_bits(c->h->type, (rint(v / step) + 0.0) * step);
    }
}

/* Whether float64 transforms them without rounding, by what their widths allow. */
static int small_coefficients(const ref_tile *t) {
  int64_t r[REF_TILE];
  uint64_t sum = 0;
  int largest = 0;
  for (int u = 0; u < REF_TILE; u++)
    r[ref_column_of(t->dims, u)] = t->c[u];
  int64_t first = r[0];
  r[0] = 0;
  for (int b = 0; b < REF_BLOCKS; b++) {
    int width = 0;
    for (int i = 8 * b; i < 8 * b + 8; i++)
      width = ref_width(r[i]) > width ? ref_width(r[i]) : width;
    largest = width > largest ? width : largest;
    sum += width ? (uint64_t)8 << (width - 1) : 0;
  }
  return llabs(first) <= (int64_t)1 << 28 && (largest <= 16 || sum < (uint64_t)1 << 25);
}

/* The tile with the coefficients that it had, in out; 0 if they do not serve. */
static size_t with_old(const change *c, const ref_tile *now, uint8_t *out) {
  ref_tile t = *now;
  if (!ref_tile_quantise(c->h, &t) || t.mode != REF_COARSE || ref_largest(c->h, &t) > 0x1p18 * c->h->step ||
      c->old.mode != REF_COARSE || !small_coefficients(&c->old))
    return 0;
  memcpy(t.c, c->old.c, sizeof t.c);
  return ref_tile_leave(c->h, &t) < 32767 ? ref_tile_encode(c->h->type, &t, out) : 0;
}

/* Fine where it was and would now be coarse: odd multiples of half a step stay. */
static size_t fine(const change *c, const ref_tile *now, size_t raw, size_t size, uint8_t *out) {
  ref_tile t = *now;
  int coarse = size == 0 || (out[0] >> 3 & 3) == REF_COARSE;
  if (!coarse || c->h->type != REF_F32 || c->old.mode == REF_COARSE || c->was->step != c->h->step)
    return size;
  ref_tile_quantise_in(c->h, REF_FINE, &t);
  ref_tile_choose_order(c->h, &t, REF_LORENZO);
  size = ref_tile_encode(REF_F32, &t, out);
  t.raw = size >= raw;
  return t.raw ? ref_tile_encode(REF_F32, &t, out) : size;
}

static size_t encode_change(change *c, uint8_t *out) {
  uint8_t other[REF_TILE_ROOM];
  const ref_tile now = c->now;
  size_t raw = 1 + ref_value_size(c->h->type) * (size_t)now.n;
  if (c->old.raw || c->old.one || c->old.coefficients)
    move(c);
  size_t size = ref_tile_compress(c->h, REF_LORENZO, &c->now, out);
  if (!c->old.raw && !c->old.one && !c->old.coefficients && usual(c->h))
    return fine(c, &now, raw, size, out);
  if (!c->old.coefficients || c->was->step != c->h->step)
    return size;
  size_t with = with_old(c, &now, other);
  if (!with || 7 * with >= 8 * size || with >= raw)
    return size;
  memcpy(out, other, with);
  return with;
}

ref_bytes ref_update(ref_bytes old, const ref_header *asked, const void *x) {
  ref_header was = ref_header_read(old.data), h = was;
  choose_step(&was, asked, &h);
  uint64_t tiles = ref_tile_total(&h);
  size_t used = 0;
  uint16_t *sizes = scratch((size_t)tiles * 2);
  uint8_t *payload = scratch((size_t)tiles * REF_TILE_ROOM + REF_TILE_ROOM);
  change *c = scratch(sizeof *c);
  for (uint64_t t = 0; t < tiles; t++) {
    size_t size;
    const uint8_t *data = ref_tile_at(old.data, t, &size);
    memset(c, 0, sizeof *c);
    c->was = &was;
    c->h = &h;
    ref_tile_parse(&was, t, data, size, &c->old);
    ref_tile_shape(&h, t, &c->now);
    ref_tile_read(&h, t, x, &c->now);
    compare(c);
    if (c->all && was.step == h.step && was.eb == h.eb)
      memcpy(payload + used, data, size);
    else
      size = c->any ? encode_change(c, payload + used)
                    : ref_tile_compress(&h, h.dims < 2 || h.transform ? REF_BEST : REF_LORENZO, &c->now,
                                        payload + used);
    sizes[t] = (uint16_t)size;
    used += size;
  }
  return ref_assemble(&h, sizes, payload);
}
