// held_stores.cc: plain stores to global memory that other blocks do not see yet. A fence makes
// those visible that its thread can know of: its own, and what barriers order before it.
// SPDX-License-Identifier: BSD-3-Clause
#include "order.h"

namespace ptx {
namespace {

void show(uint64_t word, const HeldStores::Store &store) {
  uint8_t *to = reinterpret_cast<uint8_t *>(word * 8);
  for (unsigned k = 0; k < 8; k++)
    if (store.mask >> k & 1)
      to[k] = store.bytes[k];
}

} // namespace

void HeldStores::put(const Warp &w, unsigned lane, uint64_t address, const uint8_t *bytes, unsigned count) {
  for (unsigned k = 0; k < count; k++) {
    const uint64_t at = address + k;
    Store &store = words[at / 8];
    store.bytes[at % 8] = bytes[k];
    store.mask |= static_cast<uint8_t>(1u << at % 8);
    store.thread = w.number * lanes + lane;
    store.barrier = w.block->barriers;
    store.sync = w.syncs;
  }
}

void HeldStores::lay_over(uint64_t address, uint8_t *bytes, unsigned count) const {
  for (auto found = words.lower_bound(address / 8); found != words.end() && found->first * 8 < address + count;
       ++found)
    for (unsigned k = 0; k < 8; k++) {
      const uint64_t at = found->first * 8 + k;
      if (found->second.mask >> k & 1 && at >= address && at < address + count)
        bytes[at - address] = found->second.bytes[k];
    }
}

void HeldStores::publish(uint64_t address, unsigned count) {
  for (uint64_t word = address / 8; word <= (address + count - 1) / 8; word++) {
    const auto found = words.find(word);
    if (found == words.end())
      continue;
    show(word, found->second);
    words.erase(found);
  }
}

void HeldStores::publish_before_fence(const Warp &w, Mask mask) {
  for (auto it = words.begin(); it != words.end();) {
    const Store &s = it->second;
    const unsigned warp = s.thread / lanes;
    const bool known = s.barrier < w.block->barriers || (warp == w.number && s.sync < w.syncs) ||
                       (warp == w.number && mask >> s.thread % lanes & 1);
    if (known)
      show(it->first, s);
    it = known ? words.erase(it) : std::next(it);
  }
}

void HeldStores::publish_all() {
  for (const auto &[word, store] : words)
    show(word, store);
  words.clear();
}

} // namespace ptx
