/* report.c: owns the tables and the CSV of a run on a CUDA device. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda.h"

#include <math.h>

static double speed(const figure *f) {
  return 1e-9 * (double)f->bytes / f->time.median;
}

static double of_copy(const results *r, const figure *f) {
  return 100 * f->moved / f->time.median / r->copy;
}

void cuda_report_begin(const results *r) {
  const options *o = r->options;
  char size[24];
  printf("libghz %s on a device of ", ghz_version());
  device_describe(stdout);
  printf(", %s.\n", o->type ? "float64" : "float32");
  if (o->quick)
    printf("QUICK RUN: tiny arrays, few samples; no figure here is a speed.\n");
  printf("Copy from device to device, %s: %.0f GB/s, read + written. That is the 100 %% below.\n",
         size_text((size_t)o->sizes.x[o->sizes.n - 1], size), 1e-9 * r->copy);
  fputs(
      "GB/s are original bytes of one operand (sums: of the result) by device events, medians; spread is the\n"
      "distance of the quartiles. moved: bytes that a call has to read and write, once each; of copy: the\n"
      "rate of that, as a part of the copy's. /separate: speed over that of decompress + decompress +\n"
      "addition of floats + compress, four kernels. ratio: of the stream made or read. sets: operands that\n"
      "calls take in turn; *: they are less than twice the L2 cache. Arrays longer than a field have its\n"
      "mirror images behind it.\n",
      stdout);
}

static const char *layout(const figure *f) {
  return f->shape.dims == 1 ? "flat" : f->shape.dims == 2 ? "bricks of 32 x 32" : "bricks of 8 x 8 x 16";
}

static void print_figure(const results *r, const figure *f) {
  printf("  %-11s ", cuda_operations[f->op]);
  print_number(f->ratio, 8, 2);
  printf(" %9.1f %10.2f %9.2f %7.1f %% ", speed(f), 1e6 * f->time.median, 1e-6 * f->moved, of_copy(r, f));
  print_number(f->of_separate, 9, 2);
  printf(" %6.1f %% %4d%s\n", 100 * f->time.spread, f->sets, f->cached ? "*" : "");
}

void cuda_report_figures(const results *r, int first) {
  const figure *f = &r->figures[first];
  char size[24];
  if (first == r->n_figures)
    return;
  printf("\n%s, bound %.0e, %s, %s\n", f->pair->name, f->bound, size_text(f->bytes, size), layout(f));
  printf("  %-11s %8s %9s %10s %9s %9s %9s %8s %4s\n", "", "ratio", "GB/s", "us", "moved MB", "of copy",
         "/separate", "spread", "sets");
  for (int i = first; i < r->n_figures; i++)
    print_figure(r, &r->figures[i]);
  fflush(stdout);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* A line; what does not apply is NAN. */
static void csv_line(FILE *f, const char *name, double bound, const char *type, size_t bytes, int dims,
                     const char *op, timing t, const double rest[6]) {
  fprintf(f, "%s", name);
  csv_number(f, bound);
  fprintf(f, ",%s,%zu,%d,%s", type, bytes, dims, op);
  csv_number(f, 1e6 * t.median);
  csv_number(f, 1e6 * t.best);
  csv_number(f, t.spread);
  fprintf(f, ",%d", t.samples);
  for (int i = 0; i < 6; i++)
    csv_number(f, rest[i]);
  fprintf(f, "\n");
}

static void csv_figures(FILE *f, const results *r, const char *type) {
  for (int i = 0; i < r->n_figures; i++) {
    const figure *x = &r->figures[i];
    double rest[6] = {speed(x), x->ratio, x->moved, 0.01 * of_copy(r, x), x->of_separate, x->sets};
    csv_line(f, x->pair->name, x->bound, type, x->bytes, x->shape.dims, cuda_operations[x->op], x->time, rest);
  }
}

void cuda_report_csv(const results *r) {
  const char *type = r->options->type ? "f64" : "f32";
  static const timing none = {NAN, NAN, NAN, 0};
  FILE *f = csv_open(r->options->csv, "input,bound,type,bytes,dims,operation,median_us,best_us,spread,"
                                      "samples,GBps,ratio,moved_bytes,of_copy,of_separate,sets");
  csv_line(f, "the limit", NAN, type, (size_t)r->options->sizes.x[r->options->sizes.n - 1], 1,
           "copy (read and written)", none, (double[6]){1e-9 * r->copy, NAN, NAN, 1, NAN, NAN});
  csv_figures(f, r, type);
  csv_close(f, r->options->csv);
}
