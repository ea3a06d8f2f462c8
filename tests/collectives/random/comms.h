/* comms.h: communicators of all sorts, whose errors are heard (mistakes.h), which come and go as
 * a seed and the number of a step say. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <mpi.h>
#include <stdint.h>

/* A communicator as this rank sees it: comm MPI_COMM_NULL where it is not a member. */
typedef struct test_comm {
  MPI_Comm comm;
  int rank, ranks;
  uint64_t lead; /* the rank in the world of its rank 0, by which the parts of a split differ */
  const char *kind;
} test_comm;

enum { WORLD, SELF, COMMS = 7 };

extern test_comm comms[COMMS];

void comms_begin(void);

/* Before a step: mostly nothing, else one is freed and another made. Collective over the world. */
void comms_change(uint64_t step);

void comms_end(void);
