/* file.c: owns reading bytes, from regular files and from pipes, and memory that grows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "output.h"
#include "report/report.h"
#include "report/text.h"

bool buffer_reserve(buffer *b, size_t capacity, const char *name) {
  if (capacity <= b->capacity && b->data)
    return true;
  unsigned char *data = realloc(b->data, capacity ? capacity : 1);
  if (!data)
    return fail(name, "out of memory (%s needed)", text_bytes(capacity).text);
  b->data = data;
  b->capacity = capacity;
  return true;
}

void buffer_free(buffer *b) {
  free(b->data);
  *b = (buffer){0};
}

/* ---- Files ----------------------------------------------------------------------------------- */

#define PIECE ((size_t)1 << 20) /* bytes per read when copying */

static bool open_descriptor(file *f) {
  do
    f->fd = f->path ? open(f->path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  while (f->fd < 0 && errno == EINTR);
  return f->fd >= 0 ||
         fail(f->name, "%s%s", strerror(errno),
              errno == EMFILE ? ": all operands are open at a time; ulimit -n raises the limit" : "");
}

/* Notes which file it is, and whether it can be read at any position. */
static bool look_at(file *f) {
  struct stat status;
  if (fstat(f->fd, &status) != 0)
    return fail(f->name, "%s", strerror(errno));
  if (S_ISDIR(status.st_mode))
    return fail(f->name, "is a directory");
  f->mode = status.st_mode;
  f->device = status.st_dev;
  f->inode = status.st_ino;
  f->changed = status.st_mtim;
  f->seekable = S_ISREG(status.st_mode);
  if (!f->seekable)
    return true;
  off_t at = lseek(f->fd, 0, SEEK_CUR);
  if (at < 0)
    return fail(f->name, "%s", strerror(errno));
  f->origin = f->position = (uint64_t)at;
  f->size = status.st_size > at ? (uint64_t)status.st_size : (uint64_t)at;
  return true;
}

bool file_open(file *f, const char *path) {
  bool standard = strcmp(path, "-") == 0;
  *f = (file){.path = standard ? NULL : path, .name = standard ? "standard input" : path, .fd = -1};
  if (path[0] == '\0')
    return fail("''", "the name of the file is empty");
  if (!open_descriptor(f))
    return false;
  bool ok = look_at(f);
  if (!ok)
    file_close(f);
  return ok;
}

static bool is_same(const file *f, const struct stat *status) {
  return status->st_dev == f->device && status->st_ino == f->inode;
}

bool file_unchanged(const file *f) {
  struct stat now;
  if (stat(f->path, &now) != 0)
    return fail(f->name, "%s", strerror(errno));
  return (is_same(f, &now) && (uint64_t)now.st_size == f->size && now.st_mtim.tv_sec == f->changed.tv_sec &&
          now.st_mtim.tv_nsec == f->changed.tv_nsec) ||
         fail(f->name, "was changed or replaced while it was read");
}

void files_raise_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

void file_close(file *f) {
  if (f->fd >= 0 && f->path)
    close(f->fd);
  f->fd = -1;
  f->seekable = false;
}

/* One read, again if a signal interrupts it. */
static ssize_t read_some(file *f, void *to, size_t size) {
  size_t piece = size < ((size_t)1 << 30) ? size : (size_t)1 << 30;
  ssize_t n;
  do
    n = f->seekable ? pread(f->fd, to, piece, (off_t)f->position) : read(f->fd, to, piece);
  while (n < 0 && errno == EINTR);
  return n;
}

bool file_read(file *f, void *to, size_t size, size_t *got) {
  unsigned char *out = to;
  *got = f->ahead_size < size ? f->ahead_size : size;
  memcpy(out, f->ahead, *got);
  f->ahead_size -= *got;
  memmove(f->ahead, f->ahead + *got, f->ahead_size);
  f->position += *got;
  while (*got < size) {
    ssize_t n = read_some(f, out + *got, size - *got);
    if (n < 0)
      return fail(f->name, "%s", strerror(errno));
    if (n == 0)
      break;
    *got += (size_t)n;
    f->position += (uint64_t)n;
  }
  return true;
}

bool file_peek(file *f, void *to, size_t size, size_t *got) {
  unsigned char next[FILE_AHEAD];
  uint64_t position = f->position;
  size_t want = f->ahead_size > size ? f->ahead_size : size < FILE_AHEAD ? size : FILE_AHEAD;
  if (!file_read(f, next, want, got))
    return false;
  f->position = position;
  if (!f->seekable) {
    memcpy(f->ahead, next, *got);
    f->ahead_size = *got;
  }
  if (*got > size)
    *got = size;
  memcpy(to, next, *got);
  return true;
}

static bool copy_rest(file *f, int to, const char *directory, file_source *source, void *user) {
  buffer piece = {0};
  bool ok = buffer_reserve(&piece, PIECE, f->name);
  uint64_t done = 0;
  for (size_t n = 1; ok && n; done += n) {
    ok = source ? source(user, &piece, &n) : file_read(f, piece.data, PIECE, &n);
    const int error = ok ? ghz_write_all(to, piece.data, n) : 0;
    if (error)
      ok = fail(f->name, "temporary file in %s: %s (TMPDIR names another directory%s)", directory,
                strerror(error), source ? "" : "; --abs needs none");
    progress_set(done);
  }
  f->size = done;
  buffer_free(&piece);
  return ok;
}

bool file_spool(file *f, file_source *source, void *user) {
  const char *directory;
  int fd = signals_scratch(&directory);
  if (fd < 0)
    return fail(f->name, "temporary file in %s: %s", directory, strerror(errno));
  progress_begin("reading", UINT64_MAX, 1);
  bool ok = copy_rest(f, fd, directory, source, user);
  progress_end();
  if (!ok) {
    close(fd);
    return false;
  }
  file_close(f);
  f->fd = fd;
  f->seekable = true;
  f->origin = f->position = 0;
  return true;
}

bool file_differs(const file *f, const char *path) {
  struct stat status;
  if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
    return true;
  if (!is_same(f, &status))
    return true;
  return fail(path, "is the input itself; name another output");
}

bool name_ends(const char *name, const char *extension) {
  size_t n = strlen(name), e = strlen(extension);
  return n > e && strcasecmp(name + n - e, extension) == 0;
}
