/* output.c: owns writing: a temporary file in the same directory, renamed at the end or removed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "report/report.h"
#include "signals.h"

enum { LINKS_MAX = 40 }; /* as Linux */

/* Uses a descriptor that is written directly, without a temporary file. */
static bool take_descriptor(output *out, int fd) {
  out->fd = fd;
  if (fd < 0)
    return fail(out->name, "%s", strerror(errno));
  if (!isatty(fd) || out->force)
    return true;
  output_discard(out);
  return fail(out->name, "binary data is not written to a terminal; use -o FILE, or -f to force");
}

static bool open_standard(output *out) {
  out->name = "standard output";
  out->standard = true;
  return take_descriptor(out, STDOUT_FILENO);
}

/* Opens a device or a named pipe, which cannot be replaced by a file. */
static bool open_special(output *out, const char *path) {
  return take_descriptor(out, open(path, O_WRONLY | O_CLOEXEC));
}

/* A name in the directory of a path. */
static char *beside(const char *path, const char *name) {
  const char *slash = name[0] == '/' ? NULL : strrchr(path, '/');
  size_t directory = slash ? (size_t)(slash - path) + 1 : 0;
  char *text = malloc(directory + strlen(name) + 1);
  if (text) {
    memcpy(text, path, directory);
    strcpy(text + directory, name);
  }
  return text;
}

/* The target of a symbolic link. NULL, with errno, on failure: EINVAL if the path is no link. */
static char *follow(const char *path) {
  char target[PATH_MAX];
  ssize_t n = readlink(path, target, sizeof target);
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
  int error = most > 0 ? errno : ELOOP;
  free(next);
  errno = error;
  return end;
}

/* The temporary file gets the mode of the file that it will replace: a private file stays
 * private. */
static bool open_temporary(output *out, const char *path, const struct stat *old) {
  out->path = final_path(path, LINKS_MAX);
  out->temporary = out->path ? beside(out->path, ".ghz-XXXXXX") : NULL;
  if (out->temporary)
    out->fd = signals_mkstemp(out->temporary);
  if (out->fd < 0) {
    fail(path, "cannot be created: %s", strerror(errno));
    free(out->temporary);
    out->temporary = NULL;
    return false;
  }
  mode_t mask = umask(0);
  umask(mask);
  /* mkstemp made it 0600; a file system without modes is no error */
  fchmod(out->fd, old ? old->st_mode & 0777 : 0666 & ~mask);
  return true;
}

bool output_open(output *out, const char *path, bool force) {
  *out = (output){.name = path, .fd = -1, .force = force};
  if (strcmp(path, "-") == 0)
    return open_standard(out);
  struct stat status, link_status;
  bool exists = stat(path, &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return fail(path, "is a directory");
  if (exists && !S_ISREG(status.st_mode))
    return open_special(out, path);
  if (!force && (exists || lstat(path, &link_status) == 0))
    return fail(path, "already exists; use -f to overwrite it");
  bool ok = open_temporary(out, path, exists ? &status : NULL);
  if (!ok)
    output_discard(out);
  return ok;
}

/* Prints why, unless the reader of standard output closed it: then only the exit code tells. */
static bool write_failed(const output *out) {
  return out->standard && errno == EPIPE ? false : fail(out->name, "%s", strerror(errno));
}

bool output_write(output *out, const void *data, size_t size) {
  if (!write_all(out->fd, data, size))
    return write_failed(out);
  out->bytes += size;
  return true;
}

bool output_rewrite_start(output *out, const void *data, size_t size) {
  if (lseek(out->fd, 0, SEEK_SET) != 0 || !write_all(out->fd, data, size))
    return fail(out->name, "%s", strerror(errno));
  return true;
}

/* Gives the temporary file its name. Without force, link() fails where a file has appeared
 * meanwhile. */
static bool take_name(output *out) {
  if (!out->force) {
    if (link(out->temporary, out->path) == 0) {
      unlink(out->temporary);
      return true;
    }
    if (errno == EEXIST)
      return fail(out->name, "already exists; use -f to overwrite it");
  }
  return rename(out->temporary, out->path) == 0 || fail(out->name, "%s", strerror(errno));
}

bool output_sync(const output *out) {
  return !out->temporary || fsync(out->fd) == 0 || fail(out->name, "%s", strerror(errno));
}

bool output_commit(output *out) {
  bool ok = true;
  int fd = out->fd;
  if (fd >= 0 && fd != STDOUT_FILENO) {
    out->fd = -1;
    if (close(fd) != 0 && errno != EINTR)
      ok = fail(out->name, "%s", strerror(errno));
  }
  if (ok && out->temporary) {
    ok = take_name(out);
    if (ok) {
      signals_forget();
      free(out->temporary);
      out->temporary = NULL;
    }
  }
  output_discard(out);
  return ok;
}

void output_discard(output *out) {
  if (out->fd >= 0 && out->fd != STDOUT_FILENO)
    close(out->fd);
  out->fd = -1;
  if (out->temporary) {
    unlink(out->temporary);
    signals_forget();
  }
  free(out->temporary);
  free(out->path);
  out->temporary = out->path = NULL;
}

bool output_end(output *out, bool ok) {
  if (ok)
    return output_commit(out);
  output_discard(out);
  return false;
}

int output_report_level(const output *out) {
  return out->standard ? LEVEL_VERBOSE : LEVEL_NORMAL;
}
