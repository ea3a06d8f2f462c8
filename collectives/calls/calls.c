/* calls.c: the nine calls: who gives blocks of an array, who gets them, and MPI's call of the same
 * name. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <stdlib.h>
#include <string.h>

#include "request/collective.h"

/* ---- MPI's calls, for counts that fit an int ------------------------------------------------- */

/* Of a copy of what a reduction has in place, if that is of a type of ours. Returns an error code
 * for which the error handler has been called, or MPI_SUCCESS. */
static int of_copy(const call *c, int (*by_mpi)(const call *c)) {
  const error no_memory = {MPI_ERR_NO_MEM, ERROR_OURS, "no memory for a copy of what is in place"};
  const size_t bytes = c->is_real && c->count > 0 ? (size_t)call_all(c) * c->value_size : 0;
  void *copy = bytes ? malloc(bytes) : NULL;
  call made = *c;
  if (bytes && !copy)
    return ghz_error_raise(c->comm, c->collective->name, &no_memory);
  if (bytes)
    made.send = memcpy(copy, c->recv, bytes);
  const int code = by_mpi(&made);
  free(copy);
  return code;
}

static int allreduce_by_mpi(const call *c) {
  return MPI_Allreduce(c->send, c->recv, (int)c->count, c->type, c->op, c->comm);
}

static int reduce_as_it_is(const call *c) {
  return MPI_Reduce(c->send, c->recv, (int)c->count, c->type, c->op, c->root, c->comm);
}

/* In MPICH 4.0 a root other than rank 0 crashes if it reduces in place, so it sends a copy. (Only
 * the root can be in place.) */
static int reduce_by_mpi(const call *c) {
  return call_is_in_place(c) && c->root != 0 ? of_copy(c, reduce_as_it_is) : reduce_as_it_is(c);
}

static int reduce_scatter_by_mpi(const call *c) {
  return MPI_Reduce_scatter_block(c->send, c->recv, (int)c->count, c->type, c->op, c->comm);
}

static int reduce_scatterv_as_it_is(const call *c) {
  return MPI_Reduce_scatter(c->send, c->recv, c->int_counts, c->type, c->op, c->comm);
}

/* In place MPICH 4.0 copies a block to where it overlaps itself, and ends the program: all ranks
 * send copies. */
static int reduce_scatterv_by_mpi(const call *c) {
  return call_is_in_place(c) ? of_copy(c, reduce_scatterv_as_it_is) : reduce_scatterv_as_it_is(c);
}

static int allgather_by_mpi(const call *c) {
  return MPI_Allgather(c->send, (int)c->count, c->type, c->recv, (int)c->count, c->type, c->comm);
}

static int allgatherv_by_mpi(const call *c) {
  const int *counts = c->int_counts;
  return MPI_Allgatherv(c->send, counts[c->at.rank], c->type, c->recv, counts, counts + c->at.ranks, c->type,
                        c->comm);
}

static int bcast_by_mpi(const call *c) {
  return MPI_Bcast(c->recv, (int)c->count, c->type, c->root, c->comm);
}

static int scatter_by_mpi(const call *c) {
  return MPI_Scatter(c->send, (int)c->count, c->type, c->recv, (int)c->count, c->type, c->root, c->comm);
}

static int gather_by_mpi(const call *c) {
  return MPI_Gather(c->send, (int)c->count, c->type, c->recv, (int)c->count, c->type, c->root, c->comm);
}

/* ---- What they are --------------------------------------------------------------------------- */

/* In the order of preference among equals. */
static const algorithm allreduces[] = {{GHZ_MPI_RING, ghz_ring_allreduce, ghz_ring_segments, 0},
                                       {GHZ_MPI_HALVING, ghz_halving_allreduce, ghz_halving_segments, 1},
                                       {GHZ_MPI_DOUBLING, ghz_halving_allreduce, NULL, 1},
                                       {0}},
                       reduces[] = {{GHZ_MPI_RING, ghz_ring_reduce, ghz_ring_segments, 0},
                                    {GHZ_MPI_TREE, ghz_tree_reduce, NULL, 1},
                                    {0}},
                       reduce_scatters[] = {{GHZ_MPI_RING, ghz_ring_reduce_scatter, NULL, 0}, {0}},
                       allgathers[] = {{GHZ_MPI_RING, ghz_ring_allgather, NULL, 0}, {0}},
                       bcasts[] = {{GHZ_MPI_CHAIN, ghz_chain_bcast, NULL, 1},
                                   {GHZ_MPI_TREE, ghz_tree_bcast, NULL, 1},
                                   {0}},
                       scatters[] = {{GHZ_MPI_LINEAR, ghz_linear_scatter, NULL, 1},
                                     {GHZ_MPI_TREE, ghz_tree_scatter, NULL, 0},
                                     {0}},
                       gathers[] = {{GHZ_MPI_LINEAR, ghz_linear_gather, NULL, 1},
                                    {GHZ_MPI_TREE, ghz_tree_gather, NULL, 0},
                                    {0}};

const collective ghz_collectives[] = {
    [ALLREDUCE] = {"ghz_allreduce", "MPI_Allreduce", BY_ALL, BY_ALL, 1, 0, allreduces, allreduce_by_mpi},
    [REDUCE] = {"ghz_reduce", "MPI_Reduce", BY_ALL, BY_ROOT, 1, 0, reduces, reduce_by_mpi},
    [BCAST] = {"ghz_bcast", "MPI_Bcast", BY_ROOT, BY_ALL, 0, 0, bcasts, bcast_by_mpi},
    [SCATTER] = {"ghz_scatter", "MPI_Scatter", BY_ROOT, BY_OWNER, 0, 0, scatters, scatter_by_mpi},
    [GATHER] = {"ghz_gather", "MPI_Gather", BY_OWNER, BY_ROOT, 0, 0, gathers, gather_by_mpi},
    [ALLGATHER] = {"ghz_allgather", "MPI_Allgather", BY_OWNER, BY_ALL, 0, 0, allgathers, allgather_by_mpi},
    [ALLGATHERV] = {"ghz_allgatherv", "MPI_Allgatherv", BY_OWNER, BY_ALL, 0, 1, allgathers, allgatherv_by_mpi},
    [REDUCE_SCATTER_BLOCK] = {"ghz_reduce_scatter", "MPI_Reduce_scatter_block", BY_ALL, BY_OWNER, 1, 0,
                              reduce_scatters, reduce_scatter_by_mpi},
    [REDUCE_SCATTER] = {"ghz_reduce_scatterv", "MPI_Reduce_scatter", BY_ALL, BY_OWNER, 1, 1, reduce_scatters,
                        reduce_scatterv_by_mpi}};

/* ---- The calls ------------------------------------------------------------------------------- */

int ghz_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm, const ghz_mpi_options *options) {
  return ghz_collective_run(ALLREDUCE, sendbuf, recvbuf, count, NULL, NULL, type, op, 0, comm, options);
}

int ghz_reduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm, const ghz_mpi_options *options) {
  return ghz_collective_run(REDUCE, sendbuf, recvbuf, count, NULL, NULL, type, op, root, comm, options);
}

int ghz_reduce_scatter(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm, const ghz_mpi_options *options) {
  return ghz_collective_run(REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, NULL, NULL, type, op, 0, comm,
                            options);
}

int ghz_reduce_scatterv(const void *sendbuf, void *recvbuf, const MPI_Count *recvcounts, MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, const ghz_mpi_options *options) {
  return ghz_collective_run(REDUCE_SCATTER, sendbuf, recvbuf, 0, recvcounts, NULL, type, op, 0, comm, options);
}

int ghz_allgather(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                  const ghz_mpi_options *options) {
  return ghz_collective_run(ALLGATHER, sendbuf, recvbuf, count, NULL, NULL, type, MPI_OP_NULL, 0, comm,
                            options);
}

int ghz_allgatherv(const void *sendbuf, void *recvbuf, const MPI_Count *recvcounts, const MPI_Count *displs,
                   MPI_Datatype type, MPI_Comm comm, const ghz_mpi_options *options) {
  return ghz_collective_run(ALLGATHERV, sendbuf, recvbuf, 0, recvcounts, displs, type, MPI_OP_NULL, 0, comm,
                            options);
}

/* In place, as the root's array is where the result goes. */
int ghz_bcast(void *values, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm,
              const ghz_mpi_options *options) {
  return ghz_collective_run(BCAST, MPI_IN_PLACE, values, count, NULL, NULL, type, MPI_OP_NULL, root, comm,
                            options);
}

int ghz_scatter(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm,
                const ghz_mpi_options *options) {
  return ghz_collective_run(SCATTER, sendbuf, recvbuf, count, NULL, NULL, type, MPI_OP_NULL, root, comm,
                            options);
}

int ghz_gather(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm,
               const ghz_mpi_options *options) {
  return ghz_collective_run(GATHER, sendbuf, recvbuf, count, NULL, NULL, type, MPI_OP_NULL, root, comm,
                            options);
}
