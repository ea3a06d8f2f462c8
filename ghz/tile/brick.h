/* brick.h: the values of a brick: from an array, into an array, and what lies outside of it. Part of
 * codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

enum { ORDERS_MAX = 4, BRICK_LAYER_BLOCKS = 16 };

/* Lines and layers of a brick, in blocks. */
typedef struct brick_grid {
  int dims, orders, line, layer;
} brick_grid;

static const brick_grid brick_grids[4] = {{0}, {0}, {2, 3, 4, BLOCKS}, {3, 4, 2, BRICK_LAYER_BLOCKS}};

/* Calls `body` for each line inside the extent: its z and y, and `at`, its first column. */
#define FOR_LINES(e, at, body)                                                                                 \
  do {                                                                                                         \
    const tile_extent whole_ = whole_tile((int)(e)->dims);                                                     \
    for (unsigned z = 0; z < (e)->z; z++)                                                                      \
      for (unsigned y = 0; y < (e)->y; y++) {                                                                  \
        const size_t at = ((size_t)z * whole_.y + y) * whole_.x;                                               \
        body;                                                                                                  \
      }                                                                                                        \
  } while (0)

/* The columns inside, as a bit plane, of any tile. */
static void columns_inside(const tile_extent *e, bit_plane plane) {
  memset(plane, 0, PLANE_BYTES);
  FOR_LINES(e, at, for (unsigned x = 0; x < e->x; x++) plane[(at + x) / 8] |= (uint8_t)(1 << x % 8));
}

/* Copies a line. Whole ones have a size that the compiler knows. */
static inline void copy_line(void *to, const void *from, size_t size) {
  if (size == 64)
    memcpy(to, from, 64);
  else if (size == 128)
    memcpy(to, from, 128);
  else if (size == 256)
    memcpy(to, from, 256);
  else
    memcpy(to, from, size);
}

/* Values to columns; columns outside are 0. */
static void gather_brick(const tile_place *p, const void *x, size_t size, void *columns) {
  const tile_extent *e = &p->extent;
  if (e->n < TILE)
    memset(columns, 0, TILE * size);
  FOR_LINES(e, at,
            copy_line((char *)columns + at * size, (const char *)x + (z * p->plane + y * p->row) * size,
                      e->x * size));
}

/* Columns to values; those outside are dropped. */
static void scatter_brick(const tile_place *p, const void *columns, size_t size, void *x) {
  const tile_extent *e = &p->extent;
  FOR_LINES(e, at,
            copy_line((char *)x + (z * p->plane + y * p->row) * size, (const char *)columns + at * size,
                      e->x * size));
}

/* Columns outside, position-major: 1, or 0 where a column is inside. */
static void mark_outside(const bit_plane inside, uint8_t outside[TILE]) {
  for (int t = 0; t < BLOCK; t++)
    for (int b = 0; b < BLOCKS; b++)
      outside[t * BLOCKS + b] = !(inside[b] >> t & 1);
}
