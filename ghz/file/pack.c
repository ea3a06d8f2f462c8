/* pack.c: owns packed frames: the table of blocks, and the threads that share the blocks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/pack.h"

#include <string.h>

#include "context/call.h"
#include "file/block.h"

/* ---- Sizes ----------------------------------------------------------------------------------- */

static uint64_t get_number(const uint8_t *from, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++)
    value |= (uint64_t)from[i] << 8 * i;
  return value;
}

static void put_number(uint8_t *to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++)
    to[i] = (uint8_t)(value >> 8 * i);
}

/* Packed bytes of a block, by the head of a frame. */
static size_t packed_in(const uint8_t *frame, size_t block) {
  return (size_t)get_number(frame + pack_head(0) + 4 * block, 4);
}

/* Bytes of the stream in a block. */
static size_t block_size(size_t size, size_t block) {
  const size_t left = size - block * PACK_BLOCK;
  return left < PACK_BLOCK ? left : PACK_BLOCK;
}

size_t ghz_pack_bound(size_t size) {
  size_t bound;
  return __builtin_add_overflow(size, pack_head(size), &bound) ? 0 : bound;
}

int ghz_pack_available(void) {
  return ghz_block_coded();
}

static ghz_status unsupported(ghz_context *ctx, const char *what) {
  return ghz_fail(ctx, GHZ_EUNSUPPORTED, "cannot %s: this build of libghz has no zstd", what);
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* Work on blocks, of which every thread takes the next one that nobody has taken. */
typedef struct job {
  ghz_status (*one)(const struct job *j, const block_coder *c, size_t block);
  int level;            /* 0: unpack */
  size_t size;          /* of the stream */
  size_t first, blocks; /* of the stream: these are worked on */
  const uint8_t *from;
  uint8_t *to;
  const size_t *begin; /* unpacking: of each block in `from`, and the end of the last */
  uint8_t *head;       /* packing: of the frame */
  size_t next;         /* atomic, from 0 */
  size_t failed;       /* atomic: a block that failed */
  ghz_status status;   /* atomic */
} job;

static void work(job *j) {
  block_coder c;
  ghz_status status = ghz_block_coder_open(&c, j->level) ? GHZ_OK : GHZ_ENOMEM;
  size_t block = 0;
  while (status == GHZ_OK && __atomic_load_n(&j->status, __ATOMIC_RELAXED) == GHZ_OK) {
    block = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED);
    if (block >= j->blocks)
      break;
    status = j->one(j, &c, block);
  }
  ghz_block_coder_close(&c);
  if (status != GHZ_OK) {
    __atomic_store_n(&j->failed, block, __ATOMIC_RELAXED);
    __atomic_store_n(&j->status, status, __ATOMIC_RELAXED);
  }
}

static ghz_status share(ghz_context *ctx, job *j) {
  const int threads = (size_t)ctx->threads < j->blocks ? ctx->threads : (int)j->blocks;
  if (threads <= 1) { /* without OpenMP, as everywhere */
    work(j);
  } else {
#pragma omp parallel num_threads(threads)
    work(j);
  }
  if (j->status == GHZ_ENOMEM)
    return ghz_fail(ctx, GHZ_ENOMEM, "no memory for zstd");
  if (j->status != GHZ_OK)
    return ghz_fail(ctx, j->status, "block %zu of %zu of a packed frame is damaged", j->first + j->failed,
                    pack_blocks(j->size));
  return GHZ_OK;
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* To the place that the block has if none before it becomes smaller. */
static ghz_status pack_one(const job *j, const block_coder *c, size_t block) {
  const size_t size = block_size(j->size, block);
  const uint8_t *from = j->from + block * PACK_BLOCK;
  uint8_t *to = j->to + block * PACK_BLOCK;
  const size_t packed = ghz_block_pack(c, from, size, to);
  if (packed == 0)
    return GHZ_ENOMEM;
  if (packed == size)
    memcpy(to, from, size);
  put_number(j->head + pack_head(0) + 4 * block, packed, 4);
  return GHZ_OK;
}

/* Moves the blocks together. Returns their bytes. */
static size_t close_gaps(const job *j) {
  size_t end = 0;
  for (size_t i = 0; i < j->blocks; i++) {
    const size_t packed = packed_in(j->head, i);
    memmove(j->to + end, j->to + i * PACK_BLOCK, packed);
    end += packed;
  }
  return end;
}

static ghz_status check_packing(ghz_context *ctx, size_t size, int level, size_t capacity) {
  const size_t bound = ghz_pack_bound(size);
  if (!ghz_pack_available())
    return unsupported(ctx, "pack");
  if (level < PACK_LEVEL_LEAST || level > PACK_LEVEL_MOST)
    return ghz_fail(ctx, GHZ_EINVAL, "level %d of packing: must be %d to %d", level, PACK_LEVEL_LEAST,
                    PACK_LEVEL_MOST);
  if (size == 0 || bound == 0)
    return ghz_fail(ctx, GHZ_EINVAL, "%zu bytes are no stream that can be packed", size);
  if (capacity < bound)
    return ghz_fail(ctx, GHZ_ECAPACITY, "capacity %zu: a stream of %zu bytes may need %zu", capacity, size,
                    bound);
  return GHZ_OK;
}

ghz_status ghz_pack(ghz_context *ctx, ghz_bytes stream, int level, void *dst, size_t capacity, size_t *size) {
  GHZ_CALL(ctx);
  ghz_status status = check_packing(ctx, stream.size, level, capacity);
  if (status != GHZ_OK)
    return status;
  job j = {.one = pack_one, .level = level, .size = stream.size, .blocks = pack_blocks(stream.size)};
  j.from = stream.data;
  j.head = dst;
  j.to = j.head + pack_head(stream.size);
  put_number(j.head, stream.size, 8);
  status = share(ctx, &j);
  if (status == GHZ_OK)
    *size = pack_head(stream.size) + close_gaps(&j);
  return status;
}

/* ---- Unpacking ------------------------------------------------------------------------------- */

static ghz_status unpack_one(const job *j, const block_coder *c, size_t block) {
  const size_t size = block_size(j->size, j->first + block), packed = j->begin[block + 1] - j->begin[block];
  const uint8_t *from = j->from + j->begin[block];
  uint8_t *to = j->to + block * PACK_BLOCK;
  if (packed < size)
    return ghz_block_unpack(c, from, packed, to, size) ? GHZ_OK : GHZ_ECORRUPT;
  memcpy(to, from, size);
  return GHZ_OK;
}

/* Blocks of a stream of `size` bytes, and where their packed bytes stand. */
typedef struct places {
  size_t size, first, blocks;
  const uint32_t *sizes; /* packed bytes of each, or else */
  const uint8_t *frame;  /* the frame whose head has them */
  ghz_bytes packed;      /* all of them */
} places;

/* Checks the packed sizes against each other, and writes where each block begins, and the end,
 * unless `begin` is NULL. */
static ghz_status locate(ghz_context *ctx, const places *p, size_t *begin) {
  size_t end = 0;
  for (size_t i = 0; i < p->blocks; i++) {
    const size_t packed = p->sizes ? p->sizes[i] : packed_in(p->frame, i), left = p->packed.size - end;
    if (packed == 0 || packed > block_size(p->size, p->first + i) || packed > left)
      return ghz_fail(ctx, GHZ_ECORRUPT, "block %zu of a packed frame says that it has %zu bytes", p->first + i,
                      packed);
    if (begin)
      begin[i] = end;
    end += packed;
  }
  if (begin)
    begin[p->blocks] = end;
  if (end != p->packed.size)
    return ghz_fail(ctx, GHZ_ECORRUPT, "the blocks of a packed frame have %zu bytes, their sizes say %zu",
                    p->packed.size, end);
  return GHZ_OK;
}

static ghz_status unpack(ghz_context *ctx, const places *p, void *dst) {
  size_t bytes;
  if (!ghz_pack_available())
    return unsupported(ctx, "unpack");
  if (__builtin_mul_overflow(p->blocks + 1, sizeof(size_t), &bytes))
    return ghz_fail(ctx, GHZ_EINVAL, "%zu blocks of a packed frame", p->blocks);
  size_t *begin = ghz_arena_reserve(&ctx->scratch, bytes);
  if (!begin)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes for the places of blocks", bytes);
  ghz_status status = locate(ctx, p, begin);
  if (status != GHZ_OK)
    return status;
  job j = {.one = unpack_one, .size = p->size, .first = p->first, .blocks = p->blocks, .begin = begin};
  j.from = p->packed.data;
  j.to = dst;
  return share(ctx, &j);
}

ghz_status ghz_unpack(ghz_context *ctx, size_t size, size_t first, size_t blocks, const uint32_t *sizes,
                      ghz_bytes packed, void *dst) {
  GHZ_CALL(ctx);
  if (first > pack_blocks(size) || blocks > pack_blocks(size) - first)
    return ghz_fail(ctx, GHZ_EINVAL, "%zu blocks from %zu on are not in a stream of %zu bytes", blocks, first,
                    size);
  return unpack(ctx, &(places){size, first, blocks, sizes, NULL, packed}, dst);
}

/* The parts of a frame whose stream has `size` bytes, which it has room to name. */
static places places_in(ghz_bytes frame, size_t size) {
  const size_t head = pack_head(size);
  const uint8_t *data = frame.data;
  return (places){size, 0, pack_blocks(size), NULL, data, {data + head, frame.size - head}};
}

ghz_status ghz_packed_size(ghz_context *ctx, ghz_bytes frame, size_t most, size_t *size) {
  GHZ_CALL(ctx);
  if (frame.size < pack_head(0))
    return ghz_fail(ctx, GHZ_ECORRUPT, "a packed frame has %zu bytes only", frame.size);
  const uint64_t says = get_number(frame.data, 8);
  if (says == 0 || says > most)
    return ghz_fail(ctx, GHZ_ECORRUPT, "a packed frame says that its stream has %llu bytes: it may have %zu",
                    (unsigned long long)says, most);
  if (pack_blocks((size_t)says) > (frame.size - pack_head(0)) / 5) /* an entry and a byte each, at least */
    return ghz_fail(ctx, GHZ_ECORRUPT, "a packed frame of %zu bytes cannot have %zu blocks", frame.size,
                    pack_blocks((size_t)says));
  const places p = places_in(frame, (size_t)says);
  *size = p.size;
  return locate(ctx, &p, NULL);
}

ghz_status ghz_unpack_frame(ghz_context *ctx, ghz_bytes frame, size_t size, void *dst) {
  GHZ_CALL(ctx);
  const places p = places_in(frame, size);
  return unpack(ctx, &p, dst);
}
