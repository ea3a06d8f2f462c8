// integers.cc: arithmetic of integers: sums, products, quotients, carries, sums of four products.
// SPDX-License-Identifier: BSD-3-Clause
#include "lanes.h"
#include <type_traits>

namespace ptx {
namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T> struct Twice;
template <> struct Twice<int16_t> { using type = int32_t; };
template <> struct Twice<uint16_t> { using type = uint32_t; };
template <> struct Twice<int32_t> { using type = int64_t; };
template <> struct Twice<uint32_t> { using type = uint64_t; };
template <> struct Twice<int64_t> { using type = __int128; };
template <> struct Twice<uint64_t> { using type = unsigned __int128; };
template <class T> using Wide = typename Twice<T>::type;
template <class T> constexpr unsigned bits = 8 * sizeof(T);

struct Add {
  template <class T> static T of(T a, T b) { return static_cast<T>(uint64_t(a) + uint64_t(b)); }
};
struct Subtract {
  template <class T> static T of(T a, T b) { return static_cast<T>(uint64_t(a) - uint64_t(b)); }
};
struct Least {
  template <class T> static T of(T a, T b) { return a < b ? a : b; }
};
struct Greatest {
  template <class T> static T of(T a, T b) { return a > b ? a : b; }
};
struct MultiplyLow {
  template <class T> static T of(T a, T b) { return static_cast<T>(uint64_t(a) * uint64_t(b)); }
};
struct MultiplyHigh {
  template <class T> static T of(T a, T b) { return static_cast<T>(Wide<T>(a) * Wide<T>(b) >> bits<T>); }
};
struct MultiplyWide {
  template <class T> static Wide<T> of(T a, T b) { return Wide<T>(a) * Wide<T>(b); }
};
// What a machine gives for a divisor of zero, and for the least number by -1, is its own affair.
struct Divide {
  template <class T> static T of(T a, T b) {
    if (b == 0)
      return static_cast<T>(-1);
    return std::is_signed_v<T> && b == T(-1) ? static_cast<T>(0 - uint64_t(a)) : static_cast<T>(a / b);
  }
};
struct Remainder {
  template <class T> static T of(T a, T b) {
    if (b == 0)
      return a;
    return std::is_signed_v<T> && b == T(-1) ? T(0) : static_cast<T>(a % b);
  }
};
struct Negate {
  template <class T> static T of(T a) { return static_cast<T>(0 - uint64_t(a)); }
};
struct Absolute {
  template <class T> static T of(T a) { return a < 0 ? static_cast<T>(0 - uint64_t(a)) : a; }
};
template <class Multiply> struct MultiplyAdd {
  template <class T> static T of(T a, T b, T c) { return Add::of<T>(Multiply::template of<T>(a, b), c); }
};

template <class T> void multiply_add_wide(Warp &w, const Instruction &i, Mask mask) {
  Wide<T> *to = w.to<Wide<T>>(i);
  const T *a = w.from<T>(i, 0), *b = w.from<T>(i, 1);
  const Wide<T> *c = w.from<Wide<T>>(i, 2);
  each(mask, [=](unsigned l) { to[l] = Add::of<Wide<T>>(MultiplyWide::of<T>(a[l], b[l]), c[l]); });
}

// variant: 1 takes the carry, 2 leaves one, 4 subtracts.
template <class T> void add_with_carry(Warp &w, const Instruction &i, Mask mask) {
  T *to = w.to<T>(i);
  const T *a = w.from<T>(i, 0), *b = w.from<T>(i, 1);
  each(mask, [&](unsigned l) {
    const unsigned carry = i.variant & 1 ? w.carry[l] : 0;
    const unsigned __int128 wide =
        i.variant & 4 ? (unsigned __int128)a[l] - b[l] - carry : (unsigned __int128)a[l] + b[l] + carry;
    to[l] = static_cast<T>(wide);
    if (i.variant & 2)
      w.carry[l] = static_cast<uint8_t>(wide >> bits<T> & 1);
  });
}

// variant: as above, and 8 takes the high half of the product.
template <class T> void multiply_add_with_carry(Warp &w, const Instruction &i, Mask mask) {
  using U = Unsigned<T>;
  U *to = w.to<U>(i);
  const T *a = w.from<T>(i, 0), *b = w.from<T>(i, 1);
  const U *c = w.from<U>(i, 2);
  each(mask, [&](unsigned l) {
    const U part = i.variant & 8 ? static_cast<U>(MultiplyHigh::of<T>(a[l], b[l]))
                                 : static_cast<U>(MultiplyLow::of<T>(a[l], b[l]));
    const unsigned __int128 sum = (unsigned __int128)part + c[l] + (i.variant & 1 ? w.carry[l] : 0u);
    to[l] = static_cast<U>(sum);
    if (i.variant & 2)
      w.carry[l] = static_cast<uint8_t>(sum >> bits<T> & 1);
  });
}

// Four products of bytes. variant: 1 the first are signed, 2 the second are.
void four_products(Warp &w, const Instruction &i, Mask mask) {
  uint32_t *to = w.to<uint32_t>(i);
  const uint32_t *a = w.from<uint32_t>(i, 0), *b = w.from<uint32_t>(i, 1), *c = w.from<uint32_t>(i, 2);
  const auto byte = [](uint32_t word, int k, bool is_signed) {
    const uint8_t found = static_cast<uint8_t>(word >> 8 * k);
    return is_signed ? static_cast<int>(static_cast<int8_t>(found)) : static_cast<int>(found);
  };
  each(mask, [&](unsigned l) {
    uint32_t sum = c[l];
    for (int k = 0; k < 4; k++)
      sum += static_cast<uint32_t>(byte(a[l], k, i.variant & 1) * byte(b[l], k, i.variant & 2));
    to[l] = sum;
  });
}

// The lesser, or the greater (variant 1), of both halves.
void halves(Warp &w, const Instruction &i, Mask mask) {
  uint32_t *to = w.to<uint32_t>(i);
  const uint32_t *a = w.from<uint32_t>(i, 0), *b = w.from<uint32_t>(i, 1);
  each(mask, [&](unsigned l) {
    uint32_t both = 0;
    for (int k = 0; k < 32; k += 16) {
      const uint32_t x = a[l] >> k & 0xffff, y = b[l] >> k & 0xffff;
      const bool less = i.is_signed ? static_cast<int16_t>(x) < static_cast<int16_t>(y) : x < y;
      both |= (less == (i.variant == 0) ? x : y) << k;
    }
    to[l] = both;
  });
}

template <class Op> void of_two(Decoding &d) {
  plain_operands(d, 2);
  d.i.run = for_integers(d, [](auto x) -> Operation { return two_sources<decltype(x), Op>; });
}
template <class Op> void of_one(Decoding &d) {
  plain_operands(d, 1);
  d.i.run = for_integers(d, [](auto x) -> Operation { return one_source<decltype(x), Op>; });
}

// add, sub; with .cc, and addc, subc.
void sum(Decoding &d) {
  if (d.type.kind == 'f')
    return decode_real(d);
  const bool takes = d.name.size() == 4, leaves = d.has("cc"), subtracts = d.name[0] == 's';
  if (!takes && !leaves)
    return subtracts ? of_two<Subtract>(d) : of_two<Add>(d);
  plain_operands(d, 2);
  d.i.variant = static_cast<uint8_t>(takes | leaves << 1 | subtracts << 2);
  if (d.type.bits == 16)
    d.refuse();
  d.i.run = d.type.bits == 32 ? add_with_carry<uint32_t> : add_with_carry<uint64_t>;
}

template <class Op> Operation narrow_only(Decoding &d) {
  if (d.type.bits == 32)
    return d.i.is_signed ? Operation(two_sources<int32_t, Op>) : Operation(two_sources<uint32_t, Op>);
  if (d.type.bits == 16)
    return d.i.is_signed ? Operation(two_sources<int16_t, Op>) : Operation(two_sources<uint16_t, Op>);
  d.refuse();
}

void product(Decoding &d) {
  if (d.type.kind == 'f')
    return decode_real(d);
  switch (d.one_of({"lo", "hi", "wide"})) {
  case 0: return of_two<MultiplyLow>(d);
  case 1: return of_two<MultiplyHigh>(d);
  }
  d.to(0, 0, 2 * d.type.bytes());
  d.sources(1, 2, d.type.bytes());
  d.i.run = narrow_only<MultiplyWide>(d);
}

Operation multiply_add(Decoding &d, bool high) {
  return for_integers(d, [=](auto x) -> Operation {
    using T = decltype(x);
    return high ? three_sources<T, MultiplyAdd<MultiplyHigh>> : three_sources<T, MultiplyAdd<MultiplyLow>>;
  });
}

// mad, madc
void product_and_sum(Decoding &d) {
  const uint8_t part = d.one_of({"lo", "hi", "wide"});
  const bool takes = d.name.size() == 4, leaves = d.has("cc");
  if (part == 2) {
    if (d.type.bits != 32 || takes || leaves)
      d.refuse();
    d.to(0, 0, 8);
    d.sources(1, 2, 4);
    d.from(2, 3, 8);
    d.i.run = d.i.is_signed ? multiply_add_wide<int32_t> : multiply_add_wide<uint32_t>;
    return;
  }
  plain_operands(d, 3);
  if (!takes && !leaves) {
    d.i.run = multiply_add(d, part == 1);
    return;
  }
  d.i.variant = static_cast<uint8_t>(takes | leaves << 1 | (part == 1) << 3);
  d.i.run = for_integers(d, [](auto x) -> Operation { return multiply_add_with_carry<decltype(x)>; });
}

template <class Op> void least_or_greatest(Decoding &d) {
  if (d.has("u16x2") || d.has("s16x2")) {
    d.type = {'b', 32};
    plain_operands(d, 2);
    d.i.variant = std::is_same_v<Op, Greatest>;
    d.i.is_signed = d.has("s16x2");
    d.i.run = halves;
  } else if (d.type.kind == 'f') {
    decode_real(d);
  } else {
    of_two<Op>(d);
  }
}

// vmin2, vmax2: of halves; the last operand counts only where things are added up.
void video(Decoding &d) {
  if (d.types.size() != 3)
    d.refuse();
  d.want_operands(4, 4);
  d.type = d.types.back();
  d.to(0, 0);
  d.sources(1, 2, 4);
  d.i.variant = d.name == "vmax2";
  d.i.run = halves;
}

void products_of_bytes(Decoding &d) {
  if (d.types.size() != 2)
    d.refuse();
  d.i.variant = static_cast<uint8_t>((d.types[0].kind == 's') | (d.types[1].kind == 's') << 1);
  plain_operands(d, 3);
  d.i.run = four_products;
}

template <class Op> void sign(Decoding &d) { d.type.kind == 'f' ? decode_real(d) : of_one<Op>(d); }
void quotient(Decoding &d) { d.type.kind == 'f' ? decode_real(d) : of_two<Divide>(d); }

} // namespace

void add_integers(Decoders &all) {
  all["add"] = all["addc"] = all["sub"] = all["subc"] = sum;
  all["mul"] = product;
  all["mad"] = all["madc"] = product_and_sum;
  all["div"] = quotient;
  all["rem"] = of_two<Remainder>;
  all["min"] = least_or_greatest<Least>;
  all["max"] = least_or_greatest<Greatest>;
  all["vmin2"] = all["vmax2"] = video;
  all["neg"] = sign<Negate>;
  all["abs"] = sign<Absolute>;
  all["dp4a"] = products_of_bytes;
}

} // namespace ptx
