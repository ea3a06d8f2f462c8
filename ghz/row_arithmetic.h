/* row_arithmetic.h: arithmetic on one row of bits at a time, lowest first: the sum of two, and raising the order (FORMAT.md,
 * "Raising the order"). In the common subset of C and CUDA C++; the parts of a row are those of rows_*.h. */

/* s = a + b + carry, in every column. */
GHZ_ROW void add_row(const part a[PARTS], const part b[PARTS], part carry[PARTS], part s[PARTS]) {
  for (int i = 0; i < PARTS; i++) {
    part x = a[i], y = b[i];
    s[i] = part_sum(x, y, carry[i]);
    carry[i] = part_carry(x, y, carry[i]);
  }
}

/* The row minus the row moved up by one column, with the borrow from the row below. */
GHZ_ROW void raise_row(part x[PARTS], part borrow[PARTS]) {
  part y[PARTS];
  row_shift(x, y);
  for (int i = 0; i < PARTS; i++) {
    part d = part_sum(x[i], y[i], borrow[i]);
    borrow[i] = part_carry(part_not(x[i]), y[i], borrow[i]);
    x[i] = d;
  }
}

/* Notes the widths that end here: p + 1 where row p differs from the one below it. */
GHZ_ROW void widen(part width[PARTS], const part row[PARTS], part below[PARTS], unsigned p, unsigned *height) {
  for (int i = 0; i < PARTS; i++) {
    width[i] = part_widen(width[i], row[i], below[i], p, height);
    below[i] = row[i];
  }
}
