// machine.h: a launch at work: blocks, warps, the groups of lanes that have parted, and what faults
// are told.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "program.h"
#include <cstdarg>
#include <cstring>

namespace ptx {

// What is looked for; see options.cc.
struct Options {
  bool races;         // PTX_RACES: in shared and in global memory
  bool uninitialised; // PTX_UNINITIALISED: bytes of shared memory that nobody wrote
  bool apart;         // PTX_APART: lanes of a warp part at random
  bool weak;          // PTX_WEAK: global stores stay in their block until a fence or the end
  const char *drop;   // PTX_DROP: "opcode" or "opcode file:line": instructions that do nothing
  const char *counts; // PTX_COUNTS: file that gets how often each instruction ran
};
Options &options(); // of the environment, until somebody changes them

struct SharedRaces;
struct GlobalRaces;
struct HeldStores;
struct Block;

// Lanes that are at the same instruction, called from the same places.
struct Group {
  uint32_t at = 0;
  Mask mask = 0;
  enum Wait : uint8_t { runs, meets, at_barrier } wait = runs;
  uint8_t depth = 0;
  uint32_t callers[6] = {};
};

// A copy to shared memory that was started, and lands when it is waited for.
struct Copy {
  uint32_t shared;
  uint64_t global;
  uint8_t size, read, lane; // bytes, of which so many are read; the others become 0
  const Instruction *instruction;
};

// Memory that threads may touch.
struct Region {
  uint64_t begin = 1, end = 0;
};

struct Launch {
  const Module *module = nullptr;
  const Kernel *kernel = nullptr;
  uint32_t blocks = 0, threads = 0; // of one dimension; threads of a block
  uint32_t dynamic_shared = 0;
  const uint8_t *arguments = nullptr;
  uint64_t number = 0;
  Region known[4];
  unsigned next_known = 0;
  uint64_t polls = 0; // looks at words that others change, since anything was stored
  std::unique_ptr<GlobalRaces> races;
  Launch();
  ~Launch();
};

struct Warp {
  Block *block = nullptr;
  uint32_t number = 0;
  Mask live = 0; // lanes that have not ended
  bool at_barrier = false, done = false;
  std::vector<Group> groups;
  uint8_t *areas[3] = {}; // of the function that runs
  uint32_t function = ~0u;
  std::vector<uint64_t> registers, specials;
  std::vector<uint8_t> local, params;
  uint32_t syncs = 0; // barriers of the warp and of the block that it passed
  uint8_t carry[lanes] = {};
  std::vector<Copy> copies;
  const Instruction *now = nullptr;
  bool polls = false; // it looked at a word that others change: let them run

  template <class T> T *to(const Instruction &i, unsigned n = 0) {
    return reinterpret_cast<T *>(areas[i.to[n].area] + i.to[n].at);
  }
  template <class T> const T *from(const Operand &operand) const {
    return reinterpret_cast<const T *>(areas[operand.area] + operand.at);
  }
  template <class T> const T *from(const Instruction &i, unsigned n) const { return from<T>(i.from[n]); }
  uint64_t value(const Operand &operand, unsigned lane) const;
  void put(const Operand &operand, unsigned lane, uint64_t value);
  Mask predicate(const Operand &operand) const { return *from<Mask>(operand); }
  uint8_t *local_of(unsigned lane);
  uint8_t *params_of(unsigned lane);
};

struct Block {
  Launch *launch = nullptr;
  uint32_t number = 0;
  std::vector<Warp> warps;
  uint8_t *shared = nullptr;
  uint32_t shared_bytes = 0;
  unsigned live = 0, arrived = 0; // warps
  uint32_t barriers = 0;          // that it passed
  std::unique_ptr<SharedRaces> races;
  std::unique_ptr<HeldStores> held;
  ~Block();
};

// block.cc: a block begins, is let through a barrier, ends.
void begin(Block &block, Launch &launch, uint32_t number);
void end(Block &block);
void pass_barrier_if_all_wait(Block &block);

// warp.cc: runs so many instructions of a warp, or fewer where its lanes wait or end.
void run(Warp &warp, unsigned budget);
// Groups that came to the same place are one.
void join(Warp &warp);

// launch.cc: runs a launch to its end.
void run(Launch &launch);

struct Totals {
  uint64_t launches, instructions;
};
extern Totals totals;

// Runs body(lane) for each lane of the mask.
template <class Body> inline void each(Mask mask, Body body) {
  if (mask == all_lanes) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (unsigned lane = 0; lane < lanes; lane++)
      body(lane);
  } else {
    for (Mask left = mask; left; left &= left - 1)
      body(static_cast<unsigned>(__builtin_ctz(left)));
  }
}

// Tells what is wrong with the instruction that a warp is at, and ends the process.
[[noreturn]] void fault(const Warp &warp, unsigned lane, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The copies of these lanes land.
void land_copies(Warp &warp, Mask mask);

uint64_t draw_below(uint64_t count);

} // namespace ptx
