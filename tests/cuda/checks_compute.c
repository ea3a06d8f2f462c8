/* checks_compute.c: arithmetic on streams and messages on the device gives what the CPU gives. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"
#include "checks.h"
#include "crafted.h"
#include "fields.h"
#include "pairs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef GHZ_EMULATED
#include "control.h"
#endif

static operation on_streams(kind what, const ghz_lattice *l, size_t n, size_t k, const ref_bytes *operands) {
  return (operation){.kind = what, .lattice = *l, .n = n, .k = k, .operands = operands, .divisor = 1};
}

static void agree_on(trial *t, kind kind_of, const ghz_lattice *l, size_t n, size_t k,
                     const ref_bytes *operands, const char *what) {
  operation o = on_streams(kind_of, l, n, k, operands);
  agree(t, &o, what);
}

/* ---- Many operands ---- */
void check_combine_coefficients(trial *t) {
  static const int64_t of[] = {0, 1, -1, 2, 3, -7, 100, -255, 16000, 1000003, -1000003};
  static const char *const makers[] = {"walk", "mixture", "specials", "wide_noise", "small_noise"};
  size_t n = 1500;
  uint64_t state = 5;
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t a = 0; a < COUNT(of); a++)
      for (size_t b = 0; b < COUNT(of); b++) {
        SCOPE;
        if (t->extent == QUICK && (a * 3 + b) % 8)
          continue;
        ghz_lattice l = lattice_abs((ghz_type)type, 0.2);
        int64_t c[3] = {of[a], of[b], (int64_t)input_below(&state, 5) - 2};
        if (type == GHZ_F64 && (llabs(c[0]) + llabs(c[1]) > 16000 || a % 2))
          l.cap = 35;
        ref_bytes s[3];
        for (size_t i = 0; i < 3; i++)
          s[i] = stream_of(t->cpu, &l, (int)((a + i) % 4) - 1, makers[(a + b + i) % COUNT(makers)], n, a + i);
        operation o = on_streams(COMBINE, &l, n, 1 + (a + b) % 3, s);
        o.coefficients = c;
        agree(t, &o,
              say("type %d, %zu operands times %lld %lld %lld", type, o.k, (long long)c[0], (long long)c[1],
                  (long long)c[2]));
      }
}

/* What an operand says of itself reaches the sum from any place, unless it counts 0 times. */
void check_compute_inexact(trial *t) {
  size_t n = 1100;
  ghz_lattice l = lattice_abs(GHZ_F32, 0.2);
  for (size_t at = 0; at < 3; at++) {
    SCOPE;
    ref_bytes s[3];
    int64_t c[3] = {1, 1, 1};
    for (size_t i = 0; i < 3; i++)
      s[i] = stream_of(t->cpu, &l, -1, "walk", n, i);
    ((uint8_t *)s[at].data)[5] = 1; /* the flag: inexact */
    operation o = on_streams(COMBINE, &l, n, 3, s);
    o.coefficients = c;
    agree(t, &o, say("operand %zu is inexact", at));
    o.kind = ACCUMULATE;
    agree(t, &o, say("operand %zu is inexact, in place", at));
    o.kind = COMBINE;
    c[at] = 0;
    agree(t, &o, say("operand %zu is inexact and counts 0 times", at));
  }
}

/* ---- Refusals ---- */
static void refused(trial *t, const operation *o, ghz_status why, uint32_t operand, const char *what) {
  SCOPE;
  made cpu = cpu_make(t, o), gpu = gpu_make(t, o, room_for(o), what);
  expect(t, cpu.status == why, "%s: the CPU says %d, should be %d", what, (int)cpu.status, (int)why);
  expect(t, gpu.status == why, "%s: status %d, should be %d", what, (int)gpu.status, (int)why);
  if (gpu.returned == GHZ_OK && operand != UINT32_MAX)
    expect(t, gpu.outcome.operand == operand, "%s: operand %u at fault, should be %u", what,
           (unsigned)gpu.outcome.operand, (unsigned)operand);
  expect(t, ghz_cuda_message(t->gpu)[0], "%s: no message", what);
}

void check_too_many_terms(trial *t) {
  static const int64_t limits[] = {8388607, 16383};
  for (int which = 0; which < 3; which++) {
    SCOPE;
    ghz_lattice l = lattice_abs((ghz_type)(which > 0), 0.2);
    l.cap = which == 1 ? 35 : l.cap;
    int64_t limit = limits[which == 2];
    size_t n = 1100;
    ref_bytes one = stream_of(t->cpu, &l, -1, "walk", n, 1), two[2] = {one, one};
    operation o = on_streams(COMBINE, &l, n, 1, &one);
    o.coefficients = &limit;
    agree(t, &o, say("as many terms as there may be, kind %d", which));
    made most = cpu_make(t, &o);
    two[1] = most.bytes;
    operation sum = on_streams(SUM, &l, n, 2, two);
    refused(t, &sum, GHZ_ERANGE, UINT32_MAX, say("one term too many, kind %d", which));
    int64_t c[2] = {limit, 0};
    operation some = on_streams(COMBINE, &l, n, 2, two);
    some.coefficients = c;
    agree(t, &some, say("an operand times 0 has no terms, kind %d", which));
    int64_t huge[] = {limit + 1, INT64_MAX, INT64_MIN, -limit - 1};
    for (size_t i = 0; i < COUNT(huge); i++) {
      o.coefficients = &huge[i];
      refused(t, &o, GHZ_ERANGE, UINT32_MAX, say("times %lld, kind %d", (long long)huge[i], which));
    }
  }
}

void check_mismatches(trial *t) {
  size_t n = 1100;
  ghz_lattice l = lattice_abs(GHZ_F64, 0.2), other = lattice_abs(GHZ_F64, 0.3), cap = l, eb = l;
  ghz_lattice single = lattice_abs(GHZ_F32, 0.2);
  cap.cap = 35;
  eb.eb = 0.21;
  ref_bytes good = stream_of(t->cpu, &l, -1, "walk", n, 1);
  ref_bytes bad[] = {stream_of(t->cpu, &other, -1, "walk", n, 1), stream_of(t->cpu, &cap, -1, "walk", n, 1),
                     stream_of(t->cpu, &eb, -1, "walk", n, 1), stream_of(t->cpu, &l, -1, "walk", n + 1, 1),
                     stream_of(t->cpu, &single, -1, "walk", n, 1)};
  static const char *const names[] = {"step", "cap", "bound", "count", "type"};
  for (uint32_t at = 1; at < 4; at++)
    for (size_t b = 0; b < COUNT(bad); b++) {
      SCOPE;
      ref_bytes s[4] = {good, good, good, good};
      int64_t c[4] = {1, 2, 0, -1}, too_many[4] = {INT64_MAX, 1, 1, 1};
      s[at] = bad[b];
      operation o = on_streams(SUM, &l, n, 4, s);
      refused(t, &o, GHZ_EMISMATCH, at, say("%s differs in operand %u", names[b], at));
      o.kind = COMBINE; /* also where it is dropped */
      o.coefficients = c;
      refused(t, &o, GHZ_EMISMATCH, at, say("%s differs in operand %u of a combination", names[b], at));
      o.coefficients = too_many; /* terms count where the operands match */
      refused(t, &o, GHZ_EMISMATCH, at, say("%s differs in operand %u of too many terms", names[b], at));
    }
  for (size_t b = 3; b < COUNT(bad); b++) { /* not what the caller says it is */
    reading r = {.type = GHZ_F64, .n = n, .source = bad[b], .out = GHZ_F64, .kind = DECOMPRESS};
    uint8_t *values;
    ghz_status status = gpu_read(t, &r, &values, names[b]);
    expect(t, status == GHZ_EMISMATCH, "reading with another %s: status %d", names[b], (int)status);
    operation o = on_streams(SUM, &l, n, 1, &bad[b]);
    made m = gpu_make(t, &o, room_for(&o), names[b]);
    expect(t, m.status == GHZ_EMISMATCH, "sum with another %s: status %d", names[b], (int)m.status);
  }
  agree_on(t, ADD, &l, n, 2, (ref_bytes[]){good, good}, "after the mismatches");
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

/* ---- In place ---- */
/* Early tiles that grow and late ones that cancel, or the other way round: what the sum's tiles
 * take from the end must not meet what is still to be read in front. */
static void turning(trial *t, const ghz_lattice *l, size_t n, int late, ref_bytes *s) {
  size_t each = ghz_type_size(l->type), half = n / 2 / GHZ_TILE * GHZ_TILE;
  char *a = input_make(input_named("double_coarse_noise"), l->type, n, l->step, 1);
  char *b = input_make(input_named("double_coarse_noise"), l->type, n, l->step, 2);
  void *small = input_make(input_named("below_half_step"), l->type, n, l->step, 3);
  size_t grows = late ? half : 0, cancels = late ? 0 : half;
  size_t growing = late ? n - half : half, cancelling = late ? half : n - half;
  memcpy(a + grows * each, small, growing * each); /* nothing there before */
  for (size_t i = cancels; i < cancels + cancelling; i++)
    if (l->type == GHZ_F32)
      ((float *)(void *)b)[i] = -((float *)(void *)a)[i];
    else
      ((double *)(void *)b)[i] = -((double *)(void *)a)[i];
  s[0] = compress(t->cpu, l, 1, a, n);
  s[1] = compress(t->cpu, l, 1, b, n);
}

void check_accumulate_grows_and_cancels(trial *t) {
  static const size_t lengths[] = {5000, 64 * 1024, 100 * 1024 + 17};
  for (size_t m = 0; m < (size_t)by_extent(t, 1, 2, 3); m++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++)
      for (int late = 0; late < 2; late++) {
        SCOPE;
        ghz_lattice l = lattice_abs((ghz_type)type, 0.5);
        ref_bytes s[4];
        turning(t, &l, lengths[m], late, s);
        s[2] = s[1];
        s[3] = s[0];
        for (size_t k = 2; k <= 4; k++)
          agree_on(t, ACCUMULATE, &l, lengths[m], k, s,
                   say("%s tiles grow, type %d, n %zu, %zu", late ? "late" : "early", type, lengths[m], k));
      }
}

#ifdef GHZ_EMULATED
/* Every chunk of the sum is formed in room that all share, while many blocks are at work. */
void check_accumulate_late_chunks(trial *t) {
  simt_settings settings = simt_defaults();
  size_t n = (size_t)by_extent(t, 12, 40, 40) * 16 * 1024;
  ghz_lattice l = lattice_abs(GHZ_F64, 0.1);
  ref_bytes s[2] = {stream_of(t->cpu, &l, -1, "zeros", n, 1), stream_of(t->cpu, &l, -1, "wide_noise", n, 2)};
  settings.resident = 12;
  for (settings.seed = 1; settings.seed <= 4; settings.seed++) {
    simt_configure(&settings);
    agree_on(t, ACCUMULATE, &l, n, 2, s, say("seed %d", (int)settings.seed));
  }
  settings = simt_defaults();
  simt_configure(&settings);
}
#endif

/* With any capacity the result is right or ECAPACITY; with the bound it is right. */
static int with_capacity(trial *t, const operation *o, ref_bytes want, size_t capacity, const char *what) {
  SCOPE;
  const made m = gpu_make(t, o, capacity, what);
  if (m.status == GHZ_OK)
    same_bytes(t, m.bytes, want, what);
  else
    expect(t, m.status == GHZ_ECAPACITY, "%s: status %d", what, (int)m.status);
  return m.status == GHZ_OK;
}

void check_accumulate_capacities(trial *t) {
  size_t n = 40 * 1024 + 100;
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (int late = 0; late < 2; late++) {
      SCOPE;
      ghz_lattice l = lattice_abs((ghz_type)type, 0.5);
      ref_bytes s[2];
      turning(t, &l, n, late, s);
      const operation o = on_streams(ACCUMULATE, &l, n, 2, s);
      const ref_bytes want = cpu_make(t, &o).bytes;
      const size_t bound = ghz_size_bound(n, l.type, 2), least = s[0].size;
      const size_t larger = want.size > least ? want.size : least;
      size_t parts = (size_t)by_extent(t, 4, 24, 200);
      int fitted = 0;
      for (size_t i = 0; i <= parts; i++) {
        size_t capacity = least + (bound - least) * i / parts;
        const char *what =
            say("%s tiles grow, type %d, capacity %zu of %zu", late ? "late" : "early", type, capacity, bound);
        int fits = with_capacity(t, &o, want, capacity, what);
        expect(t, !fits || capacity >= want.size, "%s: fits", what);
        expect(t, fits || !fitted, "%s: does not fit where less did", what);
        fitted = fits;
      }
      expect(t, fitted, "type %d, late %d: the bound does not suffice", type, late);
      with_capacity(t, &o, want, larger, say("type %d, late %d: the larger of both", type, late));
      with_capacity(t, &o, want, larger + 1, say("type %d, late %d: and one more", type, late));
    }
}

/* ---- Any of these ---- */
/* Operands that lie on the lattice: messages of them have a mean by any divisor; of others the CPU
 * has one by their number alone. */
static ref_bytes exact_stream(trial *t, const ghz_lattice *l, const ghz_shape *s, uint64_t *state) {
  static const size_t fields[] = {SMOOTH, NOISY, NOTHING};
  return stream_of_field(t, l, GHZ_ORDER_BEST, s, fields[input_below(state, COUNT(fields))],
                         input_random(state));
}

static void sum_messages(trial *t, operation *o, ref_bytes *s, int exact, uint64_t *state, const char *what) {
  static const uint64_t divisors[] = {1, 2, 3, 8, 1000};
  const uint64_t all = ghz_shape_tiles(&o->shape), at = input_below(state, all + 1);
  const int by_number =
      input_below(state, 2) == 0; /* then of all tiles, since any of them can make it inexact */
  o->first = by_number ? 0 : input_below(state, 2) ? at : at / 16 * 16;
  o->tiles = by_number ? all : input_below(state, all - o->first + 1);
  o->k = o->k < 8 ? o->k : 8;
  o->whole = memcpy(scratch(o->k * sizeof *s), s, o->k * sizeof *s);
  for (size_t i = 0; i < o->k; i++) {
    const ghz_slice slice = slice_of(s[i], o->first, o->tiles);
    s[i] = packed(&slice);
  }
  o->divisor = o->k == 1 || exact ? divisors[input_below(state, COUNT(divisors))] : 1;
  if (by_number)
    o->divisor = o->k;
  else if (o->k > 1 && o->divisor == o->k)
    o->divisor = 1000;
  agree(t, o, say("%s: messages, tiles %d + %d, by %d", what, (int)o->first, (int)o->tiles, (int)o->divisor));
}

/* What is done, and with what: fields and orders of the first two operands, of which some are
 * combinations, as all the others may be. */
enum factor { ARRAY, FIRST_FIELD, SECOND_FIELD, ORDERS, KIND, NUMBER, FACTORS };
enum { ORDERS_IN_ALL = 6 };

static ref_bytes operand_of(trial *t, const ghz_lattice *l, const ghz_shape *shape, const int *row, size_t i,
                            uint64_t *state) {
  if (i > 1 || input_below(state, 4) == 0)
    return any_stream(t, l, shape, state);
  const int order = (i ? row[ORDERS] / ORDERS_IN_ALL : row[ORDERS] % ORDERS_IN_ALL) - 2;
  const size_t field = (size_t)row[FIRST_FIELD + (int)i],
               made_of = field % (shape->dims > 1 && input_below(state, 4) ? TEXTURES : fields_in_all());
  return stream_of_field(t, l, order > order_most(shape) ? GHZ_ORDER_BEST : order, shape, made_of,
                         input_random(state));
}

/* A sum, or a mean, a combination, a difference; in place; of messages. */
static void operate(trial *t, const int *row, uint64_t turn, uint64_t *state) {
  static const size_t numbers[] = {1, 2, 3, 4, 5, 8, 17};
  static const kind kinds[] = {ADD, SUBTRACT, SUM, MEAN, COMBINE, ACCUMULATE, SLICE_SUM};
  const ghz_shape shape = array_of_turn((size_t)row[ARRAY], (unsigned)turn);
  const kind way = kinds[row[KIND] / 2];
  const int odd = (int)(turn / 2 % 2); /* odd turns may not run */
  const ghz_type type = (ghz_type)(row[KIND] % 2);
  ghz_lattice l = lattice_with_fill(state);
  while (l.type != type)
    l = lattice_with_fill(state);
  if (turn % 12 == 6)
    l = lattice_abs(type, type ? 1e-320 : 1e-44);
  const int exact = way == SLICE_SUM && l.step > 0 && odd;
  const int scaled = way != ACCUMULATE && way != SLICE_SUM && turn % 8 == 0;
  size_t k = numbers[row[NUMBER]];
  k = k > 5 && ghz_shape_count(&shape) > 6000 ? 3 : way == ADD || way == SUBTRACT ? 2 : k;
  k = way == ACCUMULATE && k < 2 ? 2 : k;
  if (way != ADD && way != SUBTRACT && way != SLICE_SUM && turn / 2 % 16 == 7 && ghz_shape_count(&shape) < 3000)
    k = turn / 2 % 32 == 7 ? 51 : GHZ_CUDA_OPERANDS;
  const char *what = say("turn %d, %s, %s and %s, kind %d, orders %d, %zu operands", (int)turn,
                         shape_text(&shape), field_name((size_t)row[FIRST_FIELD]),
                         field_name((size_t)row[SECOND_FIELD]), row[KIND], row[ORDERS], k);
  ref_bytes s[64];
  int64_t c[64];
  for (size_t i = 0; i < k; i++) {
    s[i] = exact ? exact_stream(t, &l, &shape, state) : operand_of(t, &l, &shape, row, i, state);
    c[i] = (int64_t)input_below(state, 41) - 20;
    if (i > 0 && way != SLICE_SUM && input_below(state, 8) == 0) /* so that something cancels */
      s[i] = negate(t->cpu, s[i - 1]);
  }
  for (size_t i = 0; i < k && scaled; i++)
    s[i] = scale(t->cpu, s[i], -1.0 / 3);
  operation o = {.kind = way, .lattice = l, .n = (size_t)ghz_shape_count(&shape), .k = k, .shape = shape};
  o.operands = s;
  o.coefficients = c;
  o.divisor = 1;
  if (way == SLICE_SUM) {
    sum_messages(t, &o, s, exact, state, what);
  } else {
    agree(t, &o, what);
    if (k < 4 && odd)
      read_all(t, cpu_make(t, &o).bytes, type, &shape, say("%s, the result", what));
  }
}

/* Every two of these meet, but that bricks are mostly of textures. */
void check_compute_every_way(trial *t) {
  const int levels[FACTORS + 1] = {
      ARRAYS, (int)fields_in_all(), (int)fields_in_all(), ORDERS_IN_ALL * ORDERS_IN_ALL, 2 * 7, 7, 0};
  static pairs p;
  int row[PAIR_FACTORS];
  uint64_t state = 11;
  for (uint64_t turn = 0, seed = 0; seed < (uint64_t)by_extent(t, 1, 1, 5); seed++)
    for (pairs_start(&p, levels, input_below, seed); pairs_next(&p, row); turn++) {
      SCOPE;
      if (turn % (uint64_t)by_extent(t, 18, 2, 1) == 0)
        operate(t, row, turn, &state);
    }
}
