/* sum_impl.h: sums of tiles on bit planes (FORMAT.md, "Computing", rule 5): of any tiles, by
 * rules/plane_sum.h, and of two common ones in one pass. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* ---- Any tiles ------------------------------------------------------------------------------- */

static int planes_equal(const part a[PARTS], const part b[PARTS]) {
  int equal = 1;
  for (int i = 0; i < PARTS; i++)
    equal &= part_equal(a[i], b[i]);
  return equal;
}

/* Raised from an order, columns take the one before along an axis that are first along all axes
 * from there up to it, but not along it, nor along the axis that was the last to be raised. */
static void columns_after(unsigned dims, int order, unsigned axis, part mask[PARTS]) {
#define LAYERS(v) v, 0, v, 0, v, 0, v, 0, v, 0, v, 0, v, 0, v, 0
  static const ALIGNED uint64_t first_along[2][3][PLANE_BYTES / 8] = {
      {{[0 ... 15] = UINT64_C(0x0000000100000001)}, {UINT32_MAX}},
      {{[0 ... 15] = UINT64_C(0x0001000100010001)}, {LAYERS(0xffff)}, {~UINT64_C(0), ~UINT64_C(0)}}};
#undef LAYERS
  for (int i = 0; i < PARTS; i++)
    mask[i] = part_not(part_zero());
  for (int a = order ? order - 1 : 0; a <= (int)axis; a++) {
    const part flip = a < order || a == (int)axis ? part_not(part_zero()) : part_zero();
    for (int i = 0; i < PARTS; i++)
      mask[i] &= flip ^ part_load((const uint8_t *)first_along[dims == 3][a] + i * PART_BYTES);
  }
}

static void columns_inside_of(const tile_extent *e, part mask[PARTS]) {
  ALIGNED bit_plane plane;
  columns_inside(e, plane);
  load_plane(plane, mask);
}

/* Most operands are expanded while they are added, which spares their planes the way through
 * memory. */
typedef const layer_header *plane_origin; /* NULL: expanded */

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

/* The operand that a layer is. */
static void open_operand(const layer_header *h, plane_tile *t) {
  t->order = h->order;
  t->mode = h->mode;
  t->turned = h->turned;
  t->special = h->specials != NULL;
  t->height = h->height;
  t->anchor = (uint64_t)h->anchor;
  t->slope = (uint64_t)h->slope;
  t->origin = h;
  if (h->specials)
    parse_specials(h, &t->infinities);
}

/* The widths of a sum of planes. Returns 0 if only damaged tiles give such a sum. */
static int widths_of_layer(const plane_tile *sum, tile_widths *t) {
  part w[PARTS];
  t->height = widths_of_sum(sum, w);
  store_plane(t->width, w);
  t->lead = (tile_lead){.order = sum->order,
                        .mode = sum->mode,
                        .turned = sum->turned,
                        .special = sum->special,
                        .anchor = (int64_t)sum->anchor,
                        .slope = (int64_t)sum->slope};
  return t->height <= WIDTH_MAX;
}

static ghz_status write_sum(const tile_sum *s, uint8_t *dst, size_t *size) {
  const plane_tile *r = &s->lattice, *c = &s->coefficients;
  tile_widths lattice, coefficients;
  if (!widths_of_layer(r, &lattice) || (s->transformed && !widths_of_layer(c, &coefficients)))
    return GHZ_ECORRUPT;
  lattice.lead.coefficients = s->transformed;
  finish_widths(&lattice);
  if (s->transformed)
    finish_coefficients(&coefficients);
  *size = put_tile(&(plain_layer){&lattice, r->planes}, r->special ? &r->infinities : NULL,
                   s->transformed ? &(plain_layer){&coefficients, c->planes} : NULL, dst);
  return GHZ_OK;
}

/* ---- Two common tiles ------------------------------------------------------------------------ */

/* How the layer of lower order is raised while it is added: not at all, by one or two orders of a
 * flat tile, as a brick is, or as one is where a layer is turned. */
enum raising { AS_IT_IS, ONCE, TWICE, AS_BRICK, AS_TURNED };

/* A brick is raised by one order after the other. */
static inline void brick_raisers_begin(brick_raiser *r, unsigned raises, const tile_extent *e,
                                       const layer_header *t) {
  for (unsigned k = 0; k < raises; k++)
    brick_raiser_begin(&r[k], e->dims, t->order + (int)k, (uint64_t)t->anchor);
}

static inline void brick_raisers_next(brick_raiser *r, unsigned raises, part x[PARTS], unsigned p) {
  for (unsigned k = 0; k < raises; k++) {
    r[k].anchor = r[0].anchor; /* from order 0 it comes plane by plane */
    brick_raiser_next(&r[k], x, p);
  }
}

/* a + b in one pass over the planes, in registers: b is raised to the order of a as both are
 * expanded, in a way that is a constant. Layers of one mode, without specials. */
GHZ_INLINE void add_expanded(const tile_extent *e, const layer_header *a, const layer_header *b,
                             enum raising how, unsigned limit, tile_widths *t, bit_plane *planes) {
  part x[PARTS], y[PARTS], s[PARTS], other[PARTS], inside[PARTS];
  adder sum;
  squeezed_planes from_a, from_b;
  raisers flat;
  brick_raiser axes[ORDERS_MAX - 1];
  const int cut = how != AS_IT_IS && e->n < TILE; /* raising fills columns behind the last one */
  const int bricks = how == AS_BRICK || how == AS_TURNED, turned = a->turned | b->turned;
  const unsigned raises = bricks ? (unsigned)(a->order - b->order) : (unsigned)how, lower = b->height + raises,
                 top = a->height > lower ? a->height : lower,
                 count = top + (top > 0) < limit ? top + (top > 0) : limit;
  int64_t anchor = b->anchor, slope = b->slope;
  open_planes(&from_a, a);
  open_planes(&from_b, b);
  if (bricks)
    brick_raisers_begin(axes, raises, e, b);
  else
    raisers_begin(&flat, how == ONCE ? b->order : 0);
  adder_begin(&sum);
  zero_plane(x), zero_plane(y);
  if (cut)
    columns_inside_of(e, inside);
  for (unsigned p = 0; p < count; p++) {
    expand_plane(&from_a, p, x);
    expand_plane(&from_b, p, y);
    memcpy(s, y, sizeof s);
    if (how == ONCE || how == TWICE)
      raiser_next(&flat.once, s, p);
    if (how == TWICE)
      raiser_next(&flat.twice, s, p);
    if (how == AS_TURNED && raises && b->turned)
      turn_parts(s);
    if (bricks)
      brick_raisers_next(axes, raises, s, p);
    if (how == AS_TURNED && (raises || !b->turned))
      turn_parts(s);
    for (int i = 0; cut && i < PARTS; i++)
      s[i] = part_and(s[i], inside[i]);
    memcpy(other, x, sizeof other);
    if (how == AS_TURNED && !a->turned)
      turn_parts(other);
    adder_next(&sum, s, other, p);
    store_plane(planes[p], s);
  }
  store_plane(t->width, sum.width);
  if (bricks && raises)
    anchor = (int64_t)brick_raiser_anchor(&axes[0], count);
  else if (!bricks)
    raisers_anchors(&flat, (int)raises, count, &anchor, &slope);
  if (how != AS_IT_IS && e->n == 1) /* there is no second value */
    slope = 0;
  t->height = widths_largest(t->width); /* cheaper than to keep track of it: 3 % of an addition */
  t->lead = (tile_lead){.order = a->order > b->order ? a->order : b->order,
                        .mode = a->mode,
                        .turned = turned,
                        .anchor = (int64_t)((uint64_t)a->anchor + (uint64_t)anchor),
                        .slope = (int64_t)((uint64_t)a->slope + (uint64_t)slope)};
}

/* Whether two layers can be added as they are: they have one order, or the one of lower order has
 * residuals of 0, which stay so however they are raised; but the slope of a flat tile comes from
 * the anchor. And both are turned or none, or one has residuals of 0. */
static int layers_fit(const layer_header *a, const layer_header *b) {
  const layer_header *lower = a->order < b->order ? a : b;
  return (a->order == b->order || (lower->height == 0 && lower->anchor == 0)) &&
         (a->turned == b->turned || (a->turned ? b : a)->height == 0);
}

/* The lattices of two tiles. */
GHZ_INLINE void add_lattices(const tile_extent *e, const layer_header *a, const layer_header *b, unsigned limit,
                             tile_widths *t, bit_plane *planes) {
  const layer_header *higher = a->order < b->order ? b : a, *lower = a->order < b->order ? a : b;
  if (layers_fit(a, b))
    add_expanded(e, a, b, AS_IT_IS, limit, t, planes);
  else if (e->dims == 2 && (a->turned || b->turned))
    add_expanded(e, higher, lower, AS_TURNED, limit, t, planes);
  else if (e->dims != 1)
    add_expanded(e, higher, lower, AS_BRICK, limit, t, planes);
  else if (higher->order - lower->order == 1)
    add_expanded(e, higher, lower, ONCE, limit, t, planes);
  else
    add_expanded(e, higher, lower, TWICE, limit, t, planes);
}

/* The sum of two full flat tiles. */
GHZ_INLINE size_t add_two_full(const layer_header h[2], unsigned limit, uint8_t *dst) {
  const tile_extent full = {1, TILE, 1, 1, TILE};
  ALIGNED bit_plane planes[PLANES_MAX];
  tile_widths t;
  add_lattices(&full, &h[0], &h[1], limit, &t, planes);
  finish_widths(&t);
  return put_tile(&(plain_layer){&t, planes}, NULL, NULL, dst);
}

/* A sum of coefficients on its way: those of low frequencies, in the first parts, are wider. */
typedef struct coefficient_sum {
  squeezed_planes from[2];
  part x[PARTS], y[PARTS];
  adder sum;
  unsigned p; /* the next plane */
} coefficient_sum;

/* Planes of the first so many parts, up to number `end`. */
GHZ_INLINE void add_parts(coefficient_sum *c, int parts, unsigned end, bit_plane *planes) {
  for (; c->p < end; c->p++) {
    expand_parts(&c->from[0], parts, c->p, c->x);
    expand_parts(&c->from[1], parts, c->p, c->y);
    for (int i = 0; i < parts; i++) {
      const part s = part_sum(c->x[i], c->y[i], c->sum.carry[i]);
      c->sum.carry[i] = part_carry(c->x[i], c->y[i], c->sum.carry[i]);
      c->sum.width[i] = part_widen(c->sum.width[i], s, c->sum.below[i], c->p, &c->sum.changes);
      c->sum.below[i] = s;
      part_store(planes[c->p] + i * PART_BYTES, s);
    }
  }
}

/* How many planes of a sum, at most `count`, have bytes in parts from this one on. */
GHZ_INLINE unsigned planes_from(int first, const layer_header *a, const layer_header *b, unsigned count) {
  uint8_t top = 0;
  for (int i = first * PART_BYTES; i < BLOCKS; i++) {
    const uint8_t w = a->width[i] > b->width[i] ? a->width[i] : b->width[i];
    top = w > top ? w : top;
  }
  return (unsigned)top + (top > 0) < count ? (unsigned)top + (top > 0) : count;
}

/* Of two parts, whether the second one is 0 is known sooner than its largest width. */
GHZ_INLINE void add_coefficient_planes(coefficient_sum *c, const layer_header *a, const layer_header *b,
                                       unsigned count, bit_plane *planes) {
  if (PARTS > 2) {
    add_parts(c, PARTS, planes_from(3 * PARTS / 4, a, b, count), planes);
    add_parts(c, 3 * PARTS / 4, planes_from(PARTS / 2, a, b, count), planes);
    add_parts(c, PARTS / 2, planes_from(PARTS / 4, a, b, count), planes);
  } else if (!part_equal(part_or(c->from[0].width[PARTS - 1], c->from[1].width[PARTS - 1]), part_zero())) {
    add_parts(c, PARTS, count, planes);
  }
  add_parts(c, (PARTS + 3) / 4, count, planes);
}

static void add_two_coefficients(const layer_header *a, const layer_header *b, unsigned limit, tile_widths *t,
                                 bit_plane *planes) {
  const unsigned top = a->height > b->height ? a->height : b->height,
                 count = top + (top > 0) < limit ? top + (top > 0) : limit;
  coefficient_sum c;
  open_planes(&c.from[0], a);
  open_planes(&c.from[1], b);
  zero_plane(c.x), zero_plane(c.y);
  adder_begin(&c.sum);
  c.p = 0;
  add_coefficient_planes(&c, a, b, count, planes);
  store_plane(t->width, c.sum.width);
  t->height = widths_largest(t->width);
  t->lead.anchor = (int64_t)((uint64_t)a->anchor + (uint64_t)b->anchor);
}

/* Of any two tiles. */
static size_t add_two(const tile_extent *e, const tile_header *a, const tile_header *b, unsigned limit,
                      unsigned coefficient_limit, uint8_t *dst) {
  ALIGNED bit_plane planes[PLANES_MAX], coefficient_planes[PLANES_MAX];
  tile_widths lattice, coefficients;
  layer_header none;
  const int transformed = a->transformed || b->transformed;
  add_lattices(e, &a->lattice, &b->lattice, limit, &lattice, planes);
  lattice.lead.coefficients = transformed;
  finish_widths(&lattice);
  if (!transformed)
    return put_tile(&(plain_layer){&lattice, planes}, NULL, NULL, dst);
  if (!a->transformed || !b->transformed)
    clear_layer(&none, a->lattice.planes);
  add_two_coefficients(a->transformed ? &a->coefficients : &none, b->transformed ? &b->coefficients : &none,
                       coefficient_limit, &coefficients, coefficient_planes);
  finish_coefficients(&coefficients);
  return put_tile(&(plain_layer){&lattice, planes}, NULL, &(plain_layer){&coefficients, coefficient_planes},
                  dst);
}
