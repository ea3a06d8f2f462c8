// moves.cc: values from register to register, packed and unpacked, chosen by predicates; addresses
// of memory, and from one address space to another.
// SPDX-License-Identifier: BSD-3-Clause
#include "address.h"
#include "lanes.h"

namespace ptx {
namespace {

struct Same {
  template <class T> static T of(T a) { return a; }
};

void move_predicate(Warp &w, const Instruction &i, Mask mask) {
  Mask *to = w.to<Mask>(i);
  *to = (*to & ~mask) | (*w.from<Mask>(i, 0) & mask);
}

template <class T> void choose(Warp &w, const Instruction &i, Mask mask) {
  T *to = w.to<T>(i);
  const T *a = w.from<T>(i, 0), *b = w.from<T>(i, 1);
  const Mask first = w.predicate(i.from[2]);
  each(mask, [=](unsigned l) { to[l] = first >> l & 1 ? a[l] : b[l]; });
}

// `count` sources, the first in the lowest bits.
void pack(Warp &w, const Instruction &i, Mask mask) {
  each(mask, [&](unsigned l) {
    uint64_t packed = 0;
    for (unsigned k = i.count; k-- > 0;)
      packed = packed << 8 * i.from[k].size | w.value(i.from[k], l);
    w.put(i.to[0], l, packed);
  });
}

void unpack(Warp &w, const Instruction &i, Mask mask) {
  each(mask, [&](unsigned l) {
    uint64_t packed = w.value(i.from[0], l);
    for (unsigned k = 0; k < i.count; k++) {
      if (i.to[k].area != nowhere)
        w.put(i.to[k], l, packed);
      packed >>= 8 * i.to[k].size;
    }
  });
}

void address_of(Warp &w, const Instruction &i, Mask mask) {
  each(mask, [&](unsigned l) { w.put(i.to[0], l, address(w, i.address, l)); });
}

// Shared memory has addresses of its own. All others are the host's.
void to_generic(Warp &w, const Instruction &i, Mask mask) {
  const uint64_t base = i.space == Space::shared ? reinterpret_cast<uint64_t>(w.block->shared) : 0;
  each(mask, [&](unsigned l) { w.put(i.to[0], l, w.value(i.from[0], l) + base); });
}

void from_generic(Warp &w, const Instruction &i, Mask mask) {
  const uint64_t base = i.space == Space::shared ? reinterpret_cast<uint64_t>(w.block->shared) : 0;
  each(mask, [&](unsigned l) { w.put(i.to[0], l, w.value(i.from[0], l) - base); });
}

std::vector<std::string> members_of(const std::string &braces) {
  return split(braces.substr(1, braces.size() - 2));
}

void decode_pack(Decoding &d) {
  const std::vector<std::string> parts = members_of(d.operands[1]);
  if (parts.empty() || parts.size() > 4)
    d.refuse();
  d.to(0, 0);
  d.i.count = static_cast<uint8_t>(parts.size());
  const unsigned bytes = d.type.bytes() / d.i.count;
  for (unsigned k = 0; k < d.i.count; k++)
    d.i.from[k] = d.scope.source(parts[k], bytes);
  d.i.run = pack;
}

void decode_unpack(Decoding &d) {
  const std::vector<std::string> parts = members_of(d.operands[0]);
  if (parts.empty() || parts.size() > 4)
    d.refuse();
  d.from(0, 1, d.type.bytes());
  d.i.count = static_cast<uint8_t>(parts.size());
  for (unsigned k = 0; k < d.i.count; k++)
    d.i.to[k] = d.scope.destination(parts[k], d.type.bytes() / d.i.count);
  d.i.run = unpack;
}

bool takes_address(Decoding &d) {
  const std::string &word = d.operands[1];
  if (!d.scope.names_memory(word.substr(0, word.find('+'))))
    return false;
  d.to(0, 0);
  d.i.address = d.scope.address("[" + word + "]");
  d.i.run = address_of;
  return true;
}

void move(Decoding &d) {
  d.want_operands(2, 2);
  if (d.operands[0][0] == '{')
    return decode_unpack(d);
  if (d.operands[1][0] == '{')
    return decode_pack(d);
  if (takes_address(d))
    return;
  plain_operands(d, 1);
  d.i.run = d.type.kind == 'p'
                ? move_predicate
                : for_words(d, [](auto x) -> Operation { return one_source<decltype(x), Same>; });
}

// cvta.space: to a generic address; cvta.to.space: from one.
void convert_address(Decoding &d) {
  d.want_operands(2, 2);
  const bool back = d.has("to"), shared = d.has("shared");
  d.i.space = shared ? Space::shared : Space::generic;
  if (!shared)
    d.one_of({"global", "local", "const", "param"});
  if (takes_address(d))
    return;
  plain_operands(d, 1);
  d.i.run = back ? from_generic : to_generic;
}

void select(Decoding &d) {
  d.want_operands(4, 4);
  d.to(0, 0);
  d.sources(1, 2, d.type.bytes());
  d.i.from[2] = d.scope.destination(d.operands[3], 0);
  d.i.run = for_words(d, [](auto x) -> Operation { return choose<decltype(x)>; });
}

} // namespace

void add_moves(Decoders &all) {
  all["mov"] = move;
  all["cvta"] = convert_address;
  all["selp"] = select;
}

} // namespace ptx
