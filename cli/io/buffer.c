/* buffer.c: owns memory that grows, and the message when there is none left. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "buffer.h"

#include <stdlib.h>

#include "report/report.h"
#include "report/text.h"

bool buffer_reserve(buffer *b, size_t capacity, const char *name) {
  if (capacity <= b->capacity && b->data)
    return true;
  unsigned char *data = realloc(b->data, capacity ? capacity : 1);
  if (!data)
    return fail(name, "out of memory (%s needed)", text_bytes(capacity).text);
  b->data = data;
  b->capacity = capacity;
  return true;
}

void buffer_free(buffer *b) {
  free(b->data);
  *b = (buffer){0};
}
