/* cpu_scalar.c: the tile codec for plain C. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "isa/scalar.h"

#define GHZ_TILES ghz_tiles_scalar
#define GHZ_TILES_NAME "scalar"
#include "tile/codec.h"
