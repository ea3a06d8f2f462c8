/* run.c: a call, in the steps of docs/collectives.md: by MPI, or by us. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

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

/* Where copies of device buffers can fail, all ranks agree that they have not: MPI hangs if a rank
 * stays away. */
error ghz_by_mpi(run *r) {
  record again = {0};
  say_why(r->asked);
  error e = ghz_host_copy_begin(r);
  if (r->agreed.devices)
    e = ghz_agree(r->asked->comm, &again, e);
  if (r->with)
    r->report.agree = MPI_Wtime() - r->start;
  if (!e.code)
    e = ghz_made_by_mpi(&r->made);
  return e.code ? e : ghz_host_copy_end(r);
}

/* ---- A call ---------------------------------------------------------------------------------- */

/* The other ranks begin to agree: one that cannot takes part once, to tell them. */
static error tell(const call *c, error own) {
  static const result_bytes nothing;
  record r = ghz_agree_record(c, &nothing);
  return ghz_agree(c->comm, &r, own);
}

/* 2. Puts together what all ranks know, the range of their values too. `own` is what is wrong on
 * this one. */
static error agree(run *r, error own) {
  communicator *k = r->with;
  const int has_clock = r->asked->set.report != NULL;
  const double start = payload_seconds(has_clock);
  error e = ghz_communicator_enter(k, r->asked, &r->agreed);
  own = own.code ? own : e;
  if (k->work)
    own = ghz_range_early(r->asked, k, own, &r->agreed);
  r->report.cpu = payload_seconds(has_clock) - start;
  e = ghz_agree(r->asked->comm, &r->agreed, own);
  for (int i = 0; i < OUTLINES && (e.code || r->agreed.fresh); i++)
    k->outlines[i].known = 0;
  return e;
}

/* 3. Selects who makes the call, and how; all ranks alike. What may be ours needs a communicator of
 * ours, or where none can be had, is MPI's after all. */
static error select_way(run *r) {
  communicator *k = r->with;
  error e = {0};
  k->crowded = r->agreed.crowded > 0;
  if (!r->asked->by_mpi)
    e = ghz_communicator_settle(k, r->asked);
  ghz_select(r);
  k->last = (result_bytes){0}; /* it has been learnt */
  return e;
}

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
    e = ghz_execute(r);
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

/* 1. What goes to MPI without agreement all ranks find without asking each other. */
static error make_call(run *r, error own) {
  const call *c = r->asked;
  communicator *with;
  if (c->unasked)
    return own.code ? own : ghz_by_mpi(r);
  error e = ghz_communicator_of(c->comm, &with);
  if (e.code)
    return tell(c, e);
  const record known = ghz_agree_record(c, &with->last);
  if (ghz_select_rests(with, c, &known))
    return own.code ? own : ghz_by_mpi(r);
  r->with = with;
  r->agreed = known;
  e = agree(r, own);
  if (!e.code)
    e = select_way(r);
  if (e.code)
    return e;
  return r->algorithm == GHZ_MPI_NATIVE ? ghz_by_mpi(r) : by_us(r);
}

/* 7. Keeps the report. */
static void keep_report(run *r) {
  r->report.algorithm = r->algorithm;
  r->report.seconds = MPI_Wtime() - r->start;
  if (r->asked->set.report)
    *r->asked->set.report = r->report;
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

int ghz_collective_run(const collective *what, const void *send, void *recv, MPI_Count count,
                       const MPI_Count *counts, const MPI_Count *places, MPI_Datatype type, MPI_Op op, int root,
                       MPI_Comm comm, const ghz_mpi_options *options) {
  call c = {what, send, recv, count, type, op, root, comm, .unasked = 0};
  if (is_small(&c, options))
    return what->by_mpi(&c);
  run r = {.asked = &c, .algorithm = GHZ_MPI_NATIVE, .start = MPI_Wtime()};
  error e = ghz_call_read(&c, counts, places, options);
  r.made = c;
  e = make_call(&r, e);
  if (!e.code)
    keep_report(&r);
  int code = e.code ? ghz_error_raise(comm, what->name, &e) : MPI_SUCCESS;
  if (r.with)
    ghz_communicator_leave(r.with);
  ghz_call_leave(&c);
  return code;
}
