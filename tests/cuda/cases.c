/* cases.c: owns the arrays that checks are made of, and their streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"
#include "fields.h"
#include <math.h>

static const size_t lengths[FLATS] = {0,    1,    2,    3,    7,     8,     9,     31,    32,    33,    63,
                                      64,   65,   1000, 1016, 1023,  1024,  1025,  2047,  2048,  2049,  5000,
                                      8191, 8192, 8193, 9217, 15360, 16383, 16384, 16385, 17000, 32768, 40000};

const ghz_shape brick_shapes[BRICK_SHAPES] = {
    {3, {8, 8, 16}},  {3, {16, 8, 32}},  {3, {9, 17, 33}}, {3, {5, 7, 11}},  {3, {1, 40, 50}},
    {3, {3, 1, 100}}, {3, {70, 2, 3}},   {2, {1, 32, 32}}, {2, {2, 64, 32}}, {2, {3, 33, 65}},
    {2, {1, 31, 47}}, {2, {2, 1, 200}},  {2, {1, 150, 1}}, {3, {0, 8, 16}},  {3, {8, 24, 40}},
    {2, {5, 0, 3}},   {3, {20, 24, 48}}, {2, {2, 96, 90}}};

static const struct {
  field_kind kind;
  double amount;
} textures[TEXTURES] = {{WAVES, 60}, {ROUGH, 1000}, {SHOCK, 40000},    {PATCHES, 900},
                        {LAND, 300}, {ROUGH, 1e10}, {PATCHES, 0x1p60}, {WAVES, 0}};

ghz_shape array_of_turn(size_t i, unsigned turn) {
  if (i >= FLATS)
    return brick_shapes[i - FLATS];
  return ghz_flat(lengths[i] > 6000 && turn % 4 ? lengths[i] / 16 : lengths[i]);
}

size_t fields_in_all(void) { return TEXTURES + input_count; }

void *field_of(const ghz_lattice *l, const ghz_shape *s, size_t made_of, uint64_t seed) {
  const size_t n = (size_t)ghz_shape_count(s);
  void *x = made_of < TEXTURES ? field_make(textures[made_of].kind, l, s, textures[made_of].amount, seed)
                               : input_make(&inputs[made_of - TEXTURES], l->type, n, l->step, seed);
  for (size_t i = 0; i < n && seed % 4 && l->step > 2 * l->eb; i++) /* of a grid */
    put_value(l->type, x, i, rint(value_at(l->type, x, i) / l->step) * l->step);
  if (made_of >= TEXTURES)
    plant_fill(l, x, n, seed);
  return x;
}

const char *field_name(size_t made_of) {
  return made_of < TEXTURES ? say("texture %zu", made_of) : inputs[made_of - TEXTURES].name;
}

ref_bytes stream_of_field(trial *t, const ghz_lattice *l, int order, const ghz_shape *s, size_t made_of,
                          uint64_t seed) {
  return compress_shape(t->cpu, l, order, field_of(l, s, made_of, seed), s);
}

uint64_t bricks_with_coefficients(trial *t, ref_bytes stream) {
  ghz_statistics statistics = {.empty = 0};
  expect(t, ghz_scan(t->cpu, view(stream), &statistics) == GHZ_OK, "no statistics");
  return statistics.coefficients;
}

void read_all(trial *t, ref_bytes stream, ghz_type type, const ghz_shape *s, const char *what) {
  SCOPE;
  reading r = {
      .type = type, .n = (size_t)ghz_shape_count(s), .source = stream, .kind = DECOMPRESS, .shape = *s};
  for (int out = (int)type; out <= GHZ_F64; out++) {
    r.out = (ghz_type)out;
    r.shift = t->cases % 3;
    agree_values(t, &r, say("%s, to type %d", what, out));
  }
}

ref_bytes combined(trial *t, const ghz_lattice *l, const ghz_shape *s, size_t k, const int64_t *c,
                   uint64_t seed) {
  ref_bytes operands[4];
  for (size_t i = 0; i < k; i++)
    operands[i] =
        stream_of_field(t, l, i % 2 ? (int)(seed % 3) : GHZ_ORDER_BEST, s, (seed + i * i) % TEXTURES, seed + i);
  return combine(t->cpu, k, operands, c);
}

ref_bytes any_stream(trial *t, const ghz_lattice *l, const ghz_shape *s, uint64_t *state) {
  static const int64_t c[2] = {1, 3};
  const uint64_t seed = input_random(state), way = input_below(state, 8);
  const size_t made_of = (size_t)input_below(state, s->dims > 1 && way % 2 ? TEXTURES : fields_in_all());
  if (way > 5)
    return combined(t, l, s, 2, c, seed);
  const int order = way > 2 ? GHZ_ORDER_BEST : (int)input_below(state, (uint64_t)order_most(s) + 3) - 2;
  return stream_of_field(t, l, order, s, made_of, seed);
}
