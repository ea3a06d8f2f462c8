/* decode.c: fuzzer: law L5: any bytes as a stream. All instruction sets say the same, and what the
 * reference decoder says; boxes are parts of it; info, scan and extrema agree with the
 * values, numbers with each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz.h"
#include "inputs.h"
#include "mutate.h"
#include <ghz/numbers.h>
#include <math.h>
#include <string.h>

/* Both read it, or both refuse it. What no encoder writes may be refused. */
static void against_reference(ghz_bytes s, ghz_status status, ghz_type out, const void *values,
                              uint64_t count) {
  ref_verdict verdict = ref_check(s.data, s.size);
  MUST(status == GHZ_OK || refused(status), "status %d", (int)status);
  MUST(status == GHZ_OK ? verdict != REF_BAD : verdict != REF_GOOD, "verdict %d, status %d", (int)verdict,
       (int)status);
  if (status != GHZ_OK)
    return;
  size_t each = ghz_type_size(out);
  uint8_t *want = scratch((size_t)count * each);
  ref_tile *shape = scratch(sizeof *shape);
  ref_header h = ref_header_read(s.data);
  ref_decode(s.data, (int)out, want);
  for (uint64_t t = 0; t < ref_tile_total(&h); t++) {
    if (!within_limits(s, t))
      continue;
    ref_tile_shape(&h, t, shape);
    for (int i = 0; i < REF_TILE; i++)
      if (ref_inside(shape, i)) {
        size_t at = (size_t)ref_place(&h, t, i) * each;
        must_equal((const uint8_t *)values + at, each, want + at, each, "a value of the reference");
      }
  }
}

/* ---- Parts ---- */
typedef struct box {
  uint64_t origin[3], extent[3];
} box;

/* Mostly inside; else any numbers, also such whose sums overflow. */
static box choose_box(uint64_t *state, const ghz_shape *shape) {
  const uint64_t shift = input_below(state, 64), far = input_below(state, 4) == 0;
  box b;
  for (int i = 0; i < 3; i++) {
    b.origin[i] = far ? input_random(state) >> shift : input_below(state, shape->extent[i] + 1);
    b.extent[i] = far ? input_random(state) >> shift : input_below(state, shape->extent[i] - b.origin[i] + 1);
  }
  return b;
}

static bool inside(const box *b, const ghz_shape *shape) {
  for (int i = 0; i < 3; i++)
    if (b->origin[i] > shape->extent[i] || b->extent[i] > shape->extent[i] - b->origin[i])
      return false;
  return true;
}

static void lines_of_whole(const box *b, const ghz_shape *shape, size_t each, const uint8_t *part,
                           const uint8_t *whole) {
  const size_t line = (size_t)b->extent[2] * each;
  for (uint64_t z = 0; z < b->extent[0]; z++)
    for (uint64_t y = 0; y < b->extent[1]; y++, part += line) {
      uint64_t at =
          ((b->origin[0] + z) * shape->extent[1] + b->origin[1] + y) * shape->extent[2] + b->origin[2];
      must_equal(part, line, whole + (size_t)at * each, line, "the whole");
    }
}

/* What is outside needs no room. Where a tile is damaged, parts without it may be sound. */
static void check_part(ghz_bytes s, ghz_type out, const ghz_shape *shape, box b, ghz_status all,
                       const uint8_t *whole) {
  const size_t each = ghz_type_size(out);
  const bool is_inside = inside(&b, shape);
  const size_t size = is_inside ? (size_t)(b.extent[0] * b.extent[1] * b.extent[2]) * each : 0;
  uint8_t *first = NULL;
  ghz_status said = GHZ_OK;
  for (size_t i = 0; i < fuzz_contexts(); i++) {
    uint8_t *part = scratch(size);
    ghz_context *ctx = fuzz_context(i);
    const ghz_status status = ghz_decompress_box(ctx, s, out, b.origin, b.extent, part);
    said = i ? said : status;
    MUST(status == said, "%s: %d, not %d", ghz_context_isa(ctx), (int)status, (int)said);
    MUST(is_inside ? status == GHZ_OK || (refused(status) && all != GHZ_OK) : status == GHZ_EINVAL,
         "a part: %d, the whole: %d", (int)status, (int)all);
    if (status == GHZ_OK && first)
      must_equal(part, size, first, size, ghz_context_isa(ctx));
    first = part;
    if (all == GHZ_OK && is_inside)
      lines_of_whole(&b, shape, each, part, whole);
  }
}

static void check_parts(ghz_bytes s, ghz_type out, const ghz_shape *shape, ghz_status all, const void *whole) {
  uint64_t state = s.size;
  float none;
  for (size_t i = 0; i < s.size; i++)
    state = 31 * state + ((const uint8_t *)s.data)[i];
  for (int turn = 0; turn < 3; turn++)
    check_part(s, out, shape, choose_box(&state, shape), all, whole);
  if (shape->dims != 1)
    MUST(ghz_decompress_range(fuzz_context(0), s, GHZ_F64, shape->extent[2], 1, &none) == GHZ_EINVAL,
         "a range beyond the first line");
}

/* The same values, or the same refusal, from every context. */
static ghz_status everywhere(ghz_bytes s, ghz_type out, const ghz_info *info) {
  ghz_status first, status;
  const uint64_t count = info->count;
  size_t size = (size_t)count * ghz_type_size(out);
  void *want = fuzz_decode(fuzz_context(0), s, out, count, &first);
  for (size_t i = 1; i < fuzz_contexts(); i++) {
    void *got = fuzz_decode(fuzz_context(i), s, out, count, &status);
    MUST(status == first, "%s: %d, not %d", ghz_context_isa(fuzz_context(i)), (int)status, (int)first);
    if (status == GHZ_OK)
      must_equal(got, size, want, size, ghz_context_isa(fuzz_context(i)));
  }
  against_reference(s, first, out, want, count);
  check_parts(s, out, &info->shape, first, want);
  return first;
}

static void check_extrema(ghz_bytes s, const ghz_info *info) {
  ghz_status status;
  double min = INFINITY, max = -INFINITY, low, high;
  ghz_type type = fuzz_type(&info->lattice);
  void *y = fuzz_decode(fuzz_context(0), s, type, info->count, &status);
  for (size_t i = 0; i < info->count; i++) {
    double v = value_at(type, y, i);
    if (isfinite(v) && !(info->lattice.has_fill && v == info->lattice.fill)) {
      min = v < min ? v : min;
      max = v > max ? v : max;
    }
  }
  for (size_t i = 0; i < fuzz_contexts(); i++) {
    MUST(ghz_extrema(fuzz_context(i), s, &low, &high) == GHZ_OK, "extrema of a sound stream");
    MUST(low == min && high == max, "extrema %g %g, not %g %g", low, high, min, max);
  }
}

static void check_statistics(const ghz_statistics *st, const ghz_info *info) {
  uint64_t lattice = st->order[0] + st->order[1] + st->order[2] + st->order[3], blocks = 0;
  uint64_t all = info->shape.dims == 1 ? (info->count + 7) / 8 : info->tiles * (GHZ_TILE / 8);
  for (size_t i = 0; i < 63; i++)
    blocks += st->widths[i];
  MUST(lattice == st->mode[0] + st->mode[1] + st->mode[2], "orders and modes");
  MUST(st->empty + st->raw + st->constant + lattice == info->tiles && st->specials <= lattice + st->constant,
       "tiles");
  MUST(st->constant == 0 || info->terms == 1, "a value that the sums of many streams do not have");
  MUST(st->coefficients <= lattice && (info->transform || st->coefficients == 0), "coefficients");
  MUST(blocks <= all, "%llu blocks", (unsigned long long)blocks);
}

/* Numbers are alike on every instruction set. */
static void check_numbers(ghz_bytes s) {
  ghz_summary first, own;
  for (size_t i = 0; i < fuzz_contexts(); i++) {
    MUST(ghz_moments(fuzz_context(i), s, i ? &own : &first) == GHZ_OK, "moments of a sound stream");
    if (i)
      must_equal(&own, sizeof own, &first, sizeof first, "moments");
  }
}

/* Scanning finds what decoding finds. */
static void look(ghz_bytes s, const ghz_info *info, ghz_status decoded) {
  ghz_statistics first, own;
  double low, high;
  for (size_t i = 0; i < fuzz_contexts(); i++) {
    ghz_status status = ghz_scan(fuzz_context(i), s, i ? &own : &first);
    MUST(status == decoded, "scan says %d, decompress %d", (int)status, (int)decoded);
    if (i && status == GHZ_OK)
      must_equal(&own, sizeof own, &first, sizeof first, "statistics");
  }
  if (decoded == GHZ_OK) {
    check_statistics(&first, info);
    check_extrema(s, info);
    check_numbers(s);
  } else {
    MUST(refused(ghz_extrema(fuzz_context(0), s, &low, &high)), "extrema of a damaged stream");
  }
}

/* Doubles do not become floats; and nothing is written. */
static void refuses_to_narrow(ghz_bytes s, size_t count) {
  void *none = scratch(0);
  ghz_status status = ghz_decompress(fuzz_context(0), s, GHZ_F32, none, count);
  MUST(status == GHZ_EINVAL, "doubles as floats: %d", (int)status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SCOPE;
  ghz_bytes s = {data, size};
  ghz_info info;
  ghz_status status = ghz_info_read(s, &info);
  if (status != GHZ_OK || info.count > FUZZ_VALUES) {
    MUST(status == GHZ_OK || refused(status), "info says %d", (int)status);
    MUST(status == GHZ_OK || ref_check(data, size) != REF_GOOD, "info refuses a good stream");
    return 0;
  }
  ref_header h = ref_header_read(data);
  MUST(info.bytes == size && info.tiles == ref_tile_total(&h), "%llu tiles", (unsigned long long)info.tiles);
  MUST(info.inexact ? isinf(info.bound) : info.bound >= info.lattice.eb * info.terms, "bound %g", info.bound);
  const ghz_type type = fuzz_type(&info.lattice);
  look(s, &info, everywhere(s, type, &info));
  if (type == GHZ_F32)
    everywhere(s, GHZ_F64, &info);
  else
    refuses_to_narrow(s, (size_t)info.count);
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
  uint64_t state = seed;
  return mutate_stream(data, size, room, &state);
}
