/* test_slice.c: ranges of tiles that are viewed, packed, parsed, summed and joined again. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "support.h"
#include <math.h>

SUITE_WITH_CONTEXT(slice);

enum { N = 40100, TILES = 40 };

static void *values_of(ghz_type type, uint64_t seed) {
  return input_make(&inputs[0], type, N, lattice_abs(type, 0.01).step, seed);
}

static ref_bytes stream_from(ghz_type type, uint64_t seed) {
  ghz_lattice l = lattice_abs(type, 0.01);
  return compress(ctx, &l, GHZ_ORDER_BEST, values_of(type, seed), N);
}

static void same_slice(const ghz_slice *a, const ghz_slice *b, const char *what) {
  SCOPE;
  ref_bytes x = packed(a), y = packed(b);
  same_bytes(x, y, what);
}

/* ---- The bytes of a message ---- */
static void check_header(const uint8_t *p, const ghz_slice *s) {
  cr_assert(memcmp(p, "GHZO", 4) == 0);
  cr_assert_eq(p[4], (int)s->lattice.type);
  cr_assert_eq(p[5], s->inexact | s->transform << 1);
  cr_assert_eq(p[6], s->lattice.cap);
  cr_assert_eq(p[7], s->shape.dims);
  for (size_t i = 0; i < 3; i++)
    cr_assert_eq(get_little(p + 8 + 8 * i, 8), s->shape.extent[i]);
  cr_assert_eq(get_little(p + 32, 8), ref_bits(REF_F64, s->lattice.step));
  cr_assert_eq(get_little(p + 40, 8), ref_bits(REF_F64, s->lattice.eb));
  cr_assert_eq(get_little(p + 48, 4), s->terms);
  cr_assert_eq(get_little(p + 52, 4), 0);
  cr_assert_eq(get_little(p + 56, 8), s->payload_size);
  cr_assert_eq(get_little(p + 72, 8), s->first);
  cr_assert_eq(get_little(p + 80, 8), s->tiles);
}

/* A message is the header, then the sizes and the tiles as they lie in the stream. */
static void check_message(ref_bytes stream, const ghz_slice *s) {
  SCOPE;
  ref_bytes m = packed(s);
  uint8_t header[GHZ_SLICE_HEADER];
  succeeded(ghz_slice_header(s, header), NULL, "header");
  check_header(header, s);
  cr_assert(memcmp(header, m.data, sizeof header) == 0);
  size_t at = GHZ_SLICE_HEADER + 2 * (size_t)s->tiles;
  for (uint64_t t = 0; t < s->tiles; t++) {
    size_t size;
    const uint8_t *tile = ref_tile_at(stream.data, s->first + t, &size);
    cr_assert_eq(get_little(m.data + GHZ_SLICE_HEADER + 2 * t, 2), size);
    cr_assert(size == 0 || memcmp(m.data + at, tile, size) == 0);
    at += size;
  }
  cr_assert_eq(at, m.size);
  ghz_slice back;
  succeeded(ghz_slice_parse(view(m), &back), NULL, "parse");
  same_slice(&back, s, "parsed");
}

Test(slice, views_and_messages) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    ref_bytes stream = stream_from((ghz_type)type, 1);
    for (uint64_t first = 0; first <= TILES; first += first % 3 + 1)
      for (uint64_t tiles = 0; first + tiles <= TILES; tiles += tiles % 4 + 1) {
        ghz_slice s = slice_of(stream, first, tiles);
        uint64_t end = (first + tiles) * 1024 < N ? (first + tiles) * 1024 : N;
        cr_assert_eq(ghz_slice_count(&s), tiles ? end - first * 1024 : 0);
        cr_assert_leq(ghz_slice_size(&s), ghz_slice_bound(&(ghz_shape){.dims = 1}, tiles, (ghz_type)type, 1));
        check_message(stream, &s);
      }
  }
}

Test(slice, ranges_outside) {
  ref_bytes stream = stream_from(GHZ_F32, 1);
  ghz_slice s;
  cr_assert_eq(ghz_slice_view(view(stream), TILES, 1, &s), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_view(view(stream), TILES + 1, 0, &s), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_view(view(stream), 1, TILES, &s), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_view(view(stream), UINT64_MAX, 2, &s), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_view(view(stream), 2, UINT64_MAX, &s), GHZ_EINVAL);
}

/* What is missing beside what test_messages.c leaves out, and slices that nobody made. */
Test(slice, arguments) {
  ref_bytes stream = stream_from(GHZ_F32, 1),
            room = bytes_new(ghz_slice_bound(&(ghz_shape){.dims = 1}, TILES, GHZ_F32, 2));
  ghz_slice s, out, broken;
  size_t size;
  float values[GHZ_TILE];
  s = slice_of(stream, 1, 1);
  const ghz_slice two[2] = {s, s};
  cr_assert_eq(ghz_slice_size(NULL), 0);
  cr_assert_eq(ghz_slice_count(NULL), 0);
  cr_assert_eq(ghz_slice_pack(NULL, room.data, room.size, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_pack(&s, NULL, room.size, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_sum(ctx, 2, two, room.data, room.size, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_sum(ctx, 2, NULL, room.data, room.size, &out), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_sum(ctx, 2, two, NULL, room.size, &out), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_sum(ctx, 0, two, room.data, room.size, &out), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_mean(ctx, NULL, 2, room.data, room.size, &out), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_extremum(ctx, NULL, &s, 0, room.data, room.size, &out), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_decompress(ctx, &s, (ghz_type)9, values), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_decompress(ctx, &s, GHZ_F32, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_join(ctx, 1, NULL, room.data, room.size, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_join(ctx, 1, &s, room.data, room.size, &size), GHZ_EINVAL, "a part is not the whole");
  for (int fault = 0; fault < 4; fault++) {
    broken = s;
    if (fault == 0)
      broken.lattice.step = -1;
    else if (fault == 1)
      broken.terms = UINT32_MAX;
    else if (fault == 2)
      broken.first = UINT64_MAX;
    else
      broken.tiles = UINT64_MAX;
    cr_assert_neq(ghz_slice_decompress(ctx, &broken, GHZ_F32, values), GHZ_OK, "fault %d", fault);
    cr_assert_neq(ghz_slice_sum(ctx, 1, &broken, room.data, room.size, &out), GHZ_OK, "fault %d", fault);
    cr_assert_neq(ghz_slice_join(ctx, 1, &broken, room.data, room.size, &size), GHZ_OK, "fault %d", fault);
  }
  cr_assert_eq(ghz_slice_count(&broken), N - GHZ_TILE, "of more tiles than there are");
}

Test(slice, pack_capacities) {
  ref_bytes stream = stream_from(GHZ_F32, 1);
  ghz_slice s = slice_of(stream, 1, 2);
  size_t need = ghz_slice_size(&s), size;
  for (size_t capacity = 0; capacity < need; capacity++) {
    SCOPE;
    ref_bytes small = bytes_new(capacity);
    cr_assert_eq(ghz_slice_pack(&s, small.data, capacity, &size), GHZ_ECAPACITY);
  }
}

/* ---- Parts of arrays of any shape ---- */
enum { OPERANDS = 3, PARTS = 40 };

/* Streams of one array each, and what is made of them whole. */
typedef struct family {
  ghz_shape shape;
  ghz_lattice lattice;
  int order;
  const void *x;
  ref_bytes s[OPERANDS], total, mean, extreme[2]; /* the last of streams without coefficients */
} family;

static family family_make(const ghz_shape *shape, ghz_type type, int order, uint64_t seed) {
  family f = {.shape = *shape, .lattice = lattice_filled(type, 0.01, seed), .order = order};
  for (int i = OPERANDS - 1; i >= 0; i--) {
    void *x = shape->dims == 1 && i == 0
                  ? input_make(&inputs[0], type, (size_t)shape->extent[2], f.lattice.step, seed)
                  : field_make((field_kind)((seed + (uint64_t)i) % FIELD_KINDS), &f.lattice, shape, 300, seed);
    for (uint64_t v = 0; shape->dims > 1 && v < ghz_shape_count(shape) / 2; v++) /* tiles of one value */
      put_value(type, x, (size_t)v, 273.15);
    f.x = x;
    f.s[i] = compress_shape(ctx, &f.lattice, order, f.x, shape);
  }
  f.total = sum(ctx, OPERANDS, f.s);
  f.mean = mean(ctx, OPERANDS, f.s);
  for (int larger = 0; larger < 2 && order == GHZ_ORDER_LORENZO; larger++)
    f.extreme[larger] = extremum(ctx, f.s[0], f.s[1], larger);
  return f;
}

/* That a slice is the part of a stream. Values outside the lattice may be elsewhere in it. */
static void part_of(const ghz_slice *got, ref_bytes stream, const char *what) {
  ghz_slice want = slice_of(stream, got->first, got->tiles);
  want.inexact = got->inexact;
  same_slice(got, &want, what);
}

/* A sum of values outside the lattice is rounded before it is divided. */
static void check_operations(const family *f, const ghz_slice *part, ghz_context *on) {
  SCOPE;
  const size_t bound = ghz_slice_bound(&f->shape, part->tiles, f->lattice.type, OPERANDS);
  ref_bytes room = bytes_new(bound), other = bytes_new(bound);
  ghz_slice operands[OPERANDS], total, got;
  for (int i = 0; i < OPERANDS; i++)
    operands[i] = slice_of(f->s[i], part->first, part->tiles);
  succeeded(ghz_slice_sum(on, OPERANDS, operands, room.data, bound, &total), on, "sum");
  part_of(&total, f->total, "sum");
  succeeded(ghz_slice_mean(on, &total, OPERANDS, other.data, bound, &got), on, "mean");
  if (!total.inexact)
    part_of(&got, f->mean, "mean");
  for (int larger = 0; larger < 2 && f->extreme[0].data; larger++) {
    succeeded(ghz_slice_extremum(on, &operands[0], &operands[1], larger, other.data, bound, &got), on,
              "extremum");
    part_of(&got, f->extreme[larger], "extremum");
  }
}

/* Compressed by itself; decompressed to its place, and a flat one by itself. */
static void check_part(const family *f, const ghz_slice *part, ghz_context *on, uint8_t *back) {
  SCOPE;
  const int flat = f->shape.dims == 1;
  ref_bytes dst = bytes_new(ghz_slice_bound(&f->shape, part->tiles, f->lattice.type, 1));
  ghz_slice made;
  succeeded(flat ? ghz_slice_compress(on, &f->lattice, f->order, f->x, (size_t)f->shape.extent[2], part->first,
                                      part->tiles, dst.data, dst.size, &made)
                 : ghz_slice_compress_shape(on, &f->lattice, f->order, f->x, &f->shape, part->first,
                                            part->tiles, dst.data, dst.size, &made),
            on, "compress");
  part_of(&made, f->s[0], "compressed");
  cr_assert(memcmp(dst.data, "GHZO", 4) == 0, "the message lies in dst");
  for (int out = (int)f->lattice.type; flat && out <= GHZ_F64; out++) {
    const size_t each = ghz_type_size((ghz_type)out), count = ghz_slice_count(part);
    const uint8_t *all = decompress(on, f->s[0], (ghz_type)out);
    void *y = scratch(count * each);
    succeeded(ghz_slice_decompress(on, part, (ghz_type)out, y), on, "decompress");
    same_values(y, count ? all + part->first * GHZ_TILE * each : y, count, (ghz_type)out, "decompressed");
  }
  succeeded(ghz_slice_decompress_into(on, part, f->lattice.type, back), on, "decompress into the array");
}

/* Cuts at random tiles, empty pieces included, each packed and parsed. */
static size_t cut(ref_bytes stream, uint64_t *state, ghz_slice *parts) {
  const uint64_t all = info_of(stream).tiles;
  size_t k = 0;
  for (uint64_t first = 0; first < all || k == 0; first += parts[k++].tiles) {
    uint64_t tiles = input_below(state, 9);
    const ghz_slice piece =
        slice_of(stream, first, k == PARTS - 1 || first + tiles > all ? all - first : tiles);
    succeeded(ghz_slice_parse(view(packed(&piece)), &parts[k]), NULL, "parse");
    same_slice(&parts[k], &piece, "parsed");
  }
  return k;
}

/* All of them are the stream; less is not, nor is more. */
static void check_joined(const ghz_slice *parts, size_t k, ref_bytes stream) {
  ref_bytes dst = bytes_new(stream.size);
  size_t size = 0;
  succeeded(ghz_slice_join(ctx, k, parts, dst.data, dst.size, &size), ctx, "join");
  cr_assert_eq(size, stream.size);
  same_bytes(dst, stream, "joined");
  cr_assert_eq(ghz_slice_join(ctx, k, parts, dst.data, dst.size - 1, &size), GHZ_ECAPACITY);
  if (parts[k - 1].tiles == 0)
    return;
  ghz_slice twice[PARTS + 1];
  memcpy(twice, parts, k * sizeof *parts);
  twice[k] = parts[k - 1];
  cr_assert_eq(ghz_slice_join(ctx, k + 1, twice, dst.data, dst.size, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_join(ctx, k - 1, parts, dst.data, dst.size, &size), GHZ_EINVAL);
}

Test(slice, parts_are_those_of_the_stream) {
  POOL(pool);
  const ghz_shape flat = ghz_flat(N);
  uint64_t state = 12;
  for (size_t i = 0; i <= field_shape_count; i++)
    for (int round = 0; round < effort(8); round++) {
      SCOPE;
      const ghz_shape *shape = i < field_shape_count ? &field_shapes[i] : &flat;
      const family f = family_make(shape, (ghz_type)(round % 2),
                                   round % 4 < 2 ? GHZ_ORDER_BEST : GHZ_ORDER_LORENZO, input_random(&state));
      const size_t values = (size_t)ghz_shape_count(shape), each = ghz_type_size(f.lattice.type);
      uint8_t *back = scratch(values * each);
      ghz_slice parts[PARTS];
      const size_t k = cut(f.s[0], &state, parts);
      memset(back, 0xab, values * each);
      for (size_t p = 0; p < k; p++) {
        check_part(&f, &parts[p], context_any(&pool, &state), back);
        check_operations(&f, &parts[p], context_any(&pool, &state));
      }
      same_values(back, decompress(ctx, f.s[0], f.lattice.type), values, f.lattice.type, shape_text(shape));
      check_joined(parts, k, f.s[0]);
    }
}

/* What two parts do not have in common, one field at a time; flags are of both. */
Test(slice, join_refuses_other_streams) {
  const ghz_shape shape = {2, {TILES, 32, 32}};
  ghz_lattice l = lattice_abs(GHZ_F64, 0.1);
  void *x = field_make(ROUGH, &l, &shape, 100, 1);
  ref_bytes a = compress_shape(ctx, &l, GHZ_ORDER_LORENZO, x, &shape), dst = bytes_new(2 * a.size);
  size_t size;
  for (int field = 0; field < 11; field++) {
    ghz_slice parts[2] = {slice_of(a, 0, 20), slice_of(a, 20, TILES - 20)}, *s = &parts[1];
    switch (field) {
    case 0: s->lattice.cap = 35; break;
    case 1: s->lattice.step *= 2; break;
    case 2: s->lattice.eb *= 2; break;
    case 3: s->lattice.has_fill = 1; break;
    case 4: s->terms = 2; break;
    case 5: s->shape.extent[2]--; break;
    case 6: s->lattice.type = GHZ_F32, s->lattice.cap = 35; break;
    case 7: s->inexact = 1; break;
    case 8: s->transform = 1; break;
    case 9: s->first--; break;
    default: s->tiles++;
    }
    ghz_status status = ghz_slice_join(ctx, 2, parts, dst.data, dst.size, &size);
    cr_assert_eq(status, field < 7 ? GHZ_EMISMATCH : field < 9 ? GHZ_OK : GHZ_EINVAL, "field %d", field);
    cr_assert(status != GHZ_OK || dst.data[5] == (field == 7 ? 1 : 2), "flags %d", dst.data[5]);
  }
}

Test(slice, sums_of_different_ranges_are_refused) {
  ref_bytes a = stream_from(GHZ_F32, 1),
            dst = bytes_new(ghz_slice_bound(&(ghz_shape){.dims = 1}, TILES, GHZ_F32, 2));
  ghz_slice part[2], got;
  part[0] = slice_of(a, 0, 20);
  part[1] = slice_of(a, 1, 20);
  cr_assert_neq(ghz_slice_sum(ctx, 2, part, dst.data, dst.size, &got), GHZ_OK);
  cr_assert_neq(ghz_slice_extremum(ctx, &part[0], &part[1], 0, dst.data, dst.size, &got), GHZ_OK);
  part[1] = slice_of(a, 0, 19);
  cr_assert_neq(ghz_slice_sum(ctx, 2, part, dst.data, dst.size, &got), GHZ_OK);
  cr_assert_eq(ghz_slice_sum(ctx, 0, part, dst.data, dst.size, &got), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_sum(ctx, 1, part, dst.data, 10, &got), GHZ_ECAPACITY);
}
