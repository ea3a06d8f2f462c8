/* sink.c: owns writing files by name: an unfinished file, renamed at the end or removed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include "file/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "file/fault.h"

struct path_sink {
  int fd;
  char *path; /* where links lead to */
  char *unfinished;
  int replaces; /* a file that is there: it is not given up for one that is not on the disk yet */
};

static ghz_status system_failed(const char *path) {
  return ghz_file_fail(path, errno == ENOMEM ? GHZ_ENOMEM : GHZ_EIO, "%s", strerror(errno));
}

/* "folder/.ghz-XXXXXX" */
static char *name_beside(const char *path) {
  static const char pattern[] = ".ghz-XXXXXX";
  const char *slash = strrchr(path, '/');
  const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  char *name = malloc(folder + sizeof pattern);
  if (name) {
    memcpy(name, path, folder);
    memcpy(name + folder, pattern, sizeof pattern);
  }
  return name;
}

/* Puts letters and digits in the place of "XXXXXX": others for each sink, and at each time. */
static void choose_letters(const path_sink *s) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  struct timespec now = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t number = (uint64_t)(uintptr_t)s + ((uint64_t)getpid() << 40) + (uint64_t)now.tv_sec * 1000000000 +
                    (uint64_t)now.tv_nsec;
  number = number * 0x9e3779b97f4a7c15 >> 32;
  for (char *p = s->unfinished + strlen(s->unfinished) - 6; *p; p++, number /= sizeof letters - 1)
    *p = letters[number % (sizeof letters - 1)];
}

/* As mkstemp(), but with a mode from which the system takes the umask. To look at the umask is to
 * change it, for all threads. */
static int open_new(const path_sink *s, mode_t mode) {
  int fd = -1;
  for (int turn = 0; turn < 100; turn++) {
    choose_letters(s);
    fd = open(s->unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0 || (errno != EEXIST && errno != EINTR))
      break;
  }
  return fd;
}

/* The unfinished file gets the mode of the file that it will replace, or that of new files. */
static ghz_status open_unfinished(path_sink *s, const char *path, const struct stat *old) {
  s->unfinished = name_beside(s->path);
  if (!s->unfinished)
    return system_failed(path);
  s->fd = open_new(s, old ? 0600 : 0666);
  if (s->fd < 0) {
    const ghz_status status = system_failed(path);
    free(s->unfinished); /* whose name may be that of another's file */
    s->unfinished = NULL;
    return status;
  }
  if (old && fchmod(s->fd, old->st_mode & 0777) != 0)
    errno = 0; /* a file system without modes */
  return GHZ_OK;
}

static ghz_status create(path_sink *s, const char *path) {
  struct stat old;
  s->path = realpath(path, NULL);
  if (!s->path && errno == ENOENT)
    s->path = strdup(path);
  if (!s->path)
    return system_failed(path);
  s->replaces = stat(s->path, &old) == 0;
  if (s->replaces && !S_ISREG(old.st_mode))
    return ghz_file_fail(path, GHZ_EINVAL, "is there, and no regular file");
  return open_unfinished(s, path, s->replaces ? &old : NULL);
}

ghz_status ghz_sink_create(const char *path, path_sink **sink) {
  path_sink *s = calloc(1, sizeof *s);
  if (!s)
    return ghz_file_fail(path, GHZ_ENOMEM, "out of memory");
  s->fd = -1;
  const ghz_status status = create(s, path);
  if (status == GHZ_OK)
    *sink = s;
  else
    ghz_sink_discard(s);
  return status;
}

static const char *write_all(void *user, const void *data, size_t size) {
  const path_sink *s = user;
  const uint8_t *from = data;
  while (size > 0) {
    const ssize_t n = write(s->fd, from, size < ((size_t)1 << 30) ? size : (size_t)1 << 30);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) /* 0: a broken device, and no endless loop */
      return n == 0 ? "writes nothing" : strerror(errno);
    from += n;
    size -= (size_t)n;
  }
  return NULL;
}

ghz_file_sink ghz_sink_calls(path_sink *s, const char *path) {
  return (ghz_file_sink){.user = s, .name = path, .write = write_all};
}

ghz_status ghz_sink_commit(path_sink *s, const char *path) {
  const int fd = s->fd;
  s->fd = -1;
  ghz_status status = GHZ_OK;
  if (s->replaces && fsync(fd) != 0)
    status = system_failed(path);
  if (close(fd) != 0 && errno != EINTR && status == GHZ_OK)
    status = system_failed(path);
  if (status == GHZ_OK && rename(s->unfinished, s->path) != 0)
    status = system_failed(path);
  if (status == GHZ_OK) {
    free(s->unfinished);
    s->unfinished = NULL;
  }
  ghz_sink_discard(s);
  return status;
}

void ghz_sink_discard(path_sink *s) {
  if (!s)
    return;
  if (s->fd >= 0)
    close(s->fd);
  if (s->unfinished)
    unlink(s->unfinished);
  free(s->unfinished);
  free(s->path);
  free(s);
}
