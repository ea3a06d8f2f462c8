/* range.c: fuzzer: a range, or a box, of any bytes as a stream. It is what decoding the whole
 * gives, from every instruction set. The input: 17 bytes of choices, then the stream. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz.h"
#include "mutate.h"
#include <stdlib.h>
#include <string.h>

typedef struct range {
  uint64_t first;
  uint64_t count;
  ghz_type out;
} range;

enum { CHOICES = 17 };

/* Mostly inside the array or just beside its end; else any two numbers, or a sum that overflows. */
static range choose_range(choices *c, const ghz_info *info) {
  unsigned how = (unsigned)choose(c, 1);
  uint64_t a = choose(c, 8), b = choose(c, 8);
  range r = {a, b, how & 1 ? GHZ_F64 : fuzz_type(&info->lattice)};
  if (how & 2) {
    if (how & 4)
      r.count = b % (info->count + 2) - r.first;
    return r;
  }
  r.first = a % (info->count + 2);
  r.count = b % (info->count + 2);
  if (!(how & 4) && r.first <= info->count)
    r.count = b % (info->count - r.first + 1);
  return r;
}

static bool inside(const range *r, const ghz_info *info) {
  return r->first <= info->count && r->count <= info->count - r->first;
}

static ghz_status read_range(ghz_context *ctx, ghz_bytes s, const range *r, void *values) {
  return ghz_decompress_range(ctx, s, r->out, r->first, (size_t)r->count, values);
}

/* Nothing is written, so no room is needed. */
static void outside(ghz_bytes s, const range *r) {
  void *none = scratch(0);
  for (size_t i = 0; i < fuzz_contexts(); i++) {
    ghz_status status = read_range(fuzz_context(i), s, r, none);
    MUST(status == GHZ_EINVAL, "values %llu + %llu: %d", (unsigned long long)r->first,
         (unsigned long long)r->count, (int)status);
  }
}

/* Where a tile is damaged, ranges that do not need it may be sound. */
static void against_whole(ghz_bytes s, const range *r, const ghz_info *info) {
  size_t each = ghz_type_size(r->out), size = (size_t)r->count * each;
  ghz_status all, first = GHZ_OK, status;
  uint8_t *whole = fuzz_decode(fuzz_context(0), s, r->out, info->count, &all), *want = scratch(size);
  for (size_t i = 0; i < fuzz_contexts(); i++) {
    uint8_t *part = scratch(size);
    status = read_range(fuzz_context(i), s, r, part);
    first = i ? first : status;
    MUST(status == first, "%s: %d, not %d", ghz_context_isa(fuzz_context(i)), (int)status, (int)first);
    MUST(status == GHZ_OK || (refused(status) && all != GHZ_OK), "the range: %d, the whole: %d", (int)status,
         (int)all);
    if (i && status == GHZ_OK)
      must_equal(part, size, want, size, ghz_context_isa(fuzz_context(i)));
    memcpy(want, part, size);
  }
  if (all == GHZ_OK)
    must_equal(want, size, whole + r->first * each, size, "the whole");
}

/* ---- Boxes ---- */
typedef struct box {
  uint64_t origin[3], extent[3];
  ghz_type out;
} box;

/* Mostly inside; else any numbers. */
static box choose_box(choices *c, const ghz_info *info) {
  unsigned how = (unsigned)choose(c, 1);
  box b = {.out = how & 1 ? GHZ_F64 : fuzz_type(&info->lattice)};
  for (int i = 0; i < 3; i++) {
    uint64_t first = choose(c, 2), count = choose(c, 2), most = info->shape.extent[i];
    b.origin[i] = how & 2 ? first << (how >> 2 & 63) : first % (most + 1);
    b.extent[i] = how & 2 ? count << (how >> 2 & 63) : count % (most - b.origin[i] + 1);
  }
  return b;
}

static bool box_inside(const box *b, const ghz_shape *shape) {
  for (int i = 0; i < 3; i++)
    if (b->origin[i] > shape->extent[i] || b->extent[i] > shape->extent[i] - b->origin[i])
      return false;
  return true;
}

/* Line by line what the whole holds. */
static void lines_of_whole(const box *b, const ghz_shape *shape, const uint8_t *part, const uint8_t *whole) {
  size_t each = ghz_type_size(b->out), line = (size_t)b->extent[2] * each;
  for (uint64_t z = 0; z < b->extent[0]; z++)
    for (uint64_t y = 0; y < b->extent[1]; y++, part += line) {
      uint64_t at =
          ((b->origin[0] + z) * shape->extent[1] + b->origin[1] + y) * shape->extent[2] + b->origin[2];
      must_equal(part, line, whole + (size_t)at * each, line, "the whole");
    }
}

static void against_whole_box(ghz_bytes s, const box *b, const ghz_info *info) {
  size_t size = (size_t)(b->extent[0] * b->extent[1] * b->extent[2]) * ghz_type_size(b->out);
  ghz_status all, first = GHZ_OK;
  uint8_t *whole = fuzz_decode(fuzz_context(0), s, b->out, info->count, &all);
  for (size_t i = 0; i < fuzz_contexts(); i++) {
    uint8_t *part = scratch(size);
    ghz_status status = ghz_decompress_box(fuzz_context(i), s, b->out, b->origin, b->extent, part);
    first = i ? first : status;
    MUST(status == first && (status == GHZ_OK || (refused(status) && all != GHZ_OK)), "a box: %d", (int)status);
    if (all == GHZ_OK)
      lines_of_whole(b, &info->shape, part, whole);
  }
}

static void look_at_box(ghz_bytes s, choices *c, const ghz_info *info) {
  box b = choose_box(c, info);
  float none;
  if (info->shape.dims != 1)
    MUST(ghz_decompress_range(fuzz_context(0), s, GHZ_F64, info->shape.extent[2], 1, &none) == GHZ_EINVAL,
         "a range beyond the first line");
  if (fuzz_type(&info->lattice) == GHZ_F64)
    b.out = GHZ_F64;
  if (box_inside(&b, &info->shape))
    against_whole_box(s, &b, info);
  else
    MUST(ghz_decompress_box(fuzz_context(0), s, b.out, b.origin, b.extent, &none) == GHZ_EINVAL, "outside");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SCOPE;
  if (size < CHOICES)
    return 0;
  choices c = {data, CHOICES};
  ghz_bytes s = {data + CHOICES, size - CHOICES};
  ghz_info info;
  if (ghz_info_read(s, &info) != GHZ_OK || info.count > FUZZ_VALUES)
    return 0;
  choices again = c;
  look_at_box(s, &again, &info);
  if (info.shape.dims != 1)
    return 0;
  range r = choose_range(&c, &info);
  if (inside(&r, &info))
    against_whole(s, &r, &info);
  else
    outside(s, &r);
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
  uint64_t state = seed;
  if (size <= CHOICES || room <= CHOICES + 64)
    return LLVMFuzzerMutate(data, size, room);
  if (seed % 3 == 0)
    LLVMFuzzerMutate(data, CHOICES, CHOICES);
  else
    size = CHOICES + mutate_stream(data + CHOICES, size - CHOICES, room - CHOICES, &state);
  return size;
}
