// memory.cc: loads, stores, copies that land when they are waited for, fences.
// SPDX-License-Identifier: BSD-3-Clause
#include "address.h"
#include "decode.h"
#include "order.h"

namespace ptx {
namespace {

constexpr unsigned most_bytes = 16;

uint64_t extended(uint64_t value, unsigned bytes, bool is_signed) {
  if (!is_signed || bytes == 8)
    return value;
  const unsigned unused = 64 - 8 * bytes;
  return static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused);
}

void note_load(Warp &w, const Instruction &i, const Reach &from, uint64_t at, unsigned bytes, unsigned lane) {
  Block &block = *w.block;
  if (from.kind == Reach::shared && block.races)
    block.races->read(w, lane, from.offset, bytes);
  if (from.kind != Reach::global || !block.launch->races)
    return;
  GlobalRaces &races = *block.launch->races;
  races.access(w, lane, at, bytes, i.strong ? GlobalRaces::strong : GlobalRaces::read);
  if (i.strong)
    races.hear(w, lane, at, bytes);
}

void fetch(const Warp &w, const Reach &from, uint64_t at, uint8_t *bytes, unsigned count) {
  memcpy(bytes, from.data, count);
  if (from.kind == Reach::global && w.block->held)
    w.block->held->lay_over(at, bytes, count);
}

void load(Warp &w, const Instruction &i, Mask mask) {
  const unsigned bytes = i.size * i.count;
  each(mask, [&](unsigned l) {
    const uint64_t at = address(w, i.address, l);
    const Reach from = reach(w, i, at, bytes, l);
    uint8_t loaded[most_bytes];
    note_load(w, i, from, at, bytes, l);
    fetch(w, from, at, loaded, bytes);
    for (unsigned k = 0; k < i.count; k++) {
      uint64_t value = 0;
      memcpy(&value, loaded + k * i.size, i.size);
      w.put(i.to[k], l, extended(value, i.size, i.is_signed));
    }
  });
  w.polls |= i.strong;
}

void note_store(Warp &w, const Instruction &i, const Reach &to, uint64_t at, unsigned bytes, unsigned lane) {
  Block &block = *w.block;
  if (to.kind == Reach::shared && block.races)
    block.races->write(w, lane, to.offset, bytes);
  if (to.kind == Reach::global)
    block.launch->polls = 0;
  if (to.kind != Reach::global || !block.launch->races)
    return;
  GlobalRaces &races = *block.launch->races;
  races.access(w, lane, at, bytes, i.strong ? GlobalRaces::strong : GlobalRaces::write);
  if (i.strong)
    races.tell(w, lane, at, bytes, false);
}

void put_away(Warp &w, const Instruction &i, const Reach &to, uint64_t at, const uint8_t *bytes, unsigned count,
              unsigned lane) {
  if (to.kind == Reach::global && w.block->held) {
    if (!i.strong)
      return w.block->held->put(w, lane, at, bytes, count);
    w.block->held->publish(at, count);
  }
  memcpy(to.data, bytes, count);
}

void store(Warp &w, const Instruction &i, Mask mask) {
  const unsigned bytes = i.size * i.count;
  each(mask, [&](unsigned l) {
    const uint64_t at = address(w, i.address, l);
    const Reach to = reach(w, i, at, bytes, l);
    uint8_t stored[most_bytes];
    for (unsigned k = 0; k < i.count; k++) {
      const uint64_t value = w.value(i.from[k], l);
      memcpy(stored + k * i.size, &value, i.size);
    }
    note_store(w, i, to, at, bytes, l);
    put_away(w, i, to, at, stored, bytes, l);
  });
}

// Until the copy lands, its bytes are nobody's.
void start_copy(Warp &w, const Instruction &i, Mask mask) {
  each(mask, [&](unsigned l) {
    const uint64_t to = address(w, i.address, l), from = address(w, i.other_address, l);
    if (to % i.size || from % i.size)
      fault(w, l, "misaligned: a copy of %u bytes", i.size);
    const Reach shared = reach_shared(w, to, i.size, l);
    const uint64_t read = i.count > 1 ? w.value(i.from[0], l) & 0xffffffff : i.size;
    if (read > i.size)
      fault(w, l, "reads %llu bytes for a copy of %u", (unsigned long long)read, i.size);
    if (read)
      reach_global(w, from, static_cast<unsigned>(read), l);
    if (w.block->races)
      w.block->races->expect(w, l, shared.offset, i.size);
    for (unsigned k = 0; k < i.size; k++)
      shared.data[k] = static_cast<uint8_t>(~shared.data[k]);
    w.copies.push_back({shared.offset, from, i.size, static_cast<uint8_t>(read), static_cast<uint8_t>(l), &i});
  });
}

void land(Warp &w, const Copy &copy) {
  Block &block = *w.block;
  uint8_t bytes[most_bytes] = {};
  if (block.races)
    block.races->write(w, copy.lane, copy.shared, copy.size);
  if (copy.read) {
    const Reach from = reach_global(w, copy.global, copy.read, copy.lane);
    if (block.launch->races)
      block.launch->races->access(w, copy.lane, copy.global, copy.read, GlobalRaces::read);
    fetch(w, from, copy.global, bytes, copy.read);
  }
  memcpy(block.shared + copy.shared, bytes, copy.size);
}

void wait_for_copies(Warp &w, const Instruction &, Mask mask) { land_copies(w, mask); }

void fence(Warp &w, const Instruction &, Mask mask) {
  if (w.block->held)
    w.block->held->publish_before_fence(w, mask);
  if (w.block->launch->races)
    w.block->launch->races->fence(w, mask);
}

void nothing(Warp &, const Instruction &, Mask) {}

// ---- Decoding ----
void take_space(Decoding &d) {
  if (d.has("global"))
    d.i.space = Space::global;
  else if (d.has("shared"))
    d.i.space = Space::shared;
  else if (d.has("local"))
    d.i.space = Space::local;
  else if (d.has("param"))
    d.i.space = Space::param;
}

// How an access orders, and which caches it should use.
void take_order(Decoding &d) {
  const bool relaxed = d.has("relaxed");
  d.i.strong = d.has("volatile") || relaxed;
  if (relaxed)
    d.one_of({"gpu"});
  for (const char *cache : {"cg", "nc"})
    d.has(cache);
}

std::vector<std::string> take_vector(Decoding &d, size_t operand) {
  d.i.count = d.has("v2") ? 2 : d.has("v4") ? 4 : 1;
  const std::string &word = d.operands[operand];
  if (word[0] != '{')
    return {word};
  return split(word.substr(1, word.size() - 2));
}

void check_vector(Decoding &d, const std::vector<std::string> &names) {
  if (names.size() != d.i.count || d.i.size * d.i.count > most_bytes || !d.i.size)
    d.refuse("has another number of values");
}

void decode_load(Decoding &d) {
  d.want_operands(2, 2);
  take_space(d);
  take_order(d);
  const std::vector<std::string> names = take_vector(d, 0);
  check_vector(d, names);
  for (unsigned k = 0; k < d.i.count; k++) {
    d.i.to[k] = d.scope.destination(names[k], d.i.size);
    if (d.i.to[k].size < d.i.size)
      d.refuse("has a register that is too small");
  }
  d.i.address = d.scope.address(d.operands[1]);
  d.i.run = load;
}

void decode_store(Decoding &d) {
  d.want_operands(2, 2);
  take_space(d);
  take_order(d);
  const std::vector<std::string> names = take_vector(d, 1);
  check_vector(d, names);
  for (unsigned k = 0; k < d.i.count; k++) {
    d.i.from[k] = d.scope.source(names[k], d.i.size);
    if (d.i.from[k].size < d.i.size)
      d.refuse("has a register that is too small");
  }
  d.i.address = d.scope.address(d.operands[0]);
  d.i.run = store;
}

void decode_copy_start(Decoding &d) {
  d.want_operands(3, 4);
  if (!d.has("cg") || !d.has("shared") || !d.has("global"))
    d.refuse();
  uint64_t bytes = 0;
  if (!number_of(d.operands[2], 4, bytes) || bytes != most_bytes)
    d.refuse();
  d.i.size = static_cast<uint8_t>(bytes);
  d.i.address = d.scope.address(d.operands[0]);
  d.i.other_address = d.scope.address(d.operands[1]);
  d.i.count = static_cast<uint8_t>(d.operands.size() - 2);
  if (d.i.count > 1) // so many bytes are read
    d.i.from[0] = d.scope.source(d.operands[3], 4);
  d.i.run = start_copy;
}

void decode_copy(Decoding &d) {
  if (!d.has("async"))
    d.refuse();
  if (d.has("wait_all"))
    d.i.run = wait_for_copies;
  else
    decode_copy_start(d);
}

void decode_fence(Decoding &d) { d.i.run = d.one_of({"cta", "gl", "sys"}) ? fence : nothing; }

void decode_nothing(Decoding &d) { d.i.run = nothing; }

} // namespace

void land_copies(Warp &w, Mask mask) {
  size_t left = 0;
  for (const Copy &copy : w.copies)
    if (mask >> copy.lane & 1)
      land(w, copy);
    else
      w.copies[left++] = copy;
  w.copies.resize(left);
}

void add_memory(Decoders &all) {
  all["ld"] = decode_load;
  all["st"] = decode_store;
  all["cp"] = decode_copy;
  all["membar"] = decode_fence;
  all["nanosleep"] = decode_nothing;
}

} // namespace ptx
