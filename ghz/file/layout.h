/* layout.h: how an array is cut into frames, each of them a stream of bricks or of flat tiles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_LAYOUT_H
#define GHZ_FILE_LAYOUT_H

#include <ghz/file.h>

#define FRAME_BYTES ((uint64_t)64 << 20)     /* of input in a frame, unless another size is asked for */
#define FRAME_VALUES_MAX ((uint64_t)1 << 26) /* values of a frame, at most: bounds every reader's memory */
#define COUNT_MAX (UINT64_MAX / 16)          /* so that a count times the size of a value never overflows */

/* The dimension along which an array grows; it has one. */
static inline unsigned array_slowest(const ghz_array *a) {
  return a->fortran ? a->ndim - 1 : 0;
}

/* The shape of a whole array of `count` values, as it lies in memory: bricks where they pay and the
 * dimensions are known. */
ghz_shape ghz_array_shape(const ghz_array *a, uint64_t count);

/* Sets h->shape for streams of `dims`, of h->array and h->count. Returns 0 if no file with its
 * frame_values is cut so. */
int ghz_layout_set(ghz_file_header *h, int dims);

/* The values of a frame, about `values`, for h->shape; 0 if none fits. */
uint64_t ghz_layout_frame_values(const ghz_shape *shape, uint64_t values);

/* The shape of a frame of `values` values that begins at `first`, which may be less than
 * ghz_file_frame_shape allows, where a file was appended to. Returns 0 if there is none such. */
int ghz_layout_frame(const ghz_file_header *h, uint64_t first, uint64_t values, ghz_shape *shape);

#endif
