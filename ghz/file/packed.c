/* packed.c: owns packed streams in memory: a magic, and what a packed frame has (FILE_FORMAT.md,
 * "Packed stream"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/file.h>
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "file/pack.h"

/* Magic, version, zeros. */
enum { HEAD = 8, VERSION_AT = 4 };
static const uint8_t head[HEAD] = {'G', 'H', 'Z', 'P', 2};

size_t ghz_packed_bound(size_t size) {
  size_t bound = ghz_pack_bound(size);
  return bound == 0 || __builtin_add_overflow(bound, HEAD, &bound) ? 0 : bound;
}

ghz_status ghz_pack_stream(ghz_context *ctx, ghz_bytes stream, int level, void *dst, size_t capacity,
                           size_t *size) {
  if (!stream.data || !dst || !size)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", !stream.data ? "stream" : dst ? "size" : "dst");
  if (capacity < HEAD)
    return ghz_fail(ctx, GHZ_ECAPACITY, "capacity %zu: a packed stream has more", capacity);
  if (level < PACK_FAST || level > PACK_LEVEL_MOST)
    return ghz_fail(ctx, GHZ_EINVAL, "level %d of packing: must be %d or %d", level, PACK_FAST,
                    PACK_LEVEL_MOST);
  memcpy(dst, head, HEAD);
  ghz_status status = ghz_pack(ctx, stream, level, (uint8_t *)dst + HEAD, capacity - HEAD, size);
  if (status == GHZ_OK)
    *size += HEAD;
  return status;
}

int ghz_is_packed(ghz_bytes bytes) {
  return bytes.data && bytes.size >= HEAD && memcmp(bytes.data, head, VERSION_AT) == 0;
}

static ghz_status check_head(ghz_context *ctx, ghz_bytes packed) {
  const uint8_t *b = packed.data;
  if (!ghz_is_packed(packed))
    return ghz_fail(ctx, GHZ_ECORRUPT, "%zu bytes are no packed stream", packed.size);
  if (b[VERSION_AT] == 1 || b[VERSION_AT] > head[VERSION_AT])
    return ghz_fail(ctx, GHZ_EVERSION, "version %d of packed streams%s: this libghz reads %d", b[VERSION_AT],
                    b[VERSION_AT] == 1 ? ", of version 0.2 of ghz before its release" : "", head[VERSION_AT]);
  if (memcmp(b, head, HEAD) != 0)
    return ghz_fail(ctx, GHZ_ECORRUPT, "the header of a packed stream is damaged");
  return GHZ_OK;
}

ghz_status ghz_unpack_stream(ghz_context *ctx, ghz_bytes packed, size_t most, void **stream, size_t *size) {
  if (!stream || !size)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", stream ? "size" : "stream");
  *stream = NULL;
  *size = 0;
  ghz_status status = check_head(ctx, packed);
  if (status != GHZ_OK)
    return status;
  const ghz_bytes frame = {(const uint8_t *)packed.data + HEAD, packed.size - HEAD};
  size_t bytes;
  status = ghz_packed_size(ctx, 1, frame, most, &bytes);
  if (status != GHZ_OK)
    return status;
  void *made = malloc(bytes);
  if (!made)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes for a stream", bytes);
  status = ghz_unpack_frame(ctx, 1, frame, bytes, made);
  if (status != GHZ_OK) {
    free(made);
    return status;
  }
  *stream = made;
  *size = bytes;
  return GHZ_OK;
}
