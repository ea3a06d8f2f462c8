// schedule.cc: in which order blocks, warps and lanes run; where they meet; what is a deadlock or a
// livelock.
// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.h"
#include "state.h"
#include <algorithm>
#include <cfenv>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>
#include <vector>

#ifdef SIMT_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace simt {

// Lanes of one mask that come together. Two sets of values: lanes may be at the next meeting while
// others still read.
struct Meeting {
  uint32_t mask = 0, arrived = 0;
  unsigned leaving = 0; // lanes that were let go and have not run since
  unsigned turn = 0;
  Site site{};
  uint64_t values[2][32];
};

struct Warp {
  unsigned number = 0, size = 0;
  uint32_t live = 0, ready = 0; // lanes
  Thread *lanes = nullptr;
  std::deque<Meeting> meetings; // one for each mask
};

namespace {

constexpr size_t guard_size = 128;
constexpr unsigned char guard_byte = 0x5a;

// A block in flight. What it is made of is kept for the blocks after it.
struct Flight : Block {
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  unsigned live = 0, waiting = 0;
  bool exited = false;           // a thread has
  Site site{};                   // of the barrier
  unsigned char *room = nullptr; // guard, shared memory, guard
};

uint64_t idle_switches; // since a block began or ended

// In the order of State.
constexpr const char *state_names[] = {"able to run", "waits for lanes", "waits for the block"};
constexpr Site beginning = {"its beginning", "", 0};

void print_thread(const Thread &thread) {
  const uint3 block = thread.block->index;
  fprintf(stderr, "block (%u,%u,%u) thread (%u,%u,%u), warp %u lane %u, last met others in %s at %s:%d\n",
          block.x, block.y, block.z, thread.index.x, thread.index.y, thread.index.z, thread.warp->number,
          thread.lane, thread.site.what, thread.site.file, thread.site.line);
}

bool same(const Site &a, const Site &b) {
  return a.line == b.line && (a.what == b.what || !strcmp(a.what, b.what)) &&
         (a.file == b.file || !strcmp(a.file, b.file));
}

// Where the threads of a block are: one line for all threads at one place.
void print_threads(const Flight &flight) {
  std::vector<const Thread *> shown;
  for (const Thread &thread : flight.threads) {
    if (thread.state == State::exited)
      continue;
    const auto alike = [&](const Thread *other) {
      return other->state == thread.state && same(other->site, thread.site);
    };
    if (std::any_of(shown.begin(), shown.end(), alike))
      continue;
    shown.push_back(&thread);
    fprintf(stderr, "simt:   %s: ", state_names[static_cast<int>(thread.state)]);
    print_thread(thread);
    if (shown.size() == 8)
      break;
  }
}

} // namespace

void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "simt: ");
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  if (current) {
    fprintf(stderr, "\nsimt:   kernel %s, ", current->block->grid->name);
    print_thread(*current);
  } else {
    fprintf(stderr, "\n");
  }
  abort();
}

namespace {

[[noreturn]] void die_stuck(const char *what, const Flight &flight) {
  fprintf(stderr, "simt: %s in kernel %s; the threads of one block:\n", what, flight.grid->name);
  print_threads(flight);
  abort();
}

Flight &flight_of(Thread &thread) { return *static_cast<Flight *>(thread.block); }

void sleep(Thread &thread, State state) {
  thread.state = state;
  thread.warp->ready &= ~(1u << thread.lane);
  leave(thread.fiber);
}

void wake(Thread &thread) {
  thread.state = State::ready;
  thread.warp->ready |= 1u << thread.lane;
}

// The meeting of a mask; one that nobody uses any more may serve a new mask.
Meeting &meeting_of(Warp &warp, uint32_t mask) {
  Meeting *unused = nullptr;
  for (Meeting &meeting : warp.meetings) {
    if (meeting.mask == mask)
      return meeting;
    if (!meeting.arrived && !meeting.leaving)
      unused = &meeting;
  }
  Meeting &meeting = unused ? *unused : warp.meetings.emplace_back();
  meeting.mask = mask;
  return meeting;
}

} // namespace

const uint64_t *meet(uint32_t mask, uint64_t value, Site site) {
  Thread &thread = *current;
  Warp &warp = *thread.warp;
  const uint32_t bit = 1u << thread.lane;
  if (!(mask & bit))
    die("%s at %s:%d: the mask %08x leaves out the lane that calls it", site.what, site.file, site.line, mask);
  if (mask & ~warp.live)
    die("%s at %s:%d: the mask %08x names lanes that have exited or never were; there are %08x", site.what,
        site.file, site.line, mask, warp.live);
  Meeting &meeting = meeting_of(warp, mask);
  if (!meeting.arrived)
    meeting.site = site;
  else if (!same(meeting.site, site))
    die("%s at %s:%d: other lanes of the mask %08x wait in %s at %s:%d", site.what, site.file, site.line, mask,
        meeting.site.what, meeting.site.file, meeting.site.line);
  thread.site = site;
  uint64_t *values = meeting.values[meeting.turn & 1];
  values[thread.lane] = value;
  meeting.arrived |= bit;
  meeting.leaving++;
  if (meeting.arrived != mask) {
    sleep(thread, State::meeting);
  } else {
    meeting.arrived = 0;
    meeting.turn++;
    for (uint32_t others = mask & ~bit; others; others &= others - 1)
      wake(warp.lanes[__builtin_ctz(others)]);
    pause_sometimes(8);
  }
  meeting.leaving--;
  return values;
}

void barrier(Site site) {
  Thread &thread = *current;
  Flight &flight = flight_of(thread);
  if (flight.exited)
    die("%s at %s:%d: threads of the block have exited", site.what, site.file, site.line);
  if (!flight.waiting)
    flight.site = site;
  else if (!same(flight.site, site))
    die("%s at %s:%d: other threads of the block wait at %s:%d", site.what, site.file, site.line,
        flight.site.file, flight.site.line);
  thread.site = site;
  if (++flight.waiting != flight.threads.size()) {
    sleep(thread, State::barrier);
    return;
  }
  flight.waiting = 0;
  for (Thread &other : flight.threads)
    if (other.state == State::barrier)
      wake(other);
  pause_sometimes(8);
}

void pause() {
  if (current)
    leave(current->fiber);
}

void pause_sometimes(unsigned one_in) {
  if (current && draw_below(one_in) == 0)
    leave(current->fiber);
}

uint64_t garbage() { return draw(); }

unsigned char *shared_memory(size_t size, size_t alignment, Site site) {
  if (size > current->block->grid->shared_bytes)
    die("%s at %s:%d: %zu bytes of shared memory, but the launch asked for %zu", site.what, site.file,
        site.line, size, current->block->grid->shared_bytes);
  if (alignment > guard_size)
    die("%s at %s:%d: shared memory is not aligned to %zu bytes", site.what, site.file, site.line, alignment);
  return current->block->shared;
}

namespace {

void run_thread() {
  begun();
  Thread &thread = *current;
  thread.block->grid->body();
  Warp &warp = *thread.warp;
  Flight &flight = flight_of(thread);
  const uint32_t bit = 1u << thread.lane;
  for (const Meeting &meeting : warp.meetings)
    if (meeting.arrived && meeting.mask & bit)
      die("a thread exits, but lanes wait for it in %s at %s:%d", meeting.site.what, meeting.site.file,
          meeting.site.line);
  if (flight.waiting)
    die("a thread exits, but the block waits for it at %s:%d", flight.site.file, flight.site.line);
  thread.state = State::exited;
  warp.live &= ~bit;
  warp.ready &= ~bit;
  flight.live--;
  flight.exited = true;
  leave_forever(thread.fiber);
}

uint3 unfold(unsigned linear, dim3 extent) {
  return {linear % extent.x, linear / extent.x % extent.y, linear / extent.x / extent.y};
}

void begin_thread(Thread &thread, Flight &flight, unsigned number) {
  Warp &warp = flight.warps[number / 32];
  thread.index = unfold(number, flight.grid->threads);
  thread.lane = number % 32;
  thread.warp = &warp;
  thread.block = &flight;
  thread.site = beginning;
  warp.live |= 1u << thread.lane;
  warp.size = thread.lane + 1;
  wake(thread);
  prepare(thread.fiber, thread.fiber.stack, number, run_thread);
}

// The blocks in flight of one launch.
class Flights {
public:
  explicit Flights(const Grid &launched)
      : grid(launched), thread_count(launched.threads.x * launched.threads.y * launched.threads.z),
        block_count(static_cast<uint64_t>(launched.blocks.x) * launched.blocks.y * launched.blocks.z) {
    choose_sequence();
  }
  ~Flights() {
    for (std::unique_ptr<Flight> &flight : landed)
      take_apart(*flight);
  }
  Flights(const Flights &) = delete;
  Flights &operator=(const Flights &) = delete;

  void run() {
    while (next < block_count || !air.empty()) {
      while (next < block_count && air.size() < settings().resident)
        air.push_back(take_off());
      const size_t chosen = in_turn() ? 0 : draw_below(air.size());
      Flight &flight = *air[chosen];
      visit(flight);
      if (!flight.live)
        land(chosen);
      else if (in_turn())
        std::rotate(air.begin(), air.begin() + 1, air.end());
    }
  }

private:
  static bool in_turn() { return settings().order == SIMT_FORWARD; }

  // Blocks begin in the order of their numbers, or in one drawn from the seed.
  void choose_sequence() {
    sequence.resize(block_count);
    std::iota(sequence.begin(), sequence.end(), 0);
    for (uint64_t i = block_count; !in_turn() && i > 1; i--)
      std::swap(sequence[i - 1], sequence[draw_below(i)]);
  }

  std::unique_ptr<Flight> take_off() {
    std::unique_ptr<Flight> flight;
    if (landed.empty()) {
      flight = std::make_unique<Flight>();
      build(*flight);
    } else {
      flight = std::move(landed.back());
      landed.pop_back();
    }
    const uint64_t number = sequence[next++];
    flight->index = {static_cast<unsigned>(number % grid.blocks.x),
                     static_cast<unsigned>(number / grid.blocks.x % grid.blocks.y),
                     static_cast<unsigned>(number / grid.blocks.x / grid.blocks.y)};
    flight->live = thread_count;
    flight->waiting = 0;
    flight->exited = false;
    poison(flight->shared, grid.shared_bytes);
    for (unsigned i = 0; i < thread_count; i++)
      begin_thread(flight->threads[i], *flight, i);
    idle_switches = 0;
    return flight;
  }

  void build(Flight &flight) {
    flight.grid = &grid;
    flight.threads.resize(thread_count);
    flight.warps.resize((thread_count + 31) / 32);
    for (unsigned i = 0; i < flight.warps.size(); i++) {
      flight.warps[i].number = i;
      flight.warps[i].lanes = &flight.threads[i * 32];
    }
    for (Thread &thread : flight.threads)
      thread.fiber.stack = take_stack();
    const size_t size = guard_size + grid.shared_bytes + guard_size;
    flight.room = static_cast<unsigned char *>(
        aligned_alloc(guard_size, (size + guard_size - 1) / guard_size * guard_size));
    flight.shared = flight.room + guard_size;
    memset(flight.room, guard_byte, size);
#ifdef SIMT_ASAN
    __asan_poison_memory_region(flight.room, guard_size);
    __asan_poison_memory_region(flight.shared + grid.shared_bytes, guard_size);
#endif
  }

  void take_apart(Flight &flight) {
#ifdef SIMT_ASAN
    __asan_unpoison_memory_region(flight.room, guard_size + grid.shared_bytes + guard_size);
#endif
    for (Thread &thread : flight.threads)
      give_stack(thread.fiber.stack);
    free(flight.room);
  }

  void check_sides([[maybe_unused]] const Flight &flight) const {
#ifndef SIMT_ASAN
    for (size_t i = 0; i < guard_size; i++)
      if (flight.room[i] != guard_byte || flight.shared[grid.shared_bytes + i] != guard_byte)
        die("kernel %s, block (%u,%u,%u): something was written beside its %zu bytes of shared memory",
            grid.name, flight.index.x, flight.index.y, flight.index.z, grid.shared_bytes);
#endif
  }

  void land(size_t chosen) {
    check_sides(*air[chosen]);
    landed.push_back(std::move(air[chosen]));
    air.erase(air.begin() + static_cast<std::ptrdiff_t>(chosen));
    idle_switches = 0;
  }

  void visit(Flight &flight) {
    const size_t count = flight.warps.size();
    const size_t first = in_turn() ? 0 : draw_below(count), visited = in_turn() ? count : 1 + draw_below(count);
    bool any = false;
    for (size_t i = 0; i < count && (i < visited || !any); i++)
      any |= visit(flight.warps[(first + i) % count]);
    if (!any)
      die_stuck("deadlock", flight);
    if (idle_switches > settings().patience)
      die_stuck("livelock", flight);
  }

  // Runs every lane of a warp that can, until it waits or pauses.
  bool visit(Warp &warp) {
    if (!warp.ready)
      return false;
    const unsigned first = in_turn() ? 0 : static_cast<unsigned>(draw_below(warp.size));
    const bool backwards = !in_turn() && draw_below(2);
    for (unsigned i = 0; i < warp.size; i++) {
      const unsigned turn = (first + i) % warp.size, lane = backwards ? warp.size - 1 - turn : turn;
      if (!(warp.ready >> lane & 1))
        continue;
      current = &warp.lanes[lane];
      idle_switches++;
      enter(current->fiber);
      current = nullptr;
    }
    return true;
  }

  const Grid &grid;
  const unsigned thread_count;
  const uint64_t block_count;
  uint64_t next = 0;
  std::vector<uint64_t> sequence;
  std::vector<std::unique_ptr<Flight>> air, landed; // the oldest first
};

#ifdef SIMT_ASAN
void watch_faults() {}
#else
// Tells which thread touched what it must not, and lets the signal end the process.
void tell_fault(int, siginfo_t *info, void *) {
  fprintf(stderr, "simt: invalid access to address %p\n", info->si_addr);
  if (current) {
    fprintf(stderr, "simt:   kernel %s, ", current->block->grid->name);
    print_thread(*current);
  }
}

void watch_faults() {
  static unsigned char room[64 << 10];
  stack_t stack = {};
  stack.ss_sp = room;
  stack.ss_size = sizeof room;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = tell_fault;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  for (int number : {SIGSEGV, SIGBUS})
    sigaction(number, &action, nullptr);
}
#endif

} // namespace

// A device rounds to nearest, however the host does.
void run(const Grid &grid) {
  watch_faults();
  const int rounding = fegetround();
  fesetround(FE_TONEAREST);
  Flights(grid).run();
  fesetround(rounding);
}

} // namespace simt
