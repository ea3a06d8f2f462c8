/* raw_numbers.c: owns what a tally holds: how two are added, and what may be added to which; and
 * sums of raw tiles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "numbers/tally.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"

/* ---- Tallies --------------------------------------------------------------------------------- */

void ghz_add_words(uint64_t *to, const uint64_t *from, unsigned words) {
  unsigned carry = 0;
  for (unsigned i = 0; i < words; i++) {
    const uint128 sum = (uint128)to[i] + from[i] + carry;
    to[i] = (uint64_t)sum;
    carry = (unsigned)(sum >> 64);
  }
}

static int compare_words(const uint64_t a[FIRST_LIMBS], const uint64_t b[FIRST_LIMBS]) {
  for (unsigned i = FIRST_LIMBS; i-- > 0;)
    if (a[i] != b[i])
      return a[i] > b[i] ? 1 : -1;
  return 0;
}

/* Notes a difference of that magnitude, if it is the largest so far, or the same as the largest and
 * at a smaller index. */
static void note_largest(tally *t, const uint64_t magnitude[FIRST_LIMBS], uint64_t index) {
  const int larger = t->index ? compare_words(magnitude, t->largest) : 1;
  if (larger < 0 || (larger == 0 && index + 1 >= t->index))
    return;
  memcpy(t->largest, magnitude, sizeof t->largest);
  t->index = index + 1;
}

void ghz_note_difference(tally *t, const exact *d, uint64_t index) {
  uint64_t magnitude[FIRST_LIMBS] = {0};
  if (d->n)
    ghz_fixed_add_limbs(first_power(magnitude), d->limb, d->n, d->exponent, 0);
  note_largest(t, magnitude, index);
}

void ghz_add_tally(tally *to, const tally *from, uint64_t first) {
  to->count += from->count;
  to->specials += from->specials;
  to->mismatches += from->mismatches;
  to->inexact |= from->inexact;
  note_error(to, from->error);
  for (int i = 0; i < FIRST_SUMS; i++)
    ghz_add_words(to->first[i], from->first[i], FIRST_LIMBS);
  for (int i = 0; i < SECOND_SUMS; i++)
    ghz_add_words(to->second[i], from->second[i], SECOND_LIMBS);
  if (from->index)
    note_largest(to, from->largest, first + from->index - 1);
}

ghz_status ghz_tally_admit(ghz_context *ctx, const tally *t, enum tally_kind kind, uint64_t positions) {
  if (t->kind != TALLY_OF_NONE && t->kind != kind)
    return ghz_fail(ctx, GHZ_EINVAL, "a tally has single streams or pairs, not both");
  if (t->positions + positions < positions)
    return ghz_fail(ctx, GHZ_ERANGE, "more than 2^64 values");
  return GHZ_OK;
}

ghz_status ghz_tally_merge(ghz_tally *to, const ghz_tally *from) {
  if (!to || !from)
    return ghz_fail(NULL, GHZ_EINVAL, "a tally is NULL");
  tally sum = tally_inside(to);
  const tally other = tally_inside(from);
  if (other.kind > TALLY_OF_PAIRS)
    return ghz_fail(NULL, GHZ_EINVAL, "these bytes are no tally");
  if (other.kind == TALLY_OF_NONE)
    return GHZ_OK;
  const ghz_status status = ghz_tally_admit(NULL, &sum, (enum tally_kind)other.kind, other.positions);
  if (status != GHZ_OK)
    return status;
  sum.kind = other.kind;
  ghz_add_tally(&sum, &other, sum.positions);
  sum.positions += other.positions;
  memcpy(to, &sum, sizeof sum);
  return GHZ_OK;
}

/* ---- Raw tiles: values ----------------------------------------------------------------------- */

/* m * 2^exponent, or a special: 1 for +Inf, 2 for -Inf, 3 for NaN. */
typedef struct raw_value {
  uint64_t m;
  int exponent;
  uint8_t negative, special;
} raw_value;

double ghz_raw_value(const ghz_lattice *l, const uint8_t *p) {
  double wide;
  float narrow;
  if (l->type == GHZ_F64) {
    memcpy(&wide, p, sizeof wide);
    return is_fill(fill_test_of(l), load_u64(p)) ? NAN : wide;
  }
  memcpy(&narrow, p, sizeof narrow);
  return is_fill(fill_test_of(l), load_u32(p)) ? NAN : (double)narrow;
}

/* A double, which any float is. */
static raw_value split_value(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const unsigned exponent = bits >> 52 & 0x7ff;
  const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  raw_value v = {fraction, (exponent ? (int)exponent : 1) - 1075, (uint8_t)(bits >> 63), 0};
  if (exponent == 0x7ff)
    v.special = fraction ? 3 : v.negative ? 2 : 1;
  else if (exponent)
    v.m |= UINT64_C(1) << 52;
  return v;
}

ghz_status ghz_constant_to_raw(const tile_codec *tiles, const ghz_lattice *l, const tile_extent *e,
                               raw_room *room, tile_source *src) {
  const tile_place place = packed_place(*e);
  uint8_t *values = room->bytes + 64;
  if (!is_constant(src))
    return GHZ_OK;
  const ghz_status status = tiles->decode(l, src, l->type, &place, 0, values);
  values[-1] = RAW_TILE;
  src->data = values - 1;
  src->size = 1 + e->n * value_bytes(l->type);
  return status;
}

/* ---- Bins ------------------------------------------------------------------------------------ */

/* Sums of numbers by their exponents, of which a tile has few: the BINS up to the largest have a
 * bin each. A bin holds those of 1024 values: three products of 53 bits each, and a factor of 2. */
enum { BINS = 64 };

typedef struct bins {
  fixed to;
  int low; /* exponent of bin 0 */
  int128 bin[BINS];
} bins;

static void bins_begin(bins *b, fixed to, int largest) {
  b->to = to;
  b->low = largest - (BINS - 1);
  memset(b->bin, 0, sizeof b->bin);
}

static void add_directly(fixed to, int128 m, int exponent) {
  const uint128 size = m < 0 ? 0 - (uint128)m : (uint128)m;
  const uint64_t limb[2] = {(uint64_t)size, (uint64_t)(size >> 64)};
  if (m)
    ghz_fixed_add_limbs(to, limb, 2, exponent, m < 0);
}

static inline void bins_add(bins *b, int128 m, int exponent) {
  const unsigned i = (unsigned)(exponent - b->low);
  if (i < BINS)
    b->bin[i] += m;
  else
    add_directly(b->to, m, exponent);
}

static void bins_end(const bins *b) {
  for (int i = 0; i < BINS; i++)
    add_directly(b->to, b->bin[i], b->low + i);
}

static inline int128 with_sign(const raw_value *v) {
  return v->negative ? -(int128)v->m : (int128)v->m;
}

/* ---- One stream ------------------------------------------------------------------------------ */

static int largest_exponent(const raw_value *v, unsigned n, int largest) {
  for (unsigned i = 0; i < n; i++)
    if (v[i].m && !v[i].special && v[i].exponent > largest)
      largest = v[i].exponent;
  return largest;
}

enum { LEAST_EXPONENT = -1074 };

/* Values of a raw tile in the order of the array; of an empty one zeros. */
static void split_values(const ghz_lattice *l, const uint8_t *raw, unsigned n, raw_value *v, double *y) {
  const size_t size = value_bytes(l->type);
  for (unsigned i = 0; i < n; i++) {
    y[i] = raw ? ghz_raw_value(l, raw + 1 + i * size) : 0;
    v[i] = split_value(y[i]);
  }
}

void ghz_raw_moments(const ghz_lattice *l, const uint8_t *tile, unsigned n, number_sums *s) {
  raw_value v[TILE];
  double y[TILE];
  bins sum, squares;
  split_values(l, tile, n, v, y);
  const int largest = largest_exponent(v, n, LEAST_EXPONENT);
  bins_begin(&sum, first_sum(&s->tally, SUM), largest);
  bins_begin(&squares, second_sum(&s->tally, SQUARES), 2 * largest);
  for (unsigned i = 0; i < n; i++) {
    s->tally.specials += v[i].special != 0;
    if (v[i].special)
      continue;
    s->tally.count++;
    bins_add(&sum, with_sign(&v[i]), v[i].exponent);
    bins_add(&squares, (int128)v[i].m * v[i].m, 2 * v[i].exponent);
  }
  bins_end(&sum);
  bins_end(&squares);
}

/* ---- Two raw tiles --------------------------------------------------------------------------- */

/* In no more words than both take. */
static void subtract(const exact *a, const exact *b, exact *difference) {
  const int end_a = a->exponent + 64 * (int)a->n, end_b = b->exponent + 64 * (int)b->n,
            end = end_a > end_b ? end_a : end_b, low = a->exponent < b->exponent ? a->exponent : b->exponent;
  uint64_t word[FIRST_LIMBS + 2];
  const fixed sum = {word, (unsigned)(end - low) / 64 + 2, low};
  memset(word, 0, sum.words * sizeof *word);
  ghz_fixed_add(sum, a);
  ghz_fixed_subtract(sum, b);
  ghz_exact_words(word, sum.words, low, difference);
}

static void note_doubles(tally *t, double a, double b, uint64_t index) {
  exact x, y, difference;
  ghz_exact_double(a, &x);
  ghz_exact_double(b, &y);
  subtract(&x, &y, &difference);
  ghz_note_difference(t, &difference, index);
}

/* The largest difference of the tile: high + rest exactly (two-sum, Knuth), high being it rounded
 * to nearest. */
typedef struct raw_largest {
  double high, rest;
  uint64_t index;
  int any;
} raw_largest;

static inline void raw_larger(raw_largest *l, double a, double b, uint64_t index) {
  const double s = a - b, v = s - a, e = (a - (s - v)) - (b + v), high = fabs(s), rest = s < 0 ? -e : e;
  if (l->any && (high < l->high || (high == l->high && rest <= l->rest)))
    return;
  *l = (raw_largest){high, rest, index, 1};
}

static uint64_t index_in_place(const tile_place *p, unsigned i) {
  const unsigned x = i % p->extent.x, line = i / p->extent.x, y = line % p->extent.y, z = line / p->extent.y;
  return (uint64_t)z * p->plane + (uint64_t)y * p->row + x;
}

/* Below this differences do not overflow. */
#define TWO_SUM_LARGEST (1000 - 53)

static void raw_largest_difference(const raw_value *a, const raw_value *b, const double *x, const double *y,
                                   int largest, const tile_place *p, uint64_t first, tally *t) {
  raw_largest l = {0};
  for (unsigned i = 0; i < p->extent.n; i++) {
    if (a[i].special || b[i].special)
      continue;
    if (largest >= TWO_SUM_LARGEST)
      note_doubles(t, x[i], y[i], first + index_in_place(p, i));
    else
      raw_larger(&l, x[i], y[i], first + index_in_place(p, i));
  }
  if (l.any)
    note_doubles(t, l.high, -l.rest, l.index);
}

/* Counts a pair. Returns whether both are finite. */
static int count_pair(unsigned a, unsigned b, tally *t) {
  t->specials += a || b;
  t->mismatches += a != b;
  t->count += !a && !b;
  return !a && !b;
}

static void raw_pairs(const ghz_lattice *l, const raw_side side[2], const tile_place *place, uint64_t first,
                      number_sums *s) {
  const unsigned n = place->extent.n;
  raw_value a[TILE], b[TILE];
  double x[TILE], y[TILE];
  bins sum, squares, product, magnitude[2];
  split_values(l, side[0].raw, n, a, x);
  split_values(l, side[1].raw, n, b, y);
  const int largest = largest_exponent(b, n, largest_exponent(a, n, LEAST_EXPONENT));
  bins_begin(&sum, first_sum(&s->tally, SUM), largest);
  bins_begin(&squares, second_sum(&s->tally, SQUARES), 2 * largest);
  bins_begin(&product, second_sum(&s->tally, PRODUCT), 2 * largest);
  for (int i = 0; i < 2; i++)
    bins_begin(&magnitude[i], first_power(s->magnitude[i]), largest);
  for (unsigned i = 0; i < n; i++) {
    if (!count_pair(a[i].special, b[i].special, &s->tally))
      continue;
    const int128 p = (int128)a[i].m * b[i].m, ab = a[i].negative != b[i].negative ? -p : p;
    bins_add(&sum, with_sign(&a[i]), a[i].exponent);
    bins_add(&sum, -with_sign(&b[i]), b[i].exponent);
    bins_add(&squares, (int128)a[i].m * a[i].m, 2 * a[i].exponent);
    bins_add(&squares, (int128)b[i].m * b[i].m, 2 * b[i].exponent);
    bins_add(&squares, -2 * ab, a[i].exponent + b[i].exponent);
    bins_add(&product, ab, a[i].exponent + b[i].exponent);
    if (side[1].off)
      bins_add(&magnitude[0], (int128)a[i].m, a[i].exponent);
    if (side[0].off)
      bins_add(&magnitude[1], (int128)b[i].m, b[i].exponent);
  }
  bins_end(&sum), bins_end(&squares), bins_end(&product);
  bins_end(&magnitude[0]), bins_end(&magnitude[1]);
  raw_largest_difference(a, b, x, y, largest, place, first, &s->tally);
}

/* ---- A raw tile and one of the lattice ------------------------------------------------------- */

/* Value i of a side: its special, or the number. */
static unsigned value_at(const ghz_lattice *l, const raw_side *side, const exact *unit, unsigned i, exact *v) {
  if (side->raw) {
    const double x = ghz_raw_value(l, side->raw + 1 + i * value_bytes(l->type));
    ghz_exact_double(x, v);
    return split_value(x).special;
  }
  exact k;
  /* The analyzer does not see that a side without a raw tile has integers.
   * NOLINTNEXTLINE(clang-analyzer-*) */
  const uint64_t word[2] = {(uint64_t)side->k[i], (uint64_t)((uint128)side->k[i] >> 64)};
  ghz_exact_words(word, 2, 0, &k);
  ghz_exact_multiply(&k, unit, v);
  return side->special[i];
}

static int top_bit(const exact *x) {
  return x->n ? x->exponent + 64 * (int)x->n - __builtin_clzll(x->limb[x->n - 1]) : INT_MIN;
}

/* *top: of the largest difference of the tile so far; what is surely smaller is not noted. */
static void add_mixed_pair(const raw_side side[2], exact v[2], uint64_t index, int *top, number_sums *s) {
  tally *t = &s->tally;
  exact difference, product;
  subtract(&v[0], &v[1], &difference);
  if (top_bit(&difference) >= *top) {
    *top = top_bit(&difference);
    ghz_note_difference(t, &difference, index);
  }
  ghz_fixed_add(first_sum(t, SUM), &difference);
  ghz_exact_multiply(&difference, &difference, &product);
  ghz_fixed_add(second_sum(t, SQUARES), &product);
  ghz_exact_multiply(&v[0], &v[1], &product);
  ghz_fixed_add(second_sum(t, PRODUCT), &product);
  for (int i = 0; i < 2; i++) {
    v[i].negative = 0;
    if (side[1 - i].off)
      ghz_fixed_add(first_power(s->magnitude[i]), &v[i]);
  }
}

static void mixed_pairs(const ghz_lattice *l, const raw_side side[2], const tile_place *place, uint64_t first,
                        number_sums *s) {
  exact v[2];
  int top = INT_MIN;
  for (unsigned i = 0; i < place->extent.n; i++) {
    const unsigned a = value_at(l, &side[0], &s->unit, i, &v[0]), b = value_at(l, &side[1], &s->unit, i, &v[1]);
    if (count_pair(a, b, &s->tally))
      add_mixed_pair(side, v, first + index_in_place(place, i), &top, s);
  }
}

void ghz_raw_comparison(const ghz_lattice *l, const raw_side side[2], const tile_place *place, uint64_t first,
                        number_sums *s) {
  if ((side[0].raw || !side[0].k) && (side[1].raw || !side[1].k))
    raw_pairs(l, side, place, first, s);
  else
    mixed_pairs(l, side, place, first, s);
}
