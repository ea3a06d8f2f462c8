/* accuracy.c: what the bound did to the result of a call: looks at it beside the bound, and has MPI
 * make some calls as well, to compare. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sample of a result, other values in each call: rows of them, one of APART or more, and SAMPLE
 * values of all parts at most. That is 4 % of the codec's instructions in a call of 256 KiB, and
 * 0.5 % in one of 64 MiB. */
enum { ROW = 64, APART = 64, SAMPLE = 1 << 15 };

/* Whether a call is the Nth of its kind; all ranks find so alike. */
static int is_due(run *r) {
  const call *c = &r->made;
  const call_kind k = ghz_select_kind(c, &r->agreed);
  const unsigned every = (unsigned)c->set.check;
  if (c->set.check <= 0 || r->agreed.devices || !c->fits_int || ghz_call_reduces_fill(c))
    return 0;
  const uint64_t parts[] = {k.call, k.operation, k.bound, k.options, k.size};
  uint64_t hash = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    hash = (hash ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15);
  return r->with->checks[(hash >> 32) % CHECKED_KINDS]++ % every == (every > 1);
}

/* A reduction in place is none here, as its result goes elsewhere: so MPI's call needs no memory
 * that a rank may lack after all have agreed, see calls.c. */
void ghz_check_begin(run *r) {
  call c = r->made;
  const size_t bytes = (size_t)c.used.recv * c.value_size;
  const double start = MPI_Wtime();
  if (!is_due(r))
    return;
  void *exact = r->exact = malloc(bytes ? bytes : 1);
  int least[2] = {exact && c.set.contributions == 1, -(c.set.report != NULL)}; /* all can, some rank reports */
  if (c.collective->reduces && call_is_in_place(&c))
    c.send = c.recv;
  else if (exact && c.used.reads_recv)
    memcpy(exact, c.recv, bytes);
  c.recv = bytes ? exact : c.recv;
  const int code = MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT, MPI_MIN, r->with->own);
  const double begun = MPI_Wtime();
  if (code == MPI_SUCCESS && least[0] && least[1] && !ghz_made_by_mpi(&c).code)
    r->report.by_mpi = MPI_Wtime() - begun;
  r->start += MPI_Wtime() - start;
}

static double value(ghz_type type, const void *x, size_t i) {
  return type == GHZ_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static int is_known(const settings *s, double v) {
  return isfinite(v) && !(s->has_fill && v == s->fill);
}

/* Ranks may differ in what is not finite, so it is not compared. Returns the number of values that
 * are. */
static int compare(const settings *s, ghz_mpi_report *r, double v, double exact) {
  const double apart = fabs(v - exact);
  if (!is_known(s, v) || !is_known(s, exact))
    return 0;
  r->error = apart > r->error ? apart : r->error;
  r->error_rms += apart * apart;
  return 1;
}

/* Means are sums as yet. Looks at one value at least, and returns the number of those compared. */
static size_t look(run *r, const void *x, const void *exact, size_t n) {
  const size_t share = SAMPLE / (size_t)r->outline->plan.layout.parts,
               length = share > ROW ? ROW : share + !share, sample = share - share % length + !share,
               whole = sample < ROW * APART ? sample : ROW * APART;
  const size_t rows = exact || n <= whole ? 1 : n / sample + APART, there = (n - 1) / length + 1;
  const size_t first = exact ? 0 : length * (r->with->looks++ % (rows < there ? rows : there));
  const settings *s = &r->made.set;
  const ghz_type type = r->made.real;
  ghz_mpi_report *p = &r->report;
  size_t compared = 0;
  for (size_t row = first; row < n; row += length * rows)
    for (size_t i = row; i < n && i < row + length; i++) {
      const double v = value(type, x, i);
      if (exact)
        compared += (size_t)compare(s, p, v, value(type, exact, i));
      if (!is_known(s, v))
        continue;
      p->min = p->seen && p->min < v ? p->min : v;
      p->max = p->seen && p->max > v ? p->max : v;
      p->seen++;
      p->rms += v * v;
      p->below += fabs(v) < p->bound && !p->inexact;
    }
  return compared;
}

void ghz_check_end(run *r) {
  const call *c = &r->made;
  const plan *p = &r->outline->plan;
  const double start = MPI_Wtime();
  ghz_mpi_report *report = &r->report;
  size_t compared = 0;
  if (!c->set.report || r->job.device)
    return;
  for (int b = 0; b < p->layout.parts; b++) {
    const uint8_t *x = p->parts[b].target, *exact = report->by_mpi > 0 ? r->exact : NULL;
    const size_t n = (size_t)ghz_shape_count(&p->parts[b].shape);
    if (!x || n == 0)
      continue;
    compared += look(r, x, exact && !c->spare ? exact + (x - (const uint8_t *)c->recv) : exact, n);
  }
  report->rms = sqrt(report->rms / fmax((double)report->seen, 1));
  report->below /= fmax((double)report->seen, 1);
  report->error_rms = sqrt(report->error_rms / fmax((double)compared, 1));
  if (report->by_mpi > 0)
    r->start += MPI_Wtime() - start;
}
