/* append.c: owns making readable what was written, in which order that reaches the disk, and
 * appending to a file: a longer array, behind what is there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "file/checksum.h"
#include "file/header.h"
#include "file/reader/reader.h"
#include "file/source.h"
#include "file/writer/writer.h"
#include "rules/bytes.h"

/* ---- The file -------------------------------------------------------------------------------- */

/* The lock is that of the open file, so that two threads of a process exclude each other, too. */
static ghz_status open_file(const char *path, temporary_file *file, ghz_file_source *source) {
  struct stat own;
  *file = NOT_OPEN;
  file->folder = open(".", O_PATH | O_CLOEXEC);
  const int error = ghz_file_lock(path, O_RDWR, LOCK_EX, &file->fd);
  if (error == 0 && fstat(file->fd, &own) == 0 && S_ISREG(own.st_mode)) {
    *source = ghz_source_of_file(path, file->fd, (uint64_t)own.st_size);
    return GHZ_OK;
  }
  ghz_temporary_remove(file);
  return error && error != EISDIR
             ? ghz_writer_said(path, error)
             : ghz_file_fail(path, GHZ_EINVAL, "is %s", error ? "a directory" : "no regular file");
}

static ghz_status seek(const temporary_file *file, const char *path, uint64_t at, int cut) {
  const int failed = (cut && ftruncate(file->fd, (off_t)at) != 0) || lseek(file->fd, (off_t)at, SEEK_SET) < 0;
  return ghz_writer_said(path, failed ? errno : 0);
}

/* ---- A longer array -------------------------------------------------------------------------- */

/* Values per frame of an array of another length: at least as many as its frames have. */
static uint64_t frame_values(const ghz_shape *s, uint64_t old) {
  const uint64_t values = ghz_layout_frame_values(s, old);
  return values >= old ? values : ghz_layout_frame_values(s, old + 31 * s->extent[2]);
}

static ghz_status set_length(const char *name, ghz_file_header *h, uint64_t length) {
  const ghz_shape old = h->shape;
  const int shaped = h->array.ndim > 0;
  *(shaped ? &h->array.dims[array_slowest(&h->array)] : &h->count) = length;
  h->count = shaped ? ghz_array_count(&h->array) : h->count;
  if (old.dims != 1) {
    ghz_layout_set(h, old.dims); /* for its shape alone */
    h->frame_values = frame_values(&h->shape, h->frame_values);
  }
  const char *wrong = ghz_header_check(h, old.dims);
  if (wrong)
    return ghz_file_fail(name, GHZ_EINVAL, "length %llu: %s", (ull)length, wrong);
  const uint64_t *a = old.extent, *b = h->shape.extent;
  if (old.dims != 1 && (a[2] != b[2] || (a[1] != b[1] && (a[0] != 1 || b[0] != 1))))
    return ghz_file_fail(
        name, GHZ_EINVAL,
        "its frames are of an array %llu x %llu x %llu, the longer one would be %llu x %llu x %llu", (ull)a[0],
        (ull)a[1], (ull)a[2], (ull)b[0], (ull)b[1], (ull)b[2]);
  return GHZ_OK;
}

/* ---- The end --------------------------------------------------------------------------------- */

static ghz_status wait_for_disk(ghz_file_writer *w) {
  if (w->committed && w->failed == GHZ_OK)
    w->failed = ghz_writer_said(w->name, fsync(w->file.fd) != 0 ? errno : 0);
  return w->failed;
}

/* End and index. Of a file in its place the last bytes, without which nothing counts, follow when
 * all before them is on the disk. */
static ghz_status put_end(ghz_file_writer *w, const ghz_file_header *known) {
  ghz_index_choose(&w->index);
  const size_t size = (size_t)ghz_index_size(&w->index, known), before = END_BYTES + size - TAIL_BYTES;
  ghz_status status = memory_reserve(&w->packed, END_BYTES + size, w->name);
  if (status != GHZ_OK)
    return status;
  uint8_t *b = w->packed.data;
  store_u64(b, 0);
  store_u64(b + 8, known->count);
  ghz_checksum_put(b, 16, 0);
  ghz_index_encode(&w->index, known, b + END_BYTES);
  status = ghz_writer_put(w, b, before);
  if (status == GHZ_OK)
    status = wait_for_disk(w);
  if (status == GHZ_OK)
    status = ghz_writer_put(w, b + before, TAIL_BYTES);
  if (status == GHZ_OK)
    status = wait_for_disk(w);
  if (status == GHZ_OK)
    ghz_index_written(&w->index, w->index.end + END_BYTES, size);
  return status;
}

/* What is written next follows what is there. Who has written to a file that is gone must know. */
static ghz_status put_end_in_place(ghz_file_writer *w, const ghz_file_header *known) {
  ghz_status status = ghz_index_grown(&w->index) ? put_end(w, known) : GHZ_OK;
  if (status != GHZ_OK)
    return status;
  w->committed = w->index.end;
  if (ghz_file_is_named(w->file.fd, w->file.folder, w->name))
    return GHZ_OK;
  return ghz_file_fail(w->name, GHZ_EIO,
                       "was replaced, moved or removed by another program: what was appended is not in it");
}

ghz_status ghz_writer_publish(ghz_file_writer *w) {
  ghz_file_header known = w->header;
  known.count = w->index.values;
  if (w->committed)
    return put_end_in_place(w, &known);
  ghz_status status = put_end(w, &known);
  return status == GHZ_OK && w->file.path ? ghz_writer_said(w->name, ghz_temporary_publish(&w->file, 0))
                                          : status;
}

/* ---- So far ---------------------------------------------------------------------------------- */

/* The header of the values so far, which are whole steps along the slowest dimension. */
static ghz_status header_so_far(const ghz_file_writer *w, uint64_t values, ghz_file_header *h) {
  const ghz_array *a = &w->header.array;
  uint64_t step = a->ndim ? w->header.count / a->dims[array_slowest(a)] : 1;
  *h = w->header;
  if (values % step != 0)
    return ghz_file_fail(w->name, GHZ_EINVAL, "%llu values: a step of the slowest dimension has %llu",
                         (ull)values, (ull)step);
  return set_length(w->name, h, values / step);
}

/* The values that wait become a frame that is short. */
static ghz_status write_waiting(ghz_file_writer *w, ghz_context *ctx) {
  ghz_shape shape;
  if (w->waiting == 0)
    return GHZ_OK;
  if (!ghz_layout_frame(&w->header, w->index.values, w->waiting, &shape))
    return ghz_file_fail(w->name, GHZ_EINVAL, "%zu values wait, which are no frame", w->waiting);
  return ghz_writer_write_waiting(w, ctx, &shape);
}

/* The file gets its name, and is from now on appended to. No other has it yet, to lock it. */
static ghz_status take_place(ghz_file_writer *w, const ghz_file_header *known) {
  uint8_t b[HEADER_MAX];
  ghz_status status = seek(&w->file, w->name, 0, 0);
  if (status == GHZ_OK)
    status = ghz_writer_put(w, b, ghz_header_encode(known, b));
  if (status == GHZ_OK)
    status = seek(&w->file, w->name, w->index.end, 0);
  if (status == GHZ_OK)
    status = put_end(w, known);
  flock(w->file.fd, LOCK_EX | LOCK_NB);
  w->file.synced = 1; /* before there is a name that promises values */
  if (status == GHZ_OK)
    status = ghz_writer_said(w->name, ghz_temporary_publish(&w->file, 0));
  w->committed = status == GHZ_OK ? w->index.end : 0;
  return status;
}

ghz_status ghz_file_flush(ghz_file_writer *w, ghz_context *ctx) {
  ghz_file_header known;
  if (!w)
    return ghz_fail(NULL, GHZ_EINVAL, "writer is NULL");
  if (w->failed != GHZ_OK)
    return ghz_file_fail(w->name, w->failed, "could not be written");
  if (w->file.fd < 0 || w->header.count == GHZ_FILE_UNKNOWN)
    return ghz_file_fail(w->name, GHZ_EINVAL, "%s",
                         w->file.fd < 0 ? "calls write it: it has no name under which it could be read"
                                        : "how many values it will have is not known");
  if (w->index.values + w->waiting == 0)
    return GHZ_OK;
  ghz_status status = header_so_far(w, w->index.values + w->waiting, &known);
  if (status == GHZ_OK)
    status = write_waiting(w, ctx);
  if (status != GHZ_OK)
    return status;
  return w->failed = w->committed ? put_end_in_place(w, &known) : take_place(w, &known);
}

/* ---- Appending ------------------------------------------------------------------------------- */

static ghz_status lengthen(const char *path, ghz_file_header *h, uint64_t more) {
  uint64_t length = h->array.ndim > 0 ? h->array.dims[array_slowest(&h->array)] : h->count;
  if (h->array.npy && h->array.ndim == 0)
    return ghz_file_fail(path, GHZ_EINVAL, "is a scalar: nothing can be added");
  if (__builtin_add_overflow(length, more, &length))
    return ghz_file_fail(path, GHZ_EINVAL, "2^60 values or more");
  return set_length(path, h, length);
}

/* The frames are those of the longer file, too, each at the place that it has. Values of a frame
 * without any are no frame of it. */
static ghz_status take_index(ghz_file *f, ghz_file_writer *w) {
  ghz_shape shape;
  file_index *x = &f->index;
  for (uint64_t i = 0; f->info.header.count > 0 && i < x->count; i++) {
    const frame_entry *e = &x->frames[i];
    if (!ghz_layout_frame(&w->header, e->first, e->values, &shape))
      return ghz_file_fail(w->name, GHZ_EINVAL, "frame %llu is too large for the frames of the longer array",
                           (ull)i);
  }
  if (f->info.header.count == 0) {
    w->index = (file_index){.end = f->source.size, .appended = 1};
    return GHZ_OK;
  }
  const uint64_t begin = x->end + END_BYTES;
  w->index = *x;
  *x = (file_index){0};
  ghz_index_written(&w->index, begin, f->source.size - begin);
  return GHZ_OK;
}

/* Everything behind the last index is of an append that was not finished. */
static ghz_status begin(ghz_file *f, temporary_file *file, ghz_file_writer *w) {
  ghz_status status = take_index(f, w);
  if (status == GHZ_OK)
    status = seek(file, w->name, f->source.size, f->info.unfinished > 0);
  if (status != GHZ_OK)
    return status;
  w->file = *file;
  *file = NOT_OPEN;
  w->sink = ghz_writer_sink(&w->file, w->name);
  w->begun = 1;
  w->committed = f->source.size;
  return GHZ_OK;
}

static ghz_status append_to(ghz_file *f, temporary_file *file, uint64_t more, ghz_file_writer **writer) {
  ghz_file_header h = f->info.header;
  if (!f->info.indexed)
    return ghz_file_fail(f->name, GHZ_EINVAL, "has no index: write it anew");
  ghz_status status = lengthen(f->name, &h, more);
  if (status == GHZ_OK)
    status = ghz_writer_make(f->name, &h, writer);
  if (status != GHZ_OK)
    return status;
  status = begin(f, file, *writer);
  if (status != GHZ_OK) {
    ghz_file_abandon(*writer);
    *writer = NULL;
  }
  return status;
}

ghz_status ghz_file_append(const char *path, uint64_t more, ghz_file_writer **writer) {
  ghz_file_source source;
  temporary_file file;
  ghz_file *f = NULL;
  if (writer)
    *writer = NULL;
  if (!writer || !path)
    return ghz_fail(NULL, GHZ_EINVAL, "%s is NULL", writer ? "path" : "writer");
  ghz_status status = open_file(path, &file, &source);
  if (status == GHZ_OK)
    status = ghz_file_open_source(&source, &f);
  if (status == GHZ_OK)
    status = append_to(f, &file, more, writer);
  ghz_file_close(f);
  ghz_temporary_remove(&file);
  return status;
}
