/* open.c: owns opening and closing files: by the newest index, which is at the end unless something
 * is being appended, or was; else by the header at the start. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "file/checksum.h"
#include "file/header.h"
#include "file/index/index.h"
#include "file/pack.h"
#include "file/reader/reader.h"
#include "file/source.h"
#include "rules/bytes.h"
#include "stream/stream.h"

/* ---- An index that does not end the file ----------------------------------------------------- */

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
  w->entries += ENTRY_BYTES + PAGE_ENTRY_BYTES * tile_pages((says & PACKED) != 0, s.tiles);
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

/* Goes from frame to frame by their lengths, from the first one at `start`, and sets *end: where
 * the last index that is whole ends; 0: there is none. What follows it is no part of the array.
 * Errors: EIO. */
static ghz_status find_newest(const ghz_file_source *source, uint64_t start, uint64_t *end) {
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

#define TAIL_READ ((uint64_t)1 << 16) /* bytes at the end that are read at first */

/* ---- The start ------------------------------------------------------------------------------- */

ghz_status ghz_file_read_header(ghz_file *f, ghz_file_header *h) {
  uint8_t b[HEADER_MAX];
  size_t got, size = 0;
  f->position = 0;
  ghz_status status = ghz_source_read(&f->source, &f->position, b, HEADER_START, &got);
  if (status == GHZ_OK)
    status = ghz_header_start(f->name, b, got, &size);
  if (status == GHZ_OK)
    status = ghz_source_take(&f->source, &f->position, b + HEADER_START, size - HEADER_START, "the header");
  if (status != GHZ_OK)
    return status;
  f->start = f->position;
  return ghz_header_decode(f->name, b, size, h);
}

/* ---- The index ------------------------------------------------------------------------------- */

static ghz_status open_by_index(ghz_file *f, uint64_t read, uint64_t size) {
  ghz_file_info *info = &f->info;
  if (size > f->source.size)
    return ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged index: larger than the file");
  ghz_status status =
      ghz_index_read(&f->source, (ghz_bytes){f->raw.data, (size_t)read}, size, &info->header, &f->index);
  if (status != GHZ_OK)
    return status;
  info->indexed = 1;
  ghz_index_describe(&f->index, info);
  info->unfinished = info->bytes - f->source.size;
  const uint64_t needed = ghz_index_needed(&f->index, size);
  if (needed > info->bytes)
    return ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged index: frames and indexes overlap");
  info->unused = info->bytes - needed;
  return GHZ_OK;
}

/* Opens the file by an index that ends it; *found: there is one. An index that lacks the first
 * bytes of its tail is not finished. */
static ghz_status open_by_tail(ghz_file *f, int *found) {
  const uint64_t read = f->source.size < TAIL_READ ? f->source.size : TAIL_READ;
  uint64_t size;
  *found = 0;
  if (read <= TAIL_BYTES)
    return GHZ_OK;
  ghz_status status = memory_reserve(&f->raw, (size_t)read, f->name);
  if (status == GHZ_OK)
    status = ghz_source_read_at(&f->source, f->source.size - read, f->raw.data, (size_t)read);
  if (status != GHZ_OK)
    return status;
  *found = ghz_index_tail(f->raw.data + read - TAIL_BYTES, &size);
  status = *found ? open_by_index(f, read, size) : GHZ_OK;
  if (!f->index.torn)
    return status;
  ghz_index_free(&f->index);
  f->source.size--; /* without its last byte there is no tail */
  return open_by_tail(f, found);
}

/* Where no index ends the file, one before may: then the file ends there. */
static ghz_status open_seekable(ghz_file *f) {
  uint64_t end = 0;
  int found;
  f->info.bytes = f->source.size;
  ghz_status status = open_by_tail(f, &found);
  if (status != GHZ_OK || found)
    return status;
  status = ghz_file_read_header(f, &f->info.header);
  if (status == GHZ_OK)
    status = find_newest(&f->source, f->start, &end);
  if (status != GHZ_OK || end == 0)
    return status;
  f->start = 0;
  f->source.size = end;
  return open_by_tail(f, &found);
}

/* ---- The public calls ------------------------------------------------------------------------ */

ghz_status ghz_file_open_source(const ghz_file_source *source, ghz_file **file) {
  if (file)
    *file = NULL;
  if (!file || !source || (!source->read && !source->read_at))
    return ghz_fail(NULL, GHZ_EINVAL, "%s is NULL", file ? "source, or all calls of it," : "file");
  if (!ghz_checksum_available())
    return ghz_file_fail(source->name, GHZ_EUNSUPPORTED,
                         "this libghz was built without xxHash, which files need");
  ghz_file *f = calloc(1, sizeof *f);
  char *name = source->name ? strdup(source->name) : NULL;
  if (!f || (source->name && !name)) {
    free(f);
    free(name);
    return ghz_file_fail(source->name, GHZ_ENOMEM, "out of memory");
  }
  f->name = name;
  f->source = *source;
  f->source.name = name;
  f->info.version = FILE_VERSION;
  ghz_status status = source->read_at ? open_seekable(f) : ghz_file_read_header(f, &f->info.header);
  if (status == GHZ_OK) {
    *file = f;
    return GHZ_OK;
  }
  f->source.close = NULL;
  ghz_file_close(f);
  return status;
}

ghz_status ghz_file_open(const char *path, ghz_file **file) {
  ghz_file_source source;
  if (file)
    *file = NULL;
  if (!file || !path)
    return ghz_fail(NULL, GHZ_EINVAL, "%s is NULL", file ? "path" : "file");
  ghz_status status = ghz_source_of_path(path, &source);
  if (status != GHZ_OK)
    return status;
  status = ghz_file_open_source(&source, file);
  if (status != GHZ_OK)
    source.close(source.user);
  return status;
}

void ghz_file_close(ghz_file *f) {
  if (!f)
    return;
  if (f->source.close)
    f->source.close(f->source.user);
  ghz_index_free(&f->index);
  ghz_frame_free(&f->current);
  memory *const all[] = {&f->raw, &f->run, &f->region};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    memory_free(all[i]);
  ghz_slots_free(f->sum);
  free(f->name);
  free(f);
}

const ghz_file_info *ghz_file_get_info(const ghz_file *file) {
  return file ? &file->info : NULL;
}

void ghz_frame_free(ghz_frame *frame) {
  if (frame) {
    free(frame->memory);
    *frame = (ghz_frame){.memory = NULL};
  }
}
