/* report.c: owns how the figures look, as text and as CSV. */
#include "stacking.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {"abs", "rel", "psnr"};

static double middle(const way *w, const options *o) {
  return w->seconds[(o->repeat - 1) / 2];
}

static double ratio(const way *w) {
  return w->sent_bytes > 0 ? w->raw_bytes / w->sent_bytes : 0;
}

static void print_head(const snapshots *s, const options *o) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, "\n\r,")] = '\0';
  for (char *tab = version; (tab = strchr(tab, '\t'));)
    *tab = ' ';
  printf("# stack of %d snapshots, %zu x %zu x %zu float32 (%.1f MiB each), on %d rank%s; %s\n", s->total,
         s->size, s->size, s->size, (double)s->n * 4 / 1048576, ranks(), ranks() > 1 ? "s" : "", version);
  printf("# %s", o->n_files > 0 ? "from" : "a wave, middle to late");
  for (int i = 0; i < o->n_files; i++)
    printf(" %s", o->files[i]);
  if (o->n_files > 0)
    printf("; shift %zu", o->shift);
  printf("; noise %g of the range; values from %g to %g\n", o->noise, s->min, s->max);
  printf("# bound %s %g of %s; %s; %d repetition%s in turn after one for warm-up, time of the slowest rank\n",
         kind_names[o->bound.kind], o->bound.value, o->of_result ? "the result" : "every snapshot",
         o->average ? "average" : "sum", o->repeat, o->repeat > 1 ? "s" : "");
}

static void print_way(const way *w, const way *ways, const options *o) {
  const char *algorithm = w->native ? "mpi" : ghz_mpi_algorithm_name(w->report.algorithm);
  printf("%-14s %-9s %9.2f %9.2f %9.2f %7.2f %7.2f", w->name, algorithm, 1e3 * middle(w, o),
         1e3 * w->seconds[0], 1e3 * w->seconds[o->repeat - 1], middle(&ways[0], o) / middle(w, o),
         middle(&ways[1], o) / middle(w, o));
  if (w->sent_bytes > 0)
    printf(" %8.2f %9.2f", ratio(w), w->sent_bytes / ranks() / 1e6);
  else
    printf(" %8s %9s", "-", "-");
  if (w->compressed && isfinite(w->bound))
    printf(" %9.4f", w->quality.max_error / w->bound);
  else
    printf(" %9s", "-");
  printf(" %6" PRIu64 " %8.2f %9.2e  %016" PRIx64 "\n", w->quality.wrong, w->quality.psnr, w->quality.nrmse,
         w->quality.hash);
}

static void print_parts(const way *w) {
  printf("%-14s", w->name);
  for (int i = 0; i < PARTS; i++)
    printf(" %9.2f (%7.2f)", 1e3 * w->mean[i], 1e3 * w->most[i]);
  printf("\n");
}

void report_print(const way *ways, int n, const snapshots *s, const options *o) {
  print_head(s, o);
  printf("\n%-14s %-9s %9s %9s %9s %7s %7s %8s %9s %9s %6s %8s %9s  %s\n", "way", "algorithm", "median ms",
         "best ms", "worst ms", "x MPI", "x plain", "ratio", "MB/rank", "err/bound", "wrong", "PSNR dB",
         "NRMSE", "hash of the stack");
  for (int i = 0; i < n; i++)
    print_way(&ways[i], ways, o);
  printf("\nParts of the median repetition, ms: mean over the ranks (slowest)\n%-14s", "way");
  for (int i = 0; i < PARTS; i++)
    printf(" %19s", part_names[i]);
  printf("\n");
  for (int i = 0; i < n; i++)
    if (!ways[i].native)
      print_parts(&ways[i]);
  for (int i = 0; i < n; i++)
    if (o->out && ways[i].compressed)
      printf("\npicture: %s/stack-%s.png (exact, compressed, error from %g to %g)", o->out, ways[i].name,
             -ways[i].quality.max_error, ways[i].quality.max_error);
  printf("%s", o->out ? "\n" : "");
}

static void csv_way(FILE *f, const way *w, const way *ways, const snapshots *s, const options *o) {
  fprintf(f, "%s,%s,%d,%d,%zu,%s,%g,%d,%d,%.9g,%.9g,%.9g,%.6g,%.6g,%.6g", w->name,
          w->native ? "mpi" : ghz_mpi_algorithm_name(w->report.algorithm), ranks(), s->total, s->n,
          kind_names[o->bound.kind], o->bound.value, o->of_result, o->average, middle(w, o), w->seconds[0],
          w->seconds[o->repeat - 1], middle(&ways[0], o) / middle(w, o), middle(&ways[1], o) / middle(w, o),
          ratio(w));
  for (int i = 0; i < PARTS; i++)
    fprintf(f, ",%.9g", w->mean[i]);
  fprintf(f, ",%.9g,%.9g,%" PRIu64 ",%.6g,%.6g,%016" PRIx64 "\n", w->compressed ? w->bound : 0,
          w->quality.max_error, w->quality.wrong, w->quality.psnr, w->quality.nrmse, w->quality.hash);
}

bool report_csv(const way *ways, int n, const snapshots *s, const options *o) {
  FILE *f = fopen(o->csv, "w");
  if (!f)
    return complain("%s: %s", o->csv, strerror(errno));
  fprintf(
      f,
      "way,algorithm,ranks,snapshots,values,bound_kind,bound_value,of_result,average,median_s,best_s,worst_s,"
      "speedup_mpi,speedup_plain,ratio");
  for (int i = 0; i < PARTS; i++)
    fprintf(f, ",%s_s", part_names[i]);
  fprintf(f, ",bound,max_error,wrong,psnr_dB,nrmse,hash\n");
  for (int i = 0; i < n; i++)
    csv_way(f, &ways[i], ways, s, o);
  if (fclose(f) != 0)
    return complain("%s: %s", o->csv, strerror(errno));
  return true;
}
