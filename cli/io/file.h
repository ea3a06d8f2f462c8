/* file.h: an input file or standard input, and memory that grows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_IO_FILE_H
#define GHZ_CLI_IO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

typedef struct buffer {
  unsigned char *data;
  size_t capacity;
} buffer;

/* Makes room for `capacity` bytes and keeps the contents. On failure prints a message about
 * `name`. */
bool buffer_reserve(buffer *b, size_t capacity, const char *name);

void buffer_free(buffer *b);

/* ---- Files ----------------------------------------------------------------------------------- */

#define FILE_AHEAD 544 /* bytes that file_peek can show */

typedef struct file {
  const char *path; /* NULL: standard input */
  const char *name; /* for messages */
  int fd;
  bool seekable;   /* a regular file: read at `position`, any number of times */
  uint64_t size;   /* bytes, if seekable */
  uint64_t origin; /* position when it was opened: standard input may be a file that was read in part */
  uint64_t position;
  mode_t mode;
  dev_t device;
  ino_t inode;
  struct timespec changed; /* when it last was */
  size_t ahead_size;       /* bytes peeked from a pipe */
  unsigned char ahead[FILE_AHEAD];
} file;

/* Opens a file, or standard input for "-". Calls that return false have printed why. */
bool file_open(file *f, const char *path);
void file_close(file *f);

/* Reads `size` bytes, fewer only at the end, and sets *got. */
bool file_read(file *f, void *to, size_t size, size_t *got);

/* Copies up to FILE_AHEAD of the next bytes and leaves them to be read. */
bool file_peek(file *f, void *to, size_t size, size_t *got);

/* Copies the rest of a pipe to a temporary file without a name, which takes the pipe's place; or,
 * unless that is NULL, what a source gives, piece by piece. */
typedef bool file_source(void *user, buffer *piece, size_t *got);
bool file_spool(file *f, file_source *source, void *user);

/* Whether what has its name is the same file, of the same contents as when it was opened. */
bool file_unchanged(const file *f);

/* Lets the command hold open as many files as its user may. */
void files_raise_limit(void);

/* Fails if the output `path` is the file itself. */
bool file_differs(const file *f, const char *path);

/* Whether the name ends in `extension` (".npy"), in small or capital letters. */
bool name_ends(const char *name, const char *extension);

#endif
