/* parcel.h: buffers that messages travel in, and the pool that keeps them from call to call. */
#ifndef GHZ_MPI_PARCEL_H
#define GHZ_MPI_PARCEL_H

#include <ghz.h>

/* What a message carries, or what a piece of an array has become so far. */
typedef struct parcel {
  uint8_t *data; /* its own memory, or, if borrowed, somebody else's */
  size_t size;   /* bytes that count */
  size_t room;   /* bytes of its own memory */
  uint8_t *memory;
  int holds;           /* users: the piece, every send that is under way, and whoever still reads or makes it */
  ghz_slice slice;     /* a view of `data` where it is a message of libghz */
  struct parcel *next; /* in the pool, or behind another arrival of the same piece */
  unsigned hop;        /* an arrival: the hop of the route that waits for it */
  int pending;         /* a device still works on it: neither its bytes nor its size are to be used yet */
  struct parcel *made_from[2]; /* held until that has ended; or NULL */
} parcel;

/* Makes and frees the parcels of a pool that are not made by malloc. */
typedef struct parcel_maker {
  parcel *(*make)(size_t room); /* `memory` is set; NULL: there is no memory */
  void (*destroy)(parcel *p);
} parcel_maker;

/* Parcels of one size that nobody holds. */
typedef struct parcel_pool {
  parcel *idle;
  size_t room;
  const parcel_maker *maker; /* NULL: malloc */
} parcel_pool;

/* Sets the size of the parcels that follow; smaller ones are freed when they come back. */
void ghz_parcels_prepare(parcel_pool *pool, size_t room);

/* A parcel with its own memory, held once; NULL if there is no memory. Pages are touched only as far as they
 * are used. */
parcel *ghz_parcel_take(parcel_pool *pool);

/* One user less; the last one gives it back. NULL is ignored. */
void ghz_parcel_drop(parcel_pool *pool, parcel *p);

void ghz_parcels_free(parcel_pool *pool);

#endif
