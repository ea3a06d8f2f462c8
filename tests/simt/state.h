// state.h: what the parts of the emulated runtime share: settings, counters, one lock, errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "control.h"
#include "cuda_runtime_api.h"
#include "kernel.h"
#include <mutex>

namespace simt {

extern std::mutex lock;
extern simt_counters counters;

// Of the environment until simt_configure is called.
const simt_settings &settings();

// A number drawn from the seed; and a number below `count` (> 0).
uint64_t draw();
inline uint64_t draw_below(uint64_t count) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(draw()) * count >> 64);
}

// Fills memory with random bytes, as fresh memory is.
void poison(unsigned char *memory, size_t size);

// The device of this thread.
int &device();

// Remembers the error for cudaGetLastError, and returns it.
cudaError_t remember(cudaError_t error);

// Counts a call that can fail; says whether it must.
cudaError_t refused();

// Counts an allocation; says whether it must fail.
bool allocation_fails();

// A call of the runtime: holds the lock, fails where the settings say so, remembers errors.
template <class Work> cudaError_t call(Work work) {
  std::lock_guard<std::mutex> guard(lock);
  const cudaError_t error = refused();
  return remember(error != cudaSuccess ? error : work());
}
// One that cannot be made to fail: nothing but giving back.
template <class Work> cudaError_t plain_call(Work work) {
  std::lock_guard<std::mutex> guard(lock);
  return remember(work());
}

// memory.cc
struct Holding {
  cudaMemoryType type; // unregistered: memory that the runtime does not know
  unsigned char *base;
  size_t size;
  int device;
};
Holding holding(const void *memory);
bool holds(const Holding &holding, const void *memory, size_t size);
void open_memory();                   // the device works: it may touch its memory
void close_memory();                  // the host cannot
void check_bounds(const char *after); // has anything been written beside an allocation?
void add_memory(simt_holdings &held);

// streams.cc
void finish_everything(); // of all devices
void add_streams(simt_holdings &held);

} // namespace simt
