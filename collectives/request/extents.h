/* extents.h: shapes as users write them, and as they are listed by count. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_EXTENTS_H
#define GHZ_MPI_EXTENTS_H

#include <ghz/ghz.h>

enum { EXTENTS_LISTED = 64 };

/* The shapes of GHZ_MPI_EXTENTS. */
typedef struct extents_list {
  int length;
  ghz_shape shapes[EXTENTS_LISTED];
} extents_list;

/* Reads 256x256x256,512x512. Returns 0 and changes nothing if the text is no such list. */
int ghz_extents_read(const char *text, extents_list *list);

/* The first shape of the list that has so many values; flat if there is none. */
ghz_shape ghz_extents_find(const extents_list *list, uint64_t count);

/* Whether a user's shape is one: known dims, fewer than 2^64 values. */
int ghz_extents_are_sound(const ghz_shape *shape);

/* Whether a user's shape is the absence of one: all zeros. */
int ghz_extents_are_absent(const ghz_shape *shape);

#endif
