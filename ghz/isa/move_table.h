/* move_table.h: for every choice of bytes among eight, how shifts of words pack them together and
 * spread them again. A byte is packed by as many places as there are bytes below it that are not
 * chosen: first those move by one whose number of places is odd, then others by two, then by four;
 * spreading goes backwards. Entry [m] is for the bytes i whose bit of m is set; word k of it has
 * all ones in the bytes that move by 2^k. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MOVE_TABLE_H
#define GHZ_MOVE_TABLE_H

#include <stdint.h>

#include "isa/each_choice.h"

/* The preprocessor writes the table. All of these have one bit in each byte. Bit k of the number of
 * places of each chosen byte; those after the first move; and after the second. */
#define PLACES(m, k) ((EACH_BYTE - CHOSEN(m)) * EACH_BYTE >> (k)&CHOSEN(m))
#define MOVED_1(m, v) (((v) & ~PLACES(m, 0)) | ((v)&PLACES(m, 0)) >> 8)
#define MOVED_2(m, v) (MOVED_1(m, (v) & ~PLACES(m, 1)) | MOVED_1(m, (v)&PLACES(m, 1)) >> 16)
#define MOVES(m)                                                                                               \
  { PLACES(m, 0) * 255, MOVED_1(m, PLACES(m, 1)) * 255, MOVED_2(m, PLACES(m, 2)) * 255 }

static const uint64_t move_table[256][3] = {X256(MOVES)};
static const uint8_t byte_count[256] = {X256(COUNT)};

#endif
