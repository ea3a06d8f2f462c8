/* publish.c: owns making readable what was written: the end, the index, and in which order they
 * reach the disk. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <sys/file.h>

#include "file/checksum.h"
#include "file/header.h"
#include "file/writer/writer.h"
#include "rules/bytes.h"

/* ---- The end --------------------------------------------------------------------------------- */

static ghz_status sync(ghz_file_writer *w) {
  if (w->committed && w->failed == GHZ_OK)
    w->failed = ghz_sink_sync(&w->file, w->name);
  return w->failed;
}

/* End and index. Of a file in its place the last bytes, without which nothing counts, follow when
 * all before them is on the disk. */
static ghz_status put_end(ghz_file_writer *w, const ghz_file_header *known) {
  uint8_t b[END_BYTES] = {0};
  const uint64_t begin = w->index.end + END_BYTES;
  store_u64(b + 8, known->count);
  ghz_checksum_put(b, 16, 0);
  ghz_index_choose(&w->index);
  const size_t size = (size_t)ghz_index_size(&w->index, known);
  ghz_status status = memory_reserve(&w->packed, size, w->name);
  if (status != GHZ_OK)
    return status;
  ghz_index_encode(&w->index, known, w->packed.data);
  status = ghz_writer_put(w, b, END_BYTES);
  if (status == GHZ_OK)
    status = ghz_writer_put(w, w->packed.data, size - TAIL_BYTES);
  if (status == GHZ_OK)
    status = sync(w);
  if (status == GHZ_OK)
    status = ghz_writer_put(w, w->packed.data + size - TAIL_BYTES, TAIL_BYTES);
  if (status == GHZ_OK)
    status = sync(w);
  if (status == GHZ_OK)
    ghz_index_written(&w->index, begin, size);
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
  return status == GHZ_OK && w->file.path ? ghz_sink_publish(&w->file, w->name) : status;
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
  return ghz_writer_set_length(w->name, h, values / step);
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
  ghz_status status = ghz_sink_seek(&w->file, w->name, 0, 0);
  if (status == GHZ_OK)
    status = ghz_writer_put(w, b, ghz_header_encode(known, b));
  if (status == GHZ_OK)
    status = ghz_sink_seek(&w->file, w->name, w->index.end, 0);
  if (status == GHZ_OK)
    status = put_end(w, known);
  flock(w->file.fd, LOCK_EX | LOCK_NB);
  w->file.synced = 1; /* before there is a name that promises values */
  if (status == GHZ_OK)
    status = ghz_sink_publish(&w->file, w->name);
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
