/* same_bits.c: law L2: a reduction of 8 contributions has the same bits on every rank, by every
 * algorithm, over any number of ranks, in any delays; data that move have the same bits whatever
 * call moves them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "delays.h"
#include "expected.h"
#include "shapes.h"
#include "special.h"
#include "suite.h"
#include <stdio.h>

enum { CONTRIBUTIONS = 8, SIZES = 6 };

static const int sizes[SIZES] = {1, 2, 3, 4, 5, 8};

/* A way to do a reduction. */
typedef struct way {
  collective what;
  ghz_mpi_algorithm algorithm;
} way;

static const way ways[] = {{ALLREDUCE, GHZ_MPI_RING},    {ALLREDUCE, GHZ_MPI_DOUBLING},
                           {ALLREDUCE, GHZ_MPI_HALVING}, {ALLREDUCE, GHZ_MPI_ALGORITHM_AUTO},
                           {REDUCE, GHZ_MPI_RING},       {REDUCE, GHZ_MPI_TREE}};

enum { WAYS = sizeof ways / sizeof *ways };

/* The first ranks of the world, so many; MPI_COMM_NULL elsewhere. */
static MPI_Comm firsts[SIZES];

/* What came of a reduction, known to all. */
typedef struct trace {
  uint64_t hash;
  int inexact;
} trace;

/* ---- One reduction ---- */
/* The result's hash, wherever it is. */
static trace traced(const call *s, const call_result *l) {
  uint64_t hash = l->result && l->code == MPI_SUCCESS ? hash_bytes(l->result, l->values * value_size(s)) : 0,
           most;
  trace t = {.inexact = on_any(l->report.inexact == 1, MPI_COMM_WORLD)};
  MPI_Allreduce(&hash, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  check(!l->result || hash == most, "ranks have different bits");
  t.hash = most;
  return t;
}

static trace reduction(const call *s, int size, int thoroughly) {
  call_result l = {0};
  delays_pause();
  if (firsts[size] != MPI_COMM_NULL)
    l = make_call(s, firsts[size]);
  trace t = traced(s, &l);
  if (thoroughly && l.result && s->fill)
    check_special(s, &l, t.inexact);
  call_result_free(&l);
  return t;
}

static const char *bits_text(const call *s, special kind, int size, uint64_t seed) {
  static char text[512];
  snprintf(text, sizeof text, "%s, %s on %d ranks, seed %llu", call_text(s), s->fill ? special_names[kind] : "",
           sizes[size], (unsigned long long)seed);
  return text;
}

/* ---- Reductions every way ---- */
static call reduction_shot(special kind, ghz_type type, operation op, ghz_bound bound, uint64_t count) {
  call s = {.what = ALLREDUCE,
            .algorithm = GHZ_MPI_RING,
            .mode = GHZ_MPI_HOMOMORPHIC,
            .type = type,
            .op = op,
            .deal = CONTRIBUTIONS,
            .count = count,
            .bound = bound,
            .threads = 1};
  special_use(&s, kind, here.seed * 1000 + (uint64_t)kind, 0);
  return s;
}

/* Some ways over some numbers of ranks, against one rank that has all contributions. */
static void every_way(call *s, special kind, uint64_t *state, int tries) {
  suite_case("%s", bits_text(s, kind, 0, here.seed));
  trace want = reduction(s, 0, 1);
  for (int i = 0; i < tries; i++) {
    int w = (int)draw_below(state, WAYS), size = 1 + (int)draw_below(state, SIZES - 1);
    s->what = ways[w].what;
    s->algorithm = ways[w].algorithm;
    s->root = (int)draw_below(state, (uint64_t)sizes[size]);
    s->threads = 1 + (int)draw_below(state, 2);
    suite_case("%s", bits_text(s, kind, size, here.seed));
    trace got = reduction(s, size, i == 0);
    check(got.inexact == want.inexact, "inexact %d, should be %d", got.inexact, want.inexact);
    if (!want.inexact)
      check(got.hash == want.hash, "other bits than on one rank");
  }
}

/* No shape, or one with about as many values. */
static void give_shape(call *s, uint64_t *state) {
  int dims = (int)draw_below(state, 4);
  if (dims == 0)
    return;
  s->shape = shape_draw(state, dims, s->count);
  s->count = ghz_shape_count(&s->shape);
}

static void specials(uint64_t *state) {
  static const ghz_bound bounds[] = {{GHZ_ABS, SPECIAL_EB}, {GHZ_REL, 1e-3}, {GHZ_PSNR, 70}, {GHZ_ABS, 0.01}};
  for (int kind = 0; kind < SPECIALS; kind++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++)
      for (int op = SUM; op < OPERATIONS; op++) {
        ghz_bound bound = bounds[draw_below(state, 2) ? 0 : draw_below(state, 4)];
        call s =
            reduction_shot((special)kind, (ghz_type)type, (operation)op, bound, 1 + draw_below(state, 6000));
        give_shape(&s, state);
        every_way(&s, (special)kind, state, 5);
      }
}

/* What all ranks send. */
static uint64_t bytes_sent(const call *s) {
  call_result l = make_call(s, MPI_COMM_WORLD);
  uint64_t all = 0;
  MPI_Allreduce(&l.report.sent_bytes, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  call_result_free(&l);
  return all;
}

/* Else there would be nothing of coefficients in what has the same bits. */
static void check_savings(const call *s) {
  call flat = *s;
  flat.shape = (ghz_shape){0};
  uint64_t with = bytes_sent(s), without = bytes_sent(&flat);
  check(3 * with < 2 * without, "%llu bytes with the shape, %llu without", (unsigned long long)with,
        (unsigned long long)without);
}

/* Smooth enough for coefficients; minima and maxima do without. */
static void smooth_shapes(uint64_t *state) {
  static const ghz_shape shapes[] = {{3, {19, 40, 64}}, {3, {8, 37, 192}}, {2, {5, 40, 64}}, {2, {1, 160, 64}}};
  for (int i = 0; i < 4; i++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++)
      for (int op = SUM; op < OPERATIONS; op++) {
        call s = reduction_shot(SPECIAL_NOISE, (ghz_type)type, (operation)op, (ghz_bound){GHZ_ABS, 64},
                                ghz_shape_count(&shapes[i]));
        s.fill = NULL;
        s.data = (field){FIELD_CURVED, 0, here.seed};
        s.shape = shapes[i];
        if (op == SUM)
          check_savings(&s);
        every_way(&s, SPECIAL_NOISE, state, 3);
      }
}

/* Large enough for many pieces to be under way. */
static void pipelines(uint64_t *state) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (int op = SUM; op < OPERATIONS; op += MINIMUM) {
      call s = reduction_shot(SPECIAL_NOISE, (ghz_type)type, (operation)op, (ghz_bound){GHZ_ABS, SPECIAL_EB},
                              400001);
      give_shape(&s, state);
      every_way(&s, SPECIAL_NOISE, state, 4);
    }
}

/* ---- Blocks ---- */
/* The hash of block b of a result, wherever it is. */
static uint64_t block_hash(const call *s, const call_result *l, uint64_t first, int mine) {
  uint64_t each = value_size(s), hash = 0;
  if (mine && l->result && l->code == MPI_SUCCESS)
    hash = hash_bytes((const uint8_t *)l->result + first * each, s->count * each);
  uint64_t most = largest(hash, MPI_COMM_WORLD);
  check(hash == 0 || hash == most, "ranks have different bits");
  return most;
}

/* Block r of a reduce_scatter is the allreduce of that block alone. */
static void blocks_of_sums(ghz_type type, operation op, ghz_shape shape, special kind) {
  const uint64_t count = ghz_shape_count(&shape);
  call s = reduction_shot(kind, type, op, (ghz_bound){GHZ_ABS, SPECIAL_EB}, count);
  s.what = REDUCE_SCATTER;
  s.deal = DEAL_ONE;
  s.shape = shape;
  suite_case("%s", bits_text(&s, kind, SIZES - 1, here.seed));
  call_result whole = make_call(&s, MPI_COMM_WORLD);
  s.what = ALLREDUCE;
  for (int r = 0; r < here.ranks; r++) {
    special_use(&s, kind, here.seed * 1000 + (uint64_t)kind, (uint64_t)r * count);
    call_result block = make_call(&s, MPI_COMM_WORLD);
    int same = block_hash(&s, &whole, 0, r == here.rank) == block_hash(&s, &block, 0, 1);
    check(same || on_any(whole.report.inexact == 1, MPI_COMM_WORLD),
          "block %d is not the allreduce of block %d", r, r);
    call_result_free(&block);
  }
  call_result_free(&whole);
}

/* What rank r gives comes out with the same bits, whichever call moves it. */
static void blocks_that_move(ghz_type type, ghz_shape shape, special kind) {
  const uint64_t count = ghz_shape_count(&shape);
  static const way movers[] = {{BCAST, GHZ_MPI_CHAIN},   {ALLGATHER, GHZ_MPI_RING}, {GATHER, GHZ_MPI_TREE},
                               {GATHER, GHZ_MPI_LINEAR}, {SCATTER, GHZ_MPI_TREE},   {SCATTER, GHZ_MPI_LINEAR}};
  for (int r = 0; r < here.ranks; r += 3) {
    call s = reduction_shot(kind, type, SUM, (ghz_bound){GHZ_ABS, SPECIAL_EB}, count);
    s.deal = DEAL_ONE;
    s.shape = shape;
    s.root = r;
    s.what = BCAST;
    s.algorithm = GHZ_MPI_TREE;
    call_result first = make_call(&s, MPI_COMM_WORLD);
    uint64_t want = block_hash(&s, &first, 0, 1);
    call_result_free(&first);
    for (unsigned i = 0; i < sizeof movers / sizeof *movers; i++) {
      s.what = movers[i].what;
      s.algorithm = movers[i].algorithm;
      int many = gathers_all(s.what) || s.what == GATHER;
      suite_case("%s", bits_text(&s, kind, SIZES - 1, here.seed));
      call_result l = make_call(&s, MPI_COMM_WORLD);
      /* rank 0 gets the first block that the root scatters */
      uint64_t got = block_hash(&s, &l, many ? (uint64_t)r * count : 0, s.what != SCATTER || here.rank == 0);
      check(got == want, "other bits than a broadcast");
      call_result_free(&l);
    }
  }
}

static ghz_shape draw_block(uint64_t *state) {
  return shape_draw(state, 1 + (int)draw_below(state, 3), 1 + draw_below(state, 3000));
}

static void blocks(uint64_t *state) {
  static const special kinds[] = {SPECIAL_NOISE, SPECIAL_NAN, SPECIAL_BITS, SPECIAL_EDGES};
  for (int i = 0; i < 4; i++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++) {
      blocks_of_sums((ghz_type)type, (operation)draw_below(state, OPERATIONS), draw_block(state), kinds[i]);
      blocks_that_move((ghz_type)type, draw_block(state), kinds[i]);
    }
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  uint64_t state = mix(here.seed, 7);
  for (int i = 0; i < SIZES; i++)
    MPI_Comm_split(MPI_COMM_WORLD, here.rank < sizes[i] ? 0 : MPI_UNDEFINED, here.rank, &firsts[i]);
  check(here.ranks == CONTRIBUTIONS, "this test is for %d ranks", CONTRIBUTIONS);
  delays(mix(here.seed, 100 + (uint64_t)here.rank));
  specials(&state);
  blocks(&state);
  smooth_shapes(&state);
  pipelines(&state);
  for (int i = 0; i < SIZES; i++)
    if (firsts[i] != MPI_COMM_NULL)
      MPI_Comm_free(&firsts[i]);
  return suite_end(NULL);
}
