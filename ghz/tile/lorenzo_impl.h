/* lorenzo_impl.h: integers of a brick to residuals and back (FORMAT.md, "Residuals"). Part of
 * codec.h, and a template: included once per size of integers.
 *
 * Parameter: BITS   32 or 64; undefined at the end. differences_impl.h has 16, for encoding
 *
 * Order o takes differences along o axes, x first, then y, then z; and along the next axes where
 * the column is the first along all those before: so nothing but column 0 is without a
 * neighbour. Encoding has integers position-major, as lanes_impl.h: a step along y or z is then
 * so many blocks back, at the same position. Decoding has them in brick order, where it is a
 * line or a layer back. */
/* SPDX-License-Identifier: BSD-3-Clause */

#define INT PASTE(PASTE(int, BITS), _t)
#define UINT PASTE(PASTE(uint, BITS), _t)
#define FN(name) PASTE(PASTE(name, _), BITS)

/* to = from - from `back` blocks before, in the same position; 0 counts before the blocks that are
 * not in `mask`. */
static inline void FN(difference)(const UINT *from, int back, const UINT mask[BLOCKS], UINT *to) {
  for (int t = 0; t < BLOCK; t++)
    for (int b = 0; b < BLOCKS; b++)
      to[t * BLOCKS + b] = (UINT)(from[t * BLOCKS + b] - (from[t * BLOCKS + b - back] & mask[b]));
}

/* Along x: the value before is at the position before, or at the last one of the block before. */
static inline void FN(difference_x)(const UINT *from, const UINT mask[BLOCKS], UINT *to) {
  for (int b = 0; b < BLOCKS; b++)
    to[b] = (UINT)(from[b] - (from[7 * BLOCKS + b - 1] & mask[b]));
  for (int i = BLOCKS; i < TILE; i++)
    to[i] = (UINT)(from[i] - from[i - BLOCKS]);
}

/* Sets columns outside to 0. */
static inline void FN(clear_outside)(UINT *r, const uint8_t *outside) {
  for (int i = 0; outside && i < TILE; i++)
    r[i] = outside[i] ? 0 : r[i];
}

/* Columns that are the first along an axis have the residuals of the next order. */
static inline void FN(differ_firsts)(const brick_layout *g, UINT *const r[ORDERS_MAX]) {
  for (int t = 0; g->orders > 3 && t < TILE; t += BLOCKS)
    for (int b = t; b < t + BLOCKS; b += g->layer)
      memcpy(r[2] + b, r[3] + b, (size_t)g->line * sizeof(UINT));
  for (int b = 0; b < BLOCKS; b += g->line)
    r[1][b] = r[2][b];
}

/* The residuals of q at all orders of the brick; columns outside are 0, those of q become so.
 * Column 0, for which the anchor stands, is 0, too. */
static void FN(brick_residuals)(void *q, const brick_layout *g, const uint8_t *outside,
                                void *const r[ORDERS_MAX]) {
  UINT mask[3][BLOCKS];
  const int line = g->line - 1, layer = g->layer - 1; /* powers of two */
  for (int b = 0; b < BLOCKS; b++) {
    mask[0][b] = (UINT) - ((b & line) != 0);
    mask[1][b] = (UINT) - ((b & layer) > line);
    mask[2][b] = (UINT) - (b > layer);
  }
  FN(difference_x)(q, mask[0], r[1]);
  FN(difference)(r[1], g->line, mask[1], r[2]);
  if (g->orders > 3)
    FN(difference)(r[2], g->layer, mask[2], r[3]);
  FN(differ_firsts)(g, (UINT *const *)r);
  FN(clear_outside)(q, outside);
  for (int o = 1; o < g->orders; o++) {
    *(UINT *)r[o] = 0;
    FN(clear_outside)(r[o], outside);
  }
}

/* The first columns of lines, which at order 1 are differences along y and z. */
static void FN(integrate_firsts)(UINT *u, const brick_layout *g) {
  for (int b = g->layer; b < BLOCKS; b += g->layer)
    u[b] = (UINT)(u[b] + u[b - g->layer]);
  for (int b = g->line; b < BLOCKS; b += g->line)
    u[b] = (UINT)(u[b] + (b % g->layer ? u[b - g->line] : 0));
}

/* The inverse along x, in place, position-major: sums inside each block, then of the blocks before
 * it in its line. Sums wrap, by design. */
static void FN(integrate_x)(INT *r, const brick_layout *g, int order) {
  UINT *u = (UINT *)r, before[BLOCKS] = {0};
  if (order == 1)
    FN(integrate_firsts)(u, g);
  for (int i = BLOCKS; i < TILE; i++)
    u[i] = (UINT)(u[i] + u[i - BLOCKS]);
  for (int back = 1; back < g->line; back++)
    for (int b = back; b < BLOCKS; b++)
      before[b] = (UINT)(before[b] + ((b & (g->line - 1)) >= back ? u[7 * BLOCKS + b - back] : 0));
  for (int t = 0; t < BLOCK; t++)
    for (int b = 0; b < BLOCKS; b++)
      u[t * BLOCKS + b] = (UINT)(u[t * BLOCKS + b] + before[b]);
}

/* The inverse along y and z, in place, in brick order. */
static void FN(integrate_yz)(INT *r, const brick_layout *g, int order) {
  UINT *u = (UINT *)r;
  const int line = g->line * BLOCK, layer = g->layer * BLOCK;
  for (int i = layer; order == 2 && i < TILE; i += layer)
    for (int k = i; k < i + line; k++)
      u[k] = (UINT)(u[k] + u[k - layer]);
  for (int i = 0; order > 1 && i < TILE; i += layer)
    for (int k = i + line; k < i + layer; k += line)
      for (int x = 0; x < line; x++)
        u[k + x] = (UINT)(u[k + x] + u[k - line + x]);
  for (int i = layer; order > 2 && i < TILE; i += layer)
    for (int k = i; k < i + layer; k++)
      u[k] = (UINT)(u[k] + u[k - layer]);
}

#undef INT
#undef UINT
#undef FN
#undef BITS
