/* choice_tables.h: tables that have an entry for every choice of bytes, or of values, among
 * eight: entry [m] is for those whose bit of m is set. The preprocessor writes them. What it
 * writes is kept short, for checkers read all of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CHOICE_TABLES_H
#define GHZ_CHOICE_TABLES_H

#include <stdint.h>

#define COUNT(m) __builtin_popcount(m)
#define X16(F, h)                                                                                              \
  F(0x##h##0), F(0x##h##1), F(0x##h##2), F(0x##h##3), F(0x##h##4), F(0x##h##5), F(0x##h##6), F(0x##h##7),      \
      F(0x##h##8), F(0x##h##9), F(0x##h##a), F(0x##h##b), F(0x##h##c), F(0x##h##d), F(0x##h##e), F(0x##h##f)
#define X256(F)                                                                                                \
  X16(F, 0), X16(F, 1), X16(F, 2), X16(F, 3), X16(F, 4), X16(F, 5), X16(F, 6), X16(F, 7), X16(F, 8),           \
      X16(F, 9), X16(F, a), X16(F, b), X16(F, c), X16(F, d), X16(F, e), X16(F, f)

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* A word whose byte i is 1 if bit i of m is set, else 0. */
#define CHOSEN(m) ((((EACH_BYTE * (m)&UINT64_C(0x8040201008040201)) + EACH_BYTE * 127) >> 7) & EACH_BYTE)

static const uint64_t spread_bits[256] = {X256(CHOSEN)};
static const uint8_t byte_count[256] = {X256(COUNT)};

/* How to pack the bytes together and how to spread them again, as byte shuffles (0x80: nothing).
 * Byte i is the RANK(m, i)-th of those that are chosen.
 *
 *   m = 01100100 (bytes 2, 5, 6)
 *   squeeze_table[m] = 2 5 6 - - - - -    expand_table[m] = - - 0 - - 1 2 - */
#define NOTHING 0x80
#define RANK(m, i) COUNT((m) & ((1 << (i)) - 1))
#define SPREAD(m, i) ((m) >> (i)&1 ? RANK(m, i) : NOTHING)
/* The k-th byte is the one before which every byte i has RANK(m, i + 1) <= k. */
#define PACK(m, k)                                                                                             \
  ((k) < COUNT(m) ? ((RANK(m, 1) <= (k)) + (RANK(m, 2) <= (k)) + (RANK(m, 3) <= (k)) + (RANK(m, 4) <= (k)) +   \
                     (RANK(m, 5) <= (k)) + (RANK(m, 6) <= (k)) + (RANK(m, 7) <= (k)))                          \
                  : NOTHING)
#define EIGHT(f, m)                                                                                            \
  { f(m, 0), f(m, 1), f(m, 2), f(m, 3), f(m, 4), f(m, 5), f(m, 6), f(m, 7) }
#define PACK_ALL(m) EIGHT(PACK, m)
#define SPREAD_ALL(m) EIGHT(SPREAD, m)

static const uint8_t squeeze_table[256][8] = {X256(PACK_ALL)};
static const uint8_t expand_table[256][8] = {X256(SPREAD_ALL)};

/* How shifts of words pack the bytes together and spread them again. A byte is packed by as many
 * places as there are bytes below it that are not chosen: first those move by one whose number of
 * places is odd, then others by two, then by four; spreading goes backwards. Word k of an entry has
 * all ones in the bytes that move by 2^k.
 *
 * All of these have one bit in each byte. Bit k of the number of places of each chosen byte; those
 * after the first move; and after the second. */
#define PLACES(m, k) ((EACH_BYTE - CHOSEN(m)) * EACH_BYTE >> (k)&CHOSEN(m))
#define MOVED_1(m, v) (((v) & ~PLACES(m, 0)) | ((v)&PLACES(m, 0)) >> 8)
#define MOVED_2(m, v) (MOVED_1(m, (v) & ~PLACES(m, 1)) | MOVED_1(m, (v)&PLACES(m, 1)) >> 16)
#define MOVES(m)                                                                                               \
  { PLACES(m, 0) * 255, MOVED_1(m, PLACES(m, 1)) * 255, MOVED_2(m, PLACES(m, 2)) * 255 }

static const uint64_t move_table[256][3] = {X256(MOVES)};

/* Where each value finds the last one up to itself that is not chosen; -1: before the eight.
 *
 *   m = 01100101 (values 0, 2, 5, 6)
 *   repeat_table[m] = -1 1 1 3 4 4 4 7 */
#define UP_TO_0(m) ((m)&1 ? -1 : 0)
#define UP_TO_1(m) ((m)&2 ? UP_TO_0(m) : 1)
#define UP_TO_2(m) ((m)&4 ? UP_TO_1(m) : 2)
#define UP_TO_3(m) ((m)&8 ? UP_TO_2(m) : 3)
#define UP_TO_4(m) ((m)&16 ? UP_TO_3(m) : 4)
#define UP_TO_5(m) ((m)&32 ? UP_TO_4(m) : 5)
#define UP_TO_6(m) ((m)&64 ? UP_TO_5(m) : 6)
#define UP_TO_7(m) ((m)&128 ? UP_TO_6(m) : 7)
#define UP_TO_ALL(m)                                                                                           \
  { UP_TO_0(m), UP_TO_1(m), UP_TO_2(m), UP_TO_3(m), UP_TO_4(m), UP_TO_5(m), UP_TO_6(m), UP_TO_7(m) }

static const int8_t repeat_table[256][8] = {X256(UP_TO_ALL)};

#endif
