/* unfinished.h: a file that is written under another name beside its own, which it gets when it is
 * complete. Calls return 0, or an errno. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_UNFINISHED_H
#define GHZ_FILE_UNFINISHED_H

#include <stddef.h>
#include <sys/stat.h>

typedef struct unfinished_file {
  char *path; /* of the file that it becomes: the end of its links */
  char *name; /* until then, in the same folder; NULL: there is none */
  int fd;     /* -1: closed */
  int replaces;
} unfinished_file;

/* Creates the unfinished file of `path`.
 * old: of the regular file that is there, whose mode the new one gets, so that a private file stays
 * private; NULL: there is none, and the umask tells the mode.
 * After an error *u holds nothing. */
int ghz_unfinished_create(unfinished_file *u, const char *path, const struct stat *old);

/* Closes the file and gives it its name, if need be only where none has it by now: else EEXIST. The
 * file that it replaces is there until the new one is on the disk. Free *u then, also after an
 * error. */
int ghz_unfinished_commit(unfinished_file *u, int only_if_absent);

/* Closes and removes the file, unless it has its name; its own remains in *u until it is freed. */
void ghz_unfinished_remove(unfinished_file *u);
void ghz_unfinished_free(unfinished_file *u);

/* Writes all bytes to a descriptor. A file that becomes larger than it may is EFBIG, and sends no
 * SIGXFSZ, which would end the program. */
int ghz_write_all(int fd, const void *data, size_t size);

#endif
