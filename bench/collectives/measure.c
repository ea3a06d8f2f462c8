/* measure.c: owns the timing of a size: rounds in which every variant runs once, in turn. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHOICES = 8 }; /* more than there are algorithms, or modes */

/* A variant at a size, on this rank. */
typedef struct trial {
  const job *job;
  const reference *reference;
  variant variant;
  double *seconds; /* of the rounds that counted */
  int rounds;
  double figures[FIGURES];       /* summed over them */
  int choices[CHOICES][CHOICES]; /* how often which algorithm and mode were used in them */
  ghz_mpi_report report;         /* of the last call */
  verdict verdict;
  bool failed;
} trial;

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int make_call(trial *t, const call *c) {
  const options *o = t->job->options;
  if (is_native(t->variant))
    return tested.plain(c);
  ghz_mpi_options how = GHZ_MPI_OPTIONS;
  how.shape = o->shape;
  how.bound = o->bound;
  how.of_result = o->of_result;
  how.algorithm = t->variant.algorithm;
  how.mode = t->variant.mode;
  how.threads = o->threads;
  how.keep_root = 0;
  how.report = &t->report;
  return tested.compressed(c, &how);
}

/* True if the call failed on any rank; the first of them prints why. All ranks wait for it. */
static bool any_failed(const trial *t, int code) {
  int rank = world_rank(), mine = code != MPI_SUCCESS ? rank : INT_MAX, first, length;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == rank) {
    MPI_Error_string(code, text, &length);
    fprintf(stderr, "ghz_mpi_bench %s: rank %d, %s %s: %s\n", tested.name, rank,
            ghz_mpi_algorithm_name(t->variant.algorithm), mode_name((int)t->variant.mode), text);
  }
  return first != INT_MAX;
}

static void note_figures(trial *t, wire before, wire after, double cpu) {
  const ghz_mpi_report *r = &t->report;
  const double now[FIGURES] = {
      [RAW_BYTES] = (double)r->raw_bytes,
      [SENT_BYTES] = (double)r->sent_bytes,
      [MESSAGES] = (double)r->messages,
      [WIRE_SENT] = after.sent - before.sent,
      [WIRE_RECEIVED] = after.received - before.received,
      [CPU] = cpu,
      [AGREE] = r->agree,
      [COMPRESS] = r->compress,
      [COMBINE] = r->combine,
      [DECOMPRESS] = r->decompress,
      [WAIT] = r->wait,
  };
  for (int i = 0; i < FIGURES; i++)
    t->figures[i] += now[i];
  if ((unsigned)r->algorithm < CHOICES && (unsigned)r->mode < CHOICES)
    t->choices[r->algorithm][r->mode]++;
}

/* Keeps the worst result of all checks. */
static void note_verdict(trial *t) {
  bool native = is_native(t->variant);
  verdict was = t->verdict;
  t->verdict = check_result(t->job, t->reference, native ? NULL : &t->report);
  t->verdict.wrong += was.wrong;
  if (was.error > t->verdict.error)
    t->verdict.error = was.error;
  if (was.same == SAME_NOT)
    t->verdict.same = SAME_NOT;
}

static bool chooses(variant v) {
  return v.algorithm == GHZ_MPI_ALGORITHM_AUTO || v.mode == GHZ_MPI_MODE_AUTO;
}

static void take_turn(trial *t, bool counts, bool check) {
  if (t->failed)
    return;
  const char *interface = t->job->options->interface;
  t->report = (ghz_mpi_report){.algorithm = t->variant.algorithm, .mode = t->variant.mode};
  call c = job_call(t->job, chooses(t->variant));
  MPI_Barrier(MPI_COMM_WORLD);
  wire before = wire_read(interface);
  double cpu = processor_seconds(), start = MPI_Wtime();
  int code = make_call(t, &c);
  double seconds = MPI_Wtime() - start;
  cpu = processor_seconds() - cpu;
  t->failed = any_failed(t, code);
  if (t->failed)
    return;
  if (counts) {
    note_figures(t, before, wire_read(interface), cpu);
    t->seconds[t->rounds++] = seconds;
  }
  if (check)
    note_verdict(t);
}

/* Finds the algorithm and mode that were used most. */
static void note_choice(const trial *t, finding *f) {
  int most = 0;
  for (int a = 0; a < CHOICES; a++)
    for (int m = 0; m < CHOICES; m++)
      if (t->choices[a][m] > most) {
        most = t->choices[a][m];
        f->algorithm = (ghz_mpi_algorithm)a;
        f->mode = (ghz_mpi_mode)m;
      }
  f->chosen = t->rounds > 0 ? (double)most / t->rounds : 0;
}

/* Combines the figures of all ranks. */
static finding conclude(trial *t) {
  finding f = {
      .failed = t->failed, .algorithm = t->variant.algorithm, .mode = t->variant.mode, .verdict = t->verdict};
  note_choice(t, &f);
  if (t->failed)
    return f;
  int n = t->rounds;
  MPI_Allreduce(MPI_IN_PLACE, t->seconds, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  f.median = median(t->seconds, n);
  f.least = t->seconds[0];
  f.most = t->seconds[n - 1];
  for (int i = 0; i < FIGURES; i++)
    t->figures[i] /= n;
  MPI_Allreduce(t->figures, f.sum, FIGURES, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(t->figures, f.worst, FIGURES, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return f;
}

void measure(const job *j, const reference *r, finding *findings) {
  const options *o = j->options;
  static trial trials[MAX_VARIANTS];
  int rounds = o->warm_up + o->iterations;
  for (int v = 0; v < o->n_variants; v++)
    trials[v] = (trial){.job = j,
                        .reference = r,
                        .variant = o->variants[v],
                        .seconds = touched((size_t)o->iterations * sizeof(double))};
  for (int i = 0; i < o->learn; i++)
    for (int v = 0; v < o->n_variants; v++)
      if (chooses(o->variants[v]))
        take_turn(&trials[v], false, false);
  for (int i = 0; i < rounds; i++)
    for (int v = 0; v < o->n_variants; v++)
      take_turn(&trials[v], i >= o->warm_up, o->check == 2 || (o->check == 1 && i == rounds - 1));
  verdict verdicts[MAX_VARIANTS];
  for (int v = 0; v < o->n_variants; v++)
    verdicts[v] = trials[v].verdict;
  check_across(o, verdicts);
  for (int v = 0; v < o->n_variants; v++) {
    trials[v].verdict = verdicts[v];
    findings[v] = conclude(&trials[v]);
    free(trials[v].seconds);
  }
}
