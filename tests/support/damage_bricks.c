/* damage_bricks.c: streams of bricks that are damaged in every way that a law names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "damage.h"
#include "fields.h"
#include <string.h>

enum { SHAPE = 7, EXTENTS = 8 };

/* ---- Damage at chosen places ---- */
static const struct {
  field_kind kind;
  double amount;
  ghz_shape shape;
} samples[] = {{WAVES, 60, {3, {8, 8, 16}}},
               {LAND, 40, {3, {8, 8, 20}}},
               {SHOCK, 900, {2, {1, 32, 33}}},
               {WAVES, 1e6, {3, {4, 3, 16}}},
               {WAVES, 40, {2, {1, 20, 30}}}};

static ref_bytes sound(const reader *r, size_t sample, int type, uint64_t seed) {
  ghz_lattice l = lattice_abs((ghz_type)type, 0.01);
  const ghz_shape *shape = &samples[sample].shape;
  void *x = field_make(samples[sample].kind, &l, shape, samples[sample].amount, seed);
  return compress_shape(r->ctx, &l, GHZ_ORDER_BEST, x, shape);
}

void damage_brick_bits(reader *r) {
  for (size_t s = 0; s < COUNT(samples); s++)
    for (int type = 0; type < 2; type++) {
      SCOPE;
      damage_every_bit(r, sound(r, s, type, 5), say("sample %zu, type %d", s, type));
    }
}

void damage_bricks_at_random(reader *r, int rounds) {
  uint64_t state = 73;
  for (size_t s = 0; s < COUNT(samples); s++)
    for (int type = 0; type < 2; type++) {
      SCOPE;
      damage_by_chance(r, sound(r, s, type, s), rounds, &state, say("sample %zu, type %d", s, type));
    }
}

/* check 3 */
void damage_shapes(reader *r) {
  static const uint64_t extents[] = {
      0, 1, 2, 8, 9, 16, 17, 32, 33, (uint64_t)1 << 32, (uint64_t)1 << 63, UINT64_MAX};
  for (size_t s = 0; s < COUNT(samples); s++)
    for (int dims = 0; dims < 5; dims++)
      for (size_t i = 0; i < COUNT(extents) * COUNT(extents) * COUNT(extents); i++) {
        SCOPE;
        if (damage_left_out(r) || i % 7 != s)
          continue;
        ref_bytes good = sound(r, s, 0, 1), bad = bytes_copy(good.data, good.size);
        bad.data[SHAPE] = (uint8_t)dims;
        put_little(bad.data + EXTENTS, extents[i % COUNT(extents)], 8);
        put_little(bad.data + EXTENTS + 8, extents[i / COUNT(extents) % COUNT(extents)], 8);
        put_little(bad.data + EXTENTS + 16, extents[i / COUNT(extents) / COUNT(extents)], 8);
        damage_show(r, bad, good, say("sample %zu, %d dimensions, extents %zu", s, dims, i));
      }
}

/* ---- Crafted bricks ---- */
typedef struct crafted {
  const char *name;
  ghz_shape shape;
  int plain; /* the stream has no coefficients */
  ref_verdict verdict;
  int size;
  uint8_t bytes[60];
} crafted;

/* 2.6 and 0.2, before their bricks of the integers 5 and 0. */
#define ONE_VALUE 0x38, 0x66, 0x66, 0x26, 0x40
#define SMALL_VALUE 0x38, 0xcd, 0xcc, 0x4c, 0x3e
#define PLANE(first) first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define CUBE                                                                                                   \
  {                                                                                                            \
    3, { 8, 8, 16 }                                                                                            \
  }
#define SQUARE                                                                                                 \
  {                                                                                                            \
    2, { 1, 32, 32 }                                                                                           \
  }
#define CUT(dims, z, y, x)                                                                                     \
  {                                                                                                            \
    dims, { z, y, x }                                                                                          \
  }

static const crafted bricks[] = {
    {"empty", CUBE, 0, REF_GOOD, 0, {0}},
    {"zero tile with bytes", CUBE, 0, REF_BAD, 1, {0x00}}, /* check 15 */
    {"cancelled order 3", CUBE, 0, REF_GOOD, 1, {0x03}},
    {"order 3 of planes", SQUARE, 0, REF_BAD, 1, {0x03}}, /* check 10 */
    {"cancelled order 2 of planes", SQUARE, 0, REF_GOOD, 1, {0x02}},
    {"anchor at order 3", CUBE, 0, REF_GOOD, 3, {0x07, 0x01, 5}},
    {"anchor at order 0", CUBE, 0, REF_BAD, 3, {0x04, 0x01, 5}}, /* check 11 */
    {"turned", SQUARE, 0, REF_GOOD, 3, {0x06, 0x11, 5}},
    {"turned, order 1, no anchor", SQUARE, 0, REF_GOOD, 2, {0x05, 0x10}},
    {"turned, a residual in the second line", SQUARE, 0, REF_GOOD, 6, {0x26, 0x90, 1, 0, 0x10, 0x01}},
    {"turned, coefficients", SQUARE, 0, REF_GOOD, 4, {0x06, 0x19, 5, 0x00}},
    {"turned, order 0", SQUARE, 0, REF_BAD, 2, {0x04, 0x10}},             /* check 10 */
    {"turned, a cube", CUBE, 0, REF_BAD, 3, {0x06, 0x11, 5}},             /* check 10 */
    {"turned, cut", CUT(2, 1, 32, 31), 0, REF_BAD, 3, {0x06, 0x11, 5}},   /* check 10 */
    {"bit 5 of the extra byte", CUBE, 0, REF_BAD, 4, {0x06, 0x21, 5, 5}}, /* check 10 */
    {"raw", CUT(3, 1, 1, 2), 0, REF_GOOD, 9, {0x18, 1, 2, 3, 4, 5, 6, 7, 8}},
    {"raw, short", CUT(3, 1, 1, 2), 0, REF_BAD, 8, {0x18, 1, 2, 3, 4, 5, 6, 7}},               /* check 9 */
    {"raw with coefficients", CUT(3, 1, 1, 2), 0, REF_BAD, 9, {0x1c, 8, 2, 3, 4, 5, 6, 7, 8}}, /* check 9 */
    {"coefficients that cancelled", CUBE, 0, REF_GOOD, 3, {0x04, 0x08, 0x00}},
    {"of planes", SQUARE, 0, REF_GOOD, 3, {0x04, 0x08, 0x00}},
    {"and order 3", CUBE, 0, REF_GOOD, 3, {0x07, 0x08, 0x00}},
    {"and wide", CUBE, 0, REF_GOOD, 3, {0x14, 0x08, 0x00}},
    {"coefficients without the flag", CUBE, 1, REF_BAD, 3, {0x04, 0x08, 0x00}},           /* check 10 */
    {"coefficients of 255 values", CUT(2, 1, 15, 17), 0, REF_BAD, 3, {0x04, 0x08, 0x00}}, /* check 10 */
    {"coefficients of 256 values", CUT(2, 1, 16, 16), 0, REF_GOOD, 3, {0x04, 0x08, 0x00}},
    {"one value", CUBE, 0, REF_GOOD, 8, {ONE_VALUE, 0x07, 0x01, 5}},
    {"one value near 0", SQUARE, 1, REF_GOOD, 5, {SMALL_VALUE}},
    {"one value in a cut cube", CUT(3, 8, 8, 15), 0, REF_GOOD, 8, {ONE_VALUE, 0x05, 0x01, 5}},
    {"one value, turned", SQUARE, 0, REF_BAD, 8, {ONE_VALUE, 0x06, 0x11, 5}},          /* check 9 */
    {"one value, coefficients", CUBE, 0, REF_BAD, 8, {SMALL_VALUE, 0x04, 0x08, 0x00}}, /* check 9 */
    {"one value, bit 5", CUBE, 0, REF_BAD, 8, {ONE_VALUE, 0x05, 0x21, 5}},             /* check 9 */
    {"one value, order 3 of planes", SQUARE, 0, REF_BAD, 6, {SMALL_VALUE, 0x03}},      /* check 10 */
    {"one value, a special outside",
     CUT(3, 8, 8, 15),
     0,
     REF_BAD,
     40,
     {SMALL_VALUE, 0x04, 0x40, PLANE(2), 0x80, PLANE(0)}},                /* check 13 */
    {"no head", CUBE, 0, REF_BAD, 2, {0x04, 0x08}},                       /* check 14 */
    {"bit 6 of the head", CUBE, 0, REF_BAD, 3, {0x04, 0x08, 0x40}},       /* check 14 */
    {"squeezed without planes", CUBE, 0, REF_BAD, 3, {0x04, 0x08, 0x80}}, /* check 14 */
    {"7 width planes", CUBE, 0, REF_BAD, 3, {0x04, 0x08, 0x07}},          /* check 14 */
    {"first coefficient", CUBE, 0, REF_GOOD, 4, {0x04, 0x08, 0x08, 5}},
    {"first coefficient, not minimal", CUBE, 0, REF_BAD, 4, {0x04, 0x08, 0x08, 0}}, /* check 14 */
    {"first coefficient, missing", CUBE, 0, REF_BAD, 4, {0x04, 0x08, 0x10, 5}},     /* check 14 */
    {"first coefficient of 8 bytes", CUBE, 0, REF_GOOD, 11, {0x04, 0x08, 0x38, 1, 2, 3, 4, 5, 6, 7, 0x80}},
    {"first coefficient of 8 bytes that fits 6",
     CUBE,
     0,
     REF_BAD,
     11,
     {0x04, 0x08, 0x38, 1, 2, 3, 4, 5, 6, 0, 0}}, /* check 14 */
    {"width 1", CUBE, 0, REF_GOOD, 7, {0x04, 0x08, 0x81, 1, 0, 1, 0xfe}},
    {"width 1, column 0", CUBE, 0, REF_ODD, 7, {0x04, 0x08, 0x81, 1, 0, 1, 0xff}},
    {"width 1, not squeezed", CUBE, 0, REF_ODD, 20, {0x04, 0x08, 0x01, PLANE(1), 0xfe}},
    {"width 1 of zeros", CUBE, 0, REF_ODD, 7, {0x04, 0x08, 0x81, 1, 0, 1, 0x00}},
    {"a zero byte among the widths", CUBE, 0, REF_BAD, 8, {0x04, 0x08, 0x81, 3, 0, 1, 0, 0xfe}}, /* check 14 */
    {"maps missing", CUBE, 0, REF_BAD, 4, {0x04, 0x08, 0x81, 1}},                                /* check 14 */
    {"planes missing", CUBE, 0, REF_BAD, 6, {0x04, 0x08, 0x81, 1, 0, 1}},                        /* check 15 */
    {"planes too long", CUBE, 0, REF_BAD, 8, {0x04, 0x08, 0x81, 1, 0, 1, 0xfe, 0}},              /* check 15 */
    {"planes not minimal", CUBE, 0, REF_BAD, 9, {0x04, 0x08, 0x82, 1, 0, 0, 0, 1, 0xfe}},        /* check 14 */
    {"both layers", CUBE, 0, REF_GOOD, 11, {0x24, 0x88, 1, 0, 1, 0x81, 1, 0, 1, 0x0f, 0xfe}},
    {"both layers, specials", CUBE, 0, REF_GOOD, 37, {0x04, 0x48, PLANE(1), 0x81, PLANE(0), 0x08, 5}},
    {"a block outside", CUT(3, 8, 8, 8), 0, REF_BAD, 6, {0x24, 0x80, 1, 0, 2, 0xff}}, /* check 12 */
    {"coefficients of a block outside", CUT(3, 8, 8, 8), 0, REF_GOOD, 7, {0x04, 0x08, 0x81, 1, 0, 2, 0xff}},
    {"a column outside", CUT(3, 8, 8, 15), 0, REF_ODD, 6, {0x24, 0x80, 1, 0, 2, 0x80}},
    {"a special outside",
     CUT(3, 8, 8, 15),
     0,
     REF_BAD,
     35,
     {0x04, 0x40, PLANE(2), 0x80, PLANE(0)}}, /* check 13 */
    {"a special inside", CUT(3, 8, 8, 15), 0, REF_GOOD, 35, {0x04, 0x40, PLANE(2), 0x40, PLANE(0)}},
    {"residual in column 0", CUBE, 0, REF_ODD, 6, {0x25, 0x80, 1, 0, 1, 0x01}},
    {"residual in column 1", CUBE, 0, REF_GOOD, 6, {0x27, 0x80, 1, 0, 1, 0x02}},
};

static ref_header header_of(const ghz_shape *s, uint32_t terms) {
  ref_header h = {
      .type = REF_F32, .cap = 35, .step = 0.5, .eb = 0.26, .terms = terms, .transform = s->dims > 1};
  return ref_shaped(h, s->dims, s->extent[0], s->extent[1], s->extent[2]);
}

ref_bytes huge_anchor(int which) {
  static const uint8_t tiles[3][10] = {{0x05, 0x07, 0, 0, 0, 0, 0, 0, 0, 0x80}, {0x02}, {0x08}};
  static const uint16_t sizes[3] = {10, 1, 1};
  const ghz_shape shape = CUBE;
  const ref_header h = header_of(&shape, 1);
  return ref_assemble(&h, &sizes[which], tiles[which]);
}

void damage_crafted_bricks(reader *r) {
  for (size_t t = 0; t < COUNT(bricks); t++) {
    ref_header h = header_of(&bricks[t].shape, 1);
    h.transform = !bricks[t].plain;
    damage_show_lacking(r, h, bricks[t].bytes, bricks[t].size, bricks[t].verdict, bricks[t].name);
  }
}

void damage_brick_beginnings(reader *r) {
  static const ghz_shape shapes[] = {CUBE, SQUARE, CUT(3, 7, 8, 13), CUT(2, 1, 9, 9)};
  uint64_t state = 5;
  for (int first = 0; first < 256; first++)
    for (int second = 0; second < 256; second++) {
      uint8_t tile[200] = {(uint8_t)first, (uint8_t)second};
      ref_header h =
          header_of(&shapes[input_below(&state, COUNT(shapes))], input_below(&state, 2) ? 1 : 8388607);
      size_t size = 1 + (size_t)input_below(&state, 199);
      for (size_t i = 2; i < size; i++)
        tile[i] = input_below(&state, 4) ? 0 : (uint8_t)input_random(&state);
      damage_show_tile(r, &h, tile, size, say("%02x %02x, %zu bytes", (unsigned)first, (unsigned)second, size));
    }
}

static size_t wide_brick(uint8_t *out, int mode, int order, int width, int block, uint8_t fill) {
  out[0] = (uint8_t)(order | 4 | mode << 3);
  out[1] = 0x08;
  out[2] = (uint8_t)(0x80 | ref_bit_length((uint64_t)width));
  return 3 + damage_wide_block(out + 3, width, block, fill);
}

/* check 14 */
void damage_coefficient_widths(reader *r) {
  static const uint32_t terms[] = {1, 2, 255, 16383, 8388607};
  static const ghz_shape shapes[] = {CUBE, SQUARE};
  for (size_t s = 0; s < COUNT(shapes); s++)
    for (int type = 0; type < 2; type++)
      for (size_t k = 0; k < COUNT(terms); k++)
        for (int width = 20; width <= 63; width++) {
          SCOPE;
          ref_header h = header_of(&shapes[s], terms[k]);
          uint8_t tile[256];
          h.type = type;
          size_t size = wide_brick(tile, width % 3, width % 2, width, 5 * width % 128, 0x5a);
          damage_show_tile(r, &h, tile, size,
                           say("shape %zu, type %d, terms %u, width %d", s, type, h.terms, width));
        }
}
