/* quantum.h: the quantum of the values of a file: what all of them are multiples of. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_QUANTUM_H
#define GHZ_CLI_QUANTUM_H

#include "io/input.h"

typedef struct quantum {
  double step;     /* of the grid that every finite value lies on; 0 if there is none */
  const char *why; /* there is none */
} quantum;

/* Searches it: in a sample, and then looks at every value. The input can be read twice, and is at
 * its first value before and after. `fill` is NULL, or the value that is left out. Returns false,
 * having printed why, if the file cannot be read. */
bool quantum_of_input(input *in, const double *fill, quantum *q);

/* Searches it in an array. */
quantum quantum_of_values(ghz_type type, const void *x, size_t n, const double *fill);

/* Counts the finite values of an array that are not on a grid, in on[0], and those that are. */
void quantum_count(const ghz_lattice *grid, const void *x, size_t n, const double *fill, uint64_t on[2]);

#endif
