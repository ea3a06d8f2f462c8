/* packed.c: fuzzer: any bytes as a frame packed at level 1, and as a stream that is packed. A frame
 * is refused, or gives the same bytes by any number of threads, whole and a page at a time; what
 * was packed comes back. (Level 2: tiles.c.) */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/pack.h"
#include "fuzz.h"
#include <string.h>

enum { MOST = 5 << 18 }; /* bytes of a stream, at most: five pages */

static bool understood(ghz_status status) {
  MUST(status == GHZ_OK || status == GHZ_ECORRUPT, "status %d", (int)status);
  return status == GHZ_OK;
}

static void unpack_one_by_one(ghz_bytes frame, const uint8_t *want, size_t size) {
  ghz_context *ctx = fuzz_context(0);
  const uint8_t *data = frame.data, *next = data + pack_head(size);
  for (size_t i = 0; i < pack_pages(size); i++) {
    const uint32_t bytes = (uint32_t)get_little(data + 8 + 4 * i, 4);
    const size_t left = size - i * PACK_PAGE, here = left < PACK_PAGE ? left : PACK_PAGE;
    uint8_t *got = scratch(here);
    need(ghz_bytes_unpack_pages(ctx, size, i, 1, &bytes, 4, (ghz_bytes){next, bytes}, got), "page %zu", i);
    must_equal(got, here, want + i * PACK_PAGE, here, "a page by itself");
    next += bytes;
  }
}

static void unpack(ghz_bytes frame) {
  ghz_context *one = fuzz_context(0), *two = fuzz_context(fuzz_contexts() - 1);
  size_t size, again;
  if (!understood(ghz_packed_size(one, PACK_BYTES, frame, MOST, &size)))
    return;
  MUST(size > 0 && size <= MOST, "%zu bytes", size);
  need(ghz_packed_size(two, PACK_BYTES, frame, size, &again), "its own size");
  MUST(ghz_packed_size(one, PACK_BYTES, frame, size - 1, &again) == GHZ_ECORRUPT, "more than may be");
  uint8_t *first = scratch(size), *second = scratch(size);
  const bool ok = understood(ghz_unpack_frame(one, PACK_BYTES, frame, size, first));
  MUST(understood(ghz_unpack_frame(two, PACK_BYTES, frame, size, second)) == ok, "by two threads otherwise");
  if (!ok)
    return;
  must_equal(second, size, first, size, "by two threads");
  unpack_one_by_one(frame, first, size);
}

static void pack(ghz_bytes stream) {
  ghz_context *ctx = fuzz_context(0);
  const size_t capacity = ghz_pack_bound(stream.size);
  uint8_t *frame = scratch(capacity), *back = scratch(stream.size);
  size_t size, again;
  need(ghz_pack(ctx, stream, PACK_BYTES, frame, capacity, &size), "packing");
  MUST(size <= capacity, "%zu bytes", size);
  need(ghz_packed_size(ctx, PACK_BYTES, (ghz_bytes){frame, size}, stream.size, &again), "sizes");
  need(ghz_unpack_frame(ctx, PACK_BYTES, (ghz_bytes){frame, size}, again, back), "unpacking");
  must_equal(back, again, stream.data, stream.size, "unpacked");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SCOPE;
  if (!ghz_pack_available(PACK_BYTES))
    return 0;
  unpack((ghz_bytes){data, size});
  if (size > 0)
    pack((ghz_bytes){data, size});
  return 0;
}
