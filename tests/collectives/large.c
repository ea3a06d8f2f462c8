/* large.c: counts beyond 2^31, in little memory: a file of some MiB appears again and again in a
 * large range of addresses.
 *
 * The period is a whole number of tiles and divides no power of two, so that an offset that lost
 * its upper bits lands on other values. What is written is the same wherever a period is, since a
 * tile is decoded on its own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_POPULATE */
#include "request.h"
#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TILES = 15 << 10, PERIOD = TILES * 1024, SLOPE = 1000 };

/* An array of floats that repeats. */
typedef struct repeated {
  float *values;
  size_t bytes; /* of addresses */
} repeated;

static int64_t megabytes_available(void) {
  char line[256];
  long long kilobytes = -1;
  FILE *f = fopen("/proc/meminfo", "r");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %lld kB", &kilobytes) == 1)
      break;
  if (f)
    fclose(f);
  return kilobytes / 1024;
}

static repeated repeat(uint64_t count) {
  const size_t period = (size_t)PERIOD * sizeof(float);
  repeated r = {NULL, ((size_t)count * sizeof(float) + period - 1) / period * period};
  FILE *file = tmpfile();
  if (!file || ftruncate(fileno(file), (off_t)period))
    return r;
  char *all = mmap(NULL, r.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  int holds = all != MAP_FAILED;
  for (size_t at = 0; holds && at < r.bytes; at += period)
    holds = mmap(all + at, period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fileno(file),
                 0) != MAP_FAILED;
  fclose(file);
  r.values = holds ? (float *)all : NULL;
  return r;
}

/* Mostly zeros, to save time. */
static float value(int rank, uint64_t i) {
  uint64_t tile = i / 1024 % TILES;
  return tile % 16 ? 0 : (float)(tile % SLOPE) + (float)(i % 1024) / 1024 + (float)rank;
}

static void fill(const repeated *r, int rank) {
  for (uint64_t i = 0; i < PERIOD; i++)
    r->values[i] = value(rank, i);
}

static ghz_mpi_options options(ghz_mpi_algorithm algorithm, ghz_mpi_report *report) {
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_ABS, 1e-3};
  o.algorithm = algorithm;
  o.mode = GHZ_MPI_HOMOMORPHIC;
  o.report = report;
  return o;
}

/* Checks a period: sums of `of` ranks from `first` on, as they stand from value `at` on. */
static void check_period(const repeated *r, int first, int of, double bound) {
  for (uint64_t i = 0; i < PERIOD; i++) {
    double want = 0;
    for (int k = first; k < first + of; k++)
      want += (double)value(k, i);
    if (!check(fabs((double)r->values[i] - want) <= bound, "value %llu is %g, should be %g",
               (unsigned long long)i, (double)r->values[i], want))
      return;
  }
}

/* The sum over all ranks. */
static void sum(const repeated *x, const repeated *y, uint64_t count, ghz_mpi_algorithm algorithm) {
  ghz_mpi_report report = {0};
  ghz_mpi_options o = options(algorithm, &report);
  suite_case("allreduce %s of %llu floats", ghz_mpi_algorithm_name(algorithm), (unsigned long long)count);
  fill(x, here.rank);
  fill(y, 100);
  int code = ghz_allreduce(x->values, y->values, (MPI_Count)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o);
  check(code == MPI_SUCCESS, "the call returns %d", code);
  check_period(y, 0, here.ranks, 1e-3 * here.ranks * 1.01);
  check(here.ranks == 1 || report.raw_bytes >= count * 4, "only %llu raw bytes",
        (unsigned long long)report.raw_bytes);
  if (here.rank == 0)
    printf("allreduce %s of %llu floats: %.1f s\n", ghz_mpi_algorithm_name(algorithm),
           (unsigned long long)count, report.seconds);
}

static void broadcast(const repeated *x, uint64_t count) {
  ghz_mpi_report report = {0};
  ghz_mpi_options o = options(GHZ_MPI_CHAIN, &report);
  o.keep_root = 1; /* what it writes to one period it would read from the next */
  suite_case("bcast chain of %llu floats", (unsigned long long)count);
  fill(x, here.rank + 7);
  int code = ghz_bcast(x->values, (MPI_Count)count, MPI_FLOAT, here.ranks - 1, MPI_COMM_WORLD, &o);
  check(code == MPI_SUCCESS, "the call returns %d", code);
  check_period(x, here.ranks + 6, 1, 1e-3);
}

/* Blocks that together are beyond 2^31, each whole periods, so that all repeat alike. */
static void blocks(const repeated *x, const repeated *y, uint64_t count) {
  uint64_t block = count / (uint64_t)here.ranks / PERIOD * PERIOD + PERIOD;
  ghz_mpi_report report = {0};
  ghz_mpi_options o = options(GHZ_MPI_TREE, &report);
  suite_case("scatter tree of %llu floats each", (unsigned long long)block);
  fill(x, here.rank);
  fill(y, 100);
  int code = ghz_scatter(x->values, y->values, (MPI_Count)block, MPI_FLOAT, 0, MPI_COMM_WORLD, &o);
  check(code == MPI_SUCCESS, "the call returns %d", code);
  check_period(y, 0, 1, 1e-3);
}

/* One rank alone is compressed, too, as MPI's int does not take the count. */
static void left_alone(const repeated *x, const repeated *y, uint64_t count) {
  for (int what = 0; what < COLLECTIVES; what++) {
    ghz_mpi_report report = {0};
    ghz_mpi_options o = GHZ_MPI_OPTIONS;
    test_request r =
        request_of((collective)what, x->values, y->values, (MPI_Count)count, MPI_FLOAT, MPI_COMM_WORLD);
    o.bound = (ghz_bound){GHZ_ABS, 1e-3};
    o.keep_root = 1; /* as in broadcast */
    o.report = &report;
    suite_case("%s of %llu floats on one rank", collective_names[what], (unsigned long long)count);
    fill(x, 0);
    fill(y, what == BCAST ? 0 : 100);
    int code = request_make(&r, &o);
    check(code == MPI_SUCCESS, "the call returns %d", code);
    check(report.bound > 0, "it is not compressed");
    check_period(y, 0, 1, 1e-3);
  }
}

int main(int argc, char **argv) {
  const uint64_t count = (UINT64_C(1) << 31) + 5;
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  const char *skipped = NULL;
  repeated x = {0}, y = {0};
  if (!on_all(megabytes_available() / here.ranks > 2048, MPI_COMM_WORLD))
    skipped = "there are no 2 GiB of memory per rank";
  if (!skipped) {
    x = repeat(count + (uint64_t)here.ranks * PERIOD);
    y = repeat(count + (uint64_t)here.ranks * PERIOD);
    if (!on_all(x.values && y.values, MPI_COMM_WORLD))
      skipped = "no such range of addresses, or no room for temporary files";
  }
  if (!skipped) {
    sum(&x, &y, count, GHZ_MPI_RING);
    broadcast(&x, count);
    blocks(&x, &y, count);
    if (here.ranks == 1)
      left_alone(&x, &y, count);
  }
  return suite_end(skipped);
}
