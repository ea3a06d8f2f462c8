/* test_pack.c: pages by zstd that lie, and packed streams in memory. What is packed comes back:
 * test_pack_tiles.c. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/pack.h"

#include <ghz/file.h>

#include "support.h"
#ifdef GHZ_HAVE_ZSTD
#include <zstd.h>
#endif

TestSuite(pack, .timeout = 60);

/* The level by zstd, where there is one. */
static int some_level(void) { return ghz_pack_available(PACK_FAST) ? PACK_FAST : PACK_LEVEL_MOST; }

static ref_bytes stream_to_pack(size_t n) {
  CONTEXT(ctx, NULL, 1);
  const ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  return stream_of(ctx, &l, GHZ_ORDER_BEST, "walk", n, 1);
}

Test(pack, refuses_to_pack) {
  CONTEXT(ctx, NULL, 1);
  const ref_bytes stream = stream_to_pack(3000);
  ref_bytes frame = bytes_new(ghz_pack_bound(stream.size));
  const size_t room = frame.size;
  cr_expect_eq(ghz_pack(ctx, view(stream), PACK_LEVEL_MOST, frame.data, room - 1, &frame.size), GHZ_ECAPACITY);
  cr_expect_eq(ghz_pack(ctx, view(stream), PACK_LEVEL_MOST, frame.data, room, &frame.size), GHZ_OK);
  for (size_t size = 0; size < stream.size; size += stream.size - 1)
    cr_expect_eq(ghz_pack(ctx, (ghz_bytes){stream.data, size}, PACK_LEVEL_MOST, frame.data, room, &frame.size),
                 GHZ_ECORRUPT, "no stream");
  cr_expect_eq(ghz_pack_bound(SIZE_MAX), 0);
  if (!ghz_pack_available(PACK_FAST))
    cr_expect_eq(ghz_pack(ctx, view(stream), PACK_FAST, frame.data, room, &frame.size), GHZ_EUNSUPPORTED);
}

/* ---- Pages by zstd ---- */

#ifdef GHZ_HAVE_ZSTD
enum { ONE_TILE = 5000 }; /* bytes, of zeros */

/* A body of one tile, in a page of kind 1 that is these bytes. */
static ghz_status unpack_page(ghz_context *ctx, ref_bytes by_zstd) {
  const ref_bytes stream = stream_to_pack(1000);
  ref_bytes body = bytes_new(72 + 4 + 5 + by_zstd.size);
  memory to = {0};
  size_t size;
  memcpy(body.data, stream.data, 72);
  put_little(body.data + 56, ONE_TILE, 8);
  put_little(body.data + 72, 5 + by_zstd.size, 4);
  put_little(body.data + 76, 1, 1);
  put_little(body.data + 77, ONE_TILE, 4);
  memcpy(body.data + 81, by_zstd.data, by_zstd.size);
  const ghz_status status = ghz_unpack_frame(ctx, 1, view(body), SIZE_MAX, &to, &size);
  cr_assert(to.data, "sizes: %s", ghz_context_message(ctx));
  memory_free(&to);
  return status;
}

static void refused_page(ref_bytes by_zstd) {
  CONTEXT(ctx, NULL, 1);
  cr_expect_eq(unpack_page(ctx, by_zstd), GHZ_ECORRUPT);
  cr_expect(strstr(ghz_context_message(ctx), "page 0"), "%s", ghz_context_message(ctx));
}

/* The size of the tile, and zeros: `size` bytes in all. */
static ref_bytes by_zstd(size_t size, int says_size) {
  ZSTD_CCtx *z = ZSTD_createCCtx();
  ref_bytes content = bytes_new(size), page = bytes_new(ZSTD_compressBound(size));
  memset(content.data, 0, size);
  put_little(content.data, ONE_TILE, 2);
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
  const size_t whole = 2 + ONE_TILE;
  const ref_bytes good = by_zstd(whole, 1), half = by_zstd(whole / 2, 1);
  const ref_bytes skipped = bytes_copy("\x50\x2a\x4d\x18\4\0\0\0abcd", 12);
  succeeded(unpack_page(ctx, good), ctx, "taken");
  refused_page(by_zstd(1 << 20, 1)); /* a bomb */
  refused_page(by_zstd(whole - 1, 1));
  refused_page(by_zstd(whole, 0));  /* does not say its size */
  refused_page(joined(half, half)); /* two frames */
  refused_page(joined(skipped, good));
  refused_page(joined(good, skipped));
  refused_page(bytes_copy("\x26\xb5\x2f\xfd\0\0\0\0", 8)); /* zstd before 1.0 */
  refused_page(bytes_copy(good.data, good.size - 1));
  refused_page(bytes_copy("(", 1));
}
#endif

/* ---- Packed streams ---- */

static ref_bytes packed_of(ghz_context *ctx, ref_bytes stream, int level) {
  ref_bytes packed = bytes_new(ghz_packed_bound(stream.size));
  succeeded(ghz_pack_stream(ctx, view(stream), level, packed.data, packed.size, &packed.size), ctx, "packing");
  return packed;
}

Test(pack, streams) {
  POOL(pool);
  const ref_bytes stream = stream_to_pack(300000), first = packed_of(pool.ctx[0], stream, some_level());
  ref_bytes frame = bytes_new(ghz_pack_bound(stream.size));
  succeeded(ghz_pack(pool.ctx[0], view(stream), some_level(), frame.data, frame.size, &frame.size), pool.ctx[0],
            "packing");
  same_bytes(bytes_copy(first.data, 8), bytes_copy("GHZP\2\0\0\0", 8), "header");
  same_bytes(bytes_copy(first.data + 8, first.size - 8), frame, "frame");
  cr_expect(ghz_is_packed(view(first)) && !ghz_is_packed(view(stream)));
  cr_expect_not(ghz_is_packed((ghz_bytes){first.data, 7}) || ghz_is_packed((ghz_bytes){NULL, 8}));
  for (size_t k = 0; k < pool.count; k++) {
    void *made;
    size_t size;
    same_bytes(packed_of(pool.ctx[k], stream, some_level()), first, "packed by others");
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
  says(ghz_unpack_stream(ctx, view(packed), most, &made, &size), want, ctx, words, words);
  cr_expect(made == NULL && size == 0);
}

Test(pack, streams_that_lie) {
  CONTEXT(ctx, NULL, 1);
  const ref_bytes stream = stream_to_pack(3000), good = packed_of(ctx, stream, some_level());
  for (size_t cut = 0; cut < 8; cut++)
    not_unpacked(bytes_copy(good.data, cut), SIZE_MAX, GHZ_ECORRUPT, "no packed stream");
  for (size_t cut = 8; cut < good.size; cut++)
    not_unpacked(bytes_copy(good.data, cut), SIZE_MAX, GHZ_ECORRUPT, "");
  for (int at = 0; at < 8; at++) {
    ref_bytes bad = bytes_copy(good.data, good.size);
    bad.data[at] = (uint8_t)(bad.data[at] + 1);
    not_unpacked(bad, SIZE_MAX, at == 4 ? GHZ_EVERSION : GHZ_ECORRUPT,
                 at < 4    ? "no packed stream"
                 : at == 4 ? "version 3 of packed streams"
                           : "header of a packed stream");
  }
  ref_bytes old = bytes_copy(good.data, good.size);
  old.data[4] = 1;
  not_unpacked(old, SIZE_MAX, GHZ_EVERSION, "of version 0.2 of ghz before its release");
  not_unpacked(good, stream.size - 1, GHZ_ECORRUPT, "it may have");
  not_unpacked(stream, SIZE_MAX, GHZ_ECORRUPT, "no packed stream");
  cr_expect_eq(ghz_unpack_stream(ctx, view(good), SIZE_MAX, NULL, &(size_t){0}), GHZ_EINVAL);
  cr_expect_eq(ghz_unpack_stream(ctx, view(good), SIZE_MAX, &(void *){NULL}, NULL), GHZ_EINVAL);
}

Test(pack, streams_that_are_not_packed) {
  CONTEXT(ctx, NULL, 1);
  const ref_bytes stream = stream_to_pack(3000);
  ref_bytes to = bytes_new(ghz_packed_bound(stream.size));
  size_t size;
  cr_expect_eq(ghz_pack_stream(ctx, view(stream), 2, to.data, to.size - 1, &size), GHZ_ECAPACITY);
  cr_expect_eq(ghz_pack_stream(ctx, view(stream), 2, to.data, 7, &size), GHZ_ECAPACITY);
  const int wrong[] = {-1, 0, 3, INT32_MAX};
  for (size_t i = 0; i < COUNT(wrong); i++)
    cr_expect_eq(ghz_pack_stream(ctx, view(stream), wrong[i], to.data, to.size, &size), GHZ_EINVAL);
  cr_expect_eq(ghz_pack_stream(ctx, (ghz_bytes){stream.data, 0}, 2, to.data, to.size, &size), GHZ_ECORRUPT);
  cr_expect_eq(ghz_pack_stream(ctx, (ghz_bytes){NULL, 9}, 1, to.data, to.size, &size), GHZ_EINVAL);
  cr_expect_eq(ghz_pack_stream(ctx, view(stream), 2, NULL, to.size, &size), GHZ_EINVAL);
  cr_expect_eq(ghz_pack_stream(ctx, view(stream), 2, to.data, to.size, NULL), GHZ_EINVAL);
}
