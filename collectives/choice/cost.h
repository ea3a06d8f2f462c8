/* cost.h: what an algorithm should cost by ranks and bytes, and the codec by its instruction set:
 * the choice before anything is measured. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_COST_H
#define GHZ_MPI_COST_H

#include "request/collective.h"

/* The cost of an algorithm that the collective has, for arrays (blocks, if it moves a block per
 * rank) of so many bytes: bytes through the busiest link, and what starting messages is worth in
 * bytes. */
double ghz_cost(const collective *what, ghz_mpi_algorithm a, int ranks, double bytes);

/* The instruction set of this process's codec, as a number: a slower one has a smaller number. */
uint64_t ghz_cost_isa(void);

/* The seconds that a core with that instruction set takes for a call's compression, additions and
 * decompression, with the shape or flat. */
double ghz_cost_codec(const call *c, uint64_t isa, int flat);

#endif
