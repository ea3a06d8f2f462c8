/* tiles.h: what is said of how an array is cut into tiles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_TILES_H
#define GHZ_CLI_TILES_H

#include "file/layout.h"
#include "shape.h"

/* "flat", "bricks of 1x32x32" or "bricks of 8x8x16". */
const char *tiles_text(const ghz_shape *s);

/* Why an array that is to be compressed as `chosen` is not in bricks of 8x8x16, or ""; `flat`: the
 * user wants no bricks. */
const char *tiles_reason(const ghz_shape *chosen, const shape *s, bool flat);

#endif
