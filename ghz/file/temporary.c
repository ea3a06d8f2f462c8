/* temporary.c: owns how a file appears, or is replaced: by another, when that is complete. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* O_TMPFILE */
#include "file/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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
static void choose_letters(char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  struct timespec now = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t number = (uint64_t)(uintptr_t)name + ((uint64_t)getpid() << 40) + (uint64_t)now.tv_sec * 1000000000 +
                    (uint64_t)now.tv_nsec;
  number = number * 0x9e3779b97f4a7c15 >> 32;
  for (char *p = name + strlen(name) - 6; *p; p++, number /= sizeof letters - 1)
    *p = letters[number % (sizeof letters - 1)];
}

#define OTHER_NAME ".ghz-XXXXXX"
enum { TURNS = 100 }; /* of what others may have been faster in */

/* ---- The lock -------------------------------------------------------------------------------- */

int ghz_file_is_named(int fd, int folder, const char *path) {
  struct stat own, named;
  if (fstat(fd, &own) != 0)
    return 0;
  if (fstatat(folder, path, &named, 0) == 0)
    return own.st_ino == named.st_ino && own.st_dev == named.st_dev;
  return errno != ENOENT && errno != ENOTDIR && own.st_nlink > 0; /* the folder cannot be searched */
}

const char *ghz_file_why(int error) {
  return error == EWOULDBLOCK ? "is being appended to by another writer, or replaced: wait until that is done"
                              : strerror(error);
}

/* Unlocks what a child that was forked meanwhile would keep locked. */
static void let_go(int *fd) {
  if (*fd >= 0) {
    flock(*fd, LOCK_UN);
    close(*fd);
  }
  *fd = -1;
}

int ghz_file_lock(const char *path, int flags, int how, int *fd) {
  int error = 0;
  for (int turn = 0; turn < TURNS && !(*fd >= 0 && ghz_file_is_named(*fd, AT_FDCWD, path)); turn++) {
    let_go(fd);
    *fd = open(path, flags | O_CLOEXEC);
    error = *fd < 0 || flock(*fd, how | LOCK_NB) != 0 ? errno : 0;
    if (error && (*fd < 0 || error == EWOULDBLOCK || error == EINTR)) /* or a file system has no locks */
      let_go(fd);
    if (*fd < 0 && error != EINTR)
      return error;
  }
  return *fd < 0 ? error : 0;
}

/* Keeps writers from appending to the file that has the name, which by now may be another. Those of
 * one that cannot be opened find out that it was replaced. */
static int hold_old(temporary_file *u) {
  const int error = ghz_file_lock(u->path, O_RDONLY | O_NONBLOCK, LOCK_SH, &u->old);
  return error == EWOULDBLOCK ? error : 0;
}

/* ---- Beginning ------------------------------------------------------------------------------- */

/* A file without a name, which is gone with the process. It gets one by way of its descriptor's. */
static int create_nameless(temporary_file *u, mode_t mode) {
#ifdef O_TMPFILE
  char own[32];
  char *folder = beside(u->path, "."); /* nothing else ends a path that may be relative */
  const int fd = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode) : -1;
  free(folder);
  snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
  u->name = fd >= 0 && access(own, F_OK) == 0 ? strdup(own) : NULL;
  u->nameless = u->name != NULL;
  if (u->nameless)
    u->fd = fd;
  else if (fd >= 0)
    close(fd);
#endif
  return u->nameless;
}

/* As mkstemp(), but with a mode from which the system takes the umask. To look at the umask is to
 * change it, for all threads. */
static void create_named(temporary_file *u, mode_t mode) {
  u->name = beside(u->path, OTHER_NAME);
  for (int turn = 0; u->name && turn < TURNS; turn++) {
    choose_letters(u->name);
    u->fd = open(u->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (u->fd >= 0 || (errno != EEXIST && errno != EINTR))
      break;
  }
}

int ghz_temporary_create(temporary_file *u, const char *path, int named, const struct stat *old) {
  const mode_t mode = old ? 0600 : 0666;
  *u = NOT_OPEN;
  u->path = final_path(path, LINKS_MAX);
  u->folder = open(".", O_PATH | O_CLOEXEC);
  u->synced = old != NULL;
  int error = u->path == NULL ? errno : old ? hold_old(u) : 0;
  if (u->path && error == 0 && (named || !create_nameless(u, mode)))
    create_named(u, mode);
  if (u->fd < 0) {
    error = error ? error : errno;
    let_go(&u->old);
    let_go(&u->folder);
    ghz_temporary_free(u); /* without removing: the name may be that of another's file */
    return error;
  }
  if (old && fchmod(u->fd, old->st_mode & 0777) != 0)
    errno = 0; /* a file system without modes */
  return 0;
}

/* ---- The name -------------------------------------------------------------------------------- */

static int link_to(const temporary_file *u, const char *path) {
  return linkat(AT_FDCWD, u->name, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

/* A link replaces nothing: for that it takes another name, for a moment. */
static int replace_nameless(const temporary_file *u) {
  char *other = beside(u->path, OTHER_NAME);
  int error = other ? EEXIST : ENOMEM;
  for (int turn = 0; error == EEXIST && turn < TURNS; turn++) {
    choose_letters(other);
    error = link_to(u, other);
  }
  if (error == 0) {
    error = rename(other, u->path) == 0 ? 0 : errno;
    if (error)
      unlink(other);
  }
  free(other);
  return error;
}

static int take_name(const temporary_file *u, int only_if_absent) {
  const int error = u->nameless || only_if_absent ? link_to(u, u->path) : EEXIST;
  if (error == 0 && !u->nameless)
    unlink(u->name);
  if (error == 0 || (error == EEXIST && only_if_absent))
    return error;
  if (u->nameless)
    return error == EEXIST ? replace_nameless(u) : error;
  return rename(u->name, u->path) == 0 ? 0 : errno; /* also on a file system without links */
}

/* What the system says when a file is closed, while it stays open. */
static int close_copy(int fd) {
  const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return copy < 0 || (close(copy) != 0 && errno != EINTR) ? errno : 0;
}

int ghz_temporary_publish(temporary_file *u, int only_if_absent) {
  int error = u->synced && fsync(u->fd) != 0 ? errno : close_copy(u->fd);
  if (error == 0 && !only_if_absent)
    error = hold_old(u);
  if (error == 0)
    error = take_name(u, only_if_absent);
  if (error)
    return error;
  let_go(&u->old);
  free(u->name);
  u->name = NULL;
  return 0;
}

void ghz_temporary_remove(temporary_file *u) {
  let_go(&u->fd);
  let_go(&u->old);
  let_go(&u->folder);
  if (u->name && !u->nameless)
    unlink(u->name);
}

void ghz_temporary_free(temporary_file *u) {
  free(u->name);
  free(u->path);
  *u = NOT_OPEN;
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
