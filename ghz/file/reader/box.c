/* box.c: owns placing a box in an array, and finding its lines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/reader/box.h"

#include "file/errors.h"

ghz_status ghz_box_place(const char *name, const ghz_array *array, const uint64_t *from, const uint64_t *to,
                         file_box *b) {
  *b = (file_box){.ndim = array->ndim};
  if (array->ndim == 0)
    return ghz_file_fail(name, GHZ_EINVAL, "has no dimensions: read a range");
  for (unsigned i = 0; i < array->ndim; i++) {
    const unsigned at = array->fortran ? array->ndim - 1 - i : i;
    if (from[i] > to[i] || to[i] > array->dims[i])
      return ghz_file_fail(name, GHZ_EINVAL, "%llu up to %llu of %llu along dimension %u", (ull)from[i],
                           (ull)to[i], (ull)array->dims[i], i);
    b->from[at] = from[i];
    b->to[at] = to[i];
    b->array[at] = array->dims[i];
  }
  return GHZ_OK;
}

uint64_t ghz_box_lines(const file_box *b) {
  uint64_t lines = b->to[b->ndim - 1] > b->from[b->ndim - 1];
  for (unsigned i = 0; i + 1 < b->ndim; i++)
    lines *= b->to[i] - b->from[i];
  return lines;
}

uint64_t ghz_box_line_values(const file_box *b) {
  return b->to[b->ndim - 1] - b->from[b->ndim - 1];
}

uint64_t ghz_box_line(const file_box *b, uint64_t line) {
  uint64_t value = b->from[b->ndim - 1], stride = b->array[b->ndim - 1];
  for (unsigned i = b->ndim - 1; i-- > 0;) {
    const uint64_t extent = b->to[i] - b->from[i];
    value += (b->from[i] + line % extent) * stride;
    line /= extent;
    stride *= b->array[i];
  }
  return value;
}

uint64_t ghz_box_lines_before(const file_box *b, uint64_t value) {
  uint64_t low = 0, high = ghz_box_lines(b); /* lines below `low` begin before, from `high` on they do not */
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (ghz_box_line(b, middle) < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
