/* bench.c: owns `ghz bench`: speeds of the library in memory, beside memcpy. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/values.h"
#include "report/library.h"
#include "report/report.h"
#include "report/seconds.h"
#include "report/text.h"
#include "verbs.h"
#include "work/difference.h"
#include "work/each_file.h"
#include "work/tuning.h"

enum { RUNS_MIN = 5, RUNS_MAX = 101 };
#define SECONDS_MIN 0.3 /* per operation, unless RUNS_MAX come first */

typedef struct bench {
  tuning t;
  size_t bytes; /* of the sample */
  ghz_lattice lattice;
  size_t size; /* of its stream */
  buffer sum;
} bench;

/* ---- The operations ---- */

static bool do_memcpy(bench *b) {
  memcpy(b->t.back.data, b->t.values.data, b->bytes);
  return true;
}

static bool do_compress(bench *b) {
  return tuning_compress(&b->t, &b->lattice, &b->size);
}

static bool do_decompress(bench *b) {
  return tuning_decompress(&b->t, b->size);
}

static bool do_add(bench *b) {
  const ghz_bytes a = {b->t.stream.data, b->size};
  size_t size;
  return library_ok(b->t.in.file.name, b->t.ctx, ghz_add(b->t.ctx, a, a, b->sum.data, b->sum.capacity, &size));
}

typedef struct row {
  const char *name;
  bool (*run)(bench *b);
} row;
static const row rows[] = {
    {"memcpy", do_memcpy}, {"compress", do_compress}, {"decompress", do_decompress}, {"add", do_add}};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- Timing ---- */

typedef struct timing {
  double best, median; /* GB/s of original bytes */
} timing;

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool measure(bench *b, const row *r, timing *result) {
  double taken[RUNS_MAX], start = seconds();
  int runs = 0;
  if (!r->run(b)) /* warms up */
    return false;
  for (; runs < RUNS_MIN || (runs < RUNS_MAX && seconds() - start < SECONDS_MIN); runs++) {
    double begin = seconds();
    if (!r->run(b))
      return false;
    taken[runs] = seconds() - begin;
  }
  qsort(taken, (size_t)runs, sizeof *taken, compare_doubles);
  result->best = (double)b->bytes / taken[0] / 1e9;
  result->median = (double)b->bytes / taken[runs / 2] / 1e9;
  return true;
}

/* ---- A file ---- */

static double error_over_bound(const bench *b) {
  difference d;
  difference_begin(&d);
  for (size_t i = 0; i < b->t.count; i++) {
    const double x = value_at(b->t.in.type, b->t.values.data, i), y = value_at(b->t.in.type, b->t.back.data, i);
    difference_add(&d, &x, &y, 1);
  }
  return d.mismatches ? INFINITY : d.error / b->lattice.eb;
}

static void print_table(const bench *b, const timing *times, double error) {
  const int threads = ghz_context_threads(b->t.ctx);
  printf("%s: %s of %s, bound %s, ratio %.4g, max error / bound %.4f, %d thread%s, %s\n", b->t.in.file.name,
         text_bytes(b->bytes).text, type_name(b->t.in.type), text_double(b->lattice.eb).text,
         (double)b->bytes / (double)b->size, error, threads, threads > 1 ? "s" : "", ghz_context_isa(b->t.ctx));
  printf("  %-12s %10s %10s\n", "GB/s", "best", "median");
  for (int i = 0; i < ROWS; i++)
    printf("  %-12s %10.2f %10.2f\n", rows[i].name, times[i].best, times[i].median);
}

static bool bench_values(bench *b) {
  const char *name = b->t.in.file.name;
  timing times[ROWS];
  b->bytes = b->t.count * ghz_type_size(b->t.in.type);
  if (!tuning_lattice(&b->t, b->t.o->bound, &b->lattice) ||
      !buffer_reserve(&b->sum, ghz_shape_bound(&b->t.header.shape, b->t.in.type, 2), name))
    return false;
  memset(b->sum.data, 0, b->sum.capacity); /* no page faults while the clock runs */
  for (int i = 0; i < ROWS; i++)
    if (!measure(b, &rows[i], &times[i]))
      return false;
  const double error = error_over_bound(b);
  print_table(b, times, error);
  return error <= 1 || fail(name, "the bound is violated: max error / bound is %.9g", error);
}

static bool bench_file(const options *o, ghz_context *ctx, const char *path) {
  bench b = {.bytes = 0};
  if (!tuning_open(&b.t, o, ctx, path))
    return false;
  const bool ok = bench_values(&b);
  tuning_close(&b.t);
  buffer_free(&b.sum);
  return ok;
}

static int run(const options *o) {
  options with_bound = *o;
  if (!o->bound_given)
    with_bound.bound = (ghz_bound){GHZ_REL, 1e-4};
  return each_file(&with_bound, bench_file);
}

const verb verb_bench = {
    .name = "bench",
    .operands = "FILE...",
    .summary = "measure speeds in memory",
    .details = "Measures compression, decompression, addition of the compressed values to themselves,\n"
               "and memcpy for comparison, in memory. Prints the best and the median of several runs,\n"
               "in GB/s of original bytes. Of a file of several frames it measures the one in the\n"
               "middle, 64 MiB, as tune does. The bound is --rel 1e-4 unless given. The exit code is 1\n"
               "if the bound is violated.",
    .examples = "  ghz bench wave.f32\n"
                "  ghz bench --abs 1e-3 -T 1 *.f32\n",
    .options = OPTION_BOUND | OPTION_ORDER | OPTION_TYPE | OPTION_DIMS | OPTION_FLAT | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
