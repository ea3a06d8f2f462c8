// reals.cuh: float and double as bits, and the values of a tile, wherever they are.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_REALS_CUH
#define GHZ_REALS_CUH

#include "cuda/primitives/squeeze.cuh"
#include "cuda/primitives/stage.cuh"
#include "rules/lattice_rules.h"
#include "rules/parse.h"

template <class Real> struct real_type;
template <> struct real_type<float> {
  typedef uint32_t bits;
  static constexpr ghz_type type = GHZ_F32;
  static constexpr uint32_t EXPONENT = 0x7f800000u, NOT_A_NUMBER = 0x7fc00000u, SIGN = 0x80000000u;
};
template <> struct real_type<double> {
  typedef uint64_t bits;
  static constexpr ghz_type type = GHZ_F64;
  static constexpr uint64_t EXPONENT = 0x7ff0000000000000u, NOT_A_NUMBER = 0x7ff8000000000000u,
                            SIGN = 0x8000000000000000u;
};

DEVICE uint32_t bits_of(float x) {
  return __float_as_uint(x);
}
DEVICE uint64_t bits_of(double x) {
  return (uint64_t)__double_as_longlong(x);
}
DEVICE float real_of(uint32_t b) {
  return __uint_as_float(b);
}
DEVICE double real_of(uint64_t b) {
  return __longlong_as_double((long long)b);
}

// The largest of the lanes' numbers.
DEVICE uint32_t largest_of_lanes(uint32_t v) {
  return __reduce_max_sync(ALL, v);
}
DEVICE uint64_t largest_of_lanes(uint64_t v) {
  UNROLLED for (int d = 16; d; d /= 2) {
    uint64_t other = __shfl_xor_sync(ALL, v, d);
    v = other > v ? other : v;
  }
  return v;
}

// Values in shared memory, as stage_values leaves them, and values of a raw tile, anywhere.
template <class Real> struct staged_values {
  const Real *values;
  METHOD typename real_type<Real>::bits operator()(int i) const {
    return bits_of(values[value_rows<Real>::place_of_value(i)]);
  }
};

DEVICE bool is_raw(const uint8_t *data, uint32_t size) {
  return size && first_says_raw(data[0]);
}

// Those that are missing, NaN or the lattice's fill, are the canonical NaN.
template <class Real> struct raw_values {
  typedef typename real_type<Real>::bits bits;
  global_bytes bytes; // those of the values, not aligned
  bits mask, key;     // of the fill
  METHOD bits operator()(int i) const {
    bits b = 0;
    for (unsigned k = 0; k < sizeof(Real); k++)
      b |= (bits)bytes.byte((uint32_t)(i * (int)sizeof(Real)) + k) << 8 * k;
    const bool nan = (b & ~real_type<Real>::SIGN) > real_type<Real>::EXPONENT;
    return nan || (b & mask) == key ? real_type<Real>::NOT_A_NUMBER : b;
  }
};

template <class Real> DEVICE raw_values<Real> raw_values_at(const uint8_t *data, const ghz_lattice &l) {
  typedef typename real_type<Real>::bits bits;
  const fill_test fill = fill_test_of(&l);
  return {{data}, (bits)fill.mask, (bits)fill.key};
}

// What a missing value is decoded to.
template <class Real> DEVICE Real missing_value(const ghz_lattice &l) {
  return real_of((typename real_type<Real>::bits)missing_bits(&l, real_type<Real>::type));
}

#endif
