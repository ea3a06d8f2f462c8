/* floating.h: the floating-point environment that the format is defined in: round to nearest,
 * nothing flushed to zero, nothing trapped. A host program built with fast-math must not change a
 * bit (law L3). The caller's, with its exception flags, comes back at the end.
 *
 * The standard's calls take as long as the sum of a tile. So where the processor's registers are
 * known they are read, and written only where they differ. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FLOATING_H
#define GHZ_FLOATING_H

#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

enum { SSE_FLAGS = 0x3f, SSE_DEFAULT = 0x1f80, X87_DEFAULT = 0x37f };

/* libm may compute with the x87, too. */
typedef struct floating_environment {
  unsigned sse;
  uint16_t x87;
} floating_environment;

static inline void x87_set(uint16_t control) {
  __asm__ volatile("fldcw %0" : : "m"(control));
}

static inline void floating_begin(floating_environment *caller) {
  caller->sse = _mm_getcsr();
  __asm__ volatile("fnstcw %0" : "=m"(caller->x87));
  if ((caller->sse & ~(unsigned)SSE_FLAGS) != SSE_DEFAULT)
    _mm_setcsr(SSE_DEFAULT);
  if (caller->x87 != X87_DEFAULT)
    x87_set(X87_DEFAULT);
}

static inline void floating_end(const floating_environment *caller) {
  if (caller->sse != _mm_getcsr())
    _mm_setcsr(caller->sse);
  if (caller->x87 != X87_DEFAULT)
    x87_set(caller->x87);
}

#elif defined(__aarch64__)

typedef struct floating_environment {
  uint64_t control, flags;
} floating_environment;

static inline void floating_begin(floating_environment *caller) {
  __asm__ volatile("mrs %0, fpcr" : "=r"(caller->control));
  __asm__ volatile("mrs %0, fpsr" : "=r"(caller->flags));
  if (caller->control != 0)
    __asm__ volatile("msr fpcr, %0" : : "r"(UINT64_C(0)));
}

static inline void floating_end(const floating_environment *caller) {
  uint64_t flags;
  __asm__ volatile("mrs %0, fpsr" : "=r"(flags));
  if (caller->flags != flags)
    __asm__ volatile("msr fpsr, %0" : : "r"(caller->flags));
  if (caller->control != 0)
    __asm__ volatile("msr fpcr, %0" : : "r"(caller->control));
}

#else
#include <fenv.h>

typedef fenv_t floating_environment;

static inline void floating_begin(floating_environment *caller) {
  fegetenv(caller);
  fesetenv(FE_DFL_ENV);
}

static inline void floating_end(const floating_environment *caller) {
  fesetenv(caller);
}

#endif

#endif
