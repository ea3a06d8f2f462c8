/* tiles.c: owns the names of the kinds of tiles, and why an array has those that it has. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tiles.h"

const char *tiles_text(const ghz_shape *s) {
  static const char *const names[] = {"flat", "bricks of 1x32x32", "bricks of 8x8x16"};
  return names[s->dims - 1];
}

const char *tiles_reason(const ghz_shape *chosen, const shape *s, bool flat) {
  const ghz_shape whole = ghz_array_shape(s, 0);
  if (chosen->dims == 3)
    return "";
  if (chosen->dims == whole.dims && whole.dims == 2)
    return "";
  if (whole.dims == 3 && chosen->dims == 2)
    return "8 planes have more than 2^26 values";
  if (flat)
    return "--flat";
  if (s->ndim < 2)
    return s->ndim == 0 ? "no shape is known; --dims gives it" : "one dimension";
  return whole.dims == 1 ? "its dimensions are too small for bricks" : "a plane has more than 2^26 values";
}
