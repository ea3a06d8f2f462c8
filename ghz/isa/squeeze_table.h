/* squeeze_table.h: for every choice of bytes among eight, how to pack them together and how to
 * spread them again, as byte shuffles (0x80: nothing). Entry [m] is for the bytes i whose bit of m
 * is set; byte i is the RANK(m, i)-th of them.
 *
 *   m = 01100100 (bytes 2, 5, 6)    squeeze_table[m] = 2 5 6 - - - - -    expand_table[m] = - - 0 - - 1 2 -
 *
 * Parameter: SQUEEZE_SHIFTS, if defined, makes positions bits (0, 8 .. 56) and "nothing" 0, for
 * shifts instead of shuffles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_SQUEEZE_TABLE_H
#define GHZ_SQUEEZE_TABLE_H

#include <stdint.h>

#ifdef SQUEEZE_SHIFTS
#define PLACE(k) ((k)*8)
#define NOTHING 0
#else
#define PLACE(k) (k)
#define NOTHING 0x80
#endif

/* The preprocessor writes the tables. What it writes is kept short, for checkers read all of it. */
#define COUNT(m) __builtin_popcount(m)
#define RANK(m, i) COUNT((m) & ((1 << (i)) - 1))
#define SPREAD(m, i) ((m) >> (i)&1 ? PLACE(RANK(m, i)) : NOTHING)
/* The k-th byte is the one before which every byte i has RANK(m, i + 1) <= k. */
#define PACK(m, k)                                                                                             \
  ((k) < COUNT(m)                                                                                              \
       ? PLACE((RANK(m, 1) <= (k)) + (RANK(m, 2) <= (k)) + (RANK(m, 3) <= (k)) + (RANK(m, 4) <= (k)) +         \
               (RANK(m, 5) <= (k)) + (RANK(m, 6) <= (k)) + (RANK(m, 7) <= (k)))                                \
       : NOTHING)
#define EIGHT(f, m)                                                                                            \
  { f(m, 0), f(m, 1), f(m, 2), f(m, 3), f(m, 4), f(m, 5), f(m, 6), f(m, 7) }
#define PACK_ALL(m) EIGHT(PACK, m)
#define SPREAD_ALL(m) EIGHT(SPREAD, m)
#define X16(F, h)                                                                                              \
  F(0x##h##0), F(0x##h##1), F(0x##h##2), F(0x##h##3), F(0x##h##4), F(0x##h##5), F(0x##h##6), F(0x##h##7),      \
      F(0x##h##8), F(0x##h##9), F(0x##h##a), F(0x##h##b), F(0x##h##c), F(0x##h##d), F(0x##h##e), F(0x##h##f)
#define X256(F)                                                                                                \
  X16(F, 0), X16(F, 1), X16(F, 2), X16(F, 3), X16(F, 4), X16(F, 5), X16(F, 6), X16(F, 7), X16(F, 8),           \
      X16(F, 9), X16(F, a), X16(F, b), X16(F, c), X16(F, d), X16(F, e), X16(F, f)

static const uint8_t squeeze_table[256][8] = {X256(PACK_ALL)};
static const uint8_t expand_table[256][8] = {X256(SPREAD_ALL)};
static const uint8_t squeeze_count[256] __attribute__((unused)) = {X256(COUNT)};

#endif
