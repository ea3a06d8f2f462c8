/* sizes.h: how large streams and their tiles may become (FORMAT.md, "Stream"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_SIZES_H
#define GHZ_SIZES_H

#include "rules/bytes.h"
#include <ghz/slice.h>

/* Sum and maximum of the sizes of some tiles, which are few enough. */
static inline unsigned sum_sizes(const uint8_t *sizes, unsigned tiles, unsigned *largest) {
  unsigned sum = 0, max = 0;
  for (unsigned t = 0; t < tiles; t++) {
    unsigned size = load_u16(sizes + 2 * t);
    sum += size;
    max = size > max ? size : max;
  }
  *largest = max;
  return sum;
}

/* Bytes of header and index of a stream of so many tiles; 0 on overflow of size_t. */
size_t ghz_stream_index_size(uint64_t tiles);

/* The largest tile of a stream of these dims, type and number of terms; fresh = 1: as compression
 * writes it. */
size_t ghz_tile_bound(int dims, ghz_type type, uint32_t terms, int fresh);

/* The bytes that suffice for the stream of a result; 0 on overflow of size_t. */
size_t ghz_result_bound(const ghz_slice *result);

#endif
