/* brick_header.h: the header of a brick, with its two layers: taking it apart, with every check
 * that untrusted bytes need, and putting it together (FORMAT.md, "Bricks"). Keeps law L5
 * (docs/LAWS.md). Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* A brick, taken apart. Coefficients are like residuals of order 0 with an anchor, the first
 * coefficient. */
typedef struct brick_header {
  tile_header lattice, coefficients;
  int transformed; /* there are coefficients */
} brick_header;

/* Whether some block that has no column inside has a width. */
static int blocks_outside(const uint8_t width[BLOCKS], const bit_plane inside) {
  int any = 0;
  for (int b = 0; b < BLOCKS; b++)
    any |= width[b] != 0 && inside[b] == 0;
  return any;
}

static int brick_specials_valid(const uint8_t *p, const uint8_t *end, const bit_plane inside,
                                const uint8_t **after) {
  specials s = {{0}, {0}};
  int outside = 0;
  if (!specials_valid(p, end, TILE, after))
    return 0;
  take_special_plane(take_special_plane(p, (size_t)(end - p), s.plus), (size_t)(end - p), s.minus);
  for (int b = 0; b < BLOCKS; b++)
    outside |= (s.plus[b] | s.minus[b]) & ~inside[b];
  return !outside;
}

/* As parse_widths, and fast if there are none: where there are coefficients the lattice is zeros,
 * mostly. */
static inline int parse_few_widths(const tile_prefix *lead, const uint8_t **p, const uint8_t *end,
                                   tile_header *h, unsigned *sum) {
  if (lead->width_planes)
    return parse_widths(lead, p, end, h, sum);
  *sum = h->height = 0;
  memset(h->width, 0, sizeof h->width);
  return 1;
}

/* The coefficients up to their planes. */
static int parse_coefficients(uint32_t terms, const uint8_t **p, const uint8_t *end, tile_header *h,
                              unsigned *sum) {
  tile_prefix lead;
  unsigned anchor;
  h->order = h->mode = 0;
  h->slope = 0;
  h->specials = NULL;
  if (*p == end || !open_coefficients(**p, (size_t)(end - *p), &lead, &anchor))
    return 0;
  h->anchor = low_bytes(load_u64(*p + 1), anchor);
  *p += 1 + anchor;
  return anchor_size(h->anchor) == anchor && parse_widths(&lead, p, end, h, sum) &&
         coefficient_height_valid(terms, &lead, h->height);
}

static void clear_header(tile_header *h, const uint8_t *planes) {
  h->order = h->mode = 0;
  h->height = 0;
  h->anchor = h->slope = 0;
  h->specials = NULL;
  h->planes = planes;
  memset(h->width, 0, sizeof h->width);
}

/* Everything before the planes; *p moves to their beginning. */
static int parse_brick_lead(const ghz_lattice *l, tile_source src, const tile_extent *e, brick_header *b,
                            const uint8_t **p, unsigned sum[2]) {
  const uint8_t *end = src.data + src.size;
  tile_prefix lead;
  anchor_place at;
  tile_header *h = &b->lattice;
  ALIGNED bit_plane inside;
  if (!open_lead(l, src.terms, e->dims, src.data[0], src.data[1], src.size, &lead, &at) ||
      !open_anchors(&lead, &at, load_u64(src.data + at.at), 0))
    return 0;
  h->order = lead.order;
  h->mode = lead.mode;
  h->anchor = lead.anchor;
  h->slope = 0;
  b->transformed = lead.coefficients;
  *p = src.data + widths_at(&at);
  if (!parse_few_widths(&lead, p, end, h, &sum[0]) || !height_valid(l, src.terms, &lead, h->height))
    return 0;
  if (e->n < TILE || lead.special)
    columns_inside(e, inside);
  if (e->n < TILE && blocks_outside(h->width, inside))
    return 0;
  h->specials = lead.special ? *p : NULL;
  if (lead.special && !brick_specials_valid(*p, end, inside, p))
    return 0;
  sum[1] = 0;
  return !lead.coefficients || (coefficients_allowed(src.transform, e->n) &&
                                parse_coefficients(src.terms, p, end, &b->coefficients, &sum[1]));
}

/* Takes a brick apart and checks all of it but the planes' bytes, which may be anything. */
static ghz_status parse_brick(const ghz_lattice *l, tile_source src, const tile_extent *e, brick_header *b) {
  const uint8_t *p = src.data;
  unsigned sum[2];
  if (src.size == 0) {
    b->transformed = 0;
    clear_header(&b->lattice, p);
    return GHZ_OK;
  }
  if (!parse_brick_lead(l, src, e, b, &p, sum) ||
      !planes_fit(src.size, (size_t)(p - src.data), sum[0] + sum[1]))
    return GHZ_ECORRUPT;
  b->lattice.planes = p;
  b->coefficients.planes = p + sum[0];
  return GHZ_OK;
}

/* Completes the head of coefficients whose first one and widths are known. Returns the bytes up to
 * the end of the width planes. */
static unsigned finish_coefficients(tile_widths *t) {
  tile_prefix *h = &t->lead;
  h->width_planes = bit_length(t->height);
  const unsigned nonzero = widths_nonzero(t->width);
  h->squeezed = squeezing_pays(h->width_planes, nonzero);
  return 1 + anchor_size(h->anchor) + width_planes_size(h->width_planes, nonzero, h->squeezed);
}

static uint8_t *put_coefficients_header(const tile_widths *t, uint8_t *dst) {
  const tile_prefix *h = &t->lead;
  *dst++ = coefficients_head(h);
  memcpy(dst, &h->anchor, 8);
  return widths_store(t->width, h->width_planes, h->squeezed, dst + anchor_size(h->anchor));
}

/* One layer that is to be written: its widths and planes, which are not squeezed. */
typedef struct brick_layer {
  const tile_widths *widths;
  const bit_plane *planes;
} brick_layer;

/* Writes a whole brick; `coefficients` may be NULL. Returns its size. */
static size_t put_brick(const brick_layer *lattice, const specials *s, const brick_layer *coefficients,
                        uint8_t *dst) {
  uint8_t *p = dst;
  if (lead_says_empty(&lattice->widths->lead))
    return 0;
  p = put_header(lattice->widths, s, p);
  if (coefficients)
    p = put_coefficients_header(coefficients->widths, p);
  p = put_planes(lattice->widths, lattice->planes, p);
  if (coefficients)
    p = put_planes(coefficients->widths, coefficients->planes, p);
  return (size_t)(p - dst);
}
