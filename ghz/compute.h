/* compute.h: operations on operands that are streams or slices. */
#ifndef GHZ_COMPUTE_H
#define GHZ_COMPUTE_H

#include "parallel.h"

enum operation { COMBINE, MINIMUM, MAXIMUM };

/* What is asked for. The step and bound of the result are those of the operands times factor / divisor. */
typedef struct request {
  enum operation operation;
  size_t k;
  const int64_t *coefficients; /* NULL: all 1 */
  double factor;               /* > 0 */
  double divisor;
  int scaled;
  const ghz_bytes *streams; /* these, */
  const ghz_slice *slices;  /* or these */
} request;

/* Runs it into dst; *shape then describes the result's tiles. */
ghz_status ghz_compute(ghz_context *ctx, const request *r, tile_layout layout, void *dst, size_t capacity,
                       ghz_slice *shape);

#endif
