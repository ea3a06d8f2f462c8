/* cost.c: what an algorithm should cost by ranks and bytes, and a codec by its instruction set. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

#include <math.h>
#include <string.h>

/* Bytes that pass at 1 GB/s in the time that a message takes to start, between nodes and inside
 * one; and what a byte inside a node takes of one between nodes. */
static const double start = 40 << 10, start_in_node = 6 << 10, in_node = 0.25;
/* Adding whole arrays instead of segments, as a part of sending them; of a second pass, what does
 * not overlap with the first. */
static const double adding = 0.125, second = 0.6;
/* Pairs of ranks that exchange data are slower than neighbours in a ring: pieces of a round wait
 * for each other, more so with each doubling of the ranks that share a link, and where nodes do not
 * begin at members. */
static const double exchange = 1.12, exchange_shared = 0.06, exchange_across = 0.4;

/* Rounds of a binomial tree. */
static int rounds_of(int ranks) {
  return ranks > 1 ? 32 - __builtin_clz((unsigned)ranks - 1) : 0;
}

/* The largest power of two that is not larger; see schedules/halving.c. */
static int members_of(int ranks) {
  return 1 << (31 - __builtin_clz((unsigned)ranks));
}

/* Pieces of a pipeline: see prepare.c. */
static double piece_of(double bytes) {
  return fmin(bytes, fmin(PIECE_MOST, fmax(PIECE_LEAST, bytes / 8)));
}

/* What it takes to start a message to every rank of a chain, or in every round, the nearest
 * first. */
static double hops(int ranks, int nodes) {
  return (nodes - 1) * start + (ranks - nodes) * start_in_node;
}

static double rounds(int ranks, int nodes) {
  const int between = rounds_of(nodes);
  return between * start + (rounds_of(ranks) - between) * start_in_node;
}

/* A pass around a ring, node by node: allreduce makes two, and reduce has a second step,
 * straight to the root. */
static double ring(const collective *what, int ranks, int nodes, double bytes) {
  const int has_blocks = collective_has_blocks(what), ends = nodes > 1 ? nodes : ranks;
  const double segment = has_blocks ? bytes : bytes / ranks, pass = hops(ranks, nodes) + (ranks - 1) * segment;
  if (has_blocks || what->counted)
    return pass;
  return what->gets == BY_ROOT ? pass + start + second * bytes * (ends - 1) / ends : 2 * pass;
}

/* Pairs exchange all they have (doubling), or halve it and double it again: then each rank of a
 * node has its share of what the node sends. Ranks beyond a power of two hand their arrays to the
 * next one, inside nodes where these have several, and get the result. */
static double pairs(int ranks, int nodes, double bytes, int halves) {
  const int members = members_of(ranks), folds = members < ranks;
  const int shares = nodes > 1 && nodes < ranks, all = nodes < members ? nodes : members,
            ends = all > 1 ? all : members;
  const double slower = exchange + (shares ? exchange_shared * (rounds_of(ranks) - rounds_of(nodes)) : 0) +
                        (shares && folds ? exchange_across : 0),
               through = halves ? slower * 2 * (ends - 1) / ends : rounds_of(members) * (1 + adding),
               folding = !folds          ? 0
                         : nodes < ranks ? start_in_node + adding * bytes
                                         : start + bytes;
  return (1 + halves) * rounds(members, all) + through * bytes + 2 * folding;
}

/* The root of a tree sends to, or receives from, as many ranks as there are rounds, and its node as
 * there are between nodes; blocks pass once, and the last one over all rounds. */
static double tree(const collective *what, int ranks, int nodes, double bytes) {
  const int between = rounds_of(nodes), inside = rounds_of(ranks) - between;
  const double passes = (between ? between + in_node * inside : inside) * (1 + (what->reduces ? adding : 0));
  return rounds(ranks, nodes) + (collective_has_blocks(what) ? passes + ranks - 2 : passes) * bytes;
}

/* Pieces fill the chain. */
static double chain(int ranks, int nodes, double bytes) {
  const double filling = nodes > 1 ? nodes - 2 + in_node * (ranks - nodes) : ranks - 2;
  return hops(ranks, nodes) + bytes + filling * piece_of(bytes);
}

static double cost(const collective *what, ghz_mpi_algorithm a, int ranks, int nodes, double bytes) {
  switch (a) {
  case GHZ_MPI_DOUBLING:
    return pairs(ranks, nodes, bytes, 0);
  case GHZ_MPI_HALVING:
    return pairs(ranks, nodes, bytes, 1);
  case GHZ_MPI_TREE:
    return tree(what, ranks, nodes, bytes);
  case GHZ_MPI_CHAIN:
    return chain(ranks, nodes, bytes);
  case GHZ_MPI_LINEAR:
    return (ranks - 1) * (start + bytes);
  default:
    return ring(what, ranks, nodes, bytes);
  }
}

double ghz_cost_bytes(const collective *what, ghz_mpi_algorithm a, int ranks, int nodes, double bytes) {
  return cost(what, a, ranks, nodes, bytes) - cost(what, a, ranks, nodes, 0);
}

ghz_mpi_algorithm ghz_cost_least(const collective *what, int ranks, int nodes, double bytes) {
  const algorithm *best = what->algorithms;
  for (const algorithm *a = best + 1; a->name; a++)
    if (cost(what, a->name, ranks, nodes, bytes) < cost(what, best->name, ranks, nodes, bytes))
      best = a;
  return best->name;
}

/* ---- The codec ------------------------------------------------------------------------------- */

/* Bytes of values per second, by instruction set, flat and with a shape: three quarters of what
 * smooth fields reach at 1e-4 of their range on a Zen 5 (bench/speeds.csv, and bench/codec --isa
 * scalar), as ranks move messages, too. NEON was not measured: half of AVX2, as its registers are,
 * and no less than scalar. Data make a difference of two or three, machines another: the choice
 * needs no more than the order of things. */
static const struct {
  const char *isa;
  struct {
    double compress, add, decompress;
  } speed[2];
} codecs[] = {{"scalar", {{3e9, 6e9, 6e9}, {0.8e9, 5e9, 3e9}}},
              {"neon", {{4.5e9, 7e9, 6e9}, {1.25e9, 6e9, 3e9}}},
              {"avx2", {{9e9, 14e9, 7e9}, {2.5e9, 12e9, 6e9}}},
              {"avx512", {{13e9, 38e9, 15e9}, {3.3e9, 25e9, 8e9}}}};

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
