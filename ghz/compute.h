/* compute.h: operations on operands that are streams or slices. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_COMPUTE_H
#define GHZ_COMPUTE_H

#include "compress.h"

enum operation { COMBINE, MINIMUM, MAXIMUM };

/* What is computed. With `scaled`, step and bound of the result are those of the operands times
 * factor, or by divisor. */
typedef struct computation {
  enum operation operation;
  size_t k;
  const int64_t *coefficients; /* NULL: all 1 */
  int linear;             /* the operands' lattices may be multiples of each other; all have coefficients */
  double factor, divisor; /* > 0; 0 where there is none */
  int scaled;
  const ghz_bytes *streams;  /* these, */
  const ghz_slice *slices;   /* or these */
  const compression *values; /* and, unless NULL, as the last of k these, compressed tile by tile */
} computation;

/* Runs it; *result then describes the result's tiles. */
ghz_status ghz_compute(ghz_context *ctx, const computation *w, const destination *to, ghz_slice *result);

/* What ghz_linear computes. EINVAL without weights, or if the divisor is 0. */
ghz_status ghz_linear_computation(ghz_context *ctx, size_t k, const ghz_bytes *streams, const int64_t *weights,
                                  uint64_t divisor, computation *c);

/* Runs it as a call of its own, to a stream that is allocated, as ghz_sum_alloc does. */
ghz_status ghz_compute_alloc(ghz_context *ctx, const computation *c, void **stream, size_t *size);

#endif
