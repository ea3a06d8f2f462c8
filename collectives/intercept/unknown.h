/* unknown.h: collectives that the library does not know, and counts for the report. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_INTERCEPT_UNKNOWN_H
#define GHZ_INTERCEPT_UNKNOWN_H

#include <mpi.h>

#define BLOCKING(name, ...) UNKNOWN_##name,
#define NONBLOCKING BLOCKING
#define PERSISTENT BLOCKING
typedef enum unknown_id {
#include "intercept/unknown.inc"
  UNKNOWN
} unknown_id;

extern const char *const unknown_names[UNKNOWN];

/* ---- stats.c ---- */
void stats_unknown(unknown_id c, double bytes);

#endif
