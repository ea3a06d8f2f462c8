/* float_bound.c: GHZ_MPI_FLOAT: lattices whose sums are as accurate as those of floats.
 *
 * The unit of a lattice is a power of two, so values whose last bit is worth as much or more are
 * exact on it: of data with an offset all are. The others are rounded to it. The unit is the
 * largest one at which that adds at most two thirds of the variance that rounding to float has,
 * over all values: w. A sum of three floats rounds one partial sum of two, which adds 2 w if they
 * do not cancel each other, and the result; on the lattice three values were rounded, which adds
 * 3 * 2/3 w, and the result is. More floats have more and larger partial sums.
 *
 * A few large values must not pay for the loss of all others, as their own float sums mostly do not
 * err like that: what is added to them is far below their last bit, or is the same number. So the
 * unit is made for the base of the values, which a gap in the exponents sets apart from missing
 * values and outliers; and of the base, one value in 1024 counts for no more than the others do.
 *
 * A lattice holds 36 bits. Values too large for the lowest one are exact in further bins, of 12
 * exponents each.
 *
 * The sum of two floats is rounded just once. Nothing but the values themselves will do then.
 *
 * Counts of exponents are integers: they add up to the same in any order, wherever the arrays
 * are. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "payload/payloads.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  LAST_BIT = 150,    /* a value of biased exponent e is a multiple of 2^(e - 150) */
  BELOW_ULP = 12,    /* with a smaller unit the largest values lie outside the lattice (2^35 steps) */
  COARSE_BITS = 20,  /* a tile whose values are all below 2^20 units may have twice the unit */
  UNIT_LEAST = -121, /* half the least step of the format */
  SCALE = 64,        /* bits by which values are raised that need a smaller unit */
  UNIT_FINEST = -150 /* with which all floats are exact, in tiles of twice the unit too */
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

/* ---- Counts ---------------------------------------------------------------------------------- */

/* The exponent of the last bit of values of a biased exponent. */
static int last_bit(int exponent) {
  return (exponent ? exponent : 1) - LAST_BIT;
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

static uint64_t count_below(const exponents *e, int end) {
  uint64_t n = 0;
  for (int b = 0; b < end; b++)
    n += e->count[b];
  return n;
}

/* ---- The base -------------------------------------------------------------------------------- */

enum {
  GAP = 2,       /* exponents in a row that part values, if nobody has them; */
  RARE = 4096,   /* or if each has less than one value in so many, */
  OUTLIERS = 4,  /* and those above are at most one in so many: outliers */
  NARROW = 2,    /* exponents that stand for one number, which means "missing" */
  FEW_BELOW = 16 /* values are no base */
};

/* What lies above an exponent, on the way down from the last one or from the gap found last. */
typedef struct above {
  uint64_t values;
  int used, empty, rare; /* exponents in use; and those just above that are empty, or rare */
} above;

static int is_gap(const above *a, int is_rare, uint64_t all) {
  int missing = a->empty >= GAP && a->used <= NARROW;
  int outliers = !is_rare && a->rare >= GAP && a->values <= all / OUTLIERS;
  return a->values > 0 && (missing || outliers);
}

/* Where the values end that the unit is made for: below the lowest gap. */
static int base_end(const exponents *e) {
  const uint64_t all = count_below(e, EXPONENTS - 1), common = (all + RARE - 1) / RARE;
  uint64_t left = all;
  above a = {0};
  int end = EXPONENTS - 1;
  for (int b = EXPONENTS - 2; b >= 0; left -= e->count[b--]) {
    const uint64_t n = e->count[b];
    const int is_rare = n < common;
    if (n && left >= FEW_BELOW && is_gap(&a, is_rare, all)) {
      end = b + 1;
      a = (above){0};
    }
    a.empty = n ? 0 : a.empty + (a.used > 0);
    a.used += n > 0;
    a.rare = is_rare ? a.rare + (a.values + n > 0) : 0;
    a.values += n;
  }
  return end;
}

enum { TRIM = 1024 };

/* The exponent that all but one in TRIM of the values below `end` do not exceed. */
static int trimmed_largest(const exponents *e, int end) {
  const uint64_t all = count_below(e, end), enough = all - all / TRIM;
  uint64_t seen = 0;
  int b = 0;
  while ((seen += e->count[b]) < enough)
    b++;
  return b;
}

/* ---- The unit -------------------------------------------------------------------------------- */

/* 4^e, in a range where sums of counts neither overflow nor vanish beside each other. */
static double fourfold(int e) {
  return ldexp(1, 2 * (e + 60));
}

/* The variance that rounding to float has had, times 12, of values below `end`, of which none
 * counts for more than one of exponent `cap`. */
static double variance_of_floats(const exponents *e, int end, int cap) {
  double sum = 0;
  for (int b = 0; b < end; b++)
    sum += (double)e->count[b] * fourfold(last_bit(b < cap ? b : cap));
  return sum;
}

/* The variance that rounding to multiples of 2^unit adds, times 12. Ties are many where the last
 * bits are just below the unit: hence the second term. Subnormals may have any bits, so that they
 * may be in tiles of twice the unit. */
static double variance_of_lattice(const exponents *e, int end, int unit) {
  double sum = 0;
  for (int b = 0; b < end; b++) {
    int bit = last_bit(b), own = b == 0 || bit + 24 <= unit + COARSE_BITS ? unit + 1 : unit;
    if (bit < own)
      sum += (double)e->count[b] * (fourfold(own) + 2 * fourfold(bit));
  }
  return sum;
}

/* Of the lattice of the base. What lies above it is exact elsewhere. */
static int unit_of(const exponents *e) {
  const int end = base_end(e), cap = trimmed_largest(e, end);
  const double allowed = variance_of_floats(e, end, cap) * 2 / 3;
  int unit = last_bit(cap);
  while (unit > UNIT_FINEST && variance_of_lattice(e, end, unit) > allowed)
    unit--;
  return unit;
}

/* ---- Lattices -------------------------------------------------------------------------------- */

/* The lattice of this unit, which is half its step: fine and wide tiles have that. Of a bound the
 * library takes 63/64 as the step. */
static int make_lattice(int unit, ghz_lattice *l) {
  double spacing = ldexp(1, unit + 1);
  ghz_status status = ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, spacing * 0x1.0410410410411p-1}, 0, 0, l);
  return status == GHZ_OK && l->step == spacing;
}

/* Values are kept as they are. */
static int make_raw(ghz_lattice *l) {
  return ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, DBL_TRUE_MIN}, 0, 0, l) == GHZ_OK && l->step == 0;
}

/* Exponents from `first` on, as far as a lattice of this unit holds them. */
static int add_bin(bins *made, int first, int unit) {
  bin *b = &made->list[made->count++];
  *b = (bin){.first = first, .last = first, .scale = unit < UNIT_LEAST ? SCALE : 0};
  while (b->last < EXPONENTS - 2 && last_bit(b->last + 1) <= unit + BELOW_ULP)
    b->last++;
  return make_lattice(unit + b->scale, &b->lattice);
}

/* As a tile may have twice the unit, exact is what has a bit to spare. */
static int exact_unit(int first) {
  return last_bit(first) - 1;
}

static int make_bins(const exponents *e, bins *made) {
  int ok = add_bin(made, 0, unit_of(e));
  for (int b = made->list[0].last + 1; ok && b < EXPONENTS - 1; b++)
    if (e->count[b] && b > made->list[made->count - 1].last)
      ok = add_bin(made, b, exact_unit(b));
  return ok;
}

int ghz_float_bins(const exponents *e, uint64_t arrays, bins *made) {
  int first = 0, last = 0, any = ends(e, &first, &last), exact = exact_unit(first);
  *made = (bins){0};
  if (any && arrays > 2)
    return make_bins(e, made);
  if (!any || (exact >= UNIT_LEAST && exact >= last_bit(last) - BELOW_ULP))
    return add_bin(made, first, any ? exact : 0);
  made->count = 1;
  return make_raw(&made->list[0].lattice);
}
