/* source.h: where the bytes of a file come from: calls, or a path. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_SOURCE_H
#define GHZ_FILE_SOURCE_H

#include <ghz/file.h>

/* Makes the source of a path; source->name is `path` itself. Errors: EINVAL (a directory), EIO. */
ghz_status ghz_source_of_path(const char *path, ghz_file_source *source);

/* The source of a regular file of so many bytes that is open, and stays the caller's to close. */
ghz_file_source ghz_source_of_file(const char *path, int fd, uint64_t size);

/* Reads `size` bytes, fewer only at the end, from *position on, and moves it. Errors: EIO. */
ghz_status ghz_source_read(const ghz_file_source *s, uint64_t *position, void *to, size_t size, size_t *got);

/* The same of all of them. Errors: EIO, ECORRUPT (the file "ends in" what is read). */
ghz_status ghz_source_take(const ghz_file_source *s, uint64_t *position, void *to, size_t size,
                           const char *what);

/* Reads `size` bytes at an offset of a seekable source that has them. Errors: EIO,
 * ECORRUPT (they are not there any more). */
ghz_status ghz_source_read_at(const ghz_file_source *s, uint64_t offset, void *to, size_t size);

#endif
