/* layout.h: how an array is cut into frames, each of them a stream of bricks or of flat tiles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_LAYOUT_H
#define GHZ_CLI_LAYOUT_H

#include <ghz.h>

#include "shape.h"

#define FRAME_BYTES ((uint64_t)64 << 20)     /* of input in a frame, unless the user asks for another size */
#define FRAME_VALUES_MAX ((uint64_t)1 << 26) /* values of a frame, at most: bounds every reader's memory */

/* The shape of a whole array in memory: bricks where they pay and the dimensions are known, unless
 * `flat`. */
ghz_shape shape_of_memory(const shape *s, uint64_t count, bool flat);

/* Frames of bricks hold whole planes of y * x values, or where a plane is too large whole rows of
 * bricks of one plane. Flat frames hold any values that follow each other. */
typedef struct layout {
  ghz_shape array;       /* folded to z, y, x; flat: its extent counts only if the file's total is known */
  uint64_t frame_values; /* of a frame that the end of the array or of a plane does not cut */
} layout;

/* Chooses the layout for a file of `count` values, in frames of about `values`. */
layout layout_choose(const shape *s, uint64_t count, bool flat, uint64_t values);

/* The layout that a header names. False if there is none such. */
bool layout_of(const shape *s, int dims, uint64_t total, uint64_t frame_values, layout *l);

/* The shape of a frame that nothing cuts, and of the one that begins with value number `first`. */
ghz_shape layout_whole_frame(const layout *l);
ghz_shape layout_frame(const layout *l, uint64_t first);

/* "flat", "bricks of 1x32x32" or "bricks of 8x8x16". */
const char *layout_text(const layout *l);

/* Why an array is not in bricks of 8x8x16, or ""; `flat`: the user wants no bricks. */
const char *layout_reason(const layout *l, const shape *s, bool flat);

#endif
