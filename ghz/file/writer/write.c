/* write.c: owns writing frames: of values, and of streams that are there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "file/checksum.h"
#include "file/header.h"
#include "file/pack.h"
#include "file/writer/writer.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"

/* ---- Streams --------------------------------------------------------------------------------- */

/* The lattice of the first stream is that of the file, unless the header has one. */
static ghz_status check_lattice(ghz_file_writer *w, const ghz_lattice *l) {
  ghz_lattice *own = &w->header.lattice;
  if (!has_lattice(&w->header) && own->type == l->type)
    *own = *l;
  if (ghz_lattice_equal(own, l))
    return GHZ_OK;
  return ghz_file_fail(w->name, GHZ_EMISMATCH,
                       "frame %llu: step %g, bound %g; the file has step %g, bound %g%s", (ull)w->index.count,
                       l->step, l->eb, own->step, own->eb,
                       fills_equal(own, l) ? "" : ", and another fill value");
}

/* The frame of a stream: length, body, checksum. Packed where that saves a 128th at least: pages
 * that are not are smaller, and parts of them are read sooner. */
static ghz_status make_frame(ghz_file_writer *w, ghz_context *ctx, ghz_bytes stream, int *packed,
                             ghz_bytes *body) {
  const size_t room = ghz_pack_bound(stream.size);
  size_t size = 0;
  ghz_status status = memory_reserve(&w->packed, FRAME_AROUND + room, w->name);
  if (status != GHZ_OK)
    return status;
  uint8_t *frame = w->packed.data;
  status = ghz_pack(ctx, stream, w->pack, frame + FRAME_BEFORE, room, &size);
  *packed = w->pack > 0 && size < stream.size && stream.size - size >= (stream.size + 127) / 128;
  if (status == GHZ_OK && w->pack > 0 && !*packed)
    status = ghz_pack(ctx, stream, 0, frame + FRAME_BEFORE, room, &size);
  *body = (ghz_bytes){frame + FRAME_BEFORE, size};
  store_u64(frame, size | (*packed ? PACKED : 0));
  ghz_checksum_put(frame, FRAME_BEFORE + size, w->index.count);
  return ghz_file_pass(w->name, w->index.count, ctx, status);
}

/* Writes the header, unless that was done. */
static ghz_status begin(ghz_file_writer *w) {
  uint8_t b[HEADER_MAX];
  if (w->begun)
    return GHZ_OK;
  w->index.end = ghz_header_encode(&w->header, b);
  ghz_status status = ghz_writer_put(w, b, (size_t)w->index.end);
  w->begun = status == GHZ_OK;
  return status;
}

static ghz_status write_stream(ghz_file_writer *w, ghz_context *ctx, ghz_bytes stream) {
  ghz_info info;
  ghz_bytes body;
  int packed = 0;
  ghz_status status = ghz_file_pass(w->name, w->index.count, NULL, ghz_info_read(stream, &info));
  if (status == GHZ_OK)
    status = check_lattice(w, &info.lattice);
  if (status == GHZ_OK && !ghz_layout_fits(&w->header, w->index.count, w->index.values, 0, &info.shape))
    status = ghz_file_fail(w->name, GHZ_EINVAL, "frame %llu: not the shape of the frame at value %llu",
                           (ull)w->index.count, (ull)w->index.values);
  if (status == GHZ_OK)
    status = make_frame(w, ctx, stream, &packed, &body);
  if (status == GHZ_OK)
    status = begin(w);
  if (status == GHZ_OK)
    status = ghz_writer_put(w, w->packed.data, FRAME_AROUND + body.size);
  if (status == GHZ_OK)
    status = w->failed = ghz_index_body(&w->index, w->name, w->index.end,
                                        tile_pages(packed, ghz_shape_tiles(&info.shape)), body);
  if (status != GHZ_OK)
    return status;
  ghz_index_stream(&w->index, &info, packed);
  ghz_index_close(&w->index);
  return GHZ_OK;
}

ghz_status ghz_file_write_stream(ghz_file_writer *w, ghz_context *ctx, ghz_bytes stream) {
  if (!w)
    return ghz_fail(NULL, GHZ_EINVAL, "writer is NULL");
  if (w->waiting > 0)
    return ghz_file_fail(w->name, GHZ_EINVAL, "%zu values wait for the rest of their frame", w->waiting);
  return write_stream(w, ctx, stream);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static ghz_status write_values(ghz_file_writer *w, ghz_context *ctx, const void *values, const ghz_shape *s) {
  const size_t most = ghz_shape_bound(s, w->header.lattice.type, 1);
  size_t size = 0;
  ghz_status status = memory_reserve(&w->stream, most, w->name);
  if (status == GHZ_OK)
    status = ghz_file_pass(w->name, w->index.count, ctx,
                           ghz_compress_shape(ctx, &w->header.lattice, w->order, values, s, w->stream.data,
                                              w->stream.capacity, &size));
  return status == GHZ_OK ? write_stream(w, ctx, (ghz_bytes){w->stream.data, size}) : status;
}

ghz_status ghz_writer_write_waiting(ghz_file_writer *w, ghz_context *ctx, const ghz_shape *shape) {
  ghz_status status = write_values(w, ctx, w->values.data, shape);
  if (status == GHZ_OK)
    w->waiting = 0;
  return status;
}

/* Keeps values for a frame that has room for them. */
static ghz_status keep(ghz_file_writer *w, const void *values, size_t count, size_t room) {
  const size_t size = ghz_type_size(w->header.lattice.type);
  ghz_status status = memory_reserve(&w->values, room * size, w->name);
  if (status == GHZ_OK && count > 0)
    memcpy(w->values.data + w->waiting * size, values, count * size);
  w->waiting += status == GHZ_OK ? count : 0;
  return status;
}

/* Takes values up to the end of the next frame. */
static ghz_status take(ghz_file_writer *w, ghz_context *ctx, const void *values, size_t count, size_t *taken) {
  const int known = w->header.count != GHZ_FILE_UNKNOWN;
  const ghz_shape s = ghz_file_frame_shape(&w->header, known ? w->index.values : GHZ_FILE_UNKNOWN);
  const size_t room = (size_t)ghz_shape_count(&s), left = room - w->waiting;
  *taken = count < left ? count : left;
  if (w->waiting == 0 && *taken == room)
    return write_values(w, ctx, values, &s);
  ghz_status status = keep(w, values, *taken, room);
  return status == GHZ_OK && w->waiting == room ? ghz_writer_write_waiting(w, ctx, &s) : status;
}

ghz_status ghz_file_write(ghz_file_writer *w, ghz_context *ctx, const void *values, size_t count) {
  if (!w || (!values && count))
    return ghz_fail(NULL, GHZ_EINVAL, "%s is NULL", w ? "values" : "writer");
  const ghz_file_header *h = &w->header;
  const size_t size = ghz_type_size(h->lattice.type);
  if (!has_lattice(h))
    return ghz_file_fail(w->name, GHZ_EINVAL, "no lattice, which values need");
  if (h->count != GHZ_FILE_UNKNOWN && count > h->count - w->index.values - w->waiting)
    return ghz_file_fail(w->name, GHZ_EINVAL, "%zu values, where %llu are missing", count,
                         (ull)(h->count - w->index.values - w->waiting));
  ghz_status status = GHZ_OK;
  size_t taken;
  for (const uint8_t *from = values; status == GHZ_OK && count > 0; from += taken * size, count -= taken)
    status = take(w, ctx, from, count, &taken);
  if (status != GHZ_OK)
    w->failed = status; /* some of the values were taken */
  return status;
}

ghz_status ghz_writer_complete(ghz_file_writer *w, ghz_context *ctx) {
  const uint64_t count = w->header.count, have = w->index.values + w->waiting;
  const ghz_shape rest = ghz_flat(w->waiting);
  if (w->failed != GHZ_OK)
    return ghz_file_fail(w->name, w->failed, "could not be written");
  if (count != GHZ_FILE_UNKNOWN && have != count)
    return ghz_file_fail(w->name, GHZ_EINVAL, "%llu of %llu values were written", (ull)have, (ull)count);
  if (w->waiting == 0 && w->index.count > 0)
    return GHZ_OK;
  if (!has_lattice(&w->header))
    return ghz_file_fail(w->name, GHZ_EINVAL, "no lattice, which an array without values needs");
  ghz_status status = keep(w, NULL, 0, 1);
  return status == GHZ_OK ? ghz_writer_write_waiting(w, ctx, &rest) : status;
}
