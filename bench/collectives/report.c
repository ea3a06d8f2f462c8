/* report.c: owns the table, and the count of errors. Rank 0 alone writes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t wrong_values;
static int failed, other_bits; /* variants whose call failed; whose bits differ wrongly */

/* ---- Begin ----------------------------------------------------------------------------------- */

static const char *instruction_set(void) {
  static char name[16] = "?";
  ghz_context *ctx;
  if (ghz_context_create(&ctx, 1) == GHZ_OK) {
    snprintf(name, sizeof name, "%s", ghz_context_isa(ctx));
    ghz_context_free(ctx);
  }
  return name;
}

void report_begin(const options *o) {
  if (here.rank != 0)
    return;
  char version[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
  int length;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, ",\n")] = '\0';
  MPI_Get_processor_name(host, &length);
  printf("# ghz_mpi_bench %s: libghz %s (%s), %s, %d ranks, first on %s, codec threads per rank: %d\n",
         collective_names[o->what], ghz_version(), instruction_set(), version, here.ranks, host, o->threads);
  printf("# field: %s, %s; bound: %s%s, of %s\n", o->field_file ? o->field_file : o->field, o->extents_text,
         o->bound_text, o->bound.kind == GHZ_REL ? " of the range over all ranks" : "",
         o->of_result ? "the result" : "each contribution");
  printf("# root: %d, rounds: %d after %d to warm up, %d to learn; variants in turn; check: %d\n", o->root,
         o->iterations, o->warm_up, o->learn, o->check);
  puts("# size: largest buffer of a rank; time: median of the slowest rank; /bound: the largest error, in "
       "bounds of\n"
       "# the options; then ms of the worst rank, but of the processor of all; wire: MB a rank and call, mean "
       "and most\n#");
  printf("#%10s %10s %6s  %-13s %10s %10s %10s %7s %7s %8s %5s %5s %8s %8s %8s %8s %8s %8s", "size, B", "count",
         "type", "algorithm", "time, us", "min, us", "max, us", "x MPI", "ratio", "/bound", "wrong", "same",
         "agree", "compress", "combine", "decompr.", "wait", "cpu");
  printf(o->interface ? " %8s %8s\n" : "\n", "wire", "busiest");
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const char *sameness_name(const verdict *v) {
  static const char *const names[] = {"-", "yes", "NO", "OTHER"};
  return !v->done ? "-" : v->inexact ? "inex." : names[v->same];
}

static void print_row(const job *j, const reference *r, const finding *all, int i) {
  const options *o = j->options;
  const finding *f = &all[i];
  const verdict *v = &f->verdict;
  const bool chose = o->variants[i] == GHZ_MPI_ALGORITHM_AUTO;
  printf(" %10.0f %10zu %6s  %5s%-8s ", job_bytes(o, j->count), j->count, o->type ? "double" : "float",
         chose ? "auto:" : "", ghz_mpi_algorithm_name(f->algorithm));
  if (f->failed) {
    puts("failed");
    return;
  }
  printf("%10.1f %10.1f %10.1f %7.2f %7.2f ", f->median * 1e6, f->least * 1e6, f->most * 1e6,
         all[0].failed ? NAN : all[0].median / f->median,
         f->sum[SENT_BYTES] > 0 ? f->sum[RAW_BYTES] / f->sum[SENT_BYTES] : 1);
  if (v->done) /* in bounds of the result that the options ask for, also where a result has a wider one */
    printf("%8.3g %5llu", v->error == 0 ? 0 : v->error / r->promise, (unsigned long long)v->wrong);
  else
    printf("%8s %5s", "-", "-");
  printf(" %5s", sameness_name(v));
  for (int figure = AGREE; figure <= WAIT; figure++)
    printf(" %8.2f", f->worst[figure] * 1e3);
  printf(" %8.2f", f->sum[CPU] * 1e3);
  if (o->interface)
    printf(" %8.3f %8.3f", f->sum[WIRE] / here.ranks / 1e6, f->worst[WIRE] / 1e6);
  putchar('\n');
}

void report_size(const job *j, const reference *r, const finding *findings) {
  for (int i = 0; i < j->options->n_variants; i++) {
    const verdict *v = &findings[i].verdict;
    const bool has_failed = findings[i].failed;
    failed += has_failed;
    wrong_values += has_failed ? 0 : v->wrong;
    other_bits += !has_failed && v->promised && (v->same == SAME_NOT || v->same == SAME_OTHER);
    if (here.rank == 0)
      print_row(j, r, findings, i);
  }
  fflush(stdout);
}

/* ---- End ------------------------------------------------------------------------------------- */

int report_end(const options *o) {
  if (here.rank == 0) {
    if (failed)
      printf("# Failed calls : %d FAILED\n", failed);
    if (other_bits)
      printf("# Results with other bits : %d FAILED\n", other_bits);
    if (o->check)
      printf("# Out of bounds values : %llu %s\n", (unsigned long long)wrong_values,
             wrong_values ? "FAILED" : "OK");
    else
      printf("# Nothing was checked\n");
    if (fflush(stdout) != 0)
      die("cannot write", "standard output");
  }
  return failed || other_bits || wrong_values ? EXIT_FAILURE : EXIT_SUCCESS;
}
