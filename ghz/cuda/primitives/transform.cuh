// transform.cuh: the transform of a brick, forward and inverse, by a warp in shared memory
// (FORMAT.md, "Coefficients").
//
// A brick has 64 lines of 16 places, or 32 of 32. The lines of frequencies stand in the order in
// which they are coded, and each line of values stands where that of its number among the
// frequencies does; so every step of the transform works in place. Line k has its place x in a slot
// where neither the lines of one place nor the places of one line share a bank.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_TRANSFORM_CUH
#define GHZ_TRANSFORM_CUH

#include "cuda/primitives/brick.cuh"
#include "rules/transform.h"

// The number of each line among the coded ones, by 8 z + y. One table per thread block, in shared
// memory.
struct line_order {
  uint8_t number[64];
};

DEVICE void make_line_order(line_order &o) {
  if (threadIdx.x < 64)
    o.number[frequency_pairs[threadIdx.x]] = (uint8_t)threadIdx.x;
}

template <int DIMS> struct slots {
  static constexpr int PLACES = DIMS == 3 ? 16 : 32;
  static METHOD int of(int line, int x) {
    return ((line >> 4) * PLACES + x) * 16 + ((line ^ x) & 15);
  }
  // Of coefficient i, in the order in which they are coded.
  static METHOD int of_coefficient(int i) {
    return (i & ~15) + ((i ^ i >> 4) & 15);
  }
  // Of the value in column i.
  static METHOD int of_column(const line_order &o, int i) {
    const column_place p = place_of_column<DIMS>((unsigned)i);
    return of(DIMS == 3 ? o.number[8 * p.z + p.y] : (int)p.y, (int)p.x);
  }
};

// What the integers are in steps.
template <int DIMS> constexpr double transform_unit = DIMS == 3 ? 0x1p-29 : 0x1p-21;

// ---- One axis -----------------------------------------------------------------------------------

// In place: slot(i) is where the i-th frequency or value of a line of N stands. All of a line is
// read before any of it is written, and all factors are constants in the instructions.

// Frequencies to values. The sums are exact, in any order, fused or not.
template <int N, class Slot> DEVICE void inverse_line(double *w, const Slot &slot) {
  double even[N / 2], odd[N / 2];
  UNROLLED for (int i = 0; i < N / 2; i++) even[i] = odd[i] = 0;
  UNROLLED for (int u = 0; u < N; u += 2) {
    const double c = w[slot(u)], d = w[slot(u + 1)];
    UNROLLED for (int i = 0; i < N / 2; i++) {
      even[i] = __fma_rn(c, (double)inverse_factor(N, (unsigned)u, (unsigned)i), even[i]);
      odd[i] = __fma_rn(d, (double)inverse_factor(N, (unsigned)u + 1, (unsigned)i), odd[i]);
    }
  }
  UNROLLED for (int i = 0; i < N / 2; i++) {
    w[slot(i)] = even[i] + odd[i];
    w[slot(N - 1 - i)] = even[i] - odd[i];
  }
}

// The first COUNT numbers times the factors of a frequency, added up from the left.
template <int N, int COUNT> DEVICE float times_factors(const float v[N / 2], int u) {
  float sum = __fmul_rn(v[0], forward_factor(N, (unsigned)u, 0));
  UNROLLED for (int i = 1; i < COUNT; i++) sum =
      __fadd_rn(sum, __fmul_rn(v[i], forward_factor(N, (unsigned)u, (unsigned)i)));
  return sum;
}

// Values to frequencies: odd ones from the differences of values that mirror each other, even ones
// from their sums, which are taken less the last sum but for frequency 0. Every machine does these
// operations in this order.
template <int N, class Slot> DEVICE void forward_line(float *w, const Slot &slot) {
  float d[N / 2], s[N / 2];
  UNROLLED for (int i = 0; i < N / 2; i++) {
    const float a = w[slot(i)], b = w[slot(N - 1 - i)];
    d[i] = __fsub_rn(a, b);
    s[i] = __fadd_rn(a, b);
  }
  UNROLLED for (int u = 1; u < N; u += 2) w[slot(u)] = times_factors<N, N / 2>(d, u);
  float all = s[0];
  UNROLLED for (int i = 1; i < N / 2; i++) all = __fadd_rn(all, s[i]);
  w[slot(0)] = all;
  UNROLLED for (int i = 0; i < N / 2 - 1; i++) s[i] = __fsub_rn(s[i], s[N / 2 - 1]);
  UNROLLED for (int u = 2; u < N; u += 2) w[slot(u)] = times_factors<N, N / 2 - 1>(s, u);
}

// ---- All axes -----------------------------------------------------------------------------------

// Calls along(slot) for each of the lane's lines along an axis: 0 x, 1 y, 2 z.
template <int DIMS, class Along> DEVICE void each_line(const line_order &o, int axis, int lane, Along along) {
  if (DIMS == 2) {
    along([=](int i) { return axis == 0 ? slots<2>::of(lane, i) : slots<2>::of(i, lane); });
  } else if (axis == 0) {
    ROLLED for (int k = lane; k < 64; k += 32) along([=](int i) { return slots<3>::of(k, i); });
  } else {
    ROLLED for (int k = lane / 16; k < 8; k += 2) along([&o, axis, k, lane](int i) {
      return slots<3>::of(o.number[axis == 1 ? 8 * k + i : 8 * i + k], lane & 15);
    });
  }
}

// Coefficients, as numbers, to H(C). The sums of their products have to stay below 2^53.
template <int DIMS> CALLED void inverse_transform(double *w, const line_order &o, int lane) {
  __syncwarp();
  each_line<DIMS>(o, 0, lane, [=](auto slot) { inverse_line<DIMS == 3 ? 16 : 32>(w, slot); });
  __syncwarp();
  each_line<DIMS>(o, 1, lane, [=](auto slot) { inverse_line<DIMS == 3 ? 8 : 32>(w, slot); });
  __syncwarp();
  if (DIMS == 3)
    each_line<DIMS>(o, 2, lane, [=](auto slot) { inverse_line<8>(w, slot); });
  __syncwarp();
}

template <int DIMS> CALLED void forward_transform(float *w, const line_order &o, int lane) {
  __syncwarp();
  if (DIMS == 3)
    each_line<DIMS>(o, 2, lane, [=](auto slot) { forward_line<8>(w, slot); });
  __syncwarp();
  each_line<DIMS>(o, 1, lane, [=](auto slot) { forward_line<DIMS == 3 ? 8 : 32>(w, slot); });
  __syncwarp();
  each_line<DIMS>(o, 0, lane, [=](auto slot) { forward_line<DIMS == 3 ? 16 : 32>(w, slot); });
  __syncwarp();
}

#endif
