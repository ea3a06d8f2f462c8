/* context.h: what a context holds, and how the drivers report errors and get memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CONTEXT_CONTEXT_H
#define GHZ_CONTEXT_CONTEXT_H

#include "tile/tile.h"
#include <ghz/ghz.h>

/* Memory that grows and is kept. */
typedef struct arena {
  uint8_t *data;
  size_t size;
} arena;

enum { MESSAGE_SIZE = 256 };

struct ghz_context {
  int in_use;    /* a call runs; atomic (call.h) */
  int of_thread; /* the library made it, for calls of a thread without a context */
  int threads;
  int automatic; /* the caller leaves the number to us: one thread for small arrays */
  const tile_codec *tiles;
  arena operands; /* of the call that is running: their headers, which say how much scratch it needs */
  arena scratch;  /* of the call that is running */
  arena result;   /* of an in-place operation */
  char message[MESSAGE_SIZE];
};

/* This process is a child of one that had contexts of several threads: OpenMP would wait here for a
 * team that is not, so that every context has one thread. */
extern int ghz_one_thread_alone;

/* At least `size` bytes, aligned to 64, contents unspecified; NULL if there is no memory. Never
 * shrinks. */
void *ghz_arena_reserve(arena *a, size_t size);

typedef unsigned long long ull; /* for messages */

/* Notes the message of a failure and returns its status. Without a context, or with that of the
 * thread, it is the thread's message. */
__attribute__((format(printf, 3, 4))) ghz_status ghz_fail(ghz_context *ctx, ghz_status status,
                                                          const char *format, ...);
#ifdef __clang_analyzer__ /* which sees one file at a time: what is returned */
#define ghz_fail(ctx, status, ...) (ghz_fail(ctx, status, __VA_ARGS__), (status))
#endif

/* The context of this thread, made on first use. Errors: ENOMEM, EISA. */
ghz_status ghz_thread_context(ghz_context **ctx);

/* Notes that this thread's call was refused, because the context serves another one; EBUSY. */
ghz_status ghz_thread_refused(const ghz_context *ctx);

/* Adds a number of bytes, rounded up to 64, to *total. Returns 0 on overflow. */
int ghz_total_add(size_t *total, size_t count, size_t each);

#endif
