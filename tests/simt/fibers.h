// fibers.h: stacks that code can be switched between, each the thread of a kernel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>

#if !defined(__x86_64__) || defined(SIMT_UCONTEXT)
#define SIMT_PORTABLE_FIBERS 1
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif

namespace simt {

struct Fiber {
#ifdef SIMT_PORTABLE_FIBERS
  ucontext_t context;
#else
  void *stack_pointer;
#endif
  char *stack;      // its lowest address
  void *fake_stack; // AddressSanitizer's
};

// A stack with pages below it that fault. Stacks are kept for later launches.
char *take_stack();
void give_stack(char *stack);

// Makes a fiber that will begin in `entry`, which must not return.
void prepare(Fiber &fiber, char *stack, unsigned colour, void (*entry)());
// Called first by a fiber.
void begun();
// From the scheduler to a fiber, and back.
void enter(Fiber &fiber);
void leave(Fiber &fiber);
// Back for good.
void leave_forever(Fiber &fiber);

} // namespace simt
