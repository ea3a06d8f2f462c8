/* report.c: owns the tables and the CSV of a run on the CPU. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu.h"

#include <math.h>
#include <string.h>

/* ---- Tables ---------------------------------------------------------------------------------- */

void cpu_report_begin(const results *r) {
  printf("libghz %s. GB/s are original bytes of one operand; best and median of %d rounds, in each of which\n"
         "everything runs once. /memcpy is the median over the rounds of the ratio to memcpy with as many\n"
         "threads, /flat that of a field with its shape to the same flat. roundtrip is decompress + add + "
         "compress.\n"
         "Bounds are relative to the joint range of the pair.\n",
         ghz_version(), r->options->runs);
}

static void print_quality(const char *what, quality q) {
  printf("  %-14s ratio %8.2f  max error / bound %8.5f  PSNR %7.2f dB", what, q.ratio, q.error, q.psnr);
}

static void print_form(const char *name, const form_result *r) {
  char label[32];
  snprintf(label, sizeof label, "ghz %s", name);
  print_quality(label, r->own);
  printf("\n");
  printf("  %-14s ratio %8.2f  max error / bound %8.5f\n", "  sum", r->sum_ratio, r->sum_error);
}

static void print_qualities(const cell *c) {
  for (int form = 0; form < c->n_forms; form++)
    print_form(cpu_forms[form], &c->forms[form]);
  if (!c->same_bytes)
    printf("  STREAMS DIFFER between configurations\n");
}

static void print_speed(const char *what, const speed *s) {
  printf("  %-26s %8.2f %8.2f %9.3f", what, s->best, s->median, s->of_memcpy);
}

void cpu_report_cell(const results *r, const cell *c) {
  printf("\n%s, bound %.0e of the range (eb %.6g), %zu values", c->pair->name, c->bound, c->eb, c->pair->a.n);
  for (int i = 0; i < c->pair->a.rank; i++)
    printf("%s%zu", i ? " x " : " = ", c->pair->a.dims[i]);
  printf("\n");
  print_qualities(c);
  printf("  %-26s %8s %8s %9s %9s %9s %9s %9s\n", "GB/s", "best", "median", "/memcpy", "/roundtr.", "/1 thread",
         "/avx512", "/flat");
  for (int i = 0; i < r->n_configs / FORMS * c->n_forms; i++)
    for (int op = 0; op < OPS; op++) {
      const speed *s = &c->speeds[i][op];
      char label[64];
      snprintf(label, sizeof label, "%-7s%-2d %-7s%-10s", r->configs[i].isa, r->configs[i].threads,
               cpu_forms[r->configs[i].form], cpu_operations[op]);
      print_speed(label, s);
      print_number(s->of_roundtrip, 10, 3);
      print_number(s->of_one_thread, 10, 3);
      print_number(s->of_avx512, 10, 3);
      print_number(s->of_flat, 10, 3);
      printf("\n");
    }
  fflush(stdout);
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
  csv_number(f, s->of_flat);
}

static void csv_quality(FILE *f, quality q) {
  csv_number(f, q.ratio);
  csv_number(f, q.error);
  csv_number(f, q.psnr);
  fprintf(f, "\n");
}

static void csv_operation(FILE *f, const cell *c, const config *g, operation op, const speed *s) {
  static const char *const names[FORMS] = {"ghz", "ghz-shaped"};
  const form_result *r = &c->forms[g->form];
  quality q = r->own;
  if (op == OP_MEMCPY)
    q = (quality){NAN, NAN, NAN};
  else if (op == OP_ADD || op == OP_ROUNDTRIP)
    q = (quality){r->sum_ratio, op == OP_ADD ? r->sum_error : NAN, NAN};
  csv_start(f, c, names[g->form], g->isa, g->threads, cpu_operations[op]);
  csv_speed(f, s);
  csv_quality(f, q);
}

static void csv_cell(FILE *f, const results *r, const cell *c) {
  for (int i = 0; i < r->n_configs / FORMS * c->n_forms; i++)
    for (int op = 0; op < OPS; op++)
      csv_operation(f, c, &r->configs[i], (operation)op, &c->speeds[i][op]);
}

void cpu_report_csv(const results *r) {
  FILE *f = csv_open(r->options->csv,
                     "field,values,bound,eb,codec,isa,threads,operation,best_GBps,median_GBps,of_memcpy,"
                     "of_roundtrip,of_one_thread,of_avx512,of_flat,ratio,error_of_bound,psnr_dB");
  for (int i = 0; i < r->n_cells; i++)
    csv_cell(f, r, &r->cells[i]);
  csv_close(f, r->options->csv);
}
