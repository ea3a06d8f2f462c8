/* test_pack_tiles.c: bodies of frames at every level: streams of every kind come back, whole and in
 * parts, in the same bytes from every instruction set and number of threads. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "../../data/fields.h"
#include "../golden/golden.h"
#include "crafted.h"
#include "fields.h"
#include "file/checksum.h"
#include "file/pack.h"
#include "files.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>

TestSuite(pack_tiles, .timeout = 300);

enum { TILES_OF_PAGE = 1024 };

/* ---- Packing and unpacking ---- */

static ref_bytes frame_of(ghz_context *ctx, ref_bytes stream, int level) {
  ref_bytes frame = bytes_new(ghz_pack_bound(stream.size));
  succeeded(ghz_pack(ctx, view(stream), level, frame.data, frame.size, &frame.size), ctx, "packing");
  return bytes_copy(frame.data, frame.size);
}

static ref_bytes whole_of(ghz_context *ctx, ref_bytes frame, int level, size_t most) {
  memory to = {0};
  size_t size;
  succeeded(ghz_unpack_frame(ctx, level > 0, view(frame), most, &to, &size), ctx, "unpacking");
  ref_bytes stream = bytes_copy(to.data, size);
  memory_free(&to);
  return stream;
}

/* At level 0 a page has 9 bytes beside its tiles, and lacks the ends of its chunks. */
static size_t stored_size(ref_bytes stream) {
  const size_t tiles = (size_t)info_of(stream).tiles;
  return stream.size - 8 * ((tiles + 15) / 16) + 9 * ((tiles + 127) / 128);
}

/* Of a frame that is sound. */
static size_t pages_in(ref_bytes frame) {
  const uint8_t *h = frame.data;
  const ghz_shape s = {h[7], {get_little(h + 8, 8), get_little(h + 16, 8), get_little(h + 24, 8)}};
  return (size_t)((ghz_shape_tiles(&s) + TILES_OF_PAGE - 1) / TILES_OF_PAGE);
}

/* The kinds of pages that were met, as bits. */
static unsigned kinds_met;

static void note_kinds(ref_bytes frame) {
  const size_t pages = pages_in(frame);
  const uint8_t *page = frame.data + 72 + 4 * pages;
  for (size_t i = 0; i < pages; page += get_little(frame.data + 72 + 4 * i++, 4))
    kinds_met |= 1U << page[0];
  cr_assert_eq(page, frame.data + frame.size);
}

/* The first context packs, all others pack the same, and unpack it. */
static void round_trip_at(const context_pool *pool, ref_bytes stream, int level, const char *what) {
  const ref_bytes frame = frame_of(pool->ctx[0], stream, level);
  for (size_t k = 0; k < pool->count; k++) {
    SCOPE;
    if (k > 0)
      same_bytes(frame_of(pool->ctx[k], stream, level), frame, say("%s, packed by context %zu", what, k));
    same_bytes(whole_of(pool->ctx[k], frame, level, stream.size), stream,
               say("%s, level %d, unpacked by context %zu", what, level, k));
  }
  if (level == PACK_LEVEL_MOST)
    note_kinds(frame);
  cr_assert(level > 0 || frame.size == stored_size(stream), "%s, stored: %zu bytes", what, frame.size);
}

/* At the highest level, and every fourth stream at every level that there is. */
static void round_trip(const context_pool *pool, ref_bytes stream, const char *what) {
  static int streams;
  for (int level = streams++ % 4 == 0 ? 0 : PACK_LEVEL_MOST; level <= PACK_LEVEL_MOST; level++)
    if (ghz_pack_available(level))
      round_trip_at(pool, stream, level, what);
}

/* ---- Streams of every kind ---- */

/* All types, orders, modes and operations that there are. */
Test(pack_tiles, golden_streams) {
  POOL(pool);
  for (size_t i = 0; i < golden_count; i++) {
    SCOPE;
    if (strcmp(golden_ending(goldens[i].name), "ghz") == 0)
      round_trip(&pool, goldens[i].make(pool.ctx[0]), goldens[i].name);
  }
}

/* What was packed once is read for ever. */
Test(pack_tiles, golden_packed_streams) {
  SINGLE_POOL(pool);
  int read = 0;
  for (size_t i = 0; i < golden_count; i++) {
    SCOPE;
    FILE *f = fopen(say("%s/packed/%s.ghzp", GHZ_GOLDEN_DIR, goldens[i].name), "rb");
    if (!f)
      continue;
    ref_bytes room = bytes_new(1 << 18), want = goldens[i].make(pool.ctx[0]);
    const ref_bytes packed = bytes_copy(room.data, fread(room.data, 1, room.size, f));
    fclose(f);
    read++;
    for (size_t k = 0; k < pool.count; k++) {
      void *made;
      size_t size;
      succeeded(ghz_unpack_stream(pool.ctx[k], view(packed), want.size, &made, &size), pool.ctx[k],
                goldens[i].name);
      same_bytes(bytes_copy(made, size), want, goldens[i].name);
      free(made);
    }
  }
  cr_expect_geq(read, 55);
}

/* Of as many terms as there may be, too, whose blocks are wider than 31: their tiles stay as they
 * are, others beside them are coded. */
Test(pack_tiles, streams_of_any_kind) {
  POOL(pool);
  uint64_t state = 1;
  for (size_t i = 0; i < field_shape_count; i++)
    for (int round = 0; round < 24; round++) {
      SCOPE;
      const char *what = say("%s, state %llx", shape_text(&field_shapes[i]), (unsigned long long)state);
      const ghz_lattice l = lattice_with_fill(&state);
      const ref_bytes one = stream_any(pool.ctx[0], &l, &field_shapes[i], &state);
      const int64_t times[] = {1, 1000, ghz_terms_limit(l.cap)};
      round_trip(&pool, round % 4 ? one : combine(pool.ctx[0], 1, &one, &times[round / 4 % 3]), what);
    }
}

/* What no encoder writes: widths and maps that are larger than needed, bits in columns that are
 * ignored. */
Test(pack_tiles, crafted_streams) {
  POOL(pool);
  uint64_t state = 3;
  for (int round = 0; round < effort(60); round++) {
    SCOPE;
    const ghz_shape *s = &field_shapes[input_below(&state, field_shape_count)];
    const ghz_lattice l = lattice_filled(round % 2 ? GHZ_F64 : GHZ_F32, 1e-3, state);
    const ref_header h = header_shaped(&l, s);
    const crafted_pair pair = crafted_streams(&h, &state);
    round_trip(&pool, pair.least, "least");
    round_trip(&pool, pair.loose, "loose");
  }
}

static const uint64_t tile_counts[] = {0, 1, 2, 15, 16, 17, 128, 129, 1023, 1024, 1025, 2048, 2500};

Test(pack_tiles, any_number_of_tiles) {
  POOL(pool);
  const ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  for (size_t i = 0; i < COUNT(tile_counts); i++)
    for (int dims = 1; dims <= 3; dims++) {
      SCOPE;
      const uint64_t n = tile_counts[i];
      const ghz_shape s = dims == 1   ? (ghz_shape){1, {1, 1, 1000 * n}}
                          : dims == 2 ? (ghz_shape){2, {n, 20, 30}}
                                      : (ghz_shape){3, {8 * n, 8, 9}};
      void *x = field_make(i % 2 ? PATCHES : WAVES, &l, &s, 900, n);
      const ref_bytes stream = compress_shape(pool.ctx[0], &l, GHZ_ORDER_BEST, x, &s);
      const ref_bytes frame = frame_of(pool.ctx[0], stream, PACK_LEVEL_MOST);
      same_bytes(bytes_copy(frame.data, 72), bytes_copy(stream.data, 72), "header");
      round_trip(&pool, stream, say("%d dims, %llu tiles", dims, (unsigned long long)n));
    }
}

/* Pages that end anywhere in lines and planes of bricks. */
Test(pack_tiles, grids_of_bricks) {
  POOL(pool);
  const ghz_shape shapes[] = {
      {3, {60, 70, 500}}, {2, {3, 600, 700}}, {3, {8, 8, 16 * 1100}}, {2, {1, 32 * 1030, 32}}};
  const ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  for (size_t i = 0; i < COUNT(shapes); i++)
    for (int kind = WAVES; kind <= ROUGH; kind++) {
      SCOPE;
      void *x = field_make((field_kind)kind, &l, &shapes[i], 3000, i);
      round_trip(&pool, compress_shape(pool.ctx[0], &l, GHZ_ORDER_BEST, x, &shapes[i]), shape_text(&shapes[i]));
    }
}

/* As they are; by zstd, of raw tiles that repeat; widths alone, of noise; values. */
Test(pack_tiles, every_kind_of_page) {
  SINGLE_POOL(pool);
  kinds_met = 0;
  const ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  const ghz_shape s = {3, {40, 40, 80}};
  round_trip(&pool, compress_shape(pool.ctx[0], &l, GHZ_ORDER_BEST, field_make(WAVES, &l, &s, 5000, 1), &s),
             "waves");
  cr_expect_eq(kinds_met, 1U << 3, "values: %x", kinds_met);
  kinds_met = 0;
  round_trip(&pool, stream_by(pool.ctx[0], "fine_noise", GHZ_F32, 40000, 1), "noise");
  cr_expect_eq(kinds_met & ~5U, 0, "noise: %x", kinds_met);
  round_trip(&pool, stream_by(pool.ctx[0], "mixture", GHZ_F32, 40000, 1), "mixture");
  round_trip(&pool, stream_by(pool.ctx[0], "walk", GHZ_F32, 300000, 1), "walk");
  round_trip(&pool, stream_by(pool.ctx[0], "random_bits", GHZ_F32, 30, 1), "raw");
  cr_expect_eq(kinds_met & 1, 1, "as it is: %x", kinds_met);
  const ghz_lattice none = lattice_abs(GHZ_F32, 1e-45);
  round_trip(&pool, stream_of(pool.ctx[0], &none, GHZ_ORDER_BEST, "ramp", 40000, 1), "raw");
  const float same[5000] = {1, 2, 3};
  round_trip(&pool, compress(pool.ctx[0], &none, GHZ_ORDER_BEST, same, 5000), "raw zeros");
  cr_expect_eq(kinds_met & 2, ghz_pack_available(PACK_FAST) ? 2 : 0, "by zstd: %x", kinds_met);
}

/* ---- Parts ---- */

/* A file of one frame and page, in which a byte of the page is another; with `fits` its checksums
 * in the index fit. */
static void refused_box(size_t at, uint8_t byte, int fits, const char *words) {
  CONTEXT(ctx, NULL, 1);
  const file_case c = {.ndim = 3, .dims = {16, 30, 50}, .frame_values = 1 << 20, .type = GHZ_F32, .pack = 2};
  enum { PAGE = 56 + 8 * 3 + 8 + 72 + 4, TAIL = 32 };
  MEMORY_FILE(m);
  float y;
  write_case(&c, ctx, &m);
  uint8_t *end = m.data + m.size, *entry = end - TAIL - 12, *index = end - TAIL - get_little(end - 24, 8);
  m.data[PAGE + at] = (uint8_t)(m.data[PAGE + at] + byte);
  if (fits) {
    put_little(entry + 4, ghz_checksum(m.data + PAGE, get_little(entry, 4), 0), 8);
    put_little(end - 16, ghz_checksum(index, (size_t)(end - 16 - index), 0), 8);
  }
  ghz_file *f = opened(&m, 1);
  for (int turn = 0; turn < 2; turn++) {
    cr_expect_eq(ghz_file_read_box(f, ctx, GHZ_F32, (uint64_t[]){1, 1, 1}, (uint64_t[]){2, 2, 2}, &y),
                 GHZ_ECORRUPT);
    cr_expect(strstr(ghz_context_message(NULL), words), "'%s'", ghz_context_message(NULL));
  }
  ghz_file_close(f);
}

Test(pack_tiles, boxes_of_damaged_pages) {
  refused_box(100, 1, 0, "the checksum of a page does not match");
  refused_box(0, 4, 1, "is damaged");
  refused_box(2, 1, 1, "have more bytes than its stream");
  refused_box(1, 1, 1, "have more bytes than its stream");
}

/* ---- Sizes ---- */

/* A frame is never larger than its tiles as they are. */
Test(pack_tiles, noise_does_not_grow) {
  CONTEXT(ctx, NULL, 1);
  for (size_t n = 1; n < 2500000; n = 3 * n + 1) {
    SCOPE;
    const ref_bytes stream = stream_by(ctx, "random_bits", GHZ_F32, n, 1),
                    frame = frame_of(ctx, stream, PACK_LEVEL_MOST);
    cr_expect_leq(frame.size, stream.size + 17);
  }
}

/* ---- Fields of data/, at both levels ---- */
/* These are small, and kinds are chosen by what some tiles take. */

static bool compare_levels(void *user, const char *name, shape dims, const float *values) {
  ghz_context *ctx = user;
  static const double bounds[] = {1e-2, 1e-3, 1e-4, 1e-5};
  const size_t *n = dims.size, count = n[0] * n[1] * n[2];
  for (size_t b = 0; b < COUNT(bounds); b++)
    for (int flat = 0; flat < 2; flat++) {
      SCOPE;
      const ghz_shape s =
          flat || n[1] == 1 ? ghz_flat(count) : (ghz_shape){n[0] > 1 ? 3 : 2, {n[0], n[1], n[2]}};
      const void *x = values;
      ghz_lattice l;
      succeeded(ghz_lattice_for(ctx, GHZ_F32, (ghz_bound){GHZ_REL, bounds[b]}, NULL, 1, &x, count, &l), ctx,
                "lattice");
      const ref_bytes stream = compress_shape(ctx, &l, GHZ_ORDER_BEST, values, &s);
      const size_t two = frame_of(ctx, stream, PACK_LEVEL_MOST).size,
                   one = ghz_pack_available(PACK_FAST) ? frame_of(ctx, stream, PACK_FAST).size : stream.size;
      cr_expect((double)two <= 1.001 * (double)one, "%s, bound %g%s: %zu bytes at level 2, %zu at level 1",
                name, bounds[b], flat ? ", flat" : "", two, one);
    }
  return true;
}

Test(pack_tiles, no_field_is_larger_than_at_level_1) {
  CONTEXT(ctx, NULL, 2);
  const run r = {.n = 64, .quiet = true, .take = compare_levels, .taker = ctx};
  cr_assert(make_waves(&r));
  cr_assert(make_gradient(&r));
#ifdef GHZ_DATA_FFTW
  cr_assert(make_density(&r) && make_turbulence(&r) && make_climate(&r));
#endif
}
