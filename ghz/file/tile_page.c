/* tile_page.c: owns the bytes of a page of tiles: its kinds, their parts, which kind is taken, and
 * zstd. What the symbols are is the business of coder/. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/tile_page.h"

#include <stdlib.h>
#include <string.h>

#include "coder/side.h"
#include "stream/stream.h"
#if GHZ_HAVE_ZSTD
#include <zstd.h>
#endif

/* The first byte of a page. */
enum kind { STORED = 0, ZSTD = 1, WIDTHS = 2, VALUES = 3, KINDS };

/* Behind the head of a page of symbols: u32 bytes of side information; u32 words; u32 bytes; u32
 * bytes that these take, fewer if they are packed by zstd; the states. Then side information,
 * words, bytes. */
enum { PARTS_HEAD = 16 + 4 * STATES };

enum {
  STEPS_MAX = 2 * (BLOCKS / LANES + BLOCKS + TURNS), /* of a tile */
  WORDS_BEHIND = STEPS_MAX * LANES + LANES,          /* that decoding a tile may read in vain */
  SAMPLE_TILES = 64,                                 /* that the kind is chosen by, */
  SAMPLE_RUN = 4,                                    /* so many in a row */
  SAMPLE_BYTES = 1 << 13,                            /* of them, for zstd */
  SMALL = 1 << 16                                    /* bytes of a page that are tried as zstd in any case */
};

/* ---- Through zstd: one frame (RFC 8878) that says its size ----------------------------------- */

#if GHZ_HAVE_ZSTD
static void close_zstd(tile_page_coder *c) {
  ZSTD_freeCCtx(c->packer);
  ZSTD_freeDCtx(c->unpacker);
}

/* Packs bytes; the size is theirs if that does not make them fewer, or without memory. */
static size_t by_zstd(tile_page_coder *c, const uint8_t *from, size_t size, uint8_t *to) {
  if (size <= 16 || (!c->packer && !(c->packer = ZSTD_createCCtx())))
    return size;
  const size_t packed = ZSTD_compressCCtx(c->packer, to, size - 1, from, size, 1);
  return ZSTD_isError(packed) ? size : packed;
}

/* zstd also reads the formats of its versions before 1.0, several frames in a row, and frames that
 * are skipped. None of these is a page. */
static int one_frame(const uint8_t *from, size_t packed, size_t size) {
  static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
  return packed >= sizeof magic && !memcmp(from, magic, sizeof magic) &&
         ZSTD_getFrameContentSize(from, packed) == size && ZSTD_findFrameCompressedSize(from, packed) == packed;
}

/* Unpacks to exactly `size` bytes. Errors: ECORRUPT, ENOMEM, EUNSUPPORTED. */
static ghz_status from_zstd(tile_page_coder *c, ghz_bytes packed, void *to, size_t size) {
  if (!one_frame(packed.data, packed.size, size))
    return GHZ_ECORRUPT;
  if (!c->unpacker && !(c->unpacker = ZSTD_createDCtx()))
    return GHZ_ENOMEM;
  return ZSTD_decompressDCtx(c->unpacker, to, size, packed.data, packed.size) == size ? GHZ_OK : GHZ_ECORRUPT;
}
#else
static void close_zstd(tile_page_coder *c) {
  (void)c;
}

static size_t by_zstd(tile_page_coder *c, const uint8_t *from, size_t size, uint8_t *to) {
  (void)c, (void)from, (void)to;
  return size;
}

static ghz_status from_zstd(tile_page_coder *c, ghz_bytes packed, void *to, size_t size) {
  (void)c, (void)packed, (void)to, (void)size;
  return GHZ_EUNSUPPORTED;
}
#endif

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Memory for n elements, which is `old` if that has room for them. What it holds is lost. Returns
 * NULL without memory, and has freed `old` then. */
static void *reserve(void *old, size_t *room, size_t n, size_t each) {
  size_t bytes;
  if (n <= *room)
    return old;
  free(old);
  void *data = __builtin_mul_overflow(n, each, &bytes) ? NULL : malloc(bytes);
  *room = data ? n : 0;
  return data;
}

static void begin_page(page_model *p, const tile_page *t) {
  p->lattice = storage_lattice(&t->stream->lattice);
  p->shape = t->stream->shape;
  p->first = t->first;
  p->terms = t->stream->terms;
  p->transform = t->stream->transform;
  p->tiles = t->tiles;
}

/* Memory of symbols. */
typedef struct symbols {
  page_tile tile[PAGE_TILES];
  uint8_t width[PAGE_TILES][2][BLOCKS];
  uint8_t sizes[PAGE_TILES + 1][SIZES_BYTES];
  uint32_t table[]; /* packing: and counts behind it */
} symbols;

/* Takes that memory, which pages that are stored or by zstd do without; in it zeros before the
 * magnitudes, and no tile that contexts would see of the page before. */
static int open_symbols(tile_page_coder *c, const tile_page *t, int pack) {
  page_model *p = &c->page;
  begin_page(p, t);
  if (!p->tile) {
    symbols *s =
        calloc(1, sizeof *s + (pack ? (size_t)5 * TOKENS : (size_t)CONTEXTS * SLOTS) * sizeof *s->table);
    if (!s)
      return 0;
    p->tile = s->tile;
    p->width = s->width;
    p->sizes = s->sizes;
    p->table = s->table;
    p->count = (uint32_t(*)[TOKENS])(s->table + TOKENS);
  }
  memset(p->tile, 0, PAGE_TILES * sizeof *p->tile);
  return 1;
}

void ghz_tile_page_close(tile_page_coder *c) {
  page_model *p = &c->page;
  free(p->tile); /* the first of the symbols' memory */
  free(p->token);
  free(p->byte);
  free(c->words);
  free(c->side);
  free(c->whole);
  free(c->copy);
  close_zstd(c);
  *c = (tile_page_coder){0};
}

/* ---- Packing: symbols ------------------------------------------------------------------------ */

/* Blocks with values have a byte at least. */
static size_t tokens_most(unsigned tiles, size_t size) {
  const size_t blocks = (size_t)tiles * 2 * BLOCKS, live = size < blocks ? size : blocks;
  return LANES * (tiles * (size_t)(2 * (BLOCKS / LANES + TURNS)) + live);
}

static void begin_symbols(page_model *p, int values, int by_blocks) {
  p->values = values;
  p->by_blocks = by_blocks;
  p->tokens = p->bytes = 0;
  memset(p->count, 0, 4 * sizeof *p->count);
}

/* Behind the payload there are SLACK readable bytes, or a copy is taken that has them. */
static const uint8_t *padded(tile_page_coder *c, const tile_page *t, size_t readable) {
  if (readable >= SLACK)
    return t->payload;
  c->copy = reserve(c->copy, &c->copy_room, t->size + SLACK, 1);
  if (!c->copy)
    return NULL;
  memset(c->copy + t->size, 0, SLACK);
  return memcpy(c->copy, t->payload, t->size);
}

/* ---- Packing: bytes -------------------------------------------------------------------------- */

/* What puts a page of a kind does so if it has fewer bytes than `less`, and returns how many they
 * are then; if not, `less`. */

/* About how many bytes they would be, by those in their middle. */
static size_t sample(tile_page_coder *c, const uint8_t *from, size_t size) {
  uint8_t to[SAMPLE_BYTES];
  const size_t some = size < SAMPLE_BYTES ? size : SAMPLE_BYTES,
               packed = by_zstd(c, from + (size - some) / 2, some, to);
  return some ? (size_t)((uint64_t)size * packed / some) : 0;
}

static uint8_t *put_side(tile_page_coder *c) {
  side_writer w = side_write_to(c->side, c->side + c->side_room);
  ghz_heads_write(&c->page, &w);
  ghz_tables_write(&c->page, &w);
  side_finish(&w);
  return w.full ? NULL : w.to;
}

/* Widths, or values too, as symbols, and the other bytes: block after block if zstd shrinks them,
 * else widths alone leave them as in the tiles, which takes no time. */
static size_t put_symbols_page(tile_page_coder *c, const tile_page *t, const uint8_t *payload, int values,
                               int shrinks, uint8_t *dst, size_t less) {
  page_model *p = &c->page;
  uint32_t state[STATES];
  begin_symbols(p, values, shrinks);
  c->tiles->parse_tiles(p, 0, p->tiles, t->sizes, payload);
  const uint8_t *side_end = put_side(c);
  if (!side_end)
    return less;
  p->word = c->words + c->words_room;
  c->tiles->encode_words(p, state);
  const size_t side = (size_t)(side_end - c->side), before = TILE_PAGE_HEAD + PARTS_HEAD + side + 2 * p->words,
               bytes = shrinks ? by_zstd(c, p->byte, p->bytes, c->whole) : p->bytes;
  if (before + bytes >= less || (!values && shrinks != (bytes < p->bytes)))
    return less;
  dst[0] = values ? VALUES : WIDTHS;
  dst += TILE_PAGE_HEAD;
  store_u32(dst, (uint32_t)side);
  store_u32(dst + 4, (uint32_t)p->words);
  store_u32(dst + 8, (uint32_t)p->bytes);
  store_u32(dst + 12, (uint32_t)bytes);
  memcpy(dst + 16, state, sizeof state);
  dst += PARTS_HEAD;
  memcpy(dst, c->side, side);
  memcpy(dst + side, p->word, 2 * p->words);
  memcpy(dst + side + 2 * p->words, bytes < p->bytes ? c->whole : p->byte, bytes);
  return before + bytes;
}

/* Sizes and tiles as they are, packed by zstd. */
static size_t put_zstd_page(tile_page_coder *c, const tile_page *t, uint8_t *dst, size_t less) {
  const size_t sizes = 2 * (size_t)t->tiles, all = sizes + t->size;
  memcpy(c->page.byte, t->sizes, sizes);
  memcpy(c->page.byte + sizes, t->payload, t->size);
  const size_t packed = by_zstd(c, c->page.byte, all, c->whole);
  if (packed == all || TILE_PAGE_HEAD + packed >= less)
    return less;
  dst[0] = ZSTD;
  memcpy(dst + TILE_PAGE_HEAD, c->whole, packed);
  return TILE_PAGE_HEAD + packed;
}

static void put_stored_page(const tile_page *t, uint8_t *dst) {
  const size_t sizes = 2 * (size_t)t->tiles;
  dst[0] = STORED;
  memcpy(dst + TILE_PAGE_HEAD, t->sizes, sizes);
  memcpy(dst + TILE_PAGE_HEAD + sizes, t->payload, t->size);
}

/* ---- Packing: the kind ----------------------------------------------------------------------- */

/* What some tiles of a page take as a kind: symbols, other bytes, and these by zstd, about. */
typedef struct page_sample {
  size_t symbols, bytes, packed;
} page_sample;

/* Of runs of tiles all over the page. */
static page_sample take_sample(tile_page_coder *c, const tile_page *t, const uint8_t *payload, enum kind kind) {
  page_model *p = &c->page;
  const unsigned step = SAMPLE_RUN * (t->tiles < SAMPLE_TILES ? 1 : t->tiles / SAMPLE_TILES);
  size_t bytes = 0;
  begin_symbols(p, kind == VALUES, 1);
  for (unsigned i = 0, n, largest; i < t->tiles; i += n) {
    n = t->tiles - i < SAMPLE_RUN ? t->tiles - i : SAMPLE_RUN;
    const size_t size = sum_sizes(t->sizes + 2 * (size_t)i, n, &largest);
    if (i % step == 0 && kind != ZSTD)
      c->tiles->parse_tiles(p, i, i + n, t->sizes, payload);
    if (i % step == 0 && kind == ZSTD) {
      memcpy(c->whole + bytes, payload, size);
      bytes += size;
    }
    payload += size;
  }
  if (kind == ZSTD)
    return (page_sample){0, bytes, sample(c, c->whole, bytes)};
  return (page_sample){(size_t)(ghz_tables_bits(p, 0, CONTEXTS) / 8), p->bytes, sample(c, p->byte, p->bytes)};
}

static int shrinks(const page_sample *s) {
  return s->packed < s->bytes - s->bytes / 16;
}

/* The page as the kinds that come into question by a sample of each, of which the smallest is
 * taken. Values must save a 16th of what widths alone leave, as they take time. */
static size_t put_smallest(tile_page_coder *c, const tile_page *t, const uint8_t *payload, uint8_t *dst,
                           size_t less) {
  const page_sample z = take_sample(c, t, payload, ZSTD), v = take_sample(c, t, payload, VALUES),
                    w = take_sample(c, t, payload, WIDTHS);
  const size_t with = v.symbols + v.packed, without = w.symbols + w.bytes, shrunk = w.symbols + w.packed;
  size_t best = less;
  if (with < without - without / 16)
    best = put_symbols_page(c, t, payload, 1, shrinks(&v), dst, best);
  if (best == less || (shrinks(&w) && shrunk < with + with / 8))
    best = put_symbols_page(c, t, payload, 0, shrinks(&w), dst, best);
  if (best == less || (z.packed < with && z.packed < without) || t->size < SMALL)
    best = put_zstd_page(c, t, dst, best);
  return best;
}

/* Room for sizes and tiles, and for what zstd makes of them. */
static int reserve_bytes(tile_page_coder *c, const tile_page *t) {
  const size_t whole = t->size + 2 * (size_t)t->tiles + SLACK;
  c->page.byte = reserve(c->page.byte, &c->bytes_room, whole, 1);
  c->whole = reserve(c->whole, &c->whole_room, whole, 1);
  return c->page.byte && c->whole;
}

static int reserve_symbols(tile_page_coder *c, const tile_page *t) {
  page_model *p = &c->page;
  const size_t tokens = tokens_most(t->tiles, t->size);
  p->token = reserve(p->token, &c->tokens_room, tokens, sizeof *p->token);
  c->words = reserve(c->words, &c->words_room, tokens + LANES, sizeof *c->words);
  c->side = reserve(c->side, &c->side_room, 64 * (size_t)t->tiles + 4 * TOKENS, 1);
  return p->token && c->words && c->side && open_symbols(c, t, 1);
}

ghz_status ghz_tile_page_pack(tile_page_coder *c, const tile_page *from, int level, size_t readable,
                              uint8_t *dst, size_t *size) {
  const size_t stored = tile_page_bound(from->tiles, from->size);
  *size = stored;
  if (level > 0 && !reserve_bytes(c, from))
    return GHZ_ENOMEM;
  if (level == PACK_FAST)
    *size = put_zstd_page(c, from, dst, stored);
  if (level > PACK_FAST) {
    const uint8_t *payload = reserve_symbols(c, from) ? padded(c, from, readable) : NULL;
    if (!payload)
      return GHZ_ENOMEM;
    *size = put_smallest(c, from, payload, dst, stored);
  }
  if (*size == stored)
    put_stored_page(from, dst);
  store_u32(dst + 1, (uint32_t)from->size);
  return GHZ_OK;
}

/* ---- Unpacking ------------------------------------------------------------------------------- */

/* Sizes and tiles as they are, or by zstd. */
static ghz_status unpack_plain(tile_page_coder *c, ghz_bytes packed, const tile_page *to) {
  const uint8_t *whole = (const uint8_t *)packed.data + TILE_PAGE_HEAD;
  const size_t sizes = 2 * (size_t)to->tiles, all = sizes + to->size, have = packed.size - TILE_PAGE_HEAD;
  const int stored = *(const uint8_t *)packed.data == STORED;
  unsigned largest;
  if (stored ? have != all : have >= all)
    return GHZ_ECORRUPT;
  if (!stored) {
    c->whole = reserve(c->whole, &c->whole_room, all, 1);
    const ghz_status status = c->whole ? from_zstd(c, (ghz_bytes){whole, have}, c->whole, all) : GHZ_ENOMEM;
    if (status != GHZ_OK)
      return status;
    whole = c->whole;
  }
  if (sum_sizes(whole, to->tiles, &largest) != to->size)
    return GHZ_ECORRUPT;
  memcpy(to->sizes, whole, sizes);
  memcpy(to->payload, whole + sizes, to->size);
  return GHZ_OK;
}

/* The parts of a page of symbols. */
typedef struct page_parts {
  size_t side, words, bytes, packed;
  const uint8_t *at;
} page_parts;

static int find_parts(ghz_bytes packed, size_t most, page_parts *parts) {
  const uint8_t *b = (const uint8_t *)packed.data + TILE_PAGE_HEAD;
  if (packed.size < TILE_PAGE_HEAD + PARTS_HEAD)
    return 0;
  *parts = (page_parts){load_u32(b), load_u32(b + 4), load_u32(b + 8), load_u32(b + 12), b + PARTS_HEAD};
  const uint64_t all = (uint64_t)parts->side + 2 * (uint64_t)parts->words + parts->packed;
  return parts->packed <= parts->bytes && parts->bytes <= most &&
         all == packed.size - TILE_PAGE_HEAD - PARTS_HEAD;
}

/* Words and bytes, with what decoding may read behind them. */
static ghz_status load_parts(tile_page_coder *c, const page_parts *parts) {
  page_model *p = &c->page;
  const uint8_t *words = parts->at + parts->side;
  c->words = reserve(c->words, &c->words_room, parts->words + WORDS_BEHIND, sizeof *c->words);
  p->byte = reserve(p->byte, &c->bytes_room, parts->bytes + SLACK, 1);
  if (!c->words || !p->byte)
    return GHZ_ENOMEM;
  memcpy(c->words, words, 2 * parts->words);
  memset(c->words + parts->words, 0, WORDS_BEHIND * sizeof *c->words);
  memset(p->byte + parts->bytes, 0, SLACK);
  p->word = c->words;
  p->words = parts->words;
  p->bytes = parts->bytes;
  const uint8_t *bytes = words + 2 * parts->words;
  if (parts->packed < parts->bytes)
    return from_zstd(c, (ghz_bytes){bytes, parts->packed}, p->byte, parts->bytes);
  memcpy(p->byte, bytes, parts->bytes);
  return GHZ_OK;
}

static int read_side(page_model *p, const page_parts *parts) {
  side_reader r = side_read_from(parts->at, parts->at + parts->side);
  return ghz_heads_read(p, &r) && ghz_tables_read(p, &r) && side_ended(&r);
}

static ghz_status unpack_symbols(tile_page_coder *c, ghz_bytes packed, const tile_page *to) {
  page_model *p = &c->page;
  page_parts parts;
  uint32_t state[STATES];
  p->values = *(const uint8_t *)packed.data == VALUES;
  if (!find_parts(packed, to->size, &parts))
    return GHZ_ECORRUPT;
  p->by_blocks = parts.packed < parts.bytes;
  ghz_status status = open_symbols(c, to, 0) ? load_parts(c, &parts) : GHZ_ENOMEM;
  if (status != GHZ_OK)
    return status;
  memcpy(state, parts.at - sizeof state, sizeof state);
  for (int i = 0; i < STATES; i++)
    if (state[i] < STATE_LEAST || state[i] > INT32_MAX)
      return GHZ_ECORRUPT;
  return read_side(p, &parts) && c->tiles->make_tiles(p, state, to->sizes, to->payload, to->size)
             ? GHZ_OK
             : GHZ_ECORRUPT;
}

ghz_status ghz_tile_page_unpack(tile_page_coder *c, ghz_bytes packed, const tile_page *to) {
  if (packed.size < TILE_PAGE_HEAD || ghz_tile_page_says(packed.data) != to->size)
    return GHZ_ECORRUPT;
  const uint8_t kind = *(const uint8_t *)packed.data;
  return kind >= KINDS  ? GHZ_ECORRUPT
         : kind <= ZSTD ? unpack_plain(c, packed, to)
                        : unpack_symbols(c, packed, to);
}
