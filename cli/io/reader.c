/* reader.c: owns reading a .ghz file: its header, frames and end, and every check of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#include <string.h>

#include "bytes.h"
#include "report/report.h"

#define PIECE ((size_t)1 << 22) /* first piece of a frame whose length cannot be checked */

/* ---- Header ---- */

static bool read_header(frame_reader *r) {
  unsigned char b[HEADER_MAX];
  const char *name = r->file.name;
  size_t got, rest;
  if (!file_read(&r->file, b, HEADER_START, &got) || !header_check_start(name, b, got, &rest))
    return false;
  if (!file_read(&r->file, b + HEADER_START, rest, &got))
    return false;
  if (got < rest)
    return fail(name, "truncated: ends in the header");
  return header_decode(name, b, rest, &r->header);
}

/* Reads the number of values from the end of a regular file whose header lacks it, if the end is
 * undamaged. */
static bool find_total(frame_reader *r) {
  file *f = &r->file;
  unsigned char b[END_BYTES];
  size_t got;
  if (r->header.total != COUNT_UNKNOWN || !f->seekable || f->size - f->position < END_BYTES)
    return true;
  uint64_t position = f->position;
  f->position = f->size - END_BYTES;
  if (!file_read(f, b, END_BYTES, &got))
    return false;
  f->position = position;
  if (got == END_BYTES && get_u64(b) == 0 && checksum_fits(b, 16, 0) && get_u64(b + 8) <= COUNT_UNKNOWN / 16) {
    r->header.total = get_u64(b + 8);
    r->header.layout.array = ghz_flat(r->header.total);
  }
  return true;
}

bool reader_adopt(frame_reader *r, const file *f) {
  *r = (frame_reader){.file = *f};
  if (read_header(r) && find_total(r))
    return true;
  reader_close(r);
  return false;
}

bool reader_open(frame_reader *r, const char *path) {
  file f;
  return file_open(&f, path) && reader_adopt(r, &f);
}

void reader_close(frame_reader *r) {
  file_close(&r->file);
}

/* ---- Reading frames ---- */

static bool truncated(const frame_reader *r) {
  return fail(r->file.name, "truncated: ends in frame %llu", (unsigned long long)r->frames);
}

/* Reads the end of the file, whose length field of 0 was read already. */
static bool read_end(frame_reader *r) {
  unsigned char b[END_BYTES] = {0}, next;
  const char *name = r->file.name;
  size_t got;
  if (!file_read(&r->file, b + 8, 16, &got))
    return false;
  if (got < 16)
    return fail(name, "truncated: ends in the last %d bytes", END_BYTES);
  if (!checksum_fits(b, 16, 0))
    return fail(name, "damaged: the checksum of the end does not match");
  uint64_t total = get_u64(b + 8);
  if (r->frames == 0 || total != r->values || (r->header.total != COUNT_UNKNOWN && r->header.total != total))
    return fail(name, "damaged: holds %llu values where %llu are announced", (unsigned long long)r->values,
                (unsigned long long)total);
  if (!file_peek(&r->file, &next, 1, &got))
    return false;
  return got == 0 || fail(name, "more bytes follow the end of the compressed data");
}

/* Reads the length of the next frame's stream; it is 0 at the end. */
static bool read_length(frame_reader *r, uint64_t *length) {
  unsigned char b[8];
  size_t got;
  if (!file_read(&r->file, b, 8, &got))
    return false;
  if (got < 8)
    return truncated(r);
  *length = get_u64(b);
  if (*length == 0)
    return true;
  uint32_t terms = ghz_terms_limit(35); /* of all caps, this one allows the most */
  const ghz_shape whole = layout_whole_frame(&r->header.layout);
  uint64_t most = ghz_shape_bound(&whole, r->header.type, terms);
  if (*length > most || r->last)
    return fail(r->file.name, "damaged: the length of frame %llu is impossible", (unsigned long long)r->frames);
  if (r->file.seekable && *length + 8 > r->file.size - r->file.position)
    return truncated(r);
  return true;
}

/* Reads the stream and its checksum. Where the length cannot be checked against the file, reads in
 * pieces that grow, so that memory is allocated only for bytes that arrive. */
static bool read_body(frame_reader *r, frame *f, uint64_t length) {
  size_t want = (size_t)length + 8, have = 0;
  while (have < want) {
    size_t piece = r->file.seekable ? want : have > PIECE ? have : PIECE, got;
    if (piece > want - have)
      piece = want - have;
    if (!buffer_reserve(&f->bytes, 8 + have + piece, r->file.name) ||
        !file_read(&r->file, f->bytes.data + 8 + have, piece, &got))
      return false;
    if (got < piece)
      return truncated(r);
    have += piece;
  }
  f->size = (size_t)length;
  put_u64(f->bytes.data, length);
  if (!checksum_fits(f->bytes.data, f->size + 8, r->frames))
    return fail(r->file.name, "damaged: the checksum of frame %llu does not match",
                (unsigned long long)r->frames);
  return true;
}

static bool same_double(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_shape(const ghz_shape *a, const ghz_shape *b) {
  return a->dims == b->dims && memcmp(a->extent, b->extent, sizeof a->extent) == 0;
}

/* Whether the next frame may have this shape. */
static bool shape_fits(const frame_reader *r, const ghz_shape *s) {
  const layout *l = &r->header.layout;
  const ghz_shape expected = layout_frame(l, r->values);
  if (r->header.total == COUNT_UNKNOWN)
    return s->dims == 1 && s->extent[2] <= l->frame_values && (s->extent[2] > 0 || r->frames == 0);
  return same_shape(s, &expected);
}

static bool check_stream(const frame_reader *r, const frame *f) {
  const frame_header *h = &r->header;
  const ghz_lattice *lattice = &f->info.lattice;
  if (lattice->type != h->type || !same_double(lattice->step, h->step) || !same_double(lattice->eb, h->eb))
    return fail(r->file.name, "damaged: frame %llu differs from the header in type, step or bound",
                (unsigned long long)r->frames);
  if (r->frames > 0 &&
      (!lattice->has_fill != !r->has_fill || (r->has_fill && !same_double(lattice->fill, r->fill))))
    return fail(r->file.name, "damaged: frame %llu has another fill value", (unsigned long long)r->frames);
  if (!shape_fits(r, &f->info.shape))
    return fail(r->file.name, "damaged: frame %llu has a wrong number of values or shape",
                (unsigned long long)r->frames);
  return true;
}

static void advance(frame_reader *r, uint64_t count) {
  r->values += count;
  r->frames++;
  r->last =
      r->header.total == COUNT_UNKNOWN ? count < r->header.layout.frame_values : r->values == r->header.total;
}

bool reader_next(frame_reader *r, frame *f, bool *more) {
  uint64_t length = 0;
  *more = false;
  if (r->ended)
    return true;
  if (!read_length(r, &length))
    return false;
  *more = length > 0;
  if (!*more)
    return r->ended = read_end(r);
  if (!read_body(r, f, length) || !frame_inspect(f, r->file.name) || !check_stream(r, f))
    return false;
  r->has_fill = f->info.lattice.has_fill != 0;
  r->fill = f->info.lattice.fill;
  advance(r, f->info.count);
  return true;
}

bool reader_skip(frame_reader *r, bool *more) {
  uint64_t length = 0, got;
  if (!read_length(r, &length))
    return false;
  *more = length > 0;
  if (!*more)
    return true;
  if (!file_skip(&r->file, length + 8, &got))
    return false;
  if (got < length + 8)
    return truncated(r);
  const ghz_shape next = layout_frame(&r->header.layout, r->values);
  advance(r, ghz_shape_count(&next));
  return true;
}
