// quantise.cuh: values in shared memory to integers, as if they were all coarse, which most are.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_QUANTISE_CUH
#define GHZ_QUANTISE_CUH

#include "cuda/primitives/integers.cuh"
#include "rules/quantise.h"

// Integers of at most this many bits, up to 2^14, prove that a tile is coarse and that float
// arithmetic may quantise it.
enum { SURELY_COARSE = 15 };

// Quantises a lane's values as if the tile were coarse, in the arithmetic of its type. Returns 0 if
// it is not: values beyond the range, NaN and infinities give wide integers.
template <class Real>
DEVICE int quantise_coarse(const uint32_t *buffer, Real factor, int32_t q[LANE_VALUES], int &zero, int lane) {
  uint32_t folded = 0;
  each_staged(reinterpret_cast<const Real *>(buffer), lane, [&](int i, Real x) {
    if (sizeof(Real) == 4) {
      q[i] = round_f32((float)(x * factor));
    } else {
      int64_t wide = round_f64((double)(x * factor));
      q[i] = (int32_t)wide;
      folded |= q[i] == wide ? 0 : ALL;
      keep_as_it_is(q[i]);
    }
    folded |= fold(q[i]);
  });
  zero = __all_sync(ALL, folded == 0);
  return !__any_sync(ALL, folded >> SURELY_COARSE != 0);
}

template <class Real> DEVICE int all_bits_zero(const uint32_t *buffer, int lane) {
  uint32_t any = 0;
  for (unsigned i = (unsigned)lane; i < TILE * sizeof(Real) / 4; i += 32)
    any |= buffer[i];
  return !__any_sync(ALL, any != 0);
}

#endif
