/* cost.h: the time of an allreduce in closed form, for a network without contention. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_MODEL_COST_H
#define BENCH_MODEL_COST_H

#include <stdbool.h>

enum { MANY_TERMS = 64 };

/* The codec of a rank. Speeds are original bytes per second of one thread; pairs are values for
 * streams of one term and of MANY_TERMS terms. */
typedef struct codec {
  double compress, range; /* range: the pass that finds minimum and maximum */
  double add[2], decompress[2], ratio[2];
  double plain_add; /* copies and adds uncompressed values */
  double call[3];   /* seconds of a call beside its bytes: compress, add, decompress */
  double threads;   /* speed-up of what grows with the bytes */
} codec;

typedef enum algorithm { RING, HALVING, DOUBLING, ALGORITHMS } algorithm;
extern const char *const algorithm_names[ALGORITHMS];

typedef struct setting {
  codec codec;
  double ranks;
  double bytes;     /* per rank */
  double bandwidth; /* of each rank's link, bytes per second, each way at once */
  double latency;   /* seconds from rank to rank */
} setting;

/* Seconds; infinite for halving and doubling unless the number of ranks is a power of two. */
double allreduce_seconds(const setting *s, algorithm a, bool compressed);

/* Seconds of the fastest algorithm. */
double best_seconds(const setting *s, bool compressed, algorithm *best);

/* The bandwidth above which the best compressed algorithm is slower than the best uncompressed one.
 * 0: it is always slower; infinite: it never is. Searches from 1 Mbit/s to 100 Tbit/s. */
double break_even(const setting *s);

#endif
