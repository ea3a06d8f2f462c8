/* linear.h: operations on operands that are streams or slices. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_LINEAR_H
#define GHZ_LINEAR_H

#include <ghz/slice.h>

#include "compress.h"
#include "stream/stream.h"

enum operation { COMBINE, MINIMUM, MAXIMUM };

/* What is computed. Operands of a combination with weights may be on multiples of one lattice. */
typedef struct computation {
  enum operation operation;
  size_t k;
  const int64_t *weights;    /* NULL: all 1 */
  uint64_t divisor;          /* of step and bound of the result; 1: there is none */
  double factor;             /* of these, without a divisor; 0: there is none */
  const ghz_bytes *streams;  /* these, */
  const ghz_slice *slices;   /* or these */
  const compression *values; /* and, unless NULL, as the last of k these, which were checked: tile by tile */
} computation;

/* Runs it; *result then describes the result's tiles. */
ghz_status ghz_compute(ghz_context *ctx, const computation *w, const destination *to, ghz_slice *result);

/* Runs it as a call of its own, to a stream that is allocated, as ghz_linear_alloc does. */
ghz_status ghz_compute_alloc(ghz_context *ctx, const computation *c, void **stream, size_t *size);

/* ---- Agreement ------------------------------------------------------------------------------- */

/* The operands of a computation, in the context's memory. */
typedef struct agreed_operands {
  stream_operand *operands;
  const int64_t *coefficients; /* NULL: all 1 */
  const own_lattice *own;      /* NULL: all are on that of the result */
  size_t counting;             /* whose weight is not 0 */
} agreed_operands;

/* Opens the headers of all operands, which must agree; the indices are not looked at yet. *result
 * is then the header of the result but for its scaling. */
ghz_status ghz_open_headers(ghz_context *ctx, const computation *w, agreed_operands *of, ghz_slice *result);

/* The f that divides a lattice to the other one, at once or in turn; 0 if there is none. */
uint64_t ghz_factor_between(const ghz_lattice *coarse, const ghz_lattice *fine);

/* Whether operand i, b, has the type, shape, lattice and range of tiles of operand 0, a. EMISMATCH
 * or EINVAL, with a message, if not. */
ghz_status ghz_operands_agree(ghz_context *ctx, const ghz_slice *a, const ghz_slice *b, size_t i);

#endif
