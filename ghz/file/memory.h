/* memory.h: memory that grows and keeps what is in it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_MEMORY_H
#define GHZ_FILE_MEMORY_H

#include <stdlib.h>

#include "file/errors.h"

typedef struct memory {
  uint8_t *data;
  size_t capacity;
} memory;

/* Makes room for `size` bytes. ENOMEM with a message about the file `name`. */
static inline ghz_status memory_reserve(memory *m, size_t size, const char *name) {
  if (size <= m->capacity && m->data)
    return GHZ_OK;
  uint8_t *data = realloc(m->data, size ? size : 1);
  if (!data) {
    ghz_file_fail(name, GHZ_ENOMEM, "out of memory: %zu bytes needed", size);
    return GHZ_ENOMEM;
  }
  m->data = data;
  m->capacity = size ? size : 1;
  return GHZ_OK;
}

static inline void memory_free(memory *m) {
  free(m->data);
  *m = (memory){NULL, 0};
}

#endif
