/* mutate.c: changes of streams and messages: one is taken apart without trust, a part of it
 * changed, and all put together with an index that fits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "mutate.h"
#include "inputs.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Offsets of fields of a header, and its sizes. */
enum {
  EXTENTS = 8,
  STEP = 32,
  TERMS = 48,
  PAYLOAD = 56,
  FILL = 64,
  COMMON = 72,
  FIRST = 72,
  TILES = 80,
  MESSAGE = 88
};
enum { TILES_MOST = 40 };

/* A stream or message in its parts. */
typedef struct loose {
  bool message;
  uint8_t header[MESSAGE];
  size_t tiles;
  struct {
    uint8_t data[MEND_ROOM];
    size_t size;
  } tile[TILES_MOST];
} loose;

/* Bytes of the ends of a stream's chunks. */
static size_t ends_size(size_t tiles) { return 8 * ((tiles + 15) / 16); }

/* ---- Shapes ---- */
/* The header, with a number of dimensions that there is. */
static ref_header header_of(const loose *l) {
  ref_header h = ref_header_read(l->header);
  h.dims = h.dims == 2 || h.dims == 3 ? h.dims : 1;
  return ref_shaped(h, h.dims, h.dims == 1 ? 1 : h.extent[0], h.dims == 1 ? 1 : h.extent[1], h.extent[2]);
}

static uint64_t tiles_of_array(const loose *l) {
  ref_header h = header_of(l);
  return ref_tile_total(&h);
}

static void put_shape(loose *l, int dims, uint64_t z, uint64_t y, uint64_t x) {
  l->header[7] = (uint8_t)dims;
  put_little(l->header + EXTENTS, z, 8);
  put_little(l->header + EXTENTS + 8, y, 8);
  put_little(l->header + EXTENTS + 16, x, 8);
}

/* An array of so many tiles: rows of one brick, of which the last may be cut. */
static void put_tiles(loose *l, uint64_t tiles) {
  ref_header h = header_of(l);
  uint64_t y = h.extent[1], x = h.extent[2];
  if (h.dims == 3)
    put_shape(l, 3, tiles ? 8 * tiles - h.extent[0] % 8 : 0, 1 + (y - 1) % 8, 1 + (x - 1) % 16);
  else if (h.dims == 2)
    put_shape(l, 2, tiles, 1 + (y - 1) % 32, 1 + (x - 1) % 32);
  else
    put_shape(l, 1, 1, 1, tiles ? tiles * REF_TILE - x % REF_TILE : 0);
}

/* ---- Apart and together ---- */
static void add_empty(loose *l, size_t at) {
  if (l->tiles == TILES_MOST)
    return;
  memmove(&l->tile[at + 1], &l->tile[at], (l->tiles - at) * sizeof *l->tile);
  l->tile[at].size = 0;
  l->tiles++;
}

static void copy_tile(loose *l, size_t to, size_t from) {
  memmove(l->tile[to].data, l->tile[from].data, l->tile[from].size);
  l->tile[to].size = l->tile[from].size;
}

static void drop_tile(loose *l, size_t at) {
  l->tiles--;
  memmove(&l->tile[at], &l->tile[at + 1], (l->tiles - at) * sizeof *l->tile);
}

/* To be freed. */
static loose *take_apart(const uint8_t *data, size_t size) {
  loose *l = calloc(1, sizeof *l);
  if (!l)
    abort();
  l->message = size > 3 && data[3] == 'N';
  size_t header = l->message ? MESSAGE : COMMON;
  memcpy(l->header, data, smaller(size, header));
  memcpy(l->header, l->message ? "GHZO" : "GHZ3", 4);
  uint64_t tiles = l->message ? get_little(l->header + TILES, 8) : tiles_of_array(l);
  if (tiles > TILES_MOST)
    tiles = TILES_MOST;
  size_t sizes = smaller(size, l->message ? header : header + ends_size((size_t)tiles));
  size_t payload = smaller(size, sizes + 2 * (size_t)tiles);
  for (size_t t = 0; t < tiles; t++) {
    size_t want = sizes + 2 * t + 2 <= size ? (size_t)get_little(data + sizes + 2 * t, 2) : 0;
    want = smaller(want, size - payload);
    add_empty(l, t);
    l->tile[t].size = smaller(want, MEND_ROOM);
    memcpy(l->tile[t].data, data + payload, l->tile[t].size);
    payload += want;
  }
  return l;
}

/* The shape is kept if it fits the number of tiles. */
static void fit_count(loose *l) {
  uint64_t first = get_little(l->header + FIRST, 8), all = tiles_of_array(l);
  if (!l->message) {
    if (all != l->tiles)
      put_tiles(l, l->tiles);
    return;
  }
  put_little(l->header + TILES, l->tiles, 8);
  if (all < l->tiles)
    put_tiles(l, all = l->tiles);
  if (first > all - l->tiles)
    put_little(l->header + FIRST, all - l->tiles, 8);
}

/* Writes what fits: tiles that do not are empty. Without room for the index nothing changes. */
static size_t put_together(loose *l, uint8_t *out, size_t size, size_t room) {
  size_t ends = l->message ? 0 : ends_size(l->tiles), header = l->message ? MESSAGE : COMMON;
  if (header + ends + 2 * l->tiles > room)
    return size;
  uint8_t *sizes = out + header + ends, *payload = sizes + 2 * l->tiles, *p = payload;
  fit_count(l);
  for (size_t t = 0; t < l->tiles; t++) {
    size_t own = l->tile[t].size <= room - (size_t)(p - out) ? l->tile[t].size : 0;
    put_little(sizes + 2 * t, own, 2);
    memcpy(p, l->tile[t].data, own);
    p += own;
    if (ends)
      put_little(out + COMMON + t / 16 * 8, (uint64_t)(p - payload), 8);
  }
  put_little(l->header + PAYLOAD, (uint64_t)(p - payload), 8);
  memcpy(out, l->header, header);
  return (size_t)(p - out);
}

/* ---- Changes ---- */
static void mend(loose *l, size_t t) {
  uint8_t mended[MEND_ROOM];
  ref_header h = header_of(l);
  ref_tile shape = {0};
  uint64_t number = t + (l->message ? get_little(l->header + FIRST, 8) : 0);
  if ((h.type != REF_F32 && h.type != REF_F64) || (h.cap != 35 && h.cap != 44))
    return;
  if (number < ref_tile_total(&h))
    ref_tile_shape(&h, number, &shape);
  l->tile[t].size = mend_tile(&h, &shape, l->tile[t].data, l->tile[t].size, mended);
  memcpy(l->tile[t].data, mended, l->tile[t].size);
}

static void mend_all(loose *l) {
  for (size_t t = 0; t < l->tiles; t++)
    mend(l, t);
}

static uint64_t one_of(uint64_t *state, const uint64_t *from, size_t count) {
  return from[input_below(state, count)];
}

/* Puts something that matters in a field of the header, or lets libFuzzer change it. */
static void change_head(loose *l, uint64_t *state) {
  static const struct {
    uint8_t at, size;
  } fields[] = {{4, 1},    {5, 1},        {6, 1},     {7, 1},     {8, 8},    {16, 8},    {24, 8},
                {STEP, 8}, {STEP + 8, 8}, {TERMS, 4}, {TERMS, 4}, {FILL, 8}, {FIRST, 8}, {TILES, 8}};
  static const uint64_t interesting[] = {0,       1,       2,    35,   44,         16383,
                                         8388607, 8388608, 1023, 1025, UINT64_MAX, (uint64_t)1 << 63};
  size_t field = (size_t)input_below(state, l->message ? 14 : 12);
  uint8_t *p = l->header + fields[field].at;
  if (fields[field].at == 4 || fields[field].at == 6) { /* type and cap that belong together */
    unsigned kind = (unsigned)input_below(state, 3);
    l->header[4] = kind > 0;
    l->header[6] = kind == 2 ? 44 : 35;
  } else if (fields[field].at == 7) { /* a shape of the other kind */
    put_shape(l, 1 + (int)input_below(state, 3), 1, 1, 1);
    fit_count(l);
  } else if (fields[field].at == FILL) {
    put_little(p, ref_bits(REF_F64, (double)(int64_t)input_below(state, 5) - 2), 8);
    l->header[5] = (uint8_t)(l->header[5] | 4 * (input_below(state, 4) > 0));
    if (input_below(state, 4) == 0)
      LLVMFuzzerMutate(p, 8, 8);
  } else if (fields[field].at == STEP || fields[field].at == STEP + 8) {
    double step = (1 + input_uniform(state) / 2) * (double)((uint64_t)1 << input_below(state, 40));
    put_little(p, ref_bits(REF_F64, input_below(state, 8) ? step : 0), 8);
    if (input_below(state, 4) == 0)
      LLVMFuzzerMutate(p, 8, 8);
  } else if (input_below(state, 2)) {
    put_little(p, one_of(state, interesting, sizeof interesting / sizeof *interesting), fields[field].size);
  } else {
    LLVMFuzzerMutate(p, fields[field].size, fields[field].size);
  }
}

static void change_count(loose *l, uint64_t *state) {
  size_t at = l->tiles ? (size_t)input_below(state, l->tiles) : 0;
  switch (input_below(state, 4)) {
  case 0: add_empty(l, at); break;
  case 1:
    if (l->tiles)
      drop_tile(l, at);
    break;
  case 2:
    add_empty(l, l->tiles);
    copy_tile(l, l->tiles - 1, at);
    break;
  default: /* another end */
    put_little(l->header + EXTENTS + 8 * input_below(state, 3), 1 + input_below(state, REF_TILE), 8);
    put_tiles(l, l->tiles);
  }
  fit_count(l);
  if (l->tiles)
    mend(l, l->tiles - 1);
}

static void change_tile(loose *l, uint64_t *state) {
  if (!l->tiles)
    add_empty(l, 0);
  size_t t = (size_t)input_below(state, l->tiles), from = (size_t)input_below(state, l->tiles);
  if (input_below(state, 8) == 0) /* another tile of the stream */
    copy_tile(l, t, from);
  l->tile[t].size = LLVMFuzzerMutate(l->tile[t].data, l->tile[t].size, MEND_ROOM - 1);
  if (input_below(state, 6))
    mend(l, t);
}

size_t mutate_stream(uint8_t *data, size_t size, size_t room, uint64_t *state) {
  uint64_t how = input_below(state, 16);
  if (how < 2)
    size = LLVMFuzzerMutate(data, size, room);
  if (how == 0)
    return size;
  loose *l = take_apart(data, size);
  if (how < 5)
    change_head(l, state);
  else if (how < 7)
    change_count(l, state);
  else
    change_tile(l, state);
  if (how < 5 && input_below(state, 2))
    mend_all(l);
  size = put_together(l, data, size, room);
  free(l);
  return size;
}

/* Makes a stream or message one of the same array as another. */
static size_t mutate_to_agree(uint8_t *data, size_t size, size_t room, const uint8_t *with, size_t with_size) {
  loose *l = take_apart(data, size), *other = take_apart(with, with_size);
  static const struct { uint8_t at, size; } same[] = {{4, 1}, {6, 2}, {EXTENTS, 24}, {STEP, 16}, {FILL, 8}};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    memcpy(l->header + same[i].at, other->header + same[i].at, same[i].size);
  l->header[5] = (uint8_t)((l->header[5] & ~4) | (other->header[5] & 4));
  if (l->message == other->message) {
    memcpy(l->header + FIRST, other->header + FIRST, 16);
    while (l->tiles > other->tiles)
      drop_tile(l, l->tiles - 1);
    while (l->tiles < other->tiles) {
      add_empty(l, l->tiles);
      copy_tile(l, l->tiles - 1, 0);
    }
  }
  mend_all(l);
  size = put_together(l, data, size, room);
  free(l);
  free(other);
  return size;
}

/* ---- Inputs of several streams ---- */
enum { PARTS_MOST = 4 };

typedef struct part {
  uint8_t *data; /* `room` bytes */
  size_t size;
} part;

/* Copies the parts to `block`, which has `room` bytes for each. */
static size_t split(const uint8_t *data, size_t size, uint8_t *block, size_t room, part parts[PARTS_MOST]) {
  size_t count = 0, at = 0;
  while (at + 4 <= size && count < PARTS_MOST) {
    size_t whole = smaller((size_t)get_little(data + at, 4), size - at - 4);
    parts[count] = (part){block + count * room, smaller(whole, room)};
    memcpy(parts[count].data, data + at + 4, parts[count].size);
    at += 4 + whole;
    count++;
  }
  return count;
}

static void change_parts(part parts[PARTS_MOST], size_t count, size_t room, uint64_t *state) {
  size_t i = (size_t)input_below(state, count), from = (size_t)input_below(state, count);
  if (input_below(state, 8) == 0) { /* a copy of another one */
    parts[i].size = parts[from].size;
    memmove(parts[i].data, parts[from].data, parts[from].size);
  }
  parts[i].size = mutate_stream(parts[i].data, parts[i].size, room, state);
  if (input_below(state, 8) == 0)
    return;
  for (size_t j = 0; j < count; j++)
    if (j != i)
      parts[j].size = mutate_to_agree(parts[j].data, parts[j].size, room, parts[i].data, parts[i].size);
}

size_t mutate_parts(uint8_t *data, size_t size, size_t room, size_t choices, uint64_t *state) {
  part parts[PARTS_MOST];
  if (size < choices || room < choices + 64 * PARTS_MOST)
    return LLVMFuzzerMutate(data, size, room);
  size_t each = (room - choices) / PARTS_MOST - 4;
  uint8_t *block = calloc(PARTS_MOST, each);
  if (!block)
    abort();
  size_t count = split(data + choices, size - choices, block, each, parts);
  if (count == 0 || input_below(state, 4) == 0)
    LLVMFuzzerMutate(data, choices, choices);
  else
    change_parts(parts, count, each, state);
  size_t at = choices;
  for (size_t i = 0; i < count; i++) {
    put_little(data + at, parts[i].size, 4);
    memcpy(data + at + 4, parts[i].data, parts[i].size);
    at += 4 + parts[i].size;
  }
  free(block);
  return at;
}
