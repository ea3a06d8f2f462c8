/* rules.h: the numbers of the format: modes, thresholds, limits and units (FORMAT.md, "Integers").
 * In the common subset of C and CUDA C++, so that every machine decides alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_RULES_H
#define GHZ_RULES_H

#include <stdint.h>

#include "rules/strict.h"
#include <ghz/ghz.h>

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

/* For what is small, or has constants as arguments: a call that a compiler leaves would cost. */
#define GHZ_INLINE static inline __attribute__((always_inline))

#if defined(__CUDACC__)
#define GHZ_RULE static inline __host__ __device__
#else
#define GHZ_RULE GHZ_INLINE
#endif

enum {
  TILE = GHZ_TILE,
  BLOCK = 8,                /* values that share a width */
  BLOCKS = TILE / BLOCK,    /* blocks of a tile */
  PLANE_BYTES = TILE / 8,   /* bytes of a bit plane: one per block */
  WIDTH_MAX = 62,           /* bits of the widest residual */
  PLANES_MAX = 64,          /* planes that arithmetic may use */
  TILE_BYTES_MAX = 14579,   /* of the largest result (FORMAT.md, "Worst case") */
  COEFFICIENT_BITS = 25,    /* widths of coefficients are at most this + bit length of the terms */
  DROPPED_1 = 54,           /* blocks of coefficients of one bit that save less are dropped, */
  DROPPED_2 = 99,           /* of two bits */
  COEFFICIENT_VALUES = 256, /* a brick with fewer values inside has no coefficients */
  TILES_PER_CHUNK = GHZ_CHUNK / GHZ_TILE,
  STREAM_HEADER = 72, /* bytes before the index of a stream */
  SLACK = 128         /* bytes that wide loads and stores may touch past a tile */
};

enum tile_mode { COARSE = 0, FINE = 1, WIDE = 2, RAW = 3 };

#define RAW_TILE 0x18      /* first byte of a raw tile: mode RAW, all else 0 */
#define CONSTANT_TILE 0x38 /* and of a tile of one value: one width plane, which no raw tile has */

/* The first four bytes of a stream, "GHZ3", and of a message, "GHZO"; and those of formats that are
 * not read any more: "GHZ2" and "GHZN", of versions before the first release of 0.2, and "GHZ1" and
 * "GHZM", of 0.1. */
#define STREAM_MAGIC UINT32_C(0x335a4847)
#define MESSAGE_MAGIC UINT32_C(0x4f5a4847)
#define STREAM_MAGIC_2 UINT32_C(0x325a4847)
#define MESSAGE_MAGIC_2 UINT32_C(0x4e5a4847)
#define STREAM_MAGIC_1 UINT32_C(0x315a4847)
#define MESSAGE_MAGIC_1 UINT32_C(0x4d5a4847)

enum header_flag { FLAG_INEXACT = 1, FLAG_TRANSFORM = 2, FLAG_FILL = 4, FLAGS_KNOWN = 7 };

/* Tiles of a flat array of n values. */
GHZ_RULE uint64_t tiles_of(uint64_t n) {
  return GHZ_TILE_COUNT(n);
}

GHZ_RULE uint64_t chunks_of(uint64_t tiles) {
  return tiles / TILES_PER_CHUNK + (tiles % TILES_PER_CHUNK != 0);
}

/* Values in tile t of a flat array of n. */
GHZ_RULE unsigned values_in_tile(uint64_t n, uint64_t t) {
  uint64_t left = n - t * TILE;
  return left < TILE ? (unsigned)left : (unsigned)TILE;
}

/* v, of which a compiler then knows nothing, so that it makes no branch of it: for what a processor
 * cannot guess. */
GHZ_RULE int not_guessed(int v) {
#if !defined(__CUDA_ARCH__)
  __asm__("" : "+r"(v));
#endif
  return v;
}

/* Number of bits of v without leading zeros; 0 for 0. Without a branch: many v are 0, many are
 * not. */
GHZ_RULE unsigned bit_length(uint64_t v) {
#if defined(__CUDA_ARCH__)
  return 64u - (unsigned)__clzll((long long)v);
#elif defined(__LZCNT__)
  return 64u - (unsigned)__builtin_ia32_lzcnt_u64(v);
#else
  return 64u - (unsigned)__builtin_clzll(v | 1) - (v == 0);
#endif
}

/* The same of 32 bits, for which a GPU has an instruction. */
GHZ_RULE unsigned bit_length_32(uint32_t v) {
#if defined(__CUDA_ARCH__)
  return 32u - (unsigned)__clz((int)v);
#else
  return bit_length(v);
#endif
}

/* A lattice whose step does not keep its bound: a grid, that of a constant among them, on which
 * just the multiples of the step are exact, and nothing else is (FORMAT.md, "Grids"). */
GHZ_RULE int is_grid(const ghz_lattice *l) {
  return l->step > 2 * l->eb;
}

/* The largest magnitude of a coarse tile. A float32 result is rounded in the end, by 2^-24 of it:
 * what half a step leaves of the bound has to cover that (FORMAT.md, "Lattice"). */
GHZ_RULE double coarse_limit(const ghz_lattice *l) {
  const double least = 0x1p16 * l->step, most = 0x1p22 * l->step;
  const double covered = (l->eb - l->step / 2) * 0x1.fp23;
  if (l->type == GHZ_F32 && is_grid(l))
    return most;
  return l->type == GHZ_F64 || !(covered > least) ? least : covered < most ? covered : most;
}

/* As coarse_limit allows, with a margin: scaling moves step and bound by roundings, and integers
 * keep their size. 17 but where a lattice leaves room for more. */
GHZ_RULE unsigned coarse_bits(const ghz_lattice *l) {
  const double covered = (l->eb - l->step / 2) * 0x1.f4p23;
  unsigned bits = 17;
  if (l->type == GHZ_F32 && is_grid(l))
    return 22;
  if (l->type == GHZ_F64 || covered <= 0x1p16 * l->step)
    return 16;
  while (bits < 22 && covered > (double)(1 << bits) * l->step)
    bits++;
  return bits;
}

/* Of the widest mode. */
GHZ_RULE unsigned wide_bits(ghz_type type, int cap) {
  return type == GHZ_F32 ? 36 : (unsigned)cap;
}

/* |q| <= 2^integer_bits * terms in a tile of this mode. */
GHZ_RULE unsigned integer_bits(const ghz_lattice *l, int mode) {
  if (mode == COARSE)
    return coarse_bits(l);
  if (mode == FINE)
    return l->type == GHZ_F32 ? 23 : 22;
  return wide_bits(l->type, l->cap);
}

/* Bit planes below the coarse unit: by how much integers shift when a coarse tile is lifted to this
 * mode. */
GHZ_RULE unsigned mode_shift(ghz_type type, int mode) {
  return type == GHZ_F32 && mode != COARSE;
}

/* The integer 1 of a mode, in steps. */
GHZ_RULE double part_of_step(ghz_type type, int mode) {
  return mode_shift(type, mode) ? 0.5 : 1;
}

/* The value of the integer 1. */
GHZ_RULE double mode_unit(ghz_type type, double step, int mode) {
  return mode_shift(type, mode) ? step / 2 : step;
}

/* Integers of 32 bits suffice for the sums of a tile of this mode; arithmetic is modulo 2^32, else
 * modulo 2^64. */
GHZ_RULE int fits_32_bits(const ghz_lattice *l, int mode, uint32_t terms) {
  return integer_bits(l, mode) + bit_length(terms) <= 31;
}

/* The largest width that a residual of integers of so many bits can need. */
GHZ_RULE unsigned width_of_bits(unsigned bits, int order, uint32_t terms) {
  unsigned w = bits + (unsigned)order + 1 + bit_length(terms);
  return w < WIDTH_MAX ? w : (unsigned)WIDTH_MAX;
}

/* The largest width that a residual of this mode and order can need. */
GHZ_RULE unsigned width_limit(const ghz_lattice *l, int mode, int order, uint32_t terms) {
  return width_of_bits(integer_bits(l, mode), order, terms);
}

/* The largest width of coefficients in a stream of so many terms. */
GHZ_RULE unsigned coefficient_width_limit(uint32_t terms) {
  unsigned w = COEFFICIENT_BITS + bit_length(terms);
  return w < WIDTH_MAX ? w : (unsigned)WIDTH_MAX;
}

/* Orders of prediction: 0 .. orders - 1. */
GHZ_RULE int orders_of(unsigned dims) {
  return dims == 3 ? 4 : 3;
}

/* The most terms that a stream may sum. It alone decides whether a sum is refused (law L4,
 * docs/LAWS.md). */
GHZ_RULE uint32_t terms_limit(int cap) {
  return (UINT32_C(1) << (58 - cap)) - 1;
}

/* Bytes of a value. */
GHZ_RULE unsigned value_bytes(ghz_type type) {
  return type == GHZ_F32 ? 4 : 8;
}

/* ---- Worst case (FORMAT.md) ------------------------------------------------------------------ */

/* The largest fresh tile of n values, as compression writes it. */
GHZ_RULE unsigned fresh_bound(ghz_type type, unsigned n) {
  return 1 + n * value_bytes(type);
}

/* The largest lattice tile with so many blocks, orders and bytes of anchors, without
 * coefficients. */
GHZ_RULE unsigned lattice_bound(ghz_type type, unsigned blocks, int orders, unsigned anchors, uint32_t terms) {
  int cap = type == GHZ_F64 && terms <= terms_limit(44) ? 44 : 35;
  unsigned width = width_of_bits(wide_bits(type, cap), orders - 1, terms);
  return 2 + anchors + 16 * bit_length(width) + 2 * (16 + blocks) + blocks * width;
}

/* The most bytes that coefficients take. */
GHZ_RULE unsigned coefficients_bound(uint32_t terms) {
  unsigned width = coefficient_width_limit(terms);
  return 1 + 8 + 16 * bit_length(width) + BLOCKS * width;
}

/* The mode of a tile whose largest finite magnitude is m. */
GHZ_RULE int mode_for(const ghz_lattice *l, double m) {
  double largest = l->type == GHZ_F32 ? 0x1p127 : 0x1p1023;
  int bits = l->type == GHZ_F32 ? 35 : l->cap;
  if (l->step == 0 || m >= largest)
    return RAW;
  if (m <= coarse_limit(l))
    return COARSE;
  if (m <= 0x1p22 * l->step)
    return FINE;
  return m <= (double)(UINT64_C(1) << bits) * l->step ? WIDE : RAW;
}

#endif
