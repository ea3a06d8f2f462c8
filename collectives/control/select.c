/* select.c: owns which algorithm a call is made by, and which calls are of one kind. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

#include <math.h>

/* Bytes of a segment that fill a GPU. It adds fewer in hardly less time, so arrays with smaller
 * segments are better added whole (gZCCL). The figure has not been measured on a GPU. */
enum { DEVICE_SEGMENT = 2 << 20 };

/* Of an array, or a block. */
static double bytes_of(const call *c) {
  return call_bytes(c) / call_blocks(c);
}

/* That of the options, or the cheapest. */
static ghz_mpi_algorithm algorithm_of(const call *c, const record *agreed, int nodes) {
  const collective *what = c->collective;
  if (c->set.algorithm != GHZ_MPI_ALGORITHM_AUTO)
    return c->set.algorithm;
  if (agreed->devices && collective_algorithm(what, GHZ_MPI_DOUBLING) &&
      call_bytes(c) / c->at.ranks < DEVICE_SEGMENT)
    return GHZ_MPI_DOUBLING;
  return ghz_cost_least(what, c->at.ranks, nodes, bytes_of(c));
}

/* The bits of the number of values: the same for all calls of a kind. */
static unsigned octave_of(const call *c) {
  return c->count > 0 ? 64 - (unsigned)__builtin_clzll((unsigned long long)c->count) : 0;
}

/* Flat arrays, planes and cubes are apart: they compress to other sizes. */
call_kind ghz_select_kind(const call *c, const record *r) {
  return (call_kind){.call = r->identity[SAME_CALL],
                     .operation = r->identity[SAME_OPERATION],
                     .bound = r->identity[SAME_BOUND],
                     .options = r->identity[SAME_OPTIONS] ^ r->identity[SAME_FILL],
                     .size = (uint64_t)c->shape.dims << 32 | (uint64_t)c->value_size << 16 | octave_of(c)};
}

/* Bits per second of the link that the call goes by; 0: unknown. */
static double link_of(const communicator *k, const call *c) {
  return c->set.link == GHZ_MPI_LINK_AUTO ? k->link : c->set.link;
}

/* Whether MPI may make a call that could be compressed. The promises of GHZ_MPI_FLOAT and of fills
 * need compression. Unasked (by a link), MPI makes none whose result it would round, or could give
 * other bits on other ranks, and none so small that headers decide. */
static int may_rest(const communicator *k, const call *c) {
  const settings *s = &c->set;
  int is_exact = !c->reduction && !s->has_fill && call_bytes(c) >= THRESHOLD_DEFAULT;
  return s->mode == GHZ_MPI_MODE_AUTO && s->algorithm == GHZ_MPI_ALGORITHM_AUTO && c->at.ranks > 1 &&
         !c->by_mpi && c->fits_int && s->bound.kind != GHZ_MPI_FLOAT && !ghz_call_reduces_fill(c) &&
         (link_of(k, c) > 0 || is_exact);
}

int ghz_select_rests(communicator *k, const call *c, const record *own) {
  const call_kind kind = ghz_select_kind(c, own);
  return may_rest(k, c) && ghz_tuner_rests(&k->tuner, &kind);
}

/* What may be ours needs a communicator of ours, or where none can be had, is MPI's after all. A
 * GPU's speeds are not known. */
error ghz_select(run *r) {
  const call *c = r->asked;
  communicator *k = r->with;
  const call_kind kind = ghz_select_kind(c, &r->agreed);
  const double alone = fmin(1, PIECE_LEAST / bytes_of(c)); /* a pipeline's first piece */
  double codec[WAYS] = {0, -1}, network = 0;
  k->crowded = r->agreed.crowded > 0;
  error e = {0};
  if (!c->by_mpi)
    e = ghz_communicator_settle(k, c);
  ghz_tuner_learn(&k->tuner, &r->agreed.last);
  k->last = (result_bytes){0}; /* it has been learnt */
  r->algorithm = c->by_mpi || k->own == MPI_COMM_NULL ? GHZ_MPI_NATIVE : algorithm_of(c, &r->agreed, k->nodes);
  r->report.link = link_of(k, c);
  if (!may_rest(k, c) || r->algorithm == GHZ_MPI_NATIVE || r->agreed.devices)
    return e;
  if (r->report.link > 0) {
    network =
        8 / r->report.link * ghz_cost_bytes(c->collective, r->algorithm, c->at.ranks, k->nodes, bytes_of(c));
    codec[SHAPED] = k->slowness * ghz_cost_codec(c, ~r->agreed.not_isa, c->shape.dims < 2);
    codec[FLAT] = c->shape.dims < 2 ? -1 : k->slowness * ghz_cost_codec(c, ~r->agreed.not_isa, 1);
  }
  const int way = ghz_tuner_pick(&k->tuner, &kind, codec, network, alone);
  r->flat = way == FLAT;
  if (way == BY_MPI)
    r->algorithm = GHZ_MPI_NATIVE;
  return e;
}
