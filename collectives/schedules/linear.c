/* linear.c: blocks go straight between the root and every other rank; an array from rank to rank,
 * the root first. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "schedules/schedule.h"

void ghz_linear_scatter(position at, int segment, schedule *s) {
  if (at.rank == at.root && segment != at.root)
    schedule_add(s, STEP_SEND, segment, 0);
  if (at.rank != at.root && segment == at.rank)
    schedule_add(s, STEP_RECV, at.root, 0);
}

void ghz_linear_gather(position at, int segment, schedule *s) {
  if (at.rank != at.root && segment == at.rank)
    schedule_add(s, STEP_SEND, at.root, 0);
  if (at.rank == at.root && segment != at.root)
    schedule_add(s, STEP_RECV, segment, 0);
}

void ghz_chain_bcast(position at, int segment, schedule *s) {
  int v = (at.rank - at.root + at.ranks) % at.ranks;
  (void)segment;
  if (v > 0)
    schedule_add(s, STEP_RECV, (at.rank + at.ranks - 1) % at.ranks, (uint32_t)v - 1);
  if (v < at.ranks - 1)
    schedule_add(s, STEP_SEND, (at.rank + 1) % at.ranks, (uint32_t)v);
}
