/* each_choice.h: what the preprocessor writes tables with that have an entry for every choice of
 * bytes among eight; and one of them. Entry [m] is for the bytes i whose bit of m is set. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_EACH_CHOICE_H
#define GHZ_EACH_CHOICE_H

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

#endif
