/* lattice.h: checks of types and lattices that come from outside. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_LATTICE_H
#define GHZ_LATTICE_H

#include "ghz.h"

static inline int ghz_type_known(ghz_type type) {
  return type == GHZ_F32 || type == GHZ_F64;
}

/* A lattice that a stream may have. */
int ghz_lattice_valid(const ghz_lattice *lattice);

/* A lattice that values may be quantised on: the step has the precision that the bound is proved
 * for. */
int ghz_lattice_fresh(const ghz_lattice *lattice);

#endif
