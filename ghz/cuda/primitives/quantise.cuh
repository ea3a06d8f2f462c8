// quantise.cuh: values in shared memory to integers, as if they were all coarse, which most are.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_QUANTISE_CUH
#define GHZ_QUANTISE_CUH

#include "cuda/primitives/integers.cuh"
#include "rules/quantise.h"

// Integers of at most this many bits, up to 2^14, prove that a tile is coarse and that float
// arithmetic may quantise it.
enum { SURELY_COARSE = 15 };

// The integer of a value in a coarse tile. `beyond` gathers bits: those from SURELY_COARSE on are 0
// only if all integers have at most so many, and all are 0 only if the integers are.
DEVICE int32_t coarse_integer(float v, uint32_t &beyond) {
  // round_f32 with a higher magic number: sums of narrow integers differ in their last bits alone.
  const float up = ROUND_F32 + (1 << (SURELY_COARSE - 1));
  const uint32_t zero = __float_as_uint(up), sum = __float_as_uint(v + up);
  beyond |= sum ^ zero;
  return (int32_t)(sum - zero);
}

DEVICE int32_t coarse_integer(double v, uint32_t &beyond) {
  const int64_t wide = round_f64(v);
  int32_t q = (int32_t)wide;
  beyond |= q == wide ? fold(q) : ALL;
  keep_as_it_is(q);
  return q;
}

// Quantises a lane's values as if the tile were coarse, in the arithmetic of its type. Returns 0 if
// it is not: values beyond the range, NaN and infinities give wide integers.
template <class Real>
DEVICE int quantise_coarse(const uint32_t *buffer, Real factor, int32_t q[LANE_VALUES], int &zero, int lane) {
  uint32_t beyond = 0;
  each_staged(reinterpret_cast<const Real *>(buffer), lane,
              [&](int i, Real x) { q[i] = coarse_integer(x * factor, beyond); });
  zero = __all_sync(ALL, beyond == 0);
  return !__any_sync(ALL, beyond >> SURELY_COARSE != 0);
}

template <class Real> DEVICE int all_bits_zero(const uint32_t *buffer, int lane) {
  uint32_t any = 0;
  for (unsigned i = (unsigned)lane; i < TILE * sizeof(Real) / 4; i += 32)
    any |= buffer[i];
  return !__any_sync(ALL, any != 0);
}

#endif
