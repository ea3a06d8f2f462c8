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
