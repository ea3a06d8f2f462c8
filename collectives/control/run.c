/* run.c: a call, in the steps of docs/collectives.md: by MPI, or by us. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

#include <fenv.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* ---- By MPI ---------------------------------------------------------------------------------- */

static void divide(const call *c) {
  const uint64_t n = call_own(c);
  float *f = c->recv;
  double *d = c->recv;
  for (uint64_t i = 0; i < n && c->real == GHZ_F32; i++)
    f[i] /= (float)c->at.ranks;
  for (uint64_t i = 0; i < n && c->real == GHZ_F64; i++)
    d[i] /= c->at.ranks;
}

error ghz_made_by_mpi(const call *c) {
  const int code = c->collective->by_mpi(c);
  if (code == MPI_SUCCESS && c->set.average && (c->collective->gets != BY_ROOT || call_is_root(c)))
    divide(c);
  return (error){code, ERROR_RAISED, ""};
}

/* Who calls the library wants compression: what excludes it is said once, unless the call asked for
 * MPI. */
static void say_why(const call *c) {
  static atomic_flag told = ATOMIC_FLAG_INIT;
  if (c->by_mpi && c->set.algorithm != GHZ_MPI_NATIVE && c->set.bound.kind != GHZ_MPI_FLOAT &&
      !atomic_flag_test_and_set(&told))
    ghz_settings_note("%s is made by MPI, uncompressed: %s", c->collective->name, c->by_mpi);
}

/* 4 to 6. Where copies of device buffers can fail, all ranks agree that they have not: MPI hangs if
 * a rank stays away. */
static error by_mpi(run *r) {
  record again = {0};
  say_why(r->asked);
  error e = ghz_host_copy_begin(r);
  if (r->with && r->agreed.devices)
    e = ghz_agree(r->asked->comm, &again, e);
  if (r->with)
    r->report.agree = MPI_Wtime() - r->start;
  if (!e.code)
    e = ghz_made_by_mpi(&r->made);
  return e.code ? e : ghz_host_copy_end(r);
}

/* ---- By us ----------------------------------------------------------------------------------- */

/* What the engine could not do, on whichever rank. */
static error error_of(const failure *f) {
  if (f->mpi_code || f->status == GHZ_OK)
    return (error){f->mpi_code, ERROR_OF_MPI, ""};
  const char *what = f->status == GHZ_ENOMEM ? "ran out of memory"
                     : f->status == GHZ_ECORRUPT || f->status == GHZ_EMISMATCH
                         ? "received a message that is not what it should be"
                         : "could not compress, add or decompress";
  return ghz_error(f->status == GHZ_ENOMEM ? MPI_ERR_NO_MEM : MPI_ERR_OTHER, "rank %d %s (%s)", f->rank, what,
                   ghz_status_text(f->status));
}

/* The bound of the result: of each contribution, times their number. A sum of two values as they
 * are has no choice of order. */
static void describe_result(const payload_job *job, int is_float, ghz_mpi_report *r) {
  const int sums = job->reduction == REDUCE_SUM && !job->average && job->total_contributions > 1;
  r->bound = (sums ? (double)job->total_contributions : 1) * r->eb;
  if (sums || job->average)
    r->bound = nextafter(r->bound, INFINITY);
  if (r->inexact)
    r->bound = INFINITY;
  if (is_float && job->lattice.step == 0 && job->total_contributions <= 2)
    r->eb = r->bound = r->inexact = 0;
}

/* 6. Has the engine move all data, and reports what it did. */
static error execute(run *r) {
  ghz_mpi_report *report = &r->report;
  const int is_float = r->made.set.bound.kind == GHZ_MPI_FLOAT;
  uint64_t n;
  const void *x = ghz_buffers_input(&r->made, &n);
  report->dims = r->outline->plan.layout.shape.dims;
  report->eb = r->job.bins ? ldexp(r->job.lattice.eb, -r->bins.list[0].scale) : r->job.lattice.eb;
  if (n > 0 && r->made.set.report && !r->job.device && !r->job.early_status && !is_float &&
      ghz_lattice_loss(r->job.codec, &r->job.lattice, x, (size_t)n, 0, &report->loss) != GHZ_OK)
    report->loss = (ghz_loss){.wipes = 0};
  ghz_team_begin(&r->job);
  const failure f = ghz_engine_run(&r->outline->plan, r->payload, &r->job, &r->with->work->space, r->with->own);
  ghz_team_end(&r->job);
  const error e = error_of(&f);
  if (!e.code) {
    ghz_buffers_finish(&r->made);
    describe_result(&r->job, is_float, report);
  }
  return e;
}

/* ---- A call ---------------------------------------------------------------------------------- */

/* 2. Puts together what all ranks know, the range of their values too. `own` is what is wrong on
 * this one. */
static error agree(run *r, error own) {
  communicator *k = r->with;
  const int has_clock = r->asked->set.report != NULL;
  const double start = payload_seconds(has_clock);
  error e = ghz_communicator_enter(k, &r->agreed);
  own = ghz_range_early(r->asked, k, own.code ? own : e, &r->agreed);
  r->report.cpu = payload_seconds(has_clock) - start;
  e = ghz_agree(r->asked->comm, &r->agreed, own);
  for (int i = 0; i < OUTLINES && (e.code || r->agreed.fresh); i++)
    k->outlines[i].known = 0;
  return e;
}

/* 4 to 6. */
static error by_us(run *r) {
  const int has_clock = r->asked->set.report != NULL;
  error e = ghz_host_copy_begin(r);
  const double start = payload_seconds(has_clock);
  e = ghz_prepare(r, e);
  r->report.cpu += payload_seconds(has_clock) - start;
  e = ghz_agree_again(r, e);
  r->report.agree = MPI_Wtime() - r->start;
  if (!e.code) {
    ghz_check_begin(r);
    e = execute(r);
  }
  if (!e.code)
    ghz_check_end(r);
  free(r->exact);
  /* The next agreement brings it. Of a result in blocks a rank knows its own; what it sent stands
   * for all. */
  r->with->last = r->made.collective->gets == BY_OWNER
                      ? (result_bytes){r->report.raw_bytes, r->report.sent_bytes}
                      : (result_bytes){r->job.result, r->job.result_compressed};
  return e.code ? e : ghz_host_copy_end(r);
}

/* What all ranks agree on, and compute, is computed in the default floating-point environment: the
 * program's must not change a bit (law L3). */
static error agree_and_make(run *r, error own) {
  fenv_t programs;
  fegetenv(&programs);
  fesetenv(FE_DFL_ENV);
  error e = agree(r, own);
  if (!e.code)
    e = ghz_select(r);
  if (!e.code && r->algorithm != GHZ_MPI_NATIVE)
    e = by_us(r);
  fesetenv(&programs);
  return e.code || r->algorithm != GHZ_MPI_NATIVE ? e : by_mpi(r);
}

/* 1. What goes to MPI without agreement all ranks find without asking each other. */
static error make_call(run *r, error own) {
  const call *c = r->asked;
  communicator *k;
  if (c->unasked)
    return own.code ? own : by_mpi(r);
  r->agreed = ghz_agree_record(c);
  const error e = ghz_communicator_of(c->comm, &k);
  if (e.code) /* the others begin to agree: they are told */
    return ghz_agree(c->comm, &r->agreed, e);
  r->agreed.last = k->last;
  if (ghz_select_rests(k, c, &r->agreed))
    return own.code ? own : by_mpi(r);
  r->with = k;
  return agree_and_make(r, own);
}

/* Whether a call is so small, and asks for so little, that it goes straight to MPI before anything
 * else is looked at: MPI alone checks it. Not one of those that MPI makes by a detour. */
static int is_small(const call *c, const ghz_mpi_options *options) {
  int ranks = 1, size = c->type == MPI_FLOAT ? 4 : 8;
  if (c->collective->counted || c->count < 0 || c->count > INT32_MAX || c->comm == MPI_COMM_NULL ||
      (c->type != MPI_FLOAT && c->type != MPI_DOUBLE) ||
      (c->collective->gets == BY_ROOT && call_is_in_place(c)))
    return 0;
  if (collective_has_blocks(c->collective))
    MPI_Comm_size(c->comm, &ranks);
  return ghz_settings_are_small(options, (uint64_t)c->count * (uint64_t)(size * ranks)) &&
         !ghz_device_forbids(c->send, c->recv);
}

int ghz_collective_run(call_id what, const void *send, void *recv, MPI_Count count, const MPI_Count *counts,
                       const MPI_Count *places, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                       const ghz_mpi_options *options) {
  call c = {&ghz_collectives[what], send, recv, count, type, op, root, comm, .unasked = 0};
  if (is_small(&c, options))
    return c.collective->by_mpi(&c);
  run r = {.asked = &c, .algorithm = GHZ_MPI_NATIVE, .start = MPI_Wtime()};
  error e = ghz_call_read(&c, counts, places, options);
  r.made = c;
  e = make_call(&r, e);
  r.report.algorithm = r.algorithm;
  r.report.seconds = MPI_Wtime() - r.start;
  if (!e.code && c.set.report)
    *c.set.report = r.report;
  int code = e.code ? ghz_error_raise(comm, c.collective->name, &e) : MPI_SUCCESS;
  if (r.with)
    ghz_communicator_leave(r.with);
  ghz_call_leave(&c);
  return code;
}
