/* plane_arithmetic.h: arithmetic on bit planes, one plane at a time, from the lowest on: adding,
 * raising the order (FORMAT.md, "Raising the order"), and the widths of a result.
 *
 * A template, in the common subset of C and CUDA C++: it is included once for each way to hold a
 * plane. Before it come
 *   GHZ_PLANE             how its functions are declared
 *   part, PARTS           a plane is PARTS parts; a thread of a GPU holds its own part of the
 *                         columns
 *   part_zero, part_not, part_and, part_sum, part_carry, part_widen,
 *   plane_shift           as in isa/primitives.h
 *   part_low(x)           the first columns of a plane, from its first part: column 0 is bit 0
 *   all_but(columns)      a first part: all ones but for the first columns
 *   column_bits           an unsigned integer with a bit for each plane of one column, and
 *   column_value          the signed one
 *   of_first_lane(bits)   column_bits of the thread that holds the first columns */
/* SPDX-License-Identifier: BSD-3-Clause */

GHZ_PLANE void zero_plane(part x[PARTS]) {
  for (int i = 0; i < PARTS; i++)
    x[i] = part_zero();
}

/* s = a + b + carry, in every column. */
GHZ_PLANE void add_plane(const part a[PARTS], const part b[PARTS], part carry[PARTS], part s[PARTS]) {
  for (int i = 0; i < PARTS; i++) {
    part x = a[i], y = b[i];
    s[i] = part_sum(x, y, carry[i]);
    carry[i] = part_carry(x, y, carry[i]);
  }
}

/* Notes the widths that end here: p + 1 where plane p differs from the one below it. */
GHZ_PLANE void widen(part width[PARTS], const part plane[PARTS], part below[PARTS], unsigned p,
                     uint64_t *changes) {
  for (int i = 0; i < PARTS; i++) {
    width[i] = part_widen(width[i], plane[i], below[i], p, changes);
    below[i] = plane[i];
  }
}

/* Adds planes and notes the widths of the sum. */
typedef struct adder {
  part carry[PARTS], below[PARTS], width[PARTS];
  uint64_t changes; /* bit p: plane p differs from the one below it */
} adder;

GHZ_PLANE void adder_begin(adder *s) {
  s->changes = 0;
  zero_plane(s->carry), zero_plane(s->below), zero_plane(s->width);
}

/* a = plane p of a + b. One loop: with two, plain C is 7 % slower. */
GHZ_PLANE void adder_next(adder *s, part a[PARTS], const part b[PARTS], unsigned p) {
  for (int i = 0; i < PARTS; i++) {
    part x = a[i], y = b[i], sum = part_sum(x, y, s->carry[i]);
    s->carry[i] = part_carry(x, y, s->carry[i]);
    s->width[i] = part_widen(s->width[i], sum, s->below[i], p, &s->changes);
    s->below[i] = sum;
    a[i] = sum;
  }
}

/* ---- Raising the order ----------------------------------------------------------------------- */

/* Raises the order of a tile by one, plane after plane. Readers ignore the columns that anchors
 * stand for: they are cleared before, as raising would move them, and after. */
typedef struct raiser {
  int order;          /* before */
  part before, after; /* masks of first parts: the columns that anchors do not stand for */
  part borrow[PARTS];
  column_bits anchor; /* column `order` of the raised planes */
} raiser;

GHZ_PLANE void raiser_begin(raiser *r, int order) {
  r->order = order;
  r->before = all_but((unsigned)order);
  r->after = all_but((unsigned)order + 1);
  r->anchor = 0;
  zero_plane(r->borrow);
}

/* Plane p, minus the plane moved up by one column. */
GHZ_PLANE void raiser_next(raiser *r, part x[PARTS], unsigned p) {
  part before[PARTS];
  x[0] = part_and(x[0], r->before);
  plane_shift(x, before);
  for (int i = 0; i < PARTS; i++) {
    part difference = part_sum(x[i], before[i], r->borrow[i]);
    r->borrow[i] = part_carry(part_not(x[i]), before[i], r->borrow[i]);
    x[i] = difference;
  }
  r->anchor |= (column_bits)(part_low(x[0]) >> r->order & 1) << p;
  x[0] = part_and(x[0], r->after);
}

/* The anchor that raising so many planes has given. */
GHZ_PLANE column_value raiser_anchor(const raiser *r, unsigned planes) {
  const unsigned unused = 8 * (unsigned)sizeof(column_bits) - planes;
  const column_bits bits = of_first_lane(r->anchor);
  return planes ? (column_value)(bits << unused) >> unused : 0;
}

/* Raises a tile by up to two orders. */
typedef struct raisers {
  raiser once, twice;
} raisers;

GHZ_PLANE void raisers_begin(raisers *r, int order) {
  raiser_begin(&r->once, order);
  raiser_begin(&r->twice, 1);
}

/* The anchors of a tile so raised, which has so many planes then. Those that raising does not give
 * stay as they are. */
GHZ_PLANE void raisers_anchors(const raisers *r, int raises, unsigned planes, column_value *anchor,
                               column_value *slope) {
  const column_value first = raiser_anchor(&r->once, planes), second = raiser_anchor(&r->twice, planes);
  if (raises > 0 && r->once.order == 0)
    *anchor = first;
  if (raises > 1)
    *slope = second;
  else if (raises > 0 && r->once.order == 1)
    *slope = first;
}
