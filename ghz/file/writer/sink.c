/* sink.c: owns writing files by name, for writers, and which of them may. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "file/writer/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "file/errors.h"

static ghz_status system_failed(const char *path, int error) {
  if (error == 0)
    return GHZ_OK;
  return ghz_file_fail(path,
                       error == ENOMEM        ? GHZ_ENOMEM
                       : error == EWOULDBLOCK ? GHZ_EBUSY
                                              : GHZ_EIO,
                       "%s", ghz_file_why(error));
}

/* ---- New files ------------------------------------------------------------------------------- */

/* A file that its owner protected from writing is not replaced, either. */
ghz_status ghz_sink_create(const char *path, temporary_file *file) {
  struct stat old;
  const int there = stat(path, &old) == 0;
  if (there && !S_ISREG(old.st_mode))
    return ghz_file_fail(path, GHZ_EINVAL, "is there, and no regular file");
  if (there && access(path, W_OK) != 0)
    return system_failed(path, errno);
  return system_failed(path, ghz_temporary_create(file, path, 0, there ? &old : NULL));
}

ghz_status ghz_sink_publish(temporary_file *file, const char *path) {
  return system_failed(path, ghz_temporary_publish(file, 0));
}

/* ---- Files that are appended to -------------------------------------------------------------- */

/* The lock is that of the open file, so that two threads of a process exclude each other, too. */
ghz_status ghz_sink_open(const char *path, temporary_file *file) {
  struct stat own;
  *file = NOT_OPEN;
  file->folder = open(".", O_PATH | O_CLOEXEC);
  const int error = ghz_file_lock(path, O_RDWR, LOCK_EX, &file->fd);
  if (error == 0 && fstat(file->fd, &own) == 0 && S_ISREG(own.st_mode))
    return GHZ_OK;
  ghz_temporary_remove(file);
  return error && error != EISDIR
             ? system_failed(path, error)
             : ghz_file_fail(path, GHZ_EINVAL, "is %s", error ? "a directory" : "no regular file");
}

ghz_status ghz_sink_seek(const temporary_file *file, const char *path, uint64_t at, int cut) {
  const int failed = (cut && ftruncate(file->fd, (off_t)at) != 0) || lseek(file->fd, (off_t)at, SEEK_SET) < 0;
  return system_failed(path, failed ? errno : 0);
}

ghz_status ghz_sink_sync(const temporary_file *file, const char *path) {
  return system_failed(path, fsync(file->fd) != 0 ? errno : 0);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static const char *write_bytes(void *user, const void *data, size_t size) {
  const int error = ghz_write_all(((const temporary_file *)user)->fd, data, size);
  return error ? strerror(error) : NULL;
}

ghz_file_sink ghz_sink_calls(temporary_file *file, const char *path) {
  return (ghz_file_sink){.user = file, .name = path, .write = write_bytes};
}
