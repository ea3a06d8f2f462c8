/* squeeze_table.h: for every choice of bytes among eight, how to pack them together and how to
 * spread them again, as byte shuffles (0x80: nothing). Entry [m] is for the bytes i whose bit of m
 * is set; byte i is the RANK(m, i)-th of them.
 *
 *   m = 01100100 (bytes 2, 5, 6)
 *   squeeze_table[m] = 2 5 6 - - - - -    expand_table[m] = - - 0 - - 1 2 - */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_SQUEEZE_TABLE_H
#define GHZ_SQUEEZE_TABLE_H

#include <stdint.h>

#include "isa/each_choice.h"

#define NOTHING 0x80

/* The preprocessor writes the tables. What it writes is kept short, for checkers read all of it. */
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
static const uint8_t squeeze_count[256] __attribute__((unused)) = {X256(COUNT)};

#endif
