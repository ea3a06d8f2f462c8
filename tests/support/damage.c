/* damage.c: streams that are damaged in every way that a law names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "damage.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Offsets of fields of a header, and its size. */
enum { FLAGS = 5, VALUES = 24, STEP = 32, PAYLOAD = 56, FILL = 64, HEADER = 72 };

int damage_left_out(reader *r) { return r->cases++ % r->every != 0; }

void damage_show(reader *r, ref_bytes bad, ref_bytes good, const char *what) {
  ref_header h = ref_header_read(good.data);
  damaged d = {bytes_copy(bad.data, bad.size), good, (ghz_type)h.type, (size_t)h.n, what, r->turn++};
  r->look(r->self, &d);
}

static ref_bytes sound(const reader *r, const char *maker, int type, size_t n, int order, uint64_t seed) {
  ghz_lattice l = lattice_abs((ghz_type)type, 0.01);
  return stream_of(r->ctx, &l, order, maker, n, seed);
}

/* ---- Damage at chosen places ---- */
/* checks 1 and 6 */
void damage_truncated(reader *r) {
  static const char *const makers[] = {"walk", "specials", "wide_noise", "random_bits", "zeros"};
  for (size_t m = 0; m < COUNT(makers); m++)
    for (int type = 0; type < 2; type++) {
      SCOPE;
      ref_bytes good = sound(r, makers[m], type, 1100, GHZ_ORDER_BEST, m), part = good;
      for (part.size = 0; part.size < good.size; part.size++) {
        SCOPE;
        if (!damage_left_out(r) || part.size + 1 == good.size)
          damage_show(r, part, good, say("%s cut at %zu of %zu", makers[m], part.size, good.size));
      }
    }
}

void damage_every_bit(reader *r, ref_bytes good, const char *what) {
  SCOPE;
  ref_bytes bad = bytes_copy(good.data, good.size);
  for (size_t bit = 0; bit < 8 * good.size; bit++) {
    SCOPE;
    bad.data[bit / 8] = (uint8_t)(good.data[bit / 8] ^ (1 << (bit % 8)));
    if (!damage_left_out(r))
      damage_show(r, bad, good, say("%s, bit %zu", what, bit));
    bad.data[bit / 8] = good.data[bit / 8];
  }
}

void damage_bits(reader *r) {
  static const char *const makers[] = {"walk", "specials", "fine_noise", "sparse"};
  for (size_t m = 0; m < COUNT(makers); m++)
    for (int type = 0; type < 2; type++) {
      SCOPE;
      damage_every_bit(r, sound(r, makers[m], type, 150, m == 0 ? 2 : GHZ_ORDER_BEST, 5),
                       say("%s, type %d", makers[m], type));
    }
}

/* A stream with another number in a field. */
static void show_field(reader *r, ref_bytes of, ref_bytes good, size_t at, int bytes, uint64_t v,
                       const char *what) {
  SCOPE;
  ref_bytes bad = bytes_copy(of.data, of.size);
  put_little(bad.data + at, v, bytes);
  if (!damage_left_out(r))
    damage_show(r, bad, good, what);
}

/* check 4 */
void damage_steps(reader *r) {
  static const double values[] = {-1,     INFINITY, -INFINITY, 0x1p121, 0x1p-121, 0x1p1001, 0x1p-1001,
                                  5e-324, -0x1p-10, 0.0,       -0.0,    NAN,      0.25};
  for (int type = 0; type < 2; type++) {
    SCOPE;
    ref_bytes good = sound(r, "walk", type, 1100, GHZ_ORDER_BEST, 1);
    for (size_t i = 0; i < COUNT(values); i++)
      for (size_t at = STEP; at <= STEP + 8; at += 8)
        show_field(r, good, good, at, 8, ref_bits(REF_F64, values[i]),
                   say("type %d, field %zu is %g", type, at, values[i]));
  }
}

/* Fills that are values of both types, of one, of none; with the flag and without: check 4. */
void damage_fills(reader *r) {
  static const double values[] = {0.0,   -0.0,   -999,     0.1,       (double)1e20f, 1e20,    1e39,
                                  1e-45, 5e-324, INFINITY, -INFINITY, NAN,           DBL_MAX, FLT_MAX};
  for (int type = 0; type < 2; type++) {
    SCOPE;
    ref_bytes good = sound(r, "specials", type, 1100, GHZ_ORDER_BEST, 1);
    ref_bytes filled = bytes_copy(good.data, good.size);
    filled.data[FLAGS] |= 4;
    for (size_t i = 0; i < COUNT(values); i++)
      for (int flag = 0; flag < 2; flag++)
        show_field(r, flag ? filled : good, good, FILL, 8, ref_bits(REF_F64, values[i]),
                   say("type %d, fill %g, flag %d", type, values[i], flag));
  }
}

/* checks 2 and 4 */
void damage_header(reader *r) {
  for (int type = 0; type < 2; type++) {
    SCOPE;
    ref_bytes good = sound(r, "walk", type, 1100, GHZ_ORDER_BEST, 1);
    for (size_t at = 0; at < HEADER; at++)
      for (unsigned v = 0; v < 256; v += at < 8 ? 1 : 85)
        show_field(r, good, good, at, 1, v, say("type %d, byte %zu is %u", type, at, v));
  }
}

/* check 5 */
void damage_counts(reader *r) {
  SCOPE;
  ref_bytes good = sound(r, "walk", 0, 1100, GHZ_ORDER_BEST, 1), both = bytes_copy(good.data, good.size);
  for (int shift = 0; shift < 64; shift++)
    for (int by = -1; by <= 1; by++) {
      uint64_t v = ((uint64_t)1 << shift) + (uint64_t)(int64_t)by, large = UINT64_MAX - (uint64_t)shift;
      put_little(both.data + VALUES, v, 8);
      show_field(r, good, good, VALUES, 8, v, say("count 2^%d %+d", shift, by));
      show_field(r, good, good, PAYLOAD, 8, v, say("payload 2^%d %+d", shift, by));
      show_field(r, good, good, PAYLOAD, 8, large, say("payload %d below 2^64", shift));
      show_field(r, both, good, PAYLOAD, 8, large,
                 say("count 2^%d %+d, payload %d below 2^64", shift, by, shift));
    }
}

/* check 7 */
void damage_index(reader *r, int rounds) {
  enum { N = 40000, ENDS = HEADER, SIZES = ENDS + 24, END = SIZES + 2 * 40 };
  SCOPE;
  ref_bytes good = sound(r, "walk", 0, N, GHZ_ORDER_BEST, 1);
  uint64_t state = 6;
  for (int round = 0; round < rounds; round++) {
    SCOPE;
    ref_bytes bad = bytes_copy(good.data, good.size);
    size_t at = ENDS + (size_t)input_below(&state, END - ENDS);
    uint8_t *one = bad.data + SIZES + 2 * input_below(&state, 16),
            *other = bad.data + SIZES + 2 * input_below(&state, 16);
    if (round % 3 == 0) { /* what one tile loses another gains: nothing but the tiles can tell */
      put_little(one, get_little(one, 2) - 1, 2);
      put_little(other, get_little(other, 2) + 1, 2);
    } else {
      bad.data[at] = (uint8_t)(bad.data[at] + 1 + input_below(&state, 255));
    }
    damage_show(r, bad, good, say("round %d, byte %zu of the index", round, at));
  }
}

/* ---- Random damage ---- */
void damage_once(ref_bytes *b, uint64_t *state) {
  static const size_t windows[3] = {HEADER, 200, SIZE_MAX};
  static const uint64_t counts[] = {0,     1,      (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX - 1023, 1024, 1025,
                                    16384, 1 << 20};
  size_t window = windows[input_below(state, 3)];
  size_t at = (size_t)input_below(state, b->size < window ? b->size : window);
  switch (input_below(state, 6)) {
  case 0: b->data[at] = (uint8_t)input_random(state); break;
  case 1: b->data[at] = input_below(state, 2) ? 0 : 255; break;
  case 2: b->data[at] = (uint8_t)(b->data[at] + (input_below(state, 2) ? 1 : -1)); break;
  case 3: b->size = (size_t)input_below(state, b->size) + 1; break;
  case 4:
    if (b->size >= HEADER)
      put_little(b->data + (input_below(state, 2) ? 8 * (1 + input_below(state, 3)) : PAYLOAD),
                 counts[input_below(state, COUNT(counts))], 8);
    break;
  default: b->data[at] = (uint8_t)(b->data[at] ^ (1 << input_below(state, 8)));
  }
}

void damage_by_chance(reader *r, ref_bytes good, int rounds, uint64_t *state, const char *name) {
  for (int round = 0; round < rounds; round++) {
    SCOPE;
    const char *what = say("%s, size %zu, state %llx", name, good.size, (unsigned long long)*state);
    ref_bytes bad = bytes_copy(good.data, good.size);
    for (uint64_t k = 1 + input_below(state, 4); k > 0; k--)
      damage_once(&bad, state);
    damage_show(r, bad, good, what);
  }
}

void damage_at_random(reader *r, int rounds) {
  static const char *const makers[] = {"mixture",     "specials",  "walk",
                                       "random_bits", "land_mask", "rare_giants"};
  enum { LONG = 2 };
  uint64_t state = 71;
  for (size_t m = 0; m < COUNT(makers); m++)
    for (int type = 0; type < 2; type++) {
      SCOPE;
      damage_by_chance(r, sound(r, makers[m], type, m == LONG ? 17500 : 2500, GHZ_ORDER_BEST, m),
                       rounds / (m == LONG ? 4 : 1), &state, makers[m]);
    }
}

void damage_all(reader *r, int rounds) {
  SCOPE;
  uint64_t state = 72;
  ref_bytes good = sound(r, "walk", 0, 100, GHZ_ORDER_BEST, 1);
  for (int round = 0; round < rounds; round++) {
    SCOPE;
    ref_bytes bytes = bytes_new((size_t)input_below(&state, 400));
    for (size_t i = 0; i < bytes.size; i++)
      bytes.data[i] = (uint8_t)input_random(&state);
    if (round % 2 && bytes.size >= HEADER)
      memcpy(bytes.data, good.data, 8 + (HEADER - 8) * (size_t)(round % 4 == 1));
    damage_show(r, bytes, good, say("round %d", round));
  }
}

/* ---- Crafted tiles ---- */
typedef struct crafted {
  const char *name;
  int n;
  ref_verdict verdict;
  int size;
  uint8_t bytes[80];
} crafted;

/* 2.6 and 0.2, before their tiles of the integers 5 and 0. */
#define ONE_VALUE 0x38, 0x66, 0x66, 0x26, 0x40
#define SMALL_VALUE 0x38, 0xcd, 0xcc, 0x4c, 0x3e
#define PLANE(first) first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0

static const crafted tiles[] = {
    {"empty", 8, REF_GOOD, 0, {0}},
    {"zero tile with bytes", 8, REF_BAD, 1, {0x00}}, /* check 15 */
    {"cancelled order 1", 8, REF_GOOD, 1, {0x01}},
    {"cancelled order 2", 8, REF_GOOD, 1, {0x02}},
    {"cancelled fine", 8, REF_GOOD, 1, {0x08}},
    {"cancelled wide", 8, REF_GOOD, 1, {0x10}},
    {"raw without values", 8, REF_BAD, 1, {0x18}}, /* check 9 */
    {"order 3", 8, REF_BAD, 1, {0x03}},            /* check 10 */
    {"order 3, mode 1", 8, REF_BAD, 33, {0x0b}},   /* check 10 */
    {"order 3, extra", 8, REF_BAD, 33, {0x07}},    /* check 10 */
    {"order 3, planes", 8, REF_BAD, 33, {0x23}},   /* check 10 */
    {"mode 3, order 1", 8, REF_BAD, 33, {0x19}},   /* check 9 */
    {"mode 3, extra", 8, REF_BAD, 33, {0x1c}},     /* check 9 */
    {"mode 3, planes", 8, REF_BAD, 33, {0x38}},    /* check 9 */
    {"raw", 1, REF_GOOD, 5, {0x18, 1, 2, 3, 4}},
    {"raw of zeros", 1, REF_GOOD, 5, {0x18, 0, 0, 0, 0}},
    {"raw NaN", 1, REF_GOOD, 5, {0x18, 1, 0, 0x80, 0xff}},
    {"raw, short", 1, REF_BAD, 4, {0x18, 1, 2, 3}},                    /* check 9 */
    {"raw, long", 1, REF_BAD, 6, {0x18, 1, 2, 3, 4, 5}},               /* check 9 */
    {"extra byte missing", 8, REF_BAD, 1, {0x05}},                     /* check 10 */
    {"extra byte zero", 8, REF_BAD, 2, {0x05, 0x00}},                  /* check 10 */
    {"squeezed without width planes", 8, REF_BAD, 3, {0x05, 0x81, 5}}, /* check 12 */
    {"anchor", 8, REF_GOOD, 3, {0x05, 0x01, 5}},
    {"anchor without order", 8, REF_BAD, 3, {0x04, 0x01, 5}},  /* check 11 */
    {"slope without order 2", 8, REF_BAD, 3, {0x05, 0x08, 5}}, /* check 11 */
    {"anchor and slope", 8, REF_GOOD, 4, {0x06, 0x09, 5, 0xfd}},
    {"slope of one value", 1, REF_ODD, 4, {0x06, 0x09, 5, 0xfd}},
    {"anchor not minimal, zero", 8, REF_BAD, 3, {0x05, 0x01, 0}},              /* check 11 */
    {"anchor not minimal, positive", 8, REF_BAD, 4, {0x05, 0x02, 5, 0}},       /* check 11 */
    {"anchor not minimal, negative", 8, REF_BAD, 4, {0x05, 0x02, 0x85, 0xff}}, /* check 11 */
    {"anchor minimal, 2 bytes", 8, REF_GOOD, 4, {0x05, 0x02, 0x85, 0x00}},
    {"anchor of 8 bytes that fits 6", 8, REF_BAD, 10, {0x05, 0x07, 1, 2, 3, 4, 5, 6, 0, 0}}, /* check 11 */
    {"anchor of 8 bytes that fits 7", 8, REF_GOOD, 10, {0x05, 0x07, 1, 2, 3, 4, 5, 6, 7, 0}},
    {"anchor of 8 bytes", 8, REF_GOOD, 10, {0x05, 0x07, 1, 2, 3, 4, 5, 6, 7, 0x80}},
    {"anchor truncated", 8, REF_BAD, 4, {0x05, 0x03, 1, 2}},                        /* check 11 */
    {"width planes all zero", 8, REF_BAD, 17, {0x20, PLANE(0)}},                    /* check 12 */
    {"width planes not minimal", 8, REF_BAD, 34, {0x40, PLANE(1), PLANE(0), 0xff}}, /* check 12 */
    {"width planes missing", 8, REF_BAD, 10, {0x20, 1}},                            /* check 12 */
    {"width 1, not squeezed", 8, REF_ODD, 18, {0x20, PLANE(1), 0xff}},
    {"width 1", 8, REF_GOOD, 6, {0x24, 0x80, 1, 0, 1, 0xff}},
    {"width 1 of zeros", 8, REF_ODD, 6, {0x24, 0x80, 1, 0, 1, 0x00}},
    {"width 2", 8, REF_GOOD, 9, {0x44, 0x80, 0, 0, 1, 0, 1, 0xff, 0x0f}},
    {"widths 3 and 2", 16, REF_GOOD, 13, {0x44, 0x80, 1, 0, 1, 0, 1, 3, 1, 2, 3, 4, 0x0f}},
    {"squeezed, maps missing", 8, REF_BAD, 3, {0x24, 0x80, 1}},                         /* check 12 */
    {"squeezed, bytes missing", 8, REF_BAD, 4, {0x24, 0x80, 1, 0}},                     /* check 12 */
    {"squeezed, a zero byte", 16, REF_BAD, 6, {0x24, 0x80, 3, 0, 1, 0x00, 0xff}},       /* check 12 */
    {"squeezed, planes all zero", 8, REF_BAD, 4, {0x24, 0x80, 0, 0}},                   /* check 12 */
    {"squeezed, planes not minimal", 8, REF_BAD, 8, {0x44, 0x80, 1, 0, 0, 0, 1, 0xff}}, /* check 12 */
    {"squeezed, block beyond n", 8, REF_BAD, 6, {0x24, 0x80, 1, 0, 2, 0xff}},           /* check 12 */
    {"squeezed, payload missing", 8, REF_BAD, 5, {0x24, 0x80, 1, 0, 1}},                /* check 15 */
    {"squeezed, payload too long", 8, REF_BAD, 7, {0x24, 0x80, 1, 0, 1, 0xff, 0}},      /* check 15 */
    {"payload missing", 8, REF_BAD, 17, {0x20, PLANE(1)}},                              /* check 15 */
    {"payload too long", 8, REF_BAD, 19, {0x20, PLANE(1), 0xff, 0}},                    /* check 15 */
    {"block beyond n", 8, REF_BAD, 18, {0x20, PLANE(2), 0xff}},                         /* check 12 */
    {"residual beyond n", 5, REF_ODD, 6, {0x24, 0x80, 1, 0, 1, 0xff}},
    {"residual in column 0", 8, REF_ODD, 6, {0x25, 0x80, 1, 0, 1, 0x01}},
    {"residual in column 1", 8, REF_ODD, 6, {0x26, 0x80, 1, 0, 1, 0x02}},
    {"residual in column 2", 8, REF_GOOD, 6, {0x26, 0x80, 1, 0, 1, 0x04}},
    {"7 width planes", 8, REF_BAD, 80, {0xe0}}, /* check 10 */
    {"specials", 8, REF_GOOD, 36, {0x04, 0x40, PLANE(1), 0x81, PLANE(1), 0x80}},
    {"specials, squeezed nothing", 8, REF_BAD, 36, {0x04, 0xc0, PLANE(1), 0x81, PLANE(1), 0x80}}, /* check 12 */
    {"bit 7 for specials", 8, REF_BAD, 36, {0x04, 0x80, PLANE(1), 0x81, PLANE(1), 0x80}},         /* check 12 */
    {"one map empty", 8, REF_GOOD, 35, {0x04, 0x40, PLANE(1), 0x81, PLANE(0)}},
    {"both maps empty", 8, REF_BAD, 34, {0x04, 0x40, PLANE(0), PLANE(0)}},                    /* check 13 */
    {"map of a zero byte alone", 8, REF_BAD, 35, {0x04, 0x40, PLANE(1), 0x00, PLANE(0)}},     /* check 13 */
    {"map of a zero byte", 16, REF_BAD, 36, {0x04, 0x40, PLANE(3), 0x01, 0x00, PLANE(0)}},    /* check 13 */
    {"special beyond n", 5, REF_BAD, 35, {0x04, 0x40, PLANE(1), 0x20, PLANE(0)}},             /* check 13 */
    {"special block beyond n", 5, REF_BAD, 36, {0x04, 0x40, PLANE(3), 0x01, 0x01, PLANE(0)}}, /* check 13 */
    {"second map missing", 8, REF_BAD, 19, {0x04, 0x40, PLANE(1), 0x81}},                     /* check 13 */
    {"second map's bytes missing", 8, REF_BAD, 35, {0x04, 0x40, PLANE(1), 0x81, PLANE(1)}},   /* check 13 */
    {"specials truncated", 8, REF_BAD, 10, {0x04, 0x40, 1}},                                  /* check 13 */
    {"one value", 8, REF_GOOD, 8, {ONE_VALUE, 0x05, 0x01, 5}},
    {"one value, fine", 8, REF_GOOD, 8, {ONE_VALUE, 0x0d, 0x01, 10}},
    {"one value, order 2", 8, REF_GOOD, 8, {ONE_VALUE, 0x06, 0x01, 5}},
    {"one value near 0", 8, REF_GOOD, 5, {SMALL_VALUE}},
    {"one value near 0, order 1", 8, REF_GOOD, 6, {SMALL_VALUE, 0x01}},
    {"one value, specials", 100, REF_GOOD, 42, {ONE_VALUE, 0x05, 0x41, 5, PLANE(1), 0x81, PLANE(1), 0x80}},
    {"one value that needs none", 8, REF_ODD, 8, {0x38, 0, 0, 0x20, 0x40, 0x05, 0x01, 5}},
    {"one value, of raw size", 1, REF_ODD, 5, {SMALL_VALUE}},
    {"one value, the integer beside the nearest", 8, REF_GOOD, 8, {0x38, 0, 0, 0x30, 0x40, 0x05, 0x01, 5}},
    {"one value, cut", 8, REF_BAD, 4, {0x38, 0, 0, 0}},                               /* check 9 */
    {"one value, far", 8, REF_BAD, 8, {ONE_VALUE, 0x05, 0x01, 4}},                    /* check 9 */
    {"one value, no tile", 8, REF_BAD, 5, {ONE_VALUE}},                               /* check 9 */
    {"one value, NaN", 8, REF_BAD, 5, {0x38, 0, 0, 0xc0, 0x7f}},                      /* check 9 */
    {"one value, -Inf", 8, REF_BAD, 5, {0x38, 0, 0, 0x80, 0xff}},                     /* check 9 */
    {"one value, anchor cut", 8, REF_BAD, 8, {ONE_VALUE, 0x05, 0x02, 5}},             /* check 9 */
    {"one value, anchor not minimal", 8, REF_BAD, 9, {ONE_VALUE, 0x05, 0x02, 5, 0}},  /* check 11 */
    {"one value, a byte behind", 8, REF_BAD, 9, {ONE_VALUE, 0x05, 0x01, 5, 0}},       /* check 15 */
    {"one value, zero tile with bytes", 8, REF_BAD, 6, {SMALL_VALUE, 0x00}},          /* check 15 */
    {"one value, extra byte missing", 8, REF_BAD, 6, {SMALL_VALUE, 0x05}},            /* check 10 */
    {"one value, extra byte zero", 8, REF_BAD, 7, {SMALL_VALUE, 0x05, 0x00}},         /* check 10 */
    {"one value, order 3", 8, REF_BAD, 6, {SMALL_VALUE, 0x03}},                       /* check 10 */
    {"one value, slope", 8, REF_BAD, 9, {ONE_VALUE, 0x06, 0x09, 5, 0xfd}},            /* check 9 */
    {"one value, slope of order 1", 8, REF_BAD, 8, {ONE_VALUE, 0x05, 0x09, 5}},       /* check 9 */
    {"one value, widths", 8, REF_BAD, 11, {SMALL_VALUE, 0x24, 0x80, 1, 0, 1, 0xff}},  /* check 9 */
    {"one value, widths of nothing", 8, REF_BAD, 7, {SMALL_VALUE, 0x04, 0x80}},       /* check 12 */
    {"one value, raw", 1, REF_BAD, 10, {SMALL_VALUE, 0x18, 0xcd, 0xcc, 0x4c, 0x3e}},  /* check 9 */
    {"one value, another", 8, REF_BAD, 10, {SMALL_VALUE, SMALL_VALUE}},               /* check 9 */
    {"one value, specials that are none", 8, REF_BAD, 39, {SMALL_VALUE, 0x04, 0x40}}, /* check 13 */
    {"one value, specials beyond n",
     5,
     REF_BAD,
     40,
     {SMALL_VALUE, 0x04, 0x40, PLANE(1), 0x20, PLANE(0)}}, /* 13 */
};

void damage_show_tile(reader *r, const ref_header *h, const uint8_t *tile, size_t size, const char *what) {
  SCOPE;
  uint16_t length = (uint16_t)size;
  double x[REF_TILE];
  ref_header beside = *h;
  if (damage_left_out(r))
    return;
  beside.terms = 1;
  for (int i = 0; i < REF_TILE; i++)
    put_value((ghz_type)h->type, x, (size_t)i, i * h->step);
  damage_show(r, ref_assemble(h, &length, tile), ref_compress(&beside, REF_BEST, x), what);
}

void damage_show_lacking(reader *r, ref_header h, const uint8_t *tile, int bytes, ref_verdict verdict,
                         const char *name) {
  SCOPE;
  const uint16_t size = (uint16_t)bytes;
  const double step = h.step;
  ref_bytes whole = ref_assemble(&h, &size, tile);
  need(ref_check(whole.data, whole.size) == verdict ? GHZ_OK : GHZ_EINVAL, "%s: the reference disagrees", name);
  for (unsigned lacks = 0; lacks < 4; lacks++) { /* terms, the step: check 8 */
    h.terms = !(lacks & 1);
    h.step = lacks & 2 ? 0 : step;
    damage_show_tile(r, &h, tile, size, say("%s, terms %u, step %g", name, h.terms, h.step));
  }
}

void damage_crafted(reader *r) {
  for (size_t t = 0; t < COUNT(tiles); t++)
    damage_show_lacking(
        r,
        (ref_header){
            .type = REF_F32, .cap = 35, .n = (uint64_t)tiles[t].n, .step = 0.5, .eb = 0.26, .terms = 1},
        tiles[t].bytes, tiles[t].size, tiles[t].verdict, tiles[t].name);
}

void damage_beginnings(reader *r) {
  ref_header h = {.type = REF_F32, .cap = 35, .n = 100, .step = 0.5, .eb = 0.26, .terms = 1};
  uint64_t state = 5;
  for (int first = 0; first < 256; first++)
    for (int second = 0; second < 256; second++) {
      uint8_t tile[150] = {(uint8_t)first, (uint8_t)second};
      size_t size = 1 + (size_t)input_below(&state, 149);
      for (size_t i = 2; i < size; i++)
        tile[i] = input_below(&state, 4) ? 0 : (uint8_t)input_random(&state);
      damage_show_tile(r, &h, tile, size, say("%02x %02x, %zu bytes", (unsigned)first, (unsigned)second, size));
    }
}

size_t damage_wide_block(uint8_t *out, int width, int block, uint8_t fill) {
  const int planes = ref_bit_length((uint64_t)width);
  size_t used = 0;
  for (int k = 0; k < planes; k++, used += 2)
    put_little(out + used, (uint64_t)((width >> k) & 1) << (block / 8), 2);
  for (int k = 0; k < planes; k++)
    if ((width >> k) & 1)
      out[used++] = (uint8_t)(1 << block % 8);
  for (int p = 0; p < width; p++)
    out[used++] = p == width - 1 ? fill : (uint8_t)(37 * p + fill);
  return used;
}

static size_t wide_tile(uint8_t *out, int mode, int order, int width, uint8_t fill) {
  out[0] = (uint8_t)(order | 4 | mode << 3 | ref_bit_length((uint64_t)width) << 5);
  out[1] = 0x80;
  return 2 + damage_wide_block(out + 2, width, 0, fill);
}

/* check 12 */
void damage_widths(reader *r) {
  static const uint32_t terms[] = {1, 2, 255, 16383, 8388607};
  for (int which = 0; which < 3; which++)
    for (int mode = 0; mode < 3; mode++)
      for (int order = 0; order < 3; order++)
        for (size_t k = 0; k < COUNT(terms) - (which == 2); k++)
          for (int width = 14; width <= 63; width++) {
            ref_header h = {.type = which > 0,
                            .cap = which == 2 ? 44 : 35,
                            .n = 8,
                            .step = 0.5,
                            .eb = 0.26,
                            .terms = terms[k]};
            uint8_t tile[256];
            size_t size = wide_tile(tile, mode, order, width, order == 2 ? 0xb4 : 0x5a);
            damage_show_tile(
                r, &h, tile, size,
                say("kind %d, mode %d, order %d, terms %u, width %d", which, mode, order, h.terms, width));
          }
}

/* check 7 */
void damage_short_tile(reader *r) {
  static const size_t sizes[] = {22, 23, 100, 3000, 8338, 8339, 14579, 14580, 65535};
  static uint8_t tile[65535];
  ref_header h = {.type = REF_F32, .cap = 35, .n = 5, .step = 0.5, .eb = 0.26, .terms = 1};
  for (size_t i = 0; i < COUNT(sizes); i++)
    for (int fill = 0; fill < 256; fill++) {
      memset(tile, fill, sizes[i]);
      damage_show_tile(r, &h, tile, sizes[i], say("5 values in %zu bytes of %02x", sizes[i], (unsigned)fill));
    }
}

/* ---- Single faults ---- */
void damage_tile(ref_bytes stream, uint64_t tile) {
  size_t size;
  const uint8_t *p = ref_tile_at(stream.data, tile, &size);
  stream.data[p - stream.data] = 0x19;
}

ref_bytes with_ignored_column(ghz_context *ctx, const ghz_lattice *l, size_t n) {
  float *x = scratch(n * sizeof *x);
  ghz_statistics st;
  size_t planes = 0;
  for (size_t i = 0; i < n; i++)
    x[i] = (float)(i % 1024 % 3);
  ref_bytes s = compress(ctx, l, 1, x, n);
  need(ghz_scan(ctx, view(s), &st), "scan");
  need(st.widths[0] == 0 ? GHZ_OK : GHZ_EINVAL, "the first byte of the planes belongs to block 0");
  for (size_t w = 0; w < COUNT(st.widths); w++)
    planes += w * (size_t)st.widths[w];
  s.data[s.size - planes / (n / GHZ_TILE)] ^= 1;
  return s;
}
