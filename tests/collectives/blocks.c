/* blocks.c: collectives whose blocks have counts of their own, beside values.c: counts of nothing,
 * displacements of any order, and an error on every rank for those that are wrong. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"
#include <ghz/mpi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, GAP = -77 };
#define EB 0.125

static MPI_Comm comm; /* whose errors are returned */

static float *blank(int values) {
  float *x = malloc((size_t)(values + 1) * sizeof *x);
  if (!x)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i <= values; i++)
    x[i] = GAP;
  return x;
}

static float given(int rank, int i) { return (float)((i * 7 + rank * 1001) % 512 - 100 * rank); }

/* Blocks of any sizes, of nothing too; gathered at places that are this rank's own, in another
 * order than that of ranks. */
static void try_sizes(int kind, int has_places) {
  static const int sizes[][3] = {{30000, 30000, 30000}, {0, 90000, 0}, {1, 8, 15}, {70001, 3, 0}};
  MPI_Count counts[MOST], places[MOST], all = 0, first = 0, end = 0;
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  suite_case("sizes %d, %s places", kind, has_places ? "any" : "no");
  o.bound = (ghz_bound){GHZ_ABS, EB};
  o.mode = GHZ_MPI_HOMOMORPHIC;
  for (int r = 0; r < here.ranks; r++) {
    counts[r] = sizes[kind][r % 3];
    first += r < here.rank ? counts[r] : 0;
    all += counts[r];
  }
  for (int r = here.ranks - 1; r >= 0; end = places[r] + counts[r], r--)
    places[r] = end + (here.rank + r) % 4;
  for (int r = 0, at = 0; r < here.ranks && !has_places; at += (int)counts[r++])
    places[r] = at;
  const int own = (int)counts[here.rank];
  float *in = blank((int)all), *out = blank((int)end), *sum = blank(own);
  for (int i = 0; i < all; i++)
    in[i] = given(here.rank, i);
  check(!ghz_allgatherv(own ? in : NULL, out, counts, has_places ? places : NULL, MPI_FLOAT, comm, &o),
        "an error of ghz_allgatherv");
  for (int r = 0; r < here.ranks; r++)
    for (int i = 0; i < counts[r]; i++) {
      float *x = &out[places[r] + i];
      check(fabsf(*x - given(r, i)) <= (float)EB, "value %d of block %d is %g", i, r, (double)*x);
      *x = GAP;
    }
  for (int i = 0; i <= end; i++)
    check(out[i] == GAP, "value %d, between blocks, is %g", i, (double)out[i]);
  check(!ghz_reduce_scatterv(in, own ? sum : NULL, counts, MPI_FLOAT, MPI_SUM, comm, &o),
        "an error of ghz_reduce_scatterv");
  for (int i = 0; i < own; i++) {
    double want = 0;
    for (int r = 0; r < here.ranks; r++)
      want += (double)given(r, (int)first + i);
    check(fabs((double)sum[i] - want) <= here.ranks * EB, "sum %d is %g, should be %g", i, (double)sum[i],
          want);
  }
  check(sum[own] == GAP, "what is behind the result changes");
  free(in);
  free(out);
  free(sum);
}

/* ---- What is wrong ---- */
typedef enum wrong {
  COUNTS_DIFFER,
  COUNTS_DIFFER_BEHIND,
  NEGATIVE,
  TOO_MANY,
  NO_COUNTS,
  BACKWARDS,
  TOO_FAR,
  OVERFLOWS,
  SHAPED,
  WRONGS
} wrong;

static const struct {
  const char *what, *says;
  int class, gathers;
} wrongs[WRONGS] = {{"other counts", "the ranks disagree on the count", MPI_ERR_ARG, 0},
                    {"other counts but the first", "the ranks disagree on the count", MPI_ERR_ARG, 0},
                    {"a negative count", "gave a bad count", MPI_ERR_COUNT, 0},
                    {"too many values", "gave a bad count", MPI_ERR_COUNT, 0},
                    {"no counts", "gave a bad argument", MPI_ERR_ARG, 0},
                    {"a negative displacement", "gave a bad argument", MPI_ERR_ARG, 1},
                    {"a displacement beyond MPI's int", "gave a bad argument", MPI_ERR_ARG, 1},
                    {"a displacement that overflows", "gave a bad argument", MPI_ERR_ARG, 1},
                    {"a shape of unequal blocks", "gave a bad argument", MPI_ERR_ARG, 0}};

static void must_fail(int gathers, wrong k, int by) {
  float in[200] = {0}, out[400];
  MPI_Count counts[MOST], places[MOST];
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length, mine = here.rank == by, last = here.ranks - 1;
  o.bound = (ghz_bound){GHZ_ABS, EB};
  o.threshold = 0;
  for (int r = 0; r < here.ranks; r++)
    counts[r] = r + 1, places[r] = 20 * r;
  if (mine && k == COUNTS_DIFFER) /* as many in all */
    counts[0]++, counts[last]--;
  if (mine && k == COUNTS_DIFFER_BEHIND)
    counts[1]++, counts[2]--;
  if (mine && (k == NEGATIVE || k == TOO_MANY))
    counts[last] = k == NEGATIVE ? -1 : INT64_MAX;
  if (mine && (k == BACKWARDS || k == TOO_FAR || k == OVERFLOWS))
    places[last] = k == BACKWARDS ? -1 : k == TOO_FAR ? INT64_C(1) << 32 : INT64_MAX / 2;
  if (mine && k == SHAPED)
    o.shape = (ghz_shape){2, {1, 2, 2}};
  suite_case("%s, by rank %d: %s", gathers ? "allgatherv" : "reduce_scatterv", by, wrongs[k].what);
  const MPI_Count *given_counts = mine && k == NO_COUNTS ? NULL : counts;
  int code = gathers ? ghz_allgatherv(in, out, given_counts, places, MPI_FLOAT, comm, &o)
                     : ghz_reduce_scatterv(in, out, given_counts, MPI_FLOAT, MPI_SUM, comm, &o);
  if (!check(code != MPI_SUCCESS, "the call succeeds"))
    return;
  MPI_Error_string(code, text, &length);
  check(ghz_mpi_error_class(code) == wrongs[k].class, "the class is %d: %s", ghz_mpi_error_class(code), text);
  check(strstr(text, gathers ? "ghz_allgatherv" : "ghz_reduce_scatterv") &&
            (mine || strstr(text, wrongs[k].says)),
        "the sentence is: %s", text);
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int kind = 0; kind < 4; kind++) {
    try_sizes(kind, 0);
    try_sizes(kind, 1);
  }
  for (int k = 0; k < WRONGS; k++)
    for (int gathers = wrongs[k].gathers; gathers < 2 && (k != COUNTS_DIFFER_BEHIND || here.ranks > 2);
         gathers++)
      must_fail(gathers, (wrong)k, k % here.ranks);
  try_sizes(0, 1); /* the communicator still works */
  MPI_Comm_free(&comm);
  return suite_end(NULL);
}
