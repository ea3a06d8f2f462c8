// arithmetic.cc: sums, products and quotients of integers and of reals, which are rounded to
// nearest. A float that is not a number has the bits that a GPU gives it.
// SPDX-License-Identifier: BSD-3-Clause
#include "lanes.h"
#include <cmath>
#include <type_traits>

namespace ptx {
namespace {

template <class T> constexpr bool is_real = std::is_floating_point_v<T>;
// What is computed with: integers modulo 2^64.
template <class T> using Ring = std::conditional_t<is_real<T>, T, uint64_t>;

template <class T> T result(Ring<T> x) {
  constexpr uint32_t usual_nan = 0x7fffffff;
  if constexpr (std::is_same_v<T, float>)
    if (x != x)
      memcpy(&x, &usual_nan, sizeof x);
  return static_cast<T>(x);
}

struct Add {
  template <class T> static T of(T a, T b) { return result<T>(Ring<T>(a) + Ring<T>(b)); }
};
struct Subtract {
  template <class T> static T of(T a, T b) { return result<T>(Ring<T>(a) - Ring<T>(b)); }
};
struct Multiply {
  template <class T> static T of(T a, T b) { return result<T>(Ring<T>(a) * Ring<T>(b)); }
};
struct MultiplyAdd {
  template <class T> static T of(T a, T b, T c) {
    if constexpr (is_real<T>)
      return result<T>(std::fma(a, b, c));
    else
      return result<T>(Ring<T>(a) * Ring<T>(b) + Ring<T>(c));
  }
};
// Of 16 or 32 bits.
struct MultiplyWide {
  static int32_t of(int16_t a, int16_t b) { return a * b; }
  static uint32_t of(uint16_t a, uint16_t b) { return uint32_t(a) * b; }
  static int64_t of(int32_t a, int32_t b) { return int64_t(a) * b; }
  static uint64_t of(uint32_t a, uint32_t b) { return uint64_t(a) * b; }
};
// What a machine gives for a divisor of zero is its own affair.
struct Divide {
  template <class T> static T of(T a, T b) {
    return is_real<T> || b != T(0) ? result<T>(Ring<T>(a) / Ring<T>(b)) : static_cast<T>(-1);
  }
};
struct Reciprocal {
  template <class T> static T of(T a) { return result<T>(1 / a); }
};
struct Negate {
  template <class T> static T of(T a) { return static_cast<T>(-Ring<T>(a)); }
};
struct Absolute {
  template <class T> static T of(T a) {
    if constexpr (is_real<T>)
      return std::fabs(a);
    else
      return a < 0 ? Negate::of(a) : a;
  }
};
struct Least {
  template <class T> static T of(T a, T b) { return a < b ? a : b; }
};
struct Greatest {
  template <class T> static T of(T a, T b) {
    if constexpr (is_real<T>) // -0 is less than +0, and what is not a number is passed over
      return a == b ? (std::signbit(a) ? b : a) : result<T>(std::fmax(a, b));
    else
      return a > b ? a : b;
  }
};

// variant: 1 takes the carry, 2 leaves one.
void add_with_carry(Warp &w, const Instruction &i, Mask mask) {
  uint64_t *to = w.to<uint64_t>(i);
  const uint64_t *a = w.from<uint64_t>(i, 0), *b = w.from<uint64_t>(i, 1);
  each(mask, [&](unsigned l) {
    const unsigned __int128 wide = (unsigned __int128)a[l] + b[l] + (i.variant & 1 ? w.carry[l] : 0);
    to[l] = static_cast<uint64_t>(wide);
    if (i.variant & 2)
      w.carry[l] = static_cast<uint8_t>(wide >> 64);
  });
}

struct FourProducts {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    for (int k = 0; k < 32; k += 8)
      c += (a >> k & 255) * (b >> k & 255);
    return c;
  }
};

// ---- Decoding ----
// Where an approximation could be meant, the rounding has to be there.
void take_rounding(Decoding &d) {
  if (d.type.kind == 'f' && !d.has("rn"))
    d.refuse();
}

template <class Op> void of_one(Decoding &d) {
  plain_operands(d, 1);
  d.i.run = for_numbers(d, [](auto x) -> Operation { return one_source<decltype(x), Op>; });
}

template <class Op> void of_two(Decoding &d) {
  take_rounding(d);
  plain_operands(d, 2);
  d.i.run = for_numbers(d, [](auto x) -> Operation { return two_sources<decltype(x), Op>; });
}

// add, with .cc, and addc
void sum(Decoding &d) {
  const bool takes = d.name == "addc", leaves = d.has("cc");
  if (!takes && !leaves)
    return of_two<Add>(d);
  plain_operands(d, 2);
  if (d.type.kind == 'f' || d.type.bits != 64)
    d.refuse();
  d.i.variant = static_cast<uint8_t>(takes | leaves << 1);
  d.i.run = add_with_carry;
}

void product(Decoding &d) {
  if (d.type.kind == 'f' || d.one_of({"lo", "wide"}) == 0)
    return of_two<Multiply>(d);
  d.to(0, 0, 2 * d.type.bytes());
  d.sources(1, 2, d.type.bytes());
  if (d.type.bits == 32)
    d.i.run = d.i.is_signed ? two_sources<int32_t, MultiplyWide> : two_sources<uint32_t, MultiplyWide>;
  else if (d.type.bits == 16)
    d.i.run = d.i.is_signed ? two_sources<int16_t, MultiplyWide> : two_sources<uint16_t, MultiplyWide>;
  else
    d.refuse();
}

// mad.lo of integers, fma of reals
void product_and_sum(Decoding &d) {
  if (d.name == "mad")
    d.one_of({"lo"});
  take_rounding(d);
  plain_operands(d, 3);
  d.i.run = for_numbers(d, [](auto x) -> Operation { return three_sources<decltype(x), MultiplyAdd>; });
}

void quotient(Decoding &d) {
  if (d.i.is_signed)
    d.refuse();
  of_two<Divide>(d);
}

void reciprocal(Decoding &d) {
  take_rounding(d);
  plain_operands(d, 1);
  d.i.run = for_reals(d, [](auto x) -> Operation { return one_source<decltype(x), Reciprocal>; });
}

void least(Decoding &d) {
  plain_operands(d, 2);
  d.i.run = for_integers(d, [](auto x) -> Operation { return two_sources<decltype(x), Least>; });
}

void greatest(Decoding &d) {
  plain_operands(d, 2);
  d.i.run = for_numbers(d, [](auto x) -> Operation { return two_sources<decltype(x), Greatest>; });
}

void products_of_bytes(Decoding &d) {
  if (d.types.size() != 2 || d.types[0].kind != 'u' || d.types[1].kind != 'u')
    d.refuse();
  plain_operands(d, 3);
  d.i.run = three_sources<uint32_t, FourProducts>;
}

} // namespace

void add_arithmetic(Decoders &all) {
  all["add"] = all["addc"] = sum;
  all["sub"] = of_two<Subtract>;
  all["mul"] = product;
  all["mad"] = all["fma"] = product_and_sum;
  all["div"] = quotient;
  all["rcp"] = reciprocal;
  all["neg"] = of_one<Negate>;
  all["abs"] = of_one<Absolute>;
  all["min"] = least;
  all["max"] = greatest;
  all["dp4a"] = products_of_bytes;
}

} // namespace ptx
