/* brick_impl.h: the values of a brick: from an array, into an array, and what lies outside of
 * it. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

enum { ORDERS_MAX = 4, BRICK_LAYER_BLOCKS = 16 };

/* Lines and layers of a brick, in blocks. */
typedef struct brick_layout {
  int dims, orders, line, layer;
} brick_layout;

static const brick_layout brick_layouts[4] = {{0}, {0}, {2, 3, 4, BLOCKS}, {3, 4, 2, BRICK_LAYER_BLOCKS}};

/* Walks over the lines of a brick that are inside:
 *   for (line_walk w = first_line(place); more_lines(&w); next_line(&w)) ... */
typedef struct line_walk {
  const tile_place *place;
  unsigned left_z, left_y; /* layers, and lines of this layer, from this one on */
  size_t column, layer;    /* the first column of the line, and of its layer */
  size_t at, plane;        /* the first value of the line, and of its plane, in the array */
} line_walk;

static inline line_walk first_line(const tile_place *p) {
  return (line_walk){.place = p, .left_z = p->extent.z, .left_y = p->extent.y};
}

static inline int more_lines(const line_walk *w) {
  return w->left_z > 0;
}

static inline void next_line(line_walk *w) {
  const int cubes = w->place->extent.dims == 3;
  if (--w->left_y) {
    w->column += cubes ? 16 : 32;
    w->at += w->place->row;
    return;
  }
  w->left_z--;
  w->left_y = w->place->extent.y;
  w->column = w->layer += 8 * 16;
  w->at = w->plane += w->place->plane;
}

/* The columns inside, as a bit plane, of any tile. */
static void columns_inside(const tile_extent *e, bit_plane plane) {
  const tile_place place = packed_place(*e);
  memset(plane, e->n == TILE ? 0xff : 0, PLANE_BYTES);
  if (e->n == TILE)
    return;
  for (line_walk w = first_line(&place); more_lines(&w); next_line(&w)) {
    memset(plane + w.column / 8, 0xff, e->x / 8);
    if (e->x % 8)
      plane[(w.column + e->x) / 8] = (uint8_t)((1 << e->x % 8) - 1);
  }
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

/* Of a whole brick: simple loops of sizes that the compiler knows. */
GHZ_INLINE void gather_lines(const tile_place *p, const char *x, unsigned lines, size_t line, size_t size,
                             char *columns) {
  for (unsigned z = 0; z < p->extent.z; z++, x += p->plane * size) {
    const char *from = x;
    for (unsigned y = 0; y < lines; y++, from += p->row * size, columns += line)
      for (size_t i = 0; i < line; i += VEC)
        vec_store(columns + i, *(const vec_16 *)(const void *)(from + i));
  }
}

static void gather_whole(const tile_place *p, const void *x, size_t size, void *columns) {
  if (p->extent.dims == 3 && size == 4)
    gather_lines(p, x, 8, 64, 4, columns);
  else if (p->extent.dims == 3)
    gather_lines(p, x, 8, 128, 8, columns);
  else if (size == 4)
    gather_lines(p, x, 32, 128, 4, columns);
  else
    gather_lines(p, x, 32, 256, 8, columns);
}

/* Values to columns; columns outside are 0. */
static void gather_brick(const tile_place *p, const void *x, size_t size, void *columns) {
  const tile_extent *e = &p->extent;
  if (e->n == TILE) {
    gather_whole(p, x, size, columns);
    return;
  }
  memset(columns, 0, TILE * size);
  for (line_walk w = first_line(p); more_lines(&w); next_line(&w))
    copy_line((char *)columns + w.column * size, (const char *)x + w.at * size, e->x * size);
}

/* Whether a line can pass the caches by. */
static inline int may_stream(const void *to, size_t size) {
  return ((uintptr_t)to | size) % VEC == 0;
}

static inline void stream_line(void *to, const void *from, size_t size) {
  for (size_t i = 0; i < size; i += VEC)
    vec_stream((char *)to + i, (const char *)from + i);
}

static inline void zero_line(void *to, size_t size) {
  static const ALIGNED uint8_t zeros[VEC];
  for (size_t i = 0; i < size; i += VEC)
    vec_stream((char *)to + i, zeros);
}

/* Columns to values; those outside are dropped. */
static void scatter_brick(const tile_place *p, const void *columns, size_t size, int streaming, void *x) {
  const tile_extent *e = &p->extent;
  for (line_walk w = first_line(p); more_lines(&w); next_line(&w)) {
    void *to = (char *)x + w.at * size;
    const void *from = (const char *)columns + w.column * size;
    if (streaming && may_stream(to, e->x * size))
      stream_line(to, from, e->x * size);
    else
      copy_line(to, from, e->x * size);
  }
}

/* Columns outside, position-major: 1, or 0 where a column is inside. */
static void mark_outside(const bit_plane inside, uint8_t outside[TILE]) {
  for (int t = 0; t < BLOCK; t++)
    for (int b = 0; b < BLOCKS; b++)
      outside[t * BLOCKS + b] = !(inside[b] >> t & 1);
}
