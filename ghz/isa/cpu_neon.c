/* cpu_neon.c: the tile codec for 64-bit ARM. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "isa/neon.h"

#define GHZ_TILES ghz_tiles_neon
#define GHZ_TILES_NAME "neon"
#include "tile/codec.h"
