/* test_slice.c: ranges of tiles that are viewed, packed, parsed, summed and joined again. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "support.h"
#include <math.h>

static ghz_context *ctx;

static void start(void) { ctx = context_on(NULL, 2); }
static void stop(void) { ghz_context_free(ctx); }

TestSuite(slice, .init = start, .fini = stop, .timeout = 120);

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
  cr_assert_eq(ghz_slice_view(view(stream), 0, 1, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_parse(view(stream), &s), GHZ_ECORRUPT);
}

/* What is missing, and slices that nobody made. */
Test(slice, arguments) {
  ref_bytes stream = stream_from(GHZ_F32, 1),
            room = bytes_new(ghz_slice_bound(&(ghz_shape){.dims = 1}, TILES, GHZ_F32, 2));
  ghz_slice s, out, broken;
  size_t size;
  uint8_t header[GHZ_SLICE_HEADER];
  float values[GHZ_TILE];
  s = slice_of(stream, 1, 1);
  const ghz_slice two[2] = {s, s};
  cr_assert_eq(ghz_slice_parse(view(room), NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_header(NULL, header), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_header(&s, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_size(NULL), 0);
  cr_assert_eq(ghz_slice_count(NULL), 0);
  cr_assert_eq(ghz_slice_pack(NULL, room.data, room.size, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_pack(&s, NULL, room.size, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_pack(&s, room.data, room.size, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_sum(ctx, 2, two, room.data, room.size, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_sum(ctx, 2, NULL, room.data, room.size, &out), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_sum(ctx, 2, two, NULL, room.size, &out), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_sum(ctx, 0, two, room.data, room.size, &out), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_mean(ctx, NULL, 2, room.data, room.size, &out), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_mean(ctx, &s, 0, room.data, room.size, &out), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_extremum(ctx, NULL, &s, 0, room.data, room.size, &out), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_extremum(ctx, &s, NULL, 1, room.data, room.size, &out), GHZ_EINVAL);
  cr_assert_eq(ghz_slice_decompress(ctx, NULL, GHZ_F32, values), GHZ_EINVAL);
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

/* ---- Compress, decompress, join ---- */
Test(slice, compress_gives_the_tiles_of_the_stream) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    ghz_lattice l = lattice_abs((ghz_type)type, 0.01);
    void *x = values_of((ghz_type)type, 1);
    ref_bytes stream = stream_from((ghz_type)type, 1);
    for (uint64_t first = 0; first <= TILES; first += 7)
      for (uint64_t tiles = 0; first + tiles <= TILES; tiles += 3) {
        SCOPE;
        ref_bytes dst = bytes_new(ghz_slice_bound(&(ghz_shape){.dims = 1}, tiles, (ghz_type)type, 1));
        ghz_slice made, want;
        succeeded(ghz_slice_compress(ctx, &l, -1, x, N, first, tiles, dst.data, dst.size, &made), ctx,
                  "compress");
        want = slice_of(stream, first, tiles);
        same_slice(&made, &want,
                   say("tiles %llu + %llu", (unsigned long long)first, (unsigned long long)tiles));
        cr_assert(memcmp(dst.data, "GHZO", 4) == 0, "the message lies in dst");
      }
    uint8_t small[100];
    ghz_slice none;
    cr_assert_eq(ghz_slice_compress(ctx, &l, -1, x, N, 0, 40, small, sizeof small, &none), GHZ_ECAPACITY);
    cr_assert_eq(ghz_slice_compress(ctx, &l, -1, x, N, 0, 41, small, sizeof small, &none), GHZ_EINVAL);
    cr_assert_eq(ghz_slice_compress(ctx, &l, -1, x, N, UINT64_MAX, 2, small, sizeof small, &none), GHZ_EINVAL);
  }
}

Test(slice, decompress) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (int out = type; out <= GHZ_F64; out++) {
      SCOPE;
      ref_bytes stream = stream_from((ghz_type)type, 3);
      char *all = decompress(ctx, stream, (ghz_type)out);
      for (uint64_t first = 0; first <= TILES; first += 5)
        for (uint64_t tiles = 0; first + tiles <= TILES; tiles += 5) {
          SCOPE;
          ghz_slice s = slice_of(stream, first, tiles);
          ref_bytes y = bytes_new(ghz_slice_count(&s) * ghz_type_size((ghz_type)out));
          succeeded(ghz_slice_decompress(ctx, &s, (ghz_type)out, y.data), ctx, "decompress");
          same_values(y.data, tiles ? all + first * 1024 * ghz_type_size((ghz_type)out) : all,
                      ghz_slice_count(&s), (ghz_type)out, "slice");
        }
    }
}

/* Cuts at random tiles, empty pieces included, each packed and parsed. */
static size_t cut(ref_bytes stream, uint64_t *state, ref_bytes *messages, ghz_slice *parts) {
  size_t k = 0;
  for (uint64_t first = 0; first < TILES; k++) {
    uint64_t tiles = input_below(state, 9);
    if (k == 30 || first + tiles > TILES)
      tiles = TILES - first;
    ghz_slice piece;
    piece = slice_of(stream, first, tiles);
    messages[k] = packed(&piece);
    succeeded(ghz_slice_parse(view(messages[k]), &parts[k]), NULL, "parse");
    first += tiles;
  }
  return k;
}

Test(slice, join_restores_the_stream) {
  uint64_t state = 12;
  for (int round = 0; round < 60; round++) {
    SCOPE;
    ref_bytes stream = stream_from((ghz_type)(round % 2), (uint64_t)round / 4), messages[40];
    ghz_slice parts[40];
    size_t k = cut(stream, &state, messages, parts), size = 0;
    ref_bytes dst = bytes_new(stream.size);
    succeeded(ghz_slice_join(ctx, k, parts, dst.data, dst.size, &size), ctx, "join");
    cr_assert_eq(size, stream.size);
    same_bytes(dst, stream, "joined");
    cr_assert_eq(ghz_slice_join(ctx, k, parts, dst.data, dst.size - 1, &size), GHZ_ECAPACITY);
    cr_assert_eq(ghz_slice_join(ctx, 0, parts, dst.data, dst.size, &size), GHZ_EINVAL);
    if (k > 1) {
      cr_assert(ghz_slice_join(ctx, k - 1, parts, dst.data, dst.size, &size) == GHZ_EINVAL ||
                parts[k - 1].tiles == 0);
      ghz_slice twice[41];
      memcpy(twice, parts, k * sizeof *parts);
      twice[k] = parts[k - 1];
      cr_assert(ghz_slice_join(ctx, k + 1, twice, dst.data, dst.size, &size) == GHZ_EINVAL ||
                parts[k - 1].tiles == 0);
    }
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

/* ---- Computing on slices ---- */
Test(slice, sum_and_extremum_are_those_of_the_stream) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    ref_bytes s[3] = {stream_from((ghz_type)type, 1), stream_from((ghz_type)type, 2),
                      stream_from((ghz_type)type, 3)};
    ref_bytes total = sum(ctx, 3, s), least = extremum(ctx, s[0], s[1], 0), most = extremum(ctx, s[0], s[1], 1);
    uint64_t state = 5;
    for (int round = 0; round < 60; round++) {
      SCOPE;
      uint64_t first = input_below(&state, TILES + 1), tiles = input_below(&state, TILES - first + 1);
      ghz_slice part[3], want, got;
      for (int i = 0; i < 3; i++)
        part[i] = slice_of(s[i], first, tiles);
      ref_bytes dst = bytes_new(ghz_slice_bound(&(ghz_shape){.dims = 1}, tiles, (ghz_type)type, 3));
      succeeded(ghz_slice_sum(ctx, 3, part, dst.data, dst.size, &got), ctx, "sum");
      want = slice_of(total, first, tiles);
      want.inexact = got.inexact;
      same_slice(&got, &want, "sum");
      for (int larger = 0; larger < 2; larger++) {
        succeeded(ghz_slice_extremum(ctx, &part[0], &part[1], larger, dst.data, dst.size, &got), ctx,
                  "extremum");
        want = slice_of(larger ? most : least, first, tiles);
        want.inexact = got.inexact;
        same_slice(&got, &want, "extremum");
      }
    }
  }
}

/* A sum of slices divided by their number is the slice of the streams' mean; but for values outside
 * the lattice, whose sum is rounded before it is divided. */
Test(slice, mean_is_that_of_the_stream) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    ref_bytes s[3] = {stream_from((ghz_type)type, 1), stream_from((ghz_type)type, 2),
                      stream_from((ghz_type)type, 3)};
    size_t room = ghz_size_bound(N, (ghz_type)type, 3), size;
    ref_bytes mean = bytes_new(room);
    ghz_bytes all[3] = {view(s[0]), view(s[1]), view(s[2])};
    succeeded(ghz_mean(ctx, 3, all, mean.data, room, &size), ctx, "mean");
    uint64_t state = 9;
    int compared = 0;
    for (int round = 0; round < 200; round++) {
      SCOPE;
      uint64_t first = input_below(&state, TILES + 1), tiles = input_below(&state, TILES - first + 1);
      ghz_slice part[3], total, want, got;
      size_t bound = ghz_slice_bound(&(ghz_shape){.dims = 1}, tiles, (ghz_type)type, 3);
      ref_bytes sum_room = bytes_new(bound), dst = bytes_new(bound);
      for (int i = 0; i < 3; i++)
        part[i] = slice_of(s[i], first, tiles);
      succeeded(ghz_slice_sum(ctx, 3, part, sum_room.data, bound, &total), ctx, "sum");
      succeeded(ghz_slice_mean(ctx, &total, 3, dst.data, bound, &got), ctx, "mean");
      succeeded(ghz_slice_view((ghz_bytes){mean.data, size}, first, tiles, &want), NULL, "view");
      want.inexact = got.inexact;
      if (!total.inexact)
        same_slice(&got, &want, "mean");
      compared += !total.inexact && tiles > 0;
      cr_assert_eq(ghz_slice_mean(ctx, &total, 0, dst.data, bound, &got), GHZ_EINVAL);
      cr_assert_eq(ghz_slice_mean(ctx, NULL, 3, dst.data, bound, &got), GHZ_EINVAL);
    }
    cr_assert_gt(compared, 10, "%d ranges compared", compared);
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
