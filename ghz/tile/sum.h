/* sum.h: sums of tiles on bit planes (FORMAT.md, "Computing", rule 5): of any tiles, by
 * rules/plane_sum.h, and of two common ones in one pass. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* ---- Any tiles ------------------------------------------------------------------------------- */

static int planes_equal(const part a[PARTS], const part b[PARTS]) {
  int equal = 1;
  for (int i = 0; i < PARTS; i++)
    equal &= part_equal(a[i], b[i]);
  return equal;
}

static void columns_below(unsigned n, part mask[PARTS]) {
  ALIGNED bit_plane bytes = {0};
  memset(bytes, 0xff, n / 8);
  if (n % 8)
    bytes[n / 8] = (uint8_t)((1 << n % 8) - 1);
  load_plane(bytes, mask);
}

/* Most operands are expanded while they are added, which spares their planes the way through
 * memory. */
typedef const tile_header *plane_origin; /* NULL: expanded */

static inline plane_origin expanded(void) {
  return NULL;
}

static void bring_planes(plane_origin *from, bit_plane *planes) {
  if (*from)
    expand_planes(*from, planes);
  *from = NULL;
}

typedef struct plane_source {
  squeezed_planes squeezed;
  const bit_plane *expanded; /* NULL: squeezed */
} plane_source;

static inline void open_source(plane_source *s, plane_origin from, const bit_plane *planes) {
  s->expanded = from ? NULL : planes;
  s->squeezed.next = NULL;
  zero_plane(s->squeezed.width);
  if (from)
    open_planes(&s->squeezed, from);
}

/* As expand_plane or load_plane; one loop, for with two plain C is 7 % slower. */
static inline void next_plane(plane_source *s, unsigned p, part x[PARTS]) {
  for (int i = 0; i < PARTS; i++)
    x[i] = s->expanded ? part_load(s->expanded[p] + i * PART_BYTES)
                       : part_expand(x[i], &s->squeezed.next, s->squeezed.width[i], (int)p);
}

#include "rules/plane_sum.h"

/* The operand that a tile is. */
static void open_operand(const tile_header *h, plane_tile *t) {
  t->order = h->order;
  t->mode = h->mode;
  t->special = h->specials != NULL;
  t->height = h->height;
  t->anchor = (uint64_t)h->anchor;
  t->slope = (uint64_t)h->slope;
  t->origin = h;
  if (h->specials)
    parse_specials(h, &t->infinities);
}

/* The tile of a sum. Returns GHZ_ECORRUPT if only damaged tiles give such a sum. */
static ghz_status write_sum(const plane_tile *sum, uint8_t *dst, size_t *size) {
  part w[PARTS];
  tile_widths t;
  t.height = widths_of_sum(sum, w);
  store_plane(t.width, w);
  if (t.height > WIDTH_MAX)
    return GHZ_ECORRUPT;
  t.lead = (tile_prefix){.order = sum->order,
                         .mode = sum->mode,
                         .special = sum->special,
                         .anchor = (int64_t)sum->anchor,
                         .slope = (int64_t)sum->slope};
  finish_widths(&t);
  *size = put_tile(&t, sum->planes, sum->special ? &sum->infinities : NULL, dst);
  return GHZ_OK;
}

/* ---- Two common tiles ------------------------------------------------------------------------ */

/* a + b in one pass over the planes, in registers: b is raised as both are expanded. Tiles of n
 * values, of the same mode, without specials; a's order is b's plus `raises`, a constant. */
GHZ_INLINE size_t add_pair(const tile_header *a, const tile_header *b, int raises, unsigned n, unsigned limit,
                           uint8_t *dst) {
  ALIGNED bit_plane planes[PLANES_MAX];
  tile_widths t;
  part x[PARTS], y[PARTS], s[PARTS], inside[PARTS];
  adder sum;
  squeezed_planes from_a, from_b;
  raisers r;
  const int cut = raises > 0 && n < TILE; /* raising fills the column behind the last one */
  const unsigned lower = b->height + (unsigned)raises, top = a->height > lower ? a->height : lower;
  const unsigned count = top + (top > 0) < limit ? top + (top > 0) : limit;
  int64_t anchor = b->anchor, slope = b->slope;
  open_planes(&from_a, a);
  open_planes(&from_b, b);
  raisers_begin(&r, raises == 2 ? 0 : b->order);
  adder_begin(&sum);
  zero_plane(x), zero_plane(y);
  if (cut)
    columns_below(n, inside);
  for (unsigned p = 0; p < count; p++) {
    expand_plane(&from_a, p, x);
    expand_plane(&from_b, p, y);
    memcpy(s, y, sizeof s);
    if (raises > 0)
      raiser_next(&r.once, s, p);
    if (raises > 1)
      raiser_next(&r.twice, s, p);
    for (int i = 0; cut && i < PARTS; i++)
      s[i] = part_and(s[i], inside[i]);
    adder_next(&sum, s, x, p);
    store_plane(planes[p], s);
  }
  store_plane(t.width, sum.width);
  raisers_anchors(&r, raises, count, &anchor, &slope);
  if (raises > 0 && n == 1) /* there is no second value */
    slope = 0;
  anchor = (int64_t)((uint64_t)a->anchor + (uint64_t)anchor);
  slope = (int64_t)((uint64_t)a->slope + (uint64_t)slope);
  t.height = widths_largest(t.width); /* cheaper than to keep track of it: 3 % of an addition */
  t.lead = (tile_prefix){.order = a->order, .mode = a->mode, .anchor = anchor, .slope = slope};
  finish_widths(&t);
  return put_tile(&t, planes, NULL, dst);
}

GHZ_INLINE size_t add_two(const tile_header *a, const tile_header *b, unsigned n, unsigned limit,
                          uint8_t *dst) {
  if (a->order == b->order)
    return add_pair(a, b, 0, n, limit, dst);
  if (a->order < b->order) {
    const tile_header *t = a;
    a = b;
    b = t;
  }
  return a->order - b->order == 1 ? add_pair(a, b, 1, n, limit, dst) : add_pair(a, b, 2, n, limit, dst);
}
