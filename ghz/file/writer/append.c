/* append.c: owns beginning to append to a file: a longer array, behind what is there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/header.h"
#include "file/reader/reader.h"
#include "file/source.h"
#include "file/writer/writer.h"

/* ---- A longer array -------------------------------------------------------------------------- */

/* Values per frame of an array of another length: at least as many as its frames have. */
static uint64_t frame_values(const ghz_shape *s, uint64_t old) {
  const uint64_t values = ghz_layout_frame_values(s, old);
  return values >= old ? values : ghz_layout_frame_values(s, old + 31 * s->extent[2]);
}

ghz_status ghz_writer_set_length(const char *name, ghz_file_header *h, uint64_t length) {
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

static ghz_status lengthen(const char *path, ghz_file_header *h, uint64_t more) {
  uint64_t length = h->array.ndim > 0 ? h->array.dims[array_slowest(&h->array)] : h->count;
  if (h->array.npy && h->array.ndim == 0)
    return ghz_file_fail(path, GHZ_EINVAL, "is a scalar: nothing can be added");
  if (__builtin_add_overflow(length, more, &length))
    return ghz_file_fail(path, GHZ_EINVAL, "2^60 values or more");
  return ghz_writer_set_length(path, h, length);
}

/* ---- Taking the place of the file ------------------------------------------------------------ */

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
    status = ghz_sink_seek(file, w->name, f->source.size, f->info.unfinished > 0);
  if (status != GHZ_OK)
    return status;
  w->file = *file;
  *file = NOT_OPEN;
  w->sink = ghz_sink_calls(&w->file, w->name);
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
  ghz_status status = ghz_sink_open(path, &file);
  if (status != GHZ_OK)
    return status;
  status = ghz_source_of_descriptor(path, file.fd, &source);
  if (status == GHZ_OK) {
    status = ghz_file_open_source(&source, &f);
    if (status != GHZ_OK)
      source.close(source.user);
  }
  if (status == GHZ_OK)
    status = append_to(f, &file, more, writer);
  ghz_file_close(f);
  ghz_temporary_remove(&file);
  return status;
}
