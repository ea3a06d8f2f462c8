/* test_pack_tiles_hostile.c: pages of tiles that no encoder writes: each rule of FILE_FORMAT.md,
 * "What a reader checks", broken by itself. They are refused, and no byte is written beyond what
 * was announced. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator.h"
#include "coder/side.h"
#include "fields.h"
#include "file/pack.h"
#include "support.h"
#include <math.h>

TestSuite(pack_tiles_hostile, .timeout = 120);

enum { HEAD = 72, KIND_AND_SIZE = 5, PARTS = 144 };
enum { STORED, ZSTD, WIDTHS, VALUES };

/* ---- Frames of one page ---- */

/* A flat stream of so many tiles, which have so many bytes; the page is `page`. */
static ref_bytes frame_with(size_t count, size_t tiles, ref_bytes page) {
  CONTEXT(ctx, NULL, 1);
  const ref_bytes stream = stream_by(ctx, "zeros", GHZ_F32, 1024 * count, 1);
  ref_bytes frame = bytes_new(HEAD + 4 + page.size);
  memcpy(frame.data, stream.data, HEAD);
  put_little(frame.data + 56, tiles, 8);
  put_little(frame.data + HEAD, page.size, 4);
  memcpy(frame.data + HEAD + 4, page.data, page.size);
  return frame;
}

/* Of one tile. */
static ref_bytes frame_of(size_t tiles, ref_bytes page) { return frame_with(1, tiles, page); }

static ghz_status unpack_guarded(ghz_context *ctx, ref_bytes frame, size_t most, ref_bytes *stream) {
  enum { GUARD = 256, MOST = 1 << 20 };
  static uint8_t room[MOST + GUARD]; /* of one byte, but while it is looked at */
  memory to = {room, MOST};
  size_t size = room[MOST] ? 0 : sizeof room;
  memset(room, 0xa5, size);
  const ghz_status status = ghz_unpack_frame(ctx, 1, view(frame), most, &to, &size);
  cr_assert(most <= MOST && (status != GHZ_OK || (size > 0 && size <= most)));
  size = size <= most ? size : 0;
  for (size_t i = 0; i < GUARD; i++)
    cr_assert_eq(room[size + i], 0xa5, "behind the stream");
  if (stream)
    *stream = bytes_copy(to.data, size);
  memset(room, 0xa5, size);
  return status;
}

/* Without zstd a page that says to need it is not looked at. */
static int turned_down(ghz_status status) {
  return status == GHZ_ECORRUPT || (status == GHZ_EUNSUPPORTED && !ghz_pack_available(PACK_FAST));
}

/* By every instruction set. */
static void refused(ref_bytes frame, const char *what) {
  SINGLE_POOL(pool);
  for (size_t k = 0; k < pool.count; k++) {
    SCOPE;
    const ghz_status status = unpack_guarded(pool.ctx[k], frame, 1 << 20, NULL);
    cr_expect(turned_down(status), "%s: %s", what, ghz_status_text(status));
    cr_expect(strstr(ghz_context_message(pool.ctx[k]), "frame"), "%s: '%s'", what,
              ghz_context_message(pool.ctx[k]));
  }
}

static void taken(ref_bytes frame, const char *what) {
  SINGLE_POOL(pool);
  for (size_t k = 0; k < pool.count; k++) {
    SCOPE;
    succeeded(unpack_guarded(pool.ctx[k], frame, 1 << 20, NULL), pool.ctx[k], what);
  }
}

/* ---- Pages of symbols ---- */

/* The parts of a page. */
typedef struct parts {
  unsigned kind;
  size_t tiles; /* bytes of them, as the page says */
  ref_bytes side, words, bytes;
  size_t unpacked; /* bytes */
  uint32_t state[32];
} parts;

static ref_bytes page_of(const parts *p) {
  ref_bytes page = bytes_new(KIND_AND_SIZE + PARTS + p->side.size + p->words.size + p->bytes.size);
  uint8_t *at = page.data + KIND_AND_SIZE;
  page.data[0] = (uint8_t)p->kind;
  put_little(page.data + 1, p->tiles, 4);
  put_little(at, p->side.size, 4);
  put_little(at + 4, p->words.size / 2, 4);
  put_little(at + 8, p->unpacked, 4);
  put_little(at + 12, p->bytes.size, 4);
  for (int i = 0; i < 32; i++)
    put_little(at + 16 + 4 * i, p->state[i], 4);
  at += PARTS;
  const ref_bytes piece[] = {p->side, p->words, p->bytes};
  for (int i = 0; i < 3; at += piece[i++].size)
    if (piece[i].size)
      memcpy(at, piece[i].data, piece[i].size);
  return page;
}

static parts parts_of(ref_bytes page) {
  const uint8_t *at = page.data + KIND_AND_SIZE;
  const size_t side = get_little(at, 4), words = 2 * get_little(at + 4, 4);
  parts p = {.kind = page.data[0], .tiles = get_little(page.data + 1, 4), .unpacked = get_little(at + 8, 4)};
  p.side = bytes_copy(at + PARTS, side);
  p.words = bytes_copy(at + PARTS + side, words);
  p.bytes = bytes_copy(at + PARTS + side + words, get_little(at + 12, 4));
  for (int i = 0; i < 32; i++)
    p.state[i] = (uint32_t)get_little(at + 16 + 4 * i, 4);
  return p;
}

/* ---- Side information, field by field ---- */

/* A page of one tile whose blocks all have the same width, of values that are all the same, by
 * frequencies that make these symbols cost nothing; or what is wrong with it. */
typedef struct recipe {
  unsigned tile_kind, size; /* size: of one that stays as it is */
  unsigned lead, widths, coefficients;
  unsigned anchor_bits; /* of its number, all of them set */
  int odd_context;      /* that has not the usual frequencies; -1: none */
  unsigned mark, frequencies, frequency[32];
  unsigned
      before; /* bytes of a tile that stays as it is, before this one, which an empty one follows; 0: none */
} recipe;

enum { TILE_SIZE = 1 + 1 + 1 + 48 + 640 }; /* its bytes: first, extra, anchor, width planes, planes */
static const recipe usual = {.tile_kind = 2, .lead = 1, .widths = 1, .anchor_bits = 3, .odd_context = -1};

/* A reader that takes longer ones takes 64. */
static void put_length(side_writer *w, side_bit *tree, unsigned tree_bits, unsigned bits) {
  side_put_tree(w, tree, tree_bits, bits);
  for (bits = bits < 64 ? bits : 64; bits > 1; bits--)
    side_put_part(w, 1 << 15, 1);
}

static void put_heads(side_writer *w, const recipe *r) {
  side_bit kind[3][4], lead[64], widths[4], coefficients[4], size[32], anchor[128];
  side_begin(kind[0], 12);
  side_begin(lead, 64);
  side_begin(widths, 4);
  side_begin(coefficients, 4);
  side_begin(size, 32);
  side_begin(anchor, 128);
  if (r->before) {
    side_put_tree(w, kind[2], 2, 1);
    side_put_number(w, size, 5, r->before);
  }
  side_put_tree(w, kind[r->before ? 1 : 2], 2, r->tile_kind);
  if (r->tile_kind == 1)
    side_put_number(w, size, 5, r->size);
  if (r->tile_kind != 2)
    return;
  side_put_tree(w, lead, 6, r->lead);
  side_put_tree(w, widths, 2, r->widths);
  side_put_tree(w, coefficients, 2, r->coefficients);
  if (r->lead & 3)
    put_length(w, anchor, 7, r->anchor_bits);
  if (r->before)
    side_put_tree(w, kind[2], 2, 0);
}

static void put_table(side_writer *w, side_bit mark[64], side_bit length[16][16], unsigned m, unsigned n,
                      const unsigned *frequency) {
  side_put_tree(w, mark, 6, m);
  for (unsigned i = 0, before = 0; i < n; i++) {
    side_put_number(w, length[before], 4, frequency[i]);
    before = bit_length(frequency[i]);
  }
}

/* Width 5 in all contexts, symbol 0 in those of values. */
static ref_bytes side_of(const recipe *r) {
  static const unsigned zeros[5];
  uint8_t to[1000];
  side_bit mark[2][64], length[16][16];
  side_writer w = side_write_to(to, to + sizeof to);
  side_begin(mark[0], 128);
  side_begin(length[0], 256);
  put_heads(&w, r);
  for (int c = 0; c < WIDTH_CONTEXTS + VALUE_CONTEXTS; c++)
    if (c == r->odd_context)
      put_table(&w, mark[c >= WIDTH_CONTEXTS], length, r->mark, r->frequencies, r->frequency);
    else if (c < WIDTH_CONTEXTS)
      put_table(&w, mark[0], length, 6, 5, zeros);
    else
      put_table(&w, mark[1], length, 1, 0, NULL);
  side_finish(&w);
  cr_assert(!w.full);
  return bytes_copy(to, (size_t)(w.to - to));
}

static parts usual_parts(const recipe *r) {
  parts p = {
      .kind = VALUES, .tiles = TILE_SIZE, .side = side_of(r), .words = bytes_new(0), .bytes = bytes_new(0)};
  for (int i = 0; i < 32; i++)
    p.state[i] = STATE_LEAST;
  return p;
}

static ref_bytes frame_by(const recipe *r) {
  const parts p = usual_parts(r);
  return frame_of(p.tiles, page_of(&p));
}

Test(pack_tiles_hostile, what_is_made_by_hand_is_sound) {
  CONTEXT(ctx, NULL, 1);
  ref_bytes stream;
  succeeded(unpack_guarded(ctx, frame_by(&usual), 1 << 20, &stream), ctx, "the usual page");
  cr_assert_eq(stream.size, 72 + 8 + 2 + TILE_SIZE);
  cr_expect_eq(stream.data[82], 0x65); /* three width planes, an extra byte, order 1 */
  const float *y = decompress(ctx, stream, GHZ_F32);
  cr_expect(y[1] < y[0] && y[1023] < y[1022]); /* differences of -16 */
  taken(frame_by(&usual), "the usual page");
}

Test(pack_tiles_hostile, heads) {
  for (unsigned kind = 0; kind < 4; kind++) {
    recipe r = usual;
    r.tile_kind = kind;
    r.size = 3;
    if (kind != 2) /* 0 and 1: too few bytes for the page */
      refused(frame_by(&r), say("a tile of kind %u", kind));
  }
  const unsigned sizes[] = {14580, 20000, 65536, 1U << 30};
  for (size_t i = 0; i < COUNT(sizes); i++) {
    recipe r = usual;
    r.tile_kind = 1;
    r.size = sizes[i];
    refused(frame_by(&r), say("a tile of %u bytes that stays", sizes[i]));
  }
  for (unsigned size = 14579; size <= 20000; size += 5421) { /* of three tiles, which may have as many */
    recipe r = usual;
    r.before = size;
    parts p = usual_parts(&r);
    p.tiles = TILE_SIZE + size;
    p.bytes = bytes_new(p.unpacked = size);
    memset(p.bytes.data, 1, size);
    if (size == 14579)
      taken(frame_with(3, p.tiles, page_of(&p)), "the largest tile that stays");
    else
      refused(frame_with(3, p.tiles, page_of(&p)), "a larger tile that stays");
  }
  recipe widths = usual, long_number = usual, transformed = usual;
  widths.widths = 3;
  refused(frame_by(&widths), "widths that stand in no way");
  for (unsigned bits = 64; bits < 128; bits++) {
    long_number.anchor_bits = bits;
    parts p = usual_parts(&long_number);
    p.tiles = TILE_SIZE + 7; /* the anchor takes eight bytes */
    if (bits == 64)
      taken(frame_of(p.tiles, page_of(&p)), "an anchor of 64 bits");
    else
      refused(frame_of(p.tiles, page_of(&p)), say("an anchor of %u bits", bits));
  }
  transformed.coefficients = 1; /* of a flat tile: its number is missing */
  refused(frame_by(&transformed), "coefficients");
}

/* The first three of n frequencies are not 0. */
static void refused_table(int context, unsigned mark, unsigned n, unsigned a, unsigned b, unsigned c) {
  recipe r = usual;
  r.odd_context = context;
  r.mark = mark;
  r.frequencies = n;
  r.frequency[0] = a;
  r.frequency[1] = b;
  r.frequency[2] = c;
  refused(frame_by(&r), say("context %d: mark %u, %u %u %u", context, mark, a, b, c));
}

/* Tables that do not sum, and symbols beyond their alphabet. */
Test(pack_tiles_hostile, frequencies) {
  for (unsigned mark = 35; mark < 64; mark++)
    refused_table(0, mark, 0, 0, 0, 0);
  refused_table(0, 34, 0, 0, 0, 0);
  refused_table(WIDTH_CONTEXTS, 34, 0, 0, 0, 0);
  const unsigned alphabets[] = {2, 4, 8, 16, 32};
  for (int w = 0; w < 7; w++)
    for (unsigned mark = alphabets[w < 5 ? w : 4] + 1; mark <= 32; mark++)
      refused_table(WIDTH_CONTEXTS + 5 * w, mark, mark - 1, 0, 0, 0);
  refused_table(3, 2, 1, 512, 0, 0);
  refused_table(3, 2, 1, 513, 0, 0);
  refused_table(3, 2, 1, 32767, 0, 0);
  refused_table(3, 3, 2, 256, 256, 0);
  refused_table(3, 3, 2, 511, 1, 0);
  refused_table(3, 4, 3, 200, 200, 200);
  refused_table(WIDTH_CONTEXTS, 2, 1, 512, 0, 0);
}

/* ---- What does not end where it should ---- */

static ref_bytes longer(ref_bytes b, int by) {
  ref_bytes c = bytes_new(b.size + (size_t)(by > 0 ? by : 0));
  memset(c.data, 0, c.size);
  memcpy(c.data, b.data, b.size);
  c.size = b.size + (size_t)by;
  return bytes_copy(c.data, c.size);
}

/* A page with symbols that cost, and bytes that are none, of so many tiles. */
enum { REAL_TILES = 64 }; /* too many bytes for zstd to be tried where symbols are fewer */

static ref_bytes real_frame_of(const parts *p) { return frame_with(REAL_TILES, p->tiles, page_of(p)); }

static void refused_parts(const parts *p, const char *what) { refused(real_frame_of(p), what); }

static parts real_parts(void) {
  CONTEXT(ctx, NULL, 1);
  enum { N = 1024 * REAL_TILES };
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  uint64_t state = 1;
  float *x = scratch(N * sizeof *x);
  for (int i = 0; i < N; i++)
    x[i] = (float)((double)input_below(&state, i / 104 % 2 ? 8192 : 64) - (i / 104 % 2 ? 4095.5 : 31.5)) *
           (float)l.step;
  x[100] = NAN;
  const ref_bytes one = compress(ctx, &l, 0, x, N);
  ref_bytes frame = bytes_new(ghz_pack_bound(one.size));
  succeeded(ghz_pack(ctx, view(one), PACK_LEVEL_MOST, frame.data, frame.size, &frame.size), ctx, "packing");
  taken(frame, "a real page");
  const ref_bytes page = bytes_copy(frame.data + HEAD + 4, frame.size - HEAD - 4);
  cr_assert(page.data[0] == WIDTHS || page.data[0] == VALUES, "kind %d", page.data[0]);
  const parts p = parts_of(page);
  cr_assert(p.words.size > 4 && p.unpacked > 0 && p.bytes.size == p.unpacked, "%zu, %zu of %zu", p.words.size,
            p.bytes.size, p.unpacked);
  same_bytes(real_frame_of(&p), bytes_copy(frame.data, frame.size), "put together again");
  return p;
}

Test(pack_tiles_hostile, ends) {
  const parts good = real_parts();
  for (int by = -1; by <= 1; by += 2) {
    parts p = good;
    p.side = longer(good.side, by);
    refused_parts(&p, "side information of another length");
    p = good;
    p.words = longer(good.words, 2 * by);
    refused_parts(&p, "another number of words");
    p = good;
    p.bytes = longer(good.bytes, by);
    p.unpacked = p.bytes.size;
    refused_parts(&p, "another number of bytes");
    p = good;
    p.tiles += (size_t)by;
    refused_parts(&p, "tiles of another size");
  }
  parts p = good;
  p.side = bytes_copy(good.side.data, good.side.size);
  p.side.data[p.side.size - 1] ^= 1;
  refused_parts(&p, "the last bit of the side information");
  for (size_t cut = 0; cut < good.side.size; cut++) {
    p.side = bytes_copy(good.side.data, cut);
    refused_parts(&p, "side information that ends early");
  }
}

Test(pack_tiles_hostile, states) {
  const parts usual_one = usual_parts(&usual), good = real_parts();
  const uint32_t wrong[] = {0, 1, STATE_LEAST - 1, 1U << 31, UINT32_MAX};
  for (int i = 0; i < 32; i++) {
    for (size_t k = 0; k < COUNT(wrong); k++) {
      parts p = good;
      p.state[i] = wrong[k];
      refused_parts(&p, "a state that is none");
    }
    parts p = usual_one;
    p.state[i] = STATE_LEAST + 512; /* symbols that cost nothing leave it */
    refused(frame_of(p.tiles, page_of(&p)), "a state that does not end");
    p.state[i] = INT32_MAX;
    refused(frame_of(p.tiles, page_of(&p)), "a state that does not end");
  }
}

Test(pack_tiles_hostile, fields_of_the_head) {
  const parts good = real_parts();
  const ref_bytes page = page_of(&good);
  for (size_t at = 0; at < KIND_AND_SIZE + 16; at++)
    for (int bit = 0; bit < 8; bit++) {
      SCOPE;
      ref_bytes bad = bytes_copy(page.data, page.size);
      bad.data[at] = (uint8_t)(bad.data[at] ^ 1 << bit);
      refused(frame_with(REAL_TILES, good.tiles, bad), say("bit %d of byte %zu", bit, at));
      if (at > 0 && at < KIND_AND_SIZE)
        refused(frame_with(REAL_TILES, get_little(bad.data + 1, 4), bad),
                say("bit %d of byte %zu, and of the header", bit, at));
    }
  for (unsigned kind = 0; kind < 256; kind++)
    if (kind != good.kind) {
      ref_bytes bad = bytes_copy(page.data, page.size);
      bad.data[0] = (uint8_t)kind;
      refused(frame_with(REAL_TILES, good.tiles, bad), say("kind %u", kind));
    }
}

/* Tiles that are more, or fewer, than the page says. */
Test(pack_tiles_hostile, sizes_that_are_announced) {
  for (int by = -300; by <= 300; by += by < -3 || by > 2 ? 100 : 1) {
    parts p = usual_parts(&usual);
    p.tiles = (size_t)(TILE_SIZE + by);
    if (by)
      refused(frame_of(p.tiles, page_of(&p)), say("%d bytes more than there are", by));
  }
}

/* ---- Pages as they are, and by zstd ---- */

static ref_bytes plain_page(unsigned kind, size_t says, ref_bytes content) {
  ref_bytes page = bytes_new(KIND_AND_SIZE + content.size);
  page.data[0] = (uint8_t)kind;
  put_little(page.data + 1, says, 4);
  memcpy(page.data + KIND_AND_SIZE, content.data, content.size);
  return page;
}

static ref_bytes sized(size_t size, size_t bytes) {
  ref_bytes b = bytes_new(2 + bytes);
  memset(b.data, 0x18, b.size);
  put_little(b.data, size, 2);
  return b;
}

Test(pack_tiles_hostile, pages_as_they_are) {
  taken(frame_of(40, plain_page(STORED, 40, sized(40, 40))), "as it is");
  taken(frame_of(0, plain_page(STORED, 0, sized(0, 0))), "of no bytes");
  refused(frame_of(40, plain_page(STORED, 40, sized(39, 40))), "sizes that do not add up");
  refused(frame_of(40, plain_page(STORED, 40, sized(40, 39))), "a byte too few");
  refused(frame_of(40, plain_page(STORED, 40, sized(40, 41))), "a byte too many");
  refused(frame_of(40, plain_page(STORED, 41, sized(41, 41))), "more than the header says");
  refused(frame_of(14580, plain_page(STORED, 14580, sized(14580, 14580))), "a tile that is none");
  refused(frame_of(40, bytes_copy("\0\50\0\0", 4)), "a page of four bytes");
  refused(frame_of(40, plain_page(ZSTD, 40, sized(40, 40))), "by zstd, and no smaller");
}

/* What zstd would take: garbage, with it; nothing, without. */
Test(pack_tiles_hostile, pages_by_zstd) {
  CONTEXT(ctx, NULL, 1);
  const ref_bytes bad = frame_of(400, plain_page(ZSTD, 400, sized(40, 40)));
  parts p = real_parts();
  p.unpacked += 9;
  const ref_bytes symbols = real_frame_of(&p);
  const int has = ghz_pack_available(PACK_FAST);
  cr_expect_eq(unpack_guarded(ctx, bad, 1 << 20, NULL), has ? GHZ_ECORRUPT : GHZ_EUNSUPPORTED);
  cr_expect(strstr(ghz_context_message(ctx), has ? "is damaged" : "needs zstd"), "%s",
            ghz_context_message(ctx));
  cr_expect_eq(unpack_guarded(ctx, symbols, 1 << 20, NULL), has ? GHZ_ECORRUPT : GHZ_EUNSUPPORTED);
}

/* ---- Frames ---- */

static ref_bytes real_frame(ghz_context *ctx, const ghz_shape *s, ref_bytes *stream) {
  const ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  *stream = compress_shape(ctx, &l, GHZ_ORDER_BEST, field_make(PATCHES, &l, s, 700, 1), s);
  ref_bytes frame = bytes_new(ghz_pack_bound(stream->size));
  succeeded(ghz_pack(ctx, view(*stream), PACK_LEVEL_MOST, frame.data, frame.size, &frame.size), ctx, "packing");
  return bytes_copy(frame.data, frame.size);
}

/* Is refused before memory is taken for its stream. */
static void bomb(ghz_context *ctx, ref_bytes frame, size_t most) {
  memory none = {0};
  size_t size;
  cr_assert_eq(ghz_unpack_frame(ctx, 1, view(frame), most, &none, &size), GHZ_ECORRUPT);
  cr_assert_null(none.data);
}

static const ghz_shape shapes[] = {{1, {1, 1, 6000}}, {2, {1, 70, 90}}, {3, {16, 16, 40}}};

Test(pack_tiles_hostile, frames_that_are_cut) {
  CONTEXT(ctx, NULL, 1);
  for (size_t i = 0; i < COUNT(shapes); i++) {
    ref_bytes stream;
    const ref_bytes frame = real_frame(ctx, &shapes[i], &stream);
    for (size_t cut = 0; cut < frame.size; cut++) {
      SCOPE;
      cr_assert_eq(unpack_guarded(ctx, bytes_copy(frame.data, cut), 1 << 20, NULL), GHZ_ECORRUPT, "%zu", cut);
    }
    cr_assert_eq(unpack_guarded(ctx, longer(frame, 1), 1 << 20, NULL), GHZ_ECORRUPT);
    bomb(ctx, frame, stream.size - 1);
  }
}

/* A bit that changes is noticed, or gives another stream of as many bytes, the same one by every
 * instruction set. Nearly all states but the right one lead to no end. */
Test(pack_tiles_hostile, bits_that_change) {
  SINGLE_POOL(pool);
  for (size_t i = 0; i < COUNT(shapes); i++) {
    ref_bytes stream;
    const ref_bytes frame = real_frame(pool.ctx[0], &shapes[i], &stream);
    enum { STATES_AT = HEAD + 4 + KIND_AND_SIZE + 16 };
    int noticed = 0, states = 0;
    for (size_t bit = 0; bit < 8 * frame.size; bit += bit < 8 * 300 ? one_in() : 37 * one_in()) {
      SCOPE;
      ref_bytes bad = bytes_copy(frame.data, frame.size), first = {0}, other = {0};
      bad.data[bit / 8] = (uint8_t)(bad.data[bit / 8] ^ 1 << bit % 8);
      const ghz_status status = unpack_guarded(pool.ctx[0], bad, 1 << 20, &first);
      cr_assert(status == GHZ_OK || turned_down(status) || (status == GHZ_EVERSION && bit < 8 * HEAD),
                "bit %zu: %d", bit, (int)status);
      for (size_t k = 1; k < pool.count; k++) {
        cr_assert_eq(unpack_guarded(pool.ctx[k], bad, 1 << 20, &other), status, "bit %zu", bit);
        if (status == GHZ_OK)
          same_bytes(other, first, say("bit %zu, by context %zu", bit, k));
      }
      const int of_state = frame.data[HEAD + 4] >= WIDTHS && bit / 8 >= STATES_AT && bit / 8 < STATES_AT + 128;
      states += of_state;
      noticed += of_state && status != GHZ_OK;
    }
    cr_expect_geq(100 * noticed, 95 * states, "%s: %d of %d", shape_text(&shapes[i]), noticed, states);
  }
}

/* What takes memory is refused before it does: `most` is what a frame may hold. */
Test(pack_tiles_hostile, bombs) {
  CONTEXT(ctx, NULL, 1);
  ref_bytes stream;
  ref_bytes frame = real_frame(ctx, &shapes[0], &stream);
  put_little(frame.data + 56, UINT64_C(1) << 60, 8); /* bytes of all tiles */
  bomb(ctx, frame, SIZE_MAX);
  put_little(frame.data + 24, UINT64_C(1) << 59, 8); /* extent x */
  bomb(ctx, frame, SIZE_MAX);
  put_little(frame.data + 56, UINT64_MAX, 8);
  bomb(ctx, frame, SIZE_MAX);
}

/* Frames of a few bytes whose header says many tiles: no size of a page is read behind them. */
Test(pack_tiles_hostile, frames_too_short_for_their_pages) {
  CONTEXT(ctx, NULL, 1);
  for (uint64_t tiles = 2048; tiles <= UINT64_C(1) << 30; tiles *= 8) {
    SCOPE;
    ref_bytes frame = frame_of(0, bytes_new(1));
    put_little(frame.data + 24, 1024 * tiles, 8);
    cr_assert_eq(frame.size, 77);
    bomb(ctx, frame, SIZE_MAX);
    cr_assert(strstr(ghz_context_message(ctx), "a frame of 77 bytes cannot have"), "%s",
              ghz_context_message(ctx));
  }
}

/* Of a page that says more bytes than its tiles have, none are asked for. */
Test(pack_tiles_hostile, pages_that_ask_for_memory) {
  for (uint64_t says = 1000; says <= UINT32_MAX; says *= 16) {
    SCOPE;
    const parts p = {.kind = VALUES, .tiles = 200, .bytes = bytes_new(1), .unpacked = says};
    const ref_bytes frame = frame_of(200, page_of(&p));
    CONTEXT(ctx, NULL, 1);
    allocator_largest = 0;
    cr_assert_eq(unpack_guarded(ctx, frame, 1 << 20, NULL), GHZ_ECORRUPT, "%llu bytes",
                 (unsigned long long)says);
    cr_assert(says < 1 << 20 || allocator_largest < says, "%zu bytes for a page of 150", allocator_largest);
  }
}
