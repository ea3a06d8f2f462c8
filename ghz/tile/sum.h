/* sum.h: arithmetic on bit planes: adding, shifting, raising the order, and writing the tile of a sum
 * (FORMAT.md, "Computing"). Part of codec.h. */

/* A running sum: planes of a lattice tile, un-squeezed. */
typedef struct plane_sum {
  int order, mode;
  unsigned height, limit; /* planes in use; planes that a result can need */
  int64_t anchor, slope;
  int special;
  specials specials;
  ALIGNED bit_plane planes[PLANES_MAX + 2];
} plane_sum;

/* The value of column c. */
static int64_t column(const bit_plane *planes, unsigned height, unsigned c) {
  uint64_t v = 0;
  for (unsigned p = 0; p < height && p < 64; p++)
    v |= (uint64_t)(planes[p][c / 8] >> c % 8 & 1) << p;
  if (height && height < 64 && planes[height - 1][c / 8] >> c % 8 & 1)
    v |= ~UINT64_C(0) << height;
  return (int64_t)v;
}

static void clear_columns(bit_plane *planes, unsigned height, unsigned lead, unsigned n) {
  for (unsigned p = 0; p < height; p++) {
    planes[p][0] = (uint8_t)(planes[p][0] & (0xff << lead & 0xff));
    for (unsigned b = n / 8; b < PLANE_BYTES; b++) {
      unsigned keep = b == n / 8 ? n % 8 : 0;
      planes[p][b] = (uint8_t)(planes[p][b] & ((1 << keep) - 1));
    }
  }
}

/* Raises the order by one, on planes (FORMAT.md, "Raising the order"). */
static void raise_order(plane_sum *s, unsigned n) {
  part x[PARTS], borrow[PARTS];
  if (s->order == 1) /* readers ignore this column, where the anchor stands for it */
    clear_columns(s->planes, s->height, 1, n);
  unsigned height = s->height < PLANES_MAX ? s->height + (s->height > 0) : PLANES_MAX;
  if (height > s->height)
    memcpy(s->planes[s->height], s->planes[s->height - 1], PLANE_BYTES);
  zero_plane(borrow);
  for (unsigned p = 0; p < height; p++) {
    load_plane(s->planes[p], x);
    raise_plane(x, borrow);
    store_plane(s->planes[p], x);
  }
  s->height = height;
  if (s->order == 0)
    s->anchor = column(s->planes, height, 0);
  else
    s->slope = n > 1 ? column(s->planes, height, 1) : 0;
  s->order++;
  clear_columns(s->planes, height, (unsigned)s->order, n);
}

/* Doubles the integers: from the coarse unit to the fine one. */
static void lift(plane_sum *s, int mode, unsigned shift) {
  if (shift && s->height) {
    memmove(s->planes[1], s->planes[0], s->height * (size_t)PLANE_BYTES);
    memset(s->planes[0], 0, PLANE_BYTES);
    s->height++;
  }
  s->anchor = (int64_t)((uint64_t)s->anchor << shift);
  s->slope = (int64_t)((uint64_t)s->slope << shift);
  s->mode = mode;
}

static void raise_to(const ghz_lattice *l, plane_sum *s, int mode, int order, unsigned n) {
  if (s->mode < mode)
    lift(s, mode, mode_shift(l->type, mode) - mode_shift(l->type, s->mode));
  while (s->order < order)
    raise_order(s, n);
}

/* Drops planes at the top that only repeat the sign. */
static void trim(plane_sum *s) {
  while (s->height) {
    int same = 1;
    for (int i = 0; i < PARTS; i++) {
      part below = s->height > 1 ? part_load(s->planes[s->height - 2] + i * PART_BYTES) : part_zero();
      same &= part_equal(part_load(s->planes[s->height - 1] + i * PART_BYTES), below);
    }
    if (!same)
      return;
    s->height--;
  }
}

/* Where the planes of an operand come from: squeezed in a tile, or already raised in memory. */
typedef struct plane_source {
  const tile_header *header;
  const bit_plane *planes;
  unsigned height;
} plane_source;

/* sum += (-1)^negative * 2^shift * planes: a ripple-carry adder from plane to plane. Planes above an operand's last
 * repeat its sign. */
static void add_planes(plane_sum *s, plane_source src, int negative, unsigned shift) {
  part w[PARTS], x[PARTS], a[PARTS], carry[PARTS];
  const uint8_t *squeezed = src.header ? src.header->planes : NULL;
  zero_plane(w), zero_plane(x), zero_plane(a);
  if (src.header)
    load_plane(src.header->width, w);
  for (int i = 0; i < PARTS; i++)
    carry[i] = negative ? part_ones() : part_zero();
  unsigned top = s->height > src.height + shift ? s->height : src.height + shift;
  unsigned height = top + 1 < s->limit ? top + 1 : s->limit;
  for (unsigned p = 0; p < height; p++)
    for (int i = 0; i < PARTS; i++) {
      if (p < s->height)
        a[i] = part_load(s->planes[p] + i * PART_BYTES);
      if (p >= shift && p - shift < src.height)
        x[i] = src.header ? part_expand(x[i], &squeezed, w[i], (int)(p - shift))
                          : part_load(src.planes[p - shift] + i * PART_BYTES);
      part y = negative ? part_not(x[i]) : x[i];
      part_store(s->planes[p] + i * PART_BYTES, part_sum(a[i], y, carry[i]));
      carry[i] = part_carry(a[i], y, carry[i]);
    }
  s->height = height;
}

/* sum += c * operand, planes and anchors; both are at the same mode and order. */
static void add_multiple(plane_sum *s, plane_source src, int64_t anchor, int64_t slope, int64_t c) {
  uint64_t magnitude = c < 0 ? -(uint64_t)c : (uint64_t)c;
  s->anchor = (int64_t)((uint64_t)s->anchor + (uint64_t)c * (uint64_t)anchor);
  s->slope = (int64_t)((uint64_t)s->slope + (uint64_t)c * (uint64_t)slope);
  for (unsigned shift = 0; magnitude >> shift; shift++)
    if (magnitude >> shift & 1 && src.height)
      add_planes(s, src, c < 0, shift);
  trim(s);
}

static void add_specials(plane_sum *s, const tile_header *h, int negative) {
  specials t;
  take_specials(h, &t);
  if (!s->special)
    memset(&s->specials, 0, sizeof s->specials);
  s->special = 1;
  for (int b = 0; b < PLANE_BYTES; b++) {
    s->specials.plus[b] |= negative ? t.minus[b] : t.plus[b];
    s->specials.minus[b] |= negative ? t.plus[b] : t.minus[b];
  }
}

/* sum += c * tile. */
static void add_tile(const ghz_lattice *l, plane_sum *s, const tile_header *h, int64_t c, unsigned n) {
  int mode = h->mode > s->mode ? h->mode : s->mode, order = h->order > s->order ? h->order : s->order;
  raise_to(l, s, mode, order, n);
  if (h->specials)
    add_specials(s, h, c < 0);
  if (h->mode == mode && h->order == order) {
    add_multiple(s, (plane_source){h, NULL, h->height}, h->anchor, h->slope, c);
    return;
  }
  plane_sum raised = {
      .order = h->order, .mode = h->mode, .height = h->height, .anchor = h->anchor, .slope = h->slope};
  expand_planes(h, raised.planes);
  raise_to(l, &raised, mode, order, n);
  add_multiple(s, (plane_source){NULL, raised.planes, raised.height}, raised.anchor, raised.slope, c);
}

/* The tile of a sum: finds the widths and squeezes. */
static ghz_status write_sum(const plane_sum *s, uint8_t *dst, size_t *size) {
  ALIGNED uint8_t width[BLOCKS];
  part w[PARTS], below[PARTS], plane[PARTS];
  unsigned height = 0;
  zero_plane(w);
  zero_plane(below);
  for (unsigned p = 0; p < s->height; p++) {
    load_plane(s->planes[p], plane);
    widen(w, plane, below, p, &height);
  }
  store_plane(width, w);
  if (height > WIDTH_MAX)
    return GHZ_ECORRUPT;
  *size = put_tile(s->mode, s->order, s->anchor, s->slope, height, width, s->planes,
                   s->special ? &s->specials : NULL, dst);
  return GHZ_OK;
}

/* Bit c of a plane, at place p of an integer. */
static inline uint64_t plane_bit(const part x[PARTS], unsigned c, unsigned p) {
  return (part_low(x[0]) >> c & 1) << p;
}

/* All ones but for the first columns: a mask for a plane's first part. */
static inline part all_but(unsigned columns) {
  uint64_t words[PART_BYTES / 8];
  memset(words, 0xff, sizeof words);
  words[0] <<= columns;
  return part_load((const uint8_t *)words);
}

/* a + b in one pass over the planes, in registers: b is un-squeezed, raised `raises` times and added to a as it
 * comes. Full tiles of the same mode without specials; a's order is b's plus raises. */
static inline __attribute__((always_inline)) size_t add_pair(const tile_header *a, const tile_header *b,
                                                             int raises, unsigned limit, uint8_t *dst) {
  ALIGNED bit_plane planes[PLANES_MAX];
  ALIGNED uint8_t width[BLOCKS];
  part wa[PARTS], wb[PARTS], x[PARTS], y[PARTS], carry[PARTS], first[PARTS], second[PARTS], w[PARTS],
      below[PARTS];
  const uint8_t *from_a = a->planes, *from_b = b->planes;
  const part keep = all_but((unsigned)b->order + 1), keep_one = all_but(1), keep_two = all_but(2);
  uint64_t column0 = 0, column1 = 0;
  unsigned top = a->height > b->height + (unsigned)raises ? a->height : b->height + (unsigned)raises;
  unsigned planes_needed = top + (top > 0) < limit ? top + (top > 0) : limit, height = 0;
  load_plane(a->width, wa);
  load_plane(b->width, wb);
  zero_plane(x), zero_plane(y), zero_plane(carry), zero_plane(first), zero_plane(second), zero_plane(w),
      zero_plane(below);
  for (unsigned p = 0; p < planes_needed; p++) {
    part z[PARTS];
    for (int i = 0; i < PARTS; i++) {
      x[i] = part_expand(x[i], &from_a, wa[i], (int)p);
      y[i] = part_expand(y[i], &from_b, wb[i], (int)p);
      z[i] = y[i];
    }
    if (raises) {
      if (b->order == 1) /* readers ignore this column, where the anchor stands for it */
        z[0] = part_and(z[0], keep_one);
      raise_plane(z, first);
      if (b->order == 0)
        column0 |= plane_bit(z, 0, p);
      else
        column1 |= plane_bit(z, 1, p);
      z[0] = part_and(z[0], keep);
    }
    if (raises == 2) {
      raise_plane(z, second);
      column1 |= plane_bit(z, 1, p);
      z[0] = part_and(z[0], keep_two);
    }
    for (int i = 0; i < PARTS; i++) {
      part s = part_sum(x[i], z[i], carry[i]);
      carry[i] = part_carry(x[i], z[i], carry[i]);
      part_store(planes[p] + i * PART_BYTES, s);
      w[i] = part_widen(w[i], s, below[i], p, &height);
      below[i] = s;
    }
  }
  store_plane(width, w);
  uint64_t anchor = (uint64_t)b->anchor, slope = (uint64_t)b->slope;
  unsigned sign = 64 - planes_needed;
  if (raises && b->order == 0)
    anchor = planes_needed ? (uint64_t)((int64_t)(column0 << sign) >> sign) : 0;
  if (raises && a->order == 2)
    slope = planes_needed ? (uint64_t)((int64_t)(column1 << sign) >> sign) : 0;
  anchor += (uint64_t)a->anchor;
  slope += (uint64_t)a->slope;
  return put_tile(a->mode, a->order, (int64_t)anchor, (int64_t)slope, height, width, planes, NULL, dst);
}

static size_t add_two(const tile_header *a, const tile_header *b, unsigned limit, uint8_t *dst) {
  if (a->order == b->order)
    return add_pair(a, b, 0, limit, dst);
  if (a->order < b->order) {
    const tile_header *t = a;
    a = b;
    b = t;
  }
  return a->order - b->order == 1 ? add_pair(a, b, 1, limit, dst) : add_pair(a, b, 2, limit, dst);
}
