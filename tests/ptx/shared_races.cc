// shared_races.cc: races in shared memory. An access is ordered with an earlier one by the same
// thread, with one of the same warp by a barrier of the warp between them, with any by a barrier of
// the block.
// SPDX-License-Identifier: BSD-3-Clause
#include "order.h"

namespace ptx {
namespace {

// Functions that may read bytes which nobody wrote, for nothing comes of them.
constexpr const char *harmless[] = {
    "::unaligned_word",      // cuts out the part of two words that was staged
    "::squeeze_planes(",     // loads four planes, and uses those that there are
    "::finish(",             // what the result's header says, where an operand's was refused
    "::finish_values<",      // likewise
    "::whole_and_aligned()", // loads four words, the last of which is padding
};

uint16_t thread_of(const Warp &w, unsigned lane) { return static_cast<uint16_t>(w.number * lanes + lane); }

bool is_behind(const Warp &w, uint32_t barrier, uint32_t sync, unsigned warp) {
  return barrier < w.block->barriers || (warp == w.number && sync < w.syncs);
}

std::string place_of(const Warp &w, const Instruction *i) { return describe(*w.block->launch->module, *i); }

bool may_be_unwritten(const Warp &w) {
  const std::string place = place_of(w, w.now);
  for (const char *name : harmless)
    if (place.find(name) != std::string::npos)
      return true;
  return false;
}

bool conflicts_with_write(const Warp &w, unsigned lane, const SharedRaces::Cell &c) {
  return c.writer != SharedRaces::nobody && c.writer != thread_of(w, lane) &&
         !is_behind(w, c.write_barrier, c.write_sync, c.writer / lanes);
}

bool conflicts_with_read(const Warp &w, unsigned lane, const SharedRaces::Cell &c) {
  if (c.reader == SharedRaces::nobody || c.reader == thread_of(w, lane))
    return false;
  if (c.reader == SharedRaces::some_warps)
    return c.read_barrier >= w.block->barriers;
  return !is_behind(w, c.read_barrier, c.read_sync, c.reader_warp);
}

// Keeps the latest reader, or that there were several.
void note_reader(const Warp &w, unsigned lane, SharedRaces::Cell &c) {
  const bool anew = c.reader == SharedRaces::nobody || c.read_barrier < w.block->barriers;
  if (anew || (c.reader != SharedRaces::some_warps && c.reader_warp == w.number && c.read_sync < w.syncs)) {
    c.reader = thread_of(w, lane);
    c.reader_warp = static_cast<uint16_t>(w.number);
  } else if (c.reader != SharedRaces::some_warps && c.reader_warp == w.number) {
    c.reader = c.reader == thread_of(w, lane) ? c.reader : uint16_t(SharedRaces::some_lanes);
  } else {
    c.reader = SharedRaces::some_warps;
  }
  c.read_barrier = w.block->barriers;
  c.read_sync = w.syncs;
  c.read_at = w.now;
}

} // namespace

// Barriers are counted on from those of the block before, so that what it left counts as old.
void SharedRaces::begin(Block &block) {
  block.barriers = ++barriers;
  cells.resize(std::max<size_t>(cells.size(), block.shared_bytes));
  written.assign(block.shared_bytes, 0);
}

void SharedRaces::end(const Block &block) { barriers = block.barriers; }

void SharedRaces::read(const Warp &w, unsigned lane, uint32_t at, unsigned bytes) {
  for (uint32_t k = at; k < at + bytes; k++) {
    if (conflicts_with_write(w, lane, cells[k]))
      fault(w, lane, "race: reads byte %u of shared memory, which thread %u has written at %s", k,
            cells[k].writer, place_of(w, cells[k].written_at).c_str());
    if (!written[k] && options().uninitialised && !may_be_unwritten(w))
      fault(w, lane, "uninitialised: reads byte %u of shared memory, which nobody has written", k);
    note_reader(w, lane, cells[k]);
  }
}

void SharedRaces::write(const Warp &w, unsigned lane, uint32_t at, unsigned bytes, bool atomic) {
  for (uint32_t k = at; k < at + bytes; k++) {
    Cell &c = cells[k];
    if (conflicts_with_write(w, lane, c) && !(atomic && c.atomic))
      fault(w, lane, "race: writes byte %u of shared memory, as thread %u does at %s", k, c.writer,
            place_of(w, c.written_at).c_str());
    if (conflicts_with_read(w, lane, c))
      fault(w, lane, "race: writes byte %u of shared memory, which others read at %s", k,
            place_of(w, c.read_at).c_str());
    c.writer = thread_of(w, lane);
    c.write_barrier = w.block->barriers;
    c.write_sync = w.syncs;
    c.atomic = atomic;
    c.written_at = w.now;
    written[k] = 1;
  }
}

void SharedRaces::expect(const Warp &w, unsigned lane, uint32_t at, unsigned bytes) {
  write(w, lane, at, bytes);
  for (uint32_t k = at; k < at + bytes; k++)
    written[k] = 0;
}

} // namespace ptx
