// brick.cuh: what of a brick a lane holds, and its residuals: the differences of each order, and
// their sums (FORMAT.md, "Residuals").
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

// A warp copies whole bricks by pieces of 16 bytes, 32 at a time: values from its first ones to
// those of time k.
template <int DIMS, class Real> DEVICE uint64_t lines_further(int k, uint64_t row, uint64_t plane) {
  constexpr int LINES = 32 * value_rows<Real>::PIECE / (DIMS == 3 ? 16 : 32); // at a time
  const unsigned line = (unsigned)(k * LINES);
  return DIMS == 3 ? line / 8 * plane + line % 8 * row : line * row;
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

// ---- Along the axes-----------------------------------------------------------------------------
//
// Order o of the residuals takes differences along o axes, x first, then y, then z; and along the
// next axes where the column is the first along all those before. So one order is made from the one
// below by taking each column less one other at most, or none. What lies before the brick is 0.

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

template <int DIMS> constexpr int LINE = DIMS == 3 ? 16 : 32;

// Whether the lane's first line, of a brick of 8 x 8 x 16, is the one at y = 0.
DEVICE bool lane_begins_layer(int lane) {
  return (lane & 3) == 0;
}

// Columns FROM .. TO - 1 of lines less those before along y, and where y = 0 along z.
template <int DIMS, int FROM, int TO, class Int> DEVICE void difference_lines(Int r[LANE_VALUES], int lane) {
  UNROLLED_FOR(Int) for (int x = FROM; x < TO; x++) {
    if constexpr (DIMS == 2) {
      r[x] -= value_before_in(r[x], 1, 32, lane);
    } else {
      Int &second = r[LINE<DIMS> + x];
      const Int along_y = value_before_in(second, 1, 4, lane), along_z = value_before_in(r[x], 4, 32, lane);
      second -= r[x];
      r[x] -= lane_begins_layer(lane) ? along_z : along_y;
    }
  }
}

// Residuals of an order to those of the next, in place; integers are those of order 0. Int is
// unsigned.
template <int DIMS, class Int> DEVICE void raise_residuals(Int r[LANE_VALUES], int order, int lane) {
  if (order == 0) {
    UNROLLED_FOR(Int) for (int i = LANE_VALUES - 1; i > 0; i--) r[i] -= i % LINE<DIMS> ? r[i - 1] : 0;
    difference_lines<DIMS, 0, 1>(r, lane);
  } else if (order == 1) {
    difference_lines<DIMS, 1, LINE<DIMS>>(r, lane);
  } else if (DIMS == 3) {
    UNROLLED_FOR(Int) for (int i = 0; i < LANE_VALUES; i++) {
      const Int along_z = value_before_in(r[i], 4, 32, lane);
      r[i] -= i < LINE<DIMS> && lane_begins_layer(lane) ? 0 : along_z;
    }
  }
}

// The inverse of difference_lines, of columns 0 .. TO - 1; or all their sums along z, then along y.
// Sums wrap, by design.
template <int DIMS, int TO, class Int> DEVICE void sum_lines(Int r[LANE_VALUES], bool all_along_z, int lane) {
  UNROLLED_FOR(Int) for (int x = 0; x < TO; x++) {
    if constexpr (DIMS == 2) {
      r[x] += sum_before_in(r[x], 1, 32, lane);
    } else {
      Int &second = r[LINE<DIMS> + x];
      r[x] += sum_before_in(all_along_z || lane_begins_layer(lane) ? r[x] : (Int)0, 4, 32, lane);
      if (all_along_z)
        second += sum_before_in(second, 4, 32, lane);
      r[x] += sum_before_in((Int)(r[x] + second), 1, 4, lane);
      second += r[x];
    }
  }
}

// ---- Turned planes ------------------------------------------------------------------------------
//
// The first blocks of eight lines, so of eight lanes, as a square of 8 x 8 that is transposed.

// Turns the lane's word of a bit plane, or turns it back.
DEVICE uint32_t turn_word(uint32_t x, int lane) {
  UNROLLED for (int s = 4; s > 0; s /= 2) {
    const uint32_t other = __shfl_xor_sync(ALL, x, s), low = s == 4 ? 0x0fu : s == 2 ? 0x33u : 0x55u;
    x = lane & s ? (x & ~low) | (other >> s & low) : (x & ~(low << s)) | (other & low) << s;
  }
  return x;
}

// Turns integers, or turns them back.
template <class Int> DEVICE void turn_integers(Int r[LANE_VALUES], int lane) {
  UNROLLED for (int s = 4; s > 0; s /= 2) UNROLLED for (int i = 0; i < BLOCK; i++) {
    if (i & s)
      continue;
    const Int other = __shfl_xor_sync(ALL, lane & s ? r[i] : r[i + s], s);
    (lane & s ? r[i] : r[i + s]) = other;
  }
}

// The bits of eight numbers of each of eight lanes: number i of all of them goes to lane i.
template <class Bits> DEVICE Bits turned_bits(Bits any[BLOCK], int lane) {
  UNROLLED for (int s = 4; s > 0; s /= 2) UNROLLED for (int i = 0; i < s; i++) {
    const Bits mine = lane & s ? any[i + s] : any[i], others = lane & s ? any[i] : any[i + s];
    any[i] = mine | __shfl_xor_sync(ALL, others, s);
  }
  return any[0];
}

// ---- Integers -----------------------------------------------------------------------------------

// Integers from residuals, in place. Sums along axes may come in any order.
template <int DIMS, class Int>
DEVICE void integrate_brick(Int r[LANE_VALUES], const tile_lead &lead, int lane) {
  if (lead.order == 0)
    return;
  if (DIMS == 2 && lead.turned)
    turn_integers(r, lane);
  if (lane == 0)
    r[0] = (Int)lead.anchor;
  if (lead.order == 1)
    sum_lines<DIMS, 1>(r, false, lane);
  UNROLLED_FOR(Int) for (int i = 1; i < LANE_VALUES; i++) r[i] += i % LINE<DIMS> ? r[i - 1] : 0;
  if (lead.order > 1)
    sum_lines<DIMS, LINE<DIMS>>(r, lead.order > 2, lane);
}

#endif
