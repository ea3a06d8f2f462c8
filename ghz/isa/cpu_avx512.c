/* cpu_avx512.c: the tile codec for AVX-512. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "isa/avx512.h"

#define GHZ_TILES ghz_tiles_avx512
#define GHZ_TILES_NAME "avx512"
#include "tile/codec.h"
