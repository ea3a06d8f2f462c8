/* put_impl.h: writing a tile: its header, its widths and its planes (FORMAT.md, "Tile"). Part of
 * codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* The widths of a tile that is to be written. */
typedef struct tile_widths {
  tile_lead lead;  /* what stands before them */
  unsigned height; /* planes: the largest width */
  unsigned head;   /* bytes up to the end of the width planes */
  ALIGNED uint8_t width[BLOCKS];
} tile_widths;

/* Completes the lead by what is to be said of the width planes. Returns the bytes up to their end:
 * what stands behind them need not wait for their bytes. */
GHZ_INLINE unsigned finish_widths(tile_widths *t) {
  t->lead.width_planes = bit_length(t->height);
  return t->head = choose_squeezing(&t->lead, widths_nonzero(t->width));
}

/* Completes the head of coefficients whose first one and widths are known. Returns the bytes up to
 * the end of the width planes. */
static unsigned finish_coefficients(tile_widths *t) {
  tile_lead *h = &t->lead;
  h->width_planes = bit_length(t->height);
  const unsigned nonzero = widths_nonzero(t->width);
  h->squeezed = squeezing_pays(h->width_planes, nonzero);
  return t->head = 1 + anchor_size(h->anchor) + width_planes_size(h->width_planes, nonzero, h->squeezed);
}

/* What stands before the planes of the lattice. This and put_tile are inlined, so that what
 * describes a tile stays in registers (2 % of an addition; in plain C the opposite). */
GHZ_INLINE uint8_t *put_header(const tile_widths *t, const specials *s, uint8_t *dst) {
  const tile_lead *h = &t->lead;
  const unsigned extra = lead_extra_of(h, sizes_of_anchors(h));
  uint8_t *p = dst + 1 + (extra != 0);
  dst[0] = lead_first(h, extra);
  dst[1] = (uint8_t)extra;
  memcpy(p, &h->anchor, 8);
  p += anchor_size(h->anchor);
  memcpy(p, &h->slope, 8);
  widths_store(t->width, h->width_planes, h->squeezed, p + anchor_size(h->slope));
  return s ? put_specials(s, dst + t->head) : dst + t->head;
}

static uint8_t *put_coefficients_header(const tile_widths *t, uint8_t *dst) {
  const tile_lead *h = &t->lead;
  dst[0] = coefficients_head(h);
  memcpy(dst + 1, &h->anchor, 8);
  widths_store(t->width, h->width_planes, h->squeezed, dst + 1 + anchor_size(h->anchor));
  return dst + t->head;
}

/* Of the first so many parts. */
GHZ_INLINE uint8_t *put_parts(int parts, const part w[PARTS], unsigned height, const bit_plane *planes,
                              uint8_t *dst) {
  for (unsigned p = 0; p < height; p++)
    for (int i = 0; i < parts; i++)
      part_squeeze(part_load(planes[p] + i * PART_BYTES), &dst, w[i], (int)p);
  return dst;
}

static inline uint8_t *put_planes(const tile_widths *t, const bit_plane *planes, uint8_t *dst) {
  part w[PARTS];
  load_plane(t->width, w);
  return put_parts(PARTS, w, t->height, planes, dst);
}

static inline uint8_t *put_coefficient_planes(const tile_widths *t, const bit_plane *planes, uint8_t *dst) {
  part w[PARTS];
  load_plane(t->width, w);
  return WITH_PARTS(live_parts(w), put_parts, w, t->height, planes, dst);
}

/* A layer that is to be written: its widths, and its planes, which are not squeezed. */
typedef struct plain_layer {
  const tile_widths *widths;
  const bit_plane *planes;
} plain_layer;

/* Writes a whole tile with its specials, NULL if the lead announces none, and its coefficients,
 * NULL if it has none. Returns its size. Zeros in coarse mode and order 0 are no bytes at all. */
LARGE_INLINE size_t put_tile(const plain_layer *lattice, const specials *s, const plain_layer *coefficients,
                             uint8_t *dst) {
  if (lead_says_empty(&lattice->widths->lead))
    return 0;
  uint8_t *p = put_header(lattice->widths, s, dst);
  if (coefficients)
    p = put_coefficients_header(coefficients->widths, p);
  p = put_planes(lattice->widths, lattice->planes, p);
  if (coefficients)
    p = put_coefficient_planes(coefficients->widths, coefficients->planes, p);
  return (size_t)(p - dst);
}
