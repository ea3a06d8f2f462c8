/* constant_impl.h: values to a tile of one value that the lattice misses (FORMAT.md, "One
 * value"). Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

static inline uint64_t load_value(const void *p, size_t size) {
  return size == 4 ? load_u32(p) : load_u64(p);
}

/* The first value of a place that is neither special nor missing. Returns 0 if there is none. */
static int first_finite(const ghz_lattice *l, const tile_place *place, const char *x, uint64_t *bits) {
  const size_t size = value_bytes(l->type);
  const fill_test fill = fill_test_of(l);
  for (line_walk w = first_line(place); more_lines(&w); next_line(&w))
    for (size_t i = 0; i < place->extent.x; i++) {
      *bits = load_value(x + (w.at + i) * size, size);
      if (bits_are_finite(l->type, fill, *bits))
        return 1;
    }
  return 0;
}

/* Whether the finite values of a line that are not missing are this one. Most lines that are have
 * nothing else: each value is the one before it. */
static int line_has_only(const ghz_lattice *l, fill_test fill, uint64_t bits, const char *line, unsigned n) {
  const size_t size = value_bytes(l->type);
  if (load_value(line, size) == bits && memcmp(line, line + size, (n - 1) * size) == 0)
    return 1;
  for (unsigned i = 0; i < n; i++) {
    const uint64_t b = load_value(line + i * size, size);
    if (b != bits && bits_are_finite(l->type, fill, b))
      return 0;
  }
  return 1;
}

/* Whether the finite values of a place that are not missing are one value, by their bits, and a
 * lattice tile of it gives another one. A first value that is zero is one of the lattice. */
static int one_value_is_missed(const ghz_lattice *l, const tile_place *place, const char *x, uint64_t *bits) {
  const size_t size = value_bytes(l->type);
  const fill_test fill = fill_test_of(l);
  if ((!l->has_fill && load_value(x, size) == 0) || !first_finite(l, place, x, bits) ||
      !lattice_misses(l, number_of_bits(l->type, *bits)))
    return 0;
  for (line_walk w = first_line(place); more_lines(&w); next_line(&w))
    if (!line_has_only(l, fill, *bits, x + w.at * size, place->extent.x))
      return 0;
  return 1;
}

static inline int has_widths(const uint8_t *tile, size_t size) {
  return size != 0 && tile[0] >> 5 != 0;
}

/* Whether a tile may be one of one value: it has no coefficients, as a brick, nor widths, but of
 * order 0, which is as small where values are few. */
static inline int may_be_constant(unsigned dims, const uint8_t *tile, size_t size) {
  return size == 0 ||
         (!(has_widths(tile, size) && tile[0] & 3) && !(dims > 1 && tile[0] >> 2 & 1 && tile[1] >> 3 & 1));
}

/* Puts a value before a tile of so many bytes; returns the size of both. */
static size_t put_value_before(ghz_type type, uint64_t bits, uint8_t *tile, size_t size) {
  const unsigned head = constant_head(type);
  memmove(tile + head, tile, size);
  tile[0] = CONSTANT_TILE;
  memcpy(tile + 1, &bits, head - 1);
  return head + size;
}
