/* fresh_brick_impl.h: a brick on its way to a tile: values and integers. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Residuals of predictors 1 and up. What lies before the first block is read, and masked. */
typedef struct brick_residuals {
  struct {
    int64_t before[BRICK_LAYER_BLOCKS];
    ALIGNED int64_t r[TILE];
  } at[PREDICTORS_MAX];
} brick_residuals;

/* Values and integers of a brick on their way. */
typedef struct brick {
  const ghz_lattice *lattice;
  const tile_extent *extent;
  const brick_layout *grid;
  const void *values;     /* in brick order, without NaN and infinities */
  const uint8_t *outside; /* of a cut brick: by position, 1 where a column is outside */
  integers integers;
  void *r[PREDICTORS_MAX]; /* residuals of every predictor; of 0: the integers */
  brick_residuals residuals;
} brick;
