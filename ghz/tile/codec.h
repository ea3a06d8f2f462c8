/* codec.h: the tile codec, written once (FORMAT.md, "Tile"). A template: isa/cpu_*.c includes it
 * once for each instruction set.
 *
 * Parameters, all defined before:
 *   the primitives of an instruction set      isa/primitives.h says what they are
 *   GHZ_TILES         the name of the table of functions (tile.h) that this file defines
 *   GHZ_TILES_NAME    the name of the instruction set, a string
 *
 * Its parts have no include guards and build on each other in the order in which they are included
 * below. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "coder/page.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"
#include "rules/op.h"
#include "rules/parse.h"
#include "rules/rules.h"
#include "rules/transform.h"
#include "tile/tile.h"

/* Whether a bit plane has a column; NULL stands for one that has all. */
static inline int column_in(const uint8_t *plane, unsigned i) {
  return !plane || plane[i / 8] >> i % 8 & 1;
}

#define ALIGNED _Alignas(64)

/* A lattice tile, taken apart. Its planes are still squeezed. */
typedef struct layer_header {
  int order, mode, turned;
  unsigned height; /* planes: the largest width */
  int64_t anchor, slope;
  const uint8_t *specials; /* NULL: none */
  const uint8_t *planes;
  ALIGNED uint8_t width[BLOCKS];
} layer_header;

GHZ_INLINE void load_plane(const uint8_t *plane, part x[PARTS]) {
  for (int i = 0; i < PARTS; i++)
    x[i] = part_load(plane + i * PART_BYTES);
}

GHZ_INLINE void store_plane(uint8_t *plane, const part x[PARTS]) {
  for (int i = 0; i < PARTS; i++)
    part_store(plane + i * PART_BYTES, x[i]);
}

/* Transposes the 8 x 8 bits at each position of a part of eight planes: bit t of plane p becomes
 * bit p of byte t, of those BLOCKS apart from `to` on. */
GHZ_INLINE void transpose_part(const bit_plane planes[8], int from, uint8_t *to) {
  uvec_64 a[8];
  GHZ_UNROLL_8 for (int i = 0; i < 8; i++) a[i] = *(const uvec_64 *)(const void *)(planes[i] + from);
#define EXCHANGE(i, j, s, m)                                                                                   \
  do {                                                                                                         \
    const uvec_64 d = ((a[i] >> s) ^ a[j]) & (m);                                                              \
    a[j] ^= d;                                                                                                 \
    a[i] ^= d << s;                                                                                            \
  } while (0)
  GHZ_UNROLL_8 for (int i = 0; i < 4; i++) EXCHANGE(i, i + 4, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
  GHZ_UNROLL_8 for (int i = 0; i < 4; i++)
      EXCHANGE(i + (i & 2), i + (i & 2) + 2, 2, UINT64_C(0x3333333333333333));
  GHZ_UNROLL_8 for (int i = 0; i < 8; i += 2) EXCHANGE(i, i + 1, 1, UINT64_C(0x5555555555555555));
#undef EXCHANGE
  GHZ_UNROLL_8 for (int i = 0; i < 8; i++) vec_store(to + i * BLOCKS, (vec_16)a[i]);
}

/* All parts, in place: bit t of plane p becomes bit p of plane t. */
static inline void transpose_bits(bit_plane planes[8]) {
  for (int i = 0; i < PLANE_BYTES; i += PART_BYTES)
    transpose_part(planes, i, (uint8_t *)planes + i);
}

#include "rules/quantise.h"

/* Of one plane: calls that a compiler leaves in a loop over planes take their state through memory
 * (a quarter of an AVX2 addition). */
#define GHZ_PLANE GHZ_INLINE
#define GHZ_ROLLED
typedef uint64_t column_bits;
typedef int64_t column_value;

static inline column_bits of_first_lane(column_bits bits) {
  return bits;
}

/* All ones but for the first columns, at most 3: a mask for a plane's first part. From a table: a
 * register that is put together in memory is waited for. */
static inline part all_but(unsigned columns) {
#define ONES ~UINT64_C(0)
#define MASK(first)                                                                                            \
  { ONES << (first), ONES, ONES, ONES, ONES, ONES, ONES, ONES }
  static const ALIGNED uint64_t masks[4][8] = {MASK(0), MASK(1), MASK(2), MASK(3)};
#undef MASK
#undef ONES
  return part_load((const uint8_t *)masks[columns]);
}

#include "rules/plane_arithmetic.h"
#undef GHZ_PLANE
#define GHZ_PLANE static inline

/* Sets columns from n on to 0, of integers of so many bytes that stand position-major: of position
 * t they begin at one block or the next. */
static void clear_behind(void *integers, size_t size, unsigned n) {
  for (unsigned t = 0; t < BLOCK; t++) {
    const unsigned first = (n + BLOCK - 1 - t) / BLOCK;
    memset((char *)integers + (t * BLOCKS + first) * size, 0, (BLOCKS - first) * size);
  }
}

#define BITS 16
#include "tile/lanes_impl.h"
#define BITS 32
#include "tile/lanes_impl.h"
#define BITS 64
#include "tile/lanes_impl.h"

#include "tile/specials_impl.h"

#define BITS 32
#include "tile/reals_impl.h"
#define BITS 64
#include "tile/reals_impl.h"

#include "tile/brick_impl.h"
#include "tile/turn_impl.h"
#define BITS 32
#include "tile/lorenzo_impl.h"
#define BITS 64
#include "tile/lorenzo_impl.h"

/* clang-format off */
#include "tile/header_impl.h"
#include "tile/put_impl.h"
#include "tile/constant_impl.h"
#include "tile/coefficients_impl.h"
#include "tile/transform_impl.h"
#define BITS 32
#include "tile/inverse_impl.h"
#define BITS 64
#include "tile/inverse_impl.h"
#include "tile/differences_impl.h"
#include "tile/encode_impl.h"
#include "tile/decode_impl.h"
#include "tile/quick_integers_impl.h"
#include "tile/quick_lorenzo_impl.h"
#include "tile/quick_transform_impl.h"
#include "tile/quick_decode_impl.h"
#include "tile/narrow_layer_impl.h"
#include "tile/residual_impl.h"
#include "tile/brick_encode_impl.h"
#include "tile/brick_decode_impl.h"
#include "tile/sum_impl.h"
#include "tile/compute_impl.h"
#include "tile/extremum_impl.h"
#include "tile/integers_impl.h"
#include "tile/moments_impl.h"
#include "tile/axis_sums_impl.h"
#include "tile/comparison_impl.h"
#include "tile/update_impl.h"
#include "coder/lanes_impl.h"
#include "coder/symbols_impl.h"
#include "coder/tiles_impl.h"
/* clang-format on */

/* A call without a fill is compiled without the test for it. */
static void range(const ghz_lattice *l, const void *x, size_t n, double *min, double *max) {
  const fill_test none = {0, 1}, fill = fill_test_of(l);
  if (l->type == GHZ_F32 && l->has_fill)
    finite_range_f32(x, n, fill, min, max);
  else if (l->type == GHZ_F32)
    finite_range_f32(x, n, none, min, max);
  else if (l->has_fill)
    finite_range_f64(x, n, fill, min, max);
  else
    finite_range_f64(x, n, none, min, max);
}

const tile_codec GHZ_TILES = {GHZ_TILES_NAME, range,       encode,       update,    decode,  stream_fence,
                              combine,        extremum,    scan,         moments,   compare, list_integers,
                              sum_axes,       parse_tiles, encode_words, make_tiles};
