/* extents.c: shapes as users write them, and as they are listed by count. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "request/collective.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

enum { MOST_EXTENTS = 16 };

/* ---- Reading --------------------------------------------------------------------------------- */

/* Reads a positive whole number. Returns where it ends, or NULL. */
static const char *read_extent(const char *text, uint64_t *extent) {
  char *end;
  if (!isdigit((unsigned char)*text))
    return NULL;
  errno = 0;
  *extent = strtoull(text, &end, 10);
  return errno || *extent == 0 ? NULL : end;
}

/* Reads extents with an x between them. Returns where they end, or NULL. */
static const char *read_shape(const char *text, ghz_shape *shape) {
  uint64_t extents[MOST_EXTENTS];
  size_t rank = 0;
  do {
    if (rank == MOST_EXTENTS || !(text = read_extent(rank ? text + 1 : text, &extents[rank])))
      return NULL;
    rank++;
  } while (*text == 'x');
  return ghz_shape_make(rank, extents, shape) == GHZ_OK ? text : NULL;
}

int ghz_mpi_parse_extents(const char *text, ghz_shape *shape) {
  ghz_shape read;
  const char *end = text && shape ? read_shape(text, &read) : NULL;
  if (!end || *end)
    return 0;
  *shape = read;
  return 1;
}

int ghz_extents_read(const char *text, extents_list *list) {
  extents_list read = {0};
  do {
    if (read.length == EXTENTS_LISTED ||
        !(text = read_shape(read.length ? text + 1 : text, &read.shapes[read.length])))
      return 0;
    read.length++;
  } while (*text == ',');
  if (*text)
    return 0;
  *list = read;
  return 1;
}

ghz_shape ghz_extents_find(const extents_list *list, uint64_t count) {
  for (int i = 0; i < list->length; i++)
    if (ghz_shape_count(&list->shapes[i]) == count)
      return list->shapes[i];
  return ghz_flat(count);
}

/* ---- Checking -------------------------------------------------------------------------------- */

/* One that has no values must have a reason for it. */
int ghz_extents_are_sound(const ghz_shape *s) {
  const uint64_t *n = s->extent;
  if (ghz_shape_count(s) > 0)
    return 1;
  if (s->dims == 0)
    return !n[0] && !n[1] && !n[2];
  if (s->dims < 1 || s->dims > 3 || (s->dims == 1 && (n[0] != 1 || n[1] != 1)))
    return 0;
  return !n[0] || !n[1] || !n[2];
}
