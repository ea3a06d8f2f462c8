// kernel.h: what device code and launches see of the emulated machine: the thread that runs, its
// block, the meetings of a warp, the barrier of a block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "cuda_runtime_api.h"
#include "fibers.h"
#include "vectors.h"
#include <cstdint>
#include <functional>

namespace simt {

// A place in the source where threads meet. (Two on one line look the same.)
struct Site {
  const char *what, *file;
  int line;
};

struct Warp;
struct Block;

enum class State : unsigned char { ready, meeting, barrier, exited };

struct Thread {
  Fiber fiber;
  uint3 index;
  unsigned lane;
  State state;
  Warp *warp;
  Block *block;
  Site site; // where it last met others
};

// What is alike in all blocks of a launch.
struct Grid {
  const char *name;
  dim3 blocks, threads;
  size_t shared_bytes;
  std::function<void()> body; // of one thread
};

struct Block {
  const Grid *grid;
  uint3 index;
  unsigned char *shared;
};

// The thread whose code runs; nullptr on the host.
inline Thread *current = nullptr;

[[noreturn]] void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Waits until all lanes of the mask have come here, and returns what each gave. Good until this
// thread switches again.
const uint64_t *meet(uint32_t mask, uint64_t value, Site site);

// The barrier of the block.
void barrier(Site site);

// Lets other threads run: always, or once in so many calls. Threads that poll must call one of
// them. No-ops on the host.
void pause();
void pause_sometimes(unsigned one_in);

// A value that no thread gave.
uint64_t garbage();

// Runs all blocks of a grid to their end.
void run(const Grid &grid);

// Checks a launch and puts it on the stream. A refusal is returned, as by cudaLaunchKernel, and
// found by cudaGetLastError.
cudaError_t launch(const void *function, Grid grid, cudaStream_t stream);

// Puts a piece of work on the stream that is no kernel of ours (CUB).
cudaError_t submit(std::function<void()> work, cudaStream_t stream);

// Whether all of these bytes lie in one block of memory that the device may use.
bool on_device(const void *memory, size_t size);

unsigned char *shared_memory(size_t size, size_t alignment, Site site);

template <class T> T &shared(Site site) {
  return *reinterpret_cast<T *>(shared_memory(sizeof(T), alignof(T), site));
}

} // namespace simt
