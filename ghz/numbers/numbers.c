/* numbers.c: sums over the values of streams, and over pairs of two: by all threads into sums of
 * their own, which then go into a tally. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "numbers/tally.h"

#include <math.h>
#include <string.h>

#include "context/call.h"
#include "linear.h"
#include "rules/lattice_rules.h"
#include "rules/parse.h"
#include "stream/tile_writer.h"

typedef struct number_job {
  const tile_codec *tiles;
  int streams;
  stream_operand source[2];
  int lattice_off[2], raw_off[2]; /* whether values of such tiles may be off the originals */
  exact error[2];                 /* by how much */
  number_sums *sums;              /* one per thread */
} number_job;

/* ---- Tiles ----------------------------------------------------------------------------------- */

static int is_raw(const tile_source *src) {
  return src->size > 0 && first_says_raw(src->data[0]);
}

static int raw_valid(const ghz_lattice *l, const tile_source *src, unsigned n) {
  return raw_tile_valid(l->type, src->terms, src->data[0], src->size, n);
}

static ghz_status sum_raw(const number_job *j, const tile_source *src, unsigned n, number_sums *s) {
  const ghz_lattice *l = &j->source[0].slice.lattice;
  const uint64_t before = s->tally.count;
  if (!raw_valid(l, src, n))
    return GHZ_ECORRUPT;
  ghz_raw_moments(l, src->data, n, s);
  s->off[j->raw_off[0]] += s->tally.count - before;
  return GHZ_OK;
}

static ghz_status sum_tile(const void *job, const chunk *c, const tile_walk *at, tile_source *src) {
  const number_job *j = job;
  const ghz_lattice *l = &j->source[0].slice.lattice;
  number_sums *s = &j->sums[c->thread];
  raw_room room;
  const ghz_status status = ghz_constant_to_raw(j->tiles, l, &at->extent, &room, src);
  if (status != GHZ_OK)
    return status;
  return is_raw(src) ? sum_raw(j, src, at->extent.n, s) : j->tiles->moments(l, *src, &at->extent, &s->one);
}

/* What one side of a pair is, where the other or itself is raw. */
static ghz_status open_side(const number_job *j, int i, const tile_source *src, const tile_extent *e,
                            int128 k[TILE], uint8_t special[TILE], raw_side *side) {
  const ghz_lattice *l = &j->source[0].slice.lattice;
  *side = (raw_side){.off = is_raw(src) ? j->raw_off[i] : j->lattice_off[i]};
  if (is_raw(src)) {
    side->raw = src->data;
    return raw_valid(l, src, e->n) ? GHZ_OK : GHZ_ECORRUPT;
  }
  if (src->size == 0)
    return GHZ_OK;
  side->k = k;
  side->special = special;
  return j->tiles->integers(l, *src, e, k, special);
}

static ghz_status compare_raw(const number_job *j, const tile_source src[2], const tile_place *place,
                              uint64_t first, number_sums *s) {
  int128 k[2][TILE];
  uint8_t special[2][TILE];
  raw_side side[2];
  const uint64_t before = s->tally.count;
  for (int i = 0; i < 2; i++) {
    const ghz_status status = open_side(j, i, &src[i], &place->extent, k[i], special[i], &side[i]);
    if (status != GHZ_OK)
      return status;
  }
  ghz_raw_comparison(&j->source[0].slice.lattice, side, place, first, s);
  s->off[side[0].off | side[1].off << 1] += s->tally.count - before;
  return GHZ_OK;
}

static ghz_status compare_tiles(const void *job, const chunk *c, const tile_walk *at, tile_source *src) {
  const number_job *j = job;
  const ghz_slice *of = &j->source[0].slice;
  number_sums *s = &j->sums[c->thread];
  const tile_place place = place_in(&of->shape, &at->extent);
  const uint64_t first = offset_of(&of->shape, at->origin);
  raw_room room[2];
  for (int i = 0; i < 2; i++) {
    const ghz_status status = ghz_constant_to_raw(j->tiles, &of->lattice, &at->extent, &room[i], &src[i]);
    if (status != GHZ_OK)
      return status;
  }
  return is_raw(&src[0]) || is_raw(&src[1]) ? compare_raw(j, src, &place, first, s)
                                            : j->tiles->compare(&of->lattice, src, &place, first, &s->two);
}

/* ---- Lattice tiles, in the end --------------------------------------------------------------- */

/* *to += sum * unit^power */
static void add_lattice_sum(const wide_sum *sum, const exact *unit, int power, fixed to) {
  exact x, y, z;
  ghz_exact_words(sum->limb, WIDE_SUM_LIMBS, 0, &x);
  ghz_exact_multiply(&x, unit, &y);
  if (power == 2)
    ghz_exact_multiply(&y, unit, &z);
  ghz_fixed_add(to, power == 2 ? &z : &y);
}

static void note_lattice_largest(number_sums *s) {
  const lattice_comparison *m = &s->two;
  const uint64_t word[3] = {(uint64_t)m->largest, (uint64_t)(m->largest >> 64), 0};
  exact k, x;
  if (!m->any)
    return;
  ghz_exact_words(word, 3, 0, &k);
  ghz_exact_multiply(&k, &s->unit, &x);
  ghz_note_difference(&s->tally, &x, m->at);
}

static void add_lattice_sums(const number_job *j, number_sums *s) {
  tally *t = &s->tally;
  const lattice_moments *one = &s->one;
  const lattice_comparison single = {
      .finite = one->finite, .specials = one->specials, .difference = one->sum, .squares = one->squares};
  const lattice_comparison *m = j->streams == 1 ? &single : &s->two;
  t->count += m->finite;
  t->specials += m->specials;
  t->mismatches += m->mismatches;
  s->off[j->lattice_off[0] | j->lattice_off[1] << 1] += m->finite;
  add_lattice_sum(&m->difference, &s->unit, 1, first_sum(t, SUM));
  add_lattice_sum(&m->squares, &s->unit, 2, second_sum(t, SQUARES));
  add_lattice_sum(&m->product, &s->unit, 2, second_sum(t, PRODUCT));
  for (int i = 0; i < 2; i++)
    if (j->lattice_off[1 - i])
      add_lattice_sum(&m->magnitude[i], &s->unit, 1, first_power(s->magnitude[i]));
  note_lattice_largest(s);
}

/* ---- What the bounds add --------------------------------------------------------------------- */

/* *to += count * a * b */
static void add_error(fixed to, const exact *count, const exact *a, const exact *b) {
  exact x, y;
  ghz_exact_multiply(count, a, &x);
  if (b)
    ghz_exact_multiply(&x, b, &y);
  ghz_fixed_add(to, b ? &y : &x);
}

/* What the bounds add: values of which `count` are off by `error`. */
static void add_errors(tally *t, uint64_t count, const exact *error) {
  exact n;
  ghz_exact_integer(count, 0, &n);
  if (count == 0)
    return;
  add_error(first_sum(t, SUM_ERROR), &n, error, NULL);
  add_error(second_sum(t, SQUARES_ERROR), &n, error, error);
  note_error(t, ghz_exact_answer(error, &(query){.divisor = 1}, ROUND_UP));
}

/* |x z - a b| <= |a| * error of b + |b| * error of a + the product of both errors. */
static void add_product_errors(const number_job *j, number_sums *s) {
  const fixed to = second_sum(&s->tally, PRODUCT_ERROR);
  exact x;
  ghz_exact_integer(s->off[3], 0, &x);
  add_error(to, &x, &j->error[0], &j->error[1]);
  for (int i = 0; i < 2; i++) {
    ghz_exact_words(s->magnitude[i], FIRST_LIMBS, FIRST_EXPONENT, &x);
    add_error(to, &x, &j->error[1 - i], NULL);
  }
}

/* A pair is off by the errors of both. */
static void add_bounds(const number_job *j, number_sums *s) {
  for (unsigned off = 1; off < 4; off++) {
    uint64_t word[FIRST_LIMBS] = {0};
    exact error;
    for (unsigned i = 0; i < 2; i++)
      if (off >> i & 1)
        ghz_fixed_add(first_power(word), &j->error[i]);
    ghz_exact_words(word, FIRST_LIMBS, FIRST_EXPONENT, &error);
    add_errors(&s->tally, s->off[off], &error);
  }
  add_product_errors(j, s);
}

/* The sums of all threads to those of the first, and what the bounds add. */
static void join_threads(const number_job *j, int threads) {
  number_sums *s = &j->sums[0];
  for (int i = 0; i < threads; i++)
    add_lattice_sums(j, &j->sums[i]);
  for (int i = 1; i < threads; i++) {
    ghz_add_tally(&s->tally, &j->sums[i].tally, 0);
    for (int k = 0; k < 4; k++)
      s->off[k] += j->sums[i].off[k];
    for (int k = 0; k < 2; k++)
      ghz_add_words(s->magnitude[k], j->sums[i].magnitude[k], FIRST_LIMBS);
  }
  add_bounds(j, s);
}

/* ---- Streams --------------------------------------------------------------------------------- */

/* Multiples of a power of two are numbers without rounding. */
static int holds_originals(const ghz_lattice *l) {
  int exponent;
  return is_grid(l) && frexp(l->step, &exponent) == 0.5;
}

static ghz_status open_streams(ghz_context *ctx, const ghz_bytes *streams, number_job *j) {
  for (int i = 0; i < j->streams; i++) {
    ghz_slice *s = &j->source[i].slice;
    /* The analyzer does not know that there are so many.
     * NOLINTNEXTLINE(clang-analyzer-*) */
    ghz_status status = ghz_stream_header(ctx, streams[i], (size_t)i, s);
    if (status == GHZ_OK)
      status = ghz_operands_agree(ctx, &j->source[0].slice, s, (size_t)i);
    if (status != GHZ_OK)
      return status;
    exact eb, terms;
    ghz_exact_double(holds_originals(&s->lattice) ? 0 : s->lattice.eb, &eb);
    ghz_exact_integer(s->terms, 0, &terms);
    ghz_exact_multiply(&eb, &terms, &j->error[i]);
    j->lattice_off[i] = s->lattice.step != 0;
    j->raw_off[i] = s->terms != 1;
  }
  return GHZ_OK;
}

static void begin_sums(const number_job *j, int threads) {
  const ghz_lattice *l = &j->source[0].slice.lattice;
  for (int i = 0; i < threads; i++) {
    number_sums *s = &j->sums[i];
    memset(s, 0, offsetof(number_sums, unit));
    ghz_exact_double(l->step, &s->unit);
    s->unit.exponent -= (int)lattice_bits(l->type, j->source[0].slice.shape.dims);
  }
}

/* *shape becomes that of the streams, unless it is NULL. */
static ghz_status add_streams(ghz_context *ctx, tally *t, const ghz_bytes *streams, int count,
                              ghz_shape *shape) {
  GHZ_CALL(ctx);
  number_job job = {.streams = count};
  if (!t)
    return ghz_fail(ctx, GHZ_EINVAL, "a pointer is NULL");
  job.tiles = ctx->tiles;
  ghz_status status = open_streams(ctx, streams, &job);
  if (status != GHZ_OK)
    return status;
  const ghz_slice *s = &job.source[0].slice;
  const int threads = ghz_threads_for(ctx, s->tiles, chunks_of(s->tiles));
  void *sums;
  status = ghz_operands_open(ctx, (size_t)count, job.source, 1, (size_t)threads * sizeof *job.sums, &sums);
  if (status == GHZ_OK)
    status = ghz_tally_admit(ctx, t, count == 1 ? TALLY_OF_ONE : TALLY_OF_PAIRS, s->count);
  if (status != GHZ_OK)
    return status;
  job.sums = sums;
  begin_sums(&job, threads);
  status = ghz_visit_tiles(ctx, (size_t)count, job.source, count == 1 ? sum_tile : compare_tiles, &job);
  if (status != GHZ_OK)
    return status;
  join_threads(&job, threads);
  t->kind = count == 1 ? TALLY_OF_ONE : TALLY_OF_PAIRS;
  t->inexact |= (uint64_t)(s->inexact || job.source[1].slice.inexact);
  ghz_add_tally(t, &job.sums[0].tally, t->positions);
  t->positions += s->count;
  if (shape)
    *shape = s->shape;
  return GHZ_OK;
}

static ghz_status add_to_tally(ghz_context *ctx, ghz_tally *to, const ghz_bytes *streams, int count) {
  tally t;
  if (to)
    t = tally_inside(to);
  const ghz_status status = add_streams(ctx, to ? &t : NULL, streams, count, NULL);
  if (to && status == GHZ_OK)
    memcpy(to, &t, sizeof t);
  return status;
}

ghz_status ghz_tally_add(ghz_context *ctx, ghz_tally *to, ghz_bytes src) {
  return add_to_tally(ctx, to, &src, 1);
}

ghz_status ghz_tally_add_pair(ghz_context *ctx, ghz_tally *to, ghz_bytes a, ghz_bytes b) {
  return add_to_tally(ctx, to, (ghz_bytes[]){a, b}, 2);
}

/* ---- One call -------------------------------------------------------------------------------- */

ghz_status ghz_moments(ghz_context *ctx, ghz_bytes src, ghz_summary *summary) {
  tally t = {0};
  const ghz_status status = add_streams(ctx, summary ? &t : NULL, &src, 1, NULL);
  if (status == GHZ_OK)
    ghz_summarise(&t, summary);
  return status;
}

ghz_status ghz_difference(ghz_context *ctx, ghz_bytes a, ghz_bytes b, ghz_comparison *comparison) {
  tally t = {0};
  ghz_shape shape;
  const ghz_status status = add_streams(ctx, comparison ? &t : NULL, (ghz_bytes[]){a, b}, 2, &shape);
  if (status == GHZ_OK)
    ghz_compare_pairs(&t, &shape, comparison);
  return status;
}
