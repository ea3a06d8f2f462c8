// address.cc: what a lane may access: its own memory, its block's, that of the device. All else,
// and what is not aligned, is a fault.
// SPDX-License-Identifier: BSD-3-Clause
#include "address.h"
#include "state.h"

namespace ptx {
namespace {

bool within(uint64_t address, unsigned bytes, const void *begin, size_t size) {
  const uint64_t first = reinterpret_cast<uint64_t>(begin);
  return address >= first && address - first <= size && bytes <= size - (address - first);
}

bool within(uint64_t address, unsigned bytes, const Region &region) {
  return address >= region.begin && address <= region.end && bytes <= region.end - address;
}

bool is_own(Warp &w, uint64_t address, unsigned bytes, unsigned lane) {
  const Kernel &kernel = *w.block->launch->kernel;
  return within(address, bytes, w.local_of(lane), kernel.local) ||
         within(address, bytes, w.params_of(lane), kernel.params) ||
         within(address, bytes, w.block->launch->arguments, kernel.function->argument_bytes);
}

// The allocation or the module's variable that holds an address.
Region region_of(const Launch &launch, uint64_t address) {
  const simt::Holding found = simt::holding(reinterpret_cast<const void *>(address));
  if (found.type != cudaMemoryTypeUnregistered) {
    const uint64_t begin = reinterpret_cast<uint64_t>(found.base);
    return {begin, begin + found.size};
  }
  for (const auto &[name, variable] : launch.module->variables)
    if (within(address, 1, variable.data, variable.size))
      return {reinterpret_cast<uint64_t>(variable.data),
              reinterpret_cast<uint64_t>(variable.data) + variable.size};
  return {};
}

} // namespace

Reach reach_shared(Warp &w, uint64_t address, unsigned bytes, unsigned lane) {
  const Block &block = *w.block;
  if (address > block.shared_bytes || bytes > block.shared_bytes - address)
    fault(w, lane, "out of bounds: bytes %llu to %llu of %u of shared memory", (unsigned long long)address,
          (unsigned long long)address + bytes - 1, block.shared_bytes);
  return {block.shared + address, Reach::shared, static_cast<uint32_t>(address)};
}

Reach reach_global(Warp &w, uint64_t address, unsigned bytes, unsigned lane) {
  Launch &launch = *w.block->launch;
  for (const Region &known : launch.known)
    if (within(address, bytes, known))
      return {reinterpret_cast<uint8_t *>(address), Reach::global, 0};
  const Region region = region_of(launch, address);
  if (!within(address, bytes, region))
    fault(w, lane, "out of bounds: %u bytes of global memory at %llx, which is %s", bytes,
          (unsigned long long)address, region.end ? "the end of an allocation" : "in no allocation");
  launch.known[launch.next_known++ % 4] = region;
  return {reinterpret_cast<uint8_t *>(address), Reach::global, 0};
}

Reach reach(Warp &w, const Instruction &i, uint64_t address, unsigned bytes, unsigned lane) {
  if (address % bytes)
    fault(w, lane, "misaligned: %u bytes at %llx", bytes, (unsigned long long)address);
  if (i.space == Space::shared)
    return reach_shared(w, address, bytes, lane);
  if (i.space == Space::global)
    return reach_global(w, address, bytes, lane);
  const Block &block = *w.block;
  if (i.space == Space::generic && within(address, bytes, block.shared, block.shared_bytes))
    return reach_shared(w, address - reinterpret_cast<uint64_t>(block.shared), bytes, lane);
  if (is_own(w, address, bytes, lane))
    return {reinterpret_cast<uint8_t *>(address), Reach::own, 0};
  if (i.space == Space::local || i.space == Space::param)
    fault(w, lane, "out of bounds: %u bytes that are not the lane's own", bytes);
  return reach_global(w, address, bytes, lane);
}

} // namespace ptx
