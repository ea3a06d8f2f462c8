// memory.cc: device, pinned and managed memory. Each allocation ends, but for its alignment, where
// wide nothing begins that faults; the few bytes between are poisoned (AddressSanitizer) or hold
// known bytes that are checked. Between pieces of work the host cannot touch device memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "state.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

#ifdef SIMT_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace simt {
namespace {

constexpr size_t alignment = 256;
[[maybe_unused]] constexpr unsigned char beside = 0xb5;
constexpr size_t nothing = 16 << 20; // addresses on each side that fault
constexpr size_t kept_freed = 64;    // freed allocations whose addresses still fault

struct Allocation {
  cudaMemoryType type;
  int device;
  size_t size;
  unsigned char *map;
  size_t map_size; // with nothing at both ends
};

std::map<const unsigned char *, Allocation> allocations; // by their first bytes
std::deque<std::pair<void *, size_t>> freed;
bool open = false;

size_t page() {
  static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

size_t round_up(size_t size, size_t multiple) { return (size + multiple - 1) / multiple * multiple; }
unsigned char *first_page(const Allocation &allocation) { return allocation.map + nothing; }
size_t pages_size(const Allocation &allocation) { return allocation.map_size - 2 * nothing; }
unsigned char *last_page_end(const Allocation &allocation) {
  return first_page(allocation) + pages_size(allocation);
}

void protect(const Allocation &allocation, bool accessible) {
  mprotect(first_page(allocation), pages_size(allocation), accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
}

#ifdef SIMT_ASAN
void mark_sides(unsigned char *base, const Allocation &allocation) {
  __asan_poison_memory_region(first_page(allocation), static_cast<size_t>(base - first_page(allocation)));
  unsigned char *end = base + allocation.size;
  __asan_poison_memory_region(end, static_cast<size_t>(last_page_end(allocation) - end));
}
void unmark_sides(const Allocation &allocation) {
  __asan_unpoison_memory_region(first_page(allocation), pages_size(allocation));
}
bool sides_intact(const unsigned char *, const Allocation &) { return true; }
#else
void mark_sides(unsigned char *base, const Allocation &allocation) {
  memset(first_page(allocation), beside, static_cast<size_t>(base - first_page(allocation)));
  unsigned char *end = base + allocation.size;
  memset(end, beside, static_cast<size_t>(last_page_end(allocation) - end));
}
void unmark_sides(const Allocation &) {}
bool untouched(const unsigned char *from, const unsigned char *to) {
  return from == to || (*from == beside && !memcmp(from, from + 1, static_cast<size_t>(to - from) - 1));
}
bool sides_intact(const unsigned char *base, const Allocation &allocation) {
  return untouched(first_page(allocation), base) &&
         untouched(base + allocation.size, last_page_end(allocation));
}
#endif

void check(const unsigned char *base, const Allocation &allocation, const char *after) {
  if (!sides_intact(base, allocation))
    die("%s: something was written beside the %zu bytes of an allocation", after, allocation.size);
}

size_t held_by_device(int number) {
  size_t sum = 0;
  for (const auto &[base, allocation] : allocations)
    if (allocation.type != cudaMemoryTypeHost && allocation.device == number)
      sum += allocation.size;
  return sum;
}

cudaError_t allocate(void **memory, size_t size, cudaMemoryType type) {
  if (!memory)
    return cudaErrorInvalidValue;
  *memory = nullptr;
  if (allocation_fails())
    return cudaErrorMemoryAllocation;
  if (!size)
    return cudaSuccess;
  if (type != cudaMemoryTypeHost && size > settings().memory - held_by_device(device()))
    return cudaErrorMemoryAllocation;
  const size_t aligned = round_up(size, alignment), pages = round_up(aligned, page());
  Allocation allocation = {type, device(), size, nullptr, pages + 2 * nothing};
  void *map = mmap(nullptr, allocation.map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED)
    return cudaErrorMemoryAllocation;
  allocation.map = static_cast<unsigned char *>(map);
  protect(allocation, true);
  unsigned char *base = last_page_end(allocation) - aligned;
  poison(base, size);
  mark_sides(base, allocation);
  if (type == cudaMemoryTypeDevice && settings().protect)
    protect(allocation, false);
  allocations.emplace(base, allocation);
  *memory = base;
  return cudaSuccess;
}

// Work that is under way may still use the memory: the device is waited for, as CUDA does.
cudaError_t release(void *memory, bool pinned) {
  if (!memory)
    return cudaSuccess;
  const auto found = allocations.find(static_cast<unsigned char *>(memory));
  if (found == allocations.end() || (found->second.type == cudaMemoryTypeHost) != pinned)
    return cudaErrorInvalidValue;
  counters.frees++;
  counters.synchronisations++;
  finish_everything();
  const Allocation allocation = found->second;
  protect(allocation, true);
  check(found->first, allocation, pinned ? "cudaFreeHost" : "cudaFree");
  unmark_sides(allocation);
  madvise(allocation.map, allocation.map_size, MADV_DONTNEED);
  mprotect(allocation.map, allocation.map_size, PROT_NONE);
  allocations.erase(found);
  freed.emplace_back(allocation.map, allocation.map_size);
  if (freed.size() > kept_freed) {
    munmap(freed.front().first, freed.front().second);
    freed.pop_front();
  }
  return cudaSuccess;
}

void open_device_memory(bool accessible) {
  if (open == accessible)
    return;
  open = accessible;
  if (settings().protect)
    for (const auto &[base, allocation] : allocations)
      if (allocation.type == cudaMemoryTypeDevice)
        protect(allocation, accessible);
}

} // namespace

Holding holding(const void *memory) {
  const auto *address = static_cast<const unsigned char *>(memory);
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin())
    return {};
  --next;
  const auto &[base, allocation] = *next;
  if (address >= base + allocation.size)
    return {};
  return {allocation.type, const_cast<unsigned char *>(base), allocation.size, allocation.device};
}

bool holds(const Holding &holding, const void *memory, size_t size) {
  const size_t offset = static_cast<size_t>(static_cast<const unsigned char *>(memory) - holding.base);
  return holding.type != cudaMemoryTypeUnregistered && size <= holding.size - offset;
}

bool on_device(const void *memory, size_t size) {
  std::lock_guard<std::mutex> guard(lock);
  return holds(holding(memory), memory, size);
}

void open_memory() { open_device_memory(true); }
void close_memory() { open_device_memory(false); }

void check_bounds(const char *after) {
  for (const auto &[base, allocation] : allocations)
    check(base, allocation, after);
}

void add_memory(simt_holdings &held) {
  for (const auto &[base, allocation] : allocations) {
    held.blocks++;
    (allocation.type == cudaMemoryTypeHost ? held.pinned_bytes : held.device_bytes) += allocation.size;
  }
}

} // namespace simt

using namespace simt;

cudaError_t cudaMalloc(void **memory, size_t size) {
  return call([=] { return allocate(memory, size, cudaMemoryTypeDevice); });
}

cudaError_t cudaFree(void *memory) {
  return plain_call([=] { return release(memory, false); });
}

cudaError_t cudaMallocHost(void **memory, size_t size) {
  return call([=] { return allocate(memory, size, cudaMemoryTypeHost); });
}

cudaError_t cudaFreeHost(void *memory) {
  return plain_call([=] { return release(memory, true); });
}

cudaError_t cudaMallocManaged(void **memory, size_t size, unsigned int flags) {
  return call([=] {
    if (flags != cudaMemAttachGlobal || !size)
      return cudaErrorInvalidValue;
    return allocate(memory, size, cudaMemoryTypeManaged);
  });
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer) {
  return call([=] {
    const Holding found = holding(pointer);
    void *address = const_cast<void *>(pointer);
    *attributes = {};
    attributes->type = found.type;
    attributes->device = found.type == cudaMemoryTypeUnregistered ? -2 : found.device;
    if (found.type != cudaMemoryTypeUnregistered)
      attributes->devicePointer = address;
    if (found.type == cudaMemoryTypeHost || found.type == cudaMemoryTypeManaged)
      attributes->hostPointer = address;
    return cudaSuccess;
  });
}
