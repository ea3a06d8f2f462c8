/* repeat_table.h: for every choice of values among eight, where each value finds the last one up to
 * itself that is not chosen; -1: before the eight. Entry [m] is for the values i whose bit of m is
 * set.
 *
 *   m = 01100101 (values 0, 2, 5, 6)
 *   repeat_table[m] = -1 1 1 3 4 4 4 7 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_REPEAT_TABLE_H
#define GHZ_REPEAT_TABLE_H

#include <stdint.h>

#include "isa/each_choice.h"

/* The preprocessor writes the table. */
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
