/* append.c: owns making a longer file of one that is there: its frames, and room for more. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "file/layout.h"
#include "file/reader/reader.h"
#include "file/source.h"
#include "file/writer/writer.h"

#define READ_BYTES ((size_t)1 << 20) /* bytes of a read, when frames are copied */

/* Values per frame of the longer array: at least as many as its frames have. */
static uint64_t frame_values(const ghz_shape *s, uint64_t old) {
  const uint64_t values = ghz_layout_frame_values(s, old);
  return values >= old ? values : ghz_layout_frame_values(s, old + 31 * s->extent[2]);
}

/* The header of the longer file. The streams stay as they are: so must x, and y or z. */
static ghz_status lengthen(const char *path, ghz_file_header *h, uint64_t more) {
  const ghz_shape old = h->shape;
  const int shaped = h->array.ndim > 0;
  uint64_t *slowest = shaped ? &h->array.dims[h->array.fortran ? h->array.ndim - 1 : 0] : &h->count;
  if (h->array.npy && !shaped)
    return ghz_file_fail(path, GHZ_EINVAL, "is a scalar: nothing can be added");
  if (__builtin_add_overflow(*slowest, more, slowest))
    return ghz_file_fail(path, GHZ_EINVAL, "2^60 values or more");
  h->count = shaped ? ghz_array_count(&h->array) : h->count;
  if (old.dims != 1) {
    ghz_layout_set(h, old.dims); /* for its shape alone */
    h->frame_values = frame_values(&h->shape, h->frame_values);
  }
  const char *wrong = ghz_header_check(h, old.dims);
  if (wrong)
    return ghz_file_fail(path, GHZ_EINVAL, "%llu more: %s", (ull)more, wrong);
  const uint64_t *a = old.extent, *b = h->shape.extent;
  if (old.dims != 1 && (a[2] != b[2] || (a[1] != b[1] && (a[0] != 1 || b[0] != 1))))
    return ghz_file_fail(
        path, GHZ_EINVAL,
        "its frames are of an array %llu x %llu x %llu, the longer one would be %llu x %llu x %llu", (ull)a[0],
        (ull)a[1], (ull)a[2], (ull)b[0], (ull)b[1], (ull)b[2]);
  return GHZ_OK;
}

/* The frames are those of the longer file, too, each at the place that it has. */
static ghz_status take_index(ghz_file *f, ghz_file_writer *w) {
  ghz_shape shape;
  for (uint64_t i = 0; i < f->index.count; i++) {
    const frame_entry *e = &f->index.frames[i];
    if (!ghz_layout_frame(&w->header, e->first, e->values, &shape))
      return ghz_file_fail(w->name, GHZ_EINVAL, "frame %llu is too large for the frames of the longer array",
                           (ull)i);
  }
  w->index = f->index;
  f->index = (file_index){0};
  return GHZ_OK;
}

static ghz_status copy_frames(const ghz_file *f, ghz_file_writer *w, uint64_t from) {
  memory m = {NULL, 0};
  ghz_status status = memory_reserve(&m, READ_BYTES, w->name);
  for (uint64_t at = from; status == GHZ_OK && at < w->index.end;) {
    const uint64_t left = w->index.end - at;
    const size_t piece = left < READ_BYTES ? (size_t)left : READ_BYTES;
    status = ghz_source_read_at(&f->source, at, m.data, piece);
    if (status == GHZ_OK)
      status = ghz_writer_put(w, m.data, piece);
    at += piece;
  }
  memory_free(&m);
  return status;
}

/* Values of a frame without any are no frame of the longer file. */
static ghz_status move_frames(ghz_file *f, ghz_file_writer *w) {
  ghz_status status = ghz_writer_begin(w);
  const uint64_t from = w->index.end;
  if (status != GHZ_OK || f->info.header.count == 0)
    return status;
  status = take_index(f, w);
  return status == GHZ_OK ? copy_frames(f, w, from) : status;
}

ghz_status ghz_file_append(const char *path, uint64_t more, ghz_file_writer **writer) {
  ghz_file *f;
  if (writer)
    *writer = NULL;
  if (!writer || !path)
    return ghz_fail(NULL, GHZ_EINVAL, "%s is NULL", writer ? "path" : "writer");
  ghz_status status = ghz_file_open(path, &f);
  if (status != GHZ_OK)
    return status;
  ghz_file_header h = f->info.header;
  if (!f->info.indexed)
    status = ghz_file_fail(path, GHZ_EINVAL, "has no index: write it anew");
  if (status == GHZ_OK)
    status = lengthen(path, &h, more);
  if (status == GHZ_OK)
    status = ghz_file_create(path, &h, writer);
  if (status == GHZ_OK) {
    status = move_frames(f, *writer);
    if (status != GHZ_OK) {
      ghz_file_abandon(*writer);
      *writer = NULL;
    }
  }
  ghz_file_close(f);
  return status;
}
