/* packed.c: owns packed streams in memory: a magic, and what a packed frame has (FILE_FORMAT.md,
 * "Packed stream"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/file.h>
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "file/pack.h"
#include "rules/bytes.h"

/* Magic, version, level less 1, zeros. */
enum { HEAD = 8, VERSION_AT = 4, LEVEL_AT = 5 };
static const uint8_t head[HEAD] = {'G', 'H', 'Z', 'P', 1};

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
  memcpy(dst, head, HEAD);
  ((uint8_t *)dst)[LEVEL_AT] = (uint8_t)(level - PACK_BYTES);
  ghz_status status = ghz_pack(ctx, stream, level, (uint8_t *)dst + HEAD, capacity - HEAD, size);
  if (status == GHZ_OK)
    *size += HEAD;
  return status;
}

int ghz_is_packed(ghz_bytes bytes) {
  return bytes.data && bytes.size >= HEAD && memcmp(bytes.data, head, VERSION_AT) == 0;
}

static ghz_status check_head(ghz_context *ctx, ghz_bytes packed, int *level) {
  const uint8_t *b = packed.data;
  if (!ghz_is_packed(packed))
    return ghz_fail(ctx, GHZ_ECORRUPT, "%zu bytes are no packed stream", packed.size);
  if (b[VERSION_AT] > head[VERSION_AT])
    return ghz_fail(ctx, GHZ_EVERSION, "version %d of packed streams: this libghz reads %d", b[VERSION_AT],
                    head[VERSION_AT]);
  *level = PACK_BYTES + b[LEVEL_AT];
  if (*level > PACK_LEVEL_MOST)
    return ghz_fail(ctx, GHZ_EVERSION, "level %d of packed streams: this libghz reads 1 and 2", *level);
  if (b[VERSION_AT] != head[VERSION_AT] || load_u16(b + LEVEL_AT + 1) != 0)
    return ghz_fail(ctx, GHZ_ECORRUPT, "the header of a packed stream is damaged");
  return GHZ_OK;
}

ghz_status ghz_unpack_stream(ghz_context *ctx, ghz_bytes packed, size_t most, void **stream, size_t *size) {
  if (!stream || !size)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", stream ? "size" : "stream");
  *stream = NULL;
  *size = 0;
  int level = 0;
  ghz_status status = check_head(ctx, packed, &level);
  if (status != GHZ_OK)
    return status;
  const ghz_bytes frame = {(const uint8_t *)packed.data + HEAD, packed.size - HEAD};
  size_t bytes;
  status = ghz_packed_size(ctx, level, frame, most, &bytes);
  if (status != GHZ_OK)
    return status;
  void *made = malloc(bytes);
  if (!made)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes for a stream", bytes);
  status = ghz_unpack_frame(ctx, level, frame, bytes, made);
  if (status != GHZ_OK) {
    free(made);
    return status;
  }
  *stream = made;
  *size = bytes;
  return GHZ_OK;
}
