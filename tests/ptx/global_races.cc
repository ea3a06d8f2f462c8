// global_races.cc: races in global memory. Within a block program order and barriers order. Between
// blocks a strong write tells what its thread knew at its last fence, and what a strong read heard
// counts from the next fence on.
// SPDX-License-Identifier: BSD-3-Clause
#include "order.h"

namespace ptx {
namespace {

void join(Coverage &into, const Coverage &other) {
  into.barrier = std::max(into.barrier, other.barrier);
  for (const auto &[warp, sync] : other.syncs)
    into.syncs[warp] = std::max(into.syncs[warp], sync);
  for (const auto &[thread, fence] : other.fences)
    into.fences[thread] = std::max(into.fences[thread], fence);
}

void join(Knowledge &into, const Shared &other) {
  if (other)
    for (const auto &[block, coverage] : *other)
      join(into[block], coverage);
}

void join(Shared &into, const Shared &other) {
  if (!other || into == other)
    return;
  if (!into) {
    into = other;
    return;
  }
  Knowledge both = *into;
  join(both, other);
  into = std::make_shared<const Knowledge>(std::move(both));
}

bool covers(const Coverage &known, const GlobalRaces::Access &a) {
  if (a.barrier < known.barrier)
    return true;
  const auto sync = known.syncs.find(a.warp);
  if (sync != known.syncs.end() && a.sync < sync->second)
    return true;
  const auto fence = known.fences.find(a.warp * lanes + a.lane);
  return fence != known.fences.end() && a.fence < fence->second;
}

bool covers(const Shared &known, const GlobalRaces::Access &a) {
  if (!known)
    return false;
  const auto found = known->find(a.block);
  return found != known->end() && covers(found->second, a);
}

bool conflict(GlobalRaces::Kind a, GlobalRaces::Kind b) {
  if (a == GlobalRaces::strong || b == GlobalRaces::strong)
    return a != b;
  return a == GlobalRaces::write || b == GlobalRaces::write;
}

const char *name_of(GlobalRaces::Kind kind) {
  return kind == GlobalRaces::read ? "is read" : kind == GlobalRaces::write ? "is written" : "is used";
}

} // namespace

void GlobalRaces::begin(const Block &block) {
  BlockState &state = blocks[block.number];
  state.of_warps.resize(block.warps.size());
  state.news_of_warps.resize(block.warps.size());
  state.threads.resize(block.warps.size() * lanes);
}

bool GlobalRaces::ordered(const Warp &w, unsigned lane, const Access &before) {
  const BlockState &state = blocks[w.block->number];
  if (before.block == w.block->number)
    return before.barrier < w.block->barriers ||
           (before.warp == w.number && (before.sync < w.syncs || before.lane == lane));
  return covers(state.known, before) || covers(state.of_warps[w.number], before) ||
         covers(state.threads[w.number * lanes + lane].known, before);
}

void GlobalRaces::check(const Warp &w, unsigned lane, const Access &now, const Access &before) {
  if (!before.instruction || !(before.bytes & now.bytes) || !conflict(before.kind, now.kind) ||
      ordered(w, lane, before))
    return;
  const Module &module = *w.block->launch->module;
  fault(w, lane,
        "race: global memory %s here and %s by block %u, warp %u, lane %u at %s, and nothing orders them",
        name_of(now.kind), name_of(before.kind), before.block, before.warp, before.lane,
        describe(module, *before.instruction).c_str());
}

// Of each word four accesses are kept. One gives way to a later one by the same thread that stands
// for it.
void GlobalRaces::access(const Warp &w, unsigned lane, uint64_t address, unsigned bytes, Kind kind) {
  const Thread &thread = blocks[w.block->number].threads[w.number * lanes + lane];
  Access now;
  now.block = w.block->number;
  now.barrier = w.block->barriers;
  now.sync = w.syncs;
  // A strong write is itself ordered before those who hear it.
  now.fence = kind == strong && thread.fences ? thread.fences - 1 : thread.fences;
  now.warp = static_cast<uint16_t>(w.number);
  now.lane = static_cast<uint8_t>(lane);
  now.kind = kind;
  now.instruction = w.now;
  for (uint64_t at = address; at < address + bytes; at = (at / 8 + 1) * 8) {
    const unsigned first = at % 8,
                   last = static_cast<unsigned>(std::min<uint64_t>(8, first + address + bytes - at));
    now.bytes = static_cast<uint8_t>(((1u << last) - 1) & ~((1u << first) - 1));
    Word &word = words[at / 8];
    Access *place = nullptr;
    for (Access &before : word.accesses) {
      check(w, lane, now, before);
      const bool same = before.block == now.block && before.warp == now.warp && before.lane == now.lane;
      if (!place && (!before.instruction || (same && before.kind == kind && !(before.bytes & ~now.bytes))))
        place = &before;
    }
    *(place ? place : &word.accesses[word.next++ % 4]) = now;
  }
}

void GlobalRaces::hear(const Warp &w, unsigned lane, uint64_t address, unsigned bytes) {
  for (uint64_t word = address / 8; word <= (address + bytes - 1) / 8; word++) {
    const auto message = messages.find(word);
    if (message != messages.end())
      join(blocks[w.block->number].threads[w.number * lanes + lane].heard, message->second);
  }
}

// A word that is changed, not replaced, goes on telling what those before have told.
void GlobalRaces::tell(const Warp &w, unsigned lane, uint64_t address, unsigned bytes, bool keeps_chain) {
  const Thread &thread = blocks[w.block->number].threads[w.number * lanes + lane];
  for (uint64_t word = address / 8; word <= (address + bytes - 1) / 8; word++) {
    Shared &message = messages[word];
    if (!keeps_chain)
      message = nullptr;
    join(message, thread.released);
  }
}

Knowledge GlobalRaces::all_known(const Warp &w, unsigned lane) {
  const BlockState &state = blocks[w.block->number];
  const Thread &thread = state.threads[w.number * lanes + lane];
  Knowledge all;
  join(all, state.known);
  join(all, state.of_warps[w.number]);
  join(all, thread.known);
  Coverage &own = all[w.block->number];
  own.barrier = std::max(own.barrier, w.block->barriers);
  own.syncs[w.number] = w.syncs;
  own.fences[w.number * lanes + lane] = thread.fences;
  return all;
}

void GlobalRaces::fence(const Warp &w, Mask mask) {
  BlockState &state = blocks[w.block->number];
  each(mask, [&](unsigned l) {
    Thread &thread = state.threads[w.number * lanes + l];
    thread.fences++;
    if (thread.heard) {
      join(thread.known, thread.heard);
      thread.heard = nullptr;
      state.news = state.news_of_warps[w.number] = true;
    }
    thread.released = std::make_shared<const Knowledge>(all_known(w, l));
  });
}

void GlobalRaces::pass_sync(const Warp &w) {
  BlockState &state = blocks[w.block->number];
  if (!state.news_of_warps[w.number])
    return;
  state.news_of_warps[w.number] = false;
  for (unsigned l = 0; l < lanes; l++) {
    Thread &thread = state.threads[w.number * lanes + l];
    join(state.of_warps[w.number], thread.known);
    thread.known = nullptr;
  }
}

void GlobalRaces::pass_barrier(const Block &block) {
  BlockState &state = blocks[block.number];
  if (!state.news)
    return;
  state.news = false;
  for (const Warp &w : block.warps) {
    pass_sync(w);
    join(state.known, state.of_warps[w.number]);
    state.of_warps[w.number] = nullptr;
  }
}

} // namespace ptx
