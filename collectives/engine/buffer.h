/* buffer.h: buffers that messages travel in, and the pool that keeps them from call to call. */
#ifndef GHZ_MPI_BUFFER_H
#define GHZ_MPI_BUFFER_H

#include <ghz.h>

/* What a message carries, or what a piece of an array has become so far. */
typedef struct buffer {
  uint8_t *data;   /* its own memory, or, if borrowed, somebody else's */
  size_t size;     /* bytes that count */
  size_t capacity; /* bytes of its own memory */
  uint8_t *memory;
  int refs;            /* users: the piece, every send that is under way, and whoever still reads or makes it */
  ghz_slice slice;     /* a view of `data` where it is a message of libghz */
  struct buffer *next; /* in the pool, or behind another arrival of the same piece */
  unsigned step;       /* an arrival: the step of the schedule that waits for it */
  int pending;         /* a device still works on it: neither its bytes nor its size are to be used yet */
  struct buffer *operands[2]; /* held until that has ended; or NULL */
} buffer;

/* Makes and frees the buffers of a pool that are not made by malloc. */
typedef struct buffer_allocator {
  buffer *(*make)(size_t capacity); /* `memory` is set; NULL: there is no memory */
  void (*destroy)(buffer *p);
} buffer_allocator;

/* Buffers of one size that nobody holds. */
typedef struct buffer_pool {
  buffer *idle;
  size_t capacity;
  const buffer_allocator *allocator; /* NULL: malloc */
} buffer_pool;

/* Sets the size of the buffers that follow; smaller ones are freed when they come back. */
void ghz_buffer_pool_prepare(buffer_pool *pool, size_t capacity);

/* A buffer with its own memory, held once; NULL if there is no memory. Pages are touched only as far as they
 * are used. */
buffer *ghz_buffer_acquire(buffer_pool *pool);

/* One user less; the last one gives it back. NULL is ignored. */
void ghz_buffer_release(buffer_pool *pool, buffer *p);

void ghz_buffer_pool_free(buffer_pool *pool);

#endif
