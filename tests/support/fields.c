/* fields.c: arrays of two and three dimensions. Only exact or correctly rounded operations. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include <math.h>

const ghz_shape field_shapes[] = {
    {3, {8, 8, 16}},  {3, {9, 17, 40}},  {3, {16, 5, 33}}, {3, {1, 1, 2000}}, {3, {40, 9, 1}},
    {3, {2, 3, 5}},   {3, {8, 8, 4}},    {3, {3, 17, 5}},  {3, {24, 16, 70}}, {2, {1, 32, 32}},
    {2, {3, 40, 70}}, {2, {1, 17, 100}}, {2, {2, 500, 1}}, {2, {1, 16, 16}},  {2, {1, 15, 17}},
    {2, {5, 1, 40}},  {1, {1, 1, 2500}}, {3, {5, 0, 7}},   {2, {0, 3, 3}},    {3, {1, 1, 1}},
};
const size_t field_shape_count = COUNT(field_shapes);

/* Ends of blocks, tiles and pieces, and what is beside them. */
static const uint64_t flat_lengths[] = {0,   1,   2,    3,    7,    8,    9,    31,   32,  33,
                                        500, 999, 1016, 1023, 1024, 1025, 2049, 3000, 5000};

ghz_shape shape_any(uint64_t *state) {
  const size_t which = (size_t)input_below(state, field_shape_count + COUNT(flat_lengths));
  return which < field_shape_count ? field_shapes[which] : ghz_flat(flat_lengths[which - field_shape_count]);
}

ref_header header_shaped(const ghz_lattice *l, const ghz_shape *s) {
  return ref_shaped(header_for(l, 0), s->dims, s->extent[0], s->extent[1], s->extent[2]);
}

const char *shape_text(const ghz_shape *s) {
  return say("%d dims, %llu x %llu x %llu", s->dims, (unsigned long long)s->extent[0],
             (unsigned long long)s->extent[1], (unsigned long long)s->extent[2]);
}

int order_most(const ghz_shape *shape) { return shape->dims == 3 ? 3 : 2; }

/* A smooth wave of period 1: parabolas, up and down. */
static double wave(double t) {
  double u = t - floor(t);
  return u < 0.5 ? 16 * u * (0.5 - u) : -16 * (u - 0.5) * (1 - u);
}

/* A place, and the random numbers of the field. */
typedef struct place {
  double z, y, x;
  uint64_t *state;
} place;

static double waves(const place *p, double phase) {
  return wave(0.011 * p->x + 0.017 * p->y + 0.023 * p->z + phase) * wave(0.013 * p->x - 0.007 * p->y + 0.3) +
         0.25 * wave(0.031 * p->z + 0.01 * p->x);
}

static double land(const place *p, double v) {
  double height = wave(0.02 * p->x + 0.05 * p->y);
  if (height > 0.7)
    return NAN;
  return height > 0.68 ? (p->x < p->y ? INFINITY : -INFINITY) : v;
}

static double patches(const place *p, double v) {
  int which = ((int)(p->z / 8) + (int)(p->y / 32) + (int)(p->x / 32)) % 3;
  return which == 0 ? v : which == 1 ? input_uniform(p->state) : 0;
}

static double field(field_kind kind, const place *p, double phase, double step) {
  double v = waves(p, phase);
  switch (kind) {
  case ROUGH: return v + step * input_uniform(p->state);
  case LAND: return land(p, v);
  case SHOCK: return p->x + p->y > 40 ? v + 0.5 : v;
  case PATCHES: return patches(p, v);
  default: return v;
  }
}

void *field_make(field_kind kind, const ghz_lattice *l, const ghz_shape *shape, double amount, uint64_t seed) {
  uint64_t state = seed, n = ghz_shape_count(shape);
  void *x = scratch((size_t)n * ghz_type_size(l->type));
  double phase = input_uniform(&state), step = l->step > 0 ? l->step : 1;
  for (uint64_t i = 0; i < n; i++) {
    place p = {.x = (double)(i % shape->extent[2]), .state = &state};
    p.y = (double)(i / shape->extent[2] % shape->extent[1]);
    p.z = (double)(i / shape->extent[2] / shape->extent[1]);
    put_value(l->type, x, (size_t)i, field(kind, &p, phase, 4 / amount) * amount * step);
  }
  plant_fill(l, x, (size_t)n, seed);
  return x;
}

void hide_value(const ghz_lattice *l, void *x, size_t i, int infinities, uint64_t *state) {
  const uint64_t turn = input_below(state, 6), r = input_random(state), sign = r >> 63;
  uint8_t *to = (uint8_t *)x + i * ghz_type_size(l->type);
  if ((int)turn < infinities)
    put_value(l->type, x, i, turn % 2 ? INFINITY : -INFINITY);
  else if (l->has_fill && turn < 5)
    put_value(l->type, x, i, l->fill != 0 ? l->fill : turn % 2 ? 0.0 : -0.0);
  else if (l->type == GHZ_F32)
    put_little(to, sign << 31 | 0x7f800000U | (r & 0x7fffff) | 1, 4);
  else
    put_little(to, sign << 63 | UINT64_C(0x7ff0000000000000) | (r & 0xfffff) | 1, 8);
}

void hide_any(const ghz_lattice *l, const ghz_shape *shape, void *x, uint64_t *state) {
  const size_t n = (size_t)ghz_shape_count(shape), row = (size_t)shape->extent[2],
               edge = n ? (size_t)input_below(state, n) : 0, side = 3 + (size_t)input_below(state, 20);
  const int kind = (int)input_below(state, 7), infinities = (int[]){0, 2, 6}[input_below(state, 3)];
  uint64_t left = 0;
  int on = 0;
  for (size_t i = 0; i < n; i++) {
    if (left-- == 0) {
      left = input_below(state, kind ? 400 : 40);
      on = !on;
    }
    const int hidden[7] = {
        on, on, input_below(state, 10) < 3, (i / row / side + i % row / side) % 3 == 1, i < edge, i != edge, 1};
    if (hidden[kind])
      hide_value(l, x, i, infinities, state);
  }
}

void *values_any(const ghz_lattice *l, const ghz_shape *shape, uint64_t *state) {
  const size_t n = (size_t)ghz_shape_count(shape);
  const uint64_t seed = input_random(state), power = input_below(state, seed / 64 % 2 ? 16 : 60);
  void *x = shape->dims > 1 && seed % 3
                ? field_make((field_kind)(seed % FIELD_KINDS), l, shape, ldexp(3, (int)power), seed)
                : input_make(&inputs[seed / 128 % input_count], l->type, n, l->step, seed);
  if (input_below(state, 2))
    hide_any(l, shape, x, state);
  else
    plant_fill(l, x, n, seed);
  return x;
}

int order_any(const ghz_shape *shape, uint64_t *state) {
  return input_below(state, 2) ? GHZ_ORDER_BEST : (int)input_below(state, 3 + (uint64_t)order_most(shape)) - 2;
}

ref_bytes stream_any(ghz_context *ctx, const ghz_lattice *l, const ghz_shape *shape, uint64_t *state) {
  const void *x = values_any(l, shape, state);
  return compress_shape(ctx, l, order_any(shape, state), x, shape);
}
