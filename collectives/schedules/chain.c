/* chain.c: a broadcast from rank to rank, the root first. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "schedules/schedule.h"

void ghz_chain_bcast(position at, int segment, schedule *s) {
  int v = (at.rank - at.root + at.ranks) % at.ranks;
  (void)segment;
  if (v > 0)
    schedule_add(s, STEP_RECV, (at.rank + at.ranks - 1) % at.ranks, (uint32_t)v - 1);
  if (v < at.ranks - 1)
    schedule_add(s, STEP_SEND, (at.rank + 1) % at.ranks, (uint32_t)v);
}
