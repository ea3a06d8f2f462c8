/* linear.c: blocks go straight between the root and every other rank. */
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
