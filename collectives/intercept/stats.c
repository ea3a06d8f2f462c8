/* stats.c: counts the calls of this process, and adds up those of all processes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

static summary figures;
static pthread_mutex_t figures_lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_most(int i) {
  return i == BOUND || i == RANGE || i == WORST || i == WORST_OF_RANGE;
}

/* Of results that have errors: in units of a bound or a range, where there is one. */
static void note_errors(double *f, int worst, int with, const ghz_mpi_report *r, double unit) {
  if (r->seen == 0 || !(unit > 0) || !isfinite(unit))
    return;
  f[with]++;
  f[worst + 1] += r->error_rms / unit * (r->error_rms / unit);
  f[worst] = fmax(f[worst], r->error / unit);
}

/* What the accuracy did. Waiting in the agreement for processes that come late is none of a call's
 * seconds, as MPI's call begins behind it. */
static void note_accuracy(double *f, const ghz_mpi_report *r) {
  const double seen = (double)r->seen, per_thread = r->cpu / r->threads;
  f[PER_THREAD] += per_thread;
  f[SPENT] += r->cpu;
  f[BOUND] = fmax(f[BOUND], r->bound);
  f[RANGE] = fmax(f[RANGE], r->max - r->min);
  f[SEEN] += seen;
  f[RMS] += seen * r->rms * r->rms;
  f[BELOW] += seen * r->below;
  if (!(r->by_mpi > 0))
    return;
  f[CHECKED]++;
  f[OURS] += r->seconds - r->agree + per_thread - (r->compress + r->combine + r->decompress);
  f[MPIS] += r->by_mpi;
  note_errors(f, WORST, WITH_BOUND, r, r->bound);
  note_errors(f, WORST_OF_RANGE, WITH_RANGE, r, r->max - r->min);
}

static void note_report(double *f, fate what, const ghz_mpi_report *r) {
  const double times[] = {r->seconds, r->agree, r->compress, r->combine, r->decompress, r->wait, r->cpu};
  for (int i = 0; i <= CPU - TOTAL; i++)
    f[TOTAL + i] += times[i];
  f[RAW] += (double)r->raw_bytes;
  f[SENT] += (double)r->sent_bytes;
  f[INEXACT] += r->inexact != 0;
  if (what == COMPRESSED)
    note_accuracy(f, r);
  if (r->link > 0 && !(figures.link > 0 && figures.link < r->link))
    figures.link = r->link;
  if (r->loss.wipes || r->loss.has_fill) {
    f[TAKEN]++;
    figures.loss = figures.loss.seen ? figures.loss : r->loss;
  }
}

void stats_called(call_id c, fate what, double bytes, const ghz_mpi_report *r) {
  pthread_mutex_lock(&figures_lock);
  figures.of[c][what]++;
  figures.of[c][VOLUME + what] += fmax(bytes, 0);
  if (r)
    note_report(figures.of[c], what, r);
  pthread_mutex_unlock(&figures_lock);
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

/* NAN of nothing: the program may trap divisions by 0. */
static double over(double sum, double n) {
  return n > 0 ? sum / n : NAN;
}

/* Turns sums into means. */
static void finish(double *f, const double *most) {
  for (int i = 0; i < FIGURES; i++)
    f[i] = is_most(i) ? most[i] : f[i];
  f[RATIO] = over(f[RAW], f[SENT]);
  f[RMS] = sqrt(over(f[RMS], f[SEEN]));
  f[BELOW] = over(100 * f[BELOW], f[SEEN]);
  f[WORST] = f[WITH_BOUND] > 0 ? f[WORST] : NAN;
  f[ERRORS] = sqrt(over(f[ERRORS], f[WITH_BOUND]));
  f[WORST_OF_RANGE] = f[WITH_RANGE] > 0 ? f[WORST_OF_RANGE] : NAN;
  f[ERRORS_OF_RANGE] = sqrt(over(f[ERRORS_OF_RANGE], f[WITH_RANGE]));
  f[OURS] = over(1e3 * f[OURS], f[CHECKED]);
  f[MPIS] = over(1e3 * f[MPIS], f[CHECKED]);
}

void stats_report(void) {
  static summary sum, most;
  int rank;
  if (!intercept.report)
    return;
  double *all = figures.of[CALLS];
  for (int c = 0; c < CALLS; c++)
    for (int i = 0; i < FIGURES; i++)
      all[i] = is_most(i) ? fmax(all[i], figures.of[c][i]) : all[i] + figures.of[c][i];
  share_loss(&sum.loss);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(figures.of, sum.of, sizeof sum.of / sizeof(double), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Reduce(figures.of, most.of, sizeof sum.of / sizeof(double), MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank > 0)
    return;
  for (int c = 0; c <= CALLS; c++)
    finish(sum.of[c], most.of[c]);
  sum.link = figures.link;
  report_print(&sum);
}
