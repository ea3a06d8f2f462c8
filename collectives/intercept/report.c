/* report.c: the tables of the report. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "ghz/numerals.h"
#include "intercept/intercept.h"

const char *const stats_calls[CALLS + 1] = {"MPI_Allreduce",      "MPI_Reduce",
                                            "MPI_Bcast",          "MPI_Scatter",
                                            "MPI_Gather",         "MPI_Allgather",
                                            "MPI_Allgatherv",     "MPI_Reduce_scatter_block",
                                            "MPI_Reduce_scatter", "all"};
const char *const stats_reasons[REASONS] = {
    "below the threshold",
    "not float, double or complex",
    "not the operations sum, min or max",
    "not a communicator of several processes of MPI_COMM_WORLD",
    "its processes share a node, where memory is faster (GHZ_MPI_NODE=compress compresses there, too)",
    "not in GHZ_MPI_CALLS, or without a bound"};

/* A line for each call that has some of the figures from the first to before the last. */
static void print_rows(FILE *f, const summary *sum, int first, int last, int width, int digits) {
  for (int c = 0; c <= CALLS; c++) {
    double all = 0;
    for (int i = first; i < last; i++)
      all += sum->of[c][i];
    if (all <= 0)
      continue;
    fprintf(f, "%-25s", stats_calls[c]);
    for (int i = first; i < last; i++)
      fprintf(f, " %*.*f", width, digits, sum->of[c][i]);
    fputc('\n', f);
  }
}

static void print_bytes(FILE *f, const summary *sum) {
  fprintf(f, "%-25s %15s %15s %9s\n", "bytes, of all processes", "raw", "sent", "ratio");
  for (int c = 0; c <= CALLS; c++) {
    const double *s = sum->of[c];
    if (s[COMPRESSED] <= 0)
      continue;
    fprintf(f, "%-25s %15.0f %15.0f %9.2f\n", stats_calls[c], s[RAW], s[SENT],
            s[SENT] > 0 ? s[RAW] / s[SENT] : 0);
  }
}

/* The worst, and the rms of so many results; nothing where there are none. */
static void print_errors(FILE *f, double worst, double squares, double results) {
  if (results > 0)
    fprintf(f, " %11.3g %11.3g", worst, sqrt(squares / results));
  else
    fprintf(f, " %11s %11s", "-", "-");
}

static void print_accuracy(FILE *f, const summary *sum) {
  fprintf(f, "%-25s %11s %11s %11s %11s %9s\n", "accuracy, of all results", "bound", "range", "rms", "below it",
          "inexact");
  for (int c = 0; c < CALLS; c++) {
    const double *s = sum->of[c], *most = sum->most[c];
    if (s[COMPRESSED] > 0 && s[SEEN] > 0)
      fprintf(f, "%-25s %11.4g %11.4g %11.4g %9.4g %% %9.0f\n", stats_calls[c], most[BOUND],
              most[LARGEST] + most[MINUS_LEAST], sqrt(s[SQUARES] / s[SEEN]), 100 * s[BELOW] / s[SEEN],
              s[INEXACT]);
  }
  if (sum->of[CALLS][CHECKED] > 0)
    fprintf(f, "%-25s %11s %11s %11s %11s %11s %11s %11s\n", "checked, beside MPI's", "calls", "worst/bound",
            "rms/bound", "worst/range", "rms/range", "ms", "MPI's ms");
  for (int c = 0; c < CALLS; c++) {
    const double *s = sum->of[c], *most = sum->most[c], n = s[CHECKED];
    if (!(n > 0))
      continue;
    fprintf(f, "%-25s %11.0f", stats_calls[c], n);
    print_errors(f, most[WORST], s[ERRORS], s[WITH_BOUND]);
    print_errors(f, most[WORST_OF_RANGE], s[ERRORS_OF_RANGE], s[WITH_RANGE]);
    fprintf(f, " %11.4g %11.4g\n", 1e3 * s[OURS] / n, 1e3 * s[MPIS] / n);
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

void report_print(const summary *sum) {
  const locale_t programs = numerals_begin();
  const char *name = environment_get("GHZ_MPI_REPORT");
  FILE *f = open_report(name && !means_yes(name) ? name : "1"); /* the program may have unset it */
  int ranks;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!intercept.bounded) {
    fprintf(f, "ghzmpi_intercept: no bound (GHZ_MPI_BOUND): nothing was compressed\n");
  } else {
    fprintf(f, "ghzmpi_intercept: %d processes, bound %s, threshold %lld bytes\n", ranks, intercept.bound,
            (long long)intercept.threshold);
    const char *link = environment_get("GHZ_MPI_LINK");
    if (link && sum->link > 0)
      fprintf(f, "link between nodes: %g Gbit/s (GHZ_MPI_LINK=%.40s)\n", 1e-9 * sum->link, link);
    else if (link)
      fprintf(f, "link between nodes: nothing found (GHZ_MPI_LINK=%.40s)\n", link);
    fprintf(f, "%-25s %12s %12s %12s %12s %12s %12s %12s %12s %12s\n", "calls, of all processes", "compressed",
            "by MPI", "failed", "small", "type", "operation", "communicator", "node", "unwanted");
    print_rows(f, sum, 0, FATES, 12, 0);
    print_bytes(f, sum);
    print_accuracy(f, sum);
    fprintf(f, "%-25s %11s %11s %11s %11s %11s %11s %11s\n", "seconds, of all processes", "total", "agree",
            "compress", "combine", "decompress", "wait", "cpu");
    print_rows(f, sum, TIMES, PER_THREAD, 11, 4);
    verdict_print(f, sum);
  }
  if (f == stderr ? fflush(f) : fclose(f))
    fprintf(stderr, "ghzmpi_intercept: the report was not written: %s\n", strerror(errno));
  numerals_end(programs);
}
