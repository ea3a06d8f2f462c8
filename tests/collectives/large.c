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

/* One rank alone is compressed, too, as MPI's int does not take the count. What a broadcast's root
 * wrote to one period it would read from the next, so it keeps them. */
static void huge(collective what, const repeated *x, const repeated *y, uint64_t count) {
  const int alone = here.ranks == 1, moves = what == BCAST;
  ghz_mpi_report report = {0};
  test_request r = request_of(what, x->values, y->values, (MPI_Count)count, MPI_FLOAT, MPI_COMM_WORLD);
  suite_case("%s of %llu floats", collective_names[what], (unsigned long long)count);
  r.options.bound = (ghz_bound){GHZ_ABS, 1e-3};
  r.options.mode = alone ? GHZ_MPI_MODE_AUTO : GHZ_MPI_HOMOMORPHIC;
  r.options.algorithm = alone               ? GHZ_MPI_ALGORITHM_AUTO
                        : what == ALLREDUCE ? GHZ_MPI_RING
                        : moves             ? GHZ_MPI_CHAIN
                                            : GHZ_MPI_TREE;
  r.options.keep_root = 1;
  r.options.report = &report;
  fill(x, here.rank);
  fill(y, moves ? here.rank : 100);
  int code = request_make(&r, &r.options);
  check(code == MPI_SUCCESS, "the call returns %d", code);
  check(report.bound > 0, "it is not compressed");
  check_period(y, 0, reduces(what) ? here.ranks : 1, 1e-3 * (reduces(what) ? 1.01 * here.ranks : 1));
  check(alone || what != ALLREDUCE || report.raw_bytes >= count * 4, "only %llu raw bytes",
        (unsigned long long)report.raw_bytes);
  if (here.rank == 0)
    printf("%s: %.1f s\n", collective_names[what], report.seconds);
}

int main(int argc, char **argv) {
  const uint64_t count = (UINT64_C(1) << 31) + 5;
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  if (!on_all(megabytes_available() / here.ranks > 2048, MPI_COMM_WORLD))
    return suite_end("there are no 2 GiB of memory per rank");
  const repeated x = repeat(count + (uint64_t)here.ranks * PERIOD),
                 y = repeat(count + (uint64_t)here.ranks * PERIOD);
  if (!on_all(x.values && y.values, MPI_COMM_WORLD))
    return suite_end("no such range of addresses, or no room for temporary files");
  /* blocks are whole periods each, so that all repeat alike */
  const uint64_t block = count / (uint64_t)here.ranks / PERIOD * PERIOD + PERIOD;
  for (int what = 0; what < COLLECTIVES; what++)
    if (here.ranks == 1 || what == ALLREDUCE || what == BCAST || what == SCATTER)
      huge((collective)what, &x, &y, what == SCATTER ? block : count);
  return suite_end(NULL);
}
