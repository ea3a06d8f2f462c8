/* bcast.c: ghz_bcast: every rank receives the root's array. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "request/collective.h"

static int lacks_buffer(const call *c) {
  return call_lacks_target(c);
}

static extent used(const call *c) {
  return (extent){0, call_all(c), call_is_root(c)};
}

static void arrange(const call *c, part *parts) {
  part_lies(parts, call_is_root(c) ? c->recv : NULL, call_is_root(c) && c->set.keep_root ? NULL : c->recv);
}

static int native(const call *c) {
  return MPI_Bcast(c->recv, (int)c->count, c->type, c->root, c->comm);
}

static const collective bcast = {
    .name = "ghz_bcast",
    .rooted = 1,
    .algorithms = {[GHZ_MPI_TREE] = {ghz_tree_bcast, NULL, 1}, [GHZ_MPI_CHAIN] = {ghz_chain_bcast, NULL, 1}},
    .preferred = {GHZ_MPI_CHAIN, GHZ_MPI_TREE},
    .lacks_buffer = lacks_buffer,
    .extent = used,
    .arrange = arrange,
    .native = native,
};

int ghz_bcast(void *values, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm,
              const ghz_mpi_options *options) {
  if (ghz_collective_bypass(NULL, values, count, type, comm, 0, options))
    return MPI_Bcast(values, (int)count, type, root, comm);
  return ghz_collective_run(&bcast, NULL, values, count, type, MPI_OP_NULL, root, comm, options);
}
