/* shuffle_lanes.h: splits, merges and scans of integers of one size. A template: shuffle.h includes
 * it once per size.
 *
 * Parameter: BITS   16 (splits alone), 32 or 64; undefined at the end */
/* SPDX-License-Identifier: BSD-3-Clause */

#define LANES PASTE(LANES_OF_, BITS)
#define LIST(which) PASTE(PASTE(which, _), LANES)
#define VECTOR PASTE(vec_, BITS)
#define FN(name) PASTE(PASTE(name, _), BITS)

#if BITS == 16
/* Eight registers, each piece of 16 bytes of which is a row of 8 values, turned piece by piece:
 * rows become columns. A piece is the largest that all instruction sets shuffle without crossing
 * lanes: three rounds, each of which interleaves the values of registers i and i + 4. Twice is
 * nothing. */
GHZ_INLINE void turn_blocks_16(vec_16 v[8]) {
  vec_16 u[8];
  GHZ_UNROLL_8 for (int round = 0; round < 3; round++) {
    GHZ_UNROLL_8 for (int i = 0; i < 4; i++) {
      u[2 * i] = __builtin_shufflevector(v[i], v[i + 4], PASTE(INTERLEAVED_LOW_, LANES_OF_16));
      u[2 * i + 1] = __builtin_shufflevector(v[i], v[i + 4], PASTE(INTERLEAVED_HIGH_, LANES_OF_16));
    }
    memcpy(v, u, sizeof u);
  }
}

/* The first piece of register i is block i, the next one block i + 8, and so on. */
GHZ_INLINE void split_registers_16(const int16_t *linear, vec_16 v[8]) {
  GHZ_UNROLL_8 for (int i = 0; i < 8; i++) v[i] = blocks_of_16((const char *)(linear + 8 * i));
  turn_blocks_16(v);
}

GHZ_INLINE void split_16(const void *linear, void *by_position) {
  for (int b = 0; b < BLOCKS; b += LANES_OF_16) {
    vec_16 v[8];
    split_registers_16((const int16_t *)linear + 8 * b, v);
    GHZ_UNROLL_8 for (int t = 0; t < 8; t++) vec_store((char *)by_position + 2 * (t * BLOCKS + b), v[t]);
  }
}
#else
/* The largest lane, none of which is negative: in halves, as lane by lane is slow. */
GHZ_INLINE PASTE(PASTE(int, BITS), _t) FN(largest_lane)(VECTOR v) {
  v = FN(max)(v, __builtin_shufflevector(v, v, LIST(RUN)(LANES / 2)));
  v = FN(max)(v, __builtin_shufflevector(v, v, LIST(RUN)(LANES / 4)));
  v = FN(max)(v, __builtin_shufflevector(v, v, LIST(RUN)(LANES / 8)));
  return FN(max)(v, __builtin_shufflevector(v, v, LIST(RUN)(LANES / 16)))[0];
}

/* Lanes 0, 2, 4 ... and 1, 3, 5 ... of two registers. */
GHZ_INLINE VECTOR FN(even)(VECTOR a, VECTOR b) {
  return __builtin_shufflevector(a, b, LIST(EVEN));
}

GHZ_INLINE VECTOR FN(odd)(VECTOR a, VECTOR b) {
  return __builtin_shufflevector(a, b, LIST(ODD));
}

GHZ_INLINE void FN(split)(const void *linear, void *by_position) {
  const char *in = (const char *)linear;
  char *out = (char *)by_position;
  for (int b = 0; b < BLOCKS; b += LANES) {
    VECTOR v[8], u[8];
    memcpy(v, in + (size_t)b * BLOCK * (BITS / 8), sizeof v);
    for (int half = 4; half; half /= 2) {
      for (int i = 0; i < 4; i++) {
        int group = i / half * 2 * half, k = i % half;
        VECTOR a = v[group + 2 * k], c = v[group + 2 * k + 1];
        u[group + k] = FN(even)(a, c);
        u[group + half + k] = FN(odd)(a, c);
      }
      memcpy(v, u, sizeof v);
    }
    for (int t = 0; t < 8; t++)
      vec_store(out + ((size_t)reversed_bits[t] * BLOCKS + (size_t)b) * (BITS / 8), (vec_16)v[t]);
  }
}

/* Inlined, so that each call has `streaming` as a constant. */
GHZ_INLINE void FN(merge_blocks)(const void *by_position, void *linear, int blocks, int streaming) {
  const char *in = (const char *)by_position;
  char *out = (char *)linear;
  for (int b = 0; b < blocks; b += LANES) {
    VECTOR v[8], u[8];
    for (int t = 0; t < 8; t++)
      memcpy(&v[t], in + ((size_t)reversed_bits[t] * BLOCKS + (size_t)b) * (BITS / 8), VEC);
    for (int half = 1; half < 8; half *= 2) {
      for (int i = 0; i < 4; i++) {
        int group = i / half * 2 * half, k = i % half;
        VECTOR a = v[group + k], c = v[group + half + k];
        u[group + 2 * k] = __builtin_shufflevector(a, c, LIST(LOW));
        u[group + 2 * k + 1] = __builtin_shufflevector(a, c, LIST(HIGH));
      }
      memcpy(v, u, sizeof v);
    }
    for (int t = 0; t < 8; t++) {
      char *to = out + (size_t)b * BLOCK * (BITS / 8) + VEC * (size_t)t;
      if (streaming)
        vec_stream(to, &v[t]);
      else
        vec_store(to, (vec_16)v[t]);
    }
  }
}

GHZ_INLINE void FN(merge)(const void *by_position, void *linear, int streaming) {
  FN(merge_blocks)(by_position, linear, BLOCKS, streaming);
}

#define UVECTOR PASTE(uvec_, BITS)
#define UNSIGNED PASTE(PASTE(uint, BITS), _t)
/* v moved up by k lanes, zeros coming in. */
#define MOVED_UP(v, k) __builtin_shufflevector((UVECTOR){0}, v, LIST(RUN)(LANES - (k)))

/* log2(LANES) shifted additions make the sums inside a register; `carry` has those of all registers
 * before it. */
GHZ_INLINE UNSIGNED FN(scan)(UNSIGNED values[BLOCKS], UNSIGNED start) {
  UVECTOR carry = (UVECTOR){0} + start;
  for (int b = 0; b < BLOCKS; b += LANES) {
    UVECTOR v, sum;
    memcpy(&v, values + b, VEC);
    sum = v + MOVED_UP(v, 1);
#if VEC / (BITS / 8) > 2
    sum += MOVED_UP(sum, 2);
#endif
#if VEC / (BITS / 8) > 4
    sum += MOVED_UP(sum, 4);
#endif
#if VEC / (BITS / 8) > 8
    sum += MOVED_UP(sum, 8);
#endif
    UVECTOR before = carry + (sum - v);
    memcpy(values + b, &before, VEC);
    carry += sum[LANES - 1];
  }
  return carry[0];
}
#undef UVECTOR
#undef UNSIGNED
#undef MOVED_UP
#endif

#undef LANES
#undef LIST
#undef VECTOR
#undef FN
#undef BITS
