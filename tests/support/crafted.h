/* crafted.h: sound tiles from any bytes, and streams of tiles that no encoder writes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "common.h"

enum { MEND_ROOM = 14400 };

/* Writes a sound tile of a shape that is made from any bytes; returns its size. */
size_t mend_tile(const ref_header *h, const ref_tile *shape, const uint8_t *from, size_t size, uint8_t *out);

/* Two streams of the same values, from random bytes: heads, anchors, widths and planes of every
 * kind. Integers are within their limit. `least` has the least widths and nothing in columns that
 * are ignored, `loose` as they come. */
typedef struct crafted_pair {
  ref_bytes least, loose;
} crafted_pair;
crafted_pair crafted_streams(const ref_header *h, uint64_t *state);
