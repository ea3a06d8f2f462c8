/* spread_table.h: bit i of a byte, at bit 0 of byte i of a word. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_SPREAD_TABLE_H
#define GHZ_SPREAD_TABLE_H

#include <stdint.h>

#include "isa/each_choice.h"

static const uint64_t spread_bits[256] = {X256(CHOSEN)};

#endif
