/* test_pack.c: packed frames: what is packed comes back, in parts and whole, by any number of
 * threads; nothing else does. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/pack.h"

#include <ghz/file.h>

#include "support.h"
#ifdef GHZ_HAVE_ZSTD
#include <zstd.h>
#endif

TestSuite(pack, .timeout = 60);

/* ---- Without zstd ---- */

#ifndef GHZ_HAVE_ZSTD
Test(pack, says_what_is_missing) {
  CONTEXT(ctx, NULL, 1);
  uint8_t body[64] = {4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1, 2, 3, 4}, out[4];
  size_t size;
  cr_expect_not(ghz_pack_available(PACK_BYTES));
  cr_expect_eq(ghz_pack(ctx, (ghz_bytes){out, 4}, PACK_BYTES, body, sizeof body, &size), GHZ_EUNSUPPORTED);
  cr_expect(strstr(ghz_context_message(ctx), "no zstd"), "%s", ghz_context_message(ctx));
  cr_expect_eq(ghz_packed_size(ctx, PACK_BYTES, (ghz_bytes){body, 16}, 4, &size), GHZ_OK);
  cr_expect_eq(ghz_unpack_frame(ctx, PACK_BYTES, (ghz_bytes){body, 16}, 4, out), GHZ_EUNSUPPORTED);
  cr_expect(strstr(ghz_context_message(ctx), "cannot unpack"), "%s", ghz_context_message(ctx));
  void *stream;
  uint8_t packed[24] = {'G', 'H', 'Z', 'P', 1};
  memcpy(packed + 8, body, 16);
  cr_expect_eq(ghz_pack_stream(ctx, (ghz_bytes){out, 4}, 1, body, sizeof body, &size), GHZ_EUNSUPPORTED);
  cr_expect_eq(ghz_unpack_stream(ctx, (ghz_bytes){packed, 24}, 4, &stream, &size), GHZ_EUNSUPPORTED);
}
#else

/* ---- What is packed ---- */

enum { NOISE, ZEROS, STREAM, MIXED, KINDS };

/* Bytes that do not shrink, that shrink to nothing, or those of a stream. */
static ref_bytes content(int kind, size_t size) {
  ref_bytes b = bytes_new(size);
  uint64_t state = size;
  memset(b.data, 0, size);
  for (size_t i = 0; i < size && kind != ZEROS && kind != STREAM; i++)
    if (kind == NOISE || i / PACK_PAGE % 2)
      b.data[i] = (uint8_t)input_random(&state);
  if (kind != STREAM)
    return b;
  CONTEXT(ctx, NULL, 1);
  const ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  const ref_bytes s = stream_of(ctx, &l, GHZ_ORDER_BEST, "walk", 300000, 1);
  for (size_t i = 0; i < size; i++)
    b.data[i] = s.data[i % s.size];
  return b;
}

static ref_bytes frame_from(ghz_context *ctx, ref_bytes stream, int level) {
  ref_bytes frame = bytes_new(ghz_pack_bound(stream.size));
  succeeded(ghz_pack(ctx, view(stream), level, frame.data, frame.size, &frame.size), ctx, "packing");
  return frame;
}

static ref_bytes whole_at(ghz_context *ctx, int level, ref_bytes frame, size_t most) {
  size_t size;
  succeeded(ghz_packed_size(ctx, level, view(frame), most, &size), ctx, "sizes");
  ref_bytes stream = bytes_new(size);
  succeeded(ghz_unpack_frame(ctx, level, view(frame), size, stream.data), ctx, "unpacking");
  return stream;
}

static ref_bytes whole_of(ghz_context *ctx, ref_bytes frame, size_t most) {
  return whole_at(ctx, PACK_BYTES, frame, most);
}

static const size_t sizes[] = {1, 2, 1000, PACK_PAGE - 1, PACK_PAGE, PACK_PAGE + 1, 3 * PACK_PAGE + 17};

Test(pack, round_trip_by_any_threads) {
  POOL(pool);
  for (size_t i = 0; i < COUNT(sizes); i++)
    for (int kind = 0; kind < KINDS; kind++) {
      SCOPE;
      const ref_bytes stream = content(kind, sizes[i]), first = frame_from(pool.ctx[0], stream, PACK_BYTES);
      for (size_t k = 0; k < pool.count; k++) {
        same_bytes(frame_from(pool.ctx[k], stream, PACK_BYTES), first, "packed by others");
        same_bytes(whole_of(pool.ctx[k], first, stream.size), stream, "unpacked");
      }
    }
}

Test(pack, levels) {
  CONTEXT(ctx, NULL, 2);
  const ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  const ref_bytes stream = stream_of(ctx, &l, GHZ_ORDER_BEST, "walk", 300000, 1);
  ref_bytes frame = bytes_new(ghz_pack_bound(stream.size));
  for (int level = PACK_BYTES; level <= PACK_LEVEL_MOST; level++)
    same_bytes(whole_at(ctx, level, frame_from(ctx, stream, level), stream.size), stream, "unpacked");
  const int wrong[] = {0, -1, 3, INT32_MAX};
  for (size_t i = 0; i < COUNT(wrong); i++)
    cr_expect_eq(ghz_pack(ctx, view(stream), wrong[i], frame.data, frame.size, &frame.size), GHZ_EINVAL);
}

/* Noise is stored as it is, and zeros take next to nothing. */
Test(pack, sizes) {
  CONTEXT(ctx, NULL, 1);
  for (size_t i = 0; i < COUNT(sizes); i++) {
    const size_t size = sizes[i];
    cr_expect_eq(frame_from(ctx, content(NOISE, size), PACK_BYTES).size, size + pack_head(size));
    if (size >= 1000)
      cr_expect_leq(frame_from(ctx, content(ZEROS, size), PACK_BYTES).size,
                    pack_head(size) + 32 * pack_pages(size));
  }
  cr_expect_eq(ghz_pack_bound(SIZE_MAX - 8), 0);
  cr_expect_eq(pack_pages(SIZE_MAX), (SIZE_MAX >> 18) + 1);
}

Test(pack, refuses_to_pack) {
  CONTEXT(ctx, NULL, 1);
  uint8_t bytes[64];
  size_t size;
  memset(bytes, 1, sizeof bytes);
  cr_expect_eq(ghz_pack(ctx, (ghz_bytes){bytes, 0}, 1, bytes, 64, &size), GHZ_EINVAL);
  cr_expect_eq(ghz_pack(ctx, (ghz_bytes){bytes, 20}, 1, bytes + 20, 31, &size), GHZ_ECAPACITY);
}

/* ---- Some pages ---- */

static uint32_t *table_of(ref_bytes frame, size_t pages) {
  uint32_t *table = scratch(pages * sizeof *table);
  for (size_t i = 0; i < pages; i++)
    table[i] = (uint32_t)get_little(frame.data + 8 + 4 * i, 4);
  return table;
}

Test(pack, any_pages_without_the_others) {
  CONTEXT(ctx, NULL, 2);
  const ref_bytes stream = content(MIXED, 4 * PACK_PAGE + 99), frame = frame_from(ctx, stream, PACK_BYTES);
  const size_t pages = pack_pages(stream.size);
  const uint32_t *table = table_of(frame, pages);
  for (size_t first = 0, at = pack_head(stream.size); first < pages; at += table[first++])
    for (size_t count = 0, bytes = 0; first + count <= pages; bytes += table[first + count++]) {
      SCOPE;
      const size_t begin = first * PACK_PAGE, end = (first + count) * PACK_PAGE;
      const ref_bytes want = bytes_copy(stream.data + begin, (end < stream.size ? end : stream.size) - begin);
      ref_bytes got = bytes_new(want.size);
      succeeded(ghz_bytes_unpack_pages(ctx, stream.size, first, count, table + first, 4,
                                       (ghz_bytes){frame.data + at, bytes}, got.data),
                ctx, "some pages");
      same_bytes(got, want, "some pages");
      if (first + count == pages)
        break;
    }
  cr_expect_eq(ghz_bytes_unpack_pages(ctx, stream.size, 4, 2, table, 4, (ghz_bytes){frame.data, 1}, NULL),
               GHZ_EINVAL);
  cr_expect_eq(ghz_bytes_unpack_pages(ctx, stream.size, 6, 0, table, 4, (ghz_bytes){frame.data, 0}, NULL),
               GHZ_EINVAL);
}

/* ---- Hostile frames ---- */

/* Refused, by its sizes or by its pages, with a message. */
static void refused(ref_bytes frame, size_t most, const char *words) {
  CONTEXT(ctx, NULL, 2);
  size_t size;
  ghz_status status = ghz_packed_size(ctx, PACK_BYTES, view(frame), most, &size);
  if (status == GHZ_OK) {
    cr_assert_leq(size, most);
    status = ghz_unpack_frame(ctx, PACK_BYTES, view(frame), size, bytes_new(size).data);
  }
  cr_expect_eq(status, GHZ_ECORRUPT, "%s: %s", words, ghz_status_text(status));
  cr_expect(strstr(ghz_context_message(ctx), words), "'%s' is not in '%s'", words, ghz_context_message(ctx));
}

static ref_bytes frame_of(uint64_t size, size_t entries, const uint32_t *entry, ref_bytes pages) {
  ref_bytes frame = bytes_new(8 + 4 * entries + pages.size);
  put_little(frame.data, size, 8);
  for (size_t i = 0; i < entries; i++)
    put_little(frame.data + 8 + 4 * i, entry[i], 4);
  memcpy(frame.data + 8 + 4 * entries, pages.data, pages.size);
  return frame;
}

Test(pack, sizes_that_lie) {
  CONTEXT(ctx, NULL, 1);
  const size_t size = 2 * PACK_PAGE + 10;
  const ref_bytes good = frame_from(ctx, content(ZEROS, size), PACK_BYTES);
  refused(good, size - 1, "it may have");
  for (size_t cut = 1; cut <= good.size; cut++)
    refused(bytes_copy(good.data, good.size - cut), size, "packed frame");
  for (int at = 0; at < 8 + 4 * 3; at++) /* no bit of the head can change */
    for (int bit = 0; bit < 8; bit++) {
      ref_bytes bad = bytes_copy(good.data, good.size);
      bad.data[at] = (uint8_t)(bad.data[at] ^ 1 << bit);
      refused(bad, size, "packed frame");
    }
  const ref_bytes three = bytes_copy("abc", 3);
  refused(frame_of(UINT64_MAX, 1, (uint32_t[]){3}, three), SIZE_MAX, "cannot have");
  refused(frame_of(0, 0, NULL, bytes_copy("", 0)), 100, "it may have");
  refused(frame_of(3, 1, (uint32_t[]){2}, three), 100, "their sizes say");
  refused(frame_of(3, 1, (uint32_t[]){0}, three), 100, "0 bytes");
  refused(frame_of(2, 1, (uint32_t[]){3}, three), 100, "3 bytes");
}

/* A page in a frame by itself: what zstd takes, and what we take. */
static void refused_page(ref_bytes page, size_t size) {
  refused(frame_of(size, 1, (uint32_t[]){(uint32_t)page.size}, page), size, "page 0 of 1");
}

static ref_bytes by_zstd(ref_bytes content, int says_size) {
  ZSTD_CCtx *z = ZSTD_createCCtx();
  ref_bytes page = bytes_new(ZSTD_compressBound(content.size));
  ZSTD_CCtx_setParameter(z, ZSTD_c_contentSizeFlag, says_size);
  page.size = ZSTD_compress2(z, page.data, page.size, content.data, content.size);
  cr_assert_not(ZSTD_isError(page.size));
  ZSTD_freeCCtx(z);
  return page;
}

static ref_bytes joined(ref_bytes a, ref_bytes b) {
  ref_bytes both = bytes_new(a.size + b.size);
  memcpy(both.data, a.data, a.size);
  memcpy(both.data + a.size, b.data, b.size);
  return both;
}

Test(pack, pages_that_lie) {
  CONTEXT(ctx, NULL, 1);
  const size_t size = 5000;
  const ref_bytes zeros = content(ZEROS, size), half = by_zstd(content(ZEROS, size / 2), 1);
  const ref_bytes skipped = bytes_copy("\x50\x2a\x4d\x18\4\0\0\0abcd", 12), good = by_zstd(zeros, 1);
  same_bytes(whole_of(ctx, frame_of(size, 1, (uint32_t[]){(uint32_t)good.size}, good), size), zeros, "taken");
  refused_page(by_zstd(content(ZEROS, 1 << 20), 1), size); /* a bomb */
  refused_page(by_zstd(content(ZEROS, size - 1), 1), size);
  refused_page(by_zstd(zeros, 0), size);  /* does not say its size */
  refused_page(joined(half, half), size); /* two frames */
  refused_page(joined(skipped, good), size);
  refused_page(joined(good, skipped), size);
  refused_page(bytes_copy("\x26\xb5\x2f\xfd\0\0\0\0", 8), size); /* zstd before 1.0 */
  refused_page(bytes_copy(good.data, good.size - 1), size);
  refused_page(bytes_copy("(", 1), size);
}

/* A bomb of many pages is refused before memory is taken: `most` is what the frame may hold. */
Test(pack, bomb) {
  const size_t pages = 4096, size = pages * PACK_PAGE;
  const ref_bytes one = by_zstd(content(ZEROS, PACK_PAGE), 1);
  ref_bytes all = bytes_new(pages * one.size);
  uint32_t *table = scratch(pages * sizeof *table);
  for (size_t i = 0; i < pages; i++) {
    memcpy(all.data + i * one.size, one.data, one.size);
    table[i] = (uint32_t)one.size;
  }
  refused(frame_of(size, pages, table, all), PACK_PAGE, "it may have 262144");
}

/* ---- Packed streams ---- */

static ref_bytes packed_of(ghz_context *ctx, ref_bytes stream, int level) {
  ref_bytes packed = bytes_new(ghz_packed_bound(stream.size));
  succeeded(ghz_pack_stream(ctx, view(stream), level, packed.data, packed.size, &packed.size), ctx, "packing");
  return packed;
}

Test(pack, streams) {
  POOL(pool);
  const ref_bytes stream = content(STREAM, 2 * PACK_PAGE + 77), first = packed_of(pool.ctx[0], stream, 1);
  same_bytes(bytes_copy(first.data, 8), bytes_copy("GHZP\1\0\0\0", 8), "header");
  same_bytes(bytes_copy(first.data + 8, first.size - 8), frame_from(pool.ctx[0], stream, 1), "frame");
  cr_expect(ghz_is_packed(view(first)) && !ghz_is_packed(view(stream)));
  cr_expect_not(ghz_is_packed((ghz_bytes){first.data, 7}) || ghz_is_packed((ghz_bytes){NULL, 8}));
  for (size_t k = 0; k < pool.count; k++) {
    void *made;
    size_t size;
    same_bytes(packed_of(pool.ctx[k], stream, 1), first, "packed by others");
    succeeded(ghz_unpack_stream(pool.ctx[k], view(first), stream.size, &made, &size), pool.ctx[k], "unpacking");
    same_bytes(bytes_copy(made, size), stream, "unpacked");
    free(made);
  }
  cr_expect_eq(ghz_packed_bound(SIZE_MAX - 8), 0);
}

/* Refused, with a message, and nothing is left. */
static void not_unpacked(ref_bytes packed, size_t most, ghz_status want, const char *words) {
  CONTEXT(ctx, NULL, 1);
  void *made = ctx;
  size_t size = 1;
  cr_expect_eq(ghz_unpack_stream(ctx, view(packed), most, &made, &size), want, "%s", words);
  cr_expect(strstr(ghz_context_message(ctx), words), "'%s' is not in '%s'", words, ghz_context_message(ctx));
  cr_expect(made == NULL && size == 0);
}

Test(pack, streams_that_lie) {
  CONTEXT(ctx, NULL, 1);
  const ref_bytes stream = content(STREAM, 3000), good = packed_of(ctx, stream, 1);
  for (size_t cut = 0; cut < 8; cut++)
    not_unpacked(bytes_copy(good.data, cut), SIZE_MAX, GHZ_ECORRUPT, "no packed stream");
  for (size_t cut = 8; cut < good.size; cut++)
    not_unpacked(bytes_copy(good.data, cut), SIZE_MAX, GHZ_ECORRUPT, "packed frame");
  for (int at = 0; at < 8; at++) {
    ref_bytes bad = bytes_copy(good.data, good.size);
    bad.data[at] = (uint8_t)(bad.data[at] + (at == 5 ? 2 : 1));
    not_unpacked(bad, SIZE_MAX, at == 4 || at == 5 ? GHZ_EVERSION : GHZ_ECORRUPT,
                 at < 4    ? "no packed stream"
                 : at == 4 ? "version 2"
                 : at == 5 ? "level 3"
                           : "header of a packed stream");
  }
  not_unpacked(good, stream.size - 1, GHZ_ECORRUPT, "it may have 2999");
  not_unpacked(stream, SIZE_MAX, GHZ_ECORRUPT, "no packed stream");
  cr_expect_eq(ghz_unpack_stream(ctx, view(good), SIZE_MAX, NULL, &(size_t){0}), GHZ_EINVAL);
  cr_expect_eq(ghz_unpack_stream(ctx, view(good), SIZE_MAX, &(void *){NULL}, NULL), GHZ_EINVAL);
}

Test(pack, streams_that_are_not_packed) {
  CONTEXT(ctx, NULL, 1);
  const ref_bytes stream = content(STREAM, 3000);
  ref_bytes to = bytes_new(ghz_packed_bound(stream.size));
  size_t size;
  cr_expect_eq(ghz_pack_stream(ctx, view(stream), 1, to.data, to.size - 1, &size), GHZ_ECAPACITY);
  cr_expect_eq(ghz_pack_stream(ctx, view(stream), 1, to.data, 7, &size), GHZ_ECAPACITY);
  cr_expect_eq(ghz_pack_stream(ctx, view(stream), 20, to.data, to.size, &size), GHZ_EINVAL);
  cr_expect_eq(ghz_pack_stream(ctx, (ghz_bytes){stream.data, 0}, 1, to.data, to.size, &size), GHZ_EINVAL);
  cr_expect_eq(ghz_pack_stream(ctx, (ghz_bytes){NULL, 9}, 1, to.data, to.size, &size), GHZ_EINVAL);
  cr_expect_eq(ghz_pack_stream(ctx, view(stream), 1, NULL, to.size, &size), GHZ_EINVAL);
  cr_expect_eq(ghz_pack_stream(ctx, view(stream), 1, to.data, to.size, NULL), GHZ_EINVAL);
}

#endif
