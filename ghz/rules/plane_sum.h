/* plane_sum.h: sums of lattice tiles on bit planes, of any order, mode, width, number of operands
 * and coefficients (FORMAT.md, "Computing", rule 5), and of the coefficients of bricks. They keep
 * law L2 (docs/LAWS.md).
 *
 * A template in the common subset of C and CUDA C++. Before it come plane_arithmetic.h, with its
 * parameters, and
 *   bit_plane                 a plane in memory; a thread of a GPU keeps its own part
 *   specials                  two of them: plus, minus
 *   load_plane, store_plane   between memory and PARTS parts
 *   planes_equal(a, b)        whether all columns are equal
 *   part_or                   bit by bit
 *   plane_back(x, bytes, y)   y = the plane x moved up by so many bytes, 2, 4 or 16; zeros come in
 *   columns_after(dims, order, axis, mask)   a plane of ones in the columns of a brick that raising
 *                             from that order takes less the column before along an axis: 0 x, 1 y,
 *                             2 z
 *   turn_plane(plane)         turns a bit plane of a plane, in memory, or turns it back (FORMAT.md,
 *                             "Residuals")
 *   columns_inside_of(extent, mask)    a plane of ones in the columns inside
 *   plane_origin              where the planes are of an operand that is not expanded yet;
 *                             expanded() is the origin of one that is
 *   bring_planes(&origin, planes)     expands an operand
 *   plane_source, open_source(&source, origin, planes), next_plane(&source, p, x)
 *                             the planes of an operand from the lowest on, expanded or not
 *   GHZ_ROLLED                before loops that a compiler should not unroll */
/* SPDX-License-Identifier: BSD-3-Clause */

/* A lattice tile on bit planes: an operand, or a running sum. */
typedef struct plane_tile {
  int order, mode, special, turned;
  unsigned height; /* planes in use; all above would repeat the topmost, which is the sign */
  uint64_t anchor, slope;
  specials infinities; /* where `special` is set */
  plane_origin origin;
  bit_plane planes[PLANES_MAX + 2];
} plane_tile;

/* A running sum. */
typedef struct tile_sum {
  plane_tile lattice, coefficients;
  int transformed; /* there are coefficients */
} tile_sum;

/* Zeros. */
GHZ_PLANE void clear_tile(plane_tile *t) {
  part zero[PARTS];
  zero_plane(zero);
  t->order = t->mode = t->special = t->turned = 0;
  t->height = 0;
  t->anchor = t->slope = 0;
  t->origin = expanded();
  store_plane(t->infinities.plus, zero);
  store_plane(t->infinities.minus, zero);
}

/* ---- Mode and order -------------------------------------------------------------------------- */

/* Doubles the integers, `shift` times: from the coarse unit to the fine one. */
GHZ_PLANE void lift(plane_tile *t, unsigned shift) {
  part x[PARTS];
  if (shift && t->height) {
    GHZ_ROLLED for (unsigned p = t->height; p > 0; p--) {
      load_plane(t->planes[p - 1], x);
      store_plane(t->planes[p], x);
    }
    zero_plane(x);
    store_plane(t->planes[0], x);
    t->height++;
  }
  t->anchor <<= shift;
  t->slope <<= shift;
}

/* Bytes of a plane from a column to the one before it along y or z. */
GHZ_PLANE unsigned bytes_back(unsigned dims, unsigned axis) {
  return axis == 2 ? 16 : dims == 3 ? 2 : 4;
}

/* Raises the order of a brick by one, plane after plane. Every column is taken less one other at
 * most: the one before along the next axis, or where it is the first along that, along the axis
 * after. Column 0, for which the anchor stands, takes part from order 0 alone. */
typedef struct brick_raiser {
  unsigned dims;
  int order; /* before */
  part rest; /* a first part: all columns but 0 */
  part after[3][PARTS], borrow[PARTS];
  uint64_t anchor; /* before, then after */
} brick_raiser;

GHZ_PLANE void brick_raiser_begin(brick_raiser *r, unsigned dims, int order, uint64_t anchor) {
  r->dims = dims;
  r->order = order;
  r->rest = all_but(1);
  r->anchor = order ? anchor : 0;
  for (unsigned axis = (unsigned)order; axis < dims; axis++)
    columns_after(dims, order, axis, r->after[axis]);
  zero_plane(r->borrow);
}

/* The columns before, where a column has one, else 0. */
GHZ_PLANE void columns_before(const brick_raiser *r, const part x[PARTS], part before[PARTS]) {
  part moved[PARTS];
  zero_plane(before);
  for (unsigned axis = (unsigned)r->order; axis < r->dims; axis++) {
    if (axis == 0)
      plane_shift(x, moved);
    else
      plane_back(x, bytes_back(r->dims, axis), moved);
    for (int i = 0; i < PARTS; i++)
      before[i] = part_or(before[i], part_and(moved[i], r->after[axis][i]));
  }
}

GHZ_PLANE void brick_raiser_next(brick_raiser *r, part x[PARTS], unsigned p) {
  part before[PARTS];
  if (r->order == 0)
    r->anchor |= (uint64_t)(part_low(x[0]) & 1) << p;
  columns_before(r, x, before);
  for (int i = 0; i < PARTS; i++) {
    const part difference = part_sum(x[i], before[i], r->borrow[i]);
    r->borrow[i] = part_carry(part_not(x[i]), before[i], r->borrow[i]);
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

/* Raises the order of a tile by one. The extent's dimensions are a constant, or the compiler sees
 * both ways. */
GHZ_PLANE void raise_once(plane_tile *t, const tile_extent *e) {
  part x[PARTS], y[PARTS], inside[PARTS];
  raiser r;
  brick_raiser b;
  const int flat = e->dims == 1;
  const unsigned height = t->height && t->height < PLANES_MAX ? t->height + 1 : t->height;
  b.anchor = 0; /* compilers do not see that either is set where it is read */
  raiser_begin(&r, t->order);
  if (!flat)
    brick_raiser_begin(&b, e->dims, t->order, t->anchor);
  columns_inside_of(e, inside);
  zero_plane(x);
  GHZ_ROLLED for (unsigned p = 0; p < height; p++) {
    if (p < t->height) /* the plane above the topmost repeats it */
      load_plane(t->planes[p], x);
    for (int i = 0; i < PARTS; i++)
      y[i] = x[i];
    if (flat)
      raiser_next(&r, y, p);
    else
      brick_raiser_next(&b, y, p);
    for (int i = 0; i < PARTS; i++)
      y[i] = part_and(y[i], inside[i]);
    store_plane(t->planes[p], y);
  }
  if (!flat)
    t->anchor = brick_raiser_anchor(&b, height);
  else if (t->order == 0)
    t->anchor = (uint64_t)raiser_anchor(&r, height);
  else
    t->slope = e->n > 1 ? (uint64_t)raiser_anchor(&r, height) : 0;
  t->height = height;
  t->order++;
}

/* Turns a tile of a plane, or turns it back. */
GHZ_PLANE void turn_tile(plane_tile *t) {
  GHZ_ROLLED for (unsigned p = 0; p < t->height; p++) turn_plane(t->planes[p]);
  t->turned = !t->turned;
}

/* What tiles that are added must have alike. */
typedef struct tile_form {
  int mode, order, turned;
} tile_form;

/* Brings a tile to a form whose mode and order are not less than its own. */
GHZ_PLANE void raise_to(plane_tile *t, ghz_type type, const tile_form *form, const tile_extent *e) {
  const int raised = t->order < form->order;
  if (t->mode < form->mode || raised || t->turned != form->turned)
    bring_planes(&t->origin, t->planes);
  if (t->mode < form->mode)
    lift(t, mode_shift(type, form->mode) - mode_shift(type, t->mode));
  t->mode = form->mode;
  if (raised && t->turned)
    turn_tile(t);
  while (t->order < form->order)
    raise_once(t, e);
  if (t->turned != form->turned)
    turn_tile(t);
}

/* ---- Adding ---------------------------------------------------------------------------------- */

/* Drops planes at the top that only repeat the sign. */
GHZ_PLANE void trim(plane_tile *t) {
  part top[PARTS], below[PARTS];
  zero_plane(below);
  while (t->height) {
    load_plane(t->planes[t->height - 1], top);
    if (t->height > 1)
      load_plane(t->planes[t->height - 2], below);
    else
      zero_plane(below);
    if (!planes_equal(top, below))
      return;
    t->height--;
  }
}

/* sum += (-1)^negative * 2^shift * planes: a ripple-carry adder from plane to plane. The sum needs
 * no more than `limit` planes. */
GHZ_PLANE void add_shifted(plane_tile *sum, const plane_tile *t, int negative, unsigned shift, unsigned limit) {
  part a[PARTS], x[PARTS], y[PARTS], carry[PARTS], s[PARTS];
  plane_source source;
  const unsigned top = sum->height > t->height + shift ? sum->height : t->height + shift;
  const unsigned height = top + 1 < limit ? top + 1 : limit;
  open_source(&source, t->origin, t->planes);
  zero_plane(a), zero_plane(x);
  for (int i = 0; i < PARTS; i++)
    carry[i] = negative ? part_not(part_zero()) : part_zero();
  GHZ_ROLLED for (unsigned p = 0; p < height; p++) { /* planes above the topmost repeat it */
    if (p < sum->height)
      load_plane(sum->planes[p], a);
    if (p >= shift && p - shift < t->height)
      next_plane(&source, p - shift, x);
    for (int i = 0; i < PARTS; i++)
      y[i] = negative ? part_not(x[i]) : x[i];
    add_plane(a, y, carry, s);
    store_plane(sum->planes[p], s);
  }
  sum->height = height;
}

/* a |= b */
GHZ_PLANE void add_specials(bit_plane a, const bit_plane b) {
  part x[PARTS], y[PARTS];
  load_plane(a, x);
  load_plane(b, y);
  for (int i = 0; i < PARTS; i++)
    x[i] = part_or(x[i], y[i]);
  store_plane(a, x);
}

/* sum += c * t, both of one mode and order. The sum needs no more than `limit` planes. */
GHZ_PLANE void add_aligned(plane_tile *sum, const plane_tile *t, int64_t c, unsigned limit) {
  const uint64_t magnitude = c < 0 ? 0 - (uint64_t)c : (uint64_t)c;
  if (t->special) {
    sum->special = 1;
    add_specials(sum->infinities.plus, c < 0 ? t->infinities.minus : t->infinities.plus);
    add_specials(sum->infinities.minus, c < 0 ? t->infinities.plus : t->infinities.minus);
  }
  sum->anchor += (uint64_t)c * t->anchor;
  sum->slope += (uint64_t)c * t->slope;
  for (unsigned shift = 0; shift < 64 && magnitude >> shift; shift++)
    if (magnitude >> shift & 1 && t->height)
      add_shifted(sum, t, c < 0, shift, limit);
  if (sum->height > limit) /* raised with an anchor that no sound tile has */
    sum->height = limit;
  trim(sum);
}

/* sum += c * t, the integers of the lattice. The result has so many terms. Both are brought to its
 * mode and order; and turned if one is. */
GHZ_PLANE void add_tile(const ghz_lattice *l, uint32_t terms, const tile_extent *e, plane_tile *sum,
                        plane_tile *t, int64_t c) {
  const tile_form form = {t->mode > sum->mode ? t->mode : sum->mode,
                          t->order > sum->order ? t->order : sum->order, t->turned | sum->turned};
  raise_to(sum, l->type, &form, e);
  raise_to(t, l->type, &form, e);
  add_aligned(sum, t, c, width_limit(l, form.mode, form.order, terms));
}

/* sum += c * t, the coefficients: like residuals of order 0 whose anchor is the first
 * coefficient. */
GHZ_PLANE void add_coefficients(uint32_t terms, plane_tile *sum, const plane_tile *t, int64_t c) {
  add_aligned(sum, t, c, coefficient_width_limit(terms));
}

/* The widths of a sum. Returns the largest: on a GPU, that of the thread's columns. */
GHZ_PLANE unsigned widths_of_sum(const plane_tile *sum, part width[PARTS]) {
  part x[PARTS], below[PARTS];
  uint64_t changes = 0;
  zero_plane(width);
  zero_plane(below);
  GHZ_ROLLED for (unsigned p = 0; p < sum->height; p++) {
    load_plane(sum->planes[p], x);
    widen(width, x, below, p, &changes);
  }
  return bit_length(changes);
}
