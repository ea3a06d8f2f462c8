// transform.cuh: the cosine transform of a brick, forward and inverse, by a warp in shared memory
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

// ---- One axis -----------------------------------------------------------------------------------

// n frequencies, `step` apart, to n values. The sums are exact, in any order.
template <int N, int STEP, class Load> DEVICE void inverse_values(const Load &load, double v[N]) {
  if constexpr (N == 1) {
    v[0] = 128 * load(0);
  } else {
    double odd[N / 2];
    UNROLLED for (int i = 0; i < N / 2; i++) odd[i] = 0;
    UNROLLED for (int j = 0; j < N / 2; j++) {
      const double c = load(STEP * (2 * j + 1));
      UNROLLED for (int i = 0; i < N / 2; i++) odd[i] +=
          c * (double)inverse_factor(N, 2 * (unsigned)j + 1, (unsigned)i);
    }
    inverse_values<N / 2, 2 * STEP>(load, v);
    UNROLLED for (int i = 0; i < N / 2; i++) {
      const double even = v[i];
      v[i] = even + odd[i];
      v[N - 1 - i] = even - odd[i];
    }
  }
}

// n values to n frequencies, `step` apart. Every machine does these operations in this order.
template <int N, int STEP> DEVICE void forward_values(float v[N], float *out) {
  if constexpr (N == 1) {
    out[0] = v[0];
  } else {
    float d[N / 2];
    UNROLLED for (int i = 0; i < N / 2; i++) {
      d[i] = __fsub_rn(v[i], v[N - 1 - i]);
      v[i] = __fadd_rn(v[i], v[N - 1 - i]);
    }
    UNROLLED for (int j = 0; j < N / 2; j++) {
      float sum = __fmul_rn(d[0], forward_factor(N, (unsigned)j, 0));
      UNROLLED for (int i = 1; i < N / 2; i++) sum =
          __fadd_rn(sum, __fmul_rn(d[i], forward_factor(N, (unsigned)j, (unsigned)i)));
      out[STEP * (2 * j + 1)] = sum;
    }
    forward_values<N / 2, 2 * STEP>(v, out);
  }
}

// In place: slot(i) is where the i-th frequency or value of a line of n stands.
template <int N, class Slot> DEVICE void inverse_line(double *w, const Slot &slot) {
  double v[N];
  inverse_values<N, 1>([&](int u) { return w[slot(u)]; }, v);
  UNROLLED for (int i = 0; i < N; i++) w[slot(i)] = v[i];
}

template <int N, class Slot> DEVICE void forward_line(float *w, const Slot &slot) {
  float v[N], out[N];
  UNROLLED for (int i = 0; i < N; i++) v[i] = w[slot(i)];
  forward_values<N, 1>(v, out);
  UNROLLED for (int i = 0; i < N; i++) w[slot(i)] = out[i];
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

// Coefficients, as numbers whose magnitudes add up to less than 2^30, to H(C).
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
