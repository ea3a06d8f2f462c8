/* moments_impl.h: sums of the integers of a tile, and of their squares. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* In two parts, so that no lane has to widen. */
static int64_t sum_of_narrow(const int32_t *q) {
  int32_t high = 0, low = 0;
  for (int i = 0; i < TILE; i++) {
    high += q[i] >> 16;
    low += q[i] & 0xffff;
  }
  return (int64_t)high * (1 << 16) + low;
}

/* Of magnitudes: multiplication without signs is what SSE2 has. */
static int64_t squares_of_narrow(const int32_t *q) {
  uint64_t sum = 0;
  for (int i = 0; i < TILE; i++) {
    const uint32_t size = q[i] < 0 ? 0 - (uint32_t)q[i] : (uint32_t)q[i];
    sum += (uint64_t)size * size;
  }
  return (int64_t)sum;
}

static void add_moments(tile_integers *t, wide_sum *sum, wide_sum *squares) {
  if (is_narrow(t)) {
    wide_sum_add(sum, sum_of_narrow(t->q32), t->shift);
    wide_sum_add(squares, squares_of_narrow(t->q32), 2 * t->shift);
    return;
  }
  widen_integers(t, t->shift);
  if (t->form == IN_50) {
    int64_t all;
    wide_sum_add(squares, sum_of_products(t->q64, t->q64, &all), 2 * t->shift);
    wide_sum_add(sum, all, t->shift);
    return;
  }
  for (unsigned i = 0; i < TILE; i++) {
    wide_sum_add(sum, t->q128[i], t->shift);
    wide_sum_add_product(squares, t->q128[i], t->q128[i], 2 * t->shift);
  }
}

static ghz_status moments(const ghz_lattice *l, tile_source src, const tile_extent *e, lattice_moments *m) {
  tile_integers t;
  m->finite += e->n;
  if (src.size == 0)
    return GHZ_OK;
  const ghz_status status = read_integers(l, src, e, &t);
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
