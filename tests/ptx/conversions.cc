// conversions.cc: cvt. The registers may be wider than the types.
// SPDX-License-Identifier: BSD-3-Clause
#include "lanes.h"
#include <cmath>
#include <limits>
#include <type_traits>

namespace ptx {
namespace {

enum Rounding : uint8_t { as_is, to_nearest, to_zero, down, up };

template <class T> T rounded(T x, uint8_t rounding) {
  switch (rounding) {
  case to_nearest: return std::nearbyint(x);
  case to_zero: return std::trunc(x);
  case down: return std::floor(x);
  case up: return std::ceil(x);
  }
  return x;
}

// What is not a number gives 0 from float to 32 bits or fewer, and else the highest bit alone.
template <class From, class To> To integer_of(From x, uint8_t rounding) {
  using Limits = std::numeric_limits<To>;
  if (x != x)
    return sizeof(To) == 8 || sizeof(From) == 8 ? static_cast<To>(uint64_t(1) << (8 * sizeof(To) - 1)) : To(0);
  const double whole = rounded(static_cast<double>(x), rounding);
  if (whole <= static_cast<double>(Limits::min()))
    return Limits::min();
  return whole >= static_cast<double>(Limits::max()) ? Limits::max() : static_cast<To>(whole);
}

template <class From, class To> To converted(From x, uint8_t rounding) {
  if constexpr (std::is_integral_v<From>)
    return static_cast<To>(x);
  else if constexpr (std::is_integral_v<To>)
    return integer_of<From, To>(x, rounding);
  else
    return static_cast<To>(rounded(x, rounding));
}

template <class From, class To> void convert(Warp &w, const Instruction &i, Mask mask) {
  each(mask, [&](unsigned l) {
    const uint64_t source = w.value(i.from[0], l);
    From x;
    memcpy(&x, &source, sizeof x);
    const To made = converted<From, To>(x, i.variant);
    uint64_t bits = 0;
    if constexpr (std::is_integral_v<To>)
      bits = static_cast<uint64_t>(static_cast<int64_t>(made));
    else
      memcpy(&bits, &made, sizeof made);
    w.put(i.to[0], l, bits);
  });
}

template <class Make> Operation for_any(Decoding &d, Type type, Make make) {
  if (type.kind == 'f' && type.bits >= 32)
    return type.bits == 32 ? make(float()) : make(double());
  const bool is_signed = type.kind == 's';
  if (type.kind != 'f')
    switch (type.bits) {
    case 8: return is_signed ? make(int8_t()) : make(uint8_t());
    case 16: return is_signed ? make(int16_t()) : make(uint16_t());
    case 32: return is_signed ? make(int32_t()) : make(uint32_t());
    case 64: return is_signed ? make(int64_t()) : make(uint64_t());
    }
  d.refuse();
}

uint8_t rounding_of(Decoding &d, Type to, Type from) {
  if (to.kind != 'f' || (from.kind == 'f' && to.bits == from.bits)) {
    if (from.kind != 'f')
      return as_is;
    return static_cast<uint8_t>(to_nearest + d.one_of({"rni", "rzi", "rmi", "rpi"}));
  }
  const bool exact = from.kind == 'f' && from.bits < to.bits;
  if (!exact && !d.has("rn"))
    d.refuse();
  return as_is;
}

void decode_conversion(Decoding &d) {
  d.want_operands(2, 2);
  if (d.types.size() != 2)
    d.refuse();
  const Type to = d.types[0], from = d.types[1];
  d.i.to[0] = d.scope.destination(d.operands[0], to.bytes());
  d.i.from[0] = d.scope.source(d.operands[1], from.bytes());
  if (d.i.to[0].size < to.bytes() || d.i.from[0].size < from.bytes())
    d.refuse("has a register that is too small");
  d.i.variant = rounding_of(d, to, from);
  d.i.run = for_any(d, from, [&](auto x) {
    return for_any(d, to, [](auto y) -> Operation { return convert<decltype(x), decltype(y)>; });
  });
}

} // namespace

void add_conversions(Decoders &all) { all["cvt"] = decode_conversion; }

} // namespace ptx
