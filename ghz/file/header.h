/* header.h: the header and the end of a file (FILE_FORMAT.md, "Header" and "End"), and how its
 * array is cut into frames, each of them a stream of bricks or of flat tiles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_HEADER_H
#define GHZ_FILE_HEADER_H

#include <ghz/file.h>

enum {
  FILE_VERSION = 4, /* of the format */
  HEADER_START = 8, /* bytes that tell how many follow */
  HEADER_MAX = 48 + 8 * GHZ_FILE_NDIM + 8,
  END_BYTES = 24
};

/* Writes a header and its checksum to b. Returns their size. */
size_t ghz_header_encode(const ghz_file_header *h, uint8_t b[HEADER_MAX]);

/* Checks the first HEADER_START bytes, of which `got` are there, and sets *size: the bytes of the
 * whole header. Errors: ECORRUPT, EVERSION. */
ghz_status ghz_header_start(const char *name, const uint8_t *b, size_t got, size_t *size);

/* Decodes a header of `size` bytes, and checks it. Errors: ECORRUPT. */
ghz_status ghz_header_decode(const char *name, const uint8_t *b, size_t size, ghz_file_header *h);

/* Whether an array that began as `old` may have become `now`: they are equal, but that `old` may
 * lack the number of values; if it was appended to, all but for the slowest dimension, and for what
 * follows from it. */
int ghz_header_continues(const ghz_file_header *old, const ghz_file_header *now, int appended);

/* Checks count, dimensions and frames against each other, and sets h->shape for streams of `dims`.
 * Returns NULL, or what is wrong. */
const char *ghz_header_check(ghz_file_header *h, int dims);

/* ---- Layout ---------------------------------------------------------------------------------- */

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

/* Whether two arrays may be combined value by value: the same dimensions, or none on one side. */
int ghz_arrays_agree(const ghz_array *a, const ghz_array *b);

/* Sets h->shape for streams of `dims`, of h->array and h->count. Returns 0 if no file with its
 * frame_values is cut so. */
int ghz_layout_set(ghz_file_header *h, int dims);

/* The values of a frame, about `values`, for h->shape; 0 if none fits. */
uint64_t ghz_layout_frame_values(const ghz_shape *shape, uint64_t values);

/* The shape of a frame of `values` values that begins at `first`, which may be less than
 * ghz_file_frame_shape allows, where a file was appended to. Returns 0 if there is none such. */
int ghz_layout_frame(const ghz_file_header *h, uint64_t first, uint64_t values, ghz_shape *shape);

/* Whether frame `number`, which begins at `first`, may have this shape. Frames of a file that was
 * appended to are short in its middle; in one that began without a number of values, `piped`, none
 * follows one that is short. */
int ghz_layout_fits(const ghz_file_header *h, uint64_t number, uint64_t first, int piped,
                    const ghz_shape *shape);

#endif
