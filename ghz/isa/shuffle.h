/* shuffle.h: splits a sequence into eight, one per position in a block, and merges it back, by perfect shuffles
 * of vector registers of VEC bytes. Values of block b then stand at [t][b]: loops over b run over whole
 * registers. */
#ifndef GHZ_SHUFFLE_H
#define GHZ_SHUFFLE_H

#include <stdint.h>
#include <string.h>

#include "rules/rules.h"

#define EVEN_2 0, 2
#define EVEN_4 EVEN_2, 4, 6
#define EVEN_8 EVEN_4, 8, 10, 12, 14
#define EVEN_16 EVEN_8, 16, 18, 20, 22, 24, 26, 28, 30
#define EVEN_32 EVEN_16, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62
#define ODD_2 1, 3
#define ODD_4 ODD_2, 5, 7
#define ODD_8 ODD_4, 9, 11, 13, 15
#define ODD_16 ODD_8, 17, 19, 21, 23, 25, 27, 29, 31
#define ODD_32 ODD_16, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63
#define LOW_2 0, 2
#define HIGH_2 1, 3
#define LOW_4 0, 4, 1, 5
#define HIGH_4 2, 6, 3, 7
#define LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8 4, 12, 5, 13, 6, 14, 7, 15
#define LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define LANES_(list, n) list##_##n
#define LANES(list, n) LANES_(list, n)

#if VEC == 64
#define LANES_OF_16 32
#define LANES_OF_32 16
#define LANES_OF_64 8
#elif VEC == 32
#define LANES_OF_16 16
#define LANES_OF_32 8
#define LANES_OF_64 4
#else
#define LANES_OF_16 8
#define LANES_OF_32 4
#define LANES_OF_64 2
#endif

typedef int16_t vec_16 __attribute__((vector_size(VEC), aligned(2), may_alias));
typedef int32_t vec_32 __attribute__((vector_size(VEC), aligned(4), may_alias));
typedef int64_t vec_64 __attribute__((vector_size(VEC), aligned(8), may_alias));

/* Elements 0, 2, 4 ... and 1, 3, 5 ... of two registers. */
#define DEFINE_PAIR(bits)                                                                                      \
  static inline vec_##bits even_##bits(vec_##bits a, vec_##bits b) {                                           \
    return __builtin_shufflevector(a, b, LANES(EVEN, LANES_OF_##bits));                                        \
  }                                                                                                            \
  static inline vec_##bits odd_##bits(vec_##bits a, vec_##bits b) {                                            \
    return __builtin_shufflevector(a, b, LANES(ODD, LANES_OF_##bits));                                         \
  }

DEFINE_PAIR(32)
DEFINE_PAIR(64)

/* AVX2 and SSE2 have no such shuffle of 16-bit elements, but they narrow 32-bit ones. */
#if VEC == 32
static inline vec_16 narrow_16(__m256i a, __m256i b) {
  return (vec_16)_mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8);
}

static inline vec_16 even_16(vec_16 a, vec_16 b) {
  return narrow_16(_mm256_srai_epi32(_mm256_slli_epi32((__m256i)a, 16), 16),
                   _mm256_srai_epi32(_mm256_slli_epi32((__m256i)b, 16), 16));
}

static inline vec_16 odd_16(vec_16 a, vec_16 b) {
  return narrow_16(_mm256_srai_epi32((__m256i)a, 16), _mm256_srai_epi32((__m256i)b, 16));
}
#elif VEC == 16 && defined(__SSE2__)
#include <emmintrin.h>

static inline vec_16 even_16(vec_16 a, vec_16 b) {
  return (vec_16)_mm_packs_epi32(_mm_srai_epi32(_mm_slli_epi32((__m128i)a, 16), 16),
                                 _mm_srai_epi32(_mm_slli_epi32((__m128i)b, 16), 16));
}

static inline vec_16 odd_16(vec_16 a, vec_16 b) {
  return (vec_16)_mm_packs_epi32(_mm_srai_epi32((__m128i)a, 16), _mm_srai_epi32((__m128i)b, 16));
}
#else
DEFINE_PAIR(16)
#endif

/* Stores VEC bytes past the caches; the instruction set says how. */
static inline void vec_stream(void *to, const void *v);

/* Three rounds of even-odd splits turn 8 registers of neighbours into 8 registers of equal position. */
#define DEFINE_SPLIT(bits)                                                                                     \
  static inline void split_##bits(const void *linear, void *by_position) {                                     \
    enum { N = LANES_OF_##bits };                                                                              \
    const char *in = (const char *)linear;                                                                     \
    char *out = (char *)by_position;                                                                           \
    for (int b = 0; b < BLOCKS; b += N) {                                                                      \
      vec_##bits v[8], u[8];                                                                                   \
      memcpy(v, in + (size_t)b * BLOCK * (bits / 8), sizeof v);                                                \
      for (int half = 4; half; half /= 2) {                                                                    \
        for (int i = 0; i < 4; i++) {                                                                          \
          int group = i / half * 2 * half, k = i % half;                                                       \
          vec_##bits a = v[group + 2 * k], c = v[group + 2 * k + 1];                                           \
          u[group + k] = even_##bits(a, c);                                                                    \
          u[group + half + k] = odd_##bits(a, c);                                                              \
        }                                                                                                      \
        memcpy(v, u, sizeof v);                                                                                \
      }                                                                                                        \
      static const int position[8] = {0, 4, 2, 6, 1, 5, 3, 7};                                                 \
      for (int t = 0; t < 8; t++)                                                                              \
        memcpy(out + ((size_t)position[t] * BLOCKS + (size_t)b) * (bits / 8), &v[t], VEC);                     \
    }                                                                                                          \
  }

/* The inverse. streaming = 1: the result passes the caches by; it must be aligned to VEC. */
#define DEFINE_MERGE(bits)                                                                                     \
  static inline                                                                                                \
      __attribute__((always_inline)) void merge_##bits(const void *by_position, void *linear, int streaming) { \
    enum { N = LANES_OF_##bits };                                                                              \
    const char *in = (const char *)by_position;                                                                \
    char *out = (char *)linear;                                                                                \
    for (int b = 0; b < BLOCKS; b += N) {                                                                      \
      vec_##bits v[8], u[8];                                                                                   \
      static const int position[8] = {0, 4, 2, 6, 1, 5, 3, 7};                                                 \
      for (int t = 0; t < 8; t++)                                                                              \
        memcpy(&v[t], in + ((size_t)position[t] * BLOCKS + (size_t)b) * (bits / 8), VEC);                      \
      for (int half = 1; half < 8; half *= 2) {                                                                \
        for (int i = 0; i < 4; i++) {                                                                          \
          int group = i / half * 2 * half, k = i % half;                                                       \
          vec_##bits a = v[group + k], c = v[group + half + k];                                                \
          u[group + 2 * k] = __builtin_shufflevector(a, c, LANES(LOW, LANES_OF_##bits));                       \
          u[group + 2 * k + 1] = __builtin_shufflevector(a, c, LANES(HIGH, LANES_OF_##bits));                  \
        }                                                                                                      \
        memcpy(v, u, sizeof v);                                                                                \
      }                                                                                                        \
      for (int t = 0; t < 8; t++) {                                                                            \
        char *to = out + (size_t)b * BLOCK * (bits / 8) + VEC * (size_t)t;                                     \
        if (streaming)                                                                                         \
          vec_stream(to, &v[t]);                                                                               \
        else                                                                                                   \
          memcpy(to, &v[t], VEC);                                                                              \
      }                                                                                                        \
    }                                                                                                          \
  }

/* Sums of all values before each, in place, from `start` on: log2(lanes) shifted additions per register. */
#define RUN_2(i) (i), (i) + 1
#define RUN_4(i) RUN_2(i), RUN_2((i) + 2)
#define RUN_8(i) RUN_4(i), RUN_4((i) + 4)
#define RUN_16(i) RUN_8(i), RUN_8((i) + 8)
#define RUN_(n, i) RUN_##n(i)
#define RUN(n, i) RUN_(n, i)
#define SHIFT_IN(bits, v, k)                                                                                   \
  __builtin_shufflevector((uvec_##bits){0}, v, RUN(LANES_OF_##bits, LANES_OF_##bits - (k)))

typedef uint32_t uvec_32 __attribute__((vector_size(VEC), aligned(4), may_alias));
typedef uint64_t uvec_64 __attribute__((vector_size(VEC), aligned(8), may_alias));

#define DEFINE_SCAN(bits)                                                                                      \
  static inline uint##bits##_t scan_##bits(uint##bits##_t *values, uint##bits##_t start) {                     \
    enum { N = LANES_OF_##bits };                                                                              \
    uvec_##bits carry = (uvec_##bits){0} + start;                                                              \
    for (int b = 0; b < BLOCKS; b += N) {                                                                      \
      uvec_##bits v, sum;                                                                                      \
      memcpy(&v, values + b, VEC);                                                                             \
      sum = v + SHIFT_IN(bits, v, 1);                                                                          \
      if (N > 2)                                                                                               \
        sum += SHIFT_IN(bits, sum, N > 2 ? 2 : 0);                                                             \
      if (N > 4)                                                                                               \
        sum += SHIFT_IN(bits, sum, N > 4 ? 4 : 0);                                                             \
      if (N > 8)                                                                                               \
        sum += SHIFT_IN(bits, sum, N > 8 ? 8 : 0);                                                             \
      uvec_##bits before = carry + (sum - v);                                                                  \
      memcpy(values + b, &before, VEC);                                                                        \
      carry += sum[N - 1];                                                                                     \
    }                                                                                                          \
    return carry[0];                                                                                           \
  }

DEFINE_SPLIT(16)
DEFINE_SPLIT(32)
DEFINE_SPLIT(64)
DEFINE_MERGE(32)
DEFINE_MERGE(64)
DEFINE_SCAN(32)
DEFINE_SCAN(64)

#endif
