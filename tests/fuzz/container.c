/* container.c: fuzzer: any bytes as a compressed file. Read at any place and like a pipe it is the
 * same file, or refused with a message, as appended ones are from a pipe; ranges of it are those of
 * its frames, whether the rest is sound or not; every byte of a file that is accepted, and was not
 * appended to, means something: written again it is the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/pack.h"
#include "fuzz.h"
#include "mutate.h"
#include <ghz/file.h>
#include <stdlib.h>
#include <string.h>

/* ---- Bytes ---- */
typedef struct bytes {
  const uint8_t *data;
  size_t size, position;
} bytes;

static const char *read_at(void *user, uint64_t offset, void *to, size_t size, size_t *got) {
  const bytes *b = user;
  const size_t left = offset < b->size ? b->size - (size_t)offset : 0;
  *got = size < left ? size : left;
  if (*got)
    memcpy(to, b->data + offset, *got);
  return NULL;
}

static const char *read_next(void *user, void *to, size_t size, size_t *got) {
  bytes *b = user;
  read_at(b, b->position, to, size, got);
  b->position += *got;
  return NULL;
}

static ghz_status open_bytes(bytes *b, bool seekable, ghz_file **f) {
  b->position = 0;
  return ghz_file_open_source(&(ghz_file_source){.user = b,
                                                 .name = "fuzz.ghz",
                                                 .read = read_next,
                                                 .read_at = seekable ? read_at : NULL,
                                                 .size = b->size},
                              f);
}

/* ---- Reading ---- */
/* What reading a file frame by frame gave. */
typedef struct reading {
  ghz_status status;
  uint64_t frames, values, unused;
  uint8_t *decoded; /* all values, unless there are too many or tiles are damaged: then NULL */
  size_t decoded_size;
} reading;

static ghz_context *context(void) { return fuzz_context(fuzz_contexts() - 2); }

/* Without zstd packed files are refused as such. */
static bool file_refused(ghz_status status) {
  return refused(status) || (status == GHZ_EUNSUPPORTED && !ghz_pack_available(PACK_FAST));
}

/* A frame that was accepted may still hold a damaged tile: then decoding says so. */
static void decode_frame(reading *got, const ghz_frame *f) {
  const ghz_type type = fuzz_type(&f->info.lattice);
  const size_t size = (size_t)f->info.count * ghz_type_size(type);
  ghz_status status = GHZ_ECAPACITY;
  void *values =
      f->info.count <= FUZZ_VALUES ? fuzz_decode(context(), f->stream, type, f->info.count, &status) : NULL;
  MUST(!values || status == GHZ_OK || refused(status), "a frame: %d", (int)status);
  if (status != GHZ_OK || (got->frames && !got->decoded)) {
    got->decoded = NULL;
    got->frames++;
    return;
  }
  uint8_t *longer = scratch(got->decoded_size + size);
  if (got->decoded_size)
    memcpy(longer, got->decoded, got->decoded_size);
  memcpy(longer + got->decoded_size, values, size);
  got->decoded = longer;
  got->decoded_size += size;
  got->frames++;
}

static reading read_frames(bytes *b, bool seekable) {
  reading got = {.status = GHZ_OK};
  ghz_frame frame = {.memory = NULL};
  ghz_file *f;
  for (got.status = open_bytes(b, seekable, &f); got.status == GHZ_OK; got.values += frame.info.count) {
    got.status = ghz_file_next(f, context(), &frame);
    if (got.status != GHZ_OK || frame.stream.size == 0)
      break;
    MUST(frame.first == got.values && frame.number == got.frames, "counted otherwise");
    MUST(frame.info.count <= ghz_file_get_info(f)->header.frame_values, "too many values in a frame");
    decode_frame(&got, &frame);
  }
  MUST(got.status == GHZ_OK || file_refused(got.status), "status %d", (int)got.status);
  MUST(got.status == GHZ_OK || ghz_context_message(NULL)[0], "no message");
  MUST(got.status != GHZ_OK || ghz_file_get_info(f)->header.count == got.values, "another number of values");
  got.unused = got.status == GHZ_OK ? ghz_file_get_info(f)->unused : 0;
  ghz_frame_free(&frame);
  ghz_file_close(f);
  return got;
}

/* Whether an index with parts may be in it. */
static bool has_parts(const bytes *b) {
  for (size_t i = 0; i + 8 <= b->size; i++)
    if (memcmp(b->data + i, "GHZPARTS", 8) == 0)
      return true;
  return false;
}

/* ---- Parts ---- */
/* Ranges of a file, sound or not: the values of its frames, or an error. */
static void read_parts(bytes *b, const reading *all) {
  ghz_file *f;
  uint64_t state = b->size;
  if (open_bytes(b, true, &f) != GHZ_OK)
    return;
  const ghz_file_header *h = &ghz_file_get_info(f)->header;
  const ghz_type type = fuzz_type(&h->lattice);
  const size_t size = ghz_type_size(type);
  for (int turn = 0; turn < 4 && h->count != GHZ_FILE_UNKNOWN && h->count > 0; turn++) {
    const uint64_t first = input_below(&state, h->count), left = h->count - first;
    const size_t n = (size_t)input_below(&state, (left < 40000 ? left : 40000) + 1);
    uint8_t *values = scratch(n * size);
    const ghz_status status = ghz_file_read(f, context(), type, first, n, values);
    MUST(status == GHZ_OK || file_refused(status), "a range: %d", (int)status);
    MUST(status == GHZ_OK || !all->decoded || all->status != GHZ_OK, "a range of a sound file: %s",
         ghz_context_message(NULL));
    if (status == GHZ_OK && all->status == GHZ_OK && all->decoded)
      must_equal(values, n * size, all->decoded + first * size, n * size, "a range");
  }
  ghz_file_close(f);
}

/* ---- Writing again ---- */
typedef struct written {
  uint8_t *data;
  size_t size, room;
} written;

static const char *write_next(void *user, const void *data, size_t size) {
  written *w = user;
  if (w->size + size > w->room)
    return "longer than the file that was read";
  memcpy(w->data + w->size, data, size);
  w->size += size;
  return NULL;
}

/* Packed frames may be packed otherwise, and appended ones be cut otherwise: then it is another
 * file. */
static void write_again(bytes *b) {
  written to = {scratch(b->size), 0, b->size};
  ghz_frame frame = {.memory = NULL};
  ghz_file *f, *whole;
  ghz_file_writer *w;
  MUST(open_bytes(b, true, &whole) == GHZ_OK, "a sound file");
  const bool packed = ghz_file_get_info(whole)->packed > 0;
  ghz_file_close(whole);
  if (packed)
    return;
  MUST(open_bytes(b, false, &f) == GHZ_OK, "a sound file");
  const ghz_file_sink sink = {.user = &to, .name = "again.ghz", .write = write_next};
  MUST(ghz_file_create_sink(&sink, &ghz_file_get_info(f)->header, &w) == GHZ_OK, "%s",
       ghz_context_message(NULL));
  ghz_status status = GHZ_OK;
  while (status == GHZ_OK) {
    MUST(ghz_file_next(f, context(), &frame) == GHZ_OK, "a frame of a sound file");
    if (frame.stream.size == 0)
      break;
    status = ghz_file_write_stream(w, context(), frame.stream);
  }
  MUST(status == GHZ_OK || status == GHZ_EINVAL, "writing: %s", ghz_context_message(NULL));
  if (status == GHZ_OK) {
    MUST(ghz_file_finish(w, context()) == GHZ_OK, "%s", ghz_context_message(NULL));
    must_equal(to.data, to.size, b->data, b->size, "a file written again");
  } else {
    ghz_file_abandon(w);
  }
  ghz_frame_free(&frame);
  ghz_file_close(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SCOPE;
  bytes b = {data, size, 0};
  const reading whole = read_frames(&b, true), pipe = read_frames(&b, false);
  const bool appended = whole.status == GHZ_OK && (whole.unused > 0 || has_parts(&b));
  MUST((whole.status == GHZ_OK) == (pipe.status == GHZ_OK) || (appended && refused(pipe.status)),
       "seekable %d, a pipe %d: %s", (int)whole.status, (int)pipe.status, ghz_context_message(NULL));
  read_parts(&b, &whole);
  if (whole.status != GHZ_OK || appended)
    return 0;
  MUST(whole.frames == pipe.frames && whole.values == pipe.values && whole.decoded_size == pipe.decoded_size,
       "read otherwise");
  write_again(&b);
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
  uint64_t state = seed;
  return mutate_container(data, size, room, &state);
}
