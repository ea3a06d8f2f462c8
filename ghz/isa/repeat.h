/* repeat.h: values repeated in a block, one after the other, where no instruction moves them
 * about. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_REPEAT_H
#define GHZ_REPEAT_H

#include "isa/primitives.h"

/* Whole blocks are common; which values of others are hidden no processor guesses. */
#define DEFINE_REPEAT(name, type)                                                                              \
  static inline type name(const void *from, unsigned hidden, type before, void *to) {                          \
    for (size_t i = 0; hidden == 0xff && i < BLOCK; i++)                                                       \
      memcpy((char *)to + i * sizeof(type), &before, sizeof(type));                                            \
    for (size_t i = 0; hidden != 0xff && i < BLOCK; i++) {                                                     \
      type here;                                                                                               \
      memcpy(&here, (const char *)from + i * sizeof(type), sizeof(type));                                      \
      before = not_guessed((int)(hidden & 1U << i)) ? before : here;                                           \
      memcpy((char *)to + i * sizeof(type), &before, sizeof(type));                                            \
    }                                                                                                          \
    return before;                                                                                             \
  }

DEFINE_REPEAT(repeat_32, uint32_t)
DEFINE_REPEAT(repeat_64, uint64_t)
#undef DEFINE_REPEAT

#endif
