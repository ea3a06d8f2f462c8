/* tiles.h: what is said of how an array is cut into tiles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_TILES_H
#define GHZ_CLI_TILES_H

#include <ghz/file.h>

#include "shape.h"

#define FRAME_BYTES ((uint64_t)64 << 20)     /* of input in a frame, unless the user asks for another size */
#define FRAME_VALUES_MAX ((uint64_t)1 << 26) /* of a frame, at most */

/* The shape of a whole array in memory, in one stream: bricks where they pay and the dimensions are
 * known, unless `flat`. */
ghz_shape shape_of_memory(const shape *s, uint64_t count, bool flat);

/* "flat", "bricks of 1x32x32" or "bricks of 8x8x16". */
const char *tiles_text(const ghz_shape *s);

/* Why an array that is to be compressed as `chosen` is not in bricks of 8x8x16, or ""; `flat`: the
 * user wants no bricks. */
const char *tiles_reason(const ghz_shape *chosen, const shape *s, bool flat);

#endif
