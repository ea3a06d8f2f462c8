/* checks_crafted.c: sums of streams that no encoder writes; and damage that only some of the code
 * could miss: behind a short end, where anchors stand for a column, in several places at once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "checks.h"
#include "crafted.h"
#include "damage.h"
#include "fields.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The same status from both, and the same bytes. Yields the status on the CPU. */
static ghz_status both(trial *t, const operation *o, const char *what) {
  SCOPE;
  made cpu = cpu_make(t, o), gpu = gpu_make(t, o, room_for(o), what);
  ghz_status status = cpu.status;
  expect(t, gpu.status == status, "%s: status %d, should be %d", what, (int)gpu.status, (int)status);
  if (gpu.status == GHZ_OK && status == GHZ_OK)
    same_bytes(t, gpu.bytes, cpu.bytes, what);
  return status;
}

/* ---- What lies behind the end of a short tile ---- */
static void probe_end(trial *t, ref_bytes stream, ref_bytes other, ghz_type type, size_t n, const char *what) {
  SCOPE;
  ref_bytes s[3] = {stream, other, stream}, values = bytes_new(n * 8);
  reading r = {.type = type, .n = n, .source = stream, .out = type, .part = ALL};
  uint8_t *got;
  ghz_status status = gpu_read(t, &r, &got, what), wanted = cpu_read(t, &r, values.data);
  expect(t, status == wanted, "%s: status %d, should be %d", what, (int)status, (int)wanted);
  for (size_t behind = 0; behind <= 16; behind += 16)
    for (size_t k = 1; k <= 3; k++) {
      operation o = {.kind = SUM, .lattice.type = type, .n = n, .k = k, .operands = s, .behind = behind};
      both(t, &o, say("%s: sum of %zu, %zu bytes behind", what, k, behind));
    }
}

/* An infinity behind the end, and nothing else there. */
static void lone_special(trial *t) {
  SCOPE;
  enum { N = 2048 };
  ghz_lattice l = lattice_abs(GHZ_F32, 0.3);
  float x[N] = {0};
  uint64_t n = 2040;
  for (int i = 0; i < 1100; i++)
    x[i] = (float)(i % 50);
  x[N - 1] = INFINITY;
  ref_bytes whole = compress(t->cpu, &l, 0, x, N), right = stream_of(t->cpu, &l, 1, "walk", n, 7);
  memcpy(whole.data + 24, &n, 8);
  probe_end(t, whole, right, GHZ_F32, n, "an infinity behind the end");
}

/* Whole tiles, though the header says the last is short: what is behind the end is ignored. */
void check_hostile_ends(trial *t) {
  static const char *const makers[] = {"walk", "small_noise", "specials", "sparse", "land_mask"};
  static const size_t ends[] = {1025, 1032, 1900, 2016, 2017, 2040, 2041, 2047};
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t m = 0; m < COUNT(makers); m++)
      for (int order = 0; order < 3; order++)
        for (size_t e = m % 2; e < COUNT(ends); e += (size_t)by_extent(t, 2, 2, 1)) {
          SCOPE;
          ghz_lattice l = lattice_abs((ghz_type)type, 0.3);
          uint64_t n = ends[e];
          ref_bytes whole = stream_of(t->cpu, &l, order, makers[m], 2048, m),
                    right = stream_of(t->cpu, &l, 1, "walk", n, 7);
          memcpy(whole.data + 24, &n, 8);
          probe_end(t, whole, right, l.type, n,
                    say("%s, type %d, order %d, cut to %zu", makers[m], type, order, (size_t)n));
        }
  lone_special(t);
}

/* ---- The column that an anchor stands for ---- */
void check_hostile_ignored_column(trial *t) {
  ghz_lattice l = {.type = GHZ_F32, .cap = 35, .step = 0.5, .eb = 0.26};
  for (size_t n = 1024; n <= 3 * 1024; n += 1024)
    for (size_t behind = 0; behind <= 16; behind += 16) {
      SCOPE;
      ref_bytes s[3] = {with_ignored_column(t->cpu, &l, n), stream_of(t->cpu, &l, 2, "walk", n, 3),
                        stream_of(t->cpu, &l, 0, "walk", n, 4)};
      for (size_t k = 2; k <= 3; k++) {
        operation o = {.kind = SUM, .lattice.type = GHZ_F32, .n = n, .k = k, .operands = s, .behind = behind};
        const char *what = say("%zu values, sum of %zu, %zu bytes behind", n, k, behind);
        expect(t, both(t, &o, what) == GHZ_OK, "%s: refused", what);
      }
    }
}

/* ---- Streams that no encoder writes ---- */
void check_compute_crafted(trial *t) {
  static const kind kinds[] = {ADD, SUM, SUBTRACT, COMBINE, SUM};
  static const ghz_shape shapes[] = {{1, {1, 1, 1500}}, {3, {8, 8, 16}}, {2, {1, 40, 21}}, {3, {7, 3, 20}}};
  uint64_t state = 21;
  for (int round = 0; round < by_extent(t, 30, 200, 4000); round++) {
    SCOPE;
    const ghz_shape *shape = &shapes[round % (int)COUNT(shapes)];
    ghz_lattice l = lattice_with_fill(&state);
    ref_header h = header_shaped(&l, shape);
    int64_t c[3];
    ref_bytes least[3], loose[3];
    for (int i = 0; i < 3; i++) {
      h.transform = shape->dims > 1 && round % 3 > 0;
      h.terms = round % 2 ? 1 + (uint32_t)input_below(&state, 400) : 1;
      crafted_pair pair = crafted_streams(&h, &state);
      least[i] = pair.least;
      loose[i] = pair.loose;
      c[i] = (int64_t)input_below(&state, 13) - 6;
    }
    operation o = {.kind = kinds[round % (int)COUNT(kinds)], .lattice = l, .shape = *shape, .n = (size_t)h.n};
    o.k = o.kind == SUM || o.kind == COMBINE ? 3 : 2;
    o.coefficients = c;
    o.operands = least;
    agree(t, &o, say("round %d, kind %d", round, (int)o.kind));
    o.operands = loose;
    agree(t, &o, say("round %d, kind %d, loose", round, (int)o.kind));
  }
}

/* ---- Several faults ---- */
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
    ref_bytes s[4] = {good, bad, bad, good}, headers[4] = {good, odd, bad, odd};
    operation o = {.kind = SUM, .lattice.type = GHZ_F32, .n = N, .k = 4, .operands = s};
    told(t, &o, room_for(&o), GHZ_ECORRUPT, first, 1, say("tiles from %d on", (int)first));
    told(t, &o, good.size / 2, GHZ_ECORRUPT, first, 1, say("tiles from %d on, and no room", (int)first));
    o.operands = headers;
    told(t, &o, room_for(&o), GHZ_EMISMATCH, UINT64_MAX, 1, "two headers");
  }
}
