/* side.h: what of a page is no symbol, in adaptive bits: heads of tiles, anchors, frequencies
 * (FILE_FORMAT.md, "Side information"). Binary arithmetic coding between two bounds, which needs
 * neither tables before nor many bytes to learn from. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CODER_SIDE_H
#define GHZ_CODER_SIDE_H

#include "coder/page.h"
#include "rules/rules.h"

/* What is known of a bit: how likely it is 0, in 65536ths, and how often it came, up to a limit. */
typedef struct side_bit {
  uint16_t zero;
  uint16_t seen;
} side_bit;

/* Writes from `to` on; full: there was no room. */
typedef struct side_writer {
  uint8_t *to, *end;
  uint32_t low, high;
  int full;
} side_writer;

/* Behind the end it reads zeros, and `beyond` counts them. */
typedef struct side_reader {
  const uint8_t *from, *end;
  uint32_t low, high, code;
  unsigned beyond;
} side_reader;

enum { SIDE_SLOWEST = 5, SIDE_END = 4 /* bytes behind the last that bits needed */ };

static inline void side_begin(side_bit *bits, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    bits[i] = (side_bit){1 << 15, 0};
}

/* The last value of the lower part, that of a bit that is 0. */
static inline uint32_t side_middle(uint32_t low, uint32_t high, unsigned zero) {
  return low + (uint32_t)((uint64_t)(high - low) * zero >> 16);
}

/* Learns: by half at first, later by a 32nd. */
static inline void side_learn(side_bit *b, int bit) {
  b->seen = (uint16_t)(b->seen + (b->seen < SIDE_SLOWEST));
  if (bit)
    b->zero = (uint16_t)(b->zero - (b->zero >> b->seen));
  else
    b->zero = (uint16_t)(b->zero + ((65536U - b->zero) >> b->seen));
}

/* ---- Writing --------------------------------------------------------------------------------- */

static inline side_writer side_write_to(uint8_t *to, uint8_t *end) {
  return (side_writer){to, end, 0, UINT32_MAX, 0};
}

static inline void side_put_byte(side_writer *w, uint32_t byte) {
  w->full |= w->to == w->end;
  if (!w->full)
    *w->to++ = (uint8_t)byte;
}

static inline void side_put_part(side_writer *w, unsigned zero, int bit) {
  const uint32_t middle = side_middle(w->low, w->high, zero);
  if (bit)
    w->low = middle + 1;
  else
    w->high = middle;
  for (; (w->low ^ w->high) >> 24 == 0; w->low <<= 8, w->high = w->high << 8 | 255)
    side_put_byte(w, w->high >> 24);
}

static inline void side_put_bit(side_writer *w, side_bit *b, int bit) {
  side_put_part(w, b->zero, bit);
  side_learn(b, bit);
}

/* A number of so many bits, from the highest down, each of which knows those above: `tree` has
 * 2^bits. */
static inline void side_put_tree(side_writer *w, side_bit *tree, unsigned bits, unsigned v) {
  for (unsigned node = 1; bits-- > 0;) {
    const int bit = (int)(v >> bits & 1);
    side_put_bit(w, &tree[node], bit);
    node = 2 * node + (unsigned)bit;
  }
}

/* A number of any length: that by a tree of 2^length_bits, then the bits below its highest. */
static inline void side_put_number(side_writer *w, side_bit *tree, unsigned length_bits, uint64_t v) {
  unsigned bits = bit_length(v);
  side_put_tree(w, tree, length_bits, bits);
  while (bits-- > 1)
    side_put_part(w, 1 << 15, (int)(v >> (bits - 1) & 1));
}

static inline void side_finish(side_writer *w) {
  for (int i = 0; i < SIDE_END; i++, w->low <<= 8)
    side_put_byte(w, w->low >> 24);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static inline uint32_t side_read_byte(side_reader *r) {
  if (r->from < r->end)
    return *r->from++;
  r->beyond++;
  return 0;
}

static inline side_reader side_read_from(const uint8_t *from, const uint8_t *end) {
  side_reader r = {from, end, 0, UINT32_MAX, 0, 0};
  for (int i = 0; i < SIDE_END; i++)
    r.code = r.code << 8 | side_read_byte(&r);
  return r;
}

static inline int side_read_part(side_reader *r, unsigned zero) {
  const uint32_t middle = side_middle(r->low, r->high, zero);
  const int bit = r->code > middle;
  if (bit)
    r->low = middle + 1;
  else
    r->high = middle;
  for (; (r->low ^ r->high) >> 24 == 0; r->low <<= 8, r->high = r->high << 8 | 255)
    r->code = r->code << 8 | side_read_byte(r);
  return bit;
}

static inline int side_read_bit(side_reader *r, side_bit *b) {
  const int bit = side_read_part(r, b->zero);
  side_learn(b, bit);
  return bit;
}

static inline unsigned side_read_tree(side_reader *r, side_bit *tree, unsigned bits) {
  unsigned node = 1;
  for (unsigned i = 0; i < bits; i++)
    node = 2 * node + (unsigned)side_read_bit(r, &tree[node]);
  return node - (1U << bits);
}

/* Numbers of more than 64 bits are none: they come out as UINT64_MAX, and the end will not fit. */
static inline uint64_t side_read_number(side_reader *r, side_bit *tree, unsigned length_bits) {
  const unsigned bits = side_read_tree(r, tree, length_bits);
  uint64_t v = bits > 0;
  for (unsigned i = 1; i < bits && i < 64; i++)
    v = v << 1 | (uint64_t)side_read_part(r, 1 << 15);
  r->beyond += bits > 64;
  return bits > 64 ? UINT64_MAX : v;
}

/* Whether all bytes were needed, and the last ones are those that a writer writes. */
static inline int side_ended(const side_reader *r) {
  return r->from == r->end && r->beyond == 0 && r->code == r->low;
}

/* ---- Heads (heads.c): kinds, orders, anchors ------------------------------------------------- */

void ghz_heads_write(page_model *p, side_writer *side);

/* Fills p->tile, which is zeros. Returns 0 for damage. */
int ghz_heads_read(page_model *p, side_reader *side);

/* ---- Frequencies (tables.c): what lanes_impl.h codes by -------------------------------------- */

/* Contexts whose frequencies a page has. */
static inline unsigned contexts_of(const page_model *p) {
  return p->values ? CONTEXTS : WIDTH_CONTEXTS;
}

/* About how many bits the tokens of contexts from .. to - 1 that were counted take, without the
 * frequencies. */
uint64_t ghz_tables_bits(const page_model *p, unsigned from, unsigned to);

/* Chooses frequencies for what was counted, writes them, and makes p->table for encoding. */
void ghz_tables_write(page_model *p, side_writer *side);

/* Reads frequencies and makes p->table for decoding. Returns 0 for damage. */
int ghz_tables_read(page_model *p, side_reader *side);

#endif
