/* execute.c: runs what was prepared and agreed on. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>

/* What the engine could not do, on whichever rank. */
static error error_of(const failure *f) {
  error e = {f->mpi_code, ERROR_OF_MPI, ""};
  if (e.code || f->status == GHZ_OK)
    return e;
  const char *what = f->status == GHZ_ENOMEM ? "ran out of memory"
                     : f->status == GHZ_ECORRUPT || f->status == GHZ_EMISMATCH
                         ? "received a message that is not what it should be"
                         : "could not compress, add or decompress";
  e = (error){.code = f->status == GHZ_ENOMEM ? MPI_ERR_NO_MEM : MPI_ERR_OTHER};
  snprintf(e.text, sizeof e.text, "rank %d %s (%s)", f->rank, what, ghz_status_text(f->status));
  return e;
}

/* The bound of the result: of each contribution, times their number. */
static double result_bound(const payload_job *job, const ghz_mpi_report *r) {
  if (r->inexact)
    return INFINITY;
  int sums = job->reduction == REDUCE_SUM && !job->average && job->total_contributions > 1;
  double terms = sums ? (double)job->total_contributions : 1, bound = terms * r->eb;
  return sums || job->average ? nextafter(bound, INFINITY) : bound;
}

/* With two floats or less the sum of the values themselves has no choice of order. */
static void describe_raw(const payload_job *job, ghz_mpi_report *r) {
  if (job->lattice.step == 0 && job->total_contributions <= 2)
    r->eb = r->bound = r->inexact = 0;
}

/* In the default floating-point environment: the program's must not change a bit (law L3). */
static failure run_engine(run *r) {
  workspace *w = r->with->work;
  fenv_t programs;
  fegetenv(&programs);
  fesetenv(FE_DFL_ENV);
  ghz_team_begin(&r->job);
  const failure f = ghz_engine_run(&r->outline->plan, r->payload, &r->job, &w->space, r->with->own);
  if (!r->job.team) {
    r->report.threads = 1;
    r->report.cpu += r->report.compress + r->report.combine + r->report.decompress;
  }
  ghz_team_end(&r->job);
  fesetenv(&programs);
  return f;
}

/* What the bound takes from this rank's values. */
static void find_loss(const run *r, ghz_loss *loss) {
  uint64_t n;
  const void *x = ghz_buffers_input(&r->made, &n);
  if (n > 0 && ghz_lattice_loss(r->job.codec, &r->job.lattice, x, (size_t)n, 0, loss) != GHZ_OK)
    *loss = (ghz_loss){.wipes = 0};
}

error ghz_execute(run *r) {
  ghz_mpi_report *report = &r->report;
  r->job.report = report;
  report->dims = r->outline->plan.shape.dims;
  report->eb = r->job.bins ? ldexp(r->job.lattice.eb, -r->bins.list[0].scale) : r->job.lattice.eb;
  if (r->made.set.report && !r->job.source_on_device && !r->job.early_status &&
      r->made.set.bound.kind != GHZ_MPI_FLOAT)
    find_loss(r, &report->loss);
  const failure f = run_engine(r);
  const error e = error_of(&f);
  if (!e.code) {
    ghz_buffers_finish(&r->made);
    report->bound = result_bound(&r->job, report);
  }
  if (r->made.set.bound.kind == GHZ_MPI_FLOAT)
    describe_raw(&r->job, report);
  return e;
}
