/* report.c: owns the table, the CSV, and the count of errors. Rank 0 alone writes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  FILE *csv;
  uint64_t wrong;   /* values */
  int failed, bits; /* variants whose call failed; whose bits differ wrongly */
} totals;

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

/* Names with their units, as wide as the columns of print_row. */
static void columns(const options *o) {
  printf("#%10s %10s %6s  %-13s %10s %10s %10s %8s %8s %7s %7s %8s %5s %5s", "size, B", "count", "type",
         "algorithm", "time, us", "min, us", "max, us", "alg GB/s", "bus GB/s", "x MPI", "ratio", "/bound",
         "wrong", "same");
  if (o->interface)
    printf(" %8s %8s", "wire, MB", "busiest");
  if (o->breakdown)
    printf(" %8s %8s %8s %8s %8s %8s", "agree ms", "compress", "combine", "decompr.", "wait", "cpu, all");
  putchar('\n');
}

static const char csv_columns[] =
    "collective,ranks,threads,of_result,root,size,count,type,algorithm,chosen_algorithm,"
    "chosen,rounds,time_us,min_us,max_us,algbw,busbw,speedup_mpi,ratio,"
    "error_of_bound,wrong,same_bits,inexact,raw_bytes,sent_bytes,messages,wire_sent,wire_received,"
    "wire_busiest,cpu_ms,agree_ms,compress_ms,combine_ms,decompress_ms,wait_ms,extents,bound,field";

void report_begin(const options *o) {
  if (world_rank() != 0)
    return;
  char version[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
  int length;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, ",\n")] = '\0';
  MPI_Get_processor_name(host, &length);
  printf("# ghz_mpi_bench %s: libghz %s (%s), %s, %d ranks, first on %s, codec threads per rank: %d\n",
         collective_name(), ghz_version(), instruction_set(), version, world_size(), host, o->threads);
  printf("# field: %s, %s; bound: %s%s, of %s\n", o->field_file ? o->field_file : o->field, o->extents_text,
         o->bound_text, o->bound.kind == GHZ_REL ? " of the range over all ranks" : "",
         o->of_result ? "the result" : "each contribution");
  printf("# root: %d, rounds: %d after %d to warm up, %d to learn; variants in turn; check: %d\n", o->root,
         o->iterations, o->warm_up, o->learn, o->check);
  puts("# size: largest buffer of a rank; time: median of the slowest rank; bandwidths: of uncompressed bytes\n"
       "# /bound: the largest error, in bounds of the options\n"
       "# wire: sent per call and rank, mean and most\n#");
  columns(o);
  totals.csv = o->csv ? csv_open(o->csv, csv_columns) : NULL;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* What a row shows beside the finding. */
typedef struct row {
  double bytes, algbw, busbw, over_mpi, ratio, error;
  char algorithm[32];
  const char *same;
} row;

static double of_bound(double error, double bound) {
  return error == 0 ? 0 : error / bound;
}

static const char *sameness_name(const verdict *v) {
  static const char *const names[] = {"-", "yes", "NO", "OTHER"};
  return v->done ? names[v->same] : "-";
}

static row make_row(const job *j, const reference *r, const finding *all, int i) {
  const options *o = j->options;
  const finding *f = &all[i];
  row w = {.bytes = (double)(j->total * type_bytes(o))};
  w.algbw = w.bytes / f->median / 1e9;
  w.busbw = w.algbw * collective_bus_factor(world_size());
  w.over_mpi = all[0].failed ? NAN : all[0].median / f->median;
  w.ratio = f->sum[SENT_BYTES] > 0 ? f->sum[RAW_BYTES] / f->sum[SENT_BYTES] : 1;
  /* In bounds of the result that the options ask for, also where a result has a wider one. */
  w.error = f->verdict.done ? of_bound(f->verdict.error, r->promise) : NAN;
  w.same = sameness_name(&f->verdict);
  bool chose = o->variants[i] == GHZ_MPI_ALGORITHM_AUTO;
  snprintf(w.algorithm, sizeof w.algorithm, "%s%s", chose ? "auto:" : "", ghz_mpi_algorithm_name(f->algorithm));
  return w;
}

static void print_row(const job *j, const finding *f, const row *w) {
  const options *o = j->options;
  printf(" %10.0f %10zu %6s  %-13s ", w->bytes, job_count(j), type_name(o), w->algorithm);
  if (f->failed) {
    printf("failed\n");
    return;
  }
  printf("%10.1f %10.1f %10.1f %8.3f %8.3f %7.2f %7.2f %8.3g ", f->median * 1e6, f->least * 1e6, f->most * 1e6,
         w->algbw, w->busbw, w->over_mpi, w->ratio, w->error);
  if (f->verdict.done)
    printf("%5llu %5s", (unsigned long long)f->verdict.wrong, f->verdict.inexact ? "inex." : w->same);
  else
    printf("%5s %5s", "-", "-");
  if (o->interface)
    printf(" %8.3f %8.3f", f->sum[WIRE_SENT] / world_size() / 1e6, f->worst[WIRE_SENT] / 1e6);
  if (o->breakdown)
    printf(" %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f", f->worst[AGREE] * 1e3, f->worst[COMPRESS] * 1e3,
           f->worst[COMBINE] * 1e3, f->worst[DECOMPRESS] * 1e3, f->worst[WAIT] * 1e3, f->sum[CPU] * 1e3);
  putchar('\n');
}

/* Writes a text of the command line in quotes. */
static void csv_text(const char *text, char end) {
  fputc('"', totals.csv);
  for (; *text; text++)
    fprintf(totals.csv, *text == '"' ? "\"\"" : "%c", *text);
  fprintf(totals.csv, "\"%c", end);
}

/* Bytes are sums over the ranks, times of the codec those of the worst rank. */
static void csv_row(const job *j, ghz_mpi_algorithm asked, const finding *f, const row *w) {
  const options *o = j->options;
  FILE *csv = totals.csv;
  fprintf(csv, "%s,%d,%d,%d,%d,%.0f,%zu,%s,", collective_name(), world_size(), o->threads, o->of_result,
          o->root, w->bytes, job_count(j), type_name(o));
  fprintf(csv, "%s,%s,%.3f,%d,", ghz_mpi_algorithm_name(asked), ghz_mpi_algorithm_name(f->algorithm), f->chosen,
          o->iterations);
  fprintf(csv, "%.3f,%.3f,%.3f,%.6g,%.6g,%.6g,%.6g,%.6g,", f->median * 1e6, f->least * 1e6, f->most * 1e6,
          w->algbw, w->busbw, w->over_mpi, w->ratio, w->error);
  fprintf(csv, "%llu,%s,%d,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,", (unsigned long long)f->verdict.wrong, w->same,
          f->verdict.inexact, f->sum[RAW_BYTES], f->sum[SENT_BYTES], f->sum[MESSAGES], f->sum[WIRE_SENT],
          f->sum[WIRE_RECEIVED], f->worst[WIRE_SENT]);
  fprintf(csv, "%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,", f->sum[CPU] * 1e3, f->worst[AGREE] * 1e3,
          f->worst[COMPRESS] * 1e3, f->worst[COMBINE] * 1e3, f->worst[DECOMPRESS] * 1e3, f->worst[WAIT] * 1e3);
  csv_text(o->extents_text, ',');
  csv_text(o->bound_text, ',');
  csv_text(o->field_file ? o->field_file : o->field, '\n');
}

void report_size(const job *j, const reference *r, const finding *findings) {
  const options *o = j->options;
  for (int i = 0; i < o->n_variants; i++) {
    const finding *f = &findings[i];
    const verdict *v = &f->verdict;
    totals.failed += f->failed;
    totals.wrong += f->failed ? 0 : v->wrong;
    totals.bits += !f->failed && v->promised && (v->same == SAME_NOT || v->same == SAME_OTHER);
    if (world_rank() != 0)
      continue;
    row w = make_row(j, r, findings, i);
    print_row(j, f, &w);
    if (totals.csv && !f->failed)
      csv_row(j, o->variants[i], f, &w);
  }
  fflush(stdout);
}

/* ---- End ------------------------------------------------------------------------------------- */

int report_end(const options *o) {
  bool bad = totals.failed || totals.bits || totals.wrong;
  if (world_rank() == 0) {
    if (totals.csv)
      csv_close(totals.csv, o->csv);
    if (totals.failed)
      printf("# Failed calls : %d FAILED\n", totals.failed);
    if (totals.bits)
      printf("# Results with other bits : %d FAILED\n", totals.bits);
    if (o->check)
      printf("# Out of bounds values : %llu %s\n", (unsigned long long)totals.wrong,
             totals.wrong ? "FAILED" : "OK");
    else
      printf("# Nothing was checked\n");
    if (fflush(stdout) != 0)
      die("cannot write", "standard output");
  }
  return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
