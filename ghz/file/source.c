/* source.c: owns reading bytes: at any position or in a row, from a descriptor or by calls. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/errors.h"

#define PIECE_MAX ((size_t)1 << 30) /* bytes of a call: some systems take no more than 2^31 */

/* ---- A path ---------------------------------------------------------------------------------- */

typedef struct descriptor {
  int fd;
} descriptor;

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
  return read_all(((const descriptor *)user)->fd, 0, 0, to, size, got);
}

static const char *read_at(void *user, uint64_t offset, void *to, size_t size, size_t *got) {
  return read_all(((const descriptor *)user)->fd, offset, 1, to, size, got);
}

static void close_descriptor(void *user) {
  close(((descriptor *)user)->fd);
  free(user);
}

static ghz_status fill_in(const char *path, int fd, ghz_file_source *source) {
  struct stat status;
  if (fstat(fd, &status) != 0)
    return ghz_file_fail(path, GHZ_EIO, "%s", strerror(errno));
  if (S_ISDIR(status.st_mode))
    return ghz_file_fail(path, GHZ_EINVAL, "is a directory");
  descriptor *d = malloc(sizeof *d);
  if (!d)
    return ghz_file_fail(path, GHZ_ENOMEM, "out of memory");
  d->fd = fd;
  *source = (ghz_file_source){.user = d, .name = path, .read = read_next, .close = close_descriptor};
  if (S_ISREG(status.st_mode)) {
    source->read_at = read_at;
    source->size = (uint64_t)status.st_size;
  }
  return GHZ_OK;
}

/* Takes a descriptor, or says why there is none. */
static ghz_status take(const char *path, int fd, ghz_file_source *source) {
  if (fd < 0)
    return ghz_file_fail(path, GHZ_EIO, "%s", strerror(errno));
  const ghz_status status = fill_in(path, fd, source);
  if (status != GHZ_OK)
    close(fd);
  return status;
}

ghz_status ghz_source_of_path(const char *path, ghz_file_source *source) {
  int fd;
  do
    fd = open(path, O_RDONLY | O_CLOEXEC);
  while (fd < 0 && errno == EINTR);
  return take(path, fd, source);
}

ghz_status ghz_source_of_descriptor(const char *path, int fd, ghz_file_source *source) {
  return take(path, fcntl(fd, F_DUPFD_CLOEXEC, 0), source);
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

ghz_status ghz_source_read_at(const ghz_file_source *s, uint64_t offset, void *to, size_t size) {
  size_t got;
  ghz_status status = ghz_source_read(s, &offset, to, size, &got);
  if (status == GHZ_OK && got < size)
    status = ghz_file_fail(s->name, GHZ_ECORRUPT, "was truncated by another process while being read");
  return status;
}
