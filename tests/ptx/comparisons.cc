// comparisons.cc: setp, of integers and reals, joined with another predicate.
// SPDX-License-Identifier: BSD-3-Clause
#include "lanes.h"
#include <type_traits>

namespace ptx {
namespace {

enum Relation : uint8_t { equal, unequal, less, less_equal, greater, greater_equal, is_nan, is_number };
enum Joint : uint8_t { alone, with_and, with_or, with_xor };
constexpr uint8_t unordered = 8; // true where one is not a number; a bit of the relation

template <class T, int relation> Mask compare(const T *a, const T *b) {
  Mask found = 0;
  for (unsigned l = 0; l < lanes; l++) {
    bool holds = false;
    switch (relation & 7) {
    case equal: holds = a[l] == b[l]; break;
    case unequal: holds = a[l] < b[l] || a[l] > b[l]; break;
    case less: holds = a[l] < b[l]; break;
    case less_equal: holds = a[l] <= b[l]; break;
    case greater: holds = a[l] > b[l]; break;
    case greater_equal: holds = a[l] >= b[l]; break;
    case is_nan: holds = a[l] != a[l] || b[l] != b[l]; break;
    case is_number: holds = a[l] == a[l] && b[l] == b[l]; break;
    }
    if (relation & unordered)
      holds |= a[l] != a[l] || b[l] != b[l];
    found |= static_cast<Mask>(holds) << l;
  }
  return found;
}

Mask joined(Mask found, Mask other, uint8_t joint) {
  switch (joint) {
  case with_and: return found & other;
  case with_or: return found | other;
  case with_xor: return found ^ other;
  }
  return found;
}

template <class T, int relation> void set(Warp &w, const Instruction &i, Mask mask) {
  const Mask found = compare<T, relation>(w.from<T>(i, 0), w.from<T>(i, 1));
  Mask other = 0;
  if (i.variant != alone)
    other = w.predicate(i.from[2]) ^ (i.negated_source ? all_lanes : 0);
  Mask *to = w.to<Mask>(i, 0);
  *to = (*to & ~mask) | (joined(found, other, i.variant) & mask);
  if (i.to[1].area == nowhere)
    return;
  Mask *against = w.to<Mask>(i, 1);
  *against = (*against & ~mask) | (joined(~found, other, i.variant) & mask);
}

template <class T> Operation with_relation(unsigned relation) {
  constexpr Operation ordered[] = {set<T, 0>, set<T, 1>, set<T, 2>, set<T, 3>,
                                   set<T, 4>, set<T, 5>, set<T, 6>, set<T, 7>};
  if constexpr (std::is_floating_point_v<T>) {
    constexpr Operation either[] = {set<T, 8>, set<T, 9>, set<T, 10>, set<T, 11>, set<T, 12>, set<T, 13>};
    if (relation & unordered)
      return either[relation & 7];
  }
  return ordered[relation & 7];
}

unsigned relation_of(Decoding &d) {
  static const char *const names[] = {"eq", "ne", "lt", "le", "gt", "ge", "nan", "num"};
  static const char *const unsigned_names[] = {"", "", "lo", "ls", "hi", "hs"};
  for (unsigned k = 0; k < 8; k++)
    if (d.has(names[k]))
      return k;
  for (unsigned k = 0; k < 6; k++)
    if (d.has((std::string(names[k]) + "u").c_str()))
      return k | unordered;
  for (unsigned k = 2; k < 6; k++)
    if (d.has(unsigned_names[k]))
      return k;
  d.refuse();
}

// "%p|%q": the second gets the opposite.
void take_results(Decoding &d) {
  const std::string both = d.operands[0];
  const size_t bar = both.find('|');
  d.i.to[0] = d.scope.destination(trimmed(both.substr(0, bar)), 0);
  if (bar != std::string::npos)
    d.i.to[1] = d.scope.destination(trimmed(both.substr(bar + 1)), 0);
}

void decode_comparison(Decoding &d) {
  d.want_operands(3, 4);
  take_results(d);
  d.sources(1, 2, d.type.bytes());
  if (d.operands.size() > 3) {
    d.predicate_from(2, 3);
    d.i.variant = static_cast<uint8_t>(with_and + d.one_of({"and", "or", "xor"}));
  }
  const unsigned relation = relation_of(d);
  const auto chosen = [=](auto x) -> Operation { return with_relation<decltype(x)>(relation); };
  d.i.run = d.type.kind == 'f' ? for_reals(d, chosen) : for_integers(d, chosen);
}

} // namespace

void add_comparisons(Decoders &all) { all["setp"] = decode_comparison; }

} // namespace ptx
