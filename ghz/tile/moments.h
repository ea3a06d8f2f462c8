/* moments.h: sums of the integers of a tile, and of their squares. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* In two parts, so that no lane has to widen. */
static int64_t sum_of(const int32_t *q) {
  int32_t high = 0, low = 0;
  for (int i = 0; i < TILE; i++) {
    high += q[i] >> 16;
    low += q[i] & 0xffff;
  }
  return (int64_t)high * (1 << 16) + low;
}

/* Of magnitudes: multiplication without signs is what SSE2 has. */
static int64_t squares_of(const int32_t *q) {
  uint64_t sum = 0;
  for (int i = 0; i < TILE; i++) {
    const uint32_t size = q[i] < 0 ? 0 - (uint32_t)q[i] : (uint32_t)q[i];
    sum += (uint64_t)size * size;
  }
  return (int64_t)sum;
}

/* Integers in two parts: high * 2^split + low. */
typedef struct parts_of_integers {
  const int32_t *high, *low;
  unsigned split;
} parts_of_integers;

static int128 sum_of_parts(const parts_of_integers *p) {
  return ((int128)sum_of(p->high) * ((int128)1 << p->split)) + sum_of(p->low);
}

/* *s += (high * 2^(2 split) + mixed * 2^split + low) * 2^shift */
static void add_three(wide_sum *s, int128 high, int128 mixed, int128 low, unsigned split, unsigned shift) {
  wide_sum sum = {{0}};
  wide_sum_add(&sum, low, 0);
  wide_sum_add(&sum, mixed, split);
  wide_sum_add(&sum, high, 2 * split);
  wide_sum_add_256(s, (uint128)sum.limb[1] << 64 | sum.limb[0],
                   (int128)((uint128)sum.limb[3] << 64 | sum.limb[2]), shift);
}

static void add_squares(const parts_of_integers *p, unsigned shift, wide_sum *s) {
  int64_t high = 0, mixed = 0, low = 0;
  for (int i = 0; i < TILE; i++) {
    const int64_t h = p->high[i], l = p->low[i];
    high += h * h;
    mixed += h * l;
    low += l * l;
  }
  add_three(s, high, 2 * (int128)mixed, low, p->split, shift);
}

static void add_moments(tile_integers *t, wide_sum *sum, wide_sum *squares) {
  make_products_fit(t);
  if (t->form == PLAIN_32) {
    wide_sum_add(sum, sum_of(t->q32), t->shift);
    wide_sum_add(squares, squares_of(t->q32), 2 * t->shift);
  } else if (t->form == SPLIT) {
    const parts_of_integers p = {t->q32, t->low, t->split};
    wide_sum_add(sum, sum_of_parts(&p), t->shift);
    add_squares(&p, 2 * t->shift, squares);
  } else {
    for (unsigned i = 0; i < TILE; i++) {
      wide_sum_add(sum, t->q128[i], t->shift);
      wide_sum_add_product(squares, t->q128[i], t->q128[i], 2 * t->shift);
    }
  }
}

static ghz_status moments(const ghz_lattice *l, tile_source src, const tile_extent *e, lattice_moments *m) {
  tile_integers t;
  m->finite += e->n;
  if (src.size == 0)
    return GHZ_OK;
  const ghz_status status = take_integers(l, src, e, &t);
  if (status != GHZ_OK)
    return status;
  if (t.special) {
    const unsigned finite = TILE - count_columns(t.hidden);
    m->finite -= e->n - finite;
    m->specials += e->n - finite;
  }
  add_moments(&t, &m->sum, &m->squares);
  return GHZ_OK;
}
