// comparisons.cc: setp, of integers and reals.
// SPDX-License-Identifier: BSD-3-Clause
#include "lanes.h"
#include <functional>

namespace ptx {
namespace {

// What may hold of two values, of which one does; unordered: one is not a number. A relation is
// several of them.
enum Case : uint8_t { less = 1, equal = 2, greater = 4, unordered = 8 };

constexpr struct {
  const char *name;
  uint8_t cases;
} relations[] = {{"eq", equal},
                 {"ne", less | greater},
                 {"lt", less},
                 {"le", less | equal},
                 {"gt", greater},
                 {"ge", greater | equal},
                 {"neu", less | greater | unordered},
                 {"ltu", less | unordered},
                 {"leu", less | equal | unordered},
                 {"gtu", greater | unordered},
                 {"geu", greater | equal | unordered}};

template <class T, class Holds> Mask where(const T *a, const T *b, Holds holds) {
  Mask found = 0;
  for (unsigned l = 0; l < lanes; l++)
    found |= static_cast<Mask>(holds(a[l], b[l])) << l;
  return found;
}

template <class T> void set(Warp &w, const Instruction &i, Mask mask) {
  const T *a = w.from<T>(i, 0), *b = w.from<T>(i, 1);
  const bool all = i.variant & unordered;
  const Mask is_less = all || i.variant & less ? where(a, b, std::less<T>()) : 0;
  const Mask is_equal = all || i.variant & equal ? where(a, b, std::equal_to<T>()) : 0;
  const Mask is_greater = all || i.variant & greater ? where(a, b, std::greater<T>()) : 0;
  Mask found = all ? ~(is_less | is_equal | is_greater) : 0;
  found |= i.variant & less ? is_less : 0;
  found |= i.variant & equal ? is_equal : 0;
  found |= i.variant & greater ? is_greater : 0;
  Mask *to = w.to<Mask>(i);
  *to = (*to & ~mask) | (found & mask);
}

void decode_comparison(Decoding &d) {
  d.want_operands(3, 3);
  d.i.to[0] = d.scope.destination(d.operands[0], 0);
  d.sources(1, 2, d.type.bytes());
  for (const auto &relation : relations)
    if (d.has(relation.name))
      d.i.variant = relation.cases;
  if (!d.i.variant || (d.i.variant & unordered && d.type.kind != 'f'))
    d.refuse();
  d.i.run = for_numbers(d, [](auto x) -> Operation { return set<decltype(x)>; });
}

} // namespace

void add_comparisons(Decoders &all) { all["setp"] = decode_comparison; }

} // namespace ptx
