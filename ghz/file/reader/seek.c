/* seek.c: owns finding the frame that holds a value in a file without an index. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/reader/reader.h"

static ghz_status rewind_file(ghz_file *f) {
  if (!f->source.read_at)
    return ghz_file_fail(f->name, GHZ_EINVAL, "cannot seek back: the input is a pipe");
  f->position = f->seen.end = f->start;
  f->number = f->first = 0;
  f->last = f->ended = 0;
  f->seen.count = f->seen.page_count = f->seen.values = 0;
  return GHZ_OK;
}

/* Skips the next frame of a file of version 2, whose values follow from its number. */
static ghz_status skip(ghz_file *f) {
  const ghz_shape next = ghz_file_frame_shape(&f->info.header, f->first);
  uint64_t length = 0;
  int packed = 0;
  ghz_status status = ghz_file_length(f, &length, &packed);
  if (status != GHZ_OK || length == 0)
    return status != GHZ_OK
               ? status
               : ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged: frame %llu: is missing", (ull)f->number);
  f->position += length + 8;
  ghz_file_advance(f, ghz_shape_count(&next));
  return GHZ_OK;
}

static int can_skip(const ghz_file *f, uint64_t value) {
  const ghz_file_header *h = &f->info.header;
  if (f->info.version != 2 || !f->source.read_at || h->count == GHZ_FILE_UNKNOWN || f->number == 0)
    return 0;
  const ghz_shape next = ghz_file_frame_shape(h, f->first);
  return value - f->first >= ghz_shape_count(&next);
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
  while (status == GHZ_OK && can_skip(f, value))
    status = skip(f);
  while (status == GHZ_OK && !holds(&f->current, value)) {
    status = ghz_file_next(f, ctx, &f->current);
    if (status == GHZ_OK && f->current.stream.size == 0)
      status = ghz_file_fail(f->name, GHZ_EINVAL, "value %llu of %llu", (ull)value, (ull)f->first);
  }
  return status;
}
