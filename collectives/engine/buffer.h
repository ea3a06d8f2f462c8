/* buffer.h: buffers that messages travel in, and the pool that keeps them from call to call. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_BUFFER_H
#define GHZ_MPI_BUFFER_H

#include <ghz/slice.h>

/* What a message carries, or what a piece of an array has become so far. */
typedef struct buffer {
  uint8_t *memory;
  size_t size, capacity;      /* bytes that count, and all */
  int refs;                   /* users: the piece, every send in flight, and operations that read or write it */
  ghz_slice slice;            /* a view of its bytes where they are a message of libghz */
  struct buffer *next;        /* in the pool */
  int pending;                /* a device still works on it: neither its bytes nor its size may be used yet */
  struct buffer *operands[2]; /* held until that has ended; or NULL */
  _Atomic int outcome;        /* where a thread does: 0, or once it has ended 1 - status, which is more */
} buffer;

/* Makes and frees the buffers of a pool that do not come from malloc. */
typedef struct buffer_allocator {
  buffer *(*make)(size_t capacity); /* `memory` is set; NULL: there is no memory */
  void (*destroy)(buffer *p);
} buffer_allocator;

/* Buffers that nobody holds. All zeros is an empty pool. */
typedef struct buffer_pool {
  buffer *idle;                      /* the last one released is the first, what is too small the last */
  const buffer_allocator *allocator; /* NULL: malloc */
} buffer_pool;

/* Has `count` buffers of `capacity` bytes ready. Call it while all are idle. Returns 0 if there is
 * no memory; never for a count and a capacity that it has returned 1 for before, since buffers are
 * only ever replaced by larger ones. (Unless MPI itself failed in between: buffers that it may
 * still use are lost.) Memory from malloc is not touched: a page counts once a message has used
 * it. */
int ghz_buffer_pool_reserve(buffer_pool *pool, size_t capacity, size_t count);

/* An empty buffer with its own memory, held once. There is one: the engine holds no more than were
 * reserved. */
buffer *ghz_buffer_acquire(buffer_pool *pool);

/* One user less; the last one gives it back. NULL is ignored. */
void ghz_buffer_release(buffer_pool *pool, buffer *p);

void ghz_buffer_pool_free(buffer_pool *pool);

#endif
