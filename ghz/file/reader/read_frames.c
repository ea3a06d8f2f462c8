/* read_frames.c: owns reading a file frame by frame, and every check of frames, end and index. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "file/checksum.h"
#include "file/header.h"
#include "file/pack.h"
#include "file/reader/reader.h"
#include "file/source.h"
#include "file/tile_page.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"
#include "stream/stream.h"

#define READ_BYTES ((size_t)1 << 22) /* first piece of what has a length that cannot be checked */

static ghz_status damaged(const ghz_file *f, const char *what) {
  return ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged: frame %llu: %s", (ull)f->number, what);
}

/* ---- The start ------------------------------------------------------------------------------- */

/* A file that was opened by its index has a header at its start, too: that of its beginning. */
static ghz_status check_start(ghz_file *f) {
  ghz_file_header start;
  if (f->start)
    return GHZ_OK;
  ghz_status status = ghz_file_read_header(f, &start);
  f->piped = status == GHZ_OK && start.count == GHZ_FILE_UNKNOWN && !f->index.appended;
  if (status == GHZ_OK && !ghz_header_continues(&start, &f->info.header, f->index.appended))
    status = ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged: the header differs from that in the index");
  return status;
}

/* ---- The end --------------------------------------------------------------------------------- */

static ghz_status misfit(const ghz_file *f) {
  return ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged: the index does not fit the frames");
}

/* Compares what follows with the index that the frames give, behind which nothing is. */
static ghz_status check_index(ghz_file *f) {
  ghz_file_header known = f->info.header;
  known.count = f->first;
  const size_t size = (size_t)ghz_index_size(&f->index, &known);
  size_t got;
  ghz_status status = memory_reserve(&f->raw, 2 * size + 1, f->name);
  if (status == GHZ_OK)
    status = ghz_source_read(&f->source, &f->position, f->raw.data, size + 1, &got);
  if (status != GHZ_OK)
    return status;
  if (got < size)
    return ghz_file_fail(f->name, GHZ_ECORRUPT, "truncated: ends in the index");
  ghz_index_encode(&f->index, &known, f->raw.data + size + 1);
  if (memcmp(f->raw.data, f->raw.data + size + 1, size) != 0)
    return misfit(f);
  return got == size ? GHZ_OK
                     : ghz_file_fail(f->name, GHZ_ECORRUPT,
                                     "more bytes follow the end of the compressed data; a file that was "
                                     "appended to is not read from a pipe");
}

/* Reads what follows the last frame, whose length field of 0 was read already. */
static ghz_status read_end(ghz_file *f) {
  uint8_t b[END_BYTES] = {0};
  ghz_status status = ghz_source_take(&f->source, &f->position, b + 8, 16, "the last 24 bytes");
  if (status != GHZ_OK)
    return status;
  if (!ghz_checksum_fits(b, 16, 0))
    return ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged: the checksum of the end does not match");
  const uint64_t count = load_u64(b + 8), known = f->info.header.count;
  if (f->number == 0 || count != f->first || (known != GHZ_FILE_UNKNOWN && known != count))
    return ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged: holds %llu values where %llu are announced",
                         (ull)f->first, (ull)count);
  return f->info.indexed ? GHZ_OK : check_index(f);
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
  if (f->info.indexed)
    f->position = f->number < x->count ? x->frames[f->number].offset : x->end;
}

static ghz_status read_bytes(ghz_file *f, void *to, size_t size) {
  char what[32];
  snprintf(what, sizeof what, "frame %llu", (ull)f->number);
  return ghz_source_take(&f->source, &f->position, to, size, what);
}

/* Reads the length of the next frame's body, 0 at the end, and whether it is packed. */
static ghz_status read_length(ghz_file *f, uint64_t *length, int *packed) {
  uint8_t b[8];
  ghz_status status = read_bytes(f, b, 8);
  if (status != GHZ_OK)
    return status;
  *length = load_u64(b);
  *packed = (*length & PACKED) != 0;
  *length &= ~PACKED;
  if (*length == 0)
    return *packed ? damaged(f, "packed in no bytes") : GHZ_OK;
  if (*length > ghz_pack_bound((size_t)ghz_index_stream_most(&f->info.header)) || f->last ||
      (f->info.indexed && f->number == f->index.count))
    return damaged(f, "an impossible length");
  if (f->source.read_at && *length + 8 > f->source.size - f->position)
    return ghz_file_fail(f->name, GHZ_ECORRUPT, "truncated: ends in frame %llu", (ull)f->number);
  return GHZ_OK;
}

/* Reads the body and its checksum behind the place of the length. Where the length cannot be
 * checked against the file, reads in pieces that grow, so that memory is allocated only for bytes
 * that arrive. */
static ghz_status read_body(ghz_file *f, uint64_t length, int packed, ghz_bytes *body) {
  memory *m = &f->raw;
  const size_t want = (size_t)length + 8;
  for (size_t have = 0, piece; have < want; have += piece) {
    piece = f->source.read_at ? want : have > READ_BYTES ? have : READ_BYTES;
    piece = piece < want - have ? piece : want - have;
    ghz_status status = memory_reserve(m, FRAME_BEFORE + have + piece, f->name);
    if (status == GHZ_OK)
      status = read_bytes(f, m->data + FRAME_BEFORE + have, piece);
    if (status != GHZ_OK)
      return status;
  }
  store_u64(m->data, length | (packed ? PACKED : 0));
  *body = (ghz_bytes){m->data + FRAME_BEFORE, (size_t)length};
  return ghz_checksum_fits(m->data, FRAME_BEFORE + (size_t)length, f->number)
             ? GHZ_OK
             : damaged(f, "its checksum does not match");
}

/* ---- A frame whose pages are stored ---------------------------------------------------------- */

/* How far its body has come. */
typedef struct arrival {
  ghz_file *f;
  uint64_t left;
  checksum_so_far *checksum;
} arrival;

static ghz_status read_part(arrival *a, void *to, size_t size) {
  const ghz_status status = size <= a->left ? read_bytes(a->f, to, size) : GHZ_ECORRUPT;
  if (status != GHZ_OK)
    return status;
  ghz_checksum_add(a->checksum, to, size);
  a->left -= size;
  return GHZ_OK;
}

/* Reads a page so that its tiles begin at *payload: where those of the page before end stands
 * meanwhile what is before them. */
static ghz_status read_page(arrival *a, uint32_t bytes, size_t tiles, uint8_t *sizes, uint8_t **payload,
                            const uint8_t *end) {
  uint8_t before[TILE_PAGE_HEAD + 2 * STORED_TILES], own[sizeof before];
  unsigned largest;
  const size_t head = TILE_PAGE_HEAD + 2 * tiles;
  uint8_t *at = *payload - head;
  if (bytes < head || bytes - head > (size_t)(end - *payload))
    return GHZ_ECORRUPT;
  memcpy(before, at, head);
  ghz_status status = read_part(a, at, bytes);
  if (status == GHZ_OK)
    status = ghz_index_page(&a->f->index, a->f->name, bytes, ghz_checksum(at, bytes, 0));
  memcpy(own, at, head);
  memcpy(at, before, head);
  memcpy(sizes, own + TILE_PAGE_HEAD, 2 * tiles);
  *payload += bytes - head;
  const int stored = own[0] == 0 && ghz_tile_page_says(own) == bytes - head &&
                     sum_sizes(sizes, (unsigned)tiles, &largest) == bytes - head;
  return status == GHZ_OK && !stored ? GHZ_ECORRUPT : status;
}

/* Reads the body to the stream that it is of, and adds its pages to the entry. ECORRUPT where it is
 * not such a one, or not sound. */
static ghz_status read_pages(arrival *a, memory *to, size_t *size) {
  ghz_file *f = a->f;
  uint8_t head[STREAM_HEADER];
  const uint64_t offset = f->position - FRAME_BEFORE;
  ghz_slice s;
  tile_sink sink;
  frame_entry *e;
  ghz_status status = read_part(a, head, STREAM_HEADER);
  if (status == GHZ_OK)
    status = ghz_stream_says(NULL, (ghz_bytes){head, STREAM_HEADER}, &s, size);
  if (status != GHZ_OK)
    return status;
  if (*size > ghz_index_stream_most(&f->info.header) || s.payload_size + 2 * s.tiles > a->left)
    return GHZ_ECORRUPT;
  const size_t pages = (size_t)tile_pages(0, s.tiles), each = STORED_TILES;
  status = memory_reserve(&f->raw, 4 * pages, f->name);
  if (status == GHZ_OK)
    status = read_part(a, f->raw.data, 4 * pages);
  if (status == GHZ_OK)
    status = memory_reserve(to, *size, f->name);
  if (status == GHZ_OK)
    status = ghz_index_begin(&f->index, f->name, offset, pages, &e);
  if (status == GHZ_OK)
    status = ghz_stream_layout(NULL, &s, to->data, *size, &sink);
  uint8_t *payload = status == GHZ_OK ? sink.payload : NULL;
  for (size_t i = 0, left = (size_t)s.tiles; i < pages && status == GHZ_OK; i++, left -= each)
    status = read_page(a, load_u32(f->raw.data + 4 * i), left < each ? left : each, sink.sizes + 2 * each * i,
                       &payload, to->data + *size);
  if (status != GHZ_OK || a->left > 0 || payload != to->data + *size)
    return status != GHZ_OK ? status : GHZ_ECORRUPT;
  memcpy(to->data, head, STREAM_HEADER);
  ghz_put_ends(&sink, s.tiles);
  return GHZ_OK;
}

/* Reads it and its checksum. Where it is not such a one, or not sound, *size stays 0, and it can be
 * read as others are. */
static ghz_status read_stored(ghz_file *f, uint64_t length, memory *to, size_t *size) {
  const uint64_t begin = f->position;
  uint8_t b[8];
  arrival a = {f, length, ghz_checksum_begin(f->number)};
  if (!a.checksum)
    return ghz_file_fail(f->name, GHZ_ENOMEM, "out of memory");
  store_u64(b, length);
  ghz_checksum_add(a.checksum, b, 8);
  ghz_status status = read_pages(&a, to, size);
  const uint64_t checksum = ghz_checksum_end(a.checksum);
  if (status == GHZ_OK)
    status = read_bytes(f, b, 8);
  if (status == GHZ_EIO || status == GHZ_ENOMEM || (status == GHZ_OK && load_u64(b) == checksum))
    return status;
  f->position = begin;
  *size = 0;
  return GHZ_OK;
}

/* ---- Any frame ------------------------------------------------------------------------------- */

static ghz_status check_stream(ghz_file *f, const ghz_info *info) {
  const ghz_lattice *l = &f->info.header.lattice, *own = &info->lattice;
  if (own->cap != l->cap)
    return damaged(f, "another cap than in the header");
  if (!fills_equal(own, l))
    return damaged(f, "another fill value");
  if (!ghz_lattice_equal(own, l))
    return damaged(f, "another type, step or bound than in the header");
  return ghz_layout_fits(&f->info.header, f->number, f->first, f->piped, &info->shape)
             ? GHZ_OK
             : damaged(f, "a wrong number of values or shape");
}

/* Reads the frame to `m`. Its entry is that of the index, or becomes the next one. */
static ghz_status read_frame(ghz_file *f, ghz_context *ctx, memory *m, uint64_t length, ghz_frame *frame) {
  const uint64_t offset = f->position - FRAME_BEFORE;
  const size_t most = (size_t)ghz_index_stream_most(&f->info.header);
  ghz_info *info = &frame->info;
  ghz_bytes body = {0};
  size_t size = 0;
  ghz_status status = f->source.read_at && !frame->packed ? read_stored(f, length, m, &size) : GHZ_OK;
  if (status == GHZ_OK && size == 0)
    status = read_body(f, length, frame->packed, &body);
  if (status == GHZ_OK && body.data)
    status = ghz_file_pass(f->name, f->number, ctx, ghz_unpack_frame(ctx, frame->packed, body, most, m, &size));
  if (status == GHZ_OK)
    status = ghz_file_pass(f->name, f->number, NULL, ghz_info_read((ghz_bytes){m->data, size}, info));
  if (status == GHZ_OK)
    status = check_stream(f, info);
  if (status == GHZ_OK && body.data)
    status = ghz_index_body(&f->index, f->name, offset,
                            tile_pages(frame->packed, ghz_shape_tiles(&info->shape)), body);
  if (status != GHZ_OK)
    return status;
  ghz_index_stream(&f->index, info, frame->packed);
  if (f->info.indexed)
    return ghz_index_repeats(&f->index, f->number) ? GHZ_OK : misfit(f);
  ghz_index_close(&f->index);
  return GHZ_OK;
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
  f->position = f->start;
  f->number = f->first = 0;
  f->last = f->ended = 0;
  f->index.count = f->index.values = 0;
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
