/* alloc_log.h: what the library holds: memory (which allocator.h can refuse) and objects of MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stdint.h>

/* What is held now. */
typedef struct alloc_log {
  long blocks;   /* of memory */
  int64_t bytes; /* in them */
  long objects;  /* communicators, groups, types and operations of MPI */
} alloc_log;

alloc_log alloc_log_now(void);

/* The rank of the world that MPI_Comm_split is refused on, after it has taken part; -1: none. */
extern int alloc_log_unsplit;
