/* world.h: what every part asks about the ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_COLLECTIVES_WORLD_H
#define BENCH_COLLECTIVES_WORLD_H

#include "../common/support.h"

/* After MPI_Init: makes die() end all ranks. */
void world_begin(const char *collective);
int world_rank(void);
int world_size(void);
/* Waits for the other ranks without taking the processor from those that still work. */
void world_barrier(void);

typedef struct wire {
  double sent, received; /* bytes */
} wire;

/* Counters of a network interface, as the kernel has them; zeros without a name. */
wire wire_read(const char *interface);

#endif
