/* stack.c: owns the ways of stacking: which there are, running them in turn, their times and parts. */
#include "stacking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const part_names[PARTS] = {"agree", "compress", "combine", "decompress", "wait", "other"};

/* The baselines first: MPI's own choice, and our ring without compression. */
static int list_ways(way *ways, const options *o) {
  int n = 0;
  ways[n++] = (way){.name = "MPI_Allreduce", .native = true};
  ways[n++] = (way){.name = ghz_mpi_mode_name(GHZ_MPI_PLAIN), .algorithm = GHZ_MPI_RING, .mode = GHZ_MPI_PLAIN};
  for (int i = 0; i < o->n_modes; i++)
    ways[n++] = (way){.name = ghz_mpi_mode_name(o->modes[i]), .algorithm = o->algorithm, .mode = o->modes[i]};
  return n;
}

/* y = the sum of this rank's snapshots. */
static void add_own(const snapshots *s, float *y) {
  if (s->count > 0)
    memcpy(y, s->values, s->n * sizeof *y);
  else
    memset(y, 0, s->n * sizeof *y);
  for (int k = 1; k < s->count; k++)
    for (size_t i = 0; i < s->n; i++)
      y[i] += s->values[(size_t)k * s->n + i];
}

static void divide(const snapshots *s, float *y) {
  for (size_t i = 0; i < s->n; i++)
    y[i] /= (float)s->total;
}

/* What a program without this library does: adds its own snapshots, then calls MPI. */
static void stack_natively(const snapshots *s, const options *o, float *y) {
  add_own(s, y);
  MPI_Allreduce(MPI_IN_PLACE, y, (int)s->n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  if (o->average)
    divide(s, y);
}

/* Only homomorphic sums take any number of contributions: the snapshots themselves. For the others, ranks add theirs. */
static bool takes_snapshots(const way *w, const snapshots *s) {
  return s->total == ranks() || w->mode == GHZ_MPI_HOMOMORPHIC;
}

static void stack_once(const way *w, const snapshots *s, const options *o, float *y, ghz_mpi_report *report) {
  *report = (ghz_mpi_report){.algorithm = GHZ_MPI_NATIVE};
  if (w->native) {
    stack_natively(s, o, y);
    return;
  }
  bool direct = takes_snapshots(w, s);
  ghz_mpi_options call = GHZ_MPI_OPTIONS;
  call.bound = o->bound;
  call.of_result = o->of_result;
  call.average = o->average && direct;
  call.algorithm = w->algorithm;
  call.mode = w->mode;
  call.contributions = direct ? s->count : 1;
  call.threads = o->threads;
  call.report = report;
  if (!direct)
    add_own(s, y);
  ghz_allreduce(direct ? s->values : MPI_IN_PLACE, y, (MPI_Count)s->n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                &call);
  if (!direct && o->average)
    divide(s, y);
}

/* The bound of the stack that was asked for, from what the caller knows; where that is not enough, what was promised. */
static double bound_of(const way *w, const snapshots *s, const options *o, const ghz_mpi_report *r) {
  double each = o->bound.kind == GHZ_REL ? o->bound.value * (s->max - s->min) : o->bound.value;
  bool direct = takes_snapshots(w, s);
  if (o->bound.kind == GHZ_PSNR || (!direct && isfinite(r->bound)))
    return !direct && o->average ? r->bound / s->total : r->bound;
  return o->of_result || o->average ? each : each * s->total;
}

/* Bits must be the same on every rank. */
static bool same_everywhere(uint64_t hash) {
  uint64_t low = hash, high = hash;
  MPI_Allreduce(MPI_IN_PLACE, &low, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &high, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  return low == high;
}

/* Where data are compressed anew at every step nothing is promised, but what was asked for is what to compare
 * with. */
static bool promises(const ghz_mpi_report *r) {
  return r->mode == GHZ_MPI_HOMOMORPHIC;
}

static bool draw(const way *w, const snapshots *s, const exact_stack *e, const options *o, const float *y) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/stack-%s.png", o->out, w->name);
  if (length < 0 || length >= (int)sizeof path)
    return complain("%s: the path is too long", o->out);
  return quality_draw(e, y, s->size, path, w->quality.max_error);
}

/* On rank 0: what the stack is worth, and its picture. */
static bool look(way *w, const snapshots *s, const exact_stack *e, const options *o, const ghz_mpi_report *r,
                 const float *y) {
  /* Only where a step is finer than float32 itself does the last rounding come on top: ghz.h, "bound". */
  bool fine = r->eb < 0x1p-20 * fmax(fabs(s->min), fabs(s->max));
  w->quality = quality_of(e, y, w->compressed ? w->bound : INFINITY, fine && s->total > 1);
  if (promises(r) && w->quality.wrong > 0)
    w->good = complain("%s: %llu values beyond the bound %g", w->name, (unsigned long long)w->quality.wrong,
                       w->bound);
  return !w->compressed || !o->out || draw(w, s, e, o, y);
}

/* Runs a way and judges its stack; this run also warms up. Returns whether the picture could be drawn. */
static bool judge(way *w, const snapshots *s, const exact_stack *e, const options *o, float *y) {
  ghz_mpi_report report;
  stack_once(w, s, o, y, &report);
  w->compressed = report.eb > 0;
  w->bound = bound_of(w, s, o, &report);
  w->good = true;
  uint64_t hash = hash_of(y, s->n);
  bool same = same_everywhere(hash), drawn = true;
  w->quality.hash = hash;
  if (my_rank() == 0)
    drawn = look(w, s, e, o, &report, y);
  if (promises(&report) && !same)
    w->good = my_rank() != 0 ? false : complain("%s: ranks differ", w->name);
  return all_true(drawn);
}

static void time_once(way *w, const snapshots *s, const options *o, float *y, int round) {
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  stack_once(w, s, o, y, &w->reports[round]);
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(&seconds, &w->seconds[round], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (promises(&w->reports[round]) && hash_of(y, s->n) != w->quality.hash)
    w->good = complain("%s: rank %d, repetition %d: other bits than before", w->name, my_rank(), round);
}

/* The parts of the repetition whose time is the median, over the ranks. */
static void finish(way *w, int repeat) {
  double sorted[REPEAT_MOST], sums[PARTS + 2];
  memcpy(sorted, w->seconds, (size_t)repeat * sizeof *sorted);
  for (int i = 1; i < repeat; i++)
    for (int j = i; j > 0 && sorted[j] < sorted[j - 1]; j--) {
      double swap = sorted[j];
      sorted[j] = sorted[j - 1];
      sorted[j - 1] = swap;
    }
  double median = sorted[(repeat - 1) / 2];
  for (w->median = 0; w->seconds[w->median] != median; w->median++)
    ;
  memcpy(w->seconds, sorted, (size_t)repeat * sizeof *sorted);
  w->report = w->reports[w->median];
  const ghz_mpi_report *r = &w->report;
  double parts[PARTS + 2] = {r->agree, r->compress, r->combine,           r->decompress,
                             r->wait,  r->seconds,  (double)r->raw_bytes, (double)r->sent_bytes};
  for (int i = 0; i < PART_OTHER; i++)
    parts[PART_OTHER] -= parts[i];
  MPI_Reduce(parts, sums, PARTS + 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(parts, w->most, PARTS, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  for (int i = 0; i < PARTS; i++)
    w->mean[i] = sums[i] / ranks();
  w->raw_bytes = sums[PARTS];
  w->sent_bytes = sums[PARTS + 1];
}

int stack_run(way ways[WAYS_MOST], const snapshots *s, const exact_stack *e, const options *o) {
  int n = list_ways(ways, o);
  float *y = malloc(s->n * sizeof *y);
  bool good = all_true(y || complain("rank %d: out of memory for the stack", my_rank()));
  for (int i = 0; i < n && good; i++)
    good = judge(&ways[i], s, e, o, y);
  for (int round = 0; round < o->repeat && good; round++)
    for (int i = 0; i < n; i++)
      time_once(&ways[(i + round) % n], s, o, y, round);
  for (int i = 0; i < n && good; i++)
    finish(&ways[i], o->repeat);
  free(y);
  return good ? n : 0;
}
