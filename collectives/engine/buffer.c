/* buffer.c: the pool of message buffers. */

#include "engine/buffer.h"

#include <stdlib.h>

void ghz_buffer_pool_prepare(buffer_pool *pool, size_t capacity) {
  if (capacity > pool->capacity)
    ghz_buffer_pool_free(pool);
  pool->capacity = capacity > pool->capacity ? capacity : pool->capacity;
}

static buffer *new_buffer(const buffer_pool *pool) {
  if (pool->allocator)
    return pool->allocator->make(pool->capacity);
  buffer *p = malloc(sizeof *p);
  if (p && !(p->memory = malloc(pool->capacity + !pool->capacity))) {
    free(p);
    p = NULL;
  }
  return p;
}

buffer *ghz_buffer_acquire(buffer_pool *pool) {
  buffer *p = pool->idle;
  if (p)
    pool->idle = p->next;
  else
    p = new_buffer(pool);
  if (p)
    *p = (buffer){.data = p->memory, .memory = p->memory, .capacity = pool->capacity, .refs = 1};
  return p;
}

static void destroy(const buffer_pool *pool, buffer *p) {
  if (pool->allocator) {
    pool->allocator->destroy(p);
    return;
  }
  free(p->memory);
  free(p);
}

void ghz_buffer_release(buffer_pool *pool, buffer *p) {
  if (!p || --p->refs)
    return;
  if (p->capacity < pool->capacity) {
    destroy(pool, p);
    return;
  }
  p->next = pool->idle;
  pool->idle = p;
}

void ghz_buffer_pool_free(buffer_pool *pool) {
  while (pool->idle) {
    buffer *p = pool->idle;
    pool->idle = p->next;
    destroy(pool, p);
  }
  pool->capacity = 0;
}
