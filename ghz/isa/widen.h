/* widen.h: the conversions of primitives.h for registers of 16 bytes, as compilers have them. */
/* SPDX-License-Identifier: BSD-3-Clause */

static inline vec_16 widen_bytes(const uint8_t *p) {
  typedef uint8_t bytes __attribute__((vector_size(8)));
  bytes v;
  memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, vec_16);
}

static inline vec_16 widen_signed_bytes(const uint8_t *p) {
  typedef int8_t bytes __attribute__((vector_size(8)));
  bytes v;
  memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, vec_16);
}

static inline vec_32 widen_16(half_16 v) {
  return __builtin_convertvector(v, vec_32);
}

static inline vec_f64 widen_32(half_32 v) {
  return __builtin_convertvector(v, vec_f64);
}

static inline half_f32 narrow_f64(vec_f64 v) {
  return __builtin_convertvector(v, half_f32);
}
