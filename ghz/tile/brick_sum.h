/* brick_sum.h: sums of bricks, layer by layer (FORMAT.md, "Computing"): of any bricks by
 * rules/brick_sum.h, and of two common ones in one pass. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* ---- Any bricks ------------------------------------------------------------------------------ */

static void columns_after(unsigned dims, int order, part mask[PARTS]) {
  const brick_grid *g = &brick_grids[dims];
  ALIGNED bit_plane bytes;
  for (int b = 0; b < BLOCKS; b++)
    if (order == 0)
      bytes[b] = b % g->line ? 0xff : 0xfe;
    else
      bytes[b] = order == 2 || b % g->layer >= g->line ? 0xff : 0;
  load_plane(bytes, mask);
}

static void columns_inside_of(const tile_extent *e, part mask[PARTS]) {
  ALIGNED bit_plane plane;
  columns_inside(e, plane);
  load_plane(plane, mask);
}

#include "rules/brick_sum.h"

/* The widths of a sum of planes. Returns 0 if only damaged bricks give such a sum. */
static int sum_widths_of(const plane_tile *sum, tile_widths *t) {
  part w[PARTS];
  t->height = widths_of_sum(sum, w);
  store_plane(t->width, w);
  return t->height <= WIDTH_MAX;
}

/* Both layers of a running sum. */
typedef struct brick_sum {
  plane_tile lattice, coefficients;
  int transformed;
} brick_sum;

static ghz_status write_brick_sum(const brick_sum *s, uint8_t *dst, size_t *size) {
  const plane_tile *r = &s->lattice, *c = &s->coefficients;
  tile_widths lattice, coefficients;
  if (!sum_widths_of(r, &lattice) || (s->transformed && !sum_widths_of(c, &coefficients)))
    return GHZ_ECORRUPT;
  lattice.lead = (tile_prefix){.order = r->order,
                               .mode = r->mode,
                               .special = r->special,
                               .coefficients = s->transformed,
                               .anchor = (int64_t)r->anchor};
  finish_widths(&lattice);
  if (s->transformed) {
    coefficients.lead = (tile_prefix){.anchor = (int64_t)c->anchor};
    finish_coefficients(&coefficients);
  }
  *size = put_brick(&(brick_layer){&lattice, r->planes}, r->special ? &r->infinities : NULL,
                    s->transformed ? &(brick_layer){&coefficients, c->planes} : NULL, dst);
  return GHZ_OK;
}

/* Parses a brick; a raw one is first encoded on the lattice, at its best order, without
 * coefficients. */
static enum opened_tile open_brick(const ghz_lattice *l, tile_source src, const tile_extent *e,
                                   encoded_tile *room, brick_header *h) {
  if (is_raw(src)) {
    const tile_place place = packed_place(*e);
    ALIGNED double values[TILE];
    if (!raw_valid(l, src, e->n))
      return DAMAGED;
    memcpy(values, src.data + 1, src.size - 1);
    if (!encode_on_lattice(l, &place, values, room->bytes, &src.size))
      return OUTSIDE;
    src.data = room->bytes;
    src.short_tail = 0;
  }
  return parse_brick(l, padded_copy(src, room), e, h) == GHZ_OK ? ON_LATTICE : DAMAGED;
}

static void add_opened_brick(const tile_job *j, uint32_t terms, const brick_header *h, int64_t c,
                             brick_sum *sum) {
  plane_tile x;
  open_operand(&h->lattice, &x);
  add_brick(j->lattice, terms, &j->extent, &sum->lattice, &x, c);
  if (!h->transformed)
    return;
  if (!sum->transformed)
    clear_tile(&sum->coefficients);
  sum->transformed = 1;
  open_operand(&h->coefficients, &x);
  add_coefficients(terms, &sum->coefficients, &x, c);
}

/* ---- Two common bricks ----------------------------------------------------------------------- */

/* Whether two layers can be added as they are: they have one order, or the one of lower order is
 * zeros, which stay so however they are raised. */
static int layers_fit(const tile_header *a, const tile_header *b) {
  const tile_header *lower = a->order < b->order ? a : b;
  return a->order == b->order || (lower->height == 0 && lower->anchor == 0);
}

/* Two such layers to their sum, in registers. */
GHZ_INLINE void add_layers(const tile_header *a, const tile_header *b, unsigned limit, tile_widths *t,
                           bit_plane *planes) {
  part x[PARTS], y[PARTS];
  adder sum;
  squeezed_planes from_a, from_b;
  const unsigned top = a->height > b->height ? a->height : b->height,
                 count = top + (top > 0) < limit ? top + (top > 0) : limit;
  open_planes(&from_a, a);
  open_planes(&from_b, b);
  adder_begin(&sum);
  zero_plane(x), zero_plane(y);
  for (unsigned p = 0; p < count; p++) {
    part s[PARTS];
    expand_plane(&from_a, p, x);
    expand_plane(&from_b, p, y);
    memcpy(s, y, sizeof s);
    adder_next(&sum, s, x, p);
    store_plane(planes[p], s);
  }
  store_plane(t->width, sum.width);
  t->height = widths_largest(t->width);
  t->lead = (tile_prefix){.order = a->order > b->order ? a->order : b->order,
                          .mode = a->mode,
                          .anchor = (int64_t)((uint64_t)a->anchor + (uint64_t)b->anchor)};
}

/* The same of two layers of different orders, a having the higher one: b is raised as it is
 * expanded. */
static void add_raised(const tile_extent *e, const tile_header *a, const tile_header *b, unsigned limit,
                       tile_widths *t, bit_plane *planes) {
  part x[PARTS], y[PARTS], inside[PARTS];
  adder sum;
  squeezed_planes from_a, from_b;
  brick_raiser r[ORDERS_MAX - 1];
  const unsigned raises = (unsigned)(a->order - b->order), anchored = signed_length((uint64_t)b->anchor);
  const unsigned lower = (b->height > anchored ? b->height : anchored) + raises,
                 top = a->height > lower ? a->height : lower, count = top + 1 < limit ? top + 1 : limit;
  for (unsigned k = 0; k < raises; k++)
    brick_raiser_begin(&r[k], e->dims, b->order + (int)k, (uint64_t)b->anchor);
  open_planes(&from_a, a);
  open_planes(&from_b, b);
  adder_begin(&sum);
  zero_plane(x), zero_plane(y);
  columns_inside_of(e, inside);
  for (unsigned p = 0; p < count; p++) {
    part s[PARTS];
    expand_plane(&from_a, p, x);
    expand_plane(&from_b, p, y);
    memcpy(s, y, sizeof s);
    for (unsigned k = 0; k < raises; k++) {
      r[k].anchor = r[0].anchor; /* from order 0 it comes plane by plane */
      brick_raiser_next(&r[k], s, p);
    }
    for (int i = 0; i < PARTS; i++)
      s[i] = part_and(s[i], inside[i]);
    adder_next(&sum, s, x, p);
    store_plane(planes[p], s);
  }
  store_plane(t->width, sum.width);
  t->height = widths_largest(t->width);
  t->lead = (tile_prefix){.order = a->order,
                          .mode = a->mode,
                          .anchor = (int64_t)((uint64_t)a->anchor + brick_raiser_anchor(&r[0], count))};
}

static void add_lattices(const tile_extent *e, const tile_header *a, const tile_header *b, unsigned limit,
                         tile_widths *t, bit_plane *planes) {
  if (layers_fit(a, b))
    add_layers(a, b, limit, t, planes);
  else if (a->order > b->order)
    add_raised(e, a, b, limit, t, planes);
  else
    add_raised(e, b, a, limit, t, planes);
}

/* The sum of two bricks of one mode, without specials. */
static size_t add_two_bricks(const tile_extent *e, const brick_header *a, const brick_header *b, unsigned limit,
                             unsigned coefficient_limit, uint8_t *dst) {
  ALIGNED bit_plane planes[PLANES_MAX], coefficient_planes[PLANES_MAX];
  tile_widths lattice, coefficients;
  tile_header none;
  const int transformed = a->transformed || b->transformed;
  const brick_layer r = {&lattice, planes}, c = {&coefficients, coefficient_planes};
  add_lattices(e, &a->lattice, &b->lattice, limit, &lattice, planes);
  lattice.lead.coefficients = transformed;
  finish_widths(&lattice);
  if (!transformed)
    return put_brick(&r, NULL, NULL, dst);
  if (!a->transformed || !b->transformed)
    clear_header(&none, a->lattice.planes);
  add_layers(a->transformed ? &a->coefficients : &none, b->transformed ? &b->coefficients : &none,
             coefficient_limit, &coefficients, coefficient_planes);
  finish_coefficients(&coefficients);
  return put_brick(&r, NULL, &c, dst);
}
