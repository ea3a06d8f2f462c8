/* comparison_impl.h: two tiles side by side: the sums of their products and differences, and
 * where they differ most. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* What is summed up of the pairs of a tile. */
typedef struct pair_sums {
  int64_t difference, magnitude[2], largest;
  int128 product, squares;
} pair_sums;

static pair_sums narrow_pairs(const int32_t *a, const int32_t *b) {
  pair_sums s = {0};
  int64_t product = 0, squares = 0;
  int32_t largest = 0;
  for (int i = 0; i < TILE; i++) {
    const int32_t d = a[i] - b[i], size = d < 0 ? -d : d;
    s.difference += d;
    s.magnitude[0] += a[i] < 0 ? -a[i] : a[i];
    s.magnitude[1] += b[i] < 0 ? -b[i] : b[i];
    largest = size > largest ? size : largest;
  }
  for (int i = 0; i < TILE; i++) {
    const int32_t d = a[i] - b[i];
    product += (int64_t)a[i] * b[i];
    squares += (int64_t)d * d;
  }
  s.product = product;
  s.squares = squares;
  s.largest = largest;
  return s;
}

static pair_sums wide_pairs(const int64_t *a, const int64_t *b) {
  pair_sums s = {0};
  ALIGNED int64_t d[TILE];
  int64_t sum_of_a;
  for (int i = 0; i < TILE; i++) {
    d[i] = a[i] - b[i];
    const int64_t size = d[i] < 0 ? -d[i] : d[i];
    s.magnitude[0] += a[i] < 0 ? -a[i] : a[i];
    s.magnitude[1] += b[i] < 0 ? -b[i] : b[i];
    s.largest = size > s.largest ? size : s.largest;
  }
  s.product = sum_of_products(a, b, &sum_of_a);
  s.squares = sum_of_products(d, d, &s.difference);
  return s;
}

static uint128 add_pair_sums(const pair_sums *s, unsigned shift, lattice_comparison *c) {
  wide_sum_add(&c->product, s->product, 2 * shift);
  wide_sum_add(&c->difference, s->difference, shift);
  wide_sum_add(&c->squares, s->squares, 2 * shift);
  for (int i = 0; i < 2; i++)
    wide_sum_add(&c->magnitude[i], s->magnitude[i], shift);
  return (uint128)s->largest << shift;
}

static inline uint128 magnitude_of(int128 v) {
  return v < 0 ? 0 - (uint128)v : (uint128)v;
}

static uint128 add_any_pairs(const tile_integers t[2], lattice_comparison *c) {
  const unsigned shift = t[0].shift;
  uint128 largest = 0;
  for (unsigned v = 0; v < TILE; v++) {
    const int128 a = integer_in(&t[0], v), b = integer_in(&t[1], v), d = a - b;
    wide_sum_add_product(&c->product, a, b, 2 * shift);
    wide_sum_add(&c->difference, d, shift);
    wide_sum_add_product(&c->squares, d, d, 2 * shift);
    wide_sum_add(&c->magnitude[0], (int128)magnitude_of(a), shift);
    wide_sum_add(&c->magnitude[1], (int128)magnitude_of(b), shift);
    largest = magnitude_of(d) > largest ? magnitude_of(d) : largest;
  }
  return largest << shift;
}

/* Adds up what the pairs give; returns the largest difference. */
static uint128 add_pairs(tile_integers t[2], lattice_comparison *c) {
  const unsigned shift = t[0].shift < t[1].shift ? t[0].shift : t[1].shift;
  pair_sums s;
  if (t[0].shift == t[1].shift && is_narrow(&t[0]) && is_narrow(&t[1])) {
    s = narrow_pairs(t[0].q32, t[1].q32);
    return add_pair_sums(&s, shift, c);
  }
  for (int i = 0; i < 2; i++)
    widen_integers(&t[i], shift);
  if (t[0].form != IN_50 || t[1].form != IN_50)
    return add_any_pairs(t, c);
  s = wide_pairs(t[0].q64, t[1].q64);
  return add_pair_sums(&s, shift, c);
}

/* Notes the first place of a tile's largest difference if it is larger than those of other tiles,
 * or the same and at a smaller index. */
static void note_largest(const tile_integers t[2], const tile_place *p, uint64_t first, uint128 largest,
                         lattice_comparison *c) {
  if (c->any && (largest < c->largest || (largest == c->largest && first >= c->at)))
    return;
  for (line_walk w = first_line(p); more_lines(&w); next_line(&w))
    for (unsigned x = 0; x < p->extent.x; x++) {
      const unsigned column = (unsigned)w.column + x;
      const uint64_t at = first + w.at + x;
      const int128 d = exact_integer(&t[0], column) * ((int128)1 << t[0].shift) -
                       exact_integer(&t[1], column) * ((int128)1 << t[1].shift);
      if (magnitude_of(d) != largest || (t[0].hides && column_in(t[0].hidden, column)))
        continue;
      if (!c->any || largest > c->largest || at < c->at) {
        c->largest = largest;
        c->at = at;
        c->any = 1;
      }
      return;
    }
}

/* Hides in both what one of them hides, and counts where their specials differ. Returns the pairs
 * that are left. */
static unsigned hide_in_both(tile_integers t[2], unsigned n, uint64_t *mismatches) {
  static const specials none;
  ALIGNED bit_plane differ;
  if (!t[0].special && !t[1].special)
    return n;
  const specials *a = t[0].special ? &t[0].specials : &none, *b = t[1].special ? &t[1].specials : &none;
  for (int i = 0; i < PLANE_BYTES; i++) {
    const uint8_t both = (uint8_t)((t[0].hides ? t[0].hidden[i] : 0) | (t[1].hides ? t[1].hidden[i] : 0));
    differ[i] = (uint8_t)((a->plus[i] ^ b->plus[i]) | (a->minus[i] ^ b->minus[i]));
    t[0].hidden[i] = t[1].hidden[i] = both;
  }
  for (int i = 0; i < 2; i++) {
    t[i].hides = 1;
    hide_columns(&t[i], t[i].hidden);
  }
  *mismatches += count_columns(differ);
  return TILE - count_columns(t[0].hidden);
}

/* Two tiles of zeros. */
static ghz_status compare_zeros(unsigned n, uint64_t first, lattice_comparison *c) {
  c->finite += n;
  if (!c->any || (c->largest == 0 && first < c->at)) {
    c->largest = 0;
    c->at = first;
    c->any = 1;
  }
  return GHZ_OK;
}

static ghz_status compare(const ghz_lattice *l, const tile_source src[2], const tile_place *p, uint64_t first,
                          lattice_comparison *c) {
  tile_integers t[2];
  if (src[0].size == 0 && src[1].size == 0)
    return compare_zeros(p->extent.n, first, c);
  for (int i = 0; i < 2; i++) {
    const ghz_status status = read_integers(l, src[i], &p->extent, &t[i]);
    if (status != GHZ_OK)
      return status;
  }
  for (int i = 0; i < 2; i++)
    if (src[i].size == 0) /* zeros, in any units */
      t[i].shift = t[1 - i].shift;
  const unsigned n = p->extent.n, finite = hide_in_both(t, n, &c->mismatches);
  c->finite += finite;
  c->specials += n - finite;
  const uint128 largest = add_pairs(t, c);
  if (finite)
    note_largest(t, p, first, largest, c);
  return GHZ_OK;
}

/* The integers of the values inside, in the order of the array and in the units of the stream, and
 * their specials: 1 +Inf, 2 -Inf, 3 NaN. */
static ghz_status list_integers(const ghz_lattice *l, tile_source src, const tile_extent *e, int128 *k,
                                uint8_t *special) {
  tile_integers t;
  const tile_place packed = packed_place(*e);
  const ghz_status status = read_integers(l, src, e, &t);
  if (status != GHZ_OK)
    return status;
  for (line_walk w = first_line(&packed); more_lines(&w); next_line(&w))
    for (unsigned x = 0; x < e->x; x++) {
      const unsigned column = (unsigned)w.column + x;
      k[w.at + x] = exact_integer(&t, column) * ((int128)1 << t.shift);
      special[w.at + x] =
          t.special ? (uint8_t)(column_in(t.specials.plus, column) | column_in(t.specials.minus, column) << 1)
                    : 0;
    }
  return GHZ_OK;
}
