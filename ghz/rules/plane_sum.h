/* plane_sum.h: sums of lattice tiles on bit planes, of any order, mode, width, number of operands
 * and coefficients (FORMAT.md, "Computing", rule 5). They keep law L2 (docs/LAWS.md).
 *
 * A template in the common subset of C and CUDA C++. Before it come plane_arithmetic.h, with its
 * parameters, and
 *   bit_plane                 a plane in memory; a thread of a GPU keeps its own part
 *   specials                  two of them: plus, minus
 *   load_plane, store_plane   between memory and PARTS parts
 *   planes_equal(a, b)        whether all columns are equal
 *   part_or                   bit by bit
 *   columns_below(n, mask)    a plane of ones in the first n columns
 *   plane_origin              where the planes are of an operand that is not expanded yet;
 *                             expanded() is the origin of one that is
 *   bring_planes(&origin, planes)     expands an operand
 *   plane_source, open_source(&source, origin, planes), next_plane(&source, p, x)
 *                             the planes of an operand from the lowest on, expanded or not
 *   GHZ_ROLLED                before loops that a compiler should not unroll */
/* SPDX-License-Identifier: BSD-3-Clause */

/* A lattice tile on bit planes: an operand, or a running sum. */
typedef struct plane_tile {
  int order, mode, special;
  unsigned height; /* planes in use; all above would repeat the topmost, which is the sign */
  uint64_t anchor, slope;
  specials infinities; /* where `special` is set */
  plane_origin origin;
  bit_plane planes[PLANES_MAX + 2];
} plane_tile;

/* Zeros. */
GHZ_PLANE void clear_tile(plane_tile *t) {
  part zero[PARTS];
  zero_plane(zero);
  t->order = t->mode = t->special = 0;
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

/* Raises the order of a tile of n values by one. */
GHZ_PLANE void raise_order(plane_tile *t, unsigned n) {
  part x[PARTS], y[PARTS], inside[PARTS];
  raiser r;
  const unsigned height = t->height && t->height < PLANES_MAX ? t->height + 1 : t->height;
  raiser_begin(&r, t->order);
  columns_below(n, inside);
  zero_plane(x);
  GHZ_ROLLED for (unsigned p = 0; p < height; p++) {
    if (p < t->height) /* the plane above the topmost repeats it */
      load_plane(t->planes[p], x);
    for (int i = 0; i < PARTS; i++)
      y[i] = x[i];
    raiser_next(&r, y, p);
    for (int i = 0; i < PARTS; i++)
      y[i] = part_and(y[i], inside[i]);
    store_plane(t->planes[p], y);
  }
  if (t->order == 0)
    t->anchor = (uint64_t)raiser_anchor(&r, height);
  else
    t->slope = n > 1 ? (uint64_t)raiser_anchor(&r, height) : 0;
  t->height = height;
  t->order++;
}

GHZ_PLANE void raise_to(plane_tile *t, ghz_type type, int mode, int order, unsigned n) {
  if (t->mode < mode || t->order < order)
    bring_planes(&t->origin, t->planes);
  if (t->mode < mode)
    lift(t, mode_shift(type, mode) - mode_shift(type, t->mode));
  t->mode = mode;
  while (t->order < order)
    raise_order(t, n);
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

/* sum += c * t, tiles of n values. The result has so many terms. Both are brought to its mode and
 * order. */
GHZ_PLANE void add_tile(const ghz_lattice *l, uint32_t terms, unsigned n, plane_tile *sum, plane_tile *t,
                        int64_t c) {
  const int mode = t->mode > sum->mode ? t->mode : sum->mode,
            order = t->order > sum->order ? t->order : sum->order;
  raise_to(sum, l->type, mode, order, n);
  raise_to(t, l->type, mode, order, n);
  add_aligned(sum, t, c, width_limit(l, mode, order, terms));
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
