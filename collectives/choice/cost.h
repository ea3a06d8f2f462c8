/* cost.h: what an algorithm should cost by ranks and bytes alone: the choice before anything is
 * measured. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_COST_H
#define GHZ_MPI_COST_H

#include "request/collective.h"

/* The cost of an algorithm that the collective has, for arrays (blocks, if it moves a block per
 * rank) of so many bytes: bytes through the busiest link, and what starting messages is worth in
 * bytes. */
double ghz_cost(const collective *what, ghz_mpi_algorithm a, int ranks, double bytes);

#endif
