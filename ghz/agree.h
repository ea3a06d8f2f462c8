/* agree.h: the headers of an operation's operands: that they agree, and what the result's is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_AGREE_H
#define GHZ_AGREE_H

#include <ghz/slice.h>

#include "compute.h"
#include "stream/operand.h"

/* The operands of a computation, in the context's memory. */
typedef struct agreed_operands {
  operand *operands;
  const int64_t *coefficients; /* NULL: all 1 */
  own_lattice *own;            /* of a linear computation; else NULL */
  size_t counting;             /* whose coefficient is not 0 */
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
