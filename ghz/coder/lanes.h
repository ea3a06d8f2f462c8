/* lanes.h: eight rANS coders in the lanes of a register, which code eight symbols in one step
 * (FILE_FORMAT.md, "Coder"). Part of codec.h.
 *
 * Vectors are the compiler's. What no compiler finds, taking and giving words lane by lane, AVX2
 * has in two ways of its own. */
/* SPDX-License-Identifier: BSD-3-Clause */

typedef uint8_t bytes_8 __attribute__((vector_size(8)));
typedef int16_t lanes_16 __attribute__((vector_size(16)));
typedef int32_t lanes_32 __attribute__((vector_size(32)));
typedef float lanes_f32 __attribute__((vector_size(32)));

GHZ_INLINE lanes_16 eight_of(const uint8_t *p) {
  bytes_8 b;
  memcpy(&b, p, sizeof b);
  return __builtin_convertvector(b, lanes_16);
}

/* Numbers from 0 to 255. */
GHZ_INLINE void store_narrowed(uint8_t *p, lanes_16 v) {
  const bytes_8 b = __builtin_convertvector(v, bytes_8);
  memcpy(p, &b, sizeof b);
}

GHZ_INLINE lanes_32 gathered(const uint32_t *table, const lanes_32 *index) {
  const lanes_32 i = *index;
  return (lanes_32){(int32_t)table[i[0]], (int32_t)table[i[1]], (int32_t)table[i[2]], (int32_t)table[i[3]],
                    (int32_t)table[i[4]], (int32_t)table[i[5]], (int32_t)table[i[6]], (int32_t)table[i[7]]};
}

#if defined(__AVX2__)
#include "isa/squeeze_table.h"

/* Lanes below STATE_LEAST take words, the lowest lane first. Reads LANES words. */
GHZ_INLINE void take_words(lanes_32 *state, const uint16_t **word) {
  const __m256i x = (__m256i)*state, low = _mm256_cmpgt_epi32(_mm256_set1_epi32(STATE_LEAST), x);
  const unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(low));
  const __m256i words = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)*word)),
                at = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)expand_table[mask]));
  const __m256i more = _mm256_or_si256(_mm256_slli_epi32(x, 16), _mm256_permutevar8x32_epi32(words, at));
  *state = (lanes_32)_mm256_blendv_epi8(x, more, low);
  *word += _mm_popcnt_u32(mask);
}

/* Lanes above their limit give words, which stand before *word in the order of lanes. Writes LANES
 * words. */
GHZ_INLINE void give_words(lanes_32 *state, const lanes_32 *limit, uint16_t **word) {
  const __m256i x = (__m256i)*state, high = _mm256_cmpgt_epi32(x, (__m256i)*limit);
  const unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(high)),
                 given = (unsigned)_mm_popcnt_u32(mask), up = (64 - 8 * given) & 63;
  const uint64_t packed = load_u64(squeeze_table[mask]);
  const __m256i at = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)(packed << up | packed >> (-up & 63))));
  const __m256i words = _mm256_permutevar8x32_epi32(_mm256_and_si256(x, _mm256_set1_epi32(0xffff)), at);
  _mm_storeu_si128((__m128i *)(*word - LANES),
                   _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
  *word -= given;
  *state = (lanes_32)_mm256_blendv_epi8(x, _mm256_srli_epi32(x, 16), high);
}

#else

GHZ_INLINE void take_words(lanes_32 *state, const uint16_t **word) {
  for (int i = 0; i < LANES; i++)
    if ((*state)[i] < STATE_LEAST)
      (*state)[i] = (int32_t)((uint32_t)(*state)[i] << 16 | *(*word)++);
}

GHZ_INLINE void give_words(lanes_32 *state, const lanes_32 *limit, uint16_t **word) {
  for (int i = LANES - 1; i >= 0; i--)
    if ((*state)[i] > (*limit)[i]) {
      *--*word = (uint16_t)(*state)[i];
      (*state)[i] >>= 16;
    }
}

#endif

/* ---- Unpacking ------------------------------------------------------------------------------- */

/* What a slot of a context says: its symbol; its frequency less 1, from bit 8 on; and its number
 * among those of the symbol, from bit 20 on. */

/* The slots' entries of eight contexts, whose first slots are given. */
GHZ_INLINE lanes_32 decode_step(const uint32_t *table, const lanes_32 *first, lanes_32 *state,
                                const uint16_t **word) {
  const lanes_32 x = *state, slot = *first + (x & (SLOTS - 1)), entry = gathered(table, &slot);
  *state = (x >> SLOT_BITS) * ((entry >> 8 & 0xfff) + 1) + (entry >> 20);
  take_words(state, word);
  return entry;
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* The table of tokens has their frequencies less 1, and from bit 12 on the sum of those of lower
 * symbols. */

GHZ_INLINE void encode_step(const uint32_t *table, const uint16_t *token, lanes_32 *state, uint16_t **word) {
  const lanes_32 index = {token[0], token[1], token[2], token[3], token[4], token[5], token[6], token[7]},
                 entry = gathered(table, &index), frequency = (entry & 0xfff) + 1,
                 limit = (frequency << (31 - SLOT_BITS)) - 1;
  give_words(state, &limit, word);
  const lanes_32 x = *state;
  /* The quotient of floats is off by less than 1: states below frequency * 2^22 have quotients
   * below 2^22. */
  lanes_32 quotient = __builtin_convertvector(
      __builtin_convertvector(x, lanes_f32) / __builtin_convertvector(frequency, lanes_f32), lanes_32);
  const lanes_32 rest = x - quotient * frequency;
  quotient += (rest < 0) - (rest >= frequency); /* comparisons give -1 */
  *state = x + (entry >> 12) + quotient * (SLOTS - frequency);
}

/* All tokens of a page, the last one first. */
static void encode_words(page_model *p, uint32_t state[STATES]) {
  uint16_t *word = p->word;
  lanes_32 x[TURNS];
  for (int i = 0; i < TURNS; i++)
    x[i] = (lanes_32){0} + STATE_LEAST;
  for (const uint16_t *t = p->token + p->tokens; t > p->token;) {
    t -= STATES;
    for (int i = TURNS - 1; i >= 0; i--)
      encode_step(p->table, t + LANES * i, &x[i], &word);
  }
  p->words = (size_t)(p->word - word);
  p->word = word;
  memcpy(state, x, sizeof x);
}
