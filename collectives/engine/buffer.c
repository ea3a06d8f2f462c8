/* buffer.c: the pool of message buffers. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "engine/buffer.h"

#include <assert.h>
#include <stdlib.h>

static void destroy(const buffer_pool *pool, buffer *p) {
  if (pool->allocator) {
    pool->allocator->destroy(p);
    return;
  }
  free(p->memory);
  free(p);
}

static buffer *make(const buffer_pool *pool, size_t capacity) {
  buffer *p = pool->allocator ? pool->allocator->make(capacity) : malloc(sizeof *p);
  if (p && !pool->allocator && !(p->memory = malloc(capacity + !capacity))) {
    free(p);
    p = NULL;
  }
  if (p)
    p->capacity = capacity;
  return p;
}

static buffer *pop(buffer **list) {
  buffer *p = *list;
  *list = p->next;
  return p;
}

/* Puts what is large enough first: that is all that the engine takes. It keeps its order: warm
 * memory stays at the front, where it is used first. A new buffer replaces a small one for all
 * plans. */
int ghz_buffer_pool_reserve(buffer_pool *pool, size_t capacity, size_t count) {
  buffer *small = NULL, *p, **end = &pool->idle;
  size_t have = 0;
  while (*end)
    if ((*end)->capacity >= capacity) {
      end = &(*end)->next;
      have++;
    } else {
      p = pop(end);
      p->next = small;
      small = p;
    }
  for (; have < count && (p = make(pool, capacity)); have++) {
    *end = p;
    end = &p->next;
    if (small)
      destroy(pool, pop(&small));
  }
  *end = small;
  return have >= count;
}

buffer *ghz_buffer_acquire(buffer_pool *pool) {
  buffer *p = pop(&pool->idle);
  assert(p);
  *p = (buffer){.memory = p->memory, .capacity = p->capacity, .refs = 1};
  return p;
}

void ghz_buffer_release(buffer_pool *pool, buffer *p) {
  if (!p || --p->refs)
    return;
  p->next = pool->idle;
  pool->idle = p;
}

void ghz_buffer_pool_free(buffer_pool *pool) {
  while (pool->idle)
    destroy(pool, pop(&pool->idle));
}
