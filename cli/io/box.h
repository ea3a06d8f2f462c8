/* box.h: a box of an array: a range along each dimension, or one index. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_BOX_H
#define GHZ_CLI_BOX_H

#include "shape.h"

/* From from[i] to before to[i], in the order of NumPy; to[i] is GHZ_FILE_UNKNOWN where the end of
 * the array is meant, until the box is placed. */
typedef struct box {
  unsigned ndim; /* 0: none */
  uint64_t from[GHZ_FILE_NDIM], to[GHZ_FILE_NDIM];
  bool index[GHZ_FILE_NDIM]; /* one index, which leaves no dimension */
} box;

/* Reads ranges and indices such as "0:8,5,100:200". Returns NULL, or what is wrong with them. */
const char *box_parse(const char *text, box *b);

/* Places it in an array; dimensions that it does not name are whole. Prints what is wrong if it is
 * not inside. */
bool box_place(const char *name, const shape *s, box *b);

/* The shape of the box's values as an array of their own: without the dimensions of indices. */
shape box_shape(const box *b, const shape *array);

#endif
