/* request.c: the two ways to make a collective call, and its buffers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"
#include "suite.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const collective_names[COLLECTIVES] = {"allreduce",       "reduce",    "reduce_scatter",
                                                   "reduce_scatterv", "allgather", "allgatherv",
                                                   "bcast",           "scatter",   "gather"};

/* ---- What collectives have ---- */
int has_algorithm(collective what, ghz_mpi_algorithm a) {
  static const unsigned ways[COLLECTIVES] = {[ALLREDUCE] = 1u << GHZ_MPI_RING | 1u << GHZ_MPI_DOUBLING |
                                                           1u << GHZ_MPI_HALVING,
                                             [REDUCE] = 1u << GHZ_MPI_RING | 1u << GHZ_MPI_TREE,
                                             [REDUCE_SCATTER] = 1u << GHZ_MPI_RING,
                                             [REDUCE_SCATTERV] = 1u << GHZ_MPI_RING,
                                             [ALLGATHER] = 1u << GHZ_MPI_RING,
                                             [ALLGATHERV] = 1u << GHZ_MPI_RING,
                                             [BCAST] = 1u << GHZ_MPI_TREE | 1u << GHZ_MPI_CHAIN,
                                             [SCATTER] = 1u << GHZ_MPI_TREE | 1u << GHZ_MPI_LINEAR,
                                             [GATHER] = 1u << GHZ_MPI_TREE | 1u << GHZ_MPI_LINEAR};
  return (int)(ways[what] >> a & 1);
}

int reduces(collective what) { return what <= REDUCE_SCATTERV; }
int is_rooted(collective what) { return what == REDUCE || what >= BCAST; }

int gathers_all(collective what) { return what == ALLGATHER || what == ALLGATHERV; }
int scatters_sums(collective what) { return what == REDUCE_SCATTER || what == REDUCE_SCATTERV; }

int has_counts(collective what) { return what == REDUCE_SCATTERV || what == ALLGATHERV; }

int has_blocks(collective what) {
  return scatters_sums(what) || gathers_all(what) || what == SCATTER || what == GATHER;
}

int gets_result(collective what, int at_root) { return at_root || (what != REDUCE && what != GATHER); }

/* ---- Blocks ---- */
enum { BLOCKS = 64 }; /* more than a test has ranks */

uint64_t block_values(collective what, uint64_t n, int b, int equal) {
  const uint64_t sizes[4] = {n, 0, n / 4, n - n / 3};
  return has_counts(what) && !equal ? sizes[b % 4] : n;
}

uint64_t block_place(collective what, uint64_t n, int b, int equal) {
  uint64_t place = 0;
  for (int i = 0; i < b; i++)
    place += block_values(what, n, i, equal);
  return place;
}

/* Where there are blocks with counts of their own: these, and where a gather puts the blocks. A
 * count may be one that is not possible. */
typedef struct block_lists {
  MPI_Count counts[BLOCKS], places[BLOCKS];
  int int_counts[BLOCKS], int_places[BLOCKS];
} block_lists;

static const block_lists *lists_of(const test_request *r, int equal) {
  static _Thread_local block_lists l;
  const uint64_t n = (uint64_t)r->count;
  for (int b = 0; b < BLOCKS; b++) {
    l.counts[b] = r->count < 0 ? r->count : (MPI_Count)block_values(r->what, n, b, equal);
    l.places[b] = (MPI_Count)((uint64_t)b * n);
    l.int_counts[b] = (int)l.counts[b];
    l.int_places[b] = (int)l.places[b];
  }
  int last = 0;
  if (r->comm != MPI_COMM_NULL)
    MPI_Comm_size(r->comm, &last);
  last -= last > 0;
  if (r->deal == DEALT_OTHERWISE)
    l.counts[0]--, l.counts[last]++;
  if (r->deal == DEALT_BETWEEN)
    l.counts[last > 2 && l.counts[2] ? 2 : 0]--, l.counts[last > 2 ? 1 : last]++;
  l.counts[last] = r->last_count ? r->last_count : l.counts[last];
  l.places[last] = r->last_place ? r->last_place : l.places[last];
  return &l;
}

/* ---- Buffers ---- */
enum { GUARD = 64, PATTERN = 0xa5 };

guarded guarded_make(uint64_t size, uint64_t misaligned) {
  guarded g = {.size = size};
  uint64_t all = size + 2 * GUARD + misaligned;
  g.base = malloc(all);
  if (!g.base) {
    fprintf(stderr, "no memory for %llu bytes\n", (unsigned long long)all);
    MPI_Abort(MPI_COMM_WORLD, 3);
    exit(3);
  }
  memset(g.base, PATTERN, all);
  g.data = g.base + GUARD + misaligned;
  return g;
}

static int all_pattern(const uint8_t *from, const uint8_t *to) {
  while (from < to && *from == PATTERN)
    from++;
  return from == to;
}

int guarded_intact(const guarded *g) {
  return all_pattern(g->base, g->data) && all_pattern(g->data + g->size, g->data + g->size + GUARD);
}

void guarded_free(guarded *g) {
  free(g->base);
  g->base = NULL;
}

/* ---- Calls ---- */
test_request request_of(collective what, const void *send, void *recv, MPI_Count count, MPI_Datatype type,
                        MPI_Comm comm) {
  return (test_request){.what = what,
                        .send = send,
                        .recv = recv,
                        .count = count,
                        .type = type,
                        .op = MPI_SUM,
                        .comm = comm,
                        .options = GHZ_MPI_OPTIONS};
}

void request_values(const test_request *r, int equal, uint64_t *sends, uint64_t *receives) {
  int rank, ranks;
  MPI_Comm_rank(r->comm, &rank);
  MPI_Comm_size(r->comm, &ranks);
  const int at_root = rank == r->root;
  const uint64_t n = r->count > 0 ? (uint64_t)r->count : 0, own = block_values(r->what, n, rank, equal),
                 all = scatters_sums(r->what) ? block_place(r->what, n, ranks, equal) : n * (uint64_t)ranks;
  *sends = r->what == BCAST ? 0 : scatters_sums(r->what) ? all : r->what != SCATTER ? own : at_root ? all : 0;
  *receives = own;
  if (gathers_all(r->what) || r->what == GATHER || (scatters_sums(r->what) && r->send == MPI_IN_PLACE))
    *receives = all;
  if (!gets_result(r->what, at_root))
    *receives = 0;
}

int request_make(const test_request *r, const ghz_mpi_options *o) {
  const block_lists *l = lists_of(r, o && o->shape.dims);
  const MPI_Count *places = r->no_places || r->count > INT_MAX ? NULL : l->places;
  const MPI_Count *counts = r->no_counts ? NULL : l->counts;
  switch (r->what) {
  case ALLREDUCE: return ghz_allreduce(r->send, r->recv, r->count, r->type, r->op, r->comm, o);
  case REDUCE: return ghz_reduce(r->send, r->recv, r->count, r->type, r->op, r->root, r->comm, o);
  case REDUCE_SCATTER: return ghz_reduce_scatter(r->send, r->recv, r->count, r->type, r->op, r->comm, o);
  case REDUCE_SCATTERV: return ghz_reduce_scatterv(r->send, r->recv, counts, r->type, r->op, r->comm, o);
  case ALLGATHER: return ghz_allgather(r->send, r->recv, r->count, r->type, r->comm, o);
  case ALLGATHERV: return ghz_allgatherv(r->send, r->recv, counts, places, r->type, r->comm, o);
  case BCAST: return ghz_bcast(r->recv, r->count, r->type, r->root, r->comm, o);
  case SCATTER: return ghz_scatter(r->send, r->recv, r->count, r->type, r->root, r->comm, o);
  default: return ghz_gather(r->send, r->recv, r->count, r->type, r->root, r->comm, o);
  }
}

int request_make_by_mpi(const test_request *r) {
  const block_lists *l = lists_of(r, r->options.shape.dims);
  const int n = (int)r->count;
  int rank;
  MPI_Comm_rank(r->comm, &rank);
  switch (r->what) {
  case ALLREDUCE: return MPI_Allreduce(r->send, r->recv, n, r->type, r->op, r->comm);
  case REDUCE: return MPI_Reduce(r->send, r->recv, n, r->type, r->op, r->root, r->comm);
  case REDUCE_SCATTER: return MPI_Reduce_scatter_block(r->send, r->recv, n, r->type, r->op, r->comm);
  case REDUCE_SCATTERV: return MPI_Reduce_scatter(r->send, r->recv, l->int_counts, r->type, r->op, r->comm);
  case ALLGATHER: return MPI_Allgather(r->send, n, r->type, r->recv, n, r->type, r->comm);
  case ALLGATHERV:
    return MPI_Allgatherv(r->send, l->int_counts[rank], r->type, r->recv, l->int_counts, l->int_places, r->type,
                          r->comm);
  case BCAST: return MPI_Bcast(r->recv, n, r->type, r->root, r->comm);
  case SCATTER: return MPI_Scatter(r->send, n, r->type, r->recv, n, r->type, r->root, r->comm);
  default: return MPI_Gather(r->send, n, r->type, r->recv, n, r->type, r->root, r->comm);
  }
}

int request_is_named(const test_request *r, const char *text) {
  char name[32];
  snprintf(name, sizeof name, "ghz_%s", collective_names[r->what]);
  return strstr(text, name) != NULL;
}

/* ---- Buffers of its own ---- */
void request_buffers(test_request *r, uint64_t each) {
  uint64_t sends, receives;
  request_values(r, r->options.shape.dims, &sends, &receives);
  r->sent = guarded_make(sends * each, each);
  r->received = guarded_make(receives * each, each);
  r->send = r->sent.data;
  r->recv = r->received.data;
}

void request_free(test_request *r) {
  check(guarded_intact(&r->sent) && guarded_intact(&r->received), "bytes beside a buffer have changed");
  guarded_free(&r->sent);
  guarded_free(&r->received);
}

void request_fill(test_request *r, int is_float, uint64_t seed) {
  const guarded *given = r->what == BCAST ? &r->received : &r->sent;
  int each, rank;
  MPI_Comm_rank(r->comm, &rank);
  MPI_Type_size(r->type, &each);
  const uint64_t bytes = r->what == BCAST && rank != r->root ? 0 : given->size;
  for (uint64_t i = 0; i < bytes / (uint64_t)each && is_float; i++)
    set_real(given->data, each == 8, i, 1 + (double)(mix(seed, i) % 9973) / 7919);
  for (uint64_t i = 0; i < bytes && !is_float; i++)
    given->data[i] = (uint8_t)(mix(seed, i) & 255);
}
