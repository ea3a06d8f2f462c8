/* sink.c: owns writing files by name, for writers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include "file/writer/sink.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "file/errors.h"

static ghz_status system_failed(const char *path, int error) {
  if (error == 0)
    return GHZ_OK;
  return ghz_file_fail(path, error == ENOMEM ? GHZ_ENOMEM : GHZ_EIO, "%s", strerror(error));
}

/* A file that its owner protected from writing is not replaced, either. */
ghz_status ghz_sink_create(const char *path, unfinished_file *file) {
  struct stat old;
  const int there = stat(path, &old) == 0;
  if (there && !S_ISREG(old.st_mode))
    return ghz_file_fail(path, GHZ_EINVAL, "is there, and no regular file");
  if (there && access(path, W_OK) != 0)
    return system_failed(path, errno);
  return system_failed(path, ghz_unfinished_create(file, path, there ? &old : NULL));
}

static const char *write_bytes(void *user, const void *data, size_t size) {
  const int error = ghz_write_all(((const unfinished_file *)user)->fd, data, size);
  return error ? strerror(error) : NULL;
}

ghz_file_sink ghz_sink_calls(unfinished_file *file, const char *path) {
  return (ghz_file_sink){.user = file, .name = path, .write = write_bytes};
}

ghz_status ghz_sink_commit(unfinished_file *file, const char *path) {
  const ghz_status status = system_failed(path, ghz_unfinished_commit(file, 0));
  ghz_unfinished_free(file);
  return status;
}
