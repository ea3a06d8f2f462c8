/* file.h: an input file or standard input. */
#ifndef GHZ_CLI_FILE_H
#define GHZ_CLI_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define FILE_AHEAD 16 /* bytes that file_peek can show */

typedef struct file {
  const char *path; /* NULL: standard input */
  const char *name; /* for messages */
  int fd;           /* -1 while parked */
  bool seekable;    /* a regular file: read at `position`, any number of times */
  uint64_t size;    /* bytes, if seekable */
  uint64_t origin;  /* where the file began: standard input may be a file read in part */
  uint64_t position;
  dev_t device;
  ino_t inode;
  struct timespec changed; /* tells a file that was parked from one that took its name */
  size_t ahead_size;       /* bytes peeked from a pipe */
  unsigned char ahead[FILE_AHEAD];
} file;

/* Opens a file, or standard input for "-". Every call that returns false has printed why. */
bool file_open(file *f, const char *path);
void file_close(file *f);

/* Reads `size` bytes, fewer at the end alone, and sets *got. */
bool file_read(file *f, void *to, size_t size, size_t *got);

/* Shows up to FILE_AHEAD of the next bytes without taking them. */
bool file_peek(file *f, void *to, size_t size, size_t *got);

/* Passes over `size` bytes and sets *got: fewer at the end alone. */
bool file_skip(file *f, uint64_t size, uint64_t *got);

/* Copies the rest of a pipe to a temporary file without a name, and goes on with that. */
bool file_spool(file *f);

/* Gives the descriptor back until the next read; for commands with thousands of inputs. */
void file_park(file *f);

/* Fails if `path`, which is to be written, is the file itself. */
bool file_differs(const file *f, const char *path);

/* Whether the name ends in `ending`, which has its dot, in small or capital letters. */
bool name_ends(const char *name, const char *ending);

/* Writes all of it to a descriptor; errno says what went wrong. */
bool write_all(int fd, const void *data, size_t size);

#endif
