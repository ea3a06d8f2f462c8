/* box.h: a box of an array: a range along each dimension. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_BOX_H
#define GHZ_CLI_BOX_H

#include "shape.h"

/* From from[i] to before to[i]; to[i] is COUNT_UNKNOWN where the end of the array is meant. As
 * given in the order of NumPy; once it is inside an array in that of the memory, slowest first. */
typedef struct box {
  unsigned ndim; /* 0: none */
  uint64_t from[SHAPE_MAX], to[SHAPE_MAX];
  uint64_t array[SHAPE_MAX]; /* extents of the array */
} box;

/* Reads ranges such as "0:8,:,100:200". Returns NULL, or what is wrong with them. */
const char *box_parse(const char *text, box *b);

/* Places it in an array. Prints what is wrong if it is not inside. */
bool box_place(const char *name, const shape *s, box *b);

/* The shape of the box's values as an array of their own: in the order of NumPy. */
shape box_shape(const box *b, const shape *array);

/* Of a box that is placed: its lines along the fastest dimension, in the order of the memory; the
 * first value of each, counted in the array; and the values of each. */
uint64_t box_lines(const box *b);
uint64_t box_line(const box *b, uint64_t line);
uint64_t box_line_values(const box *b);

/* The lines that begin before a value of the array. */
uint64_t box_lines_before(const box *b, uint64_t value);

#endif
