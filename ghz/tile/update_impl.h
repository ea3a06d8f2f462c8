/* update_impl.h: a tile that is compressed again after some of its values have changed: where
 * the others stay (FORMAT.md, "Update"). Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Values of a tile in the order of columns inside, and what its old bytes decompress to. */
typedef struct tile_change {
  const ghz_lattice *lattice;
  unsigned n;
  ALIGNED uint8_t now[TILE * 8], before[TILE * 8];
} tile_change;

/* Whether value i stays: it is finite, not missing, and has the bits that it had. */
static int value_stays(const tile_change *c, fill_test fill, unsigned i) {
  const ghz_type type = c->lattice->type;
  const size_t size = value_bytes(type);
  const uint64_t b = load_value(c->now + size * i, size);
  return b == load_value(c->before + size * i, size) && bits_are_finite(type, fill, b);
}

static int any_stays(const tile_change *c) {
  const fill_test fill = fill_test_of(c->lattice);
  for (unsigned i = 0; i < c->n; i++)
    if (value_stays(c, fill, i))
      return 1;
  return 0;
}

/* Whether the old tile's values are integers of its lattice, so that they lie on every lattice
 * whose step is a part of its step; *halves is 1 if they may be odd ones of half a step. */
static int values_on_lattice(const old_tile *old, const tile_extent *e, int *halves) {
  tile_header t;
  encoded_tile room;
  const int on =
      !is_raw(old->src) && parse(old->lattice, padded_copy(old->src, &room), e, &t) == GHZ_OK && !t.transformed;
  *halves = on && mode_shift(old->lattice->type, t.lattice.mode) && !is_grid(old->lattice);
  return on;
}

/* Whether values that stay go to whole steps, of fine tiles too, so that they stay there in coarse
 * ones. Not where the step shrinks: they would be within the old bound alone. */
static int meets_on_steps(const ghz_lattice *l, const ghz_lattice *before) {
  return before->step != 0 && before->step <= l->step && !is_grid(l) && !is_grid(before);
}

/* Of values that a coarse tile may have: its bound holds for what it rounds. Beyond 2^127 a float
 * would become infinite. */
static double to_step(double v, const ghz_lattice *l) {
  return fabs(v) <= coarse_limit(l) && (l->type == GHZ_F64 || fabs(v) < 0x1p127)
             ? (v / l->step + ROUND_F64 - ROUND_F64) * l->step
             : v;
}

static void move_to_steps(tile_change *c) {
  const fill_test fill = fill_test_of(c->lattice);
  for (unsigned i = 0; i < c->n; i++) {
    if (!value_stays(c, fill, i))
      continue;
    if (c->lattice->type == GHZ_F64)
      ((double *)(void *)c->now)[i] = to_step(((double *)(void *)c->now)[i], c->lattice);
    else
      ((float *)(void *)c->now)[i] = (float)to_step((double)((float *)(void *)c->now)[i], c->lattice);
  }
}

/* Takes over the coefficients of a tile: fresh ones have less than 26 bits, and their transform is
 * exact in float64. */
static int keep_coefficients(const old_tile *old, const tile_extent *e, brick_encoding *p) {
  tile_header t;
  encoded_tile room;
  tile_widths *w = &p->coefficients.widths;
  if (parse(old->lattice, padded_copy(old->src, &room), e, &t) != GHZ_OK || !t.transformed ||
      t.lattice.mode != COARSE || !inverse_is_exact(&t.coefficients))
    return 0;
  const live_coefficients live = live_of(t.coefficients.width, (int)e->dims, t.coefficients.anchor);
  memcpy(w->width, t.coefficients.width, sizeof w->width);
  w->height = t.coefficients.height;
  w->lead = (tile_lead){.anchor = t.coefficients.anchor};
  expand_planes(&t.coefficients, p->coefficients.planes);
  narrow_coefficients(&t.coefficients, &live, p->c);
  p->narrow = 0;
  return 1;
}

/* Encodes the values with the coefficients that the tile had: what these leave is the same integer
 * where a value is the same. Returns the size, below `limit`, or 0 where that cannot be. */
static size_t encode_with_old(const ghz_lattice *l, const tile_place *place, const void *x, const old_tile *old,
                              size_t limit, uint8_t *dst) {
  ALIGNED uint8_t columns[TILE * 8], copy[TILE * 8], outside[TILE];
  brick b;
  brick_encoding p;
  b.integers.least = COARSE;
  b.integers.may_centre = 0;
  gather_brick(place, x, ghz_type_size(l->type), columns);
  if (!brick_to_integers(&b, l, &place->extent, columns, copy, outside) || b.integers.zero ||
      !b.integers.coefficients || !keep_coefficients(old, &place->extent, &p))
    return 0;
  const unsigned left = measure_residual(&b, &p);
  const size_t size = finish_coefficients(&p.coefficients.widths) + widths_sum(p.coefficients.widths.width) +
                      specials_size(&b.integers) + left;
  return left && size < limit ? put_encoding(&b, &p, 1, dst) : 0;
}

/* A tile that would be coarse, again in the fine mode: whose halves of steps stay. */
static size_t encode_fine(const ghz_lattice *l, const tile_place *place, const void *x, uint8_t *dst) {
  const size_t raw = fresh_bound(l->type, place->extent.n);
  size_t size;
  const int on_lattice = encode_on_lattice(l, FINE, GHZ_ORDER_LORENZO, place, x, raw, dst, &size);
  return on_lattice && size < raw ? size : put_raw_tile(place, x, ghz_type_size(l->type), dst);
}

/* Some values stay. */
static size_t encode_change(const ghz_lattice *l, const tile_place *place, const void *x, const old_tile *old,
                            tile_change *c, uint8_t *dst) {
  const tile_place packed = packed_place(place->extent);
  int halves;
  const int on_lattice = values_on_lattice(old, &place->extent, &halves);
  if (!on_lattice && meets_on_steps(l, old->lattice))
    move_to_steps(c);
  const size_t size = encode(l, GHZ_ORDER_LORENZO, &packed, c->now, dst);
  if (halves && (size == 0 || (dst[0] >> 3 & 3) == COARSE) && lattices_equal(l, old->lattice))
    return encode_fine(l, &packed, c->now, dst);
  if (on_lattice || place->extent.dims == 1 || !lattices_equal(l, old->lattice))
    return size;
  const size_t raw = fresh_bound(l->type, place->extent.n), pays = (8 * size + 6) / 7;
  const size_t with = encode_with_old(l, place, x, old, pays < raw ? pays : raw, dst);
  return with ? with : size;
}

static ghz_status update(const ghz_lattice *l, int order, const tile_place *place, const void *x,
                         const old_tile *old, uint8_t *dst, size_t *size) {
  const tile_place packed = packed_place(place->extent);
  const size_t value = ghz_type_size(l->type);
  tile_change c;
  c.lattice = l;
  c.n = place->extent.n;
  const ghz_status status = decode(old->lattice, &old->src, l->type, &packed, 0, c.before);
  if (status != GHZ_OK)
    return status;
  copy_lines(place, x, value, c.now);
  if (lattices_equal(l, old->lattice) && memcmp(c.now, c.before, c.n * value) == 0) {
    memcpy(dst, old->src.data, old->src.size);
    *size = old->src.size;
  } else {
    *size = any_stays(&c) ? encode_change(l, place, x, old, &c, dst) : encode(l, order, place, x, dst);
  }
  return GHZ_OK;
}
