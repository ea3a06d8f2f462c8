/* mutate_container.c: changes of compressed files: taken apart without trust, changed in one place,
 * put together with checksums, counts and an index that fit, or with an index that lies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/checksum.h"
#include "file/pack.h"
#include "inputs.h"
#include "mutate.h"
#include "stream/stream.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
  FRAMES_MOST = 8,
  FIXED = 48,
  DIMENSIONS_MOST = 33,
  HEADER = FIXED + 8 * DIMENSIONS_MOST,
  AROUND = 16,
  END = 24,
  ENTRY = 24,
  PAGE_ENTRY = 12,
  TAIL = 32
};

#define PACKED ((uint64_t)1 << 63)

static uint64_t get_u64(const uint8_t *p) { return get_little(p, 8); }
static void put_u64(uint8_t *p, uint64_t v) { put_little(p, v, 8); }

typedef struct loose {
  uint8_t header[HEADER];
  uint64_t total; /* as the end says */
  size_t frames, room;
  uint8_t *space; /* `room` bytes for each frame */
  struct {
    uint8_t *data; /* `room` bytes */
    size_t size;
    bool packed;
  } frame[FRAMES_MOST];
} loose;

static size_t header_size(const loose *l) { return FIXED + 8 * (size_t)smaller(l->header[6], DIMENSIONS_MOST); }

static void add_frame(loose *l, const uint8_t *data, size_t size, bool packed) {
  if (l->frames == FRAMES_MOST)
    return;
  l->frame[l->frames].data = l->space + l->frames * l->room;
  l->frame[l->frames].size = smaller(size, l->room);
  l->frame[l->frames].packed = packed;
  memcpy(l->frame[l->frames].data, data, l->frame[l->frames].size);
  l->frames++;
}

static loose take_apart(const uint8_t *data, size_t size, uint8_t *space, size_t room) {
  loose l = {.room = room, .space = space};
  memcpy(l.header, data, smaller(size, HEADER));
  size_t at = header_size(&l) + 8;
  memset(l.header + header_size(&l), 0, HEADER - header_size(&l));
  while (at + 8 <= size) {
    uint64_t length = get_u64(data + at);
    const bool packed = (length & PACKED) != 0;
    length &= ~PACKED;
    at += 8;
    if (length == 0)
      break;
    size_t part = length < size - at ? (size_t)length : size - at;
    add_frame(&l, data + at, part, packed);
    at += smaller(part + 8, size - at);
  }
  l.total = at + 8 <= size ? get_u64(data + at) : 0;
  return l;
}

static size_t put_checked(uint8_t *to, size_t size, uint64_t seed) {
  ghz_checksum_put(to, size, seed);
  return size + 8;
}

static uint64_t count_of(const uint8_t *s) { return get_u64(s + 8) * get_u64(s + 16) * get_u64(s + 24); }

/* ---- The index ---- */
/* The entry of a frame and those of its pages, if there is room; what it says of their sizes is
 * believed as far as the bytes are there. */
static size_t put_entry(uint8_t *to, size_t room, const uint8_t *body, size_t size, bool packed) {
  ghz_slice s = {.tiles = 0};
  size_t stream = 0;
  if (size >= STREAM_HEADER)
    ghz_stream_says(NULL, (ghz_bytes){body, size}, &s, &stream);
  const size_t pages = (size_t)smaller(tile_pages(packed, s.tiles), 64);
  size_t at = body_head(pages);
  if (room < ENTRY + PAGE_ENTRY * pages)
    return 0;
  put_u64(to, s.count);
  put_u64(to + 8, stream);
  put_little(to + 16, s.terms, 4);
  put_little(to + 20, (uint64_t)packed | (uint64_t)(s.inexact != 0) << 1 | (uint64_t)(s.transform != 0) << 2,
             4);
  for (size_t b = 0; b < pages; b++) {
    const uint64_t bytes = body_head(b + 1) <= size ? get_little(body + body_head(b), 4) : 0;
    const size_t have = at < size ? (size_t)smaller(bytes, size - at) : 0;
    put_little(to + ENTRY + PAGE_ENTRY * b, bytes, 4);
    put_u64(to + ENTRY + PAGE_ENTRY * b + 4, ghz_checksum(body + smaller(at, size), have, 0));
    at += (size_t)bytes;
  }
  return ENTRY + PAGE_ENTRY * pages;
}

static size_t put_index(const loose *l, uint8_t *out, size_t room) {
  const size_t head = header_size(l);
  size_t at = head + 8;
  if (at + TAIL > room)
    return 0;
  memcpy(out, l->header, head);
  put_u64(out + 8, l->total);
  put_checked(out, head, 0);
  for (size_t i = 0; i < l->frames; i++)
    at += put_entry(out + at, room - TAIL - at, l->frame[i].data, l->frame[i].size, l->frame[i].packed);
  put_u64(out + at, l->frames);
  put_u64(out + at + 8, at);
  put_checked(out, at + 16, 0);
  memcpy(out + at + 24, "GHZINDEX", 8);
  return at + TAIL;
}

static size_t put_together(const loose *l, uint8_t *out, size_t size, size_t room) {
  size_t head = header_size(l), at = head + 8;
  if (at + END > room)
    return size;
  memcpy(out, l->header, head);
  put_checked(out, head, 0);
  for (size_t i = 0; i < l->frames && at + AROUND + l->frame[i].size + END <= room; i++) {
    put_u64(out + at, l->frame[i].size | (l->frame[i].packed ? PACKED : 0));
    memcpy(out + at + 8, l->frame[i].data, l->frame[i].size);
    at += put_checked(out + at, 8 + l->frame[i].size, i);
  }
  put_u64(out + at, 0);
  put_u64(out + at + 8, l->total);
  at += put_checked(out + at, 16, 0);
  return at + put_index(l, out + at, room - at);
}

/* Changes a number of the index, whose checksum then fits. */
static void change_index(uint8_t *data, size_t size, uint64_t *state) {
  const uint64_t length = size > TAIL ? get_u64(data + size - 24) : 0;
  if (length < 8 || length > size - TAIL)
    return;
  uint8_t *index = data + size - TAIL - length;
  const size_t at = (size_t)input_below(state, length + 12);
  LLVMFuzzerMutate(index + at, 4, 4);
  put_checked(index, (size_t)length + 16, 0);
}

/* ---- Changes ---- */
/* Changes the stream in a body, or the body. */
static size_t change_body(uint8_t *data, size_t size, size_t room, bool packed, uint64_t *state) {
  const ghz_bytes body = {data, size};
  memory s = {malloc(room), room};
  size_t stream;
  if (input_below(state, 4) > 0 && s.data &&
      ghz_unpack_frame(NULL, packed, body, room, &s, &stream) == GHZ_OK) {
    const size_t changed = mutate_stream(s.data, stream, room, state);
    ghz_status status =
        ghz_pack(NULL, (ghz_bytes){s.data, changed}, packed ? PACK_LEVEL_MOST : 0, data, room, &size);
    size = status == GHZ_OK ? size : body.size;
  } else {
    size = LLVMFuzzerMutate(data, size, room);
  }
  memory_free(&s);
  return size;
}

static void change_header(loose *l, uint64_t *state) {
  static const uint64_t counts[] = {0,    1,    16384, 32768, (uint64_t)1 << 26, UINT64_MAX, UINT64_MAX / 16,
                                    1024, 17000};
  static const uint8_t fields[][2] = {{5, 1},  {6, 1},  {7, 1},  {8, 8},  {16, 8},
                                      {24, 8}, {32, 8}, {40, 8}, {48, 8}, {56, 8}};
  const uint8_t *field = fields[input_below(state, sizeof fields / sizeof *fields)];
  uint64_t value = counts[input_below(state, sizeof counts / sizeof *counts)];
  if (field[1] == 1)
    l->header[field[0]] = (uint8_t)input_below(state, 5);
  else if (input_below(state, 2))
    put_u64(l->header + field[0], value);
  else
    LLVMFuzzerMutate(l->header + field[0], field[1], field[1]);
}

static void change_frames(loose *l, uint64_t *state) {
  size_t i = l->frames ? (size_t)input_below(state, l->frames) : 0;
  if (l->frames == 0)
    add_frame(l, l->header, 0, false);
  else if (input_below(state, 3) == 0)
    add_frame(l, l->frame[i].data, l->frame[i].size, l->frame[i].packed);
  else if (input_below(state, 6) == 0)
    l->frames--;
  else
    l->frame[i].size = change_body(l->frame[i].data, l->frame[i].size, l->room, l->frame[i].packed, state);
}

/* A header of bricks: frames of whole planes, as large as the first one. */
static void agree_on_bricks(loose *l) {
  const uint8_t *s = l->frame[0].data;
  uint64_t planes = 0;
  for (size_t i = 0; i < l->frames; i++)
    planes += l->frame[i].size >= 72 ? get_u64(l->frame[i].data + 8) : 0;
  l->header[6] = 3;
  l->header[7] = (uint8_t)((s[7] - 1) << 2 | (l->header[7] & 0x30));
  put_u64(l->header + FIXED, planes);
  memcpy(l->header + FIXED + 8, s + 16, 16);
  put_u64(l->header + 8, l->total);
  put_u64(l->header + 16, count_of(s));
}

/* Header, end and frames say the same of type, step, bound and counts. */
static void agree(loose *l, uint64_t *state) {
  uint64_t total = 0;
  for (size_t i = 0; i < l->frames; i++)
    if (l->frame[i].size >= 72) {
      uint8_t *s = l->frame[i].data;
      if (i == 0) {
        l->header[5] = s[4];
        memcpy(l->header + 24, s + 32, 16);
        l->header[7] = (uint8_t)((l->header[7] & 0xf) | (s[5] & 4 ? 0x10 : 0) | (s[6] == 44 ? 0x20 : 0));
        memcpy(l->header + 40, s + 64, 8);
      } else {
        s[4] = l->header[5];
        s[6] = l->frame[0].data[6];
        memcpy(s + 32, l->header + 24, 16);
        s[5] = (uint8_t)((s[5] & ~4) | (l->header[7] & 0x10 ? 4 : 0));
        memcpy(s + 64, l->header + 40, 8);
      }
      total += count_of(s);
    }
  l->total = total;
  if (l->frames && l->frame[0].size >= 72 && (l->frame[0].data[7] == 2 || l->frame[0].data[7] == 3)) {
    agree_on_bricks(l);
    return;
  }
  if (l->header[6] || l->header[7] & 2)
    l->header[6] = 0, l->header[7] &= 0x30;
  if (input_below(state, 3) == 0) { /* a shape */
    l->header[6] = 2;
    l->header[7] = (uint8_t)((l->header[7] & 0x30) | input_below(state, 4));
    put_u64(l->header + FIXED, 1);
    put_u64(l->header + FIXED + 8, total);
  }
  put_u64(l->header + 8, input_below(state, 3) || l->header[6] ? total : UINT64_MAX);
  put_u64(l->header + 16, 16384 * (1 + input_below(state, 2)));
}

size_t mutate_container(uint8_t *data, size_t size, size_t room, uint64_t *state) {
  uint64_t how = input_below(state, 20);
  if (how == 0 || room < HEADER + 256)
    return LLVMFuzzerMutate(data, size, room);
  if (how == 17 && size > 0) { /* damage */
    size_t at = (size_t)input_below(state, size);
    data[at] = (uint8_t)(data[at] ^ 1 << input_below(state, 8));
    return size;
  }
  if (how >= 18) {
    change_index(data, size, state);
    return size;
  }
  if (how == 16 && size < room) { /* something behind the end */
    data[size] = (uint8_t)input_random(state);
    return size + 1;
  }
  uint8_t *space = calloc(FRAMES_MOST, room);
  if (!space)
    abort();
  loose l = take_apart(data, size, space, room);
  memcpy(l.header, "GHZF\4", 5);
  if (how < 4)
    change_header(&l, state);
  else if (how == 4)
    l.total += input_below(state, 3) - 1;
  else
    change_frames(&l, state);
  if (how > 4 && input_below(state, 8))
    agree(&l, state);
  size = put_together(&l, data, size, room);
  free(space);
  return size;
}
