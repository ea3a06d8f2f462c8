/* report.c: owns the tables and the CSV of a run on the CPU. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* ---- Tables ---------------------------------------------------------------------------------- */

void cpu_report_begin(const results *r) {
  printf(
      "libghz %s, %s. GB/s are original bytes of one operand; best and median of %d rounds, in each of which\n"
      "everything runs once. /memcpy is the median over the rounds of the ratio to memcpy with as many\n"
      "threads. roundtrip is decompress + add + compress. Bounds are relative to the joint range of the "
      "pair.\n",
      ghz_version(), peer_name() ? peer_name() : "without zfp", r->options->runs);
}

static void print_quality(const char *what, quality q, const char *note) {
  printf("  %-14s ratio %8.2f  max error / bound %8.5f  PSNR %7.2f dB%s\n", what, q.ratio, q.error, q.psnr,
         note);
}

static void print_qualities(const cell *c) {
  char note[100];
  snprintf(note, sizeof note, "%s", c->same_bytes ? "" : "  STREAMS DIFFER between configurations");
  print_quality("ghz", c->own, note);
  printf("  %-14s ratio %8.2f  max error / bound %8.5f\n", "ghz, sum", c->sum_ratio, c->sum_error);
  printf("  %-14s ratio %8.2f\n", "order 1, by 32", c->baseline_ratio);
  if (!peer_name())
    return;
  print_quality("zfp", c->zfp.equal_bound, "");
  snprintf(note, sizeof note, "  tolerance %.3g x bound", c->zfp.tolerance);
  print_quality("zfp, same PSNR", c->zfp.equal_psnr, note);
}

static void print_speed(const char *what, const speed *s) {
  printf("  %-19s %8.2f %8.2f %9.3f", what, s->best, s->median, s->of_memcpy);
}

void cpu_report_cell(const results *r, const cell *c) {
  printf("\n%s, bound %.0e of the range (eb %.6g), %zu values", c->pair->name, c->bound, c->eb, c->pair->a.n);
  for (int i = 0; i < c->pair->a.rank; i++)
    printf("%s%zu", i ? " x " : " = ", c->pair->a.dims[i]);
  printf("\n");
  print_qualities(c);
  printf("  %-8s %-10s %8s %8s %9s %9s %9s %9s\n", "", "GB/s", "best", "median", "/memcpy", "/roundtr.",
         "/1 thread", "/avx512");
  for (int i = 0; i < r->n_configs; i++)
    for (int op = 0; op < OPS; op++) {
      const speed *s = &c->speeds[i][op];
      char label[64];
      snprintf(label, sizeof label, "%-7s%-2d%-10s", r->configs[i].isa, r->configs[i].threads,
               cpu_operations[op]);
      print_speed(label, s);
      print_number(s->of_roundtrip, 10, 3);
      print_number(s->of_one_thread, 10, 3);
      print_number(s->of_avx512, 10, 3);
      printf("\n");
    }
  if (peer_name()) {
    print_speed("zfp    1 compress", &c->zfp.pack);
    printf("\n");
    print_speed("zfp    1 decompress", &c->zfp.unpack);
    printf("\n");
  }
  fflush(stdout);
}

/* Ratios of every file, its bound relative to its own range. */
void cpu_report_ratios(const results *r) {
  const options *o = r->options;
  printf(
      "\nRatio of every field by itself, bound relative to its own range: ghz / order 1 with blocks of 32\n");
  printf("  %-16s", "");
  for (int b = 0; b < o->bounds.n; b++)
    printf(" %20.0e", o->bounds.x[b]);
  for (int i = 0; i < r->n_ratios; i++) {
    printf("\n  %-16s", r->ratios[i].field->name);
    for (int b = 0; b < o->bounds.n; b++)
      printf(" %9.2f / %8.2f", r->ratios[i].own[b], r->ratios[i].baseline[b]);
  }
  printf("\n  %-16s", "harmonic mean");
  for (int b = 0; b < o->bounds.n; b++) {
    double own = 0, baseline = 0;
    for (int i = 0; i < r->n_ratios; i++) {
      own += 1 / r->ratios[i].own[b];
      baseline += 1 / r->ratios[i].baseline[b];
    }
    printf(" %9.2f / %8.2f", r->n_ratios / own, r->n_ratios / baseline);
  }
  printf("\n");
}

/* How often other programs took the processor away, which lowers the medians. */
void cpu_report_preemptions(void) {
  struct rusage own;
  struct timespec cpu;
  if (getrusage(RUSAGE_SELF, &own) != 0 || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) != 0 ||
      cpu.tv_sec == 0)
    return;
  double rate = (double)own.ru_nivcsw / (double)cpu.tv_sec;
  printf("\nPreempted %.1f times per second of processor time%s.\n", rate,
         rate > 10 ? ": the machine was busy, trust the best rather than the medians" : "");
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void csv_start(FILE *f, const cell *c, const char *codec, const char *isa, int threads, const char *op) {
  fprintf(f, "%s,%zu,%g,%.9g,%s,%s,%d,%s", c->pair->name, c->pair->a.n, c->bound, c->eb, codec, isa, threads,
          op);
}

static void csv_speed(FILE *f, const speed *s) {
  csv_number(f, s->best);
  csv_number(f, s->median);
  csv_number(f, s->of_memcpy);
  csv_number(f, s->of_roundtrip);
  csv_number(f, s->of_one_thread);
  csv_number(f, s->of_avx512);
}

static void csv_quality(FILE *f, quality q) {
  csv_number(f, q.ratio);
  csv_number(f, q.error);
  csv_number(f, q.psnr);
  fprintf(f, "\n");
}

static void csv_peer(FILE *f, const cell *c) {
  static const speed none = {NAN, NAN, NAN, NAN, NAN, NAN};
  csv_start(f, c, "zfp", "", 1, "compress");
  csv_speed(f, &c->zfp.pack);
  csv_quality(f, c->zfp.equal_bound);
  csv_start(f, c, "zfp", "", 1, "decompress");
  csv_speed(f, &c->zfp.unpack);
  csv_quality(f, c->zfp.equal_bound);
  csv_start(f, c, "zfp-equal-psnr", "", 1, "ratio");
  csv_speed(f, &none);
  csv_quality(f, c->zfp.equal_psnr);
}

static void csv_cell(FILE *f, const results *r, const cell *c) {
  static const speed none = {NAN, NAN, NAN, NAN, NAN, NAN};
  for (int i = 0; i < r->n_configs; i++)
    for (int op = 0; op < OPS; op++) {
      quality q = {op == OP_MEMCPY ? NAN : c->own.ratio, op == OP_MEMCPY ? NAN : c->own.error,
                   op == OP_MEMCPY ? NAN : c->own.psnr};
      if (op == OP_ADD || op == OP_ROUNDTRIP)
        q = (quality){c->sum_ratio, op == OP_ADD ? c->sum_error : NAN, NAN};
      csv_start(f, c, "ghz", r->configs[i].isa, r->configs[i].threads, cpu_operations[op]);
      csv_speed(f, &c->speeds[i][op]);
      csv_quality(f, q);
    }
  csv_start(f, c, "order1-by-32", "", 1, "ratio");
  csv_speed(f, &none);
  csv_quality(f, (quality){c->baseline_ratio, NAN, NAN});
  if (peer_name())
    csv_peer(f, c);
}

void cpu_report_csv(const results *r) {
  FILE *f = csv_open(r->options->csv,
                     "field,values,bound,eb,codec,isa,threads,operation,best_GBps,median_GBps,of_memcpy,"
                     "of_roundtrip,of_one_thread,of_avx512,ratio,error_of_bound,psnr_dB");
  for (int i = 0; i < r->n_cells; i++)
    csv_cell(f, r, &r->cells[i]);
  csv_close(f, r->options->csv);
}
