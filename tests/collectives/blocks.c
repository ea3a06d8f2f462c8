/* blocks.c: blocks of any sizes that each rank gathers at places of its own, beside values.c. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"
#include <ghz/mpi.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 8, GAP = -77 };
#define EB 0.125

static float *blank(int values) {
  float *x = malloc((size_t)(values + 1) * sizeof *x);
  if (!x)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i <= values; i++)
    x[i] = GAP;
  return x;
}

static float given(int rank, int i) { return (float)((i * 7 + rank * 1001) % 512 - 100 * rank); }

/* The places are in another order than that of ranks. */
static void try_sizes(int kind, int has_places) {
  static const int sizes[][3] = {{30000, 30000, 30000}, {0, 90000, 0}, {1, 8, 15}, {70001, 3, 0}};
  MPI_Count counts[MOST], places[MOST], end = 0;
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  suite_case("sizes %d, %s places", kind, has_places ? "any" : "no");
  o.bound = (ghz_bound){GHZ_ABS, EB};
  o.mode = GHZ_MPI_HOMOMORPHIC;
  for (int r = 0; r < here.ranks; r++)
    counts[r] = sizes[kind][r % 3];
  for (int r = here.ranks - 1; r >= 0; end = places[r] + counts[r], r--)
    places[r] = end + (here.rank + r) % 4;
  for (int r = 0, at = 0; r < here.ranks && !has_places; at += (int)counts[r++])
    places[r] = at;
  const int own = (int)counts[here.rank];
  float *in = blank(own), *out = blank((int)end);
  for (int i = 0; i < own; i++)
    in[i] = given(here.rank, i);
  check(
      !ghz_allgatherv(own ? in : NULL, out, counts, has_places ? places : NULL, MPI_FLOAT, MPI_COMM_WORLD, &o),
      "an error of ghz_allgatherv");
  for (int r = 0; r < here.ranks; r++)
    for (int i = 0; i < counts[r]; i++) {
      float *x = &out[places[r] + i];
      check(fabsf(*x - given(r, i)) <= (float)EB, "value %d of block %d is %g", i, r, (double)*x);
      *x = GAP;
    }
  for (int i = 0; i <= end; i++)
    check(out[i] == GAP, "value %d, between blocks, is %g", i, (double)out[i]);
  free(in);
  free(out);
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  for (int kind = 0; kind < 4; kind++)
    for (int has_places = 0; has_places < 2; has_places++)
      try_sizes(kind, has_places);
  return suite_end(NULL);
}
