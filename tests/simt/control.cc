// control.cc: settings (defaults, environment, tests), counters, and numbers drawn from the seed.
// SPDX-License-Identifier: BSD-3-Clause
#include "state.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

// Kernels that nvcc compiled want the device that they were compiled for (tests/ptx).
#ifndef SIMT_CAPABILITY_USUAL
#define SIMT_CAPABILITY_USUAL 90
#endif

namespace simt {

std::mutex lock;
simt_counters counters;

namespace {

simt_settings now;
bool configured = false;
uint64_t random_state;
uint64_t calls_left, allocations_left; // until one fails; 0: none will

void configure(const simt_settings &settings) {
  now = settings;
  if (!now.resident)
    now.resident = 1;
  random_state = now.seed;
  calls_left = now.fail_call;
  allocations_left = now.fail_allocation;
  configured = true;
}

[[noreturn]] void die_of(const char *name, const char *text) {
  fprintf(stderr, "simt: %s=%s means nothing\n", name, text);
  abort();
}

// Counts down to the call that fails.
bool now_fails(uint64_t &left) { return left && --left == 0; }

// Takes a setting from the environment, if it is there: a number from 0 to `greatest`, or one of
// the words, which are numbered.
template <class T>
void take(T &member, const char *name, long long greatest, std::initializer_list<const char *> words = {}) {
  const char *text = getenv(name);
  if (!text || !*text)
    return;
  for (const char *const &word : words)
    if (!strcmp(text, word)) {
      member = static_cast<T>(&word - words.begin());
      return;
    }
  char *end;
  const long long value = strtoll(text, &end, 0);
  if (*end || value < 0 || value > greatest)
    die_of(name, text);
  member = static_cast<T>(value);
}

} // namespace

const simt_settings &settings() {
  if (!configured)
    configure(simt_defaults());
  return now;
}

uint64_t draw() { // splitmix64
  settings();
  uint64_t x = random_state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

void poison(unsigned char *memory, size_t size) {
  uint64_t word = draw();
  for (size_t i = 0; i < size; i += sizeof word) {
    memcpy(memory + i, &word, size - i < sizeof word ? size - i : sizeof word);
    word = word * 6364136223846793005u + 1442695040888963407u;
    word ^= word >> 29;
  }
}

bool allocation_fails() {
  counters.allocations++;
  return now_fails(allocations_left);
}

cudaError_t refused() {
  counters.calls++;
  settings();
  if (now_fails(calls_left))
    return static_cast<cudaError_t>(settings().fail_with);
  if (!settings().driver)
    return cudaErrorInsufficientDriver;
  return settings().devices ? cudaSuccess : cudaErrorNoDevice;
}

} // namespace simt

simt_settings simt_defaults(void) {
  simt_settings s = {};
  s.order = SIMT_RANDOM;
  s.seed = 1;
  s.resident = 4;
  s.eager = 25;
  s.protect = 1;
  s.patience = 400000000;
  s.devices = 1;
  s.driver = 1;
  s.capability = SIMT_CAPABILITY_USUAL;
  s.multiprocessors = 3;
  s.shared = 228;
  s.memory = size_t{4} << 30;
  s.fail_with = cudaErrorLaunchFailure;
  constexpr long long any = 1LL << 62;
  simt::take(s.order, "SIMT_ORDER", SIMT_RANDOM, {"forward", "random"});
  simt::take(s.seed, "SIMT_SEED", any);
  simt::take(s.resident, "SIMT_RESIDENT", 1000);
  simt::take(s.protect, "SIMT_PROTECT", 1);
  simt::take(s.devices, "SIMT_DEVICES", 64);
  simt::take(s.multiprocessors, "SIMT_MULTIPROCESSORS", 1000);
  return s;
}

void simt_configure(const simt_settings *settings) {
  std::lock_guard<std::mutex> guard(simt::lock);
  simt::open_memory(); // protection may change
  simt::configure(*settings);
  simt::close_memory();
}

simt_counters simt_count(void) {
  std::lock_guard<std::mutex> guard(simt::lock);
  return simt::counters;
}

void simt_count_anew(void) {
  std::lock_guard<std::mutex> guard(simt::lock);
  simt::counters = {};
}

simt_holdings simt_held(void) {
  std::lock_guard<std::mutex> guard(simt::lock);
  simt_holdings held = {};
  simt::add_memory(held);
  simt::add_streams(held);
  return held;
}
