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

static void append(buffer ***end, buffer *p) {
  **end = p;
  *end = &p->next;
}

static buffer *pop(buffer **list) {
  buffer *p = *list;
  *list = p->next;
  return p;
}

/* Sorts the buffers into idle and small ones. They keep their order: warm memory stays at the
 * front, where it is used first. Returns where the idle ones end, and counts them. */
static buffer **sort(buffer_pool *pool, size_t capacity, size_t *idle_count) {
  buffer *lists[] = {pool->idle, pool->small}, **idle_end = &pool->idle, **small_end = &pool->small;
  *idle_count = 0;
  for (int i = 0; i < 2; i++)
    while (lists[i]) {
      buffer *p = pop(&lists[i]);
      int fits = p->capacity >= capacity;
      append(fits ? &idle_end : &small_end, p);
      *idle_count += (size_t)fits;
    }
  *idle_end = *small_end = NULL;
  return idle_end;
}

int ghz_buffer_pool_reserve(buffer_pool *pool, size_t capacity, size_t count) {
  size_t have;
  buffer **end = sort(pool, capacity, &have);
  for (; have < count; have++) {
    buffer *p = make(pool, capacity);
    if (!p)
      return 0;
    append(&end, p);
    p->next = NULL;
    if (pool->small) /* which this one replaces for all plans */
      destroy(pool, pop(&pool->small));
  }
  return 1;
}

buffer *ghz_buffer_acquire(buffer_pool *pool) {
  buffer *p = pop(&pool->idle);
  assert(p);
  *p = (buffer){.data = p->memory, .memory = p->memory, .capacity = p->capacity, .refs = 1};
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
  while (pool->small)
    destroy(pool, pop(&pool->small));
}
