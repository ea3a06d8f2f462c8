/* shape.h: the dimensions of an array, and a box of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_IO_SHAPE_H
#define GHZ_CLI_IO_SHAPE_H

#include <ghz/file.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef ghz_array shape;

typedef struct place_text {
  char text[768];
} place_text;

/* Such as "512x512x64", slowest first as in NumPy, "none" without dimensions. */
place_text shape_text(const shape *s);

/* Reads dimensions such as "64x512x512" or "64,512,512", slowest first. Returns NULL, or what is
 * wrong with them. */
const char *shape_parse(const char *text, shape *s);

/* The coordinates of value number `at` of the memory, in the order of the dimensions. */
void shape_index(const shape *s, uint64_t at, uint64_t index[GHZ_FILE_NDIM]);

/* The number of the value at these coordinates. */
uint64_t shape_at(const shape *s, const uint64_t index[GHZ_FILE_NDIM]);

/* Where a value of the array is, counted in the order of the memory: as in "1234", with two
 * dimensions or more "1234 (3, 4, 5)". */
place_text shape_place(const shape *s, uint64_t at);

/* "flat", "bricks of 1x32x32" or "bricks of 8x8x16". */
const char *tiles_text(const ghz_shape *s);

/* Why an array that is to be compressed as `chosen` is not in bricks of 8x8x16, or ""; `flat`: the
 * user wants no bricks. */
const char *tiles_reason(const ghz_shape *chosen, const shape *s, bool flat);

/* Prints the members "shape", "fortran_order" and "npy" of an object. */
void shape_print_json(const shape *s);

/* ---- A box ----------------------------------------------------------------------------------- */

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
