// bits.cc: logic, shifts, fields and counts of bits, bytes picked from two words.
// SPDX-License-Identifier: BSD-3-Clause
#include "lanes.h"
#include <algorithm>
#include <type_traits>

namespace ptx {
namespace {

template <class T> constexpr unsigned bits = 8 * sizeof(T);

struct And {
  template <class T> static T of(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T of(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T of(T a, T b) { return a ^ b; }
};
struct Not {
  template <class T> static T of(T a) { return static_cast<T>(~a); }
};
struct LeadingZeros {
  static uint32_t of(uint32_t a) { return a ? static_cast<uint32_t>(__builtin_clz(a)) : 32; }
  static uint32_t of(uint64_t a) { return a ? static_cast<uint32_t>(__builtin_clzll(a)) : 64; }
};
struct Count {
  static uint32_t of(uint32_t a) { return static_cast<uint32_t>(__builtin_popcount(a)); }
};
struct Reverse {
  static uint32_t of(uint32_t a) {
    uint32_t reversed = 0;
    for (unsigned k = 0; k < 32; k++)
      reversed |= (a >> k & 1) << (31 - k);
    return reversed;
  }
};
// The low word of two that are shifted to the right, by the count modulo 32.
struct FunnelShift {
  static uint32_t of(uint32_t low, uint32_t high, uint32_t by) {
    return static_cast<uint32_t>((uint64_t(high) << 32 | low) >> (by & 31));
  }
};
// How far the highest bit is from the top.
struct ShiftOfHighest {
  static uint32_t of(uint32_t a) { return a ? LeadingZeros::of(a) : ~0u; }
};
// Four bytes of eight, by four selectors; a selector's highest bit spreads the byte's sign.
struct Permute {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    const uint64_t both = uint64_t(b) << 32 | a;
    uint32_t picked = 0;
    for (int k = 0; k < 4; k++) {
      const uint32_t selector = c >> 4 * k & 15, byte = both >> 8 * (selector & 7) & 255;
      picked |= (selector & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * k;
    }
    return picked;
  }
};

template <class T> void shift_left(Warp &w, const Instruction &i, Mask mask) {
  T *to = w.to<T>(i);
  const T *a = w.from<T>(i, 0);
  const uint32_t *by = w.from<uint32_t>(i, 1);
  each(mask, [=](unsigned l) { to[l] = by[l] >= bits<T> ? T(0) : static_cast<T>(a[l] << by[l]); });
}

template <class T> void shift_right(Warp &w, const Instruction &i, Mask mask) {
  T *to = w.to<T>(i);
  const T *a = w.from<T>(i, 0);
  const uint32_t *by = w.from<uint32_t>(i, 1);
  each(mask, [=](unsigned l) {
    to[l] = by[l] < bits<T> ? static_cast<T>(a[l] >> by[l]) : static_cast<T>(a[l] < 0 ? -1 : 0);
  });
}

template <class T> void insert_field(Warp &w, const Instruction &i, Mask mask) {
  T *to = w.to<T>(i);
  const T *a = w.from<T>(i, 0), *b = w.from<T>(i, 1);
  const uint32_t *first = w.from<uint32_t>(i, 2), *count = w.from<uint32_t>(i, 3);
  each(mask, [=](unsigned l) {
    const unsigned at = first[l] & 255, n = count[l] & 255;
    const T ones = n < bits<T> ? static_cast<T>((T(1) << n) - 1) : static_cast<T>(~T(0));
    const T field = at < bits<T> ? static_cast<T>(ones << at) : T(0);
    to[l] = static_cast<T>((b[l] & ~field) | (at < bits<T> ? a[l] << at & field : T(0)));
  });
}

template <class Op> void predicates(Warp &w, const Instruction &i, Mask mask) {
  Mask *to = w.to<Mask>(i);
  *to = (*to & ~mask) | (Op::template of<Mask>(*w.from<Mask>(i, 0), *w.from<Mask>(i, 1)) & mask);
}

void not_predicate(Warp &w, const Instruction &i, Mask mask) {
  Mask *to = w.to<Mask>(i);
  *to = (*to & ~mask) | (~*w.from<Mask>(i, 0) & mask);
}

template <class Op> void logic(Decoding &d) {
  plain_operands(d, 2);
  d.i.run = d.type.kind == 'p' ? predicates<Op>
                               : for_words(d, [](auto x) -> Operation { return two_sources<decltype(x), Op>; });
}

void complement(Decoding &d) {
  plain_operands(d, 1);
  d.i.run = d.type.kind == 'p' ? not_predicate
                               : for_words(d, [](auto x) -> Operation { return one_source<decltype(x), Not>; });
}

void shift(Decoding &d) {
  d.want_operands(3, 3);
  d.to(0, 0);
  d.from(0, 1, d.type.bytes());
  d.from(1, 2, 4);
  d.i.run = d.name == "shl" ? for_words(d, [](auto x) -> Operation { return shift_left<decltype(x)>; })
                            : for_integers(d, [](auto x) -> Operation { return shift_right<decltype(x)>; });
}

template <class Op> void of_word(Decoding &d) {
  if (d.type.bits != 32)
    d.refuse();
  plain_operands(d, 1);
  d.i.run = one_source<uint32_t, Op>;
}

void highest(Decoding &d) {
  if (!d.has("shiftamt") || d.i.is_signed)
    d.refuse();
  of_word<ShiftOfHighest>(d);
}

void funnel(Decoding &d) {
  if (!d.has("r") || !d.has("wrap"))
    d.refuse();
  plain_operands(d, 3);
  d.i.run = three_sources<uint32_t, FunnelShift>;
}

void permute(Decoding &d) {
  plain_operands(d, 3);
  d.i.run = three_sources<uint32_t, Permute>;
}

void insert(Decoding &d) {
  d.want_operands(5, 5);
  d.to(0, 0);
  d.sources(1, 2, d.type.bytes());
  d.sources(3, 2, 4, 2);
  d.i.run = for_words(d, [](auto x) -> Operation { return insert_field<decltype(x)>; });
}

// The result has 32 bits whatever the source has.
void leading_zeros(Decoding &d) {
  d.want_operands(2, 2);
  d.to(0, 0, 4);
  d.from(0, 1, d.type.bytes());
  if (d.type.bits < 32)
    d.refuse();
  d.i.run = d.type.bits == 32 ? one_source<uint32_t, LeadingZeros> : one_source<uint64_t, LeadingZeros>;
}

} // namespace

void add_bits(Decoders &all) {
  all["and"] = logic<And>;
  all["or"] = logic<Or>;
  all["xor"] = logic<Xor>;
  all["not"] = complement;
  all["shl"] = all["shr"] = shift;
  all["shf"] = funnel;
  all["prmt"] = permute;
  all["bfi"] = insert;
  all["clz"] = leading_zeros;
  all["popc"] = of_word<Count>;
  all["bfind"] = highest;
  all["brev"] = of_word<Reverse>;
}

} // namespace ptx
