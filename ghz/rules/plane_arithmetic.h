/* plane_arithmetic.h: arithmetic on one plane of bits at a time, lowest first: the sum of two, and raising the order (FORMAT.md,
 * "Raising the order"). In the common subset of C and CUDA C++; the parts of a plane are those of isa/. */

/* s = a + b + carry, in every column. */
GHZ_PLANE void add_plane(const part a[PARTS], const part b[PARTS], part carry[PARTS], part s[PARTS]) {
  for (int i = 0; i < PARTS; i++) {
    part x = a[i], y = b[i];
    s[i] = part_sum(x, y, carry[i]);
    carry[i] = part_carry(x, y, carry[i]);
  }
}

/* The plane minus the plane moved up by one column, with the borrow from the plane below. */
GHZ_PLANE void raise_plane(part x[PARTS], part borrow[PARTS]) {
  part y[PARTS];
  plane_shift(x, y);
  for (int i = 0; i < PARTS; i++) {
    part d = part_sum(x[i], y[i], borrow[i]);
    borrow[i] = part_carry(part_not(x[i]), y[i], borrow[i]);
    x[i] = d;
  }
}

/* Notes the widths that end here: p + 1 where plane p differs from the one below it. */
GHZ_PLANE void widen(part width[PARTS], const part plane[PARTS], part below[PARTS], unsigned p,
                     unsigned *height) {
  for (int i = 0; i < PARTS; i++) {
    width[i] = part_widen(width[i], plane[i], below[i], p, height);
    below[i] = plane[i];
  }
}
