/* header_impl.h: the header of a tile: taking it apart, with every check that untrusted bytes need
 * (FORMAT.md, "Tile"). Keeps law L5 (docs/LAWS.md). Part of codec.h.
 *
 * A flat tile is a brick of one line without coefficients. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* A tile, taken apart. Coefficients are like residuals of order 0 with an anchor, the first
 * coefficient. */
typedef struct tile_header {
  layer_header lattice, coefficients;
  int transformed; /* there are coefficients */
} tile_header;

/* ---- The lattice ----------------------------------------------------------------------------- */

/* Moves *p past the planes of widths that were loaded from there, if they end before `end`. */
GHZ_INLINE int pass_widths(const tile_lead *lead, const loaded_widths *w, const uint8_t **p, const uint8_t *end,
                           layer_header *h) {
  if (!width_planes_fit(lead, w->nonzero, (size_t)(end - *p)))
    return 0;
  *p += width_planes_size(lead->width_planes, w->nonzero, lead->squeezed);
  h->height = w->largest;
  return 1;
}

/* Whether some block that has no column inside has a width. */
static int blocks_outside(const uint8_t width[BLOCKS], const bit_plane inside) {
  int any = 0;
  for (int b = 0; b < BLOCKS; b++)
    any |= width[b] != 0 && inside[b] == 0;
  return any;
}

/* A tile that is being taken apart. */
typedef struct tile_opening {
  tile_lead lead;
  anchor_place at;
  loaded_widths widths;
} tile_opening;

/* The first steps of a tile that is not empty: what stands before the widths, and these. */
GHZ_INLINE int parse_lead(const ghz_lattice *l, tile_source src, unsigned dims, tile_opening *o) {
  const uint8_t *p = src.data;
  return open_lead(l, src.terms, dims, p[0], p[1], src.size, &o->lead, &o->at) &&
         open_anchors(&o->lead, &o->at, load_u64(p + o->at.at), load_u64(p + o->at.at + o->at.anchor));
}

GHZ_INLINE void load_widths(tile_source src, tile_opening *o, layer_header *h) {
  o->widths = widths_load(src.data + widths_at(&o->at), o->lead.width_planes, o->lead.squeezed, h->width);
}

/* By registers: what compilers make of memset is slow for so few bytes (a tenth of an addition of
 * bricks). */
GHZ_INLINE void clear_widths(uint8_t width[BLOCKS]) {
  part zeros[PARTS];
  zero_plane(zeros);
  store_plane(width, zeros);
}

/* The same, and fast if there are none: where there are coefficients the lattice is zeros,
 * mostly. */
static inline void load_few_widths(tile_source src, tile_opening *o, layer_header *h) {
  if (o->lead.width_planes) {
    load_widths(src, o, h);
    return;
  }
  o->widths = (loaded_widths){0};
  clear_widths(h->width);
}

/* And the last: *p moves to the end of what the lattice has before its planes. */
GHZ_INLINE int finish_lattice(const ghz_lattice *l, tile_source src, const tile_extent *e,
                              const tile_opening *o, layer_header *h, const uint8_t **p) {
  const uint8_t *end = src.data + src.size;
  ALIGNED bit_plane inside;
  *p = src.data + widths_at(&o->at);
  h->order = o->lead.order;
  h->mode = o->lead.mode;
  h->turned = o->lead.turned;
  h->anchor = o->lead.anchor;
  h->slope = o->lead.slope;
  h->specials = NULL;
  if (!pass_widths(&o->lead, &o->widths, p, end, h) || !height_valid(l, src.terms, &o->lead, h->height) ||
      !turning_allowed(&o->lead, e->n))
    return 0;
  if (e->n < TILE || o->lead.special)
    columns_inside(e, inside);
  if (e->n < TILE && blocks_outside(h->width, inside))
    return 0;
  if (!o->lead.special)
    return 1;
  h->specials = *p;
  return specials_valid(*p, end, inside, p);
}

/* ---- The fast path: full flat tiles that are not empty --------------------------------------- */

GHZ_INLINE int finish_full(const ghz_lattice *l, tile_source src, const tile_opening *o, layer_header *h) {
  const tile_extent full = {1, TILE, 1, 1, TILE};
  const uint8_t *p;
  if (!finish_lattice(l, src, &full, o, h, &p))
    return 0;
  h->planes = p;
  return planes_fit(src.size, (size_t)(p - src.data), o->widths.sum);
}

LARGE_INLINE int parse_full(const ghz_lattice *l, const tile_source *src, layer_header *h) {
  tile_opening o;
  if (!parse_lead(l, *src, 1, &o))
    return 0;
  load_widths(*src, &o, h);
  return finish_full(l, *src, &o, h);
}

/* With registers for it, step by step: a processor has the widths of both on their way before it
 * waits for either (2 % of an addition). */
GHZ_INLINE int parse_two(const ghz_lattice *l, const tile_source src[2], layer_header h[2]) {
  tile_opening o[2];
  if (!MANY_REGISTERS)
    return parse_full(l, &src[0], &h[0]) && parse_full(l, &src[1], &h[1]);
  if (!parse_lead(l, src[0], 1, &o[0]) || !parse_lead(l, src[1], 1, &o[1]))
    return 0;
  load_widths(src[0], &o[0], &h[0]);
  load_widths(src[1], &o[1], &h[1]);
  return finish_full(l, src[0], &o[0], &h[0]) && finish_full(l, src[1], &o[1], &h[1]);
}

/* ---- Any tile -------------------------------------------------------------------------------- */

/* One of zeros in order 0, but for its widths. */
GHZ_INLINE void begin_layer(layer_header *h, const uint8_t *planes) {
  h->order = 0;
  h->mode = 0;
  h->turned = 0;
  h->height = 0;
  h->anchor = h->slope = 0;
  h->specials = NULL;
  h->planes = planes;
}

GHZ_INLINE void clear_layer(layer_header *h, const uint8_t *planes) {
  begin_layer(h, planes);
  clear_widths(h->width);
}

/* The coefficients up to their planes. */
static int parse_coefficients(uint32_t terms, const uint8_t **p, const uint8_t *end, layer_header *h,
                              unsigned *sum) {
  tile_lead lead;
  unsigned anchor;
  begin_layer(h, NULL);
  if (*p == end || !open_coefficients(**p, (size_t)(end - *p), &lead, &anchor))
    return 0;
  h->anchor = low_bytes(load_u64(*p + 1), anchor);
  *p += 1 + anchor;
  const loaded_widths w = widths_load(*p, lead.width_planes, lead.squeezed, h->width);
  *sum = w.sum;
  return anchor_size(h->anchor) == anchor && pass_widths(&lead, &w, p, end, h) &&
         coefficient_height_valid(terms, &lead, h->height);
}

/* The last steps: `o` has the lead and the widths of the lattice. */
GHZ_INLINE int finish_any(const ghz_lattice *l, tile_source src, const tile_extent *e, const tile_opening *o,
                          tile_header *t) {
  const uint8_t *p, *end = src.data + src.size;
  unsigned more = 0;
  if (!finish_lattice(l, src, e, o, &t->lattice, &p))
    return 0;
  t->transformed = o->lead.coefficients;
  if (t->transformed && !(coefficients_allowed(src.transform, e->n) &&
                          parse_coefficients(src.terms, &p, end, &t->coefficients, &more)))
    return 0;
  if (!planes_fit(src.size, (size_t)(p - src.data), o->widths.sum + more))
    return 0;
  t->lattice.planes = p;
  t->coefficients.planes = p + o->widths.sum;
  return 1;
}

/* Takes a tile apart that is not raw, and checks all of it but the planes' bytes, which may be
 * anything. */
static ghz_status parse(const ghz_lattice *l, tile_source src, const tile_extent *e, tile_header *t) {
  tile_opening o;
  t->transformed = 0;
  if (src.size == 0) {
    clear_layer(&t->lattice, src.data);
    return GHZ_OK;
  }
  if (!parse_lead(l, src, e->dims, &o))
    return GHZ_ECORRUPT;
  load_few_widths(src, &o, &t->lattice);
  return finish_any(l, src, e, &o, t) ? GHZ_OK : GHZ_ECORRUPT;
}

/* The same of two that are not empty, step by step as in parse_two. */
static ghz_status parse_two_any(const ghz_lattice *l, const tile_source src[2], const tile_extent *e,
                                tile_header t[2]) {
  tile_opening o[2];
  if (!MANY_REGISTERS) {
    const ghz_status status = parse(l, src[0], e, &t[0]);
    return status == GHZ_OK ? parse(l, src[1], e, &t[1]) : status;
  }
  if (!parse_lead(l, src[0], e->dims, &o[0]) || !parse_lead(l, src[1], e->dims, &o[1]))
    return GHZ_ECORRUPT;
  load_few_widths(src[0], &o[0], &t[0].lattice);
  load_few_widths(src[1], &o[1], &t[1].lattice);
  return finish_any(l, src[0], e, &o[0], &t[0]) && finish_any(l, src[1], e, &o[1], &t[1]) ? GHZ_OK
                                                                                          : GHZ_ECORRUPT;
}

/* ---- Planes ---------------------------------------------------------------------------------- */

/* Un-squeezes the planes of a tile, one after the other from the lowest on. */
typedef struct squeezed_planes {
  const uint8_t *next;
  part width[PARTS];
} squeezed_planes;

static inline void open_planes(squeezed_planes *s, const layer_header *h) {
  s->next = h->planes;
  load_plane(h->width, s->width);
}

/* x: plane p - 1 before, plane p after, of the first so many parts. */
GHZ_INLINE void expand_parts(squeezed_planes *s, int parts, unsigned p, part x[PARTS]) {
  for (int i = 0; i < parts; i++)
    x[i] = part_expand(x[i], &s->next, s->width[i], (int)p);
}

GHZ_INLINE void expand_plane(squeezed_planes *s, unsigned p, part x[PARTS]) {
  expand_parts(s, PARTS, p, x);
}

/* How many parts there are up to the last one that is not 0. */
GHZ_INLINE int live_parts(const part x[PARTS]) {
  int live = 0;
  for (int i = 0; i < PARTS; i++)
    live = part_equal(x[i], part_zero()) ? live : i + 1;
  return live;
}

/* Calls f(parts, ...) with a constant that is `live` or a little more. */
#define WITH_PARTS(live, f, ...)                                                                               \
  ((live) <= (PARTS + 3) / 4 ? f((PARTS + 3) / 4, __VA_ARGS__)                                                 \
   : (live) <= PARTS / 2     ? f(PARTS / 2, __VA_ARGS__)                                                       \
   : (live) <= 3 * PARTS / 4 ? f(3 * PARTS / 4, __VA_ARGS__)                                                   \
                             : f(PARTS, __VA_ARGS__))

static void expand_planes(const layer_header *h, bit_plane *planes) {
  squeezed_planes s;
  part x[PARTS];
  open_planes(&s, h);
  zero_plane(x);
  for (unsigned p = 0; p < h->height; p++) {
    expand_plane(&s, p, x);
    store_plane(planes[p], x);
  }
}
