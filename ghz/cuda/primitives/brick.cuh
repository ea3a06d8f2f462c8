// brick.cuh: what of a brick a lane holds, and differences and sums along its axes (FORMAT.md,
// "Residuals").
//
// Lane l holds columns 32 l .. 32 l + 31: of a brick of 8 x 8 x 16 values two lines along x, of one
// of 32 x 32 one line.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_BRICK_CUH
#define GHZ_BRICK_CUH

#include "cuda/primitives/integers.cuh"
#include "rules/shape.h"

enum { BRICK_ORDERS = 4 };

// ---- Places -------------------------------------------------------------------------------------

struct column_place {
  unsigned z, y, x;
};

template <int DIMS> DEVICE column_place place_of_column(unsigned i) {
  return DIMS == 3 ? column_place{i / 128, i / 16 % 8, i % 16} : column_place{0, i / 32, i % 32};
}

DEVICE bool is_inside(const tile_extent &e, const column_place &p) {
  return p.z < e.z && p.y < e.y && p.x < e.x;
}

// The number of a column among those inside.
DEVICE unsigned place_among(const tile_extent &e, const column_place &p) {
  return (p.z * e.y + p.y) * e.x + p.x;
}

// The lane's columns inside, as the bits of a word.
DEVICE uint32_t columns_inside(const tile_extent &e, int lane) {
  const uint32_t line = ALL >> (32 - e.x); // no brick is empty
  if (e.dims == 2)
    return (unsigned)lane < e.y ? line : 0;
  const unsigned y = 2 * ((unsigned)lane & 3);
  return (unsigned)lane / 4 >= e.z ? 0 : (y < e.y ? line : 0) | (y + 1 < e.y ? line << 16 : 0);
}

// Whether blocks without a column inside have a width.
DEVICE int blocks_outside(uint32_t widths, uint32_t inside) {
  int outside = 0;
  UNROLLED for (int b = 0; b < LANE_BLOCKS; b++) outside |= (widths >> 8 * b & 255) && !(inside >> 8 * b & 255);
  return __any_sync(ALL, outside);
}

// ---- Along the axes -----------------------------------------------------------------------------

// The sum of the values of the lanes before this one that are a multiple of `step` away, within
// groups of `group` lanes.
template <class T> DEVICE T sum_before_in(T v, int step, int group, int lane) {
  T sum = v;
  for (int d = step; d < group; d *= 2) {
    const T other = __shfl_up_sync(ALL, sum, (unsigned)d);
    if ((lane & (group - 1)) >= d)
      sum += other;
  }
  return sum - v;
}

// The value of the lane so many before, within groups of lanes; 0 where there is none.
template <class T> DEVICE T value_before_in(T v, int step, int group, int lane) {
  const T other = __shfl_up_sync(ALL, v, (unsigned)step);
  return (lane & (group - 1)) >= step ? other : (T)0;
}

// Differences along an axis, in place: 0 x, 1 y, 2 z. What lies before the brick is 0. Int is
// unsigned.
template <int DIMS, class Int> DEVICE void difference_axis(Int r[LANE_VALUES], int axis, int lane) {
  constexpr int LINE = DIMS == 3 ? 16 : 32;
  if (axis == 0)
    UNROLLED_FOR(Int) for (int i = LANE_VALUES - 1; i > 0; i--) r[i] -= i % LINE ? r[i - 1] : 0;
  else if (axis == 2 || DIMS == 2)
    UNROLLED_FOR(Int)
  for (int i = 0; i < LANE_VALUES; i++)
    r[i] -= value_before_in(r[i], DIMS == 2 ? 1 : 4, 32, lane);
  else UNROLLED_FOR(Int) for (int x = 0; x < LINE; x++) {
    const Int before = value_before_in(r[(LINE + x) & 31], 1, 4, lane);
    r[(LINE + x) & 31] -= r[x];
    r[x] -= before;
  }
}

// The inverse. Sums wrap, by design.
template <int DIMS, class Int> DEVICE void sum_axis(Int r[LANE_VALUES], int axis, int lane) {
  constexpr int LINE = DIMS == 3 ? 16 : 32;
  if (axis == 0)
    UNROLLED_FOR(Int) for (int i = 1; i < LANE_VALUES; i++) r[i] += i % LINE ? r[i - 1] : 0;
  else if (axis == 2 || DIMS == 2)
    UNROLLED_FOR(Int)
  for (int i = 0; i < LANE_VALUES; i++)
    r[i] += sum_before_in(r[i], DIMS == 2 ? 1 : 4, 32, lane);
  else UNROLLED_FOR(Int) for (int x = 0; x < LINE; x++) {
    r[x] += sum_before_in((Int)(r[x] + r[(LINE + x) & 31]), 1, 4, lane);
    r[(LINE + x) & 31] += r[x];
  }
}

// Integers from residuals, in place.
template <int DIMS, class Unsigned>
DEVICE void integrate_brick(Unsigned r[LANE_VALUES], const tile_lead &lead, int lane) {
  if (lead.order && lane == 0)
    r[0] = (Unsigned)lead.anchor;
  ROLLED for (int axis = 0; axis < lead.order; axis++) sum_axis<DIMS>(r, axis, lane);
}

#endif
