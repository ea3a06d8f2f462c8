/* extremum_impl.h: the smaller or larger of two tiles, value by value, on their integers
 * (FORMAT.md, "Computing"). Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* An operand of a comparison, on integers. */
typedef struct comparand {
  layer_header header;
  specials specials;
  encoded_tile room;
  unsigned shift; /* to the mode of the result */
  ALIGNED int64_t q[TILE];
} comparand;

/* -1, 0, 1 for -Inf, finite, +Inf; NaN is beyond both ends, so that it wins. */
static int class_at(const comparand *c, unsigned i, int larger) {
  if (!c->header.specials)
    return 0;
  int plus = c->specials.plus[i / 8] >> i % 8 & 1, minus = c->specials.minus[i / 8] >> i % 8 & 1;
  return plus & minus ? (larger ? 2 : -2) : plus - minus;
}

/* Value i of the smaller or larger operand, special or not. */
static void choose_value(const comparand c[2], unsigned i, int larger, integers *v) {
  unsigned at = i % BLOCK * BLOCKS + i / BLOCK;
  int64_t a = (int64_t)((uint64_t)c[0].q[at] << c[0].shift), b = (int64_t)((uint64_t)c[1].q[at] << c[1].shift);
  int class_a = class_at(&c[0], i, larger), class_b = class_at(&c[1], i, larger);
  int greater = class_a != class_b ? class_b > class_a : b > a,
      less = class_a != class_b ? class_b < class_a : b < a;
  int second = larger ? greater : less, class = second ? class_b : class_a;
  uint8_t bit = (uint8_t)(1 << i % 8);
  v->q64[at] = second ? b : a;
  if (class == 1 || class == 2 || class == -2)
    v->specials.plus[i / 8] |= bit;
  if (class == -1 || class == 2 || class == -2)
    v->specials.minus[i / 8] |= bit;
}

/* Where an operand lies outside the lattice. */
static ghz_status extremum_values(const tile_job *j, int larger) {
  ALIGNED double y[2][TILE];
  for (size_t i = 0; i < 2; i++) {
    ghz_status status = operand_values(j, j->lattice, i, y[i]);
    if (status != GHZ_OK)
      return status;
  }
  for (unsigned v = 0; v < j->extent.n; v++) {
    const double a = y[0][v], b = y[1][v];
    const int first = a != a || (b == b && (larger ? a > b : a < b)); /* NaN wins */
    y[0][v] = first ? a : b;
  }
  put_raw(j, y[0]);
  return GHZ_OK;
}

/* What has coefficients is not compared. */
static enum opened_tile open_comparand(const tile_job *j, int i, comparand *c) {
  ALIGNED int64_t linear[TILE];
  tile_header t;
  const enum opened_tile opened = open_tile(j->lattice, j->src[i], &j->extent, &c->room, &t);
  if (opened != ON_LATTICE)
    return opened;
  if (t.transformed)
    return DAMAGED;
  c->header = t.lattice;
  if (j->extent.dims == 1) {
    decode_integers(&c->header, 1, c->q);
  } else {
    brick_integers(&c->header, &brick_layouts[j->extent.dims], 1, linear);
    split_64(linear, c->q);
  }
  if (c->header.specials)
    parse_specials(&c->header, &c->specials);
  return ON_LATTICE;
}

/* Opens the operands: their integers, brought to the larger mode. */
static enum opened_tile open_comparands(const tile_job *j, comparand c[2], int *mode) {
  for (int i = 0; i < 2; i++) {
    const enum opened_tile opened = open_comparand(j, i, &c[i]);
    if (opened != ON_LATTICE)
      return opened;
  }
  *mode = c[0].header.mode > c[1].header.mode ? c[0].header.mode : c[1].header.mode;
  for (int i = 0; i < 2; i++)
    c[i].shift = mode_shift(j->lattice->type, *mode) - mode_shift(j->lattice->type, c[i].header.mode);
  return ON_LATTICE;
}

/* Writes the integers at an order. Returns 0 if only damaged tiles give such integers. */
static int put_flat_extremum(const tile_job *j, const integers *v, int order, unsigned limit) {
  encoding encodings[3];
  measure(v, encodings);
  if (encodings[order].widths.height > limit)
    return 0;
  *j->size = write_encoding(v, &encodings[order], j->dst);
  return 1;
}

static int put_brick_extremum(const tile_job *j, brick *b, int order, int turned, unsigned limit) {
  ALIGNED bit_plane inside;
  uint8_t outside[TILE];
  const int predictor = predictor_of(order, turned);
  encoding encodings[PREDICTORS_MAX];
  brick_encoding p;
  begin_brick(b, &j->extent, inside, outside);
  measure_brick(b, encodings);
  finish_predictor(b, predictor, &encodings[predictor]);
  if (encodings[predictor].widths.height > limit)
    return 0;
  keep_predictor(b, predictor, &encodings[predictor], &p);
  *j->size = put_encoding(b, &p, 0, j->dst);
  return 1;
}

static ghz_status extremum(const tile_job *j, int larger) {
  const ghz_lattice *l = j->lattice;
  const int flat = j->extent.dims == 1;
  comparand c[2];
  brick b;
  integers *v = &b.integers;
  *v = (integers){.dims = (int)j->extent.dims, .size = BITS_64, .n = j->extent.n};
  const enum opened_tile opened = open_comparands(j, c, &v->mode);
  if (opened == DAMAGED)
    return GHZ_ECORRUPT;
  *j->inexact |= opened == OUTSIDE;
  if (opened == OUTSIDE)
    return extremum_values(j, larger);
  for (unsigned i = 0; i < (flat ? j->extent.n : TILE); i++)
    choose_value(c, i, larger, v);
  v->special = has_specials(&v->specials);
  const int order = c[0].header.order > c[1].header.order ? c[0].header.order : c[1].header.order,
            turned = c[0].header.turned | c[1].header.turned;
  const uint32_t terms = j->src[0].terms > j->src[1].terms ? j->src[0].terms : j->src[1].terms;
  const unsigned limit = width_limit(l, v->mode, order, terms);
  return (flat ? put_flat_extremum(j, v, order, limit) : put_brick_extremum(j, &b, order, turned, limit))
             ? GHZ_OK
             : GHZ_ECORRUPT;
}
