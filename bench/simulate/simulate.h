/* simulate.h: ranks of a made-up cluster in virtual time, each a coroutine of one process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_SIMULATE_H
#define BENCH_SIMULATE_H

enum { RANKS_MOST = 1024 };

/* Ranks follow each other node by node. Those of a node share a link, each way, and its memory. */
typedef struct machine {
  int ranks, per_node;
  double link, latency; /* between nodes: bytes per second, seconds */
} machine;

/* What each rank runs, all from time 0. Returns the seconds until the last one is done. */
double simulated(const machine *m, void (*rank)(void));

/* For the rank that runs: which it is; so much time passes. */
int simulated_rank(void);
void simulated_work(double seconds);

#endif
