/* small.c: small calls are MPI's: the same bits, and a report that says so. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"
#include "suite.h"
#include <string.h>

enum { LARGEST = 5000, ROOM = 8 * LARGEST };

static double send[ROOM], ours[ROOM], theirs[ROOM];

/* Random numbers of a type; the same in both places where results go. */
static void prepare(MPI_Datatype type, uint64_t seed) {
  uint64_t state = mix(seed, (uint64_t)here.rank);
  for (int i = 0; i < ROOM; i++) {
    double x = (double)(int64_t)draw(&state) * 0x1p-60;
    if (type == MPI_DOUBLE)
      send[i] = ours[i] = x;
    else
      ((float *)send)[i] = ((float *)ours)[i] = (float)x;
  }
  memcpy(theirs, ours, sizeof ours);
}

/* The call by both libraries; what they leave must be the same. */
static void call_both(int f, int n, MPI_Datatype type, MPI_Op op, int root, const ghz_mpi_options *o) {
  test_request by_us = request_of((collective)f, send, ours, n, type, MPI_COMM_WORLD), by_mpi;
  by_us.op = op;
  by_us.root = root;
  by_mpi = by_us;
  by_mpi.recv = theirs;
  check(request_make(&by_us, o) == MPI_SUCCESS, "an error");
  request_make_by_mpi(&by_mpi);
  check(memcmp(ours, theirs, sizeof ours) == 0, "not what MPI gives");
}

static void compare(int f, int n, MPI_Datatype type, MPI_Op op, int root, uint64_t seed) {
  ghz_mpi_report report;
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  suite_case("%s of %d %s, seed %llu", collective_names[f], n, type == MPI_DOUBLE ? "doubles" : "floats",
             (unsigned long long)seed);
  memset(&report, 0xee, sizeof report);
  o.bound = (ghz_bound){GHZ_REL, 1e-3};
  o.report = &report;
  prepare(type, seed);
  call_both(f, n, type, op, root, &o);
  check(report.algorithm == GHZ_MPI_NATIVE, "the report says %s", ghz_mpi_algorithm_name(report.algorithm));
  check(report.raw_bytes == 0 && report.sent_bytes == 0 && report.messages == 0 && report.eb == 0 &&
            report.bound == 0,
        "the report has figures of ours");
  check(report.seconds >= 0 && report.seconds < 60, "it took %g s", report.seconds);
}

/* Without options, or a bound in them, MPI does it, whatever the size. */
static void without_bound(int f, const ghz_mpi_options *options) {
  int count = ROOM / here.ranks;
  suite_case("%s, no %s", collective_names[f], options ? "bound" : "options");
  prepare(MPI_DOUBLE, 77);
  call_both(f, count, MPI_DOUBLE, MPI_MAX, 0, options);
}

/* Averages are ours to make, below the threshold too. */
static void average(void) {
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  float x[10], y[10];
  o.bound = (ghz_bound){GHZ_ABS, 1e-3};
  o.average = 1;
  suite_case("a small average");
  for (int i = 0; i < 10; i++)
    x[i] = (float)(here.rank + i);
  check(ghz_allreduce(x, y, 10, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o) == MPI_SUCCESS, "an error");
  double mean = (here.ranks - 1) / 2.0;
  for (int i = 0; i < 10; i++)
    check(y[i] >= mean + i - 1.001e-3 && y[i] <= mean + i + 1.001e-3, "value %d is %g, should be %g", i,
          (double)y[i], mean + i);
}

int main(int argc, char **argv) {
  static const int counts[] = {0, 1, 7, 1000, LARGEST};
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX};
  uint64_t seed = here.seed * 1000;
  for (int f = 0; f < COLLECTIVES; f++)
    for (int c = 0; c < 5; c++)
      for (int t = 0; t < 2; t++, seed++)
        compare(f, counts[c], t ? MPI_DOUBLE : MPI_FLOAT, ops[seed % 3], (int)(seed % (uint64_t)here.ranks),
                seed);
  const ghz_mpi_options unbound = GHZ_MPI_OPTIONS;
  for (int f = 0; f < COLLECTIVES; f++) {
    without_bound(f, NULL);
    without_bound(f, &unbound);
  }
  average();
  return suite_end(NULL);
}
