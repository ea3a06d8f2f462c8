/* float_bound.c: GHZ_MPI_FLOAT: a lattice whose sums are no less accurate than those of floats.
 *
 * The unit of the lattice is a power of two, so values whose last bit is worth as much or more are
 * exact on it: of data with an offset all are. The others are rounded to it. The unit is the
 * largest one at which that adds at most two thirds of the variance, over all values, that rounding
 * them to float has: w. A sum of three floats rounds one partial sum of two, which adds 2 w if they
 * do not cancel each other, and the result; on the lattice three values were rounded, which adds
 * 3 * 2/3 w, and the result is. More floats have more and larger partial sums.
 *
 * The sum of two floats is rounded just once. Nothing but the values themselves will do then.
 *
 * Counts of exponents are integers: they add up to the same in any order, wherever the arrays
 * are. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/float_bound.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  LAST_BIT = 150,   /* a value of biased exponent e is a multiple of 2^(e - 150) */
  BELOW_ULP = 12,   /* with a smaller unit the largest values lie outside the lattice (2^35 steps) */
  COARSE_BITS = 20, /* a tile whose values are all below 2^20 units may have twice the unit */
  UNIT_LEAST = -121 /* half the least step of the format */
};

/* ---- Counting -------------------------------------------------------------------------------- */

static unsigned exponent_of(float x, float fill) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits << 1 && x != fill ? bits >> 23 & 255 : 255;
}

/* Four tables, as neighbours often have the same exponent and would wait for each other. */
void ghz_exponents_add(exponents *e, const float *x, size_t n, float fill) {
  enum { TABLES = 4, BLOCK = 1 << 24 };
  while (n > 0) {
    uint32_t table[TABLES][EXPONENTS] = {{0}};
    size_t block = n < BLOCK ? n : BLOCK, i = 0;
    for (; i + TABLES <= block; i += TABLES)
      for (size_t t = 0; t < TABLES; t++)
        table[t][exponent_of(x[i + t], fill)]++;
    for (; i < block; i++)
      table[0][exponent_of(x[i], fill)]++;
    for (int b = 0; b < EXPONENTS; b++)
      e->count[b] += (uint64_t)table[0][b] + table[1][b] + table[2][b] + table[3][b];
    x += block;
    n -= block;
  }
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* The exponent of the last bit of values of a biased exponent. */
static int last_bit(int exponent) {
  return (exponent ? exponent : 1) - LAST_BIT;
}

/* 4^e, in a range where sums of counts neither overflow nor vanish beside each other. */
static double fourfold(int e) {
  return ldexp(1, 2 * (e + 60));
}

/* The variance that rounding to float has had, times 12. */
static double variance_of_floats(const exponents *e) {
  double sum = 0;
  for (int b = 0; b < EXPONENTS - 1; b++)
    sum += (double)e->count[b] * fourfold(last_bit(b));
  return sum;
}

/* The variance that rounding to multiples of 2^unit adds, times 12. Ties are many where the last
 * bits are just below the unit: hence the second term. */
static double variance_of_lattice(const exponents *e, int unit) {
  double sum = 0;
  for (int b = 0; b < EXPONENTS - 1; b++) {
    int bit = last_bit(b), own = bit + 24 <= unit + COARSE_BITS ? unit + 1 : unit;
    if (bit < own)
      sum += (double)e->count[b] * (fourfold(own) + 2 * fourfold(bit));
  }
  return sum;
}

/* The first and last exponent in use; 0 if there are no values but zeros. */
static int ends(const exponents *e, int *first, int *last) {
  int any = 0;
  for (int b = 0; b < EXPONENTS - 1; b++)
    if (e->count[b]) {
      *first = any ? *first : b;
      *last = b;
      any = 1;
    }
  return any;
}

static int unit_of(const exponents *e, int largest, int least) {
  double allowed = variance_of_floats(e) * 2 / 3;
  int unit = largest;
  while (unit > least && variance_of_lattice(e, unit) > allowed)
    unit--;
  return unit;
}

/* The lattice of this unit, which is half its step: fine and wide tiles have that. Of a bound the
 * library takes 63/64 as the step. */
static int make_lattice(int unit, ghz_lattice *l) {
  double step = ldexp(1, unit + 1);
  ghz_status status = ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, step * 0x1.0410410410411p-1}, 0, 0, l);
  return status == GHZ_OK && l->step == step;
}

/* Values are kept as they are. */
static int make_raw(ghz_lattice *l) {
  return ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, DBL_TRUE_MIN}, 0, 0, l) == GHZ_OK && l->step == 0;
}

int ghz_float_lattice(const exponents *e, uint64_t arrays, ghz_lattice *l) {
  int first = 0, last = 0;
  if (!ends(e, &first, &last))
    return make_lattice(0, l);
  int largest = last_bit(last), least = largest - BELOW_ULP;
  least = least < UNIT_LEAST ? UNIT_LEAST : least;
  if (arrays > 2)
    return make_lattice(largest > least ? unit_of(e, largest, least) : least, l);
  int exact = last_bit(first) - 1; /* so that tiles of twice the unit are exact, too */
  return exact >= least ? make_lattice(exact, l) : make_raw(l);
}
