/* mistakes.c: what can be wrong with a call. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "mistakes.h"
#include <limits.h>
#include <math.h>

/* ---- Which calls a mistake fits ---- */
static int any(collective what) { return what < COLLECTIVES; }
static int moves(collective what) { return !reduces(what); }
static int is_allreduce(collective what) { return what == ALLREDUCE; }
static int has_send(collective what) { return what != BCAST && what != SCATTER; }
static int has_recv(collective what) { return what != REDUCE && what != GATHER; }
static int has_result_everywhere(collective what) {
  return what != REDUCE && what != SCATTER && what != GATHER;
}
static int reduces_everywhere(collective what) { return reduces(what) && what != REDUCE; }

static int has_places(collective what) { return what == ALLGATHERV; }

/* ---- Changes that take more than a line ---- */
/* As many values in all; and the same first and last block. */
static void deal_otherwise(MPI_Count *counts, MPI_Count *places, int last) {
  (void)places;
  counts[0]--, counts[last]++;
}
static void deal_between(MPI_Count *counts, MPI_Count *places, int last) {
  (void)places;
  counts[last > 2 && counts[2] ? 2 : 0]--, counts[last > 2 ? 1 : last]++;
}
static void lose_count(MPI_Count *counts, MPI_Count *places, int last) {
  (void)places;
  counts[last] = -1;
}
static void count_too_many(MPI_Count *counts, MPI_Count *places, int last) {
  (void)places;
  counts[last] = sizeof(MPI_Count) == 8 ? (MPI_Count)INT64_MAX : INT_MAX;
}
static void place_before(MPI_Count *counts, MPI_Count *places, int last) {
  (void)counts;
  places[last] = -1;
}
static void place_beyond(MPI_Count *counts, MPI_Count *places, int last) {
  (void)counts;
  places[last] = (MPI_Count)INT_MAX + 1;
}
static void place_far(MPI_Count *counts, MPI_Count *places, int last) {
  (void)counts;
  places[last] = INT64_MAX / 2;
}

/* Gives no buffer where one is used. */
static void lose_buffer(test_request *r, int rank) {
  if (r->what == BCAST || gathers_all(r->what) || (r->what == SCATTER && rank != r->root))
    r->recv = NULL;
  else
    r->send = NULL;
}

static void other_way(test_request *r) {
  ghz_mpi_algorithm was = r->options.algorithm;
  for (int a = GHZ_MPI_NATIVE; a <= GHZ_MPI_LINEAR && r->options.algorithm == was; a++)
    if (a != (int)was && (a == GHZ_MPI_NATIVE || has_algorithm(r->what, (ghz_mpi_algorithm)a)))
      r->options.algorithm = (ghz_mpi_algorithm)a;
}

void make_another_call(test_request *r, uint64_t dice) {
  r->what = (collective)((r->what + 1 + dice % (COLLECTIVES - 1)) % COLLECTIVES);
}

/* ---- The table ---- */
#define ENTRY(name, ...)                                                                                       \
  static void name(test_request *r, int rank, int ranks, uint64_t dice) {                                      \
    ghz_mpi_options *o = &r->options;                                                                          \
    (void)rank, (void)ranks, (void)dice, (void)o;                                                              \
    __VA_ARGS__;                                                                                               \
  }
#define DIFFERS(name, what, fits, ...) ENTRY(name, __VA_ARGS__)
#define DIFFERS_HERE(name, what, fits, ...) ENTRY(name, __VA_ARGS__)
#define WRONG(name, what, error_class, fits, ...) ENTRY(name, __VA_ARGS__)
#define WRONG_HERE(name, what, error_class, fits, ...) ENTRY(name, __VA_ARGS__)
#include "mistakes.inc"
#undef DIFFERS
#undef DIFFERS_HERE
#undef WRONG
#undef WRONG_HERE

#define DIFFERS(name, what, fits, ...) {what, MPI_ERR_ARG, 0, 1, fits, name},
#define DIFFERS_HERE(name, what, fits, ...) {what, MPI_ERR_ARG, 0, 0, fits, name},
#define WRONG(name, what, error_class, fits, ...) {what, error_class, 1, 1, fits, name},
#define WRONG_HERE(name, what, error_class, fits, ...) {what, error_class, 1, 0, fits, name},
const mistake mistakes[] = {
#include "mistakes.inc"
};
const int mistake_count = sizeof mistakes / sizeof *mistakes;
