/* box.h: a box of an array in memory, as the lines that it has along the fastest dimension. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_BOX_H
#define GHZ_FILE_BOX_H

#include "file/layout.h"

/* From from[i] to before to[i], slowest first, of an array of these extents. */
typedef struct file_box {
  unsigned ndim;
  uint64_t from[GHZ_FILE_NDIM], to[GHZ_FILE_NDIM], array[GHZ_FILE_NDIM];
} file_box;

/* Places ranges, in the order of the array's dimensions, in memory. Errors: EINVAL (not inside). */
ghz_status ghz_box_place(const char *name, const ghz_array *array, const uint64_t *from, const uint64_t *to,
                         file_box *b);

/* Its lines, in the order of the memory; the first value of each, counted in the array; and the
 * values of each. */
uint64_t ghz_box_lines(const file_box *b);
uint64_t ghz_box_line(const file_box *b, uint64_t line);
uint64_t ghz_box_line_values(const file_box *b);

/* The lines that begin before a value of the array. */
uint64_t ghz_box_lines_before(const file_box *b, uint64_t value);

#endif
