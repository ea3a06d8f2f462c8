/* report.c: owns the tables and the CSV of a run on a CUDA device. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda.h"

#include <math.h>

static double speed(const figure *f) {
  return 1e-9 * f->original / f->time.median;
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
  printf("\n%s, bound %.0e, %s\n", f->pair->name, f->bound, size_text(f->bytes, size));
  printf("  %-11s %8s %9s %10s %9s %9s %9s %8s %4s\n", "", "ratio", "GB/s", "us", "moved MB", "of copy",
         "/separate", "spread", "sets");
  for (int i = first; i < r->n_figures; i++)
    print_figure(r, &r->figures[i]);
  fflush(stdout);
}

void cuda_report_streams(const results *r) {
  char size[24];
  printf("\nSeveral contexts on streams of their own, %s, bound %.0e, arrays of %s; GB/s of all together.\n",
         r->overlap_pair->name, r->overlap_bound, size_text(r->stream_bytes, size));
  printf("  %-11s %8s %9s %9s %8s\n", "", "streams", "GB/s", "/ one", "spread");
  double one = NAN;
  for (int i = 0; i < r->n_streams; i++) {
    const stream_figure *f = &r->streams[i];
    if (f->streams == 1)
      one = f->time.median;
    printf("  %-11s %8d %9.1f %9.2f %6.1f %%\n", cuda_operations[f->op], f->streams,
           1e-9 * f->original / f->time.median, one / f->time.median, 100 * f->time.spread);
  }
}

void cuda_report_latencies(const results *r) {
  char size[24];
  puts("\nOne compression, us (medians): on the device, between events on an idle stream; until the host has "
       "the\n"
       "outcome; until the call returns; and of each where many are queued.");
  printf("  %-11s %9s %9s %9s %9s\n", "", "device", "outcome", "call", "queued");
  for (int i = 0; i < r->n_latencies; i++) {
    const latency_figure *f = &r->latencies[i];
    printf("  %-11s %9.2f %9.2f %9.2f %9.2f\n", size_text(f->bytes, size), 1e6 * f->device.median,
           1e6 * f->host.median, 1e6 * f->call.median, 1e6 * f->queued.median);
  }
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* A line; what does not apply is NAN. */
static void csv_line(FILE *f, const char *name, double bound, const char *type, size_t bytes, const char *op,
                     int streams, timing t, const double rest[6]) {
  fprintf(f, "%s", name);
  csv_number(f, bound);
  fprintf(f, ",%s,%zu,%s,%d", type, bytes, op, streams);
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
    csv_line(f, x->pair->name, x->bound, type, x->bytes, cuda_operations[x->op], 1, x->time, rest);
  }
}

static void csv_overlap(FILE *f, const results *r, const char *type) {
  for (int i = 0; i < r->n_streams; i++) {
    const stream_figure *x = &r->streams[i];
    double rest[6] = {1e-9 * x->original / x->time.median, NAN, NAN, NAN, NAN, NAN};
    char op[40];
    snprintf(op, sizeof op, "%s at once", cuda_operations[x->op]);
    csv_line(f, r->overlap_pair->name, r->overlap_bound, type, r->stream_bytes, op, x->streams, x->time, rest);
  }
  for (int i = 0; i < r->n_latencies; i++) {
    const latency_figure *x = &r->latencies[i];
    const struct {
      const char *name;
      timing time;
    } lines[] = {{"compress alone: device", x->device},
                 {"compress alone: outcome", x->host},
                 {"compress alone: call", x->call},
                 {"compress queued", x->queued}};
    for (int k = 0; k < 4; k++) {
      double rest[6] = {1e-9 * (double)x->bytes / lines[k].time.median, NAN, NAN, NAN, NAN, NAN};
      csv_line(f, r->overlap_pair->name, r->overlap_bound, type, x->bytes, lines[k].name, 1, lines[k].time,
               rest);
    }
  }
}

void cuda_report_csv(const results *r) {
  const char *type = r->options->type ? "f64" : "f32";
  static const timing none = {NAN, NAN, NAN, 0};
  FILE *f = csv_open(r->options->csv, "input,bound,type,bytes,operation,streams,median_us,best_us,spread,"
                                      "samples,GBps,ratio,moved_bytes,of_copy,of_separate,sets");
  csv_line(f, "the limit", NAN, type, (size_t)r->options->sizes.x[r->options->sizes.n - 1],
           "copy (read and written)", 1, none, (double[6]){1e-9 * r->copy, NAN, NAN, 1, NAN, NAN});
  csv_figures(f, r, type);
  csv_overlap(f, r, type);
  csv_close(f, r->options->csv);
}
