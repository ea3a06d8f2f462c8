/* prepare.c: what this rank needs to run a call: its plan, memory and device. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

#include <string.h>

enum { MOST_PIECES = 1 << 15 }; /* tags that every MPI has */

/* A GPU needs larger pieces than a CPU to make up for the launch of a kernel; its figures have not
 * been measured on one. Tests of device buffers set smaller ones. */
#ifndef GHZ_DEVICE_PIECE_LEAST
#define GHZ_DEVICE_PIECE_LEAST (2 << 20)
#define GHZ_DEVICE_PIECE_MOST (4 << 20)
#endif

/* If any rank has device buffers, all ranks cut as it needs it: they have to cut alike. */
layout ghz_layout_of(const algorithm *a, int ranks, const ghz_shape *shape, ghz_type type, int parts,
                     int on_device) {
  const uint64_t count = ghz_shape_count(shape), value_size = type == GHZ_F32 ? 4 : 8,
                 least = on_device ? GHZ_DEVICE_PIECE_LEAST : PIECE_LEAST,
                 most = on_device ? GHZ_DEVICE_PIECE_MOST : PIECE_MOST;
  layout l = {.shape = *shape, .type = type, .parts = parts, .columns_first = a->columns_first};
  l.segments = a->segments ? a->segments(ranks, ghz_shape_tiles(shape)) : 1;
  const uint64_t bytes = count * value_size / (uint64_t)l.segments / 8;
  l.piece_values = (bytes < least ? least : bytes > most ? most : bytes) / value_size;
  while (count / l.piece_values * (uint64_t)parts > MOST_PIECES)
    l.piece_values *= 2;
  return l;
}

/* Planes hardly compress better with their shape at the accuracy of float, where a flat tile's
 * second differences are worth more. */
static int is_flat(const run *r) {
  return r->flat || (r->made.set.bound.kind == GHZ_MPI_FLOAT && r->made.shape.dims == 2);
}

static layout layout_of(const run *r) {
  const call *c = &r->made;
  const ghz_shape shape = is_flat(r) ? ghz_flat(ghz_shape_count(&c->shape)) : c->shape;
  return ghz_layout_of(collective_algorithm(c->collective, r->algorithm), c->at.ranks, &shape, c->real,
                       c->counts ? c->at.ranks : call_blocks(c), r->agreed.devices > 0);
}

/* That of calls like this before, or one that has yet to be made; all ranks find the same to be
 * known. */
static outline *outline_of(const run *r) {
  communicator *k = r->with;
  footprint f = {.contributions = r->agreed.identity[CONTRIBUTIONS],
                 .how = (uint64_t)r->algorithm << 2 | (uint64_t)is_flat(r) << 1 | (r->agreed.devices > 0)};
  memcpy(f.same, r->agreed.identity, sizeof f.same);
  for (int i = 0; i < OUTLINES; i++)
    if (memcmp(&k->outlines[i].footprint, &f, sizeof f) == 0)
      return &k->outlines[i];
  outline *o = &k->outlines[k->outline_count++ % OUTLINES];
  o->footprint = f;
  o->has_plan = o->known = 0;
  return o;
}

/* But for its lattice, of which only the type is known yet. */
static payload_job job_of(run *r) {
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
                       .total_contributions = r->agreed.identity[CONTRIBUTIONS],
                       .average = c->set.average,
                       .value_size = c->value_size,
                       .has_clock = c->set.report != NULL,
                       .report = &r->report};
}

static const payload *payload_of(const payload_job *job) {
#ifdef GHZ_HAVE_CUDA
  if (job->device)
    return &ghz_payload_device;
#endif
  return job->team ? &ghz_payload_team : &ghz_payload_homomorphic;
}

/* The codec's scratch depends on the number of threads, too, in which ranks may differ. */
error ghz_reserve(run *r) {
  workspace *w = r->with->work;
  plan *p = &r->outline->plan;
  const uint64_t all = r->job.total_contributions, tiles = p->piece_tiles;
  const uint32_t terms = all > UINT32_MAX ? UINT32_MAX : all > 0 ? (uint32_t)all : 1;
  r->payload = payload_of(&r->job);
  if (ghz_engine_prepare(&w->space, p, r->payload, &r->job) &&
      (!r->job.team || ghz_team_reserve(r->job.team, &r->job, tiles, terms)) &&
      ghz_slice_reserve(w->codec, &(ghz_shape){.dims = 1}, tiles, r->made.real, terms) == GHZ_OK)
    return (error){0};
  return (error){MPI_ERR_NO_MEM, ERROR_OURS, "no memory for messages"};
}

/* Has a device work, whose the buffers are. */
static error set_up_device(run *r) {
  const error e = ghz_error_of_device(ghz_device_setup(&r->job, &r->with->work->device, &r->made.on,
                                                       (size_t)r->job.plan->piece_tiles * GHZ_TILE));
  return e.code ? e : ghz_reserve(r);
}

static int plan_call(const run *r) {
  const call *c = &r->made;
  const int *places = r->with->places;
  plan *p = &r->outline->plan;
  const position at = {.rank = places[c->at.rank],
                       .ranks = c->at.ranks,
                       .root = collective_is_rooted(c->collective) ? places[c->root] : 0};
  if (!r->outline->has_plan) {
    const layout l = layout_of(r);
    r->outline->has_plan =
        ghz_plan_cut(p, &l, c->counts, places, at, collective_algorithm(c->collective, r->algorithm)->build);
  }
  if (r->outline->has_plan)
    ghz_buffers_arrange(c, p->parts, p->layout.parts);
  return r->outline->has_plan;
}

/* Other communicators need not have the attribute. */
static int last_tag(void) {
  int *most, found = 0;
  return MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found) == MPI_SUCCESS && found ? *most : 32767;
}

/* Reserves memory on the host even if a device is to do the work. Its pages are not touched, and it
 * is there should the device fail in a later call that needs no second agreement: enough to tell
 * the other ranks. */
static error make_plan(run *r) {
  if (!plan_call(r))
    return (error){MPI_ERR_NO_MEM, ERROR_OURS, "no memory for the plan"};
  error e = ghz_reserve(r);
  if (e.code)
    return e;
  if ((int64_t)r->outline->plan.piece_count - 1 > last_tag())
    return (error){MPI_ERR_OTHER, ERROR_OURS, "MPI has too few tags for the pieces of this call"};
  if (r->made.on.any)
    e = set_up_device(r);
  if (e.code) {
    r->job.device = NULL;
    r->job.pool = &r->with->work->pool;
    r->payload = payload_of(&r->job);
  }
  return e;
}

error ghz_prepare(run *r, error own) {
  const size_t spare = ghz_buffers_spare(&r->made);
  r->made.spare = spare ? grow(&r->with->work->spare, spare, 1) : NULL;
  if (spare && !r->made.spare && !own.code)
    own = (error){MPI_ERR_NO_MEM, ERROR_OURS, "no memory for a block of the result"};
  r->outline = outline_of(r);
  r->job = job_of(r);
  const error e = make_plan(r);
  return e.code ? e : own;
}
