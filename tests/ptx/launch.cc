// launch.cc: the blocks of a launch, so many at a time, in the order that the settings ask for.
// SPDX-License-Identifier: BSD-3-Clause
#include "order.h"
#include "state.h"
#include <algorithm>
#include <cfenv>
#include <numeric>

namespace ptx {

Totals totals;

namespace {

constexpr uint64_t most_polls = 1000000; // while nothing is stored: those who wait, wait for ever

class Blocks {
public:
  explicit Blocks(Launch &of) : launch(of), order(in_order(of)) {}
  void run();

private:
  Launch &launch;
  std::vector<uint32_t> order;
  size_t next = 0;
  std::vector<std::unique_ptr<Block>> in_flight, ended;

  static std::vector<uint32_t> in_order(const Launch &launch);
  void begin_some();
  size_t choose() const;
  Warp *choose_warp(Block &block) const;
  unsigned budget() const;
  void watch_polls(Warp &w);
  void end_block(size_t index);
};

std::vector<uint32_t> Blocks::in_order(const Launch &launch) {
  std::vector<uint32_t> order(launch.blocks);
  std::iota(order.begin(), order.end(), 0);
  if (simt::settings().order == SIMT_RANDOM)
    for (size_t k = order.size(); k > 1; k--)
      std::swap(order[k - 1], order[draw_below(k)]);
  return order;
}

void Blocks::begin_some() {
  static std::vector<std::unique_ptr<Block>> spare; // their memory is used again
  for (std::unique_ptr<Block> &block : ended)
    spare.push_back(std::move(block));
  ended.clear();
  while (in_flight.size() < simt::settings().resident && next < order.size()) {
    if (spare.empty())
      spare.push_back(std::make_unique<Block>());
    in_flight.push_back(std::move(spare.back()));
    spare.pop_back();
    begin(*in_flight.back(), launch, order[next++]);
  }
  if (next == order.size() && in_flight.empty())
    spare.resize(std::min<size_t>(spare.size(), 8));
}

// The first, or any. No block is passed over for ever.
size_t Blocks::choose() const {
  const bool in_turn = simt::settings().order == SIMT_FORWARD && draw_below(4);
  return in_turn ? 0 : draw_below(in_flight.size());
}

Warp *Blocks::choose_warp(Block &block) const {
  Warp *chosen = nullptr;
  uint64_t able = 0;
  for (Warp &w : block.warps)
    if (!w.done && !w.at_barrier && draw_below(++able) == 0)
      chosen = &w;
  return chosen;
}

unsigned Blocks::budget() const {
  if (options().apart)
    return 1 + static_cast<unsigned>(draw_below(200));
  return simt::settings().order == SIMT_FORWARD ? 2000 : 1 + static_cast<unsigned>(draw_below(2000));
}

void Blocks::watch_polls(Warp &w) {
  if (w.polls && ++launch.polls > most_polls)
    fault(w, 0, "livelock: it looks at a word that nobody changes any more");
}

void Blocks::end_block(size_t index) {
  end(*in_flight[index]);
  ended.push_back(std::move(in_flight[index]));
  in_flight.erase(in_flight.begin() + static_cast<ptrdiff_t>(index));
}

void Blocks::run() {
  std::vector<std::unique_ptr<HeldStores>> held;
  for (begin_some(); !in_flight.empty(); begin_some()) {
    const size_t index = choose();
    Block &block = *in_flight[index];
    Warp &w = *choose_warp(block);
    ptx::run(w, budget());
    watch_polls(w);
    if (block.live)
      continue;
    held.push_back(std::move(block.held)); // the end of a block is no fence
    end_block(index);
  }
  for (const std::unique_ptr<HeldStores> &stores : held)
    if (stores)
      stores->publish_all();
}

// A GPU rounds as its instructions say, whatever the caller's mode is.
struct UsualRounding {
  fenv_t before;
  UsualRounding() {
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
  }
  ~UsualRounding() { fesetenv(&before); }
};

} // namespace

void run(Launch &launch) {
  const UsualRounding rounding;
  launch.number = ++totals.launches;
  if (options().races)
    launch.races = std::make_unique<GlobalRaces>();
  Blocks(launch).run();
}

} // namespace ptx
