// atomics.cc: atom, of integers in global and shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "address.h"
#include "decode.h"
#include "order.h"

namespace ptx {
namespace {

enum Change : uint8_t { add, least, greatest, exchange, bits_or };

template <class T> T changed(uint8_t change, T old, T value) {
  switch (change) {
  case add: return static_cast<T>(static_cast<uint64_t>(old) + static_cast<uint64_t>(value));
  case least: return value < old ? value : old;
  case greatest: return value > old ? value : old;
  case exchange: return value;
  case bits_or: return old | value;
  }
  return old;
}

void note(Warp &w, const Reach &at, uint64_t address, unsigned bytes, unsigned lane) {
  Block &block = *w.block;
  if (at.kind == Reach::shared && block.races)
    block.races->write(w, lane, at.offset, bytes, true);
  if (at.kind != Reach::global)
    return;
  block.launch->polls = 0;
  if (block.held)
    block.held->publish(address, bytes);
  if (GlobalRaces *races = block.launch->races.get()) {
    races->access(w, lane, address, bytes, GlobalRaces::strong);
    races->hear(w, lane, address, bytes);
    races->tell(w, lane, address, bytes, true);
  }
}

template <class T> void change(Warp &w, const Instruction &i, Mask mask) {
  for (Mask left = mask; left; left &= left - 1) {
    const unsigned l = static_cast<unsigned>(__builtin_ctz(left));
    const uint64_t where = address(w, i.address, l);
    const Reach at = reach(w, i, where, sizeof(T), l);
    note(w, at, where, sizeof(T), l);
    T old;
    memcpy(&old, at.data, sizeof old);
    const T value = static_cast<T>(w.value(i.from[0], l));
    const T now = changed(i.variant, old, value);
    memcpy(at.data, &now, sizeof now);
    if (i.to[0].area != nowhere)
      w.put(i.to[0], l, static_cast<uint64_t>(old));
  }
}

void decode_atomic(Decoding &d) {
  d.i.space = d.has("global") ? Space::global : d.has("shared") ? Space::shared : Space::generic;
  d.i.strong = true;
  d.i.variant = d.one_of({"add", "min", "max", "exch", "or"});
  d.want_operands(3, 3);
  d.to(0, 0);
  d.i.address = d.scope.address(d.operands[1]);
  d.from(0, 2, d.type.bytes());
  if (d.type.bits < 32)
    d.refuse();
  d.i.run = for_integers(d, [](auto x) -> Operation { return change<decltype(x)>; });
}

} // namespace

void add_atomics(Decoders &all) { all["atom"] = decode_atomic; }

} // namespace ptx
