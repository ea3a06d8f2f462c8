/* errors.h: errors of files: a sentence with the name of the file, as the message of the thread;
 * and memory that grows, or says so. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_ERRORS_H
#define GHZ_FILE_ERRORS_H

#include <ghz/ghz.h>
#include <stdlib.h>

/* Notes "name: text", or the text alone where name is NULL, and returns the status. */
__attribute__((format(printf, 3, 4))) ghz_status ghz_file_fail(const char *name, ghz_status status,
                                                               const char *format, ...);
#ifdef __clang_analyzer__
#define ghz_file_fail(name, status, ...) (ghz_file_fail(name, status, __VA_ARGS__), (status))
#endif

/* Notes "name: frame N: ", the text of the status, and what the context, or without one the thread,
 * says of its last failure; returns the status. Notes nothing where it is GHZ_OK. */
ghz_status ghz_file_pass(const char *name, uint64_t frame, const ghz_context *ctx, ghz_status status);

typedef struct memory {
  uint8_t *data;
  size_t capacity;
} memory;

/* Makes room for `size` bytes. ENOMEM with a message about the file `name`. */
static inline ghz_status memory_reserve(memory *m, size_t size, const char *name) {
  if (size <= m->capacity && m->data)
    return GHZ_OK;
  uint8_t *data = realloc(m->data, size ? size : 1);
  if (!data)
    return ghz_file_fail(name, GHZ_ENOMEM, "out of memory: %zu bytes needed", size);
  m->data = data;
  m->capacity = size ? size : 1;
  return GHZ_OK;
}

static inline void memory_free(memory *m) {
  free(m->data);
  *m = (memory){NULL, 0};
}

#endif
