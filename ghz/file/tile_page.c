/* tile_page.c: owns the bytes of a page of tiles: its kinds, their parts, and which kind is taken.
 * What the symbols are is the business of coder/. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/tile_page.h"

#include <stdlib.h>
#include <string.h>

#include "coder/side.h"
#include "stream/stream.h"

/* The first byte of a page. */
enum kind { STORED = 0, ZSTD = 1, WIDTHS = 2, VALUES = 3, KINDS };

/* Behind the head of a page of symbols: u32 bytes of side information; u32 words; u32 bytes; u32
 * bytes that these take, fewer if they are packed by zstd; the states. Then side information,
 * words, bytes. */
enum { PARTS_HEAD = 16 + 4 * STATES };

enum {
  STEPS_MAX = 2 * (BLOCKS / LANES + BLOCKS + TURNS), /* of a tile */
  WORDS_BEHIND = STEPS_MAX * LANES + LANES,          /* that decoding a tile may read in vain */
  SAMPLE_TILES = 128,                                /* that the kind is chosen by */
  SMALL = 1 << 14,                                   /* bytes of a page that are tried as zstd in any case, */
  SMALL_LAST = 1 << 16,                              /* of one with fewer tiles, as a small array is */
  SHRINK_TILES = 64,                                 /* whose planes say whether zstd shrinks planes */
  SAMPLE_BYTES = 1 << 13                             /* of them, for zstd */
};

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

/* Memory of symbols, which pages that are stored or by zstd do without; in it no tile that
 * contexts would see of the page before. */
static int open_symbols(tile_page_coder *c, const tile_page *t, int pack) {
  page_model *p = &c->page;
  begin_page(p, t);
  if (!p->tile) {
    p->tile = malloc(PAGE_TILES * sizeof *p->tile);
    p->width = malloc(PAGE_TILES * sizeof *p->width);
    p->sizes = calloc(PAGE_TILES + 1, sizeof *p->sizes); /* zeros before the magnitudes */
    p->count = pack ? malloc(4 * sizeof *p->count) : NULL;
    p->table = malloc((pack ? (size_t)TOKENS : (size_t)CONTEXTS * SLOTS) * sizeof *p->table);
  }
  if (!p->tile || !p->width || !p->sizes || !p->table || (pack && !p->count))
    return 0;
  memset(p->tile, 0, PAGE_TILES * sizeof *p->tile);
  return 1;
}

void ghz_tile_page_close(tile_page_coder *c) {
  page_model *p = &c->page;
  free(p->tile);
  free(p->width);
  free(p->sizes);
  free(p->count);
  free(p->table);
  free(p->token);
  free(p->byte);
  free(c->words);
  free(c->side);
  free(c->whole);
  free(c->copy);
  ghz_page_coder_close(&c->zstd);
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
  p->tokens = p->bytes = p->planes = 0;
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

/* Packs bytes by zstd; the size is theirs if that does not make them fewer. */
static size_t by_zstd(tile_page_coder *c, const uint8_t *from, size_t size, uint8_t *to) {
  return size > 16 ? ghz_page_pack(&c->zstd, from, size, to) : size;
}

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

/* The symbols and bytes of the page to dst, if they are fewer than `less`. Returns 0 if not. */
static size_t put_symbols_page(tile_page_coder *c, uint8_t *dst, size_t less) {
  page_model *p = &c->page;
  uint32_t state[STATES];
  const uint8_t *side_end = put_side(c);
  if (!side_end)
    return 0;
  p->word = c->words + c->words_room;
  c->tiles->encode_words(p, state);
  const size_t side = (size_t)(side_end - c->side), before = TILE_PAGE_HEAD + PARTS_HEAD + side + 2 * p->words;
  if (!c->shrinking && before + p->bytes >= less)
    return 0;
  const size_t bytes = c->shrinking ? by_zstd(c, p->byte, p->bytes, c->whole) : p->bytes;
  if (before + bytes >= less || (!p->values && p->by_blocks != (bytes < p->bytes)))
    return 0;
  dst[0] = p->values ? VALUES : WIDTHS;
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

/* Sizes and tiles as they are, packed by zstd if that makes them fewer than `less`. Returns 0 if
 * not. */
static size_t put_zstd_page(tile_page_coder *c, const tile_page *t, uint8_t *dst, size_t less) {
  const size_t sizes = 2 * (size_t)t->tiles, all = sizes + t->size;
  memcpy(c->page.byte, t->sizes, sizes);
  memcpy(c->page.byte + sizes, t->payload, t->size);
  const size_t packed = by_zstd(c, c->page.byte, all, c->whole);
  if (packed == all || TILE_PAGE_HEAD + packed >= less)
    return 0;
  dst[0] = ZSTD;
  memcpy(dst + TILE_PAGE_HEAD, c->whole, packed);
  return TILE_PAGE_HEAD + packed;
}

static size_t put_stored_page(const tile_page *t, uint8_t *dst) {
  const size_t sizes = 2 * (size_t)t->tiles;
  dst[0] = STORED;
  memcpy(dst + TILE_PAGE_HEAD, t->sizes, sizes);
  memcpy(dst + TILE_PAGE_HEAD + sizes, t->payload, t->size);
  return TILE_PAGE_HEAD + sizes + t->size;
}

/* ---- Packing: the kind ----------------------------------------------------------------------- */

/* What is known of a page by some of its tiles: what they would take, about. */
typedef struct page_sample {
  size_t packed;                 /* as they are, by zstd */
  size_t widths, values, planes; /* widths and values as symbols, with the bytes below; all planes */
  size_t shrunk;                 /* these by zstd */
} page_sample;

/* Planes of tiles in the middle of the page, block after block, for zstd: what `planes` of the
 * first ones would become. */
static size_t shrunk_planes(tile_page_coder *c, const tile_page *t, const uint8_t *payload, size_t planes) {
  page_model *p = &c->page;
  const unsigned some = p->tiles < SHRINK_TILES ? p->tiles : SHRINK_TILES, from = (p->tiles - some) / 2;
  begin_symbols(p, 0, 1);
  for (unsigned i = 0; i < from; i++)
    payload += load_u16(t->sizes + 2 * (size_t)i);
  c->tiles->parse_tiles(p, from, from + some, t->sizes, payload);
  return p->bytes ? (size_t)((uint64_t)planes * sample(c, p->byte, p->bytes) / p->bytes) : 0;
}

/* The first tiles stay in the page as symbols with values; returns their end. */
static const uint8_t *take_sample(tile_page_coder *c, const tile_page *t, const uint8_t *payload,
                                  page_sample *s) {
  page_model *p = &c->page;
  const unsigned some = p->tiles < SAMPLE_TILES ? p->tiles : SAMPLE_TILES;
  begin_symbols(p, 1, 1);
  const uint8_t *end = c->tiles->parse_tiles(p, 0, some, t->sizes, payload);
  const size_t low = sample(c, p->byte, p->bytes);
  s->packed = sample(c, payload, (size_t)(end - payload));
  s->widths = (size_t)(ghz_tables_bits(p, 0, WIDTH_CONTEXTS) / 8);
  s->values = (size_t)(ghz_tables_bits(p, WIDTH_CONTEXTS, CONTEXTS) / 8) + low;
  s->planes = p->planes;
  c->shrinking = low < p->bytes - p->bytes / 16;
  return end;
}

/* Tiles from `from` on, and so all, as symbols, if that is fewer bytes than `less`. */
static size_t symbols_page(tile_page_coder *c, const tile_page *t, unsigned from, const uint8_t *at,
                           uint8_t *dst, size_t less) {
  c->tiles->parse_tiles(&c->page, from, c->page.tiles, t->sizes, at);
  return put_symbols_page(c, dst, less);
}

/* Widths alone as symbols. Planes that zstd shrinks are block after block, others as in the tiles,
 * which takes no time. */
static size_t widths_page(tile_page_coder *c, const tile_page *t, const uint8_t *payload, int shrinks,
                          uint8_t *dst, size_t less) {
  begin_symbols(&c->page, 0, shrinks);
  c->shrinking = shrinks;
  return symbols_page(c, t, 0, payload, dst, less);
}

/* The page as the kinds that come into question, of which the smallest is taken; 0 if none is
 * smaller than `less`. Values must save a 14th of what widths alone leave, as they take time. */
static size_t put_smallest(tile_page_coder *c, const tile_page *t, const uint8_t *payload, uint8_t *dst,
                           size_t less) {
  page_sample s;
  const uint8_t *at = take_sample(c, t, payload, &s);
  const unsigned some = c->page.tiles < SAMPLE_TILES ? c->page.tiles : SAMPLE_TILES;
  const size_t with = s.widths + s.values, without = s.widths + s.planes;
  const int pay = with < without - without / 14;
  size_t best = pay ? symbols_page(c, t, some, at, dst, less) : 0, size = 0;
  s.shrunk = ghz_page_coded() ? shrunk_planes(c, t, payload, s.planes) : s.planes;
  const int shrinks = s.shrunk < s.planes - s.planes / 16;
  if (!pay || (shrinks && s.widths + s.shrunk < with + with / 8)) {
    size = widths_page(c, t, payload, shrinks, dst, best ? best : less);
    if (!size && !best && shrinks) /* they did not, after all */
      size = widths_page(c, t, payload, 0, dst, less);
    best = size ? size : best;
  }
  if (!best || (s.packed < with && s.packed < without) ||
      t->size < (c->page.tiles < PAGE_TILES ? SMALL_LAST : SMALL)) {
    size = put_zstd_page(c, t, dst, best ? best : less);
    best = size ? size : best;
  }
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
  *size = 0;
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
  if (*size == 0)
    *size = put_stored_page(from, dst);
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
    const ghz_status status =
        c->whole ? ghz_page_unpack(&c->zstd, (ghz_bytes){whole, have}, c->whole, all) : GHZ_ENOMEM;
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
    return ghz_page_unpack(&c->zstd, (ghz_bytes){bytes, parts->packed}, p->byte, parts->bytes);
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
