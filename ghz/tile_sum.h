/* tile_sum.h: arithmetic on bit rows: adding, shifting, raising the order, and writing the tile of a sum
 * (FORMAT.md, "Computing"). Part of tile_codec.h. */

/* A running sum: rows of a lattice tile, un-squeezed. */
typedef struct row_sum {
  int order, mode;
  unsigned height, limit; /* rows in use; rows that a result can need */
  int64_t anchor, slope;
  int special;
  specials specials;
  ALIGNED row_bytes rows[ROWS_MAX + 2];
} row_sum;

/* The value of column c. */
static int64_t column(const row_bytes *rows, unsigned height, unsigned c) {
  uint64_t v = 0;
  for (unsigned p = 0; p < height && p < 64; p++)
    v |= (uint64_t)(rows[p][c / 8] >> c % 8 & 1) << p;
  if (height && height < 64 && rows[height - 1][c / 8] >> c % 8 & 1)
    v |= ~UINT64_C(0) << height;
  return (int64_t)v;
}

static void clear_columns(row_bytes *rows, unsigned height, unsigned lead, unsigned n) {
  for (unsigned p = 0; p < height; p++) {
    rows[p][0] = (uint8_t)(rows[p][0] & (0xff << lead & 0xff));
    for (unsigned b = n / 8; b < ROW_BYTES; b++) {
      unsigned keep = b == n / 8 ? n % 8 : 0;
      rows[p][b] = (uint8_t)(rows[p][b] & ((1 << keep) - 1));
    }
  }
}

/* Raises the order by one, on rows (FORMAT.md, "Raising the order"). */
static void raise_order(row_sum *s, unsigned n) {
  part x[PARTS], borrow[PARTS];
  if (s->order == 1) /* readers ignore this column, where the anchor stands for it */
    clear_columns(s->rows, s->height, 1, n);
  unsigned height = s->height < ROWS_MAX ? s->height + (s->height > 0) : ROWS_MAX;
  if (height > s->height)
    memcpy(s->rows[s->height], s->rows[s->height - 1], ROW_BYTES);
  zero_row(borrow);
  for (unsigned p = 0; p < height; p++) {
    load_row(s->rows[p], x);
    raise_row(x, borrow);
    store_row(s->rows[p], x);
  }
  s->height = height;
  if (s->order == 0)
    s->anchor = column(s->rows, height, 0);
  else
    s->slope = n > 1 ? column(s->rows, height, 1) : 0;
  s->order++;
  clear_columns(s->rows, height, (unsigned)s->order, n);
}

/* Doubles the integers: from the coarse unit to the fine one. */
static void lift(row_sum *s, int mode, unsigned shift) {
  if (shift && s->height) {
    memmove(s->rows[1], s->rows[0], s->height * (size_t)ROW_BYTES);
    memset(s->rows[0], 0, ROW_BYTES);
    s->height++;
  }
  s->anchor = (int64_t)((uint64_t)s->anchor << shift);
  s->slope = (int64_t)((uint64_t)s->slope << shift);
  s->mode = mode;
}

static void raise_to(const ghz_lattice *l, row_sum *s, int mode, int order, unsigned n) {
  if (s->mode < mode)
    lift(s, mode, mode_shift(l->type, mode) - mode_shift(l->type, s->mode));
  while (s->order < order)
    raise_order(s, n);
}

/* Drops rows at the top that only repeat the sign. */
static void trim(row_sum *s) {
  while (s->height) {
    int same = 1;
    for (int i = 0; i < PARTS; i++) {
      part below = s->height > 1 ? part_load(s->rows[s->height - 2] + i * PART_BYTES) : part_zero();
      same &= part_equal(part_load(s->rows[s->height - 1] + i * PART_BYTES), below);
    }
    if (!same)
      return;
    s->height--;
  }
}

/* Where the rows of an operand come from: squeezed in a tile, or already raised in memory. */
typedef struct row_source {
  const tile_head *head;
  const row_bytes *rows;
  unsigned height;
} row_source;

/* sum += (-1)^negative * 2^shift * rows: a ripple-carry adder from row to row. Rows above an operand's last
 * repeat its sign. */
static void add_rows(row_sum *s, row_source src, int negative, unsigned shift) {
  part w[PARTS], x[PARTS], a[PARTS], carry[PARTS];
  const uint8_t *squeezed = src.head ? src.head->rows : NULL;
  zero_row(w), zero_row(x), zero_row(a);
  if (src.head)
    load_row(src.head->width, w);
  for (int i = 0; i < PARTS; i++)
    carry[i] = negative ? part_ones() : part_zero();
  unsigned top = s->height > src.height + shift ? s->height : src.height + shift;
  unsigned height = top + 1 < s->limit ? top + 1 : s->limit;
  for (unsigned p = 0; p < height; p++)
    for (int i = 0; i < PARTS; i++) {
      if (p < s->height)
        a[i] = part_load(s->rows[p] + i * PART_BYTES);
      if (p >= shift && p - shift < src.height)
        x[i] = src.head ? part_expand(x[i], &squeezed, w[i], (int)(p - shift))
                        : part_load(src.rows[p - shift] + i * PART_BYTES);
      part y = negative ? part_not(x[i]) : x[i];
      part_store(s->rows[p] + i * PART_BYTES, part_sum(a[i], y, carry[i]));
      carry[i] = part_carry(a[i], y, carry[i]);
    }
  s->height = height;
}

/* sum += c * operand, rows and anchors; both are at the same mode and order. */
static void add_multiple(row_sum *s, row_source src, int64_t anchor, int64_t slope, int64_t c) {
  uint64_t magnitude = c < 0 ? -(uint64_t)c : (uint64_t)c;
  s->anchor = (int64_t)((uint64_t)s->anchor + (uint64_t)c * (uint64_t)anchor);
  s->slope = (int64_t)((uint64_t)s->slope + (uint64_t)c * (uint64_t)slope);
  for (unsigned shift = 0; magnitude >> shift; shift++)
    if (magnitude >> shift & 1 && src.height)
      add_rows(s, src, c < 0, shift);
  trim(s);
}

static void add_specials(row_sum *s, const tile_head *h, int negative) {
  specials t;
  take_specials(h, &t);
  if (!s->special)
    memset(&s->specials, 0, sizeof s->specials);
  s->special = 1;
  for (int b = 0; b < ROW_BYTES; b++) {
    s->specials.plus[b] |= negative ? t.minus[b] : t.plus[b];
    s->specials.minus[b] |= negative ? t.plus[b] : t.minus[b];
  }
}

/* sum += c * tile. */
static void add_tile(const ghz_lattice *l, row_sum *s, const tile_head *h, int64_t c, unsigned n) {
  int mode = h->mode > s->mode ? h->mode : s->mode, order = h->order > s->order ? h->order : s->order;
  raise_to(l, s, mode, order, n);
  if (h->specials)
    add_specials(s, h, c < 0);
  if (h->mode == mode && h->order == order) {
    add_multiple(s, (row_source){h, NULL, h->height}, h->anchor, h->slope, c);
    return;
  }
  row_sum raised = {
      .order = h->order, .mode = h->mode, .height = h->height, .anchor = h->anchor, .slope = h->slope};
  expand_rows(h, raised.rows);
  raise_to(l, &raised, mode, order, n);
  add_multiple(s, (row_source){NULL, raised.rows, raised.height}, raised.anchor, raised.slope, c);
}

/* The tile of a sum: finds the widths and squeezes. */
static ghz_status write_sum(const row_sum *s, uint8_t *dst, size_t *size) {
  ALIGNED uint8_t width[BLOCKS];
  part w[PARTS], below[PARTS], row[PARTS];
  unsigned height = 0;
  zero_row(w);
  zero_row(below);
  for (unsigned p = 0; p < s->height; p++) {
    load_row(s->rows[p], row);
    widen(w, row, below, p, &height);
  }
  store_row(width, w);
  if (height > WIDTH_MAX)
    return GHZ_ECORRUPT;
  *size = put_tile(s->mode, s->order, s->anchor, s->slope, height, width, s->rows,
                   s->special ? &s->specials : NULL, dst);
  return GHZ_OK;
}

/* Bit c of a row, at place p of an integer. */
static inline uint64_t row_bit(const part x[PARTS], unsigned c, unsigned p) {
  return (part_low(x[0]) >> c & 1) << p;
}

/* All ones but for the first columns: a mask for a row's first part. */
static inline part all_but(unsigned columns) {
  uint64_t words[PART_BYTES / 8];
  memset(words, 0xff, sizeof words);
  words[0] <<= columns;
  return part_load((const uint8_t *)words);
}

/* a + b in one pass over the rows, in registers: b is un-squeezed, raised `raises` times and added to a as it
 * comes. Full tiles of the same mode without specials; a's order is b's plus raises. */
static inline __attribute__((always_inline)) size_t add_pair(const tile_head *a, const tile_head *b, int raises,
                                                             unsigned limit, uint8_t *dst) {
  ALIGNED row_bytes rows[ROWS_MAX];
  ALIGNED uint8_t width[BLOCKS];
  part wa[PARTS], wb[PARTS], x[PARTS], y[PARTS], carry[PARTS], first[PARTS], second[PARTS], w[PARTS],
      below[PARTS];
  const uint8_t *from_a = a->rows, *from_b = b->rows;
  const part keep = all_but((unsigned)b->order + 1), keep_one = all_but(1), keep_two = all_but(2);
  uint64_t column0 = 0, column1 = 0;
  unsigned top = a->height > b->height + (unsigned)raises ? a->height : b->height + (unsigned)raises;
  unsigned rows_needed = top + (top > 0) < limit ? top + (top > 0) : limit, height = 0;
  load_row(a->width, wa);
  load_row(b->width, wb);
  zero_row(x), zero_row(y), zero_row(carry), zero_row(first), zero_row(second), zero_row(w), zero_row(below);
  for (unsigned p = 0; p < rows_needed; p++) {
    part z[PARTS];
    for (int i = 0; i < PARTS; i++) {
      x[i] = part_expand(x[i], &from_a, wa[i], (int)p);
      y[i] = part_expand(y[i], &from_b, wb[i], (int)p);
      z[i] = y[i];
    }
    if (raises) {
      if (b->order == 1) /* readers ignore this column, where the anchor stands for it */
        z[0] = part_and(z[0], keep_one);
      raise_row(z, first);
      if (b->order == 0)
        column0 |= row_bit(z, 0, p);
      else
        column1 |= row_bit(z, 1, p);
      z[0] = part_and(z[0], keep);
    }
    if (raises == 2) {
      raise_row(z, second);
      column1 |= row_bit(z, 1, p);
      z[0] = part_and(z[0], keep_two);
    }
    for (int i = 0; i < PARTS; i++) {
      part s = part_sum(x[i], z[i], carry[i]);
      carry[i] = part_carry(x[i], z[i], carry[i]);
      part_store(rows[p] + i * PART_BYTES, s);
      w[i] = part_widen(w[i], s, below[i], p, &height);
      below[i] = s;
    }
  }
  store_row(width, w);
  uint64_t anchor = (uint64_t)b->anchor, slope = (uint64_t)b->slope;
  unsigned sign = 64 - rows_needed;
  if (raises && b->order == 0)
    anchor = rows_needed ? (uint64_t)((int64_t)(column0 << sign) >> sign) : 0;
  if (raises && a->order == 2)
    slope = rows_needed ? (uint64_t)((int64_t)(column1 << sign) >> sign) : 0;
  anchor += (uint64_t)a->anchor;
  slope += (uint64_t)a->slope;
  return put_tile(a->mode, a->order, (int64_t)anchor, (int64_t)slope, height, width, rows, NULL, dst);
}

static size_t add_two(const tile_head *a, const tile_head *b, unsigned limit, uint8_t *dst) {
  if (a->order == b->order)
    return add_pair(a, b, 0, limit, dst);
  if (a->order < b->order) {
    const tile_head *t = a;
    a = b;
    b = t;
  }
  return a->order - b->order == 1 ? add_pair(a, b, 1, limit, dst) : add_pair(a, b, 2, limit, dst);
}
