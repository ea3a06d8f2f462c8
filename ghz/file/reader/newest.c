/* newest.c: owns finding the newest index of a file whose end is none: something is being appended
 * to it, or was, and the program ended before. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/reader/newest.h"

#include "file/checksum.h"
#include "file/layout.h"
#include "file/pack.h"
#include "file/source.h"
#include "rules/bytes.h"
#include "stream/stream.h"

/* Of a frame, whose pages follow from them: its length, and the header of its stream. */
enum { START_BYTES = FRAME_BEFORE + STREAM_HEADER };

/* Where a walk is. */
typedef struct walk {
  const ghz_file_source *source;
  uint64_t at;
  uint64_t entries; /* bytes of the entries of the frames that it passed */
} walk;

/* Reads what there is of `size` bytes. */
static ghz_status look(const walk *w, uint64_t ahead, uint8_t *to, size_t size, size_t *got) {
  uint64_t at = w->at + ahead;
  *got = 0;
  return at < w->source->size ? ghz_source_read(w->source, &at, to, size, got) : GHZ_OK;
}

/* Goes behind the frame that begins here, whose length was read, if the file has so many bytes. */
static int pass_frame(walk *w, const uint8_t *start, size_t got) {
  const uint64_t says = load_u64(start), length = says & ~PACKED, left = w->source->size - w->at;
  size_t stream;
  ghz_slice s;
  if (left < FRAME_AROUND || length > left - FRAME_AROUND || got < START_BYTES ||
      ghz_stream_says(NULL, (ghz_bytes){start + FRAME_BEFORE, STREAM_HEADER}, &s, &stream) != GHZ_OK)
    return 0;
  w->entries += ghz_index_entry_size(tile_pages((says & PACKED) != 0, s.tiles));
  w->at += length + FRAME_AROUND;
  return 1;
}

/* Goes behind the end and the index that begin here, if they are whole. */
static ghz_status pass_index(walk *w, int *whole) {
  uint8_t b[END_BYTES + HEADER_MAX + INDEX_MARK], tail[TAIL_BYTES];
  size_t got, header;
  uint64_t size, said;
  *whole = 0;
  ghz_status status = look(w, 0, b, sizeof b, &got);
  if (status != GHZ_OK || got < END_BYTES + HEADER_START || !ghz_checksum_fits(b, 16, 0) ||
      ghz_header_start(NULL, b + END_BYTES, HEADER_START, &header) != GHZ_OK)
    return status;
  if (got < END_BYTES + header + INDEX_MARK || !ghz_index_marked(b + END_BYTES + header, &size))
    size = header + w->entries + TAIL_BYTES;
  if (size < TAIL_BYTES || size > w->source->size - w->at - END_BYTES)
    return GHZ_OK;
  status = look(w, END_BYTES + size - TAIL_BYTES, tail, TAIL_BYTES, &got);
  *whole = status == GHZ_OK && got == TAIL_BYTES && ghz_index_tail(tail, &said) && said == size;
  w->at += *whole ? END_BYTES + size : 0;
  return status;
}

ghz_status ghz_newest_index(const ghz_file_source *source, uint64_t start, uint64_t *end) {
  walk w = {.source = source, .at = start};
  uint8_t b[START_BYTES];
  size_t got;
  int goes_on = 1;
  *end = 0;
  while (goes_on) {
    ghz_status status = look(&w, 0, b, sizeof b, &got);
    goes_on = status == GHZ_OK && got >= 16;
    if (goes_on && load_u64(b) == 0) {
      status = pass_index(&w, &goes_on);
      *end = goes_on ? w.at : *end;
    } else if (goes_on) {
      goes_on = pass_frame(&w, b, got);
    }
    if (status != GHZ_OK)
      return status;
  }
  return GHZ_OK;
}
