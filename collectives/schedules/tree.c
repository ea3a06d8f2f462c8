/* tree.c: binomial trees, after Thakur, Rabenseifner and Gropp (2005).
 *
 * Ranks are counted from the root. The parent of v is v without its lowest bit; the children of v
 * are v + bit for the bits below its lowest one (for the root, below the number of ranks). */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "schedules/schedule.h"

static int counted(position at, int rank) {
  return (rank - at.root + at.ranks) % at.ranks;
}

static int rank_of(position at, int v) {
  return (v + at.root) % at.ranks;
}

static int lowest_bit(int v) {
  return v & -v;
}

static int parent(int v) {
  return v & (v - 1);
}

/* The least power of two that is not below the number of ranks. */
static int top(int ranks) {
  int bit = 1;
  while (bit < ranks && bit < 1 << 30)
    bit *= 2;
  return bit;
}

static uint32_t log2_of(int bit) {
  return (uint32_t)__builtin_ctz((unsigned)bit);
}

void ghz_tree_reduce(position at, int segment, schedule *s) {
  int v = counted(at, at.rank), end = v ? lowest_bit(v) : top(at.ranks);
  (void)segment;
  for (int bit = 1; bit < end; bit *= 2)
    if (v + bit < at.ranks)
      schedule_add(s, STEP_RECV_REDUCE, rank_of(at, v + bit), log2_of(bit));
  if (v)
    schedule_add(s, STEP_SEND, rank_of(at, parent(v)), log2_of(end));
}

/* The way from the root to v leads over v's highest bit, its two highest bits, and so on: `at` is
 * on the way if its bits begin those of v. */
static int on_the_way(int here, int v) {
  return here == v || here == 0 || ((v ^ here) < lowest_bit(here) && v > here);
}

static int highest_bit(int v) {
  return v ? 1 << (31 - __builtin_clz((unsigned)v)) : 0;
}

/* A block on its way to the root. Blocks with the shortest way ahead go first. */
void ghz_tree_gather(position at, int segment, schedule *s) {
  const int v = counted(at, segment), here = counted(at, at.rank),
            gone = __builtin_popcount((unsigned)v) - __builtin_popcount((unsigned)here);
  if (!on_the_way(here, v))
    return;
  if (here != v)
    schedule_add(s, STEP_RECV, rank_of(at, here | highest_bit(v ^ here)), (uint32_t)gone - 1);
  if (here)
    schedule_add(s, STEP_SEND, rank_of(at, parent(here)), (uint32_t)gone);
}

/* ---- From the root --------------------------------------------------------------------------- */

/* Backwards in time, who received sends. */
static void backwards(schedule_builder forth, position at, int segment, schedule *s) {
  step steps[SCHEDULE_MAX_STEPS];
  schedule f = {0, steps};
  forth(at, segment, &f);
  for (unsigned i = f.length; i-- > 0;)
    schedule_add(s, steps[i].kind == STEP_SEND ? STEP_RECV : STEP_SEND, steps[i].peer,
                 log2_of(top(at.ranks)) - steps[i].round);
}

void ghz_tree_bcast(position at, int segment, schedule *s) {
  backwards(ghz_tree_reduce, at, segment, s);
}

void ghz_tree_scatter(position at, int segment, schedule *s) {
  backwards(ghz_tree_gather, at, segment, s);
}
