/* prepare.c: what this rank needs to run a call: its plan, memory and device. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/prepare.h"

#include "request/buffers.h"

#include <math.h>

enum { MOST_PIECES = 1 << 15 }; /* tags that every MPI has */

/* Bytes of a piece: what a CPU works on in its cache. A GPU needs more to make up for the launch of
 * a kernel; its figures have not been measured on one. Tests of device buffers set smaller ones. */
enum { PIECE_LEAST = 128 << 10, PIECE_MOST = 512 << 10 };
#ifndef GHZ_DEVICE_PIECE_LEAST
#define GHZ_DEVICE_PIECE_LEAST (2 << 20)
#define GHZ_DEVICE_PIECE_MOST (4 << 20)
#endif

/* Planes hardly compress better with their shape at the accuracy of float, where a flat tile's
 * second differences are worth more. */
static ghz_shape shape_of(const call *c, variant how) {
  int is_flat = how.flat || (c->set.bound.kind == GHZ_MPI_FLOAT && c->shape.dims == 2);
  return is_flat ? ghz_flat(ghz_shape_count(&c->shape)) : c->shape;
}

/* If any rank has device buffers, all ranks cut as it needs it: they have to cut alike. */
static layout layout_of(const call *c, variant how, int any_device) {
  const algorithm *a = collective_algorithm(c->collective, how.algorithm);
  const ghz_shape shape = shape_of(c, how);
  const uint64_t count = ghz_shape_count(&shape);
  layout l;
  ghz_layout_set_shape(&l, &shape);
  l.type = c->real;
  l.parts = c->counts ? c->at.ranks : call_blocks(c);
  l.segments = a->segments ? a->segments(c->at.ranks) : 1;
  l.columns_first = a->columns_first;
  uint64_t bytes = count * c->value_size / (uint64_t)l.segments / 8;
  uint64_t least = any_device ? GHZ_DEVICE_PIECE_LEAST : PIECE_LEAST;
  uint64_t most = any_device ? GHZ_DEVICE_PIECE_MOST : PIECE_MOST;
  l.piece_values = (bytes < least ? least : bytes > most ? most : bytes) / c->value_size;
  while (count / l.piece_values * (uint64_t)l.parts > MOST_PIECES)
    l.piece_values *= 2;
  return l;
}

static footprint footprint_of(const call *c, variant how, const record *agreed) {
  return (footprint){.call = agreed->identity[SAME_CALL] ^ (c->counts ? agreed->identity[SAME_COUNT] : 0),
                     .placement = agreed->placement,
                     .contributions = agreed->contributions,
                     .layout = layout_of(c, how, agreed->devices > 0),
                     .algorithm = how.algorithm,
                     .reduction = c->reduction,
                     .root = (uint64_t)c->root};
}

/* But for its lattice, of which only the type is known yet, and its report. */
static payload_job job_of(const call *c, communicator *with, const record *agreed) {
  return (payload_job){.codec = with->work->codec,
                       .pool = &with->work->pool,
                       .plan = &with->work->plan,
                       .lattice.type = c->real,
                       .order = c->reduction >= REDUCE_MIN ? GHZ_ORDER_LORENZO : GHZ_ORDER_BEST,
                       .reduction = c->reduction,
                       .contributions = c->set.contributions,
                       .stride = (size_t)c->count * c->value_size * (size_t)call_blocks(c),
                       .total_contributions = agreed->contributions,
                       .average = c->set.average,
                       .value_size = c->value_size};
}

/* Device buffers that are left in the call are a GPU's to work on. MPI is given device memory if it
 * takes that, and if none of the call's buffers is on the host. */
static ghz_status set_up_device(const call *c, communicator *with, payload_job *job) {
  int all_on_device = (!c->used.send || c->on.send) && (!c->used.recv || c->on.recv);
  if (!c->on.any)
    return GHZ_OK;
  job->target_on_device = c->on.recv;
  job->source_on_device = c->send && c->send != MPI_IN_PLACE ? c->on.send : c->on.recv;
  return ghz_device_setup(job, &with->work->device, &c->on, (size_t)with->work->plan.piece_tiles * GHZ_TILE,
                          all_on_device && ghz_device_direct());
}

static const payload *payload_of(const payload_job *job) {
#ifdef GHZ_HAVE_CUDA
  if (job->async)
    return &ghz_payload_device;
#endif
  return job->bins ? &ghz_payload_bins : &ghz_payload_homomorphic;
}

static int reserve(communicator *with, task *t) {
  t->payload = payload_of(&t->job);
  return ghz_engine_prepare(&with->work->space, &with->work->plan, t->payload, &t->job);
}

/* The codec's scratch depends on the number of threads, too, in which ranks may differ. */
static int reserve_codec(const call *c, communicator *with, const task *t) {
  uint64_t terms = t->job.total_contributions;
  uint32_t most = terms > UINT32_MAX ? UINT32_MAX : terms > 0 ? (uint32_t)terms : 1;
  return ghz_slice_reserve(with->work->codec, &(ghz_shape){.dims = 1}, with->work->plan.piece_tiles, c->real,
                           most) == GHZ_OK;
}

/* Works on the host, where everything is reserved: enough to tell the other ranks. */
static void give_up_device(communicator *with, task *t) {
  t->job.async = NULL;
  t->job.pool = &with->work->pool;
  t->payload = payload_of(&t->job);
}

static int plan_call(const call *c, plan *p, const footprint *f) {
  if (!ghz_plan_cut(p, &f->layout, c->counts, c->at, collective_algorithm(c->collective, f->algorithm)->build))
    return 0;
  ghz_buffers_arrange(c, p->parts, f->layout.parts);
  return ghz_plan_order(p);
}

/* Reserves memory on the host even if a device is to do the work. Its pages are not touched, and it
 * is there should the device fail in a later call that needs no second agreement. */
static error make_plan(const call *c, communicator *with, task *t) {
  const error no_memory = {MPI_ERR_NO_MEM, ERROR_OURS, "no memory for the plan"};
  const error no_memory_for_codec = {MPI_ERR_NO_MEM, ERROR_OURS, "no memory for the codec"};
  if (!plan_call(c, &with->work->plan, &t->footprint) || !reserve(with, t))
    return no_memory;
  error on_device = ghz_error_of_device(set_up_device(c, with, &t->job));
  if (t->job.async && !reserve(with, t))
    on_device = (error){MPI_ERR_NO_MEM, ERROR_OURS, "no memory for buffers on the device"};
  if (on_device.code)
    give_up_device(with, t);
  t->has_plan = 1;
  if (!reserve_codec(c, with, t))
    return no_memory_for_codec;
  return on_device;
}

error ghz_prepare_bins(communicator *with, task *t) {
  t->job.bins = &t->bins;
  t->footprint.bins = (uint64_t)t->bins.count;
  t->agrees = !ghz_communicator_knows(with, &t->footprint);
  error out = {0};
  if (!reserve(with, t))
    out = (error){MPI_ERR_NO_MEM, ERROR_OURS, "no memory for values set apart"};
  return out;
}

/* If the device or the copies of device buffers failed, the host can use none of the call's
 * buffers. The engine may still run the call, to tell the other ranks. */
static void forget_buffers(plan *p) {
  for (int i = 0; i < p->layout.parts; i++)
    part_lies(&p->parts[i], NULL, NULL);
}

/* Where copies of device buffers can fail, all ranks agree that they have not: MPI hangs if a rank
 * stays away. */
error ghz_prepare(const call *c, communicator *with, variant how, const record *agreed, error own, task *t) {
  *t = (task){.agrees = agreed->devices > 0};
  if (how.algorithm == GHZ_MPI_NATIVE)
    return own;
  ghz_context_set_threads(with->work->codec, c->set.threads);
  t->job = job_of(c, with, agreed);
  t->footprint = footprint_of(c, how, agreed);
  t->needs_range = c->set.bound.kind != GHZ_ABS && (agreed->devices > 0 || !call_range_is_early(c));
  t->min = t->needs_range ? INFINITY : agreed->min;
  t->max = t->needs_range ? -INFINITY : agreed->max;
  t->agrees = t->needs_range || !ghz_communicator_knows(with, &t->footprint);
  error e = make_plan(c, with, t);
  e = e.code ? e : own;
  if (e.code && t->has_plan)
    forget_buffers(&with->work->plan);
  return e;
}
