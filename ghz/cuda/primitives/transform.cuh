// transform.cuh: the transform of a brick, forward and inverse, by a warp (FORMAT.md,
// "Coefficients").
//
// A brick has 64 lines of 16 places, or 32 of 32. All that is transformed stands in rows as values
// do (stage.cuh), so that neither a row nor a line along any axis meets a bank twice. Offsets in
// such rows are linear in the bits of line and place: the offset of a lane and that of a step of
// its loop are joined by one XOR for the lower bits, and the upper ones are constants in the
// instructions.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_TRANSFORM_CUH
#define GHZ_TRANSFORM_CUH

#include "cuda/primitives/brick.cuh"
#include "cuda/primitives/stage.cuh"
#include "rules/transform.h"

// What the integers are in steps.
template <int DIMS> constexpr double transform_unit = DIMS == 3 ? 0x1p-29 : 0x1p-21;

// ---- Where numbers are --------------------------------------------------------------------------

// Rooms for rows begin at a multiple of this.
enum { ROOM_ALIGNMENT = 128 };

// The address that is `step` further, of which no bit is in the offset that `a` has in its room.
template <class Address> DEVICE Address further(Address a, uint32_t step) {
  return (a ^ (step & (ROOM_ALIGNMENT - 1))) + (step & ~(uint32_t)(ROOM_ALIGNMENT - 1));
}

template <int DIMS> struct lines {
  static constexpr int PLACES = LINE<DIMS>, COUNT = TILE / PLACES;
  static constexpr int GROUP = 16; // lines of frequencies that are coded together, place by place

  // Bytes from the room's begin to place x of a line.
  template <class T> static METHOD constexpr uint32_t offset(int line, int x) {
    return (uint32_t)value_rows<T>::place_of_value(line * PLACES + x) * (uint32_t)sizeof(T);
  }
  // To coefficient i, of four bytes, in the order in which they are coded: a lane's are a row.
  // Lines of two groups, which a warp takes at once, are in different halves of their rows.
  static METHOD constexpr uint32_t coefficient_offset(int i) {
    return 4 * ((uint32_t)value_rows<int32_t>::place_of_value(i) ^ (uint32_t)(i / (GROUP * PLACES) & 1) * 16);
  }
  // To frequency x of the n-th coded line.
  static METHOD constexpr uint32_t frequency_offset(int n, int x) {
    return coefficient_offset(n / GROUP * (GROUP * PLACES) + x * GROUP + n % GROUP);
  }
  // The n-th coded line among lines of values.
  static METHOD int of_frequencies(int n) {
    return DIMS == 3 ? frequency_pairs[n] : n;
  }
};

// Calls along(address) for each of the lane's lines along an axis, 1 y or 2 z: address(i) is the
// place of its i-th number.
template <int DIMS, class T, int AXIS, class Address, class Along>
DEVICE void each_line_across(Address room, int lane, Along along) {
  typedef lines<DIMS> at;
  constexpr int ROUNDS = DIMS == 3 ? 4 : 1, NEXT = AXIS == 2 ? 8 : 1, OTHER = DIMS == 2 ? 0 : AXIS == 2 ? 1 : 8;
  const int x = lane % at::PLACES, half = lane / at::PLACES;
  ROLLED for (int k = 0; k < ROUNDS; k++) {
    const Address first = room + at::template offset<T>((2 * k + half) * OTHER, x);
    along([=](int i) { return further(first, at::template offset<T>(i * NEXT, 0)); });
  }
}

// Puts the lane's coefficients where inverse_transform takes them.
template <int DIMS, class Address>
DEVICE void put_coefficients(Address room, const int32_t c[LANE_VALUES], int lane) {
  keep_as_it_is(lane);
  const Address mine = room + lines<DIMS>::coefficient_offset(LANE_VALUES * lane);
  UNROLLED for (int i = 0; i < LANE_VALUES; i += 4)
      in_memory<int4>(further(mine, lines<DIMS>::coefficient_offset(i))) = {c[i], c[i + 1], c[i + 2], c[i + 3]};
}

// ---- One line -----------------------------------------------------------------------------------

// All factors are constants in the instructions.

// Frequencies to values. The sums are exact, in any order, fused or not.
template <int N> struct inverse_line {
  double even[N / 2], odd[N / 2];

  template <class Frequency> METHOD void sum(Frequency frequency) {
    UNROLLED for (int i = 0; i < N / 2; i++) even[i] = odd[i] = 0;
    add<0>(even, frequency);
    add<1>(odd, frequency); // by then half of the frequencies need no registers any more
  }
  template <int FIRST, class Frequency> static METHOD void add(double sums[N / 2], Frequency frequency) {
    UNROLLED for (int u = FIRST; u < N; u += 2) {
      const double c = frequency(u);
      UNROLLED for (int i = 0; i < N / 2; i++) sums[i] =
          __fma_rn(c, (double)inverse_factor(N, (unsigned)u, (unsigned)i), sums[i]);
    }
  }
  METHOD double value(int i) const {
    return i < N / 2 ? even[i] + odd[i] : even[N - 1 - i] - odd[N - 1 - i];
  }
};

// The first COUNT numbers times the factors of a frequency, added up from the left.
template <int N, int COUNT> DEVICE float times_factors(const float v[N / 2], int u) {
  float sum = __fmul_rn(v[0], forward_factor(N, (unsigned)u, 0));
  UNROLLED for (int i = 1; i < COUNT; i++) sum =
      __fadd_rn(sum, __fmul_rn(v[i], forward_factor(N, (unsigned)u, (unsigned)i)));
  return sum;
}

// Values to frequencies, which put(u, c) takes: odd ones from the differences of values that mirror
// each other, even ones from their sums, which are taken less the last sum but for frequency 0.
// Every machine does these operations in this order.
template <int N, class Put> DEVICE void forward_line(const float v[N], Put put) {
  float d[N / 2], s[N / 2];
  UNROLLED for (int i = 0; i < N / 2; i++) {
    d[i] = __fsub_rn(v[i], v[N - 1 - i]);
    s[i] = __fadd_rn(v[i], v[N - 1 - i]);
  }
  UNROLLED for (int u = 1; u < N; u += 2) put(u, times_factors<N, N / 2>(d, u));
  float all = s[0];
  UNROLLED for (int i = 1; i < N / 2; i++) all = __fadd_rn(all, s[i]);
  put(0, all);
  UNROLLED for (int i = 0; i < N / 2 - 1; i++) s[i] = __fsub_rn(s[i], s[N / 2 - 1]);
  UNROLLED for (int u = 2; u < N; u += 2) put(u, times_factors<N, N / 2 - 1>(s, u));
}

// ---- All axes -----------------------------------------------------------------------------------

template <int DIMS, int AXIS, class Address> DEVICE void inverse_across(Address room, int lane) {
  constexpr int N = DIMS == 3 ? 8 : 32;
  keep_as_it_is(lane);
  each_line_across<DIMS, double, AXIS>(room, lane, [](auto at) {
    inverse_line<N> line;
    line.sum([&](int i) { return in_memory<double>(at(i)); });
    UNROLLED for (int i = 0; i < N; i++) in_memory<double>(at(i)) = line.value(i);
  });
  __syncwarp();
}

// Coefficients, as 32-bit integers in the order in which they are coded, to H(C), as rows of
// doubles in their place. The sums of their products have to stay below 2^53.
template <int DIMS, class Address> DEVICE void inverse_transform(Address room, int lane) {
  typedef lines<DIMS> at;
  constexpr int EACH = at::COUNT / 32, N = at::PLACES;
  keep_as_it_is(lane); // or addresses stay in registers from one use to the next
  int32_t c[EACH][N];
  __syncwarp();
  UNROLLED for (int k = 0; k < EACH; k++) {
    const Address from = room + at::frequency_offset(lane + 32 * k, 0);
    UNROLLED for (int u = 0; u < N; u++) c[k][u] =
        in_memory<int32_t>(further(from, at::frequency_offset(0, u)));
  }
  __syncwarp(); // all lanes have read what the results take the place of
  UNROLLED for (int k = 0; k < EACH; k++) {
    const Address to = room + at::template offset<double>(at::of_frequencies(lane + 32 * k), 0);
    inverse_line<N> line;
    line.sum([&](int u) { return (double)c[k][u]; });
    UNROLLED for (int x = 0; x < N; x += 2)
        in_memory<double2>(further(to, at::template offset<double>(0, x))) = {line.value(x), line.value(x + 1)};
  }
  __syncwarp();
  inverse_across<DIMS, 1>(room, lane);
  if (DIMS == 3)
    inverse_across<DIMS, 2>(room, lane);
}

template <int DIMS, int AXIS, class Address> DEVICE void forward_across(Address room, int lane) {
  keep_as_it_is(lane);
  each_line_across<DIMS, float, AXIS>(room, lane, [](auto at) {
    constexpr int N = DIMS == 3 ? 8 : 32;
    float v[N];
    UNROLLED for (int i = 0; i < N; i++) v[i] = in_memory<float>(at(i));
    forward_line<N>(v, [=](int u, float c) { in_memory<float>(at(u)) = c; });
  });
  __syncwarp();
}

// Values, as rows of floats, to frequencies, as floats in the order in which they are coded,
// elsewhere.
template <int DIMS, class Address> DEVICE void forward_transform(Address room, Address to, int lane) {
  typedef lines<DIMS> at;
  constexpr int N = at::PLACES;
  keep_as_it_is(lane);
  __syncwarp();
  if (DIMS == 3)
    forward_across<DIMS, 2>(room, lane);
  forward_across<DIMS, 1>(room, lane);
  ROLLED for (int n = lane; n < at::COUNT; n += 32) {
    const Address line = room + at::template offset<float>(at::of_frequencies(n), 0),
                  coded = to + at::frequency_offset(n, 0);
    float v[N];
    UNROLLED for (int x = 0; x < N; x += 4) {
      const float4 four = in_memory<float4>(further(line, at::template offset<float>(0, x)));
      v[x] = four.x;
      v[x + 1] = four.y;
      v[x + 2] = four.z;
      v[x + 3] = four.w;
    }
    // The lines of a group are those of half a warp: they become 0 together.
    float largest = 0;
    UNROLLED for (int x = 0; x < N; x++) largest = fmaxf(largest, fabsf(v[x]));
    const uint32_t live = __ballot_sync(ALL, largest >= LEAST_OF_LINES) >> (lane & at::GROUP) & 0xffff;
    UNROLLED for (int x = 0; x < N; x++) v[x] = live ? v[x] : 0;
    forward_line<N>(v,
                    [=](int u, float c) { in_memory<float>(further(coded, at::frequency_offset(0, u))) = c; });
  }
  __syncwarp();
}

#endif
