/* slices.c: fuzzer: any bytes as messages, or as streams that slices are cut from. A slice is a
 * part of its stream: the same values, the same sums; joined again, the same bytes. The input: the
 * operation and the ranges of tiles, then two messages or streams, each behind its length. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/slice.h>

#include "fuzz.h"
#include "mutate.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES = 1 + 2 * 4 + 2 };

/* A slice, and the stream that it was cut from, if it was. */
typedef struct source {
  ghz_slice slice;
  ghz_bytes stream;
} source;

/* A message that was made. Release data with free. */
typedef struct message {
  ghz_status status;
  ghz_slice slice;
  uint8_t *data;
} message;

/* ---- Opening ---- */
static void check_pack(const ghz_slice *s, ghz_bytes want) {
  size_t size = 0, room = ghz_slice_size(s);
  MUST(room == want.size, "a message of %zu bytes, not %zu", room, want.size);
  uint8_t *packed = scratch(room);
  MUST(room == 0 || ghz_slice_pack(s, packed, room - 1, &size) == GHZ_ECAPACITY, "packed in too little room");
  MUST(ghz_slice_pack(s, packed, room, &size) == GHZ_OK, "pack");
  must_equal(packed, size, want.data, want.size, "a message packed again");
}

/* 4 bytes choose the range that is cut from a stream: it may lie outside. */
static bool open_source(choices *c, ghz_bytes bytes, source *s) {
  uint64_t first = choose(c, 2), tiles = choose(c, 2);
  ghz_status status;
  *s = (source){.stream = {NULL, 0}};
  if (bytes.size >= 4 && memcmp(bytes.data, "GHZO", 4) == 0) {
    status = ghz_slice_parse(bytes, &s->slice);
    MUST(status == GHZ_OK || refused(status), "parse: %d", (int)status);
    if (status == GHZ_OK)
      check_pack(&s->slice, bytes);
    return status == GHZ_OK;
  }
  status = ghz_slice_view(bytes, first, tiles, &s->slice);
  s->stream = bytes;
  return status == GHZ_OK;
}

/* ---- Values ---- */
/* Of a flat array those of the slice; else the whole array. */
static size_t count_of(const ghz_slice *s) {
  return s->shape.dims == 1 ? ghz_slice_count(s) : (size_t)s->count;
}

static uint8_t *values_of(ghz_context *ctx, const ghz_slice *s, ghz_type out, ghz_status *status) {
  size_t size = count_of(s) * ghz_type_size(out);
  uint8_t *values = scratch(size);
  memset(values, 0, size);
  *status = (s->shape.dims == 1 ? ghz_slice_decompress : ghz_slice_decompress_into)(ctx, s, out, values);
  return values;
}

static void check_values(const source *s, ghz_type out) {
  ghz_status first, status;
  size_t count = count_of(&s->slice), size = count * ghz_type_size(out);
  uint8_t *want = values_of(fuzz_context(0), &s->slice, out, &first);
  for (size_t i = 1; i < fuzz_contexts(); i++) {
    uint8_t *got = values_of(fuzz_context(i), &s->slice, out, &status);
    MUST(status == first, "%s: %d, not %d", ghz_context_isa(fuzz_context(i)), (int)status, (int)first);
    if (status == GHZ_OK)
      must_equal(got, size, want, size, ghz_context_isa(fuzz_context(i)));
  }
  if (s->stream.data && count && s->slice.shape.dims == 1) {
    uint8_t *range = scratch(size);
    status = ghz_decompress_range(fuzz_context(0), s->stream, out, s->slice.first * GHZ_TILE, count, range);
    MUST(status == first, "the range: %d, not %d", (int)status, (int)first);
    if (status == GHZ_OK)
      must_equal(want, size, range, size, "the range of the stream");
  }
}

/* ---- Operations ---- */
enum kind { SUM, MEAN, MINIMUM, MAXIMUM, KINDS };

static message make(ghz_context *ctx, enum kind kind, const ghz_slice s[2], uint64_t divisor) {
  uint64_t terms = kind == SUM               ? (uint64_t)s[0].terms + s[1].terms
                   : s[0].terms > s[1].terms ? s[0].terms
                                             : s[1].terms;
  size_t room = ghz_slice_bound(&s[0].shape, s[0].tiles, s[0].lattice.type, terms ? (uint32_t)terms : 1);
  message m = {.data = scratch(room)};
  if (kind == SUM)
    m.status = ghz_slice_sum(ctx, 2, s, m.data, room, &m.slice);
  else if (kind == MEAN)
    m.status = ghz_slice_mean(ctx, &s[0], divisor, m.data, room, &m.slice);
  else
    m.status = ghz_slice_extremum(ctx, &s[0], &s[1], kind == MAXIMUM, m.data, room, &m.slice);
  MUST(m.status != GHZ_ECAPACITY || room == 0, "no room in ghz_slice_bound");
  return m;
}

static void same_message(const message *got, const message *want, const char *what) {
  MUST(got->status == want->status, "%s: %d, not %d", what, (int)got->status, (int)want->status);
  if (want->status == GHZ_OK)
    must_equal(got->data, ghz_slice_size(&got->slice), want->data, ghz_slice_size(&want->slice), what);
}

/* The whole operation on the streams, cut to the range, is the operation on the slices. */
static void against_streams(enum kind kind, const source s[2], const message *m) {
  ghz_info info;
  if (!s[0].stream.data || !s[1].stream.data || kind == MEAN || !honest(s[0].stream) || !honest(s[1].stream))
    return;
  size_t room = ghz_shape_bound(&s[0].slice.shape, s[0].slice.lattice.type, m->slice.terms + !m->slice.terms),
         size = 0;
  uint8_t *whole = scratch(room);
  ghz_status status =
      (kind == SUM       ? ghz_add
       : kind == MINIMUM ? ghz_minimum
                         : ghz_maximum)(fuzz_context(0), s[0].stream, s[1].stream, whole, room, &size);
  MUST(status == GHZ_OK, "on the streams: %d", (int)status);
  ghz_bytes bytes = {whole, size};
  source cut = {.stream = bytes};
  MUST(ghz_info_read(bytes, &info) == GHZ_OK && info.terms == m->slice.terms, "terms of the stream");
  MUST(ghz_slice_view(bytes, m->slice.first, m->slice.tiles, &cut.slice) == GHZ_OK, "view of the result");
  cut.slice.inexact = m->slice.inexact; /* which other tiles may have caused */
  check_pack(&cut.slice, (ghz_bytes){m->data, ghz_slice_size(&m->slice)});
}

static void operate(enum kind kind, const source s[2], uint64_t divisor) {
  ghz_slice both[2] = {s[0].slice, s[1].slice};
  message first = make(fuzz_context(0), kind, both, divisor);
  for (size_t i = 1; i < fuzz_contexts(); i++) {
    message other = make(fuzz_context(i), kind, both, divisor);
    same_message(&other, &first, ghz_context_isa(fuzz_context(i)));
  }
  if (first.status == GHZ_OK) {
    ghz_slice parsed;
    ghz_bytes bytes = {first.data, ghz_slice_size(&first.slice)};
    MUST(ghz_slice_parse(bytes, &parsed) == GHZ_OK, "a message that was made");
    check_pack(&first.slice, bytes);
    against_streams(kind, s, &first);
  }
}

/* ---- Joining ---- */
/* A stream cut in three and joined is itself, byte for byte. */
static void cut_and_join(ghz_bytes stream, uint64_t at, uint64_t tiles) {
  ghz_info info;
  ghz_slice part[3];
  if (ghz_info_read(stream, &info) != GHZ_OK)
    return;
  uint64_t first = at % (info.tiles + 1), second = first + tiles % (info.tiles - first + 1);
  MUST(ghz_slice_view(stream, 0, first, &part[0]) == GHZ_OK, "view of the beginning");
  MUST(ghz_slice_view(stream, first, second - first, &part[1]) == GHZ_OK, "view of the middle");
  MUST(ghz_slice_view(stream, second, info.tiles - second, &part[2]) == GHZ_OK, "view of the end");
  uint8_t *joined = scratch(stream.size);
  size_t size = 0;
  MUST(ghz_slice_join(fuzz_context(0), 3, part, joined, stream.size, &size) == GHZ_OK, "join");
  must_equal(joined, size, stream.data, stream.size, "a stream joined again");
}

/* Any two slices: joined to a sound index, or refused. */
static void join(const source s[2]) {
  ghz_slice both[2] = {s[0].slice, s[1].slice};
  size_t size = 0,
         room = 1024 + both[0].payload_size + both[1].payload_size + 3 * (both[0].tiles + both[1].tiles);
  uint8_t *joined = scratch(room);
  ghz_info info;
  ghz_status status = ghz_slice_join(fuzz_context(0), 2, both, joined, room, &size);
  if (status == GHZ_OK)
    MUST(ghz_info_read((ghz_bytes){joined, size}, &info) == GHZ_OK, "what was joined is no stream");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SCOPE;
  if (size < CHOICES)
    return 0;
  choices c = {data, CHOICES}, rest = {data + CHOICES, size - CHOICES};
  enum kind kind = (enum kind)choose_below(&c, KINDS);
  uint64_t divisor = choose(&c, 2);
  ghz_bytes a = choose_part(&rest), b = rest.left ? choose_part(&rest) : a;
  source s[2];
  cut_and_join(a, divisor, data[1]);
  if (!open_source(&c, a, &s[0]) || s[0].slice.tiles > FUZZ_VALUES / GHZ_TILE)
    return 0;
  if (s[0].slice.shape.dims != 1 && s[0].slice.count > FUZZ_VALUES)
    return 0;
  check_values(&s[0], fuzz_type(&s[0].slice.lattice));
  check_values(&s[0], GHZ_F64);
  if (!open_source(&c, b, &s[1]) || s[1].slice.tiles > FUZZ_VALUES / GHZ_TILE)
    return 0;
  if (s[0].slice.count < FUZZ_VALUES)
    operate(kind, s, divisor);
  join(s);
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
  uint64_t state = seed;
  return mutate_parts(data, size, room, CHOICES, &state);
}
