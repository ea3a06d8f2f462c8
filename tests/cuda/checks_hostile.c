/* checks_hostile.c: law L5 on the device: any bytes give the CPU's outcome; no access outside. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"
#include "checks.h"
#include "damage.h"
#include "probe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ghz_status probe_stream(trial *t, ref_bytes bytes, ghz_type type, size_t n, const char *what) {
  reading r = {.type = type, .n = n, .source = bytes, .out = type, .kind = DECOMPRESS};
  return probe(t, &r, what);
}

/* To both types of values where the stream's is the narrow one. */
static ghz_status probe_all(trial *t, ref_bytes bytes, ghz_type type, ghz_shape shape, const char *what) {
  reading r = {.type = type, .n = (size_t)ghz_shape_count(&shape), .source = bytes, .shape = shape};
  ghz_status status = GHZ_OK;
  for (int out = (int)type; out <= GHZ_F64; out++) {
    r.out = (ghz_type)out;
    status = probe(t, &r, what);
  }
  return status;
}

static ref_bytes stream_by(trial *t, const char *maker, ghz_type type, size_t n, int order, uint64_t seed) {
  ghz_lattice l = lattice_abs(type, 0.01);
  return stream_of(t->cpu, &l, order, maker, n, seed);
}

/* ---- Damage ---- */
/* A reader that computes with one in `operate` of the streams that it reads; 0: with none. */
typedef struct device_reader {
  trial *t;
  unsigned operate, refused, read;
} device_reader;

static void look(void *self, const damaged *d) {
  device_reader *r = self;
  const ghz_shape shape = info_of(d->good).shape;
  const ghz_status status = shape.dims > 1 || d->turn % 4 == 0
                                ? probe_all(r->t, d->bad, d->type, shape, d->what)
                                : probe_stream(r->t, d->bad, d->type, d->n, d->what);
  (*(status == GHZ_OK ? &r->read : &r->refused))++;
  if (r->operate && d->turn % r->operate == 0)
    probe_operations(r->t, d->bad, d->good, d->type, shape, d->turn / r->operate, d->what);
}

/* All operations in turn with a stream that is both operands. */
static void look_alone(void *self, const damaged *d) {
  device_reader *r = self;
  look(self, d);
  for (unsigned turn = 0; turn < PROBED; turn++)
    probe_operations(r->t, d->bad, d->bad, d->type, ghz_flat(d->n), turn, d->what);
}

/* A check of a kind of damage: who looks, one in how many cases by extent, and computes with. */
#define DAMAGED(name, by, quick, usual, full, operates, damage)                                                \
  void check_hostile_##name(trial *t) {                                                                        \
    device_reader d = {.t = t, .operate = operates};                                                           \
    reader r = {.ctx = t->cpu, .every = (unsigned)by_extent(t, quick, usual, full), .self = &d, .look = by};   \
    damage;                                                                                                    \
    expect(t, d.refused > 0, "nothing was refused");                                                           \
  }

DAMAGED(bits, look, 41, 11, 1, 3, damage_bits(&r); expect(t, d.read > 0, "nothing was read"))
DAMAGED(truncated, look, 41, 17, 3, 0, damage_truncated(&r); expect(t, d.read == 0, "%u were read", d.read))
DAMAGED(steps, look, 1, 1, 1, 1, damage_steps(&r))
DAMAGED(fills, look, 1, 1, 1, 1, damage_fills(&r))
DAMAGED(headers, look, 31, 9, 1, 4, damage_header(&r))
DAMAGED(counts, look, 9, 1, 1, 3, damage_counts(&r))
DAMAGED(random_damage, look, 1, 1, 1, 1, damage_at_random(&r, by_extent(t, 10, 50, 1000)))
DAMAGED(random_bytes, look, 1, 1, 1, 4, damage_all(&r, by_extent(t, 60, 600, 8000)))
DAMAGED(crafted, look, 5, 1, 1, 2, damage_crafted(&r))
DAMAGED(tile_beginnings, look, 61, 41, 2, 4, damage_beginnings(&r))
DAMAGED(widths, look, 67, 11, 1, 1, damage_widths(&r))
DAMAGED(short_tile, look_alone, 85, 17, 1, 0, damage_short_tile(&r))

DAMAGED(brick_bits, look, 311, 151, 3, 1, damage_brick_bits(&r); expect(t, d.read > 0, "nothing was read"))
DAMAGED(bricks_at_random, look, 1, 1, 1, 1, damage_bricks_at_random(&r, by_extent(t, 4, 20, 400)))
DAMAGED(crafted_bricks, look, 1, 1, 1, 1, damage_crafted_bricks(&r); expect(t, d.read > 0, "nothing was read"))
DAMAGED(brick_beginnings, look, 521, 191, 3, 1, damage_brick_beginnings(&r))
DAMAGED(coefficient_widths, look, 7, 3, 1, 1, damage_coefficient_widths(&r);
        expect(t, d.read > 0, "nothing was read"))

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

/* What a newer version might write is EVERSION, not ECORRUPT, wherever it stands. */
void check_hostile_newer_versions(trial *t) {
  static const struct {
    size_t at;
    uint8_t value;
  } news[] = {{4, 9}, {4, 255}, {5, 8}, {5, 129}, {7, 0}, {7, 4}, {52, 1}, {55, 128}};
  ref_bytes good = stream_by(t, "walk", GHZ_F32, 1100, GHZ_ORDER_BEST, 1);
  for (size_t i = 0; i < COUNT(news); i++) {
    SCOPE;
    uint8_t *values;
    ref_bytes bad = bytes_copy(good.data, good.size), s[3] = {good, good, bad};
    bad.data[news[i].at] = news[i].value;
    const char *what = say("byte %zu is %u", news[i].at, news[i].value);
    reading r = {.type = GHZ_F32, .n = 1100, .source = bad, .out = GHZ_F32, .kind = DECOMPRESS};
    ghz_status status = gpu_read(t, &r, &values, what);
    expect(t, status == GHZ_EVERSION, "%s: status %d", what, (int)status);
    operation o = {.kind = SUM, .lattice.type = GHZ_F32, .n = 1100, .k = 3, .operands = s};
    made m = gpu_make(t, &o, room_for(&o), what);
    expect(t, m.status == GHZ_EVERSION && m.outcome.operand == 2, "%s: status %d, operand %u in a sum", what,
           (int)m.status, (unsigned)m.outcome.operand);
  }
  for (unsigned version = 1; version <= 2; version++) {
    good.data[3] = (uint8_t)('0' + version);
    const char *what = say("format %u", version);
    expect(t, probe_stream(t, good, GHZ_F32, 1100, what) == GHZ_EVERSION, "%s", what);
  }
  good.data[0] = 'g';
  expect(t, probe_stream(t, good, GHZ_F32, 1100, "another magic") == GHZ_ECORRUPT, "another magic");
}

/* Counts that the caller believes. */
void check_hostile_believed_counts(trial *t) {
  static const size_t believed[] = {0, 1, 1024, 2000, 16385, 1000000, TRIAL_VALUES};
  ref_bytes bad = stream_by(t, "walk", GHZ_F32, 1100, GHZ_ORDER_BEST, 1);
  for (size_t i = 0; i < COUNT(believed); i++) {
    const char *what = say("%zu values announced and believed", believed[i]);
    put_little(bad.data + 24, believed[i], 8);
    probe_stream(t, bad, GHZ_F32, believed[i], what);
    probe_operations(t, bad, bad, GHZ_F32, ghz_flat(believed[i]), (unsigned)i, what);
  }
}

/* ---- The index ---- */
/* A device looks at the index of the chunks that it reads alone: what is damaged elsewhere it need
 * not refuse, if the values are the right ones. */
static void probe_range(trial *t, ref_bytes bad, ref_bytes good, size_t n, uint64_t first, const char *what) {
  SCOPE;
  enum { SOME = 3000 };
  reading r = {.type = GHZ_F32,
               .n = n,
               .source = bad,
               .out = GHZ_F32,
               .kind = DECOMPRESS_RANGE,
               .first = first,
               .count = SOME},
          undamaged = r;
  float want[SOME];
  uint8_t *got;
  undamaged.source = good;
  ghz_status wanted = verdict(t, &r, want), status = gpu_read(t, &r, &got, what);
  expect(t, status == wanted || (status == GHZ_OK && refusal(wanted)), "%s: status %d, should be %d", what,
         (int)status, (int)wanted);
  if (wanted != GHZ_OK)
    cpu_read(t, &undamaged, want);
  if (status == GHZ_OK)
    same_values(t, got, want, SOME, GHZ_F32, what);
}

static void look_at_index(void *self, const damaged *d) {
  device_reader *r = self;
  uint64_t state = d->turn;
  look(self, d);
  if (d->turn % 4 == 1)
    probe_range(r->t, d->bad, d->good, d->n, input_below(&state, d->n - 3000), say("%s, a range", d->what));
}

DAMAGED(index, look_at_index, 1, 1, 1, 4, damage_index(&r, by_extent(t, 30, 120, 2000)))

/* ---- Messages ---- */
void check_hostile_messages(trial *t) {
  enum { N = 20000, FIRST = 3, TILES = 4 };
  uint64_t state = 8;
  ref_bytes stream = stream_by(t, "specials", GHZ_F32, N, GHZ_ORDER_BEST, 1);
  ghz_slice slice = slice_of(stream, FIRST, TILES);
  ref_bytes good = packed(&slice);
  for (int round = 0; round < by_extent(t, 40, 300, 5000); round++) {
    SCOPE;
    ref_bytes bad = bytes_copy(good.data, good.size), pair[2] = {good, bad};
    size_t at = (size_t)input_below(&state, round % 2 ? 88 : bad.size);
    bad.data[at] = (uint8_t)input_random(&state);
    if (round % 7 == 0)
      bad.size = (size_t)input_below(&state, bad.size);
    if (round % 7 == 1)
      put_little(bad.data + 56 + 8 * (size_t)input_below(&state, 3),
                 input_random(&state) >> input_below(&state, 64), 8);
    pair[1] = bad;
    const char *what = say("round %d, byte %zu", round, at);
    reading r = {.type = GHZ_F32,
                 .n = N,
                 .source = bad,
                 .out = GHZ_F32,
                 .kind = SLICE_DECOMPRESS,
                 .first = FIRST,
                 .count = TILES};
    probe(t, &r, what);
    operation o = {.kind = SLICE_SUM,
                   .lattice.type = GHZ_F32,
                   .n = N,
                   .k = 2,
                   .operands = pair,
                   .first = FIRST,
                   .tiles = TILES,
                   .divisor = 1};
    /* One message alone may be right, and say that it holds other tiles than these: the CPU then
     * takes it by its word. */
    if (round % 4 == 1 && memcmp((const uint8_t *)bad.data + 72, (const uint8_t *)good.data + 72, 16) == 0) {
      o.k = 1;
      o.operands = &bad;
      o.divisor = 3;
    }
    if (round % 3)
      probe_operation(t, &o, say("%s, sum", what));
  }
  reading r = {
      .type = GHZ_F32, .n = N, .source = stream, .out = GHZ_F32, .kind = SLICE_DECOMPRESS, .count = 20};
  probe(t, &r, "a stream is no message");
  probe_stream(t, good, GHZ_F32, N, "a message is no stream");
}

/* ---- What the outcome says ---- */
static void told(trial *t, const operation *o, size_t capacity, ghz_status status, uint64_t tile,
                 uint32_t operand, const char *what) {
  SCOPE;
  made m = gpu_make(t, o, capacity, what);
  expect(t, m.status == status && m.outcome.tile == tile && m.outcome.operand == operand,
         "%s: status %d, tile %lld, operand %d", what, (int)m.status, (long long)m.outcome.tile,
         (int)m.outcome.operand);
}

/* Of several faults the same is told, whoever is first: the first damaged tile or wrong header. */
void check_hostile_several(trial *t) {
  enum { N = 100 * 1024 };
  ghz_lattice l = lattice_abs(GHZ_F32, 0.2), other = lattice_abs(GHZ_F32, 0.3);
  ref_bytes good = stream_of(t->cpu, &l, 1, "small_noise", N, 1),
            odd = stream_of(t->cpu, &other, 1, "walk", N, 1);
  for (uint64_t first = 0; first < 80; first += 7) {
    SCOPE;
    ref_bytes bad = bytes_copy(good.data, good.size);
    for (uint64_t tile = first; tile < 100; tile += 3)
      damage_tile(bad, tile);
    const ghz_status read = probe_stream(t, bad, GHZ_F32, N, "the tile");
    expect(t, read == GHZ_ECORRUPT && t->outcome->tile == first, "tile %d: reading says %d, tile %lld",
           (int)first, (int)read, (long long)t->outcome->tile);
    ref_bytes s[4] = {good, bad, bad, good}, headers[4] = {good, odd, bad, odd};
    operation o = {.kind = SUM, .lattice.type = GHZ_F32, .n = N, .k = 4, .operands = s};
    told(t, &o, room_for(&o), GHZ_ECORRUPT, first, 1, say("tiles from %d on", (int)first));
    told(t, &o, good.size / 2, GHZ_ECORRUPT, first, 1, say("tiles from %d on, and no room", (int)first));
    for (uint32_t at = 0; at < 3; at++) {
      ref_bytes one[3] = {good, good, good};
      one[at] = bad;
      operation sum = {.kind = SUM, .lattice.type = GHZ_F32, .n = N, .k = 3, .operands = one};
      told(t, &sum, room_for(&sum), GHZ_ECORRUPT, first, at,
           say("tiles from %d of operand %u on", (int)first, at));
    }
    o.operands = headers;
    told(t, &o, room_for(&o), GHZ_EMISMATCH, UINT64_MAX, 1, "two headers");
  }
}
