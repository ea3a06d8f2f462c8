/* plane_back.h: planes moved by whole bytes, by way of memory, where registers do not do it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_PLANE_BACK_H
#define GHZ_PLANE_BACK_H

#include "isa/primitives.h"

static inline void plane_back(const part x[PARTS], unsigned bytes, part y[PARTS]) {
  uint8_t room[PLANE_BYTES + 16] = {0};
  for (int i = 0; i < PARTS; i++)
    part_store(room + bytes + i * PART_BYTES, x[i]);
  for (int i = 0; i < PARTS; i++)
    y[i] = part_load(room + i * PART_BYTES);
}

#endif
