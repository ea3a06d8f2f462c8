/* stats.c: counts the calls of this process, and prints the sums over all processes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const names[CALLS + 1] = {"MPI_Allreduce",
                                             "MPI_Reduce",
                                             "MPI_Bcast",
                                             "MPI_Scatter",
                                             "MPI_Allgather",
                                             "MPI_Reduce_scatter_block",
                                             "all"};
static const char *const reasons[REASONS] = {"below the threshold", "not float or double",
                                             "not the operations sum, min or max",
                                             "not a communicator of several processes of MPI_COMM_WORLD"};

/* Doubles, so that one MPI_Reduce adds up counts and times. They count to 2^53. */
enum { COMPRESSED, PLAIN, NATIVE, FAILED, PASSED, RAW = PASSED + REASONS, SENT, INEXACT, BOUND, TIMES };
enum { TOTAL = TIMES, AGREE, COMPRESS, COMBINE, DECOMPRESS, WAIT, FIGURES };

static double figures[CALLS + 1][FIGURES];
static pthread_mutex_t figures_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t passed[CALLS][REASONS]; /* atomic: small calls must not wait for a lock */

void stats_passed(call_id c, reason why) {
  if (atomic_fetch_add_explicit(&passed[c][why], 1, memory_order_relaxed) == 0 && intercept.verbose)
    fprintf(stderr, "ghzmpi_intercept: %s goes to MPI: %s\n", names[c], reasons[why]);
}

static int fate(const ghz_mpi_report *r, int code) {
  if (code != MPI_SUCCESS)
    return FAILED;
  if (r->algorithm == GHZ_MPI_NATIVE)
    return NATIVE;
  return r->eb > 0 ? COMPRESSED : PLAIN;
}

void stats_called(call_id c, const ghz_mpi_report *r, int code) {
  double *f = figures[c];
  const double times[] = {r->seconds, r->agree, r->compress, r->combine, r->decompress, r->wait};
  pthread_mutex_lock(&figures_lock);
  f[fate(r, code)]++;
  f[RAW] += (double)r->raw_bytes;
  f[SENT] += (double)r->sent_bytes;
  f[INEXACT] += r->inexact != 0;
  if (r->bound > f[BOUND])
    f[BOUND] = r->bound;
  for (int i = 0; i < FIGURES - TIMES; i++)
    f[TIMES + i] += times[i];
  pthread_mutex_unlock(&figures_lock);
}

/* ---- Adding up ---- */

typedef double summary[CALLS + 1][FIGURES];

/* The last row is the sum over all calls. */
static void add_up(void) {
  for (int c = 0; c < CALLS; c++) {
    for (int i = 0; i < REASONS; i++)
      figures[c][PASSED + i] = (double)passed[c][i];
    for (int i = 0; i < FIGURES; i++)
      figures[CALLS][i] =
          i == BOUND ? fmax(figures[CALLS][i], figures[c][i]) : figures[CALLS][i] + figures[c][i];
  }
}

static bool used(const double *row) {
  for (int i = 0; i < FIGURES; i++)
    if (row[i] > 0)
      return true;
  return false;
}

/* ---- Printing ---- */

static void print_calls(FILE *f, summary sum) {
  fprintf(f, "%-25s %12s %12s %12s %12s %12s %12s %12s %12s\n", "calls, of all processes", "compressed",
          "plain", "to MPI", "failed", "small", "type", "operation", "communicator");
  for (int c = 0; c <= CALLS; c++) {
    if (!used(sum[c]))
      continue;
    fprintf(f, "%-25s", names[c]);
    for (int i = 0; i < RAW; i++)
      fprintf(f, " %12.0f", sum[c][i]);
    fputc('\n', f);
  }
}

static void print_bytes(FILE *f, summary sum, summary most) {
  fprintf(f, "%-25s %15s %15s %9s %12s %12s %12s\n", "bytes, of all processes", "raw", "sent", "ratio",
          "most sent", "bound", "inexact");
  for (int c = 0; c <= CALLS; c++) {
    const double *s = sum[c];
    if (s[COMPRESSED] + s[PLAIN] <= 0)
      continue;
    fprintf(f, "%-25s %15.0f %15.0f %9.2f %12.0f %12.4g %12.0f\n", names[c], s[RAW], s[SENT],
            s[SENT] > 0 ? s[RAW] / s[SENT] : 0, most[c][SENT], most[c][BOUND], s[INEXACT]);
  }
}

static void print_seconds(FILE *f, summary sum, summary most) {
  fprintf(f, "%-25s %11s %11s %11s %11s %11s %11s\n", "seconds, of all processes", "total", "agree", "compress",
          "combine", "decompress", "wait");
  for (int c = 0; c <= CALLS; c++) {
    if (sum[c][TOTAL] <= 0)
      continue;
    fprintf(f, "%-25s", names[c]);
    for (int i = TIMES; i < FIGURES; i++)
      fprintf(f, " %11.4f", sum[c][i]);
    fprintf(f, "\n%-25s", "  largest");
    for (int i = TIMES; i < FIGURES; i++)
      fprintf(f, " %11.4f", most[c][i]);
    fputc('\n', f);
  }
}

static FILE *open_report(const char *name) {
  if (strcmp(name, "1") == 0)
    return stderr;
  FILE *f = fopen(name, "w");
  if (!f)
    fprintf(stderr, "ghzmpi_intercept: %s: %s; the report follows\n", name, strerror(errno));
  return f ? f : stderr;
}

/* Texts that mean "yes" and no file. */
static bool means_yes(const char *name) {
  return !strcasecmp(name, "yes") || !strcasecmp(name, "true") || !strcasecmp(name, "on");
}

static void print_report(summary sum, summary most) {
  const char *name = environment_get("GHZ_MPI_REPORT");
  FILE *f = open_report(name && !means_yes(name) ? name : "1"); /* the program may have unset it */
  int ranks;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!intercept.on) {
    fprintf(f, "ghzmpi_intercept: no bound (GHZ_MPI_BOUND): nothing was compressed\n");
  } else {
    fprintf(f, "ghzmpi_intercept: %d processes, bound %s, threshold %lld bytes\n", ranks, intercept.bound,
            (long long)intercept.threshold);
    print_calls(f, sum);
    print_bytes(f, sum, most);
    print_seconds(f, sum, most);
  }
  if (f == stderr ? fflush(f) : fclose(f))
    fprintf(stderr, "ghzmpi_intercept: the report was not written: %s\n", strerror(errno));
}

void stats_report(void) {
  static summary sum, most;
  int rank;
  if (!intercept.report)
    return;
  add_up();
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(figures, sum, (CALLS + 1) * FIGURES, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Reduce(figures, most, (CALLS + 1) * FIGURES, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    print_report(sum, most);
}
