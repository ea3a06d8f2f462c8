/* sink.c: owns writing files by name, for writers, and which of them may. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "file/writer/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "file/errors.h"

static ghz_status system_failed(const char *path, int error) {
  if (error == 0)
    return GHZ_OK;
  return ghz_file_fail(path, error == ENOMEM ? GHZ_ENOMEM : GHZ_EIO, "%s", strerror(error));
}

/* ---- New files ------------------------------------------------------------------------------- */

/* A file that its owner protected from writing is not replaced, either. */
ghz_status ghz_sink_create(const char *path, unfinished_file *file) {
  struct stat old;
  const int there = stat(path, &old) == 0;
  if (there && !S_ISREG(old.st_mode))
    return ghz_file_fail(path, GHZ_EINVAL, "is there, and no regular file");
  if (there && access(path, W_OK) != 0)
    return system_failed(path, errno);
  return system_failed(path, ghz_unfinished_create(file, path, 0, there ? &old : NULL));
}

/* ---- Files that are appended to -------------------------------------------------------------- */

/* A lock of the open file, so that two threads of a process exclude each other, too. Where the file
 * system has no locks, nothing does. */
static ghz_status lock(int fd, const char *path) {
  int locked;
  do
    locked = flock(fd, LOCK_EX | LOCK_NB);
  while (locked != 0 && errno == EINTR);
  if (locked != 0 && errno == EWOULDBLOCK)
    return ghz_file_fail(path, GHZ_EBUSY,
                         "is being appended to by another writer: append when it has finished");
  return GHZ_OK;
}

/* Opens and locks what the path names. *replaced: by now it names another file. */
static ghz_status open_locked(const char *path, int *fd, int *replaced) {
  struct stat own, named;
  do
    *fd = open(path, O_RDWR | O_CLOEXEC);
  while (*fd < 0 && errno == EINTR);
  if (*fd < 0 && errno == EISDIR)
    return ghz_file_fail(path, GHZ_EINVAL, "is a directory");
  if (*fd < 0 || fstat(*fd, &own) != 0)
    return system_failed(path, errno);
  if (!S_ISREG(own.st_mode))
    return ghz_file_fail(path, GHZ_EINVAL, "is no regular file");
  const ghz_status status = lock(*fd, path);
  *replaced = stat(path, &named) != 0 || named.st_ino != own.st_ino || named.st_dev != own.st_dev;
  return status;
}

ghz_status ghz_sink_open(const char *path, unfinished_file *file) {
  int replaced = 0;
  *file = (unfinished_file){.fd = -1};
  ghz_status status = open_locked(path, &file->fd, &replaced);
  while (status == GHZ_OK && replaced) {
    close(file->fd);
    status = open_locked(path, &file->fd, &replaced);
  }
  if (status != GHZ_OK)
    ghz_unfinished_remove(file);
  return status;
}

ghz_status ghz_sink_seek(const unfinished_file *file, const char *path, uint64_t at) {
  return system_failed(path, lseek(file->fd, (off_t)at, SEEK_SET) < 0 ? errno : 0);
}

ghz_status ghz_sink_sync(const unfinished_file *file, const char *path) {
  return system_failed(path, fsync(file->fd) != 0 ? errno : 0);
}

int ghz_sink_cut(const unfinished_file *file, uint64_t size) {
  return ftruncate(file->fd, (off_t)size) != 0 ? errno : 0;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static const char *write_bytes(void *user, const void *data, size_t size) {
  const int error = ghz_write_all(((const unfinished_file *)user)->fd, data, size);
  return error ? strerror(error) : NULL;
}

ghz_file_sink ghz_sink_calls(unfinished_file *file, const char *path) {
  return (ghz_file_sink){.user = file, .name = path, .write = write_bytes};
}

ghz_status ghz_sink_rewrite(const unfinished_file *file, const char *path, const void *data, size_t size) {
  const off_t end = lseek(file->fd, 0, SEEK_CUR);
  ghz_status status = end < 0 ? system_failed(path, errno) : ghz_sink_seek(file, path, 0);
  if (status == GHZ_OK)
    status = system_failed(path, ghz_write_all(file->fd, data, size));
  return status == GHZ_OK ? ghz_sink_seek(file, path, (uint64_t)end) : status;
}

/* ---- The end --------------------------------------------------------------------------------- */

ghz_status ghz_sink_settle(unfinished_file *file, const char *path) {
  ghz_status status = lock(file->fd, path);
  return status == GHZ_OK ? system_failed(path, ghz_unfinished_settle(file, 0)) : status;
}

ghz_status ghz_sink_commit(unfinished_file *file, const char *path) {
  const ghz_status status = system_failed(path, ghz_unfinished_commit(file, 0));
  ghz_unfinished_free(file);
  return status;
}
