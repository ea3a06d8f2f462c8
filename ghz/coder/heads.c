/* heads.c: owns the heads of a page's tiles: each field by what the same field of the tile before
 * was, anchors by those of the tiles around. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "coder/side.h"

#include <string.h>

/* What is known of the bits of each field. */
enum { KIND_BITS = 2, LEAD_BITS = 6, WIDTHS_BITS = 2, LENGTH_BITS = 7, SIZE_BITS = 5 };
typedef struct head_bits {
  side_bit kind[3][1 << KIND_BITS], lead[1 << LEAD_BITS], widths[2][4][1 << WIDTHS_BITS], size[1 << SIZE_BITS],
      anchor[1 << LENGTH_BITS], slope[1 << LENGTH_BITS], first[1 << LENGTH_BITS];
} head_bits;

/* Both directions go the same way through the fields: a field is written if `w` is there, else
 * read. */
typedef struct head_coder {
  side_writer *w;
  side_reader *r;
  head_bits bits;
} head_coder;

static void begin(head_coder *c, side_writer *w, side_reader *r) {
  c->w = w;
  c->r = r;
  side_begin((side_bit *)&c->bits, sizeof c->bits / sizeof(side_bit));
}

static unsigned tree(head_coder *c, side_bit *bits, unsigned n, unsigned v) {
  if (!c->w)
    return side_read_tree(c->r, bits, n);
  side_put_tree(c->w, bits, n, v);
  return v;
}

static uint64_t number(head_coder *c, side_bit *bits, unsigned n, uint64_t v) {
  if (!c->w)
    return side_read_number(c->r, bits, n);
  side_put_number(c->w, bits, n, v);
  return v;
}

/* v, as its difference to what is expected, with its sign in the lowest bit. */
static int64_t near(head_coder *c, side_bit *bits, int64_t v, int64_t expected) {
  const uint64_t d = (uint64_t)v - (uint64_t)expected,
                 folded = number(c, bits, LENGTH_BITS, d << 1 ^ (uint64_t)((int64_t)d >> 63));
  return (int64_t)((folded >> 1 ^ (0 - (folded & 1))) + (uint64_t)expected);
}

/* ---- What is expected ------------------------------------------------------------------------ */

enum field { ANCHOR, SLOPE, FIRST };

static int has_field(const page_tile *t, enum field f) {
  return t->kind == TILE_CODED && (f == FIRST ? t->transformed : t->order > (f == SLOPE));
}

static int64_t field_of(const page_tile *t, enum field f) {
  return f == FIRST ? t->first : f == SLOPE ? t->slope : t->anchor;
}

static int64_t middle_of_three(const int64_t v[3]) {
  const int64_t low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
  return v[2] < low ? low : v[2] > high ? high : v[2];
}

/* Rounded down, without overflow. */
static int64_t mean_of_two(const int64_t v[3]) {
  return (v[0] >> 1) + (v[1] >> 1) + (v[0] & v[1] & 1);
}

/* Of the tiles before along x, y and z that have the field: the middle one of three, the mean of
 * two, the one; 0 if there is none. */
static int64_t expected(const page_model *p, const page_walk *w, unsigned i, enum field f) {
  int64_t v[3] = {0};
  int n = 0;
  for (int a = 0; a < 3; a++) {
    const page_tile *t = &p->tile[i - steps_back(w, i, a)];
    if (t < &p->tile[i] && has_field(t, f))
      v[n++] = field_of(t, f);
  }
  return n == 3 ? middle_of_three(v) : n == 2 ? mean_of_two(v) : v[0];
}

/* ---- A tile ---------------------------------------------------------------------------------- */

/* The fields of a coded tile. `last`: of the tile before that was coded. */
static void code_lead(head_coder *c, const page_tile *last, page_tile *t) {
  head_bits *b = &c->bits;
  const unsigned lead =
      tree(c, b->lead, LEAD_BITS, (unsigned)(t->order | t->mode << 2 | t->special << 4 | t->turned << 5));
  t->order = lead & 3;
  t->mode = lead >> 2 & 3;
  t->special = lead >> 4 & 1;
  t->turned = lead >> 5 & 1;
  t->widths[0] = (uint8_t)tree(c, b->widths[0][last->widths[0]], WIDTHS_BITS, t->widths[0]);
  const unsigned had = last->transformed ? last->widths[1] + 1U : 0,
                 has = tree(c, b->widths[1][had], WIDTHS_BITS, t->transformed ? t->widths[1] + 1U : 0);
  t->transformed = has > 0;
  t->widths[1] = (uint8_t)(has ? has - 1 : 0);
}

static int code_tile(head_coder *c, page_model *p, const page_walk *w, unsigned i, const page_tile *last) {
  page_tile *t = &p->tile[i];
  head_bits *b = &c->bits;
  t->kind = (uint8_t)tree(c, b->kind[i ? t[-1].kind : TILE_CODED], KIND_BITS, t->kind);
  if (t->kind == TILE_AS_IS)
    t->size = (uint32_t)number(c, b->size, SIZE_BITS, t->size);
  if (t->kind != TILE_CODED)
    return t->kind < TILE_CODED && t->size <= TILE_BYTES_MAX;
  code_lead(c, last, t);
  if (has_field(t, ANCHOR))
    t->anchor = near(c, b->anchor, t->anchor, expected(p, w, i, ANCHOR));
  if (p->shape.dims == 1 && has_field(t, SLOPE))
    t->slope = near(c, b->slope, t->slope, expected(p, w, i, SLOPE));
  if (has_field(t, FIRST))
    t->first = near(c, b->first, t->first, expected(p, w, i, FIRST));
  return t->widths[0] <= SQUEEZED_WIDTHS;
}

static int code_tiles(head_coder *c, page_model *p) {
  static const page_tile none;
  const page_tile *last = &none;
  page_walk w = begin_walk(p, 0);
  for (unsigned i = 0; i < p->tiles; i++, step_walk(&w)) {
    if (!code_tile(c, p, &w, i, last))
      return 0;
    last = p->tile[i].kind == TILE_CODED ? &p->tile[i] : last;
  }
  return 1;
}

void ghz_heads_write(page_model *p, side_writer *side) {
  head_coder c;
  begin(&c, side, NULL);
  code_tiles(&c, p);
}

int ghz_heads_read(page_model *p, side_reader *side) {
  head_coder c;
  begin(&c, NULL, side);
  return code_tiles(&c, p);
}
