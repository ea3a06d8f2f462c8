/* bricks.c: owns the arrays of two and three dimensions that checks are made of, and their
 * streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bricks.h"
#include "fields.h"

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

void *brick_field(const ghz_lattice *l, const ghz_shape *s, int made_of, uint64_t seed) {
  return field_make(textures[made_of].kind, l, s, textures[made_of].amount, seed);
}

ref_bytes stream_of_field(trial *t, const ghz_lattice *l, int order, const ghz_shape *s, int made_of,
                          uint64_t seed) {
  const size_t n = (size_t)ghz_shape_count(s);
  operation o = {.kind = COMPRESS, .lattice = *l, .order = order, .n = n, .shape = *s};
  o.x = brick_field(l, s, made_of, seed);
  made m = cpu_make(t, &o);
  expect(t, m.status == GHZ_OK, "the CPU compresses: %d", (int)m.status);
  return m.bytes;
}

uint64_t bricks_with_coefficients(trial *t, ref_bytes stream) {
  ghz_statistics statistics = {.empty = 0};
  expect(t, ghz_scan(t->cpu, view(stream), &statistics) == GHZ_OK, "no statistics");
  return statistics.coefficients;
}

void read_all(trial *t, ref_bytes stream, ghz_type type, const ghz_shape *s, const char *what) {
  SCOPE;
  reading r = {.type = type, .n = (size_t)ghz_shape_count(s), .source = stream, .part = ALL, .shape = *s};
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
    operands[i] = stream_of_field(t, l, i % 2 ? (int)(seed % 3) : GHZ_ORDER_BEST, s,
                                  (int)((seed + i * i) % TEXTURES), seed + i);
  operation o = {.kind = COMBINE, .lattice = *l, .n = (size_t)ghz_shape_count(s), .k = k, .shape = *s};
  o.operands = operands;
  o.coefficients = c;
  made m = cpu_make(t, &o);
  expect(t, m.status == GHZ_OK, "the CPU combines: %d, %s", (int)m.status, ghz_context_message(t->cpu));
  return m.bytes;
}
