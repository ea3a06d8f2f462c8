/* brick_sum.h: sums of the two layers of bricks on bit planes (FORMAT.md, "Raising the order of a
 * brick"). They keep law L2 (docs/LAWS.md).
 *
 * A template in the common subset of C and CUDA C++, after plane_sum.h. Before it come, too
 *   plane_back(x, bytes, y)            y = the plane x moved up by so many bytes, 2, 4 or 16; zeros
 *                                      come in
 *   columns_after(dims, order, mask)   a plane of ones in the columns that have another one before
 *                                      them along the axis of that order: 0 x, 1 y, 2 z
 *   columns_inside_of(extent, mask)    a plane of ones in the columns inside */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Bytes of a plane from a column to the one before it along y or z. */
GHZ_PLANE unsigned bytes_back(unsigned dims, int order) {
  return order == 2 ? 16 : dims == 3 ? 2 : 4;
}

/* Raises the order of a brick by one: differences along the next axis, plane after plane. The
 * anchor stands for column 0 of them, and is put there: other columns are differences to it. */
typedef struct brick_raiser {
  unsigned dims;
  int order;        /* before */
  part first, rest; /* first parts: column 0, and all others */
  part after[PARTS], borrow[PARTS];
  uint64_t anchor; /* before, then after */
} brick_raiser;

GHZ_PLANE void brick_raiser_begin(brick_raiser *r, unsigned dims, int order, uint64_t anchor) {
  r->dims = dims;
  r->order = order;
  r->rest = all_but(1);
  r->first = part_not(part_zero());
  r->first = part_and(r->first, part_not(r->rest));
  r->anchor = order ? anchor : 0;
  columns_after(dims, order, r->after);
  zero_plane(r->borrow);
}

/* Plane p, minus the plane of the columns before. */
GHZ_PLANE void brick_raiser_next(brick_raiser *r, part x[PARTS], unsigned p) {
  part before[PARTS];
  if (r->order)
    x[0] = part_or(part_and(x[0], r->rest), r->anchor >> p & 1 ? r->first : part_zero());
  else
    r->anchor |= (uint64_t)(part_low(x[0]) & 1) << p;
  if (r->order == 0)
    plane_shift(x, before);
  else
    plane_back(x, bytes_back(r->dims, r->order), before);
  for (int i = 0; i < PARTS; i++) {
    const part y = part_and(before[i], r->after[i]), difference = part_sum(x[i], y, r->borrow[i]);
    r->borrow[i] = part_carry(part_not(x[i]), y, r->borrow[i]);
    x[i] = difference;
  }
  x[0] = part_and(x[0], r->rest);
}

/* The anchor after so many planes. */
GHZ_PLANE uint64_t brick_raiser_anchor(const brick_raiser *r, unsigned planes) {
  if (r->order)
    return r->anchor;
  const unsigned unused = 64 - planes;
  const uint64_t bits = of_first_lane(r->anchor);
  return planes ? (uint64_t)((int64_t)(bits << unused) >> unused) : 0;
}

/* Planes of a number with its sign; none for 0. */
GHZ_PLANE unsigned signed_length(uint64_t v) {
  return v ? bit_length(v ^ (uint64_t)((int64_t)v >> 63)) + 1 : 0;
}

GHZ_PLANE void raise_brick_order(plane_tile *t, const tile_extent *e) {
  part x[PARTS], y[PARTS], inside[PARTS];
  brick_raiser r;
  const unsigned anchored = t->order ? signed_length(t->anchor) : 0,
                 top = t->height > anchored ? t->height : anchored,
                 height = top && top < PLANES_MAX ? top + 1 : top;
  brick_raiser_begin(&r, e->dims, t->order, t->anchor);
  columns_inside_of(e, inside);
  zero_plane(x);
  GHZ_ROLLED for (unsigned p = 0; p < height; p++) {
    if (p < t->height) /* the plane above the topmost repeats it */
      load_plane(t->planes[p], x);
    for (int i = 0; i < PARTS; i++)
      y[i] = x[i];
    brick_raiser_next(&r, y, p);
    for (int i = 0; i < PARTS; i++)
      y[i] = part_and(y[i], inside[i]);
    store_plane(t->planes[p], y);
  }
  t->anchor = brick_raiser_anchor(&r, height);
  t->height = height;
  t->order++;
}

GHZ_PLANE void raise_brick_to(plane_tile *t, ghz_type type, int mode, int order, const tile_extent *e) {
  if (t->mode < mode || t->order < order)
    bring_planes(&t->origin, t->planes);
  if (t->mode < mode)
    lift(t, mode_shift(type, mode) - mode_shift(type, t->mode));
  t->mode = mode;
  while (t->order < order)
    raise_brick_order(t, e);
}

/* sum += c * t, the integers of the lattice. */
GHZ_PLANE void add_brick(const ghz_lattice *l, uint32_t terms, const tile_extent *e, plane_tile *sum,
                         plane_tile *t, int64_t c) {
  const int mode = t->mode > sum->mode ? t->mode : sum->mode,
            order = t->order > sum->order ? t->order : sum->order;
  raise_brick_to(sum, l->type, mode, order, e);
  raise_brick_to(t, l->type, mode, order, e);
  add_aligned(sum, t, c, width_limit(l, mode, order, terms));
}

/* sum += c * t, the coefficients: like residuals of order 0 whose anchor is the first
 * coefficient. */
GHZ_PLANE void add_coefficients(uint32_t terms, plane_tile *sum, const plane_tile *t, int64_t c) {
  add_aligned(sum, t, c, coefficient_width_limit(terms));
}
