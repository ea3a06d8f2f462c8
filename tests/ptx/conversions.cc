// conversions.cc: cvt. The registers may be wider than the types.
// SPDX-License-Identifier: BSD-3-Clause
#include "lanes.h"
#include <cmath>
#include <limits>
#include <type_traits>

namespace ptx {
namespace {

// variant: reals become the nearest integer, else that towards zero. What is not a number gives 0
// from float to 32 bits or fewer, and else the highest bit alone.
template <class From, class To> To integer_of(From x, bool nearest) {
  using Limits = std::numeric_limits<To>;
  if (x != x)
    return sizeof(To) == 8 || sizeof(From) == 8 ? static_cast<To>(uint64_t(1) << (8 * sizeof(To) - 1)) : To(0);
  const double whole = nearest ? std::nearbyint(static_cast<double>(x)) : std::trunc(static_cast<double>(x));
  if (whole <= static_cast<double>(Limits::min()))
    return Limits::min();
  return whole >= static_cast<double>(Limits::max()) ? Limits::max() : static_cast<To>(whole);
}

template <class From, class To> To converted(From x, bool nearest) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>)
    return integer_of<From, To>(x, nearest);
  else
    return static_cast<To>(x);
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

void take_rounding(Decoding &d, Type to, Type from) {
  if (from.kind == 'f' && to.kind != 'f')
    d.i.variant = d.one_of({"rzi", "rni"});
  else if (to.kind == 'f' && (from.kind != 'f' || from.bits >= to.bits) && !d.has("rn"))
    d.refuse();
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
  take_rounding(d, to, from);
  d.i.run = for_any(d, from, [&](auto x) {
    return for_any(d, to, [](auto y) -> Operation { return convert<decltype(x), decltype(y)>; });
  });
}

} // namespace

void add_conversions(Decoders &all) { all["cvt"] = decode_conversion; }

} // namespace ptx
