/* context.h: what a context holds, and how the drivers report errors and get memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CONTEXT_H
#define GHZ_CONTEXT_H

#include "ghz.h"
#include "tile/tile.h"

/* Memory that grows and is kept. */
typedef struct arena {
  uint8_t *data;
  size_t size;
} arena;

struct ghz_context {
  int threads;
  int automatic; /* the caller leaves the number to us: one thread for small arrays */
  const tile_codec *tiles;
  arena operands; /* of the call that is running: their headers, which say how much scratch it needs */
  arena scratch;  /* of the call that is running */
  arena result;   /* of an in-place operation */
  char message[256];
};

/* At least `size` bytes, aligned to 64, contents unspecified; NULL if there is no memory. Never
 * shrinks. */
void *ghz_arena_reserve(arena *a, size_t size);

/* Notes the message of a failure and returns its status. ctx may be NULL. */
__attribute__((format(printf, 3, 4))) ghz_status ghz_fail(ghz_context *ctx, ghz_status status,
                                                          const char *format, ...);

/* Adds a number of bytes, rounded up to 64, to *total. Returns 0 on overflow. */
int ghz_total_add(size_t *total, size_t count, size_t each);

#endif
