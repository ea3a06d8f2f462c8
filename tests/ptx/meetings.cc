// meetings.cc: what the lanes of a mask do together: shuffles, votes, reductions and
// barriers. The barriers alone order accesses to memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "decode.h"
#include "machine.h"
#include "order.h"

namespace ptx {
namespace {

enum Shuffle : uint8_t { up, down, butterfly, index };

// The lane that a lane reads, or -1 where that lies outside its segment.
int partner(unsigned lane, uint8_t how, uint32_t by, uint32_t clamp) {
  const int me = static_cast<int>(lane), offset = static_cast<int>(by & 31);
  const int segment = static_cast<int>(clamp >> 8 & 31), bound = static_cast<int>(clamp & 31);
  const int least = me & segment, greatest = least | (bound & ~segment);
  int other = 0;
  switch (how) {
  case up: other = me - offset; return other >= greatest ? other : -1;
  case down: other = me + offset; break;
  case butterfly: other = me ^ offset; break;
  case index: other = least | (offset & ~segment); break;
  }
  return other <= greatest ? other : -1;
}

void shuffle(Warp &w, const Instruction &i, Mask mask) {
  const uint32_t *values = w.from<uint32_t>(i, 0), *by = w.from<uint32_t>(i, 1),
                 *clamp = w.from<uint32_t>(i, 2);
  uint32_t got[lanes];
  Mask inside = 0;
  each(mask, [&](unsigned l) {
    const int other = partner(l, i.variant, by[l], clamp[l]);
    inside |= static_cast<Mask>(other >= 0) << l;
    const unsigned source = other >= 0 ? static_cast<unsigned>(other) : l;
    if (!(mask >> source & 1))
      fault(w, l, "a shuffle from lane %u, which takes no part", source);
    got[l] = values[source];
  });
  uint32_t *to = w.to<uint32_t>(i);
  each(mask, [&](unsigned l) { to[l] = got[l]; });
  if (i.to[1].area == nowhere)
    return;
  Mask *found = w.to<Mask>(i, 1);
  *found = (*found & ~mask) | (inside & mask);
}

enum Vote : uint8_t { ballot, any, all };

void vote(Warp &w, const Instruction &i, Mask mask) {
  const Mask yes = (w.predicate(i.from[0]) ^ (i.negated_source ? all_lanes : 0)) & mask;
  if (i.variant == ballot) {
    uint32_t *to = w.to<uint32_t>(i);
    each(mask, [=](unsigned l) { to[l] = yes; });
    return;
  }
  const bool holds = i.variant == any ? yes != 0 : yes == mask;
  Mask *to = w.to<Mask>(i);
  *to = (*to & ~mask) | (holds ? mask : 0);
}

enum Reduction : uint8_t { add, least, greatest, bits_or };

template <class T> T joined(uint8_t how, T a, T b) {
  switch (how) {
  case add: return static_cast<T>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
  case least: return a < b ? a : b;
  case greatest: return a > b ? a : b;
  }
  return a | b;
}

template <class T> void reduce(Warp &w, const Instruction &i, Mask mask) {
  const T *values = w.from<T>(i, 0);
  const unsigned first = static_cast<unsigned>(__builtin_ctz(mask));
  T sum = values[first];
  each(mask & (mask - 1), [&](unsigned l) { sum = joined(i.variant, sum, values[l]); });
  T *to = w.to<T>(i);
  each(mask, [&](unsigned l) { to[l] = sum; });
}

void sync(Warp &w, const Instruction &, Mask mask) {
  if (mask != w.live)
    fault(w, 0, "a barrier of the lanes %08x, which are not all of the warp: not understood", mask);
  w.syncs++;
  if (w.block->launch->races)
    w.block->launch->races->pass_sync(w);
}

// ---- Decoding ----
void meets(Decoding &d, size_t members, Operation run) {
  d.has("sync");
  d.want_operands(members + 1, members + 1);
  d.i.members = d.scope.source(d.operands[members], 4);
  d.i.flow = Flow::meet;
  d.i.run = run;
}

void decode_shuffle(Decoding &d) {
  d.want_operands(5, 5);
  const std::string both = d.operands[0];
  const size_t bar = both.find('|');
  d.i.to[0] = d.scope.destination(trimmed(both.substr(0, bar)), 4);
  if (bar != std::string::npos)
    d.i.to[1] = d.scope.destination(trimmed(both.substr(bar + 1)), 0);
  d.sources(1, 3, 4);
  d.i.variant = d.one_of({"up", "down", "bfly", "idx"});
  meets(d, 4, shuffle);
}

void decode_vote(Decoding &d) {
  d.i.variant = d.one_of({"ballot", "any", "all"});
  d.to(0, 0);
  d.predicate_from(0, 1);
  meets(d, 2, vote);
}

void decode_reduction(Decoding &d) {
  d.to(0, 0);
  d.from(0, 1, 4);
  d.i.variant = d.one_of({"add", "min", "max", "or"});
  meets(d, 2, d.i.is_signed ? reduce<int32_t> : reduce<uint32_t>);
}

// bar.warp.sync, bar.sync 0
void decode_barrier(Decoding &d) {
  if (d.has("warp"))
    return meets(d, 0, sync);
  uint64_t number = 1;
  if (!d.has("sync") || d.operands.size() != 1 || !number_of(d.operands[0], 4, number) || number)
    d.refuse();
  d.i.flow = Flow::barrier;
}

} // namespace

void add_meetings(Decoders &all) {
  all["shfl"] = decode_shuffle;
  all["vote"] = decode_vote;
  all["redux"] = decode_reduction;
  all["bar"] = decode_barrier;
}

} // namespace ptx
