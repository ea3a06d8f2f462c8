/* parcels.c: the pool of message buffers. */

#include "parcel.h"

#include <stdlib.h>

void ghz_parcels_prepare(parcel_pool *pool, size_t room) {
  if (room > pool->room)
    ghz_parcels_free(pool);
  pool->room = room > pool->room ? room : pool->room;
}

static parcel *new_parcel(const parcel_pool *pool) {
  if (pool->maker)
    return pool->maker->make(pool->room);
  parcel *p = malloc(sizeof *p);
  if (p && !(p->memory = malloc(pool->room + !pool->room))) {
    free(p);
    p = NULL;
  }
  return p;
}

parcel *ghz_parcel_take(parcel_pool *pool) {
  parcel *p = pool->idle;
  if (p)
    pool->idle = p->next;
  else
    p = new_parcel(pool);
  if (p)
    *p = (parcel){.data = p->memory, .memory = p->memory, .room = pool->room, .holds = 1};
  return p;
}

static void destroy(const parcel_pool *pool, parcel *p) {
  if (pool->maker) {
    pool->maker->destroy(p);
    return;
  }
  free(p->memory);
  free(p);
}

void ghz_parcel_drop(parcel_pool *pool, parcel *p) {
  if (!p || --p->holds)
    return;
  if (p->room < pool->room) {
    destroy(pool, p);
    return;
  }
  p->next = pool->idle;
  pool->idle = p;
}

void ghz_parcels_free(parcel_pool *pool) {
  while (pool->idle) {
    parcel *p = pool->idle;
    pool->idle = p->next;
    destroy(pool, p);
  }
  pool->room = 0;
}
