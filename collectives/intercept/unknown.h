/* unknown.h: collectives that the library does not know, and counts for the report. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_INTERCEPT_UNKNOWN_H
#define GHZ_INTERCEPT_UNKNOWN_H

typedef enum unknown_id {
  UNKNOWN_Alltoall,
  UNKNOWN_Alltoallv,
  UNKNOWN_Alltoallw,
  UNKNOWN_Allgatherv,
  UNKNOWN_Gather,
  UNKNOWN_Gatherv,
  UNKNOWN_Scatterv,
  UNKNOWN_Reduce_scatter,
  UNKNOWN_Scan,
  UNKNOWN_Exscan,
  UNKNOWN_Iallreduce,
  UNKNOWN_Ireduce,
  UNKNOWN_Ibcast,
  UNKNOWN_Iscatter,
  UNKNOWN_Iallgather,
  UNKNOWN_Igather,
  UNKNOWN_Ialltoall,
  UNKNOWN_Ialltoallv,
  UNKNOWN_Iallgatherv,
  UNKNOWN_Igatherv,
  UNKNOWN_Iscatterv,
  UNKNOWN_Ireduce_scatter,
  UNKNOWN_Ireduce_scatter_block,
  UNKNOWN_Iscan,
  UNKNOWN_Iexscan,
  UNKNOWN
} unknown_id;

extern const char *const unknown_names[UNKNOWN];

/* ---- stats.c ---- */
void stats_unknown(unknown_id c, double bytes);

#endif
