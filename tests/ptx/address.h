// address.h: where the lanes of a warp access memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "machine.h"

namespace ptx {

inline uint64_t address(Warp &w, const Address &a, unsigned lane) {
  const Kernel &kernel = *w.block->launch->kernel;
  const uint64_t offset = static_cast<uint64_t>(a.offset);
  switch (a.base) {
  case Address::absolute: return offset;
  case Address::in_register: return w.value(a.holder, lane) + offset;
  case Address::of_local:
    return reinterpret_cast<uint64_t>(w.local_of(lane) + kernel.local_at[w.function]) + offset;
  case Address::of_param:
    return reinterpret_cast<uint64_t>(w.params_of(lane) + kernel.params_at[w.function]) + offset;
  case Address::of_argument: return reinterpret_cast<uint64_t>(w.block->launch->arguments) + offset;
  }
  return 0;
}

// Memory that a lane may access: where it is for the host, and whose it is.
struct Reach {
  uint8_t *data;
  enum Kind : uint8_t { own, shared, global } kind;
  uint32_t offset; // in shared memory
};

// Checks an access of so many bytes. Ends with a fault where it is not allowed.
Reach reach(Warp &w, const Instruction &i, uint64_t address, unsigned bytes, unsigned lane);
Reach reach_shared(Warp &w, uint64_t address, unsigned bytes, unsigned lane);
Reach reach_global(Warp &w, uint64_t address, unsigned bytes, unsigned lane);

} // namespace ptx
