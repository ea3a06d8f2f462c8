/* container.c: fuzzer: any bytes as a compressed file. Read at will and like a pipe it is the same
 * file, or refused with one message; every byte of a file that is accepted means something: written
 * again it is the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "container.h"
#include "fuzz.h"
#include "io/reader.h"
#include "io/writer.h"
#include "memory_file.h"
#include "mutate.h"
#include <stdlib.h>
#include <string.h>

/* What reading a file gave. */
typedef struct reading {
  bool ok;
  frame_header header;
  uint64_t frames, values, bytes; /* of the values that could be decompressed */
} reading;

/* ---- Reading ---- */
/* A frame that was accepted may still hold a damaged tile: then decoding says so. */
static uint64_t decode_frame(const frame *f, ghz_type type) {
  if (f->info.count > FUZZ_VALUES)
    return 0;
  ghz_status status;
  fuzz_decode(fuzz_context(fuzz_contexts() - 2), frame_bytes(f), type, f->info.count, &status);
  MUST(status == GHZ_OK || refused(status), "a frame: %d", (int)status);
  return status == GHZ_OK ? f->info.count * ghz_type_size(type) : 0;
}

/* Reads frame by frame; writes each to w unless that is NULL. */
static bool read_frames(frame_reader *r, reading *got, frame_writer *w) {
  frame f = {0};
  bool more = true, ok = true;
  while (ok && more) {
    ok = reader_next(r, &f, &more);
    if (!ok || !more)
      break;
    MUST(f.info.count <= r->header.layout.frame_values, "%llu values in a frame",
         (unsigned long long)f.info.count);
    got->values += f.info.count;
    got->frames++;
    got->bytes += decode_frame(&f, r->header.type);
    MUST(!w || writer_frame(w, &f), "writing a frame");
  }
  frame_free(&f);
  return ok;
}

static reading read_file(const uint8_t *data, size_t size, bool seekable) {
  reading got = {.ok = false};
  frame_reader r;
  file f = memory_file(0, "fuzz.ghz", data, size, seekable);
  messages_taken();
  if (reader_adopt(&r, &f)) {
    got.header = r.header;
    got.ok = read_frames(&r, &got, NULL);
    if (got.ok)
      MUST(r.ended && r.values == got.values && r.frames == got.frames, "counted otherwise");
    reader_close(&r);
  }
  int messages = messages_taken();
  MUST(messages == !got.ok, "%d messages of a file that is %s", messages, got.ok ? "sound" : "refused");
  return got;
}

/* ---- Writing again ---- */
static void write_again(const uint8_t *data, size_t size) {
  reading got = {.ok = false};
  frame_reader r;
  frame_writer w;
  file in = memory_file(0, "fuzz.ghz", data, size, false), out = memory_file(1, "again.ghz", NULL, 0, true);
  output to = {.name = "again.ghz", .fd = out.fd};
  MUST(reader_adopt(&r, &in) && writer_begin(&w, &to, &r.header), "the header of a sound file");
  MUST(read_frames(&r, &got, &w) && writer_end(&w), "the frames of a sound file");
  reader_close(&r);
  size_t again_size;
  uint8_t *again = memory_file_bytes(&out, &again_size);
  must_equal(again, again_size, data, size, "a file written again");
}

/* ---- Skipping ---- */
/* After some frames were passed over, the others are as they were. */
static void skip(const uint8_t *data, size_t size, const reading *all, bool seekable) {
  frame_reader r;
  frame f = {0};
  file in = memory_file(0, "fuzz.ghz", data, size, seekable);
  bool more = true;
  MUST(reader_adopt(&r, &in), "the header of a sound file");
  for (uint64_t i = 0; i + 1 < all->frames; i++)
    MUST(reader_skip(&r, &more) && more, "frame %llu is not passed over", (unsigned long long)i);
  MUST(reader_next(&r, &f, &more) && more && r.values == all->values, "%llu values",
       (unsigned long long)r.values);
  MUST(reader_next(&r, &f, &more) && !more, "the end");
  frame_free(&f);
  reader_close(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SCOPE;
  reading whole = read_file(data, size, true), pipe = read_file(data, size, false);
  MUST(whole.ok == pipe.ok, "a file that is %s, a pipe that is %s", whole.ok ? "sound" : "refused",
       pipe.ok ? "sound" : "refused");
  if (!whole.ok)
    return 0;
  MUST(whole.frames == pipe.frames && whole.values == pipe.values && whole.bytes == pipe.bytes,
       "read otherwise");
  MUST(whole.header.total == whole.values, "%llu values announced", (unsigned long long)whole.header.total);
  write_again(data, size);
  skip(data, size, &whole, true);
  if (pipe.header.total != COUNT_UNKNOWN)
    skip(data, size, &whole, false);
  messages_taken();
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
  uint64_t state = seed;
  return mutate_container(data, size, room, &state);
}
