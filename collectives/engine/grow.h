/* grow.h: arrays that are kept from call to call and only ever grow. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_GROW_H
#define GHZ_MPI_GROW_H

#include <stddef.h>
#include <stdlib.h>

typedef struct growing {
  void *data;
  size_t bytes;
} growing;

/* An array of count elements, contents unspecified; NULL if there is no memory, and then the old
 * one is still there. */
static inline void *grow(growing *g, size_t count, size_t each) {
  size_t bytes;
  if (__builtin_mul_overflow(count + !count, each, &bytes))
    return NULL;
  if (bytes > g->bytes) {
    void *data = malloc(bytes);
    if (!data)
      return NULL;
    free(g->data);
    *g = (growing){data, bytes};
  }
  return g->data;
}

static inline void grow_free(growing *g) {
  free(g->data);
  *g = (growing){0};
}

#endif
