/* bench.c: owns `ghz bench`: speeds of the library in memory, beside memcpy. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/buffer.h"
#include "io/input.h"
#include "io/tiles.h"
#include "report/library.h"
#include "report/report.h"
#include "report/seconds.h"
#include "report/text.h"
#include "verbs.h"
#include "work/difference.h"
#include "work/each_file.h"

enum { RUNS_MIN = 5, RUNS_MAX = 101 };
#define SECONDS_MIN 0.3 /* per operation, unless RUNS_MAX come first */

typedef struct trial {
  ghz_context *ctx;
  const char *name;
  int order;
  input in;
  ghz_shape shape;
  size_t count, bytes;
  ghz_lattice lattice;
  buffer values, stream, other, back;
  size_t size, other_size;
} trial;

/* ---- The operations ---- */

static ghz_status do_memcpy(trial *t) {
  memcpy(t->back.data, t->values.data, t->bytes);
  return GHZ_OK;
}

static ghz_status do_compress(trial *t) {
  return ghz_compress_shape(t->ctx, &t->lattice, t->order, t->values.data, &t->shape, t->stream.data,
                            t->stream.capacity, &t->size);
}

static ghz_status do_decompress(trial *t) {
  return ghz_decompress(t->ctx, (ghz_bytes){t->stream.data, t->size}, t->lattice.type, t->back.data, t->count);
}

static ghz_status do_add(trial *t) {
  ghz_bytes a = {t->stream.data, t->size};
  return ghz_add(t->ctx, a, a, t->other.data, t->other.capacity, &t->other_size);
}

typedef struct row {
  const char *name;
  ghz_status (*run)(trial *t);
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

static bool measure(trial *t, const row *r, timing *result) {
  double taken[RUNS_MAX], start = seconds();
  int runs = 0;
  if (!library_ok(t->name, t->ctx, r->run(t))) /* warms up */
    return false;
  for (; runs < RUNS_MIN || (runs < RUNS_MAX && seconds() - start < SECONDS_MIN); runs++) {
    double begin = seconds();
    if (!library_ok(t->name, t->ctx, r->run(t)))
      return false;
    taken[runs] = seconds() - begin;
  }
  qsort(taken, (size_t)runs, sizeof *taken, compare_doubles);
  result->best = (double)t->bytes / taken[0] / 1e9;
  result->median = (double)t->bytes / taken[runs / 2] / 1e9;
  return true;
}

/* ---- A file ---- */

static bool load(trial *t, const options *o) {
  size_t size = ghz_type_size(t->in.type), got;
  if (!input_make_seekable(&t->in) || (o->dims.ndim && !input_set_shape(&t->in, &o->dims)))
    return false;
  t->shape = o->flat ? ghz_flat(t->in.count) : ghz_array_shape(&t->in.shape, t->in.count);
  t->count = (size_t)t->in.count;
  t->bytes = t->count * size;
  if (t->count == 0)
    return fail(t->name, "has no values to measure");
  return buffer_reserve(&t->values, t->bytes, t->name) && buffer_reserve(&t->back, t->bytes, t->name) &&
         buffer_reserve(&t->stream, ghz_shape_bound(&t->shape, t->in.type, 1), t->name) &&
         buffer_reserve(&t->other, ghz_shape_bound(&t->shape, t->in.type, 2), t->name) &&
         input_read(&t->in, t->values.data, t->count, &got);
}

static bool make_lattice(trial *t, ghz_bound bound) {
  const void *values = t->values.data;
  return library_ok(t->name, t->ctx,
                    ghz_lattice_for(t->ctx, t->in.type, bound, NULL, 1, &values, t->count, &t->lattice));
}

static double error_over_bound(const trial *t) {
  difference d;
  difference_begin(&d);
  for (size_t i = 0; i < t->count; i++) {
    double x, y;
    if (t->in.type == GHZ_F64) {
      x = ((const double *)(const void *)t->values.data)[i];
      y = ((const double *)(const void *)t->back.data)[i];
    } else {
      x = (double)((const float *)(const void *)t->values.data)[i];
      y = (double)((const float *)(const void *)t->back.data)[i];
    }
    difference_add(&d, &x, &y, 1);
  }
  return d.mismatches ? INFINITY : d.error / t->lattice.eb;
}

static void print_table(const trial *t, const timing *times, double error) {
  int threads = ghz_context_threads(t->ctx);
  printf("%s: %s of %s, bound %s, ratio %.4g, max error / bound %.4f, %d thread%s, %s\n", t->name,
         text_bytes(t->bytes).text, type_name(t->in.type), text_double(t->lattice.eb).text,
         (double)t->bytes / (double)t->size, error, threads, threads > 1 ? "s" : "", ghz_context_isa(t->ctx));
  printf("  %-12s %10s %10s\n", "GB/s", "best", "median");
  for (int i = 0; i < ROWS; i++)
    printf("  %-12s %10.2f %10.2f\n", rows[i].name, times[i].best, times[i].median);
}

static bool bench_values(const options *o, trial *t) {
  timing times[ROWS];
  if (!load(t, o) || !make_lattice(t, o->bound))
    return false;
  memset(t->other.data, 0, t->other.capacity); /* no page faults while the clock runs */
  for (int i = 0; i < ROWS; i++)
    if (!measure(t, &rows[i], &times[i]))
      return false;
  double error = error_over_bound(t);
  print_table(t, times, error);
  return error <= 1 || fail(t->name, "the bound is violated: max error / bound is %.9g", error);
}

static bool bench_file(const options *o, ghz_context *ctx, const char *path) {
  trial t = {.ctx = ctx, .order = o->order};
  if (!input_open(&t.in, path, o->type))
    return false;
  t.name = t.in.file.name;
  bool ok = bench_values(o, &t);
  input_close(&t.in);
  buffer_free(&t.values);
  buffer_free(&t.stream);
  buffer_free(&t.other);
  buffer_free(&t.back);
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
    .details = "Loads each file into memory, and measures compression, decompression, addition of\n"
               "the compressed file to itself, and memcpy for comparison. Prints the best and the\n"
               "median of several runs, in GB/s of original bytes. The bound is --rel 1e-4 unless\n"
               "given. The exit code is 1 if the bound is violated.",
    .examples = "  ghz bench wave.f32\n"
                "  ghz bench --abs 1e-3 -T 1 *.f32\n",
    .options = OPTION_BOUND | OPTION_ORDER | OPTION_TYPE | OPTION_DIMS | OPTION_FLAT | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
