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
#include <unistd.h>

#include "file/fault.h"

struct path_sink {
  int fd;
  char *path; /* where links lead to */
  char *unfinished;
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

/* The unfinished file gets the mode of the file that it will replace, or that of new files. */
static void set_mode(int fd, const char *path) {
  struct stat old;
  mode_t mode = 0;
  if (stat(path, &old) == 0) {
    mode = old.st_mode & 0777;
  } else {
    const mode_t mask = umask(0);
    umask(mask);
    mode = 0666 & ~mask;
  }
  if (fchmod(fd, mode) != 0)
    errno = 0; /* a file system without modes */
}

static ghz_status create(path_sink *s, const char *path) {
  struct stat status;
  s->path = realpath(path, NULL);
  if (!s->path && errno == ENOENT)
    s->path = strdup(path);
  if (!s->path)
    return system_failed(path);
  if (stat(s->path, &status) == 0 && !S_ISREG(status.st_mode))
    return ghz_file_fail(path, GHZ_EINVAL, "is there, and no regular file");
  s->unfinished = name_beside(s->path);
  if (!s->unfinished)
    return system_failed(path);
  s->fd = mkstemp(s->unfinished);
  if (s->fd < 0)
    return system_failed(path);
  if (fcntl(s->fd, F_SETFD, FD_CLOEXEC) != 0)
    return system_failed(path);
  set_mode(s->fd, s->path);
  return GHZ_OK;
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
  if (close(fd) != 0 && errno != EINTR)
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
  if (s->fd >= 0) {
    close(s->fd);
  }
  if (s->unfinished)
    unlink(s->unfinished);
  free(s->unfinished);
  free(s->path);
  free(s);
}
