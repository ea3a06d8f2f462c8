/* temporary.h: a file that has no name until it is complete, or where the system cannot have that
 * another one beside its own. Calls return 0, or an errno. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_TEMPORARY_H
#define GHZ_FILE_TEMPORARY_H

#include <stddef.h>
#include <sys/stat.h>

typedef struct temporary_file {
  char *path;   /* of the file that it becomes: the end of its links */
  char *name;   /* by which it can be opened until then; NULL: there is none */
  int nameless; /* `name` is of the descriptor: the file is gone when it is closed */
  int fd;       /* -1: closed */
  int old;      /* the file that it replaces, locked; -1: none */
  int folder;   /* that a relative name begins in; -1: not known */
  int synced;   /* before it has its name, as one that replaces another is */
} temporary_file;

#define NOT_OPEN ((temporary_file){.fd = -1, .old = -1, .folder = -1})

/* Creates the unfinished file of `path`.
 * named: 1: it has a name in any case, for libraries that open it by one.
 * old: of the regular file that is there, whose mode the new one gets, so that a private file stays
 * private; NULL: there is none, and the umask tells the mode. Until the new one has its name,
 * nobody can lock the old one to append to it; EWOULDBLOCK: somebody has.
 * After an error *u holds nothing. */
int ghz_temporary_create(temporary_file *u, const char *path, int named, const struct stat *old);

/* Gives the file its name, if need be only where none has it by now: else EEXIST. The file that it
 * replaces is there until the new one is on the disk; EWOULDBLOCK: it is being appended to. The new
 * one stays open. */
int ghz_temporary_publish(temporary_file *u, int only_if_absent);

/* Closes the file, and removes it unless it has its name. */
void ghz_temporary_remove(temporary_file *u);
void ghz_temporary_free(temporary_file *u);

/* Opens and locks what the path names, unless *fd has it already, as open() and flock() do, without
 * waiting: EWOULDBLOCK. A file system without locks locks nothing. */
int ghz_file_lock(const char *path, int flags, int how, int *fd);

/* Whether a path, if relative from `folder` on, names the open file, as far as can be seen. */
int ghz_file_is_named(int fd, int folder, const char *path);

/* What an error of these calls means. */
const char *ghz_file_why(int error);

/* Writes all bytes to a descriptor. A file that becomes larger than it may is EFBIG, and sends no
 * SIGXFSZ, which would end the program. */
int ghz_write_all(int fd, const void *data, size_t size);

#endif
