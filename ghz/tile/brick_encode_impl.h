/* brick_encode_impl.h: values to bricks: integers of the lattice at every order, coefficients
 * and what they leave, the smallest written (FORMAT.md, "Transforming values" and "Tile"). Part
 * of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* A brick by one predictor. */
typedef struct brick_encoding {
  fresh_layer lattice, coefficients;
  int narrow, narrow_residual;            /* coefficients, and what they leave, have 16 bits: */
  narrow_integers integers_c, integers_r; /* they, whose planes are not made yet; */
  ALIGNED float e[TILE];                  /* coefficients that are not rounded, later rounded; */
  float_coefficients floats;              /* what is known of these */
  ALIGNED int32_t c[TILE];                /* wide ones */
} brick_encoding;

/* ---- The lattice alone ----------------------------------------------------------------------- */

static int predictors_of_brick(const brick *b) {
  return predictors_of((unsigned)b->grid->dims, b->outside ? 0 : TILE);
}

/* The exact size of a predictor whose widths are known, without specials. */
static void finish_predictor(const brick *b, int predictor, encoding *e) {
  const integers *v = &b->integers;
  const unsigned dims = (unsigned)b->grid->dims;
  e->widths.height = widths_largest(e->widths.width);
  e->widths.lead = (tile_lead){.order = order_of_predictor(dims, predictor),
                               .mode = v->mode,
                               .turned = predictor_is_turned(dims, predictor),
                               .special = v->special,
                               .anchor = predictor ? integer_at(v, 0) : 0};
  e->size = finish_widths(&e->widths) + widths_sum(e->widths.width);
}

/* The function of wide integers of a size. */
#define WIDE(v, f) ((v)->size == BITS_64 ? f##_64 : f##_32)

/* Finds the residuals of wide integers by all predictors, and their widths. */
static void measure_wide(brick *b, encoding encodings[PREDICTORS_MAX]) {
  integers *v = &b->integers;
  const int predictors = predictors_of_brick(b);
  b->r[0] = v->q16;
  for (int w = 1; w < PREDICTORS_MAX; w++)
    b->r[w] = b->residuals.at[w].r;
  WIDE(v, brick_residuals)(v->q16, b->grid, b->outside, b->r);
  for (int w = 0; w < predictors; w++) {
    if (predictor_is_turned((unsigned)b->grid->dims, w)) {
      memcpy(b->r[w], b->r[order_of_predictor((unsigned)b->grid->dims, w)], TILE * sizeof(int64_t));
      WIDE(v, turn)(b->r[w]);
    }
    WIDE(v, widths_of)(b->r[w], encodings[w].widths.width);
  }
}

/* The widths of integers of 16 bits by all predictors. */
static void measure_narrow(const brick *b, encoding encodings[PREDICTORS_MAX]) {
  ALIGNED uint16_t m[PREDICTORS_MAX][BLOCKS];
  const int predictors = predictors_of_brick(b);
  if (b->grid->dims == 3)
    extremes_of_orders_3(b->integers.q16, b->outside, m);
  else
    extremes_of_orders_2(b->integers.q16, b->outside, m);
  if (predictors > b->grid->orders)
    extremes_of_turned(b->integers.q16, m);
  for (int w = 0; w < predictors; w++)
    bit_lengths_16(m[w], encodings[w].widths.width);
  if (b->integers.middle) /* wider than any other order takes */
    memset(encodings[0].widths.width, 16, BLOCKS);
}

/* Finds the widths of every predictor. */
static void measure_brick(brick *b, encoding encodings[PREDICTORS_MAX]) {
  if (b->integers.size == BITS_16)
    measure_narrow(b, encodings);
  else
    measure_wide(b, encodings);
}

/* The predictor with the least sum of widths, where an anchor is one more; finds its exact size. */
static int choose_brick_predictor(const brick *b, encoding encodings[PREDICTORS_MAX], int order) {
  const int predictors = predictors_of_brick(b);
  unsigned sum[PREDICTORS_MAX] = {0};
  for (int w = 0; w < predictors; w++)
    sum[w] = widths_sum(encodings[w].widths.width) + (w > 0);
  const int best = choose_predictor(sum, predictors, sum[0] == 0, order);
  finish_predictor(b, best, &encodings[best]);
  return best;
}

/* The lattice tile of the chosen predictor. */
static void keep_predictor(const brick *b, int predictor, const encoding *e, brick_encoding *p) {
  const int order = e->widths.lead.order;
  fresh_layer *layer = &p->lattice;
  narrow_integers *n = &p->integers_r;
  layer->widths = e->widths;
  if (b->integers.size != BITS_16) {
    WIDE(&b->integers, planes_of)(b->r[predictor], (e->widths.height + 7) / 8, layer->planes);
    return;
  }
  if (b->grid->dims == 3)
    residuals_at_3(b->integers.q16, b->outside, order, n->q);
  else
    residuals_at_2(b->integers.q16, b->outside, order, n->q);
  if (e->widths.lead.turned)
    turn_16(n->q);
  narrow_planes(n, layer);
}

/* ---- Coefficients ---------------------------------------------------------------------------- */

/* Columns outside take the value of the nearest one inside, so that the brick stays smooth. */
static void continue_outside(const tile_extent *e, float *y) {
  const tile_extent whole = whole_tile((int)e->dims);
  const unsigned line = whole.x, layer = whole.y * line;
  for (unsigned i = 0; i < e->z * layer; i += line)
    if (i % layer >= e->y * line)
      memcpy(y + i, y + i - line, line * sizeof *y);
    else
      for (unsigned x = e->x; x < line; x++)
        y[i + x] = y[i + e->x - 1];
  for (unsigned i = e->z * layer; i < TILE; i += layer)
    memcpy(y + i, y + i - layer, layer * sizeof *y);
}

/* What the forward transform gets: values in float, to be multiplied by *scale; `room` is for those
 * that are made. */
static const float *transform_input(const brick *b, float *scale, float room[TILE]) {
  const double factor = forward_scale(b->lattice->step);
  *scale = (float)factor;
  if (b->lattice->type == GHZ_F32) {
    if (!b->outside)
      return b->values;
    memcpy(room, b->values, TILE * sizeof *room);
  } else {
    for (int i = 0; i < TILE; i++)
      room[i] = (float)(((const double *)b->values)[i] * factor);
    *scale = 1;
  }
  if (b->outside)
    continue_outside(b->extent, room);
  return room;
}

/* What the coefficients leave, in steps, not rounded. Returns the largest magnitude: these compare
 * as their bits do. */
#define DEFINE_LEFT(name, REAL)                                                                                \
  static double name(const REAL *x, double inverse, const double *transformed, double *residual) {             \
    const vec_64 magnitude = (vec_64){0} + INT64_MAX;                                                          \
    vec_64 bits, largest = {0};                                                                                \
    for (int i = 0; i < TILE; i += DOUBLES) {                                                                  \
      for (int k = i; k < i + DOUBLES; k++)                                                                    \
        residual[k] = (double)x[k] * inverse - transformed[k];                                                 \
      memcpy(&bits, residual + i, sizeof bits);                                                                \
      largest = max_64(bits & magnitude, largest);                                                             \
    }                                                                                                          \
    return from_bits_f64((uint64_t)largest_lane_64(largest));                                                  \
  }

DEFINE_LEFT(residual_f32, float)
DEFINE_LEFT(residual_f64, double)
#undef DEFINE_LEFT

/* The largest magnitude of columns inside: what stands outside is left alone. */
static double largest_inside(const uint8_t outside[TILE], const double *residual) {
  double largest = 0;
  for (int i = 0; i < TILE; i++)
    if (!outside[i % BLOCK * BLOCKS + i / BLOCK] && fabs(residual[i]) > largest)
      largest = fabs(residual[i]);
  return largest;
}

/* Adding and taking away leaves the nearest integer as a number, for all machines convert that to
 * 32 bits in vectors. */
static void round_residual(const double *residual, int16_t *r) {
  for (int i = 0; i < TILE; i++)
    r[i] = (int16_t)(int32_t)(residual[i] + ROUND_F64 - ROUND_F64);
}

/* The coefficients of a brick, as a layer. Returns its size, or 0 if all are 0. */
static unsigned measure_coefficients(const brick *b, brick_encoding *p) {
  ALIGNED float room[TILE];
  float scale;
  tile_widths *w = &p->coefficients.widths;
  const float *x = transform_input(b, &scale, room);
  const int blocks = b->grid->dims == 3 ? forward_cubes(x, scale, p->e) : forward_planes(x, scale, p->e);
  if (blocks == 0)
    return 0;
  const int64_t first = rint_32(p->e[0]);
  p->narrow =
      ghz_quick_bricks && narrow_layer(p->e, (live_pieces)((1 << blocks / 16) - 1), 1, NULL, &p->integers_c, w);
  if (!p->narrow)
    layer_of_coefficients(p->e, blocks, p->c, &p->coefficients);
  w->lead = (tile_lead){.anchor = first};
  if (w->height == 0 && first == 0)
    return 0;
  return finish_coefficients(w) + widths_sum(w->width);
}

/* The values of rounded coefficients, in steps. */
static void values_of_coefficients(int dims, const brick_encoding *p, double *transformed) {
  const tile_place whole = packed_place(whole_tile(dims));
  const brick_target to = target_of(&whole, sizeof *transformed, 0, 1, transformed);
  const tile_widths *w = &p->coefficients.widths;
  static const quick_residual nothing;
  quick_coefficients q;
  begin_coefficients(dims, w->width, w->lead.anchor, 1, &q);
  coefficients_of_integers(dims, p->c, &q);
  put_all_sums(dims, TO_DOUBLE, &q, &nothing, &to);
}

/* What residual_in_float finds, in float64: for any brick. Returns 0 if it needs more than 16 bits,
 * which that of fresh coefficients never does. */
static int residual_in_double(const brick *b, brick_encoding *p) {
  ALIGNED double transformed[TILE], residual[TILE];
  ALIGNED int16_t linear[TILE], r[TILE];
  tile_widths *w = &p->lattice.widths;
  const double inverse = 1 / b->lattice->step;
  if (p->narrow)
    integers_of_floats(b->grid->dims, &p->floats, p->c);
  values_of_coefficients(b->grid->dims, p, transformed);
  double largest = b->lattice->type == GHZ_F32 ? residual_f32(b->values, inverse, transformed, residual)
                                               : residual_f64(b->values, inverse, transformed, residual);
  if (b->outside)
    largest = largest_inside(b->outside, residual);
  w->height = 0;
  if (!(largest < INT16_MAX))
    return 0;
  if (largest > 0.5) {
    round_residual(residual, linear);
    split_16(linear, r);
    clear_outside_16(r, b->outside);
    w->height = widths_of_16(r, w->width);
    planes_of_16(r, w->height > 8 ? 2 : w->height > 0, p->lattice.planes);
  } else {
    memset(w->width, 0, sizeof w->width);
  }
  return 1;
}

/* What the coefficients leave, as the lattice's layer at order 0. Returns the size of its part; 0
 * if that is impossible. */
static unsigned measure_residual(const brick *b, brick_encoding *p) {
  tile_widths *w = &p->lattice.widths;
  if (p->narrow)
    round_layer(b->grid->dims, p->e, &p->coefficients.widths, &p->floats);
  p->narrow_residual = p->narrow && residual_in_float(b, &p->floats, &p->integers_r, w);
  if (!p->narrow_residual && !residual_in_double(b, p))
    return 0;
  w->lead = (tile_lead){.mode = COARSE, .special = b->integers.special, .coefficients = 1};
  return finish_widths(w) + widths_sum(w->width);
}

/* Encodes with coefficients. Returns the size, or 0 if that is not enough below `without`. */
static size_t encode_transformed(const brick *b, size_t without, brick_encoding *p) {
  const size_t others = specials_size(&b->integers), most = most_with_coefficients(without);
  const unsigned coefficients = measure_coefficients(b, p);
  if (coefficients == 0 ||
      guess_with_coefficients(coefficients, widths_present(p->coefficients.widths.width)) > most)
    return 0;
  const size_t size = measure_residual(b, p) + others + coefficients;
  if (size > most)
    return 0;
  if (p->narrow)
    narrow_planes(&p->integers_c, &p->coefficients);
  if (p->narrow_residual)
    narrow_planes(&p->integers_r, &p->lattice);
  return size;
}

/* ---- The brick ------------------------------------------------------------------------------- */

static int is_rough(const brick *b) {
  const integers *v = &b->integers;
  return v->size == BITS_16 ? is_rough_16(v->q16, b->outside) : is_rough_32(v->q32, b->outside);
}

static int may_transform(const brick *b, int order, const tile_widths *best, size_t size) {
  return order == GHZ_ORDER_BEST && b->integers.coefficients && b->extent->n >= COEFFICIENT_VALUES &&
         best->height > 0 && !(may_be_noise(b->extent->dims, best->lead.order, size) && is_rough(b));
}

static size_t put_encoding(const brick *b, const brick_encoding *p, int transformed, uint8_t *dst) {
  const specials *s = b->integers.special ? &b->integers.specials : NULL;
  return put_tile(&(plain_layer){&p->lattice.widths, p->lattice.planes}, s,
                  transformed ? &(plain_layer){&p->coefficients.widths, p->coefficients.planes} : NULL, dst);
}

/* Encodes integers; returns the size, 0 for zeros, or `limit` if it would not be below that. */
static size_t encode_brick_integers(brick *b, int order, size_t limit, uint8_t *dst) {
  encoding encodings[PREDICTORS_MAX];
  brick_encoding p;
  measure_brick(b, encodings);
  const int predictor = choose_brick_predictor(b, encodings, order);
  const encoding *best = &encodings[predictor];
  const size_t without = best->size + specials_size(&b->integers),
               with = may_transform(b, order, &best->widths, without) ? encode_transformed(b, without, &p) : 0;
  if ((with ? with : without) >= limit)
    return limit;
  if (!with)
    keep_predictor(b, predictor, best, &p);
  return put_encoding(b, &p, with != 0, dst);
}

/* What is known of a brick by its extent; the columns inside and outside of one that is cut. */
static void begin_brick(brick *b, const tile_extent *e, bit_plane inside, uint8_t outside[TILE]) {
  b->extent = e;
  b->grid = &brick_layouts[e->dims];
  b->outside = NULL;
  b->integers.dims = (int)e->dims;
  b->integers.n = e->n;
  if (e->n < TILE) {
    columns_inside(e, inside);
    mark_outside(inside, outside);
    b->outside = outside;
  }
}

/* Integers of a brick whose values stand in columns. Returns 0 if it lies outside the lattice. */
static int brick_to_integers(brick *b, const ghz_lattice *l, const tile_extent *e, const void *columns,
                             void *copy, uint8_t outside[TILE]) {
  ALIGNED bit_plane inside;
  b->lattice = l;
  b->values = columns;
  begin_brick(b, e, inside, outside);
  return integers_of(l, &b->values, TILE, b->outside ? inside : NULL, copy, &b->integers);
}

/* Prefetches the lines of the brick after this one along x: they are far apart, so no processor
 * sees them come. To the second cache: of the first one they would share few sets. */
static void prefetch_brick(const tile_place *p, const void *x, size_t size) {
  const tile_extent whole = whole_tile((int)p->extent.dims);
  const size_t line = whole.x * size;
  const char *plane = (const char *)x + line;
  for (unsigned z = 0; z < p->extent.z; z++, plane += p->plane * size) {
    const char *next = plane;
    for (unsigned y = 0; y < p->extent.y; y++, next += p->row * size)
      for (size_t i = 0; i < line; i += 64)
        __builtin_prefetch(next + i, 0, 2);
  }
}

/* As encode_flat. */
static int encode_brick(const ghz_lattice *l, int least, int order, const tile_place *place, const void *x,
                        size_t limit, uint8_t *dst, size_t *size) {
  ALIGNED uint8_t columns[TILE * 8], copy[TILE * 8], outside[TILE];
  const size_t value = value_bytes(l->type);
  brick b;
  *size = 0;
  b.integers.least = least;
  b.integers.may_centre = order != 0 && place->extent.n == TILE && ghz_quick_bricks;
  gather_brick(place, x, value, columns);
  if (!brick_to_integers(&b, l, &place->extent, columns, copy, outside))
    return 0;
  prefetch_brick(place, x, value);
  if (b.integers.zero)
    return 1;
  *size = encode_brick_integers(&b, order, limit, dst);
  return 1;
}

/* ---- Any tile -------------------------------------------------------------------------------- */

static int encode_on_lattice(const ghz_lattice *l, int least, int order, const tile_place *place, const void *x,
                             size_t limit, uint8_t *dst, size_t *size) {
  return place->extent.dims == 1 ? encode_flat(l, least, order, x, place->extent.n, limit, dst, size)
                                 : encode_brick(l, least, order, place, x, limit, dst, size);
}

static int all_bits_zero(const uint8_t *bytes, size_t size) {
  uint8_t any = 0;
  for (size_t i = 0; i < size; i++)
    any |= bytes[i];
  return !any;
}

/* The values inside, in the order of columns. Returns their end. */
static uint8_t *copy_lines(const tile_place *p, const void *x, size_t size, uint8_t *to) {
  const size_t line = p->extent.x * size;
  for (line_walk w = first_line(p); more_lines(&w); next_line(&w), to += line)
    memcpy(to, (const char *)x + w.at * size, line);
  return to;
}

static size_t put_raw_tile(const tile_place *p, const void *x, size_t size, uint8_t *dst) {
  dst[0] = RAW_TILE;
  return (size_t)(copy_lines(p, x, size, dst + 1) - dst);
}

/* As encode_on_lattice, but a value that the lattice misses stands before the tile: of order 1,
 * where it would have widths. */
static int encode_exactly(const ghz_lattice *l, int order, const tile_place *place, const void *x, size_t limit,
                          uint8_t *dst, size_t *size) {
  uint64_t bits;
  if (order == 0 && one_value_is_missed(l, place, x, &bits))
    order = 1;
  if (!encode_on_lattice(l, COARSE, order, place, x, limit, dst, size))
    return 0;
  if (order == 0 || *size >= limit || !may_be_constant(place->extent.dims, dst, *size) ||
      !one_value_is_missed(l, place, x, &bits))
    return 1;
  if (has_widths(dst, *size))
    encode_on_lattice(l, COARSE, 1, place, x, limit, dst, size);
  if (*size < limit)
    *size = put_value_before(l->type, bits, dst, *size);
  return 1;
}

/* Values outside the lattice that are nothing but zeros stand for an empty tile. */
static size_t encode(const ghz_lattice *l, int order, const tile_place *place, const void *x, uint8_t *dst) {
  const size_t value = value_bytes(l->type), raw = 1 + place->extent.n * value;
  size_t size;
  const int on_lattice = encode_exactly(l, order, place, x, raw, dst, &size);
  if (on_lattice && size < raw)
    return size;
  put_raw_tile(place, x, value, dst);
  return !on_lattice && !zero_is_fill(l) && all_bits_zero(dst + 1, raw - 1) ? 0 : raw;
}
