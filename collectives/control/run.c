/* run.c: a call, in the steps of docs/collectives.md. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "choice/select.h"
#include "control/communicator.h"
#include "control/execute.h"
#include "control/host_copy.h"
#include "control/native.h"
#include "control/range.h"
#include "request/arguments.h"
#include "request/buffers.h"

/* A call under way. */
typedef struct run {
  call made;          /* the user's, on copies of device buffers where it needs them */
  communicator *with; /* NULL: the call goes straight to MPI */
  record agreed;      /* what all ranks know */
  variant how;
  task task;
  ghz_mpi_report report;
  double start;
} run;

/* The other ranks begin to agree: one that cannot takes part once, to tell them. */
static error tell(const call *c, error own) {
  static const result_bytes nothing;
  record r = ghz_agree_record(c, &nothing);
  return ghz_agree(c->comm, &r, own);
}

/* 1. Leaves r->with NULL if the call goes straight to MPI, which all ranks find without asking each
 * other. */
static error bypass(call *c, run *r, error own) {
  communicator *with;
  if (c->bypass)
    return own;
  error e = ghz_communicator_of(c->comm, &with);
  if (e.code)
    return tell(c, e);
  r->start = MPI_Wtime();
  record known = ghz_agree_record(c, &with->last);
  if (ghz_select_rests(&with->tuner, c, &known))
    return own;
  r->with = with;
  r->agreed = known;
  return own;
}

/* 2. Puts together what all ranks know, the range of their values too. `own` is what is wrong on
 * this one. */
static error agree(const call *c, run *r, error own) {
  error e = ghz_communicator_enter(r->with, &r->agreed);
  own = own.code ? own : e;
  if (r->with->work)
    own = ghz_range_early(c, r->with->work->codec, own, &r->agreed);
  e = ghz_agree(c->comm, &r->agreed, own);
  if (e.code || r->agreed.ours.fresh)
    r->with->footprint_count = 0;
  return e;
}

/* 3. Selects the algorithm, and whether to compress; all ranks alike. What is not MPI's needs
 * a communicator of ours, or where none can be had, is MPI's after all. */
static error select_way(const call *c, run *r) {
  error e = {0};
  r->how = ghz_select(&r->with->tuner, c, &r->agreed);
  r->with->last = (result_bytes){0}; /* it has been learnt */
  r->with->crowded = r->agreed.ours.crowded > 0;
  if (r->how.algorithm != GHZ_MPI_NATIVE)
    e = ghz_communicator_settle(r->with, c);
  if (r->with->own == MPI_COMM_NULL)
    r->how.algorithm = GHZ_MPI_NATIVE;
  return e;
}

static error find_spare(run *r) {
  call *c = &r->made;
  size_t bytes = r->how.algorithm != GHZ_MPI_NATIVE ? ghz_buffers_spare(c) : 0;
  c->spare = bytes ? grow(&r->with->work->spare, bytes, 1) : NULL;
  if (bytes && !c->spare)
    return (error){MPI_ERR_NO_MEM, ERROR_OURS, "no memory for a block of the result"};
  return (error){0};
}

/* 4. Makes what this rank needs. Returns what is wrong, for step 5 to tell the other ranks. */
static error prepare(const call *c, run *r) {
  error e = ghz_host_copy_begin(c, r->how, r->agreed.contributions, &r->made);
  if (!e.code)
    e = find_spare(r);
  return ghz_prepare(&r->made, r->with, r->how, &r->agreed, e, &r->task);
}

/* 5. Puts together whether all ranks have what they need, and of their values what step 2 could not
 * bring, where there is any of that. */
static error agree_on_range(run *r, error own) {
  error e = ghz_agree_on_range(&r->made, r->with, &r->task, own);
  if (r->with)
    r->report.agree = MPI_Wtime() - r->start;
  return e;
}

/* 6. Moves all data. */
static error execute(const call *c, run *r) {
  r->report.algorithm = r->how.algorithm;
  error e = r->task.payload ? ghz_execute(&r->made, r->with, &r->task, &r->report) : ghz_native_run(&r->made);
  return e.code ? e : ghz_host_copy_end(c, &r->made);
}

/* 7. Keeps what the call did: for the user, and for the tuner, to which the next agreement brings
 * it. */
static void keep_record(const call *c, run *r, const error *e) {
  r->report.seconds = MPI_Wtime() - r->start;
  if (c->set.report && !e->code)
    *c->set.report = r->report;
  if (r->with)
    r->with->last = (result_bytes){r->task.job.result, r->task.job.result_compressed};
}

static error make_call(call *c, run *r, error own) {
  error e = bypass(c, r, own);
  if (r->with)
    e = agree(c, r, e);
  if (!e.code && r->with)
    e = select_way(c, r);
  if (e.code)
    return e;
  e = prepare(c, r);
  e = agree_on_range(r, e);
  if (!e.code)
    e = execute(c, r);
  keep_record(c, r, &e);
  return e;
}

static int run_call(call *c, const MPI_Count *counts, const MPI_Count *places, const ghz_mpi_options *options) {
  run r = {.how = {GHZ_MPI_NATIVE, 0}, .start = MPI_Wtime()};
  error e = ghz_call_read(c, counts, places, options);
  e = make_call(c, &r, e);
  int code = e.code ? ghz_error_raise(c->comm, c->collective->name, &e) : MPI_SUCCESS;
  if (r.with)
    ghz_communicator_leave(r.with);
  ghz_call_leave(c);
  return code;
}

int ghz_collective_run(const collective *what, const void *send, void *recv, MPI_Count count, MPI_Datatype type,
                       MPI_Op op, int root, MPI_Comm comm, const ghz_mpi_options *options) {
  call c = {what, send, recv, count, type, op, root, comm, .bypass = 0};
  return run_call(&c, NULL, NULL, options);
}

int ghz_collective_run_v(const collective *what, const void *send, void *recv, const MPI_Count *counts,
                         const MPI_Count *places, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                         const ghz_mpi_options *options) {
  call c = {what, send, recv, 0, type, op, 0, comm, .bypass = 0};
  return run_call(&c, counts, places, options);
}
