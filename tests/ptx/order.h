// order.h: what orders accesses to memory: races in shared memory, races in global memory, and
// stores that others do not see yet.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "machine.h"
#include <map>
#include <set>

namespace ptx {

// Every byte of a block's shared memory: who wrote and read it last, and behind which barriers.
struct SharedRaces {
  enum Reader : uint16_t { nobody = 0xffff, some_lanes = 0xfffe, some_warps = 0xfffd };
  struct Cell {
    uint32_t write_barrier = 0, write_sync = 0, read_barrier = 0, read_sync = 0;
    uint16_t writer = nobody, reader = nobody, reader_warp = 0;
    bool atomic = false;
    const Instruction *written_at = nullptr, *read_at = nullptr;
  };
  std::vector<Cell> cells;
  std::vector<uint8_t> written; // whether a byte holds something
  uint32_t barriers = 0;        // of all blocks so far

  void begin(Block &block);
  void end(const Block &block);
  void read(const Warp &w, unsigned lane, uint32_t at, unsigned bytes);
  void write(const Warp &w, unsigned lane, uint32_t at, unsigned bytes, bool atomic = false);
  // Bytes that will be written at some time.
  void expect(const Warp &w, unsigned lane, uint32_t at, unsigned bytes);
};

// What a thread knows that others have done: of a block, all before a barrier; of a warp, all
// before a sync; of a thread, all before one of its fences.
struct Coverage {
  uint32_t barrier = 0;
  std::map<uint32_t, uint32_t> syncs, fences;
};
using Knowledge = std::map<uint32_t, Coverage>; // by the number of the block
using Shared = std::shared_ptr<const Knowledge>;

// Accesses to global memory that nothing orders: the order is that of PTX's memory model, made by
// program order, barriers, and fences before and behind strong accesses.
struct GlobalRaces {
  enum Kind : uint8_t { read, write, strong };
  struct Access {
    uint32_t block = ~0u, barrier = 0, sync = 0, fence = 0;
    uint16_t warp = 0;
    uint8_t lane = 0, bytes = 0; // a bit for each byte of the word
    Kind kind = read;
    const Instruction *instruction = nullptr;
  };
  struct Word {
    Access accesses[4];
    uint8_t next = 0;
  };
  struct Thread {
    uint32_t fences = 0;
    Shared known;    // from others, not shared with the warp yet
    Shared heard;    // of words that it read; counts when a fence follows
    Shared released; // what its strong writes tell
  };
  struct BlockState {
    Shared known;
    std::vector<Shared> of_warps;
    std::vector<Thread> threads;
    bool news = false; // some warp or thread knows more than the block
    std::vector<bool> news_of_warps;
  };
  std::unordered_map<uint64_t, Word> words;      // by address / 8
  std::unordered_map<uint64_t, Shared> messages; // by address / 8: what the last write tells
  std::unordered_map<uint32_t, BlockState> blocks;

  void begin(const Block &block);
  void access(const Warp &w, unsigned lane, uint64_t address, unsigned bytes, Kind kind);
  // A strong read hears, a strong write tells.
  void hear(const Warp &w, unsigned lane, uint64_t address, unsigned bytes);
  void tell(const Warp &w, unsigned lane, uint64_t address, unsigned bytes, bool keeps_chain);
  void fence(const Warp &w, Mask mask);
  void pass_sync(const Warp &w);
  void pass_barrier(const Block &block);

private:
  Knowledge all_known(const Warp &w, unsigned lane);
  bool ordered(const Warp &w, unsigned lane, const Access &before);
  void check(const Warp &w, unsigned lane, const Access &now, const Access &before);
};

// Stores of a block that other blocks do not see before a fence orders them, or the launch ends.
struct HeldStores {
  struct Store {
    uint8_t bytes[8];
    uint8_t mask = 0; // which are stored
    uint32_t thread, barrier, sync;
  };
  std::map<uint64_t, Store> words; // by address / 8

  void put(const Warp &w, unsigned lane, uint64_t address, const uint8_t *bytes, unsigned count);
  // Lays what is held over bytes that were loaded.
  void lay_over(uint64_t address, uint8_t *bytes, unsigned count) const;
  void publish(uint64_t address, unsigned count);
  void publish_before_fence(const Warp &w, Mask mask);
  void publish_all();
};

} // namespace ptx
