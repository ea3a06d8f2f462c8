/* measure.c: owns the timing of a size: rounds in which every variant runs once, in turn. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A variant at a size, on this rank. */
typedef struct trial {
  const job *job;
  const reference *reference;
  ghz_mpi_algorithm algorithm;
  double *seconds; /* of the rounds that counted */
  int rounds;
  double figures[FIGURES]; /* summed over them */
  ghz_mpi_report report;   /* of the last call */
  verdict verdict;
  bool failed;
} trial;

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Bytes that a network interface has sent, as the kernel counts them; 0 without a name. */
static double wire_bytes(const char *interface) {
  char path[256];
  unsigned long long bytes = 0;
  if (!interface)
    return 0;
  const int length = snprintf(path, sizeof path, "/sys/class/net/%s/statistics/tx_bytes", interface);
  if (length >= (int)sizeof path || strchr(interface, '/'))
    die("not a network interface", interface);
  FILE *file = fopen(path, "r");
  if (!file || fscanf(file, "%llu", &bytes) != 1)
    die("cannot read the counter", path);
  fclose(file);
  return (double)bytes;
}

static int make_call(trial *t, const test_request *c, ghz_mpi_report *report) {
  const options *o = t->job->options;
  if (t->algorithm == GHZ_MPI_NATIVE)
    return request_make_by_mpi(c);
  ghz_mpi_options how = GHZ_MPI_OPTIONS;
  how.shape = o->shape;
  how.bound = o->bound;
  how.of_result = o->of_result;
  how.algorithm = t->algorithm;
  how.mode = t->algorithm ? GHZ_MPI_HOMOMORPHIC : GHZ_MPI_MODE_AUTO;
  how.threads = o->threads;
  how.report = report;
  return request_make(c, &how);
}

/* True if the call failed on any rank; the first of them prints why. All ranks wait for it. */
static bool any_failed(const trial *t, int code) {
  int mine = code != MPI_SUCCESS ? here.rank : INT_MAX, first, length;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == here.rank) {
    MPI_Error_string(code, text, &length);
    fprintf(stderr, "ghz_mpi_bench: rank %d, %s: %s\n", here.rank, ghz_mpi_algorithm_name(t->algorithm), text);
  }
  return first != INT_MAX;
}

/* Of a call whose report was asked for; its time and the bytes on the wire are another's. */
static void note_report(trial *t) {
  const ghz_mpi_report *r = &t->report;
  const double now[FIGURES] = {
      [RAW_BYTES] = (double)r->raw_bytes,
      [SENT_BYTES] = (double)r->sent_bytes,
      [AGREE] = r->agree,
      [COMPRESS] = r->compress,
      [COMBINE] = r->combine,
      [DECOMPRESS] = r->decompress,
      [WAIT] = r->wait,
  };
  for (int i = 0; i < FIGURES; i++)
    t->figures[i] += now[i];
}

/* Keeps the worst result of all checks. */
static void note_verdict(trial *t) {
  bool native = t->algorithm == GHZ_MPI_NATIVE;
  verdict was = t->verdict;
  t->verdict = check_result(t->job, t->reference, native ? NULL : &t->report);
  t->verdict.wrong += was.wrong;
  if (was.error > t->verdict.error)
    t->verdict.error = was.error;
  if (was.same == SAME_NOT)
    t->verdict.same = SAME_NOT;
}

static void call_once(trial *t, ghz_mpi_report *report, bool counts) {
  const char *interface = t->job->options->interface;
  const test_request c = job_call(t->job, t->algorithm == GHZ_MPI_ALGORITHM_AUTO);
  MPI_Barrier(MPI_COMM_WORLD);
  const double sent = wire_bytes(interface);
  double cpu = processor_seconds(), start = MPI_Wtime();
  const int code = make_call(t, &c, report);
  const double seconds = MPI_Wtime() - start;
  cpu = processor_seconds() - cpu;
  t->failed = any_failed(t, code);
  if (t->failed || !counts)
    return;
  t->figures[WIRE] += wire_bytes(interface) - sent;
  t->figures[CPU] += cpu;
  t->seconds[t->rounds++] = seconds;
}

/* A report takes time of its own, so the call that tells of itself is not the one that is timed. */
static void take_turn(trial *t, bool counts, bool check) {
  t->report = (ghz_mpi_report){.algorithm = t->algorithm};
  if (!t->failed)
    call_once(t, NULL, counts);
  if (!t->failed && t->algorithm != GHZ_MPI_NATIVE && (counts || check))
    call_once(t, &t->report, false);
  if (t->failed)
    return;
  if (counts)
    note_report(t);
  if (check)
    note_verdict(t);
}

/* Compares the bits of variants that must return the same. */
static void compare_variants(trial *trials, int n) {
  verdict *first = NULL;
  for (int i = 0; i < n; i++) {
    verdict *v = &trials[i].verdict;
    v->promised = v->done && v->compressed && !v->inexact;
    if (!v->promised)
      continue;
    if (!first) {
      first = v;
    } else if (v->same != SAME_NOT) {
      v->same = v->bits == first->bits ? SAME : SAME_OTHER;
      if (first->same == SAME_UNKNOWN && v->same == SAME)
        first->same = SAME;
    }
  }
}

/* Combines the figures of all ranks. */
static finding conclude(trial *t) {
  finding f = {.failed = t->failed, .algorithm = t->report.algorithm, .verdict = t->verdict};
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
                        .algorithm = o->variants[v],
                        .seconds = touched((size_t)o->iterations * sizeof(double))};
  for (int i = 0; i < o->learn; i++)
    for (int v = 0; v < o->n_variants; v++)
      if (o->variants[v] == GHZ_MPI_ALGORITHM_AUTO)
        take_turn(&trials[v], false, false);
  for (int i = 0; i < rounds; i++)
    for (int k = 0; k < o->n_variants; k++) { /* to and fro: what came before leaves its values in the caches */
      const int v = i % 2 ? o->n_variants - 1 - k : k;
      take_turn(&trials[v], i >= o->warm_up, o->check == 2 || (o->check == 1 && i == rounds - 1));
    }
  compare_variants(trials, o->n_variants);
  for (int v = 0; v < o->n_variants; v++) {
    findings[v] = conclude(&trials[v]);
    free(trials[v].seconds);
  }
}
