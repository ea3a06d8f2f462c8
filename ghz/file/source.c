/* source.c: owns reading bytes: at any position or in a row, from a descriptor or by calls. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/errors.h"

#define PIECE_MAX ((size_t)1 << 30) /* bytes of a call: some systems take no more than 2^31 */

/* ---- A path ---------------------------------------------------------------------------------- */

/* What a source of a descriptor has as its `user`. */
static int descriptor(void *user) {
  return (int)(intptr_t)user;
}

static const char *read_all(int fd, uint64_t offset, int seekable, uint8_t *to, size_t size, size_t *got) {
  for (*got = 0; *got < size;) {
    const size_t piece = size - *got < PIECE_MAX ? size - *got : PIECE_MAX;
    const ssize_t n =
        seekable ? pread(fd, to + *got, piece, (off_t)(offset + *got)) : read(fd, to + *got, piece);
    if (n < 0 && errno != EINTR)
      return strerror(errno);
    if (n == 0)
      break;
    *got += n > 0 ? (size_t)n : 0;
  }
  return NULL;
}

static const char *read_next(void *user, void *to, size_t size, size_t *got) {
  return read_all(descriptor(user), 0, 0, to, size, got);
}

static const char *read_at(void *user, uint64_t offset, void *to, size_t size, size_t *got) {
  return read_all(descriptor(user), offset, 1, to, size, got);
}

static void close_descriptor(void *user) {
  close(descriptor(user));
}

ghz_file_source ghz_source_of_file(const char *path, int fd, uint64_t size) {
  return (ghz_file_source){
      .user = (void *)(intptr_t)fd, .name = path, .read = read_next, .read_at = read_at, .size = size};
}

ghz_status ghz_source_of_path(const char *path, ghz_file_source *source) {
  struct stat is = {0};
  int fd;
  do
    fd = open(path, O_RDONLY | O_CLOEXEC);
  while (fd < 0 && errno == EINTR);
  if (fd < 0 || fstat(fd, &is) != 0 || S_ISDIR(is.st_mode)) {
    const ghz_status status = fd >= 0 && S_ISDIR(is.st_mode)
                                  ? ghz_file_fail(path, GHZ_EINVAL, "is a directory")
                                  : ghz_file_fail(path, GHZ_EIO, "%s", strerror(errno));
    if (fd >= 0)
      close(fd);
    return status;
  }
  *source = ghz_source_of_file(path, fd, (uint64_t)is.st_size);
  source->close = close_descriptor;
  if (!S_ISREG(is.st_mode))
    source->read_at = NULL;
  return GHZ_OK;
}

/* ---- Any source ------------------------------------------------------------------------------ */

ghz_status ghz_source_read(const ghz_file_source *s, uint64_t *position, void *to, size_t size, size_t *got) {
  *got = 0;
  const char *why =
      s->read_at ? s->read_at(s->user, *position, to, size, got) : s->read(s->user, to, size, got);
  if (why)
    return ghz_file_fail(s->name, GHZ_EIO, "%s", why);
  *got = *got < size ? *got : size;
  *position += *got;
  return GHZ_OK;
}

ghz_status ghz_source_take(const ghz_file_source *s, uint64_t *position, void *to, size_t size,
                           const char *what) {
  size_t got;
  const ghz_status status = ghz_source_read(s, position, to, size, &got);
  return status == GHZ_OK && got < size ? ghz_file_fail(s->name, GHZ_ECORRUPT, "truncated: ends in %s", what)
                                        : status;
}

ghz_status ghz_source_read_at(const ghz_file_source *s, uint64_t offset, void *to, size_t size) {
  size_t got;
  ghz_status status = ghz_source_read(s, &offset, to, size, &got);
  if (status == GHZ_OK && got < size)
    status = ghz_file_fail(s->name, GHZ_ECORRUPT, "was truncated by another process while being read");
  return status;
}
