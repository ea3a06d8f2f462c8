/* output.c: owns where the command writes, standard output, a device, or a temporary file;
 * and how values are written: their type, and raw or as an .npy file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "npy.h"
#include "output.h"
#include "report/report.h"

/* Closes a device. */
static int close_descriptor(int fd) {
  return fd >= 0 && fd != STDOUT_FILENO && close(fd) != 0 && errno != EINTR ? errno : 0;
}

/* Uses a descriptor that is written directly, without a temporary file. */
static bool take_descriptor(output *out, int fd) {
  out->fd = fd;
  if (fd < 0)
    return fail(out->name, "%s", strerror(errno));
  if (!isatty(fd) || out->force)
    return true;
  close_descriptor(fd);
  return fail(out->name, "binary data is not written to a terminal; use -o FILE, or -f to force");
}

bool output_open(output *out, const char *path, bool force, bool named, const file *from) {
  *out = (output){.name = path, .file = NOT_OPEN, .fd = -1, .force = force};
  if (!*path)
    return fail("''", "the name of the file is empty");
  if (strcmp(path, "-") == 0) {
    out->name = "standard output";
    out->standard = true;
    return take_descriptor(out, STDOUT_FILENO);
  }
  struct stat status, link_status;
  bool exists = stat(path, &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return fail(path, "is a directory");
  if (exists && !S_ISREG(status.st_mode)) /* a device or a named pipe, which no file can replace */
    return take_descriptor(out, open(path, O_WRONLY | O_CLOEXEC));
  if (!force && (exists || lstat(path, &link_status) == 0))
    return fail(path, "already exists; use -f to overwrite it");
  const int error = signals_create(&out->file, path, named, exists ? &status : NULL);
  out->fd = out->file.fd;
  if (out->fd >= 0 && !exists && from && from->path && from->seekable)
    (void)!fchmod(out->fd, from->mode & 0777); /* some file systems have no modes */
  return error == 0 ||
         fail(path, "%s%s", error == EWOULDBLOCK ? "" : "cannot be created: ", ghz_file_why(error));
}

/* Prints why, unless the reader of standard output closed it: then only the exit code tells. */
static bool failed(const output *out, int error) {
  if (error == EEXIST)
    return fail(out->name, "already exists; use -f to overwrite it");
  return out->standard && error == EPIPE ? false : fail(out->name, "%s", ghz_file_why(error));
}

bool output_write(output *out, const void *data, size_t size) {
  const int error = ghz_write_all(out->fd, data, size);
  out->bytes += size;
  return error == 0 || failed(out, error);
}

/* Writes the first bytes again. */
static bool rewrite_start(output *out, const void *data, size_t size) {
  const int error = lseek(out->fd, 0, SEEK_SET) != 0 ? errno : ghz_write_all(out->fd, data, size);
  return error == 0 || failed(out, error);
}

bool output_end(output *out, bool ok) {
  int error = 0;
  if (out->file.name && !ok)
    signals_discard(&out->file);
  else
    error = out->file.name ? signals_publish(&out->file, !out->force) : close_descriptor(out->fd);
  out->fd = -1;
  return ok && (error == 0 || failed(out, error));
}

int output_report_level(const output *out) {
  return out->standard ? LEVEL_VERBOSE : LEVEL_NORMAL;
}

/* ---- .ghz files ------------------------------------------------------------------------------ */

static const char *write_bytes(void *user, const void *data, size_t size) {
  frame_writer *w = user;
  w->reported = !output_write(w->out, data, size);
  return w->reported ? "cannot be written" : NULL;
}

bool writer_ok(frame_writer *w, ghz_status status) {
  if (status == GHZ_OK)
    return true;
  ghz_file_abandon(w->own);
  w->own = NULL;
  return w->reported ? false : fail("", "%s", ghz_context_message(NULL));
}

bool writer_begin(frame_writer *w, output *out, const ghz_file_header *header, int pack) {
  const ghz_file_sink sink = {.user = w, .name = out->name, .write = write_bytes};
  *w = (frame_writer){.out = out};
  return writer_ok(w, ghz_file_create_sink(&sink, header, &w->own)) &&
         (pack == 0 || writer_ok(w, ghz_file_set_pack(w->own, pack)));
}

bool writer_end(frame_writer *w, ghz_context *ctx) {
  ghz_file_writer *own = w->own;
  w->own = NULL;
  return writer_ok(w, ghz_file_finish(own, ctx));
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Means of integers are none. */
ghz_type plain_type(const ghz_lattice *l) {
  return type_is_integer(l->type) && rint(l->step) != l->step ? GHZ_F64 : l->type;
}

bool plain_choose(plain_writer *w, const char *path, type_choice given, const char *from,
                  const ghz_file_header *h) {
  const type_choice named = type_of_name(path);
  w->type = given.given ? given.type : named.given ? named.type : plain_type(&h->lattice);
  if (w->type == GHZ_F32 && h->lattice.type == GHZ_F64)
    return fail(from, "holds f64; it cannot be written as f32");
  w->npy = name_ends(path, ".npy") || (h->array.npy && !named.given);
  w->big_endian = given.big_endian;
  if (named.given && named.type != w->type)
    note(LEVEL_NORMAL, "%s: written as %s, as --type says, not as its extension says", path,
         type_name(w->type));
  return true;
}

/* Writes the header of an .npy file for `count` values; again at the end if they were unknown. */
static bool write_header(plain_writer *w, uint64_t count, bool again) {
  char header[NPY_HEADER_MAX];
  shape s = w->shape;
  if (s.ndim == 0 && !s.npy)
    s = (shape){.ndim = 1, .dims = {count}};
  const size_t size = npy_header(w->type, w->big_endian, &s, header);
  return again ? rewrite_start(w->out, header, size) : output_write(w->out, header, size);
}

bool plain_begin(plain_writer *w, output *out, const shape *s, uint64_t total) {
  w->out = out;
  w->shape = *s;
  w->total = total;
  return !w->npy || write_header(w, total == GHZ_FILE_UNKNOWN ? 0 : total, false);
}

bool plain_reserve(plain_writer *w, uint64_t count, const char *name) {
  return buffer_reserve(&w->values, (size_t)count * ghz_type_size(w->type), name);
}

bool plain_write(plain_writer *w, uint64_t count) {
  w->written += count;
  if (w->big_endian)
    byte_order_turn(w->type, w->values.data, (size_t)count);
  return output_write(w->out, w->values.data, (size_t)count * ghz_type_size(w->type));
}

bool plain_write_frame(plain_writer *w, const char *name, ghz_context *ctx, const ghz_frame *f) {
  const uint64_t count = f->info.count;
  return plain_reserve(w, count, name) &&
         library_ok(name, ctx, ghz_decompress(ctx, f->stream, w->type, w->values.data, (size_t)count)) &&
         plain_write(w, count);
}

bool plain_end(plain_writer *w) {
  return !w->npy || w->total != GHZ_FILE_UNKNOWN || write_header(w, w->written, true);
}
