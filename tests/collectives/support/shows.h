/* shows.h: every schedule, and what it does. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "schedules/schedule.h"

typedef enum holders { BY_ALL, BY_OWNER, BY_ROOT } holders; /* as in collective.h */

/* Segments that the array is cut into: one; as many as ranks, or those of halving; or blocks, one a
 * rank. */
typedef enum cut { WHOLE, IN_SEGMENTS, BY_HALVING, IN_BLOCKS } cut;

typedef struct show {
  const char *name;
  schedule_builder build;
  cut cut;
  int columns_first;
  holders gives, gets;
} show;

static const show shows[] = {{"ring allreduce", ghz_ring_allreduce, IN_SEGMENTS, 0, BY_ALL, BY_ALL},
                             {"halving allreduce", ghz_halving_allreduce, BY_HALVING, 1, BY_ALL, BY_ALL},
                             {"doubling allreduce", ghz_halving_allreduce, WHOLE, 1, BY_ALL, BY_ALL},
                             {"ring reduce", ghz_ring_reduce, IN_SEGMENTS, 0, BY_ALL, BY_ROOT},
                             {"tree reduce", ghz_tree_reduce, WHOLE, 1, BY_ALL, BY_ROOT},
                             {"tree bcast", ghz_tree_bcast, WHOLE, 1, BY_ROOT, BY_ALL},
                             {"chain bcast", ghz_chain_bcast, WHOLE, 1, BY_ROOT, BY_ALL},
                             {"ring reduce_scatter", ghz_ring_reduce_scatter, IN_BLOCKS, 0, BY_ALL, BY_OWNER},
                             {"ring allgather", ghz_ring_allgather, IN_BLOCKS, 0, BY_OWNER, BY_ALL},
                             {"tree scatter", ghz_tree_scatter, IN_BLOCKS, 0, BY_ROOT, BY_OWNER},
                             {"linear scatter", ghz_linear_scatter, IN_BLOCKS, 1, BY_ROOT, BY_OWNER},
                             {"tree gather", ghz_tree_gather, IN_BLOCKS, 0, BY_OWNER, BY_ROOT},
                             {"linear gather", ghz_linear_gather, IN_BLOCKS, 1, BY_OWNER, BY_ROOT}};

enum { SHOWS = sizeof shows / sizeof *shows };

static inline int has(holders h, int rank, int owner, int root) {
  return h == BY_ALL || rank == (h == BY_OWNER ? owner : root);
}
