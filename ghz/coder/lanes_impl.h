/* lanes_impl.h: eight rANS coders in the lanes of a register, which code eight symbols in one step
 * (FILE_FORMAT.md, "Coder"). Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* ---- Unpacking ------------------------------------------------------------------------------- */

/* What a slot of a context says: its symbol; from bit 8 on its number among those of the symbol;
 * from bit 20 on the frequency. */

/* The slots' entries of eight contexts, whose first slots are given. */
GHZ_INLINE lanes_32 decode_step(const uint32_t *table, const lanes_32 *first, lanes_32 *state,
                                const uint16_t **word) {
  const lanes_32 x = *state, slot = *first + (x & (SLOTS - 1)), entry = gathered(table, &slot);
  *state = (x >> SLOT_BITS) * (entry >> 20) + (entry >> 8 & 0xfff);
  read_words(state, STATE_LEAST, word);
  return entry;
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* The table of tokens has their frequencies, and from bit 16 on the sum of those of lower symbols.
 * Limits and products are unsigned, as those of frequency SLOTS reach 2^31. */

GHZ_INLINE void encode_step(const uint32_t *table, const uint16_t *token, lanes_32 *state, uint16_t **word) {
  const lanes_32 index = {token[0], token[1], token[2], token[3], token[4], token[5], token[6], token[7]},
                 entry = gathered(table, &index), frequency = entry & 0xffff,
                 limit = (lanes_32)(((lanes_u32)frequency << (31 - SLOT_BITS)) - 1);
  give_words(state, &limit, word);
  const lanes_32 x = *state;
  /* The quotient of floats is off by less than 1: states below frequency * 2^22 have quotients
   * below 2^22. */
  lanes_32 quotient = __builtin_convertvector(
      __builtin_convertvector(x, lanes_f32) / __builtin_convertvector(frequency, lanes_f32), lanes_32);
  const lanes_32 rest = (lanes_32)((lanes_u32)x - (lanes_u32)quotient * (lanes_u32)frequency);
  quotient += (rest < 0) - (rest >= frequency); /* comparisons give -1 */
  *state = x + (entry >> 16) + quotient * (SLOTS - frequency);
}

/* All tokens of a page, the last one first. */
static void encode_words(page_model *p, uint32_t state[STATES]) {
  uint16_t *word = p->word;
  lanes_32 x0 = (lanes_32){0} + STATE_LEAST, x1 = x0, x2 = x0, x3 = x0;
  for (const uint16_t *t = p->token + p->tokens; t > p->token;) {
    t -= STATES;
    encode_step(p->table, t + 3 * LANES, &x3, &word);
    encode_step(p->table, t + 2 * LANES, &x2, &word);
    encode_step(p->table, t + LANES, &x1, &word);
    encode_step(p->table, t, &x0, &word);
  }
  const lanes_32 x[TURNS] = {x0, x1, x2, x3};
  p->words = (size_t)(p->word - word);
  p->word = word;
  memcpy(state, x, sizeof x);
}
