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
  static uint32_t of(uint64_t a) { return static_cast<uint32_t>(__builtin_popcountll(a)); }
};
struct Reverse {
  template <class T> static T of(T a) {
    T reversed = 0;
    for (unsigned k = 0; k < bits<T>; k++)
      reversed |= (a >> k & 1) << (bits<T> - 1 - k);
    return reversed;
  }
};
// The place of the first bit that is not the sign.
struct Highest {
  template <class T> static uint32_t of(T a) {
    using U = std::make_unsigned_t<T>;
    const U bits_of = static_cast<U>(a < 0 ? ~a : a);
    return bits_of ? bits<T> - 1 - (LeadingZeros::of(uint64_t(bits_of)) - (64 - bits<T>)) : ~0u;
  }
};
struct ShiftToHighest {
  template <class T> static uint32_t of(T a) {
    const uint32_t found = Highest::of(a);
    return found == ~0u ? found : bits<T> - 1 - found;
  }
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

// A word of two, shifted. variant: 1 to the right, 2 by at most 32, else by the count modulo 32.
void funnel_shift(Warp &w, const Instruction &i, Mask mask) {
  uint32_t *to = w.to<uint32_t>(i);
  const uint32_t *low = w.from<uint32_t>(i, 0), *high = w.from<uint32_t>(i, 1), *by = w.from<uint32_t>(i, 2);
  const bool right = i.variant & 1, clamps = i.variant & 2;
  each(mask, [=](unsigned l) {
    const uint32_t n = clamps ? std::min(by[l], 32u) : by[l] & 31;
    const uint64_t both = uint64_t(high[l]) << 32 | low[l];
    to[l] = right ? static_cast<uint32_t>(both >> n) : static_cast<uint32_t>(both >> (32 - n));
  });
}

// Any function of three bits, by its table.
void logic_of_three(Warp &w, const Instruction &i, Mask mask) {
  uint32_t *to = w.to<uint32_t>(i);
  const uint32_t *a = w.from<uint32_t>(i, 0), *b = w.from<uint32_t>(i, 1), *c = w.from<uint32_t>(i, 2),
                 *table = w.from<uint32_t>(i, 3);
  each(mask, [=](unsigned l) {
    uint32_t made = 0;
    for (unsigned k = 0; k < 8; k++)
      if (table[l] >> k & 1)
        made |= (k & 4 ? a[l] : ~a[l]) & (k & 2 ? b[l] : ~b[l]) & (k & 1 ? c[l] : ~c[l]);
    to[l] = made;
  });
}

template <class T> void field(Warp &w, const Instruction &i, Mask mask) {
  T *to = w.to<T>(i);
  const T *a = w.from<T>(i, 0);
  const uint32_t *first = w.from<uint32_t>(i, 1), *count = w.from<uint32_t>(i, 2);
  each(mask, [=](unsigned l) {
    const unsigned at = first[l] & 255, n = count[l] & 255;
    const unsigned top = std::min(at + n - 1, bits<T> - 1);
    const bool ones = std::is_signed_v<T> && n && (a[l] >> top & 1);
    uint64_t made = ones ? ~uint64_t(0) : 0;
    for (unsigned k = 0; k < n && at + k < bits<T>; k++) {
      const uint64_t bit = static_cast<uint64_t>(a[l]) >> (at + k) & 1;
      made = (made & ~(uint64_t(1) << k)) | bit << k;
    }
    to[l] = static_cast<T>(made);
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

void funnel(Decoding &d) {
  plain_operands(d, 3);
  const uint8_t right = d.one_of({"l", "r"}), clamps = d.one_of({"wrap", "clamp"});
  d.i.variant = static_cast<uint8_t>(right | clamps << 1);
  d.i.run = funnel_shift;
}

void logic_table(Decoding &d) {
  plain_operands(d, 4);
  d.i.run = logic_of_three;
}

void permute(Decoding &d) {
  plain_operands(d, 3);
  d.i.run = three_sources<uint32_t, Permute>;
}

void extract(Decoding &d) {
  d.want_operands(4, 4);
  d.to(0, 0);
  d.from(0, 1, d.type.bytes());
  d.sources(2, 2, 4, 1);
  d.i.run = for_integers(d, [](auto x) -> Operation { return field<decltype(x)>; });
}

void insert(Decoding &d) {
  d.want_operands(5, 5);
  d.to(0, 0);
  d.sources(1, 2, d.type.bytes());
  d.sources(3, 2, 4, 2);
  d.i.run = for_words(d, [](auto x) -> Operation { return insert_field<decltype(x)>; });
}

// The result has 32 bits whatever the source has.
template <class Op> void count(Decoding &d) {
  d.want_operands(2, 2);
  d.to(0, 0, 4);
  d.from(0, 1, d.type.bytes());
  if (d.type.bits < 32)
    d.refuse();
  d.i.run = d.type.bits == 32 ? one_source<uint32_t, Op> : one_source<uint64_t, Op>;
}

template <class Op> Operation highest_of(Decoding &d) {
  return for_integers(d, [](auto x) -> Operation { return one_source<decltype(x), Op>; });
}

void highest(Decoding &d) {
  d.want_operands(2, 2);
  d.to(0, 0, 4);
  d.from(0, 1, d.type.bytes());
  d.i.run = d.has("shiftamt") ? highest_of<ShiftToHighest>(d) : highest_of<Highest>(d);
}

void reverse(Decoding &d) {
  plain_operands(d, 1);
  d.i.run = for_words(d, [](auto x) -> Operation { return one_source<decltype(x), Reverse>; });
}

} // namespace

void add_bits(Decoders &all) {
  all["and"] = logic<And>;
  all["or"] = logic<Or>;
  all["xor"] = logic<Xor>;
  all["not"] = complement;
  all["shl"] = all["shr"] = shift;
  all["shf"] = funnel;
  all["lop3"] = logic_table;
  all["prmt"] = permute;
  all["bfe"] = extract;
  all["bfi"] = insert;
  all["clz"] = count<LeadingZeros>;
  all["popc"] = count<Count>;
  all["bfind"] = highest;
  all["brev"] = reverse;
}

} // namespace ptx
