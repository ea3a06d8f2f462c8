/* stats.c: counts the calls of this process, and adds up those of all processes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static summary figures; /* but for the ends of ranges, of which it has two zeros till there are results */
static pthread_mutex_t figures_lock = PTHREAD_MUTEX_INITIALIZER;

/* Atomic: small calls must not wait for a lock. */
typedef struct counter {
  _Atomic uint64_t calls, bytes;
} counter;

static counter passed[CALLS][REASONS];

void stats_passed(call_id c, reason why, double bytes) {
  counter *n = &passed[c][why];
  atomic_fetch_add_explicit(&n->calls, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&n->bytes, bytes > 0 ? (uint64_t)bytes : 0, memory_order_relaxed);
}

static void raise(double *most, double value) {
  *most = fmax(*most, value);
}

/* Of results that have errors: in units of a bound or a range, where there is one. */
static void note_errors(double *f, int calls, double *worst, const ghz_mpi_report *r, double unit) {
  if (r->seen == 0 || !(unit > 0) || !isfinite(unit))
    return;
  f[calls]++;
  f[calls + 1] += r->error_rms / unit * (r->error_rms / unit);
  raise(worst, r->error / unit);
}

/* What the accuracy did. Waiting in the agreement for processes that come late is none of a call's
 * seconds, as MPI's call begins behind it. */
static void note_accuracy(double *f, double *most, const ghz_mpi_report *r) {
  const double seen = (double)r->seen;
  const double codec = r->compress + r->combine + r->decompress, per_thread = r->cpu / r->threads;
  raise(&most[BOUND], r->bound);
  f[PER_THREAD] += per_thread;
  f[SPENT] += r->cpu;
  if (seen > 0) {
    most[LARGEST] = f[SEEN] > 0 ? fmax(most[LARGEST], r->max) : r->max;
    most[MINUS_LEAST] = f[SEEN] > 0 ? fmax(most[MINUS_LEAST], -r->min) : -r->min;
  }
  f[SEEN] += seen;
  f[SQUARES] += seen * r->rms * r->rms;
  f[BELOW] += seen * r->below;
  if (!(r->by_mpi > 0))
    return;
  f[CHECKED]++;
  f[OURS] += r->seconds - r->agree + per_thread - codec;
  f[MPIS] += r->by_mpi;
  note_errors(f, WITH_BOUND, &most[WORST], r, r->bound);
  note_errors(f, WITH_RANGE, &most[WORST_OF_RANGE], r, r->max - r->min);
}

void stats_called(call_id c, double bytes, const ghz_mpi_report *r, int code) {
  double *f = figures.of[c];
  const double times[] = {r->seconds, r->agree, r->compress, r->combine, r->decompress, r->wait, r->cpu};
  const int what = code != MPI_SUCCESS ? FAILED : r->algorithm == GHZ_MPI_NATIVE ? BY_MPI : COMPRESSED;
  pthread_mutex_lock(&figures_lock);
  f[what]++;
  f[VOLUME + what] += bytes;
  f[RAW] += (double)r->raw_bytes;
  f[SENT] += (double)r->sent_bytes;
  f[INEXACT] += r->inexact != 0;
  if (what == COMPRESSED)
    note_accuracy(f, figures.most[c], r);
  if (r->link > 0 && !(figures.link > 0 && figures.link < r->link))
    figures.link = r->link;
  if (r->loss.wipes || r->loss.has_fill) {
    f[TAKEN]++;
    figures.loss = figures.loss.seen ? figures.loss : r->loss;
  }
  for (int i = 0; i < PER_THREAD - TIMES; i++)
    f[TIMES + i] += times[i];
  pthread_mutex_unlock(&figures_lock);
}

static void add_up(void) {
  for (int c = 0; c < CALLS; c++) {
    double *f = figures.of[c];
    for (int i = 0; i < REASONS; i++) {
      f[PASSED + i] = (double)passed[c][i].calls;
      f[VOLUME + PASSED + i] = (double)passed[c][i].bytes;
    }
    for (int i = 0; i < FIGURES; i++)
      figures.of[CALLS][i] += f[i];
    if (!(f[SEEN] > 0)) /* the ends of ranges are those of the processes that have results */
      figures.most[c][LARGEST] = figures.most[c][MINUS_LEAST] = -INFINITY;
  }
}

/* Sets the loss to that of the process that has most calls with one. */
static void share_loss(ghz_loss *shared) {
  struct {
    double calls;
    int rank;
  } own = {.calls = figures.of[CALLS][TAKEN]}, most;
  PMPI_Comm_rank(MPI_COMM_WORLD, &own.rank);
  PMPI_Allreduce(&own, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  *shared = figures.loss;
  PMPI_Bcast(shared, sizeof *shared, MPI_BYTE, most.rank, MPI_COMM_WORLD);
}

void stats_report(void) {
  static summary sum;
  int rank;
  if (!intercept.report)
    return;
  add_up();
  share_loss(&sum.loss);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(figures.of, sum.of, sizeof sum.of / sizeof(double), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Reduce(figures.most, sum.most, sizeof sum.most / sizeof(double), MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  sum.link = figures.link;
  if (rank == 0)
    report_print(&sum);
}
