/* values.c: every collective in every way: each value within its bound in exact arithmetic, the
 * rest untouched.
 *
 * Every two levels of the factors below meet in some call; which others they meet with is up to the
 * seed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "expected.h"
#include "pairs.h"
#include "shapes.h"
#include "suite.h"

enum factor {
  WAY,
  MODE,
  TYPE,
  OPERATION,
  IN_PLACE,
  ROOT,
  COUNT,
  BOUND,
  OF_RESULT,
  DATA,
  UNIT,
  KEEP_ROOT,
  THREADS,
  SHAPE,
  COMPONENTS,
  FILL,
  FACTORS
};

enum { MODES = 3, COUNTS = 14, BOUNDS = 7, UNITS = 4, SHAPES = 4 };

static const int units[UNITS] = {-10, 0, -90, 55};

/* The i-th pair of a collective and an algorithm; 0 beyond the last. */
static int way(int i, call *s) {
  for (int c = 0; c < COLLECTIVES; c++)
    for (int a = GHZ_MPI_ALGORITHM_AUTO; a <= GHZ_MPI_LINEAR; a++)
      if ((a <= GHZ_MPI_NATIVE || has_algorithm((collective)c, (ghz_mpi_algorithm)a)) && i-- == 0) {
        s->what = (collective)c;
        s->algorithm = (ghz_mpi_algorithm)a;
        return 1;
      }
  return 0;
}

static int ways(void) {
  call s;
  int n = 0;
  while (way(n, &s))
    n++;
  return n;
}

/* Where every rank has a block of its own, the largest counts are of all blocks together. */
static uint64_t count_of(int level, int blocks) {
  const uint64_t ranks = (uint64_t)here.ranks;
  const uint64_t counts[COUNTS] = {0,
                                   1,
                                   ranks - 1,
                                   ranks + 1,
                                   1000,
                                   1023,
                                   1024,
                                   1025,
                                   5000,
                                   16384 - 1,
                                   2 * UINT64_C(16384) + 1,
                                   3 * UINT64_C(16384),
                                   70001,
                                   200003};
  return counts[level] > 65536 && blocks ? counts[level] / ranks : counts[level];
}

static ghz_bound bound_of(int level, int unit) {
  const double u = unit == 55 ? 0x1p55 : unit == 0 ? 1 : unit == -10 ? 0x1p-10 : 0x1p-90;
  const ghz_bound bounds[BOUNDS] = {{GHZ_ABS, 64 * u},     {GHZ_ABS, 0.7 * u}, {GHZ_ABS, 1234.5 * u},
                                    {GHZ_ABS, 0x1p20 * u}, {GHZ_REL, 1e-3},    {GHZ_REL, 3e-7},
                                    {GHZ_PSNR, 80}};
  return bounds[level];
}

/* The last mode is the homomorphic one again, with ranks that give several arrays, or none. */
static void set_mode(call *s, int level, uint64_t seed) {
  int many = level == MODES - 1;
  s->mode = many ? GHZ_MPI_HOMOMORPHIC : (ghz_mpi_mode)level;
  if (many && reduces(s->what) && s->algorithm != GHZ_MPI_NATIVE) {
    s->deal = seed % 2 ? DEAL_TWO : DEAL_UNEVEN;
    s->in_place = 0;
  }
}

/* Complex numbers have no extrema, and those of blocks with counts of their own are in bad_input.c.
 * With a fill values have to be compressed. */
static void set_rest(call *s, int components, int fill) {
  const int has_components = (!reduces(s->what) || s->op <= AVERAGE) && s->what != REDUCE_SCATTERV &&
                             s->what != ALLGATHERV && s->count % 2 == 0;
  s->components = components && has_components ? 2 : 1;
  s->has_fill = fill;
  if (fill) {
    s->mode = GHZ_MPI_HOMOMORPHIC;
    s->algorithm = s->algorithm == GHZ_MPI_NATIVE ? GHZ_MPI_ALGORITHM_AUTO : s->algorithm;
  }
}

/* No shape, or one of so many dimensions. */
static void set_shape(call *s, int level, uint64_t seed) {
  if (level == 0)
    return;
  s->shape = shape_draw(&seed, level, s->count);
  s->count = ghz_shape_count(&s->shape);
}

/* The call of a row; what cannot be is bent to what can. */
static call shot_of(const int *row, uint64_t seed) {
  call s = {.type = (ghz_type)row[TYPE],
            .op = (operation)row[OPERATION],
            .in_place = row[IN_PLACE],
            .root = row[ROOT] == 0   ? 0
                    : row[ROOT] == 1 ? here.ranks - 1
                                     : here.ranks / 2,
            .of_result = row[OF_RESULT],
            .keep_root = row[KEEP_ROOT],
            .threads = 1 + row[THREADS]};
  way(row[WAY], &s);
  set_mode(&s, row[MODE], seed);
  s.count = count_of(row[COUNT], has_blocks(s.what));
  set_shape(&s, row[SHAPE], seed);
  set_rest(&s, row[COMPONENTS], row[FILL]);
  s.data = (field){(field_kind)row[DATA], units[row[UNIT]], seed};
  s.bound = bound_of(row[BOUND], s.data.exponent);
  return s;
}

int main(int argc, char **argv) {
  static pairs p;
  int row[PAIR_FACTORS];
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  const int levels[FACTORS + 1] = {ways(),      MODES, 2, OPERATIONS, 2,      3, COUNTS, BOUNDS, 2,
                                   FIELD_KINDS, UNITS, 2, 2,          SHAPES, 2, 2,      0};
  pairs_start(&p, levels, draw_below, mix(here.seed, (uint64_t)here.ranks));
  for (int i = 0; pairs_next(&p, row); i++) {
    call s = shot_of(row, mix(here.seed, (uint64_t)i));
    suite_case("call %d: %s", i, call_text(&s));
    call_result l = make_call(&s, MPI_COMM_WORLD);
    check_expected(&s, &l, MPI_COMM_WORLD);
    check_same_bits(&s, &l, MPI_COMM_WORLD);
    call_result_free(&l);
  }
  return suite_end(NULL);
}
