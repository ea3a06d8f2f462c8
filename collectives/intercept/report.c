/* report.c: the tables of the report. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "ghz/numerals.h"
#include "intercept/intercept.h"

/* Each has a title, and then the figures behind those of the table before. */
static const char *const tables[][11] = {
    {"calls, of all processes", "compressed", "by MPI", "failed", "small", "type", "operation", "communicator",
     "node", "unwanted"},
    {"bytes, of all processes", "raw", "sent", "ratio"},
    {"accuracy, of all results", "bound", "range", "rms", "% below it", "inexact"},
    {"checked, beside MPI's", "calls", "worst/bound", "rms/bound", "worst/range", "rms/range", "ms",
     "MPI's ms"},
    {"seconds, of all processes", "total", "agree", "compress", "combine", "decompress", "wait", "cpu"}};

const char *report_name(int c) {
  return c < CALLS ? ghz_collectives[c].mpi_name : "all";
}

/* Counts have all their digits, and so have large figures before the point. */
static void print_figure(FILE *f, double x) {
  if (isnan(x))
    fprintf(f, " %13s", "-");
  else
    fprintf(f, (x == trunc(x) || x > 1e4) && x < 1e15 ? " %13.0f" : " %13.4g", x);
}

/* A line for each call that has some of the figures from the first on. Returns the next one. */
static int print_table(FILE *f, const summary *sum, const char *const *columns, int first) {
  bool begun = false;
  int end = first;
  while (columns[end - first + 1])
    end++;
  for (int c = 0; c <= CALLS; c++) {
    double most = 0;
    for (int i = first; i < end; i++)
      most = fmax(most, sum->of[c][i]);
    if (!(most > 0))
      continue;
    for (int i = 0; !begun && columns[i]; i++)
      fprintf(f, i ? " %13s" : "%-25s", columns[i]);
    fprintf(f, "%s%-25s", begun ? "" : "\n", report_name(c));
    begun = true;
    for (int i = first; i < end; i++)
      print_figure(f, sum->of[c][i]);
    fputc('\n', f);
  }
  return end;
}

/* NULL: the program has unset it. */
static FILE *open_report(const char *name) {
  if (!name || !strcmp(name, "1") || !strcasecmp(name, "yes") || !strcasecmp(name, "true") ||
      !strcasecmp(name, "on"))
    return stderr;
  FILE *f = fopen(name, "w");
  if (!f)
    fprintf(stderr, "ghzmpi_intercept: %s: %s; the report follows\n", name, strerror(errno));
  return f ? f : stderr;
}

void report_print(const summary *sum) {
  const locale_t programs = numerals_begin();
  FILE *f = open_report(ghz_settings_text(SET_REPORT));
  int ranks;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!intercept.bounded) {
    fprintf(f, "ghzmpi_intercept: no bound (GHZ_MPI_BOUND): nothing was compressed\n");
  } else {
    const char *link = ghz_settings_text(SET_LINK), *bound = ghz_settings_text(SET_BOUND);
    fprintf(f, "ghzmpi_intercept: %d processes, bound %s, threshold %lld bytes\n", ranks, bound ? bound : "?",
            (long long)intercept.threshold);
    if (link && sum->link > 0)
      fprintf(f, "link between nodes: %g Gbit/s (GHZ_MPI_LINK=%.40s)\n", 1e-9 * sum->link, link);
    else if (link)
      fprintf(f, "link between nodes: nothing found (GHZ_MPI_LINK=%.40s)\n", link);
    for (int i = 0, next = 0; next < TABLES_END; i++)
      next = print_table(f, sum, tables[i], next);
    verdict_print(f, sum);
  }
  if (f == stderr ? fflush(f) : fclose(f))
    fprintf(stderr, "ghzmpi_intercept: the report was not written: %s\n", strerror(errno));
  numerals_end(programs);
}
