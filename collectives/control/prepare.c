/* prepare.c: what this rank needs to run a call: its plan, memory and device. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

#include <stdio.h>

enum { MOST_PIECES = 1 << 15 }; /* tags that every MPI has */

/* A GPU needs larger pieces than a CPU to make up for the launch of a kernel; its figures have not
 * been measured on one. Tests of device buffers set smaller ones. */
#ifndef GHZ_DEVICE_PIECE_LEAST
#define GHZ_DEVICE_PIECE_LEAST (2 << 20)
#define GHZ_DEVICE_PIECE_MOST (4 << 20)
#endif

/* Planes hardly compress better with their shape at the accuracy of float, where a flat tile's
 * second differences are worth more. */
static ghz_shape shape_of(const call *c, int flat) {
  int is_flat = flat || (c->set.bound.kind == GHZ_MPI_FLOAT && c->shape.dims == 2);
  return is_flat ? ghz_flat(ghz_shape_count(&c->shape)) : c->shape;
}

/* If any rank has device buffers, all ranks cut as it needs it: they have to cut alike. */
layout ghz_layout_of(const algorithm *a, int ranks, const ghz_shape *shape, ghz_type type, int parts,
                     int on_device) {
  const uint64_t count = ghz_shape_count(shape), value_size = type == GHZ_F32 ? 4 : 8,
                 least = on_device ? GHZ_DEVICE_PIECE_LEAST : PIECE_LEAST,
                 most = on_device ? GHZ_DEVICE_PIECE_MOST : PIECE_MOST;
  layout l = {.type = type, .parts = parts, .columns_first = a->columns_first};
  ghz_layout_set_shape(&l, shape);
  l.segments = a->segments ? a->segments(ranks, ghz_shape_tiles(shape)) : 1;
  const uint64_t bytes = count * value_size / (uint64_t)l.segments / 8;
  l.piece_values = (bytes < least ? least : bytes > most ? most : bytes) / value_size;
  while (count / l.piece_values * (uint64_t)parts > MOST_PIECES)
    l.piece_values *= 2;
  return l;
}

static layout layout_of(const run *r) {
  const call *c = &r->made;
  const ghz_shape shape = shape_of(c, r->flat);
  return ghz_layout_of(collective_algorithm(c->collective, r->algorithm), c->at.ranks, &shape, c->real,
                       c->counts ? c->at.ranks : call_blocks(c), r->agreed.sum.devices > 0);
}

static footprint footprint_of(const run *r) {
  const call *c = &r->made;
  const uint64_t *same = r->agreed.identity;
  return (footprint){.call = same[SAME_CALL] ^ (c->counts ? same[SAME_COUNT] : 0),
                     .device_ranks = r->agreed.sum.device_ranks,
                     .contributions = r->agreed.sum.contributions,
                     .layout = layout_of(r),
                     .algorithm = r->algorithm,
                     .reduction = c->reduction,
                     .root = (uint64_t)c->root};
}

/* But for its lattice, of which only the type is known yet, and its report. */
static payload_job job_of(const run *r) {
  const call *c = &r->made;
  workspace *w = r->with->work;
  return (payload_job){.codec = w->codec,
                       .team = ghz_communicator_team(r->with, c),
                       .pool = &w->pool,
                       .plan = &r->outline->plan,
                       .rank = c->at.rank,
                       .lattice.type = c->real,
                       .order = c->reduction >= REDUCE_MIN ? GHZ_ORDER_LORENZO : GHZ_ORDER_BEST,
                       .reduction = c->reduction,
                       .contributions = c->set.contributions,
                       .stride = (size_t)c->count * c->value_size * (size_t)call_blocks(c),
                       .total_contributions = r->agreed.sum.contributions,
                       .average = c->set.average,
                       .value_size = c->value_size,
                       .has_clock = c->set.report != NULL};
}

/* Device buffers that are left in the call are a GPU's to work on. MPI is given device memory if it
 * takes that, and if none of the call's buffers is on the host. */
static ghz_status set_up_device(const call *c, workspace *w, payload_job *job) {
  int all_on_device = (!c->used.send || c->on.send) && (!c->used.recv || c->on.recv);
  if (!c->on.any)
    return GHZ_OK;
  job->target_on_device = c->on.recv;
  job->source_on_device = c->send && !call_is_in_place(c) ? c->on.send : c->on.recv;
  return ghz_device_setup(job, &w->device, &c->on, (size_t)job->plan->piece_tiles * GHZ_TILE,
                          all_on_device && ghz_device_direct());
}

static const payload *payload_of(payload_job *job) {
#ifdef GHZ_HAVE_CUDA
  if (job->device)
    return &ghz_payload_device;
#endif
  job->async = job->team ? &ghz_team_async_ops : NULL;
  return job->team ? &ghz_payload_team : job->bins ? &ghz_payload_bins : &ghz_payload_homomorphic;
}

/* The codec's scratch depends on the number of threads, too, in which ranks may differ. */
static int reserve(run *r) {
  workspace *w = r->with->work;
  plan *p = &r->outline->plan;
  const uint64_t all = r->job.total_contributions, tiles = p->piece_tiles;
  const uint32_t terms = all > UINT32_MAX ? UINT32_MAX : all > 0 ? (uint32_t)all : 1;
  r->payload = payload_of(&r->job);
  return ghz_engine_prepare(&w->space, p, r->payload, &r->job) &&
         (!r->job.team || ghz_team_reserve(r->job.team, &r->job, tiles, terms)) &&
         ghz_slice_reserve(w->codec, &(ghz_shape){.dims = 1}, tiles, r->made.real, terms) == GHZ_OK;
}

/* Works on the host, where everything is reserved: enough to tell the other ranks. */
static void give_up_device(run *r) {
  r->job.device = NULL;
  r->job.pool = &r->with->work->pool;
  r->payload = payload_of(&r->job);
}

static int plan_call(const call *c, const communicator *k, outline *o) {
  const layout *l = &o->footprint.layout;
  const algorithm *a = collective_algorithm(c->collective, o->footprint.algorithm);
  const position at = {.rank = k->places[c->at.rank],
                       .ranks = c->at.ranks,
                       .root = collective_is_rooted(c->collective) ? k->places[c->root] : 0};
  o->has_plan = o->has_plan || ghz_plan_cut(&o->plan, l, c->counts, k->places, at, a->build);
  if (!o->has_plan)
    return 0;
  ghz_buffers_arrange(c, o->plan.parts, l->parts);
  return o->has_plan = ghz_plan_order(&o->plan);
}

static error no_memory(const char *text) {
  error e = {.code = MPI_ERR_NO_MEM};
  snprintf(e.text, sizeof e.text, "no memory for %s", text);
  return e;
}

/* Reserves memory on the host even if a device is to do the work. Its pages are not touched, and it
 * is there should the device fail in a later call that needs no second agreement. */
static error make_plan(run *r) {
  workspace *w = r->with->work;
  if (!plan_call(&r->made, r->with, r->outline) || !reserve(r))
    return no_memory("the plan");
  if ((int64_t)r->outline->plan.piece_count - 1 > r->with->last_tag)
    return (error){MPI_ERR_OTHER, ERROR_OURS, "MPI has too few tags for the pieces of this call"};
  error on_device = ghz_error_of_device(set_up_device(&r->made, w, &r->job));
  if (r->job.device && !reserve(r))
    on_device = no_memory("buffers on the device");
  if (on_device.code)
    give_up_device(r);
  return on_device;
}

error ghz_prepare_bins(run *r) {
  r->job.bins = &r->bins;
  r->agrees = r->outline->known <= r->bins.count;
  if (!reserve(r))
    return no_memory("values set apart");
  return (error){0};
}

/* If the device or the copies of device buffers failed, the host can use none of the call's
 * buffers. The engine may still run the call, to tell the other ranks. */
static void forget_buffers(plan *p) {
  for (int i = 0; i < p->layout.parts; i++)
    part_lies(&p->parts[i], NULL, NULL);
}

/* What the result waits in, where it cannot go to its place at once. */
static error find_spare(run *r) {
  const size_t bytes = ghz_buffers_spare(&r->made);
  r->made.spare = bytes ? grow(&r->with->work->spare, bytes, 1) : NULL;
  return bytes && !r->made.spare ? no_memory("a block of the result") : (error){0};
}

error ghz_prepare(run *r, error own) {
  own = own.code ? own : find_spare(r);
  const footprint f = footprint_of(r);
  r->outline = ghz_communicator_outline(r->with, &f);
  r->job = job_of(r);
  r->needs_range =
      r->made.set.bound.kind != GHZ_ABS && (r->agreed.sum.devices || !call_range_is_early(&r->made));
  r->agrees = r->needs_range || !r->outline->known;
  const error e = make_plan(r);
  own = e.code ? e : own;
  if (own.code && r->outline->has_plan)
    forget_buffers(&r->outline->plan);
  return own;
}
