/* read_frames.c: owns reading a file frame by frame, and every check of frames, end and index. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "file/checksum.h"
#include "file/header.h"
#include "file/pack.h"
#include "file/reader/reader.h"
#include "file/source.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"
#include "rules/shape.h"

#define READ_BYTES ((size_t)1 << 22) /* first piece of a frame whose length cannot be checked */

static ghz_status truncated(const ghz_file *f) {
  return ghz_file_fail(f->name, GHZ_ECORRUPT, "truncated: ends in frame %llu", (ull)f->number);
}

static ghz_status damaged(const ghz_file *f, const char *what) {
  return ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged: frame %llu: %s", (ull)f->number, what);
}

/* ---- The start ------------------------------------------------------------------------------- */

/* A file that was opened by its index has a header at its start, too. They are equal, but the
 * first one may lack the number of values, and that of a file that was appended to is of its
 * beginning. */
static ghz_status check_start(ghz_file *f) {
  uint8_t a[HEADER_MAX], b[HEADER_MAX];
  ghz_file_header start, known = f->info.header;
  if (f->start)
    return GHZ_OK;
  ghz_status status = ghz_file_read_header(f, &start);
  if (status != GHZ_OK)
    return status;
  f->seen.end = f->start;
  f->piped = start.count == GHZ_FILE_UNKNOWN && !f->index.appended;
  known.count = f->piped ? start.count : known.count;
  const size_t size = ghz_header_encode(&start, a);
  if (f->index.appended ? ghz_header_continues(&start, &known)
                        : size == ghz_header_encode(&known, b) && memcmp(a, b, size) == 0)
    return GHZ_OK;
  return ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged: the header differs from that in the index");
}

/* ---- The end --------------------------------------------------------------------------------- */

static ghz_status check_known_index(const ghz_file *f) {
  return ghz_index_equal(&f->index, &f->seen)
             ? GHZ_OK
             : ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged: the index does not fit the frames");
}

/* Compares what follows with the index that the frames give. */
static ghz_status check_index(ghz_file *f) {
  ghz_file_header known = f->info.header;
  known.count = f->first;
  const uint64_t size = ghz_index_size(&f->seen, &known);
  size_t got;
  ghz_status status = memory_reserve(&f->raw, (size_t)(2 * size), f->name);
  if (status == GHZ_OK)
    status = ghz_source_read(&f->source, &f->position, f->raw.data, (size_t)size, &got);
  if (status != GHZ_OK)
    return status;
  if (got < size)
    return ghz_file_fail(f->name, GHZ_ECORRUPT, "truncated: ends in the index");
  ghz_index_encode(&f->seen, &known, f->raw.data + size);
  if (memcmp(f->raw.data, f->raw.data + size, (size_t)size) == 0)
    return GHZ_OK;
  return ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged: the index does not fit the frames");
}

static ghz_status check_nothing_follows(ghz_file *f) {
  uint8_t next;
  size_t got;
  ghz_status status = ghz_source_read(&f->source, &f->position, &next, 1, &got);
  if (status == GHZ_OK && got > 0)
    status = ghz_file_fail(f->name, GHZ_ECORRUPT,
                           "more bytes follow the end of the compressed data; a file that was appended to is "
                           "not read from a pipe");
  return status;
}

/* Reads what follows the last frame, whose length field of 0 was read already. */
static ghz_status read_end(ghz_file *f) {
  uint8_t b[END_BYTES] = {0};
  size_t got;
  ghz_status status = ghz_source_read(&f->source, &f->position, b + 8, 16, &got);
  if (status != GHZ_OK)
    return status;
  if (got < 16)
    return ghz_file_fail(f->name, GHZ_ECORRUPT, "truncated: ends in the last %d bytes", END_BYTES);
  if (!ghz_checksum_fits(b, 16, 0))
    return ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged: the checksum of the end does not match");
  const uint64_t count = load_u64(b + 8), known = f->info.header.count;
  if (f->number == 0 || count != f->first || (known != GHZ_FILE_UNKNOWN && known != count))
    return ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged: holds %llu values where %llu are announced",
                         (ull)f->first, (ull)count);
  if (f->info.indexed)
    return check_known_index(f);
  status = check_index(f);
  return status == GHZ_OK ? check_nothing_follows(f) : status;
}

/* From now on the number of values of a pipe is known. */
static void note_end(ghz_file *f) {
  ghz_file_header *h = &f->info.header;
  f->ended = 1;
  h->count = f->first;
  h->shape = h->shape.dims == 1 ? ghz_flat(h->count) : h->shape;
}

/* ---- A frame --------------------------------------------------------------------------------- */

/* Other indexes may lie before the next frame of a file that was appended to. */
static void go_to_frame(ghz_file *f) {
  const file_index *x = &f->index;
  if (x->appended)
    f->seen.end = f->position = f->number < x->count ? x->frames[f->number].offset : x->end;
}

/* Reads the length of the next frame's body, 0 at the end, and whether it is packed. */
static ghz_status read_length(ghz_file *f, uint64_t *length, int *packed) {
  uint8_t b[8];
  size_t got;
  ghz_status status = ghz_source_read(&f->source, &f->position, b, 8, &got);
  if (status != GHZ_OK)
    return status;
  if (got < 8)
    return truncated(f);
  *length = load_u64(b);
  *packed = (*length & PACKED) != 0;
  *length &= ~PACKED;
  if (*length == 0)
    return *packed ? damaged(f, "packed in no bytes") : GHZ_OK;
  if (*length > ghz_pack_bound((size_t)ghz_index_stream_most(&f->info.header)) || f->last)
    return damaged(f, "an impossible length");
  if (f->source.read_at && *length + 8 > f->source.size - f->position)
    return truncated(f);
  return GHZ_OK;
}

/* Reads the body and its checksum behind the place of the length. Where the length cannot be
 * checked against the file, reads in pieces that grow, so that memory is allocated only for bytes
 * that arrive. */
static ghz_status read_body(ghz_file *f, uint64_t length, int packed, ghz_bytes *body) {
  memory *m = &f->packed;
  size_t want = (size_t)length + 8, have = 0;
  while (have < want) {
    size_t piece = f->source.read_at ? want : have > READ_BYTES ? have : READ_BYTES, got;
    if (piece > want - have)
      piece = want - have;
    ghz_status status = memory_reserve(m, FRAME_BEFORE + have + piece, f->name);
    if (status == GHZ_OK)
      status = ghz_source_read(&f->source, &f->position, m->data + FRAME_BEFORE + have, piece, &got);
    if (status != GHZ_OK)
      return status;
    if (got < piece)
      return truncated(f);
    have += piece;
  }
  store_u64(m->data, length | (packed ? PACKED : 0));
  *body = (ghz_bytes){m->data + FRAME_BEFORE, (size_t)length};
  return ghz_checksum_fits(m->data, FRAME_BEFORE + (size_t)length, f->number)
             ? GHZ_OK
             : damaged(f, "its checksum does not match");
}

/* Unpacks a body to `to`. */
static ghz_status unpack(ghz_file *f, ghz_context *ctx, int packed, ghz_bytes body, memory *to,
                         ghz_bytes *stream) {
  size_t size = 0;
  ghz_status status = ghz_packed_size(ctx, packed, body, (size_t)ghz_index_stream_most(&f->info.header), &size);
  if (status != GHZ_OK)
    return ghz_file_pass(f->name, f->number, ctx, status);
  status = memory_reserve(to, size, f->name);
  *stream = (ghz_bytes){to->data, size};
  return status == GHZ_OK
             ? ghz_file_pass(f->name, f->number, ctx, ghz_unpack_frame(ctx, packed, body, size, to->data))
             : status;
}

/* Whether the next frame may have this shape. Where the header lacks the number of values, only the
 * end of the array cuts one. */
static int shape_fits(const ghz_file *f, const ghz_shape *s) {
  const ghz_file_header *h = &f->info.header;
  ghz_shape expected = ghz_file_frame_shape(h, f->first);
  if (h->count == GHZ_FILE_UNKNOWN)
    return s->dims == 1 && s->extent[2] <= h->frame_values && (s->extent[2] > 0 || f->number == 0);
  if (!f->piped && !ghz_layout_frame(h, f->first, ghz_shape_count(s), &expected))
    return 0;
  return shapes_equal(s, &expected);
}

static ghz_status check_stream(ghz_file *f, const ghz_info *info) {
  const ghz_lattice *l = &f->info.header.lattice, *own = &info->lattice;
  if (own->cap != l->cap)
    return damaged(f, "another cap than in the header");
  if (!fills_equal(own, l))
    return damaged(f, "another fill value");
  if (!ghz_lattice_equal(own, l))
    return damaged(f, "another type, step or bound than in the header");
  return shape_fits(f, &info->shape) ? GHZ_OK : damaged(f, "a wrong number of values or shape");
}

/* Reads the frame to `m`, and adds it to the index that the frames give. */
static ghz_status read_frame(ghz_file *f, ghz_context *ctx, memory *m, uint64_t length, ghz_frame *frame) {
  ghz_bytes body, stream = {0};
  ghz_info *info = &frame->info;
  ghz_status status = read_body(f, length, frame->packed, &body);
  if (status == GHZ_OK)
    status = unpack(f, ctx, frame->packed, body, m, &stream);
  if (status == GHZ_OK)
    status = ghz_file_pass(f->name, f->number, NULL, ghz_info_read(stream, info));
  if (status == GHZ_OK)
    status = check_stream(f, info);
  if (status == GHZ_OK)
    status = ghz_index_add(&f->seen, f->name, info, frame->packed, body);
  return status;
}

static void advance(ghz_file *f, uint64_t count) {
  const ghz_file_header *h = &f->info.header;
  f->first += count;
  f->number++;
  f->last = h->count == GHZ_FILE_UNKNOWN ? count < h->frame_values : f->first == h->count;
}

ghz_status ghz_file_next(ghz_file *f, ghz_context *ctx, ghz_frame *frame) {
  uint64_t length = 0;
  int packed = 0;
  if (!f || !frame)
    return ghz_fail(NULL, GHZ_EINVAL, "%s is NULL", f ? "frame" : "file");
  frame->stream = (ghz_bytes){NULL, 0};
  if (f->ended)
    return GHZ_OK;
  ghz_status status = check_start(f);
  if (status != GHZ_OK)
    return status;
  go_to_frame(f);
  status = read_length(f, &length, &packed);
  if (status == GHZ_OK && length == 0) {
    status = read_end(f);
    if (status == GHZ_OK)
      note_end(f);
    return status;
  }
  if (status != GHZ_OK)
    return status;
  memory m = {frame->memory, frame->capacity};
  frame->number = f->number;
  frame->packed = packed;
  frame->first = f->first;
  status = read_frame(f, ctx, &m, length, frame);
  frame->memory = m.data;
  frame->capacity = m.capacity;
  if (status != GHZ_OK)
    return status;
  frame->stream = (ghz_bytes){m.data, (size_t)frame->info.bytes};
  advance(f, frame->info.count);
  return GHZ_OK;
}

/* ---- The frame of a value, without an index -------------------------------------------------- */

static ghz_status rewind_file(ghz_file *f) {
  if (!f->source.read_at)
    return ghz_file_fail(f->name, GHZ_EINVAL, "cannot seek back: the input is a pipe");
  f->position = f->seen.end = f->start;
  f->number = f->first = 0;
  f->last = f->ended = 0;
  f->seen.count = f->seen.page_count = f->seen.values = 0;
  return GHZ_OK;
}

static int holds(const ghz_frame *frame, uint64_t value) {
  return frame->stream.size > 0 && value >= frame->first && value - frame->first < frame->info.count;
}

ghz_status ghz_file_seek(ghz_file *f, ghz_context *ctx, uint64_t value) {
  ghz_status status = GHZ_OK;
  if (holds(&f->current, value))
    return GHZ_OK;
  if (value < f->first)
    status = rewind_file(f);
  while (status == GHZ_OK && !holds(&f->current, value)) {
    status = ghz_file_next(f, ctx, &f->current);
    if (status == GHZ_OK && f->current.stream.size == 0)
      status = ghz_file_fail(f->name, GHZ_EINVAL, "value %llu of %llu", (ull)value, (ull)f->first);
  }
  return status;
}
