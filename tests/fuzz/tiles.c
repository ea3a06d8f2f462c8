/* tiles.c: fuzzer: any bytes as the header of a stream and one page of its tiles, as level 2 packs
 * them. The page is refused, or gives the same bytes by every instruction set and number of
 * threads; and the stream that it gives, where that is one, comes back when it is packed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/pack.h"
#include "fuzz.h"
#include <string.h>

enum { HEADER = 72, PAGE_HEAD = 5, TILES = 1024, MOST = 1 << 20 /* bytes of tiles */ };

/* Tiles of a header, or TILES + 1 for more, and for what is no header. */
static uint64_t tiles_of(const uint8_t *header) {
  const ghz_shape s = {header[7],
                       {get_little(header + 8, 8), get_little(header + 16, 8), get_little(header + 24, 8)}};
  for (int i = 0; i < 3; i++)
    if (s.extent[i] > TILES * 1024)
      return TILES + 1;
  const uint64_t tiles = s.dims >= 1 && s.dims <= 3 ? ghz_shape_tiles(&s) : TILES + 1;
  return tiles < TILES ? tiles : TILES + (tiles > TILES);
}

/* The body of the header and the page, with the sizes that both lead to. */
static ref_bytes frame_of(const uint8_t *data, size_t size) {
  ref_bytes frame = bytes_new(size + 4);
  memcpy(frame.data, data, HEADER);
  memcpy(frame.data + 56, data + HEADER + 1, 4); /* bytes of all tiles */
  memset(frame.data + 60, 0, 4);
  put_little(frame.data + HEADER, size - HEADER, 4);
  memcpy(frame.data + HEADER + 4, data + HEADER, size - HEADER);
  return frame;
}

static bool understood(ghz_status status) {
  MUST(refused(status) || (status == GHZ_EUNSUPPORTED && !ghz_pack_available(PACK_FAST)) || status == GHZ_OK,
       "status %d", (int)status);
  return status == GHZ_OK;
}

/* By one context; with no data if it is refused. */
static ref_bytes unpack(ghz_context *ctx, ghz_bytes frame) {
  memory to = {0}, none = {0};
  size_t size, again;
  const bool ok = understood(ghz_unpack_frame(ctx, 1, frame, 2 * MOST, &to, &size));
  if (to.data)
    MUST(ghz_unpack_frame(ctx, 1, frame, size - 1, &none, &again) == GHZ_ECORRUPT && !none.data,
         "more than may be");
  const ref_bytes stream = ok ? bytes_copy(to.data, size) : (ref_bytes){0};
  memory_free(&to);
  return stream;
}

/* A stream whose table is right comes back, whatever its tiles hold. */
static void pack(ref_bytes stream) {
  ghz_context *one = fuzz_context(0), *two = fuzz_context(fuzz_contexts() - 1);
  ref_bytes a = bytes_new(ghz_pack_bound(stream.size)), b = bytes_new(a.size);
  const bool ok = understood(ghz_pack(one, view(stream), PACK_LEVEL_MOST, a.data, a.size, &a.size));
  MUST(understood(ghz_pack(two, view(stream), PACK_LEVEL_MOST, b.data, b.size, &b.size)) == ok,
       "packed otherwise");
  if (!ok)
    return;
  must_equal(b.data, b.size, a.data, a.size, "packed by two threads");
  const ref_bytes back = unpack(two, view(a));
  must_equal(back.data, back.size, stream.data, stream.size, "packed and unpacked");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SCOPE;
  if (size < HEADER + PAGE_HEAD || get_little(data + HEADER + 1, 4) > MOST)
    return 0;
  const uint64_t tiles = tiles_of(data);
  if (tiles == 0 || tiles > TILES)
    return 0;
  const ref_bytes frame = frame_of(data, size), first = unpack(fuzz_context(0), view(frame));
  for (size_t i = 1; i < fuzz_contexts(); i++) {
    const ref_bytes other = unpack(fuzz_context(i), view(frame));
    must_equal(other.data, other.size, first.data, first.size, "by another context");
  }
  if (first.data)
    pack(first);
  return 0;
}
