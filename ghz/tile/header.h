/* header.h: the header of a tile: taking it apart, with every check that untrusted bytes need, and
 * putting it together (FORMAT.md, "Tile"). Keeps law L5 (docs/LAWS.md). Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

static unsigned squeezed_size(const bit_plane plane) {
  unsigned count = 16;
  for (int b = 0; b < PLANE_BYTES; b++)
    count += plane[b] != 0;
  return count;
}

/* A plane as the map of its non-zero bytes, then those bytes. */
static uint8_t *put_special_plane(const bit_plane plane, uint8_t *dst) {
  uint8_t *map = dst;
  memset(map, 0, 16);
  dst += 16;
  for (int b = 0; b < PLANE_BYTES; b++)
    if (plane[b]) {
      map[b / 8] = (uint8_t)(map[b / 8] | 1 << b % 8);
      *dst++ = plane[b];
    }
  return dst;
}

/* The inverse, of at most `room` bytes; NULL if they are not such a plane. */
static const uint8_t *take_special_plane(const uint8_t *src, size_t room, bit_plane plane) {
  if (room < 16)
    return NULL;
  const uint8_t *map = src, *end = src + room;
  src += 16;
  memset(plane, 0, PLANE_BYTES);
  for (int b = 0; b < PLANE_BYTES; b++)
    if (map[b / 8] >> b % 8 & 1) {
      if (src == end || *src == 0)
        return NULL;
      plane[b] = *src++;
    }
  return src;
}

static inline int has_specials(const specials *s) {
  uint8_t any = 0;
  for (int b = 0; b < PLANE_BYTES; b++)
    any |= (uint8_t)(s->plus[b] | s->minus[b]);
  return any != 0;
}

/* The widths of a tile that is to be written. */
typedef struct tile_widths {
  tile_prefix lead; /* what stands before them */
  unsigned height;  /* planes: the largest width */
  ALIGNED uint8_t width[BLOCKS];
} tile_widths;

/* Completes the lead by what is to be said of the width planes. Returns the bytes up to their
 * end. */
GHZ_INLINE unsigned finish_widths(tile_widths *t) {
  t->lead.width_planes = bit_length(t->height);
  return choose_squeezing(&t->lead, widths_nonzero(t->width));
}

/* Everything of a tile but its planes. This and put_tile are inlined, so that what describes a tile
 * stays in registers (2 % of an addition; in plain C the opposite). */
GHZ_INLINE uint8_t *put_header(const tile_widths *t, const specials *s, uint8_t *dst) {
  const tile_prefix *h = &t->lead;
  const unsigned extra = lead_extra(h);
  dst[0] = lead_first(h, extra);
  dst[1] = (uint8_t)extra;
  dst += 1 + (extra != 0);
  memcpy(dst, &h->anchor, 8);
  dst += anchor_size(h->anchor);
  memcpy(dst, &h->slope, 8);
  dst += anchor_size(h->slope);
  dst = widths_store(t->width, h->width_planes, h->squeezed, dst);
  if (s)
    dst = put_special_plane(s->minus, put_special_plane(s->plus, dst));
  return dst;
}

GHZ_INLINE void load_plane(const uint8_t *plane, part x[PARTS]) {
  for (int i = 0; i < PARTS; i++)
    x[i] = part_load(plane + i * PART_BYTES);
}

GHZ_INLINE void store_plane(uint8_t *plane, const part x[PARTS]) {
  for (int i = 0; i < PARTS; i++)
    part_store(plane + i * PART_BYTES, x[i]);
}

static inline uint8_t *put_planes(const tile_widths *t, const bit_plane *planes, uint8_t *dst) {
  part w[PARTS];
  load_plane(t->width, w);
  for (unsigned p = 0; p < t->height; p++)
    for (int i = 0; i < PARTS; i++)
      part_squeeze(part_load(planes[p] + i * PART_BYTES), &dst, w[i], (int)p);
  return dst;
}

/* Writes a whole tile from its planes, which are not squeezed, and its specials, NULL if the lead
 * announces none. Returns its size. Zeros in coarse mode and order 0 are no bytes at all. */
LARGE_INLINE size_t put_tile(const tile_widths *t, const bit_plane *planes, const specials *s, uint8_t *dst) {
  if (lead_says_empty(&t->lead))
    return 0;
  return (size_t)(put_planes(t, planes, put_header(t, s, dst)) - dst);
}

/* Moves *p past the planes of widths that were loaded from there, if they end before `end`. */
GHZ_INLINE int pass_widths(const tile_prefix *lead, const loaded_widths *w, const uint8_t **p,
                           const uint8_t *end, tile_header *h) {
  if (!width_planes_fit(lead, w->nonzero, (size_t)(end - *p)))
    return 0;
  *p += width_planes_size(lead->width_planes, w->nonzero, lead->squeezed);
  h->height = w->largest;
  return 1;
}

/* Widths from their planes at *p, which they move on, and their sum. */
GHZ_INLINE int parse_widths(const tile_prefix *lead, const uint8_t **p, const uint8_t *end, tile_header *h,
                            unsigned *sum) {
  const loaded_widths w = widths_load(*p, lead->width_planes, lead->squeezed, h->width);
  *sum = w.sum;
  return pass_widths(lead, &w, p, end, h);
}

/* Whether a block behind n values has a width. */
static int blocks_beyond(const uint8_t width[BLOCKS], unsigned n) {
  const uint8_t blocks = (uint8_t)blocks_of(n),
                all = BLOCKS; /* bytes, like the widths: one register has many */
  uint8_t any = 0;
  for (uint8_t b = 0; b < all; b++)
    any |= b < blocks ? 0 : width[b];
  return any != 0;
}

static int specials_valid(const uint8_t *p, const uint8_t *end, unsigned n, const uint8_t **after) {
  specials s;
  const uint8_t *q = take_special_plane(p, (size_t)(end - p), s.plus);
  q = q ? take_special_plane(q, (size_t)(end - q), s.minus) : NULL;
  if (!q || !has_specials(&s))
    return 0;
  for (unsigned i = n; i < TILE; i++)
    if ((s.plus[i / 8] | s.minus[i / 8]) >> i % 8 & 1)
      return 0;
  *after = q;
  return 1;
}

/* A tile that is being taken apart. */
typedef struct tile_opening {
  tile_prefix lead;
  anchor_place at;
  loaded_widths widths;
} tile_opening;

/* The first steps of a tile that is not empty: what stands before the widths, and these. */
GHZ_INLINE int parse_lead(const ghz_lattice *l, tile_source src, tile_opening *o) {
  const uint8_t *p = src.data;
  return open_lead(l, src.terms, 1, p[0], p[1], src.size, &o->lead, &o->at) &&
         open_anchors(&o->lead, &o->at, load_u64(p + o->at.at), load_u64(p + o->at.at + o->at.anchor));
}

GHZ_INLINE void load_widths(tile_source src, tile_opening *o, tile_header *h) {
  o->widths = widths_load(src.data + widths_at(&o->at), o->lead.width_planes, o->lead.squeezed, h->width);
}

/* And the last. */
GHZ_INLINE ghz_status finish_parse(const ghz_lattice *l, tile_source src, unsigned n, const tile_opening *o,
                                   tile_header *h) {
  const uint8_t *p = src.data + widths_at(&o->at), *end = src.data + src.size;
  h->order = o->lead.order;
  h->mode = o->lead.mode;
  h->anchor = o->lead.anchor;
  h->slope = o->lead.slope;
  h->specials = NULL;
  if (!pass_widths(&o->lead, &o->widths, &p, end, h) || !height_valid(l, src.terms, &o->lead, h->height))
    return GHZ_ECORRUPT;
  if (n < TILE && blocks_beyond(h->width, n))
    return GHZ_ECORRUPT;
  if (o->lead.special) {
    h->specials = p;
    if (!specials_valid(p, end, n, &p))
      return GHZ_ECORRUPT;
  }
  h->planes = p;
  return planes_fit(src.size, (size_t)(p - src.data), o->widths.sum) ? GHZ_OK : GHZ_ECORRUPT;
}

/* Takes a lattice tile apart and checks all of it but the planes' bytes, which may be anything. */
GHZ_INLINE ghz_status parse(const ghz_lattice *l, tile_source src, unsigned n, tile_header *h) {
  tile_opening o;
  if (src.size == 0) { /* maybe without data: nothing may be added to NULL */
    *h = (tile_header){.planes = src.data};
    return GHZ_OK;
  }
  if (!parse_lead(l, src, &o))
    return GHZ_ECORRUPT;
  load_widths(src, &o, h);
  return finish_parse(l, src, n, &o, h);
}

/* A full one. */
LARGE_INLINE ghz_status parse_full(const ghz_lattice *l, const tile_source *src, tile_header *h) {
  return parse(l, *src, TILE, h);
}

/* Two full tiles that are not empty. With registers for it, step by step: a processor has the
 * widths of both on their way before it waits for either (2 % of an addition). */
GHZ_INLINE ghz_status parse_two(const ghz_lattice *l, const tile_source src[2], tile_header h[2]) {
  tile_opening o[2];
  if (!MANY_REGISTERS) {
    ghz_status status = parse_full(l, &src[0], &h[0]);
    return status == GHZ_OK ? parse_full(l, &src[1], &h[1]) : status;
  }
  if (!parse_lead(l, src[0], &o[0]) || !parse_lead(l, src[1], &o[1]))
    return GHZ_ECORRUPT;
  load_widths(src[0], &o[0], &h[0]);
  load_widths(src[1], &o[1], &h[1]);
  ghz_status status = finish_parse(l, src[0], TILE, &o[0], &h[0]);
  return status == GHZ_OK ? finish_parse(l, src[1], TILE, &o[1], &h[1]) : status;
}

static void parse_specials(const tile_header *h, specials *s) {
  take_special_plane(take_special_plane(h->specials, TILE_BYTES_MAX, s->plus), TILE_BYTES_MAX, s->minus);
}

/* Un-squeezes the planes of a tile, one after the other from the lowest on. */
typedef struct squeezed_planes {
  const uint8_t *next;
  part width[PARTS];
} squeezed_planes;

static inline void open_planes(squeezed_planes *s, const tile_header *h) {
  s->next = h->planes;
  load_plane(h->width, s->width);
}

/* x: plane p - 1 before, plane p after. */
GHZ_INLINE void expand_plane(squeezed_planes *s, unsigned p, part x[PARTS]) {
  for (int i = 0; i < PARTS; i++)
    x[i] = part_expand(x[i], &s->next, s->width[i], (int)p);
}

static void expand_planes(const tile_header *h, bit_plane *planes) {
  squeezed_planes s;
  part x[PARTS];
  open_planes(&s, h);
  zero_plane(x);
  for (unsigned p = 0; p < h->height; p++) {
    expand_plane(&s, p, x);
    store_plane(planes[p], x);
  }
}
