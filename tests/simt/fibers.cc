// fibers.cc: the switch between stacks: a few instructions on x86-64, ucontext elsewhere (or with
// SIMT_UCONTEXT).
// SPDX-License-Identifier: BSD-3-Clause
#include "fibers.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#ifdef SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {
namespace {

#ifdef SIMT_ASAN
constexpr size_t stack_size = 256 << 10; // red zones need room
#else
constexpr size_t stack_size = 64 << 10;
#endif
constexpr size_t stacks_at_once = 64;

std::vector<char *> free_stacks;

void map_stacks() {
  const size_t guard = 17 * static_cast<size_t>(sysconf(_SC_PAGESIZE)); // an odd stride is kinder to caches
  const size_t stride = guard + stack_size;
  void *memory = mmap(nullptr, stacks_at_once * stride, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    perror("simt: no memory for the stacks of threads");
    abort();
  }
  for (size_t i = stacks_at_once; i-- > 0;) {
    char *stack = static_cast<char *>(memory) + i * stride;
    mprotect(stack, guard, PROT_NONE);
    free_stacks.push_back(stack + guard);
  }
}

#ifdef SIMT_ASAN
void *scheduler_fake_stack;
const void *scheduler_stack;
size_t scheduler_stack_size;

void before_entering(Fiber &fiber) {
  __sanitizer_start_switch_fiber(&scheduler_fake_stack, fiber.stack, stack_size);
}
void after_leaving() { __sanitizer_finish_switch_fiber(scheduler_fake_stack, nullptr, nullptr); }
void before_leaving(void **fake_stack) {
  __sanitizer_start_switch_fiber(fake_stack, scheduler_stack, scheduler_stack_size);
}
void after_entering(void *fake_stack) {
  __sanitizer_finish_switch_fiber(fake_stack, &scheduler_stack, &scheduler_stack_size);
}
void clean(char *stack) { // of the red zones of frames that never returned
  __asan_unpoison_memory_region(stack, stack_size);
}
#else
void before_entering(Fiber &) {}
void after_leaving() {}
void before_leaving(void **) {}
void after_entering(void *) {}
void clean(char *) {}
#endif

#ifdef SIMT_PORTABLE_FIBERS
ucontext_t scheduler;

void to_fiber(Fiber &fiber) { swapcontext(&scheduler, &fiber.context); }
void to_scheduler(Fiber &fiber) { swapcontext(&fiber.context, &scheduler); }
#else
void *scheduler;

extern "C" void simt_switch(void **save, void *load);
asm(".pushsection .text\n"
    ".hidden simt_switch\n"
    ".globl simt_switch\n"
    ".type simt_switch,@function\n"
    "simt_switch:\n"
    "  push %rbp\n"
    "  push %rbx\n"
    "  push %r12\n"
    "  push %r13\n"
    "  push %r14\n"
    "  push %r15\n"
    "  mov %rsp,(%rdi)\n"
    "  mov %rsi,%rsp\n"
    "  pop %r15\n"
    "  pop %r14\n"
    "  pop %r13\n"
    "  pop %r12\n"
    "  pop %rbx\n"
    "  pop %rbp\n"
    "  ret\n"
    ".size simt_switch,.-simt_switch\n"
    ".popsection\n");

void to_fiber(Fiber &fiber) { simt_switch(&scheduler, fiber.stack_pointer); }
void to_scheduler(Fiber &fiber) { simt_switch(&fiber.stack_pointer, scheduler); }
#endif

} // namespace

char *take_stack() {
  if (free_stacks.empty())
    map_stacks();
  char *stack = free_stacks.back();
  free_stacks.pop_back();
  return stack;
}

void give_stack(char *stack) { free_stacks.push_back(stack); }

// Stacks that all began at the same place of a page would share a few lines of the cache: colours
// spread them.
void prepare(Fiber &fiber, char *stack, unsigned colour, void (*entry)()) {
  clean(stack);
  fiber.stack = stack;
  fiber.fake_stack = nullptr;
  const size_t size = stack_size - colour % 16 * 192;
#ifdef SIMT_PORTABLE_FIBERS
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = stack;
  fiber.context.uc_stack.ss_size = size;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, entry, 0);
#else
  constexpr size_t saved = 6; // registers
  void **top = reinterpret_cast<void **>(stack + size);
  *--top = nullptr; // where `entry` would return to; also aligns its frame as a call does
  *--top = reinterpret_cast<void *>(entry);
  top -= saved;
  memset(top, 0, saved * sizeof *top);
  fiber.stack_pointer = top;
#endif
}

void begun() { after_entering(nullptr); }

void enter(Fiber &fiber) {
  before_entering(fiber);
  to_fiber(fiber);
  after_leaving();
}

void leave(Fiber &fiber) {
  before_leaving(&fiber.fake_stack);
  to_scheduler(fiber);
  after_entering(fiber.fake_stack);
}

void leave_forever(Fiber &fiber) {
  before_leaving(nullptr);
  to_scheduler(fiber);
}

} // namespace simt
