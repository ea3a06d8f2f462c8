// block.cc: blocks begin, pass barriers and end; what a warp has and is told.
// SPDX-License-Identifier: BSD-3-Clause
#include "order.h"
#include "state.h"
#include <cstdlib>

namespace ptx {
namespace {

constexpr size_t shared_alignment = 1024;

// The values of the special registers, in the order of special_names.
void tell_specials(Warp &w) {
  const Launch &launch = *w.block->launch;
  uint32_t *to = reinterpret_cast<uint32_t *>(w.specials.data());
  for (unsigned l = 0; l < lanes; l++) {
    const uint32_t values[] = {
        w.number * lanes + l, launch.threads, w.block->number, launch.blocks, l, ~0u << l};
    static_assert(sizeof values / sizeof *values == 6, "one for each name");
    for (unsigned k = 0; k < special_count; k++)
      to[k * lanes + l] = values[k];
  }
}

void begin(Warp &w, Block &block, uint32_t number) {
  const Launch &launch = *block.launch;
  const Kernel &kernel = *launch.kernel;
  w.block = &block;
  w.number = number;
  const uint32_t size = std::min(launch.threads - number * lanes, lanes);
  w.live = size == lanes ? all_lanes : (1u << size) - 1;
  w.at_barrier = w.done = w.polls = false;
  w.registers.resize(std::max<size_t>(w.registers.size(), kernel.registers / sizeof(uint64_t) + 1));
  w.specials.resize(special_count * lanes / 2);
  w.local.assign(size_t(kernel.local) * lanes + 16, static_cast<uint8_t>(draw_below(256)));
  w.params.assign(size_t(kernel.params) * lanes + 16, static_cast<uint8_t>(draw_below(256)));
  w.areas[in_constants] =
      const_cast<uint8_t *>(reinterpret_cast<const uint8_t *>(launch.module->constants.data()));
  w.areas[in_specials] = reinterpret_cast<uint8_t *>(w.specials.data());
  w.function = ~0u;
  w.syncs = 0;
  w.copies.clear();
  Group all;
  all.at = kernel.function->begin;
  all.mask = w.live;
  w.groups.assign(1, all);
  tell_specials(w);
}

} // namespace

uint64_t draw_below(uint64_t count) { return simt::draw_below(count); }

uint64_t Warp::value(const Operand &operand, unsigned lane) const {
  switch (operand.size) {
  case 2: return from<uint16_t>(operand)[lane];
  case 4: return from<uint32_t>(operand)[lane];
  case 8: return from<uint64_t>(operand)[lane];
  }
  return *from<Mask>(operand) >> lane & 1;
}

void Warp::put(const Operand &operand, unsigned lane, uint64_t value) {
  uint8_t *to = areas[operand.area] + operand.at + lane * operand.size;
  switch (operand.size) {
  case 2: *reinterpret_cast<uint16_t *>(to) = static_cast<uint16_t>(value); break;
  case 4: *reinterpret_cast<uint32_t *>(to) = static_cast<uint32_t>(value); break;
  case 8: *reinterpret_cast<uint64_t *>(to) = value; break;
  }
}

uint8_t *Warp::local_of(unsigned lane) { return local.data() + size_t(block->launch->kernel->local) * lane; }
uint8_t *Warp::params_of(unsigned lane) { return params.data() + size_t(block->launch->kernel->params) * lane; }

Block::~Block() { free(shared); }
Launch::Launch() = default;
Launch::~Launch() = default;

void begin(Block &block, Launch &launch, uint32_t number) {
  block.launch = &launch;
  block.number = number;
  block.shared_bytes = round_up(launch.module->shared_bytes, 128) + launch.dynamic_shared;
  free(block.shared);
  block.shared = static_cast<uint8_t *>(
      aligned_alloc(shared_alignment, round_up(block.shared_bytes + 1, shared_alignment)));
  simt::poison(block.shared, block.shared_bytes);
  block.warps.resize((launch.threads + lanes - 1) / lanes);
  block.live = static_cast<unsigned>(block.warps.size());
  block.arrived = 0;
  block.barriers = 0;
  for (uint32_t k = 0; k < block.warps.size(); k++)
    begin(block.warps[k], block, k);
  if (options().races && !block.races)
    block.races = std::make_unique<SharedRaces>();
  if (block.races)
    block.races->begin(block);
  if (launch.races)
    launch.races->begin(block);
  if (options().weak)
    block.held = std::make_unique<HeldStores>();
}

void pass_barrier_if_all_wait(Block &block) {
  if (!block.live || block.arrived != block.live)
    return;
  block.arrived = 0;
  block.barriers++;
  for (Warp &w : block.warps) {
    if (w.done)
      continue;
    w.at_barrier = false;
    w.syncs++;
    for (Group &g : w.groups) {
      g.wait = Group::runs;
      g.at++;
    }
    join(w);
  }
  if (block.launch->races)
    block.launch->races->pass_barrier(block);
}

void end(Block &block) {
  if (block.races)
    block.races->end(block);
}

} // namespace ptx
