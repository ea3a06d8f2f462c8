/* cpu_avx2.c: the tile codec for AVX2. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "isa/avx2.h"

#define GHZ_TILES ghz_tiles_avx2
#define GHZ_TILES_NAME "avx2"
#include "tile/codec.h"
