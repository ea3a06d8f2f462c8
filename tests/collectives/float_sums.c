/* float_sums.c: the bound GHZ_MPI_FLOAT: sums of floats that are never less accurate than MPI's, by
 * the largest error and in the mean square, and have the same bits by every algorithm, over every
 * number of ranks, and in every MPI: the hashes below are those of all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"
#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 40000, ARRAYS = 16, EDGE = 200 };

/* ---- Fields: of additions, multiplications and roots alone, for the same bits everywhere ---- */
typedef enum kind { SINES, NOISE, WAVE, HEAVY, OFFSET, KINDS } kind;
static const char *const names[KINDS] = {"sines", "noise", "wave", "heavy tails", "offset"};

static double uniform(uint64_t *state) { return (double)(draw(state) >> 11) * 0x1p-53; }

static double gauss(uint64_t *state) {
  double sum = -6;
  for (int i = 0; i < 12; i++)
    sum += uniform(state);
  return sum;
}

/* Goes round by an angle whose tangent is given. */
static void turn(double *x, double *y, double tangent) {
  double c = 1 / sqrt(1 + tangent * tangent), s = tangent * c, a = *x * c - *y * s;
  *y = *x * s + *y * c;
  *x = a;
}

static void fill_sines(float *v, int array) {
  double x = 1, y = 0;
  turn(&x, &y, (double)array);
  for (int i = 0; i < COUNT; i++) {
    turn(&x, &y, 0.012 + 0.0007 * array);
    v[i] = (float)y;
  }
}

/* A ring that spreads, of a few wavelengths. */
static void fill_wave(float *v, int array) {
  for (int i = 0; i < COUNT; i++) {
    double a = (i % EDGE) / (EDGE / 2.0) - 1, b = (i / EDGE) / (EDGE / 2.0) - 1,
           d = (sqrt(a * a + b * b) - 0.05 * (array + 3)) * 25, w = 1 / (1 + d * d);
    v[i] = (float)(w * w * w * (1 - d * d));
  }
}

static void fill(kind k, float *v, int array) {
  uint64_t state = mix(1000 * (uint64_t)k, (uint64_t)array);
  if (k == SINES)
    fill_sines(v, array);
  else if (k == WAVE)
    fill_wave(v, array);
  else
    for (int i = 0; i < COUNT; i++) {
      double g = gauss(&state);
      v[i] = (float)(k == NOISE ? g : k == HEAVY ? g * g * g / (0.01 + uniform(&state)) : 270 + 20 * g);
    }
}

/* ---- Errors ---- */
typedef struct errors {
  double largest, rms;
} errors;

static errors errors_of(const float *y, const double *exact) {
  errors e = {0, 0};
  for (int i = 0; i < COUNT; i++) {
    double d = fabs((double)y[i] - exact[i]);
    e.largest = d > e.largest ? d : e.largest;
    e.rms += d * d;
  }
  e.rms = sqrt(e.rms / COUNT);
  return e;
}

static float mine[ARRAYS * COUNT], result[COUNT], by_mpi[COUNT];
static double exact[COUNT];

/* Sums of up to 16 floats, exact but for 2^-53 of them: far below what is compared. */
static void add_exactly(kind k, int arrays) {
  memset(exact, 0, sizeof exact);
  for (int a = 0; a < arrays; a++) {
    fill(k, mine, a);
    for (int i = 0; i < COUNT; i++)
      exact[i] += (double)mine[i];
  }
}

static ghz_mpi_options float_options(ghz_mpi_report *report) {
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_MPI_FLOAT, 0};
  o.threshold = 0;
  o.report = report;
  return o;
}

/* One array a rank, by the library and by MPI. */
static void compare(kind k, int ranks, MPI_Comm comm) {
  ghz_mpi_report report = {0};
  ghz_mpi_options o = float_options(&report);
  suite_case("%s on %d ranks", names[k], ranks);
  add_exactly(k, ranks);
  fill(k, mine, here.rank);
  check(ghz_allreduce(mine, result, COUNT, MPI_FLOAT, MPI_SUM, comm, &o) == MPI_SUCCESS, "an error");
  MPI_Allreduce(mine, by_mpi, COUNT, MPI_FLOAT, MPI_SUM, comm);
  errors ours = errors_of(result, exact), theirs = errors_of(by_mpi, exact);
  check(ours.largest <= theirs.largest, "the largest error is %g, MPI's is %g", ours.largest, theirs.largest);
  check(ours.rms <= theirs.rms, "the rms error is %g, MPI's is %g", ours.rms, theirs.rms);
  check(!report.inexact, "the sum is inexact");
  if (ranks > 2)
    check(report.bound > 0 && (double)report.sent_bytes < 0.95 * (double)report.raw_bytes, "%llu of %llu bytes",
          (unsigned long long)report.sent_bytes, (unsigned long long)report.raw_bytes);
  if (here.rank == 0 && getenv("GHZ_TEST_VERBOSE"))
    printf("%-12s %2d ranks: %5.2f x fewer bytes; largest error %.3g (MPI %.3g), rms %.3g (MPI %.3g)\n",
           names[k], ranks, (double)report.raw_bytes / (double)(report.sent_bytes ? report.sent_bytes : 1),
           ours.largest, theirs.largest, ours.rms, theirs.rms);
}

/* ---- Bits ---- */
/* Of 2 arrays, and of 16. */
static const uint64_t hashes[KINDS][2] = {{UINT64_C(0xa4dfbb307560a61), UINT64_C(0x302316a891addced)},
                                          {UINT64_C(0x148beac5dcc51edc), UINT64_C(0x13c00836672ddecf)},
                                          {UINT64_C(0x49260c3a927fe90), UINT64_C(0x4bad5d06b2b63c28)},
                                          {UINT64_C(0x10995e2958ca617b), UINT64_C(0x63ed2e282d4df08d)},
                                          {UINT64_C(0x72dd1195f71a8748), UINT64_C(0x6aa5b43fb6171363)}};

/* The ways to sum on so many ranks. */
static const struct {
  collective what;
  ghz_mpi_algorithm algorithm;
} ways[] = {{ALLREDUCE, GHZ_MPI_ALGORITHM_AUTO}, {ALLREDUCE, GHZ_MPI_RING}, {ALLREDUCE, GHZ_MPI_DOUBLING},
            {ALLREDUCE, GHZ_MPI_HALVING},        {REDUCE, GHZ_MPI_RING},    {REDUCE, GHZ_MPI_TREE}};

/* All arrays, dealt to the ranks one after the other. */
static void sum_all(kind k, int arrays, int ranks, MPI_Comm comm, unsigned way) {
  ghz_mpi_report report;
  ghz_mpi_options o = float_options(&report);
  int first = arrays * here.rank / ranks, end = arrays * (here.rank + 1) / ranks;
  test_request r = request_of(ways[way].what, mine, result, COUNT, MPI_FLOAT, comm);
  suite_case("%d arrays of %s on %d ranks, %s %s", arrays, names[k], ranks, collective_names[ways[way].what],
             ghz_mpi_algorithm_name(ways[way].algorithm));
  for (int a = first; a < end; a++)
    fill(k, mine + (a - first) * COUNT, a);
  o.mode = GHZ_MPI_HOMOMORPHIC; /* which numbers of contributions need */
  o.algorithm = ways[way].algorithm;
  o.contributions = end - first;
  r.root = ranks - 1;
  check(request_make(&r, &o) == MPI_SUCCESS, "an error");
  check(!report.inexact, "the sum is inexact");
  if (ways[way].what == REDUCE && here.rank != r.root)
    return;
  uint64_t hash = hash_bytes(result, sizeof result);
  if (ranks == 1 && way == 0 && getenv("GHZ_TEST_VERBOSE"))
    printf("%s, %d arrays: 0x%llx\n", names[k], arrays, (unsigned long long)hash);
  check(hash == hashes[k][arrays == ARRAYS], "the hash is 0x%llx", (unsigned long long)hash);
}

static void on_some(int ranks) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, here.rank < ranks ? 0 : MPI_UNDEFINED, here.rank, &comm);
  if (comm == MPI_COMM_NULL)
    return;
  for (kind k = SINES; k < KINDS; k++) {
    compare(k, ranks, comm);
    for (unsigned way = 0; way < sizeof ways / sizeof *ways; way++) {
      sum_all(k, ARRAYS, ranks, comm, way);
      sum_all(k, 2, ranks, comm, way);
    }
  }
  MPI_Comm_free(&comm);
}

/* ---- What it is not for ---- */
/* MPI makes these calls, and their values are exact. */
static void exact_calls(void) {
  static double x[1000], y[16000];
  for (int what = 0; what < COLLECTIVES; what++)
    for (int is_double = reduces((collective)what); is_double < 2; is_double++) {
      ghz_mpi_report report = {.bound = 1};
      ghz_mpi_options o = float_options(&report);
      test_request r = request_of((collective)what, x, y, 1000 / here.ranks, is_double ? MPI_DOUBLE : MPI_FLOAT,
                                  MPI_COMM_WORLD);
      suite_case("%s of %s", collective_names[what], is_double ? "double" : "float");
      check(request_make(&r, &o) == MPI_SUCCESS, "an error");
      check(report.algorithm == GHZ_MPI_NATIVE && report.bound == 0, "it is not left to MPI");
    }
}

/* Contradictions are errors on every rank. */
static void contradictions(void) {
  static float x[8], y[8];
  ghz_mpi_options o[3] = {float_options(NULL), float_options(NULL), float_options(NULL)};
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  o[0].bound.value = 1e-3;
  o[1].of_result = 1;
  if (here.rank == 0)
    o[2].bound = (ghz_bound){GHZ_REL, 1e-3};
  for (int i = 0; i < (here.ranks > 1 ? 3 : 2); i++) {
    suite_case("contradiction %d", i);
    o[i].mode = GHZ_MPI_HOMOMORPHIC;
    int code = ghz_allreduce(x, y, 8, MPI_FLOAT, MPI_SUM, comm, &o[i]);
    check(ghz_mpi_error_class(code) == MPI_ERR_ARG, "class %d", ghz_mpi_error_class(code));
  }
  MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  exact_calls();
  contradictions();
  for (int ranks = 1; ranks <= here.ranks; ranks++)
    if (ranks < 6 || ranks == here.ranks || ranks == 8 || ranks == 11)
      on_some(ranks);
  return suite_end(NULL);
}
