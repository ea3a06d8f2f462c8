/* primitives.h: what an instruction set provides for the tile codec. A port (scalar.h, avx2.h,
 * avx512.h, neon.h) defines what is declared here; everything else of the codec is written once, in
 * tile/, in plain C that compilers turn into vector code. So all write one format: law L3
 * (docs/LAWS.md).
 *
 * A port first defines its parameters, then includes this file, so that the compiler refuses a port
 * where a function is missing or of another type. Loads, stores and logic of parts are defined here
 * for all; sums and carries of parts for all but registers of 64 bytes. Parameters:
 *
 *   VEC              bytes of a vector register: 16, 32 or 64
 *   part             the type of a register, a vector of integers
 *   LARGE_INLINE     how to declare large functions with several callers: GHZ_INLINE, or static
 *                    where registers are few
 *   MANY_REGISTERS   1 if two tiles may be taken apart at once, else 0
 *
 * Words. A tile has 1024 values in 128 blocks of 8. Byte b of a bit plane belongs to block b, and
 * bit t of that byte to value 8 b + t, which is called column 8 b + t. The widths of a tile are 128
 * bytes too, one for each block, from 0 to 64: a plane and the widths have the same parts.
 *
 * Every function is pure but for what its contract says, and accepts any bytes: a damaged tile may
 * give wrong numbers, never undefined behaviour. No pointer needs any alignment unless its contract
 * asks for it. "May read (write) n bytes" means that the caller guarantees them: tiles are followed
 * by SLACK readable bytes, and destinations by SLACK writable ones. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_PRIMITIVES_H
#define GHZ_PRIMITIVES_H

#include <stdint.h>
#include <string.h>

#include "isa/choice_tables.h"
#include "rules/bytes.h"
#include "rules/rules.h"

typedef uint8_t bit_plane[PLANE_BYTES] __attribute__((aligned(64)));

#define GHZ_UNROLL_8 _Pragma("GCC unroll 8")

/* ---- Parts of planes ------------------------------------------------------------------------- */

/* A bit plane is PARTS registers. */
enum { PARTS = PLANE_BYTES / VEC, PART_BYTES = VEC };

typedef part part_in_memory __attribute__((aligned(1), may_alias));

/* From and to memory. Byte i of memory is byte i of the part. */
GHZ_INLINE part part_load(const uint8_t *p) {
  return *(const part_in_memory *)(const void *)p;
}

GHZ_INLINE void part_store(uint8_t *p, part v) {
  *(part_in_memory *)(void *)p = v;
}

/* All bits 0. */
GHZ_INLINE part part_zero(void) {
  return (part){0};
}

/* 1 if all bits are equal, else 0. */
GHZ_INLINE int part_equal(part a, part b);

/* Bit by bit: the complement; and; or; the sum bit and the carry bit of a full adder: where a and b
 * differ that comes in, else it is either of them. */
GHZ_INLINE part part_not(part a) {
  return ~a;
}

GHZ_INLINE part part_and(part a, part b) {
  return a & b;
}

GHZ_INLINE part part_or(part a, part b) {
  return a | b;
}

#if VEC < 64 /* avx512.h has an instruction for each */
GHZ_INLINE part part_sum(part a, part b, part carry) {
  return a ^ b ^ carry;
}

GHZ_INLINE part part_carry(part a, part b, part carry) {
  return ((carry ^ a) & (a ^ b)) ^ a;
}
#else
GHZ_INLINE part part_sum(part a, part b, part carry);
GHZ_INLINE part part_carry(part a, part b, part carry);
#endif

/* The first 64 bits of a part: column c of a plane's first part is bit c. */
GHZ_INLINE uint64_t part_low(part a) {
  typedef uint64_t words __attribute__((vector_size(VEC)));
  return ((words)a)[0];
}

/* Un-squeezes the part of plane p, given that of plane p - 1 (zeros for p = 0): each byte whose
 * width is greater than p becomes the next byte of *src, in ascending order; the others stay, which
 * extends their sign. *src advances by the number of bytes taken. May read PART_BYTES bytes from
 * *src, however few are taken. 0 <= p < 64. */
GHZ_INLINE part part_expand(part plane, const uint8_t **src, part width, int p);

/* Squeezes: appends those bytes of the part of plane p whose width is greater than p to *dst, which
 * advances by their number. May write PART_BYTES bytes from *dst on, however few are appended. */
GHZ_INLINE void part_squeeze(part plane, uint8_t **dst, part width, int p);

/* Finds widths while planes come by, from the lowest on: returns `width` with p + 1 in each byte
 * where the part of plane p differs from that of the plane below (zeros for p = 0), and sets
 * bit p of *changes if any does. 0 <= p < 64. */
GHZ_INLINE part part_widen(part width, part plane, part below, unsigned p, uint64_t *changes);

/* ---- Widths ---------------------------------------------------------------------------------- */

/* Their bit planes, 16 bytes each: bit b mod 8 of byte b / 8 of plane k is bit k of the width of
 * block b. In a tile they are plain, or squeezed: for each plane a map of 16 bits, bit j of which
 * says that byte j is not 0, then the bytes that are not 0. 0 to 6 planes. */

/* The sum of widths, and the largest. */
GHZ_INLINE unsigned widths_sum(const uint8_t width[BLOCKS]);
GHZ_INLINE unsigned widths_largest(const uint8_t width[BLOCKS]);

/* How many bytes of their planes are not 0. */
GHZ_INLINE unsigned widths_nonzero(const uint8_t width[BLOCKS]);

/* Writes their planes. Returns the end, behind which it may write 64 bytes. */
GHZ_INLINE uint8_t *widths_store(const uint8_t width[BLOCKS], unsigned planes, int squeezed, uint8_t *dst);

/* What widths_load finds. */
typedef struct loaded_widths {
  unsigned sum, largest;
  unsigned nonzero; /* bytes that the maps announce, or DAMAGED_WIDTHS if one of these is 0; where the
                       planes are not squeezed, anything up to 96 */
} loaded_widths;

enum { DAMAGED_WIDTHS = 1 << 16 }; /* more bytes than any tile has */

/* Bytes of the maps of so many planes. */
GHZ_INLINE unsigned maps_size(unsigned planes, int squeezed) {
  return 2 * planes & (0u - (unsigned)squeezed);
}

/* Reads widths from their planes. May read 64 bytes more than these have. */
GHZ_INLINE loaded_widths widths_load(const uint8_t *src, unsigned planes, int squeezed, uint8_t width[BLOCKS]);

/* The bit lengths of 128 unsigned numbers: 0 for 0, 16 or 32 at most. bit_lengths.h has them for
 * ports where no instruction counts leading zeros. */
GHZ_INLINE void bit_lengths_16(const uint16_t *m, uint8_t width[BLOCKS]);
GHZ_INLINE void bit_lengths_32(const uint32_t *m, uint8_t width[BLOCKS]);

/* ---- Vectors of integers --------------------------------------------------------------------- */

/* Registers as the compiler knows them: + - & | and comparisons work lane by lane. */
typedef int16_t vec_16 __attribute__((vector_size(VEC), aligned(2), may_alias));
typedef int32_t vec_32 __attribute__((vector_size(VEC), aligned(4), may_alias));
typedef int64_t vec_64 __attribute__((vector_size(VEC), aligned(8), may_alias));

/* A register to memory. By a pointer, for of vectors that stand in arrays compilers copy halves,
 * and a load of the whole waits for both stores. */
GHZ_INLINE void vec_store(void *to, vec_16 v) {
  *(vec_16 *)to = v;
}

/* The same of floating-point numbers. */
typedef float vec_f32 __attribute__((vector_size(VEC)));
typedef double vec_f64 __attribute__((vector_size(VEC)));

/* Half registers, whose lanes fill a register once they are twice as wide. */
typedef int16_t half_16 __attribute__((vector_size(VEC / 2)));
typedef int32_t half_32 __attribute__((vector_size(VEC / 2)));
typedef float half_f32 __attribute__((vector_size(VEC / 2)));

/* Conversions, as what compilers make of __builtin_convertvector is often halves again: of VEC / 2
 * bytes in memory, of half registers. The last one rounds. */
GHZ_INLINE vec_16 widen_bytes(const uint8_t *p);
GHZ_INLINE vec_16 widen_signed_bytes(const uint8_t *p);
GHZ_INLINE vec_32 widen_16(half_16 v);
GHZ_INLINE vec_f64 widen_32(half_32 v);
GHZ_INLINE half_f32 narrow_f64(vec_f64 v);

/* a * b + c, rounded once or twice: used where every step is exact. */
GHZ_INLINE vec_f64 fma_f64(vec_f64 a, vec_f64 b, vec_f64 c);

/* The same, rounded once or twice. */
GHZ_INLINE vec_f32 fma_f32(vec_f32 a, vec_f32 b, vec_f32 c);

/* The lesser and the larger of each two lanes, signed. */
GHZ_INLINE vec_16 min_16(vec_16 a, vec_16 b);
GHZ_INLINE vec_16 max_16(vec_16 a, vec_16 b);

/* Every lane to the nearest integer, ties to even; |v| < 2^31. */
GHZ_INLINE vec_32 round_lanes(vec_f32 v);

/* The lanes of a, then those of b, of 16 bits; what does not fit becomes the largest or the
 * least. */
GHZ_INLINE vec_16 narrow_lanes(vec_32 a, vec_32 b);

#if VEC >= 32
/* The products of the lower halves of each two lanes, signed. */
GHZ_INLINE vec_64 multiply_halves(vec_64 a, vec_64 b);
#endif

/* The larger of each two lanes, none of which is negative. */
GHZ_INLINE vec_32 max_32(vec_32 a, vec_32 b);
GHZ_INLINE vec_64 max_64(vec_64 a, vec_64 b);

/* Bit i of the result is the top bit of lane i. */
GHZ_INLINE unsigned top_bits_32(vec_32 v);
GHZ_INLINE unsigned top_bits_64(vec_64 v);

/* Copies a block of eight values. Each one whose bit of `hidden` is set becomes the last one before
 * it whose bit is not; `before`, where there is none. Returns the last one of the copy. The two
 * blocks may be one. */
GHZ_INLINE uint32_t repeat_32(const void *from, unsigned hidden, uint32_t before, void *to);
GHZ_INLINE uint64_t repeat_64(const void *from, unsigned hidden, uint64_t before, void *to);

/* Stores the VEC bytes at v to `to`, which is a multiple of VEC, past the caches if the machine
 * can. What was stored so is visible to other threads after stream_fence. */
GHZ_INLINE void vec_stream(void *to, const void *v);
GHZ_INLINE void stream_fence(void);

/* ---- Shuffles: shuffle.h has them for any port ----------------------------------------------- */

/* From the order of the array to position-major order and back: value t of block b is number 8 b +
 * t in `linear`, and number t * 128 + b in `by_position`. All 1024 values; the two do not overlap.
 * streaming = 1: by vec_stream, to a multiple of VEC. With `blocks`, the first so many blocks
 * alone, a multiple of 32. */
GHZ_INLINE void split_16(const void *linear, void *by_position);
GHZ_INLINE void split_32(const void *linear, void *by_position);
GHZ_INLINE void split_64(const void *linear, void *by_position);
GHZ_INLINE void merge_32(const void *by_position, void *linear, int streaming);
GHZ_INLINE void merge_blocks_32(const void *by_position, void *linear, int blocks, int streaming);
GHZ_INLINE void merge_64(const void *by_position, void *linear, int streaming);

/* 16 rows of 16 values to their columns: value x of row l is number 16 x + l of `columns`. */
GHZ_INLINE void transpose_32(const void *const rows[16], void *columns);

/* v moved up by so many bytes, 2, 4, 8 or 16; the topmost ones of `before` come in. */
GHZ_INLINE part moved_up(part before, part v, unsigned bytes);

/* y = the plane x moved up by so many bytes, likewise; and by one column: column c of y is column
 * c - 1 of x. Zeros come in. x and y do not overlap. */
GHZ_INLINE void plane_back(const part x[PARTS], unsigned bytes, part y[PARTS]);
GHZ_INLINE void plane_shift(const part x[PARTS], part y[PARTS]);

/* values[b] becomes start + the sum of values[0 .. b - 1], modulo 2^32 or 2^64, of 128 values.
 * Returns start + the sum of all. */
GHZ_INLINE uint32_t scan_32(uint32_t values[BLOCKS], uint32_t start);
GHZ_INLINE uint64_t scan_64(uint64_t values[BLOCKS], uint64_t start);

/* ---- Eight lanes: plain_lanes.h has them for any port ---------------------------------------- */

/* Vectors wider than a register are never passed by calls: these are inlined. */
#pragma GCC diagnostic ignored "-Wpsabi"

/* What the coder of packing works on, by any port (coder/lanes_impl.h). */
typedef int16_t lanes_16 __attribute__((vector_size(16)));
typedef int32_t lanes_32 __attribute__((vector_size(32)));
typedef uint32_t lanes_u32 __attribute__((vector_size(32)));
typedef float lanes_f32 __attribute__((vector_size(32)));

/* Eight bytes as lanes, unsigned or signed. */
GHZ_INLINE lanes_16 eight_of(const uint8_t *p);
GHZ_INLINE lanes_16 signed_eight_of(const int8_t *p);

/* Lanes to eight bytes, in which they fit. */
GHZ_INLINE void store_narrowed(uint8_t *p, lanes_16 v);
GHZ_INLINE void store_signed_narrowed(int8_t *p, lanes_16 v);

/* Lanes, none of which is negative, to lanes of twice the bits. */
GHZ_INLINE lanes_32 lanes_wider(lanes_16 v);

/* The lowest byte of each lane. */
GHZ_INLINE lanes_16 low_bytes_of(const lanes_32 *v);

/* The elements of a table that lanes name. */
GHZ_INLINE lanes_32 gathered(const uint32_t *table, const lanes_32 *index);

/* Each state below `least` becomes 2^16 times itself and a word, the lowest lane first; *word
 * advances by the words taken. May read eight. */
GHZ_INLINE void read_words(lanes_32 *state, int32_t least, const uint16_t **word);

/* Each state above its limit gives its lower 16 bits as a word and keeps the upper ones. The words
 * stand before *word, in the order of lanes, and it moves to the first. May write eight. */
GHZ_INLINE void give_words(lanes_32 *state, const lanes_32 *limit, uint16_t **word);

/* Bit j of each of eight bytes. */
GHZ_INLINE uint8_t byte_plane(uint64_t bytes, unsigned j);

/* Values of so many planes, 1 to 8, the last of which is their sign, in order: a byte each; and
 * back. */
GHZ_INLINE void values_of_planes(const bit_plane *planes, unsigned height, int8_t values[TILE]);
GHZ_INLINE void planes_of_values(const int8_t values[TILE], unsigned height, bit_plane *planes);

#endif
