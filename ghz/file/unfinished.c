/* unfinished.c: owns how a file is replaced: another beside it, renamed when it is complete. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include "file/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* as Linux */

/* ---- Names ----------------------------------------------------------------------------------- */

/* A name in the folder of a path. */
static char *beside(const char *path, const char *name) {
  const char *slash = name[0] == '/' ? NULL : strrchr(path, '/');
  const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  char *text = malloc(folder + strlen(name) + 1);
  if (text) {
    memcpy(text, path, folder);
    strcpy(text + folder, name);
  }
  return text;
}

/* The target of a symbolic link. NULL, with errno, on failure: EINVAL if the path is no link. */
static char *follow(const char *path) {
  char target[PATH_MAX];
  const ssize_t n = readlink(path, target, sizeof target);
  if (n == (ssize_t)sizeof target)
    errno = ENAMETOOLONG;
  if (n < 0 || n == (ssize_t)sizeof target)
    return NULL;
  target[n] = '\0';
  return beside(path, target);
}

/* The file that a rename has to replace: the path itself, or what `most` symbolic links lead to,
 * which need not be there yet. NULL, with errno, if that cannot be told. */
static char *final_path(const char *path, int most) {
  char *next = follow(path);
  if (!next)
    return errno == EINVAL || errno == ENOENT ? strdup(path) : NULL;
  char *end = most > 0 ? final_path(next, most - 1) : NULL;
  const int error = most > 0 ? errno : ELOOP;
  free(next);
  errno = error;
  return end;
}

/* Puts letters and digits in the place of the last six: others for each file, and at each time. */
static void choose_letters(const unfinished_file *u) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  struct timespec now = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t number = (uint64_t)(uintptr_t)u->name + ((uint64_t)getpid() << 40) +
                    (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
  number = number * 0x9e3779b97f4a7c15 >> 32;
  for (char *p = u->name + strlen(u->name) - 6; *p; p++, number /= sizeof letters - 1)
    *p = letters[number % (sizeof letters - 1)];
}

/* ---- From the beginning to the end ----------------------------------------------------------- */

/* As mkstemp(), but with a mode from which the system takes the umask. To look at the umask is to
 * change it, for all threads. */
static int open_new(const unfinished_file *u, mode_t mode) {
  int fd = -1;
  for (int turn = 0; turn < 100; turn++) {
    choose_letters(u);
    fd = open(u->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0 || (errno != EEXIST && errno != EINTR))
      break;
  }
  return fd;
}

int ghz_unfinished_create(unfinished_file *u, const char *path, const struct stat *old) {
  *u = (unfinished_file){.path = final_path(path, LINKS_MAX), .fd = -1, .replaces = old != NULL};
  u->name = u->path ? beside(u->path, ".ghz-XXXXXX") : NULL;
  if (u->name)
    u->fd = open_new(u, old ? 0600 : 0666);
  if (u->fd < 0) {
    const int error = errno;
    ghz_unfinished_free(u); /* without removing: the name may be that of another's file */
    return error;
  }
  if (old && fchmod(u->fd, old->st_mode & 0777) != 0)
    errno = 0; /* a file system without modes */
  return 0;
}

/* Gives the file its name. */
static int take_name(const unfinished_file *u, int only_if_absent) {
  if (only_if_absent && link(u->name, u->path) == 0) {
    unlink(u->name);
    return 0;
  }
  if (only_if_absent && errno == EEXIST) /* with other errors: a file system without links */
    return EEXIST;
  return rename(u->name, u->path) == 0 ? 0 : errno;
}

int ghz_unfinished_commit(unfinished_file *u, int only_if_absent) {
  const int fd = u->fd;
  int error = u->replaces && fsync(fd) != 0 ? errno : 0;
  u->fd = -1;
  if (close(fd) != 0 && errno != EINTR && error == 0)
    error = errno;
  if (error == 0)
    error = take_name(u, only_if_absent);
  if (error)
    ghz_unfinished_remove(u);
  return error;
}

void ghz_unfinished_remove(unfinished_file *u) {
  if (u->fd >= 0)
    close(u->fd);
  u->fd = -1;
  if (u->name)
    unlink(u->name);
}

void ghz_unfinished_free(unfinished_file *u) {
  free(u->name);
  free(u->path);
  *u = (unfinished_file){.fd = -1};
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* A write whose SIGXFSZ waits for this thread, and is taken away. */
static ssize_t write_some(int fd, const void *data, size_t size) {
  sigset_t limit, before;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  const int held = pthread_sigmask(SIG_BLOCK, &limit, &before) == 0;
  const ssize_t n = write(fd, data, size);
  const int error = errno;
  if (held && n < 0 && error == EFBIG)
    sigtimedwait(&limit, NULL, &(struct timespec){0});
  if (held)
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return n;
}

int ghz_write_all(int fd, const void *data, size_t size) {
  for (const uint8_t *from = data; size > 0;) {
    const ssize_t n = write_some(fd, from, size < ((size_t)1 << 30) ? size : (size_t)1 << 30);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n == 0 ? ENOSPC : errno; /* 0: a device that takes nothing, and no endless loop */
    from += n;
    size -= (size_t)n;
  }
  return 0;
}
