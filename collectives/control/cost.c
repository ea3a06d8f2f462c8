/* cost.c: what an algorithm should cost by ranks and bytes, and a codec by its instruction set. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

#include <string.h>

/* Bytes that pass in the time that a message takes to start: 30 us at 1 GB/s. */
static const double start = 32 << 10;
/* Pieces of a pipeline: see prepare.c. */
static const double piece_least = 128 << 10, piece_most = 512 << 10;
/* Adding whole arrays instead of segments, as a part of sending them. */
static const double adding = 0.125;
/* Pairs of ranks that exchange data are slower over TCP than neighbours in a ring. */
static const double exchange = 1.05;

/* Rounds of a binomial tree. */
static double rounds_of(int ranks) {
  int n = 0;
  while (1 << n < ranks && n < 30)
    n++;
  return n;
}

/* The largest power of two that is not larger; see schedules/halving.c. */
static int members_of(int ranks) {
  int n = 1;
  while (n <= ranks / 2)
    n *= 2;
  return n;
}

static double piece_of(double bytes) {
  double wanted = bytes / 8 < piece_least ? piece_least : bytes / 8 > piece_most ? piece_most : bytes / 8;
  return wanted < bytes ? wanted : bytes;
}

/* A pass around a ring: allreduce makes two, and so does reduce, whose second one ends at the
 * root. */
static double ring(const collective *what, int ranks, double bytes) {
  const int has_blocks = collective_has_blocks(what);
  double segment = has_blocks ? bytes : bytes / ranks, passes = has_blocks || what->counted ? 1 : 2;
  return passes * (ranks - 1) * (start + segment);
}

static double doubling(int ranks, double bytes) {
  int members = members_of(ranks);
  return (rounds_of(members) + 2 * (members < ranks)) * (start + (1 + adding) * bytes);
}

static double halving(int ranks, double bytes) {
  int members = members_of(ranks);
  double folding = members < ranks ? 2 * (start + bytes) : 0;
  return 2 * rounds_of(members) * start + exchange * 2 * (members - 1) / members * bytes + folding;
}

/* The root of a tree sends to, or receives from, as many ranks as there are rounds; blocks pass
 * once, and the last one over all rounds. */
static double tree(const collective *what, int ranks, double bytes) {
  double through = rounds_of(ranks) * (start + bytes);
  return collective_has_blocks(what) ? through + (ranks - 2) * bytes : through;
}

static double chain(int ranks, double bytes) {
  return (ranks - 1) * start + bytes + (ranks - 2) * piece_of(bytes);
}

double ghz_cost(const collective *what, ghz_mpi_algorithm a, int ranks, double bytes) {
  switch (a) {
  case GHZ_MPI_DOUBLING:
    return doubling(ranks, bytes);
  case GHZ_MPI_HALVING:
    return halving(ranks, bytes);
  case GHZ_MPI_TREE:
    return tree(what, ranks, bytes);
  case GHZ_MPI_CHAIN:
    return chain(ranks, bytes);
  case GHZ_MPI_LINEAR:
    return (ranks - 1) * (start + bytes);
  default:
    return ring(what, ranks, bytes);
  }
}

/* ---- The codec ------------------------------------------------------------------------------- */

/* Bytes of values per second, by instruction set, flat and with a shape: half of what smooth fields
 * reach on a Zen 5 (bench/speeds.csv), as ranks share memory and move messages, too. Scalar has the
 * share of AVX2 that it had on another machine (bench/codec --isa avx2,scalar). NEON was not
 * measured: half of AVX2, as its registers are, and no less than scalar. Data make a difference of
 * two or three, machines another: the choice needs no more than the order of things. */
static const struct {
  const char *isa;
  struct {
    double compress, add, decompress;
  } speed[2];
} codecs[] = {{"scalar", {{3.5e9, 5e9, 4e9}, {0.7e9, 6e9, 3e9}}},
              {"neon", {{3.5e9, 6.5e9, 4e9}, {0.75e9, 6.5e9, 3e9}}},
              {"avx2", {{7e9, 13e9, 5e9}, {1.5e9, 13e9, 5e9}}},
              {"avx512", {{9e9, 30e9, 10e9}, {2e9, 28e9, 7e9}}}};

uint64_t ghz_cost_isa(void) {
  uint64_t i = sizeof codecs / sizeof *codecs - 1;
  while (i > 0 && strcmp(codecs[i].isa, ghz_context_isa(NULL)) != 0)
    i--;
  return i;
}

/* A reduction compresses, adds and decompresses about as many values; of data that move, the rank
 * that has most to do compresses them all, or decompresses them. */
double ghz_cost_codec(const call *c, uint64_t isa, int flat) {
  const double compress = 1 / codecs[isa].speed[!flat].compress, add = 1 / codecs[isa].speed[!flat].add,
               decompress = 1 / codecs[isa].speed[!flat].decompress;
  if (c->collective->reduces)
    return call_bytes(c) * (compress + add + decompress);
  return call_bytes(c) * (compress > decompress ? compress : decompress);
}
