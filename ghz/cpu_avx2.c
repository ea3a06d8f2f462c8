/* cpu_avx2.c: the tile codec for AVX2. */

#include "rows_avx2.h"

#define GHZ_TILES ghz_tiles_avx2
#define GHZ_TILES_NAME "avx2"
#include "tile_codec.h"
