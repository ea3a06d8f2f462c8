/* accuracy.c: what the bound did to the result of a call: looks at it beside the bound, and has MPI
 * make some calls as well, to compare. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sample of a result, other values in each call: rows of them, one of APART or more, and SAMPLE
 * at most. That is 4 % of the codec's instructions in a call of 256 KiB, and 0.5 % in one of 64
 * MiB. */
enum { ROW = 64, APART = 64, SAMPLE = 1 << 15 };

/* Whether a call is the Nth of its kind; all ranks find so alike. */
static int is_due(run *r) {
  const call *c = &r->made;
  const uint64_t *same = r->agreed.identity, count = (uint64_t)c->count, every = (uint64_t)c->set.check;
  const uint64_t octave = count ? (uint64_t)__builtin_clzll(count) : 64;
  if (!every || r->agreed.sum.devices || !c->fits_int || ghz_call_reduces_fill(c))
    return 0;
  const uint64_t kind = same[SAME_CALL] ^ same[SAME_OPERATION] << 8 ^ same[SAME_BOUND] ^ same[SAME_OPTIONS] ^
                        same[SAME_TYPE] << 16 ^ octave << 24;
  return r->with->checks[kind % CHECKED_KINDS]++ % every == (every > 1);
}

void ghz_check_begin(run *r) {
  call c = r->made;
  const size_t bytes = (size_t)c.used.recv * c.value_size;
  const double start = MPI_Wtime();
  if (!is_due(r))
    return;
  void *exact = r->exact = malloc(bytes ? bytes : 1);
  int can = exact && c.set.contributions == 1;
  if (can && c.used.reads_recv)
    memcpy(exact, c.recv, bytes);
  c.recv = bytes ? exact : c.recv;
  const int code = MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_MIN, r->with->own);
  const double begun = MPI_Wtime();
  if (code == MPI_SUCCESS && can && !ghz_made_by_mpi(&c).code)
    r->report.by_mpi = MPI_Wtime() - begun;
  r->start += MPI_Wtime() - start;
}

static double value(ghz_type type, const void *x, size_t i) {
  return type == GHZ_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void compare(ghz_mpi_report *r, double v, double exact) {
  const double apart = isnan(v) ? INFINITY : fabs(v - exact);
  if (!isfinite(exact)) /* ranks may differ in that */
    return;
  r->error = apart > r->error ? apart : r->error;
  r->error_rms += apart * apart;
}

/* Means are sums as yet. */
static void look(run *r, const void *x, const void *exact, size_t n) {
  const size_t sample = SAMPLE / (size_t)r->outline->plan.layout.parts + 1;
  const settings *s = &r->made.set;
  const ghz_type type = r->made.real;
  ghz_mpi_report *p = &r->report;
  const size_t rows = exact || n <= ROW * APART ? 1 : n / sample + APART;
  const size_t first = exact ? 0 : ROW * (r->with->looks++ % rows);
  for (size_t row = first; row < n; row += ROW * rows)
    for (size_t i = row; i < n && i < row + ROW; i++) {
      const double v = value(type, x, i);
      if (exact)
        compare(p, v, value(type, exact, i));
      if (!isfinite(v) || (s->has_fill && v == s->fill))
        continue;
      p->min = p->seen && p->min < v ? p->min : v;
      p->max = p->seen && p->max > v ? p->max : v;
      p->seen++;
      p->rms += v * v;
      p->below += fabs(v) < p->bound && !p->inexact;
    }
}

void ghz_check_end(run *r) {
  const call *c = &r->made;
  const plan *p = &r->outline->plan;
  const double start = MPI_Wtime();
  ghz_mpi_report *report = &r->report;
  double compared = 0;
  if (!c->set.report || r->job.target_on_device)
    return;
  for (int b = 0; b < p->layout.parts; b++) {
    const uint8_t *x = p->parts[b].target, *exact = report->by_mpi > 0 ? r->exact : NULL;
    const size_t n = (size_t)ghz_shape_count(&p->parts[b].shape);
    if (!x)
      continue;
    look(r, x, exact && !c->spare ? exact + (x - (const uint8_t *)c->recv) : exact, n);
    compared += (double)n;
  }
  report->rms = sqrt(report->rms / fmax((double)report->seen, 1));
  report->below /= fmax((double)report->seen, 1);
  report->error_rms = sqrt(report->error_rms / fmax(compared, 1));
  if (report->by_mpi > 0)
    r->start += MPI_Wtime() - start;
}
