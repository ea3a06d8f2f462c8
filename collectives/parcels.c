/* parcels.c: the pool of message buffers. */

#include "parcel.h"

#include <stdlib.h>

void ghz_parcels_prepare(parcel_pool *pool, size_t room) {
  if (room > pool->room)
    ghz_parcels_free(pool);
  pool->room = room > pool->room ? room : pool->room;
}

parcel *ghz_parcel_take(parcel_pool *pool) {
  parcel *p = pool->idle;
  if (p)
    pool->idle = p->next;
  else if ((p = malloc(sizeof *p)) && !(p->memory = malloc(pool->room + !pool->room))) {
    free(p);
    p = NULL;
  }
  if (p)
    *p = (parcel){.data = p->memory, .memory = p->memory, .room = pool->room, .holds = 1};
  return p;
}

static void destroy(parcel *p) {
  free(p->memory);
  free(p);
}

void ghz_parcel_drop(parcel_pool *pool, parcel *p) {
  if (!p || --p->holds)
    return;
  if (p->room < pool->room) {
    destroy(p);
    return;
  }
  p->next = pool->idle;
  pool->idle = p;
}

void ghz_parcels_free(parcel_pool *pool) {
  while (pool->idle) {
    parcel *p = pool->idle;
    pool->idle = p->next;
    destroy(p);
  }
  pool->room = 0;
}
