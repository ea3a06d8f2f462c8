/* tables.c: owns the frequencies of symbols: choosing, writing and reading them. All of it in
 * integers, so that every machine chooses alike (law L3, docs/LAWS.md). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "coder/side.h"

#include <string.h>

/* How the frequencies of a context are written: MARK_LAST less than it has symbols up to the last
 * one, or one of the marks. */
enum {
  MARK_BITS = 6,
  MARK_EVEN = 33,   /* all symbols are as frequent */
  MARK_BEFORE = 34, /* those of the context before */
  LENGTH_BITS = 4   /* lengths of frequencies: 0 to 10 */
};

typedef uint16_t frequencies[SYMBOLS];

/* What is known of the bits that frequencies are written in: of marks by kind of context, of
 * lengths by that of the frequency before. */
typedef struct table_bits {
  side_bit mark[2][1 << MARK_BITS], length[1 << LENGTH_BITS][1 << LENGTH_BITS];
} table_bits;

static void begin_bits(table_bits *b) {
  side_begin((side_bit *)b, sizeof *b / sizeof(side_bit));
}

/* Contexts that differ in their last class alone may share frequencies. */
static int has_sibling(unsigned context) {
  return (context < WIDTH_CONTEXTS ? context % NEAR_CLASSES : (context - WIDTH_CONTEXTS) % SIZE_CLASSES) > 0;
}

/* ---- Costs ----------------------------------------------------------------------------------- */

/* log2 v in 256ths, v > 0: by the six bits below the highest. */
static unsigned log2_256(uint64_t v) {
  static const uint8_t fraction[64] = {0,   6,   11,  17,  22,  28,  33,  38,  44,  49,  54,  59,  63,
                                       68,  73,  78,  82,  87,  92,  96,  100, 105, 109, 113, 118, 122,
                                       126, 130, 134, 138, 142, 146, 150, 154, 157, 161, 165, 169, 172,
                                       176, 179, 183, 186, 190, 193, 197, 200, 203, 207, 210, 213, 216,
                                       220, 223, 226, 229, 232, 235, 238, 241, 244, 247, 250, 253};
  const unsigned n = bit_length(v) - 1;
  return 256 * n + fraction[n > 6 ? v >> (n - 6) & 63 : v << (6 - n) & 63];
}

/* What is counted of a context, and how much in all. */
static uint64_t counts_of(const page_model *p, unsigned context, uint64_t n[SYMBOLS]) {
  uint64_t sum = 0;
  for (unsigned s = 0; s < SYMBOLS; s++) {
    n[s] = 0;
    for (int i = 0; i < 4; i++)
      n[s] += p->count[i][context * SYMBOLS + s];
    sum += n[s];
  }
  return sum;
}

uint64_t ghz_tables_bits(const page_model *p, unsigned from, unsigned to) {
  uint64_t cost = 0, n[SYMBOLS];
  for (unsigned c = from; c < to; c++) {
    const uint64_t sum = counts_of(p, c, n);
    for (unsigned s = 0; s < SYMBOLS; s++)
      if (n[s])
        cost += n[s] * (log2_256(sum) - log2_256(n[s]));
  }
  return cost / 256;
}

/* Of what is counted, in 256ths of a bit, by frequencies; UINT64_MAX if one is 0 that is needed. */
static uint64_t cost_by(const uint64_t n[SYMBOLS], const frequencies f) {
  uint64_t cost = 0;
  for (unsigned s = 0; s < SYMBOLS; s++) {
    if (n[s] && !f[s])
      return UINT64_MAX;
    cost += n[s] ? n[s] * (256 * SLOT_BITS - log2_256(f[s])) : 0;
  }
  return cost;
}

/* And of writing them, about. */
static uint64_t cost_of(const frequencies f, unsigned last) {
  unsigned bits = 5;
  for (unsigned s = 0; s + 1 < last; s++)
    bits += f[s] ? 2 + bit_length(f[s]) : 1;
  return (uint64_t)256 * bits;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* Frequencies near n / sum, none of which is 0 that is needed. Returns the number of symbols up to
 * the last one. */
static unsigned frequencies_of(const uint64_t n[SYMBOLS], uint64_t sum, frequencies f) {
  unsigned last = 0, largest = 0, all = 0;
  memset(f, 0, sizeof(frequencies));
  for (unsigned s = 0; s < SYMBOLS && sum; s++) {
    if (n[s] == 0)
      continue;
    const uint64_t share = (n[s] * SLOTS + sum / 2) / sum;
    f[s] = (uint16_t)(share ? share : 1);
    all += f[s];
    last = s + 1;
    largest = f[s] > f[largest] ? s : largest;
  }
  for (; all > SLOTS; all--) { /* at most SYMBOLS more */
    for (unsigned s = 0; s < last; s++)
      largest = f[s] > f[largest] ? s : largest;
    f[largest]--;
  }
  if (sum)
    f[largest] = (uint16_t)(f[largest] + SLOTS - all);
  return last;
}

static void even_frequencies(unsigned context, frequencies f) {
  const unsigned symbols = alphabet_of(context);
  for (unsigned s = 0; s < SYMBOLS; s++)
    f[s] = (uint16_t)(s < symbols ? SLOTS / symbols : 0);
}

/* The frequencies of a context, and its mark. `before`: those of the context before. */
static unsigned choose(const page_model *p, unsigned context, const frequencies before, frequencies f) {
  frequencies even;
  uint64_t n[SYMBOLS];
  const uint64_t sum = counts_of(p, context, n);
  unsigned mark = frequencies_of(n, sum, f);
  if (sum == 0)
    return mark;
  even_frequencies(context, even);
  const uint64_t as_before = has_sibling(context) ? cost_by(n, before) : UINT64_MAX, as_even = cost_by(n, even);
  uint64_t least = cost_by(n, f) + cost_of(f, mark);
  if (as_before <= least) {
    least = as_before;
    mark = MARK_BEFORE;
    memcpy(f, before, sizeof(frequencies));
  }
  if (as_even < least) {
    mark = MARK_EVEN;
    memcpy(f, even, sizeof even);
  }
  return mark;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void put_frequencies(side_writer *side, table_bits *b, unsigned context, unsigned mark,
                            const frequencies f) {
  side_put_tree(side, b->mark[context >= WIDTH_CONTEXTS], MARK_BITS, mark);
  for (unsigned s = 0, length = 0; mark <= SYMBOLS && s + 1 < mark; s++) {
    side_put_number(side, b->length[length], LENGTH_BITS, f[s]);
    length = bit_length(f[s]);
  }
}

void ghz_tables_write(page_model *p, side_writer *side) {
  table_bits b = {{{{0}}}, {{{0}}}};
  frequencies before = {0}, f;
  begin_bits(&b);
  for (unsigned c = 0; c < contexts_of(p); c++) {
    put_frequencies(side, &b, c, choose(p, c, before, f), f);
    memcpy(before, f, sizeof f);
    for (unsigned s = 0, sum = 0; s < SYMBOLS; sum += f[s++])
      p->table[c * SYMBOLS + s] = f[s] | sum << 16;
  }
  p->table[CONTEXTS * SYMBOLS] = SLOTS;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Returns 0 unless they add up to SLOTS, of symbols that the context may have. */
static int read_frequencies(side_reader *side, table_bits *b, unsigned context, const frequencies before,
                            frequencies f) {
  const unsigned mark = side_read_tree(side, b->mark[context >= WIDTH_CONTEXTS], MARK_BITS);
  unsigned left = SLOTS;
  memset(f, 0, sizeof(frequencies));
  if (mark == MARK_EVEN)
    even_frequencies(context, f);
  else if (mark == MARK_BEFORE && has_sibling(context))
    memcpy(f, before, sizeof(frequencies));
  else if (mark > alphabet_of(context))
    return 0;
  for (unsigned s = 0, length = 0; mark <= SYMBOLS && s + 1 < mark; s++) {
    const uint64_t v = side_read_number(side, b->length[length], LENGTH_BITS);
    if (v >= left)
      return 0;
    f[s] = (uint16_t)v;
    length = bit_length(v);
    left -= (unsigned)v;
  }
  if (mark > 0 && mark <= SYMBOLS)
    f[mark - 1] = (uint16_t)left;
  return 1;
}

/* The slots of a context; one that has no symbols has symbol 0 alone. */
static void fill_slots(const frequencies f, uint32_t *slot) {
  for (unsigned i = 0; i < SLOTS; i++)
    slot[i] = i << 8 | (uint32_t)SLOTS << 20;
  for (unsigned s = 0; s < SYMBOLS; slot += f[s++])
    for (unsigned i = 0; i < f[s]; i++)
      slot[i] = s | i << 8 | (uint32_t)f[s] << 20;
}

int ghz_tables_read(page_model *p, side_reader *side) {
  table_bits b = {{{{0}}}, {{{0}}}};
  frequencies before = {0}, f;
  begin_bits(&b);
  for (unsigned c = 0; c < contexts_of(p); c++) {
    if (!read_frequencies(side, &b, c, before, f))
      return 0;
    memcpy(before, f, sizeof f);
    fill_slots(f, p->table + (size_t)c * SLOTS);
  }
  return 1;
}
