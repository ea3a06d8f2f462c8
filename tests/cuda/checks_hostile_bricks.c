/* checks_hostile_bricks.c: law L5 on the device, of bricks: damage, and layers that no encoder
 * writes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bricks.h"
#include "checks.h"
#include "damage.h"
#include "probe.h"

/* To both types of values where the stream's is the narrow one. */
static ghz_status probe_brick(trial *t, ref_bytes bad, ghz_type type, const ghz_shape *s, const char *what) {
  reading r = {.type = type, .n = (size_t)ghz_shape_count(s), .source = bad, .shape = *s};
  ghz_status status = GHZ_OK;
  for (int out = (int)type; out <= GHZ_F64; out++) {
    r.out = (ghz_type)out;
    status = probe(t, &r, what);
  }
  return status;
}

void check_hostile_bricks(trial *t) {
  uint64_t state = 77;
  for (int round = 0; round < by_extent(t, 50, 1500, 20000); round++) {
    SCOPE;
    const ghz_shape *s = &brick_shapes[input_below(&state, 13)];
    const int64_t times[2] = {(int64_t)input_below(&state, 1000) + 1, 1};
    ghz_lattice l = lattice_filled((ghz_type)(round % 2), 0.1, (uint64_t)round / 2);
    ref_bytes bad = round % 3 ? stream_of_field(t, &l, GHZ_ORDER_BEST, s, round % TEXTURES, state)
                              : combined(t, &l, s, 2, times, state % 1000);
    const size_t head = 72 + 8 * (size_t)((ghz_shape_tiles(s) + 15) / 16) + 2 * (size_t)ghz_shape_tiles(s);
    for (int i = 0; i <= round % 3; i++) /* the beginnings of tiles are of interest */
      if (bad.size > head)
        bad.data[head + (size_t)input_below(&state, round % 2 ? bad.size - head : (bad.size - head) / 8 + 1)] ^=
            (uint8_t)(1 << input_below(&state, 8));
    probe_brick(t, bad, l.type, s, say("round %d", round));
  }
}

/* ---- Every kind of damage ---- */
typedef struct brick_reader {
  trial *t;
  unsigned refused, read;
} brick_reader;

static void look(void *self, const damaged *d) {
  brick_reader *r = self;
  const ghz_info info = info_of(d->good);
  (*(probe_brick(r->t, d->bad, d->type, &info.shape, d->what) == GHZ_OK ? &r->read : &r->refused))++;
  probe_operations(r->t, d->bad, d->good, d->type, info.shape, d->turn, d->what);
  if (d->turn % 3 == 0)
    probe_operations(r->t, d->bad, d->bad, d->type, info.shape, d->turn / 3, d->what);
}

#define DAMAGED(name, quick, usual, full, damage)                                                              \
  void check_hostile_##name(trial *t) {                                                                        \
    brick_reader d = {.t = t};                                                                                 \
    reader r = {.ctx = t->cpu, .every = (unsigned)by_extent(t, quick, usual, full), .self = &d, .look = look}; \
    damage;                                                                                                    \
    expect(t, d.refused > 0, "nothing was refused");                                                           \
  }

DAMAGED(brick_bits, 311, 151, 3, damage_brick_bits(&r); expect(t, d.read > 0, "nothing was read"))
DAMAGED(bricks_at_random, 1, 1, 1, damage_bricks_at_random(&r, by_extent(t, 4, 20, 400)))
DAMAGED(crafted_bricks, 1, 1, 1, damage_crafted_bricks(&r); expect(t, d.read > 0, "nothing was read"))
DAMAGED(brick_beginnings, 521, 191, 3, damage_brick_beginnings(&r))
DAMAGED(coefficient_widths, 7, 3, 1, damage_coefficient_widths(&r); expect(t, d.read > 0, "nothing was read"))

/* Sums that no sound bricks have: an anchor of 64 bits, raised and lifted. */
void check_hostile_anchors(trial *t) {
  static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}, {0, 0, 1}};
  for (size_t i = 0; i < COUNT(orders); i++) {
    SCOPE;
    ref_bytes s[3];
    for (int k = 0; k < 3; k++)
      s[k] = huge_anchor(orders[i][k]);
    const ghz_info info = info_of(s[0]);
    operation o = {.kind = SUM, .lattice = info.lattice, .shape = info.shape, .k = 3, .operands = s};
    o.n = (size_t)info.count;
    agree(t, &o, say("sum %zu", i));
    o.k = 2;
    agree(t, &o, say("sum %zu of two", i));
  }
}
