/* buffer.h: memory that grows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_BUFFER_H
#define GHZ_CLI_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct buffer {
  unsigned char *data;
  size_t capacity;
} buffer;

/* Makes room for `capacity` bytes and keeps the contents. On failure prints a message about
 * `name`. */
bool buffer_reserve(buffer *b, size_t capacity, const char *name);

void buffer_free(buffer *b);

#endif
