/* floating.h: the floating-point environment that the format is defined in: round to nearest,
 * nothing flushed to zero. A host program built with fast-math must not change a bit (law L3). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FLOATING_H
#define GHZ_FLOATING_H

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
