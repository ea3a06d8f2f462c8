/* checks_bricks.c: arrays of two and three dimensions on the device: the CPU's bytes and values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bricks.h"
#include "checks.h"
#include "choices.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const ghz_shape *s, ghz_type type, int made_of, int order) {
  return say("%d: %d x %d x %d, type %d, texture %d, order %d", s->dims, (int)s->extent[0], (int)s->extent[1],
             (int)s->extent[2], (int)type, made_of, order);
}

/* Most checks are of the best order. */
static int left_out(trial *t, int order, uint64_t *state) {
  return input_below(state,
                     (uint64_t)(order == GHZ_ORDER_BEST ? by_extent(t, 3, 1, 1) : by_extent(t, 12, 3, 1))) != 0;
}

/* ---- Compression ---- */
/* The CPU's bytes, and of them the CPU's values. */
void check_compress_bricks(trial *t) {
  uint64_t transformed = 0, state = 4;
  unsigned turn = 0;
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t i = 0; i < BRICK_SHAPES; i++)
      for (int made_of = 0; made_of < TEXTURES; made_of++)
        for (int order = GHZ_ORDER_LORENZO; order < (brick_shapes[i].dims == 3 ? 4 : 3); order++) {
          SCOPE;
          turn++;
          if (left_out(t, order, &state))
            continue;
          operation o = {.kind = COMPRESS, .order = order, .shape = brick_shapes[i], .shift = turn % 3};
          const char *what = name_of(&brick_shapes[i], (ghz_type)type, made_of, order);
          o.lattice = lattice_filled((ghz_type)type, turn % 2 ? 0.5 : 0.02, turn / 2);
          o.n = (size_t)ghz_shape_count(&brick_shapes[i]);
          o.x = brick_field(&o.lattice, &brick_shapes[i], made_of, turn);
          agree(t, &o, what);
          ref_bytes stream = cpu_make(t, &o).bytes;
          read_all(t, stream, o.lattice.type, &brick_shapes[i], what);
          transformed += bricks_with_coefficients(t, stream);
        }
  expect(t, transformed > (uint64_t)by_extent(t, 5, 20, 20), "%llu bricks with coefficients",
         (unsigned long long)transformed);
}

/* At the edges of the rules by which coefficients are taken. */
void check_compress_brick_choices(trial *t) {
  for (int i = 0; i < 2 * CHOICES; i++) {
    SCOPE;
    choice_brick *b = scratch(sizeof *b);
    choice_brick_make(i / 2, b);
    operation o = {.kind = COMPRESS, .order = GHZ_ORDER_BEST, .shape = b->shape, .n = COUNT(b->x)};
    o.lattice = choice_lattice((ghz_type)(i % 2));
    void *x = scratch(sizeof b->x);
    for (size_t k = 0; k < COUNT(b->x); k++)
      put_value(o.lattice.type, x, k, b->x[k]);
    o.x = x;
    agree(t, &o, b->name);
  }
}

void check_compress_brick_slices(trial *t) {
  uint64_t state = 10;
  for (int round = 0; round < by_extent(t, 30, 150, 800); round++) {
    SCOPE;
    const ghz_shape *s = &brick_shapes[input_below(&state, BRICK_SHAPES)];
    operation o = {
        .kind = SLICE_COMPRESS, .order = round % 4 - 2, .shape = *s, .n = (size_t)ghz_shape_count(s)};
    o.lattice = lattice_filled((ghz_type)(round % 2), 0.1, (uint64_t)round / 2);
    o.x = brick_field(&o.lattice, s, round % TEXTURES, (uint64_t)round);
    o.first = input_below(&state, ghz_shape_tiles(s) + 1);
    o.tiles = input_below(&state, ghz_shape_tiles(s) - o.first + 1);
    agree(t, &o, say("round %d", round));
    reading r = {
        .type = o.lattice.type, .out = GHZ_F64, .part = MESSAGE, .shape = *s, .n = o.n, .first = o.first};
    r.out = round % 3 ? r.type : r.out;
    r.source = cpu_make(t, &o).bytes;
    r.count = (size_t)o.tiles;
    agree_values(t, &r, say("round %d", round));
  }
}

/* From bounds that no lattice keeps to those where all is 0; and steps of constants. */
void check_compress_brick_bounds(trial *t) {
  static const double bounds[] = {1e-300, 1e-38, 1e-9, 1e-6, 1e-4, 1e-3, 0.3, 2, 70, 1e9, 1e37};
  for (int round = 0; round < (int)COUNT(bounds) * 2 * by_extent(t, 2, 8, 36); round++) {
    SCOPE;
    const ghz_shape *s = &brick_shapes[(size_t)(round / 3) % BRICK_SHAPES];
    operation o = {.kind = COMPRESS, .order = GHZ_ORDER_BEST, .shape = *s, .n = (size_t)ghz_shape_count(s)};
    o.lattice =
        lattice_filled((ghz_type)(round % 2), bounds[(size_t)round / 2 % COUNT(bounds)], (uint64_t)round);
    if (round % 7 == 0)
      o.lattice = (ghz_lattice){.type = (ghz_type)(round % 2), .cap = 35, .step = 3, .eb = 0x1p-14};
    o.x = brick_field(&o.lattice, s, round * 5 % TEXTURES, (uint64_t)round);
    agree(t, &o, say("round %d, step %g", round, o.lattice.step));
  }
}

/* ---- Computing ---- */
/* Fresh streams of different textures, orders and layers, and sums of such. */
static ref_bytes operand_of(trial *t, const ghz_lattice *l, const ghz_shape *s, uint64_t seed) {
  static const int64_t c[2] = {1, 3};
  if (seed % 4 == 3)
    return combined(t, l, s, 2, c, seed / 4);
  return stream_of_field(t, l, seed % 3 ? GHZ_ORDER_BEST : (int)(seed % 5) - 2, s, (int)(seed % TEXTURES),
                         seed);
}

void check_compute_bricks(trial *t) {
  static const kind kinds[] = {ADD, SUBTRACT, SUM, MEAN, COMBINE, ADD};
  uint64_t state = 11;
  for (int round = 0; round < by_extent(t, 40, 400, 4000); round++) {
    SCOPE;
    const ghz_shape *s = &brick_shapes[input_below(&state, BRICK_SHAPES)];
    const int64_t c[4] = {1, -2, (int64_t)input_below(&state, 5) - 2, 1};
    ghz_lattice l = lattice_filled((ghz_type)(round % 2), round % 3 ? 0.1 : 0.5, (uint64_t)round / 2);
    operation o = {.kind = kinds[round % (int)COUNT(kinds)], .lattice = l, .shape = *s, .coefficients = c};
    ref_bytes operands[4];
    o.n = (size_t)ghz_shape_count(s);
    o.k = o.kind == ADD || o.kind == SUBTRACT ? 2 : 1 + (size_t)input_below(&state, 4);
    for (size_t i = 0; i < o.k; i++)
      operands[i] = operand_of(t, &l, s, input_below(&state, 1000));
    o.operands = operands;
    const char *what = say("round %d, kind %d of %zu", round, (int)o.kind, o.k);
    agree(t, &o, what);
    if (round % 2)
      read_all(t, cpu_make(t, &o).bytes, l.type, s, what);
  }
}

/* Whole bricks of one mode and order, with coefficients or without: a team's work. */
void check_add_common_bricks(trial *t) {
  static const ghz_shape whole[] = {{3, {16, 24, 48}}, {2, {2, 96, 64}}, {3, {8, 8, 80}}};
  static const double bounds[] = {2, 0.5, 0.1, 0.01, 1e-4};
  uint64_t transformed = 0;
  for (int round = 0; round < by_extent(t, 40, 180, 1000); round++) {
    SCOPE;
    const ghz_shape *s = &whole[round % 3];
    const int order = round % 4 == 3 ? round / 4 % (s->dims == 3 ? 4 : 3) : GHZ_ORDER_BEST;
    const int made_of = order < 0 ? SMOOTH : (round / 16 % 4);
    ghz_lattice l = lattice_abs((ghz_type)(round / 5 % 2), bounds[(size_t)round / 3 % COUNT(bounds)]);
    ref_bytes operands[2];
    operation o = {.kind = round % 2 ? SUBTRACT : ADD, .lattice = l, .k = 2, .shape = *s, .operands = operands};
    o.n = (size_t)ghz_shape_count(s);
    for (size_t i = 0; i < 2; i++)
      operands[i] = stream_of_field(t, &l, order, s, made_of, (uint64_t)round * 2 + i);
    agree(t, &o, say("round %d, order %d, step %g", round, order, l.step));
    transformed += bricks_with_coefficients(t, operands[1]);
  }
  expect(t, transformed > 50, "%llu bricks with coefficients", (unsigned long long)transformed);
}

void check_compute_brick_messages(trial *t) {
  uint64_t state = 12;
  for (int round = 0; round < by_extent(t, 30, 150, 1000); round++) {
    SCOPE;
    const ghz_shape *s = &brick_shapes[input_below(&state, BRICK_SHAPES)];
    ghz_lattice l = lattice_filled((ghz_type)(round % 2), 0.1, (uint64_t)round / 2);
    const uint64_t tiles = ghz_shape_tiles(s), first = input_below(&state, tiles + 1),
                   count = input_below(&state, tiles - first + 1);
    operation o = {.kind = SLICE_SUM, .lattice = l, .shape = *s, .first = first, .tiles = count};
    ref_bytes messages[3];
    o.n = (size_t)ghz_shape_count(s);
    o.k = 1 + (size_t)input_below(&state, 3);
    o.divisor = o.k == 1 ? 1 + input_below(&state, 5) : 1;
    for (size_t i = 0; i < o.k; i++) {
      ref_bytes stream = operand_of(t, &l, s, input_below(&state, 1000));
      const ghz_slice slice = slice_of(stream, first, count);
      messages[i] = packed(&slice);
    }
    o.operands = messages;
    agree(t, &o, say("round %d, %zu messages by %d", round, o.k, (int)o.divisor));
  }
}

/* acc += x, again and again, in place: each time the CPU's bytes. */
static void accumulate_bricks(trial *t, const ghz_lattice *l, const ghz_shape *s, uint64_t seed,
                              const char *what) {
  SCOPE;
  const uint32_t most = 60;
  const size_t capacity = ghz_shape_bound(s, l->type, most);
  ref_bytes start = operand_of(t, l, s, seed), want = bytes_new(capacity);
  size_t size = start.size;
  memcpy(want.data, start.data, size);
  device_memory acc = device_output(t, capacity, 0);
  cudaMemcpyAsync(acc.data, start.data, size, cudaMemcpyHostToDevice, t->stream);
  for (uint64_t i = 1; i < 4; i++) {
    SCOPE;
    ghz_cuda_outcome outcome = {.size = 0};
    ref_bytes x = operand_of(t, l, s, seed + i);
    device_memory operand = device_input(t, x.data, x.size, 0);
    ghz_status wanted = ghz_accumulate(t->cpu, want.data, capacity, &size, view(x));
    ghz_status status = ghz_cuda_accumulate(t->gpu, l->type, *s, acc.data, acc.size, device_view(&operand),
                                            t->outcome, t->stream);
    if (status == GHZ_OK)
      status = gpu_wait(t, &outcome);
    device_guards(t, &acc, what);
    if (expect(t, status == GHZ_OK && wanted == GHZ_OK, "%s: %d, the CPU says %d", what, (int)status,
               (int)wanted))
      same_bytes(t, (ref_bytes){device_read(t, &acc, (size_t)outcome.size), (size_t)outcome.size},
                 (ref_bytes){want.data, size}, what);
  }
}

void check_accumulate_bricks(trial *t) {
  uint64_t state = 13;
  for (int round = 0; round < by_extent(t, 6, 60, 500); round++) {
    const ghz_shape *s = &brick_shapes[input_below(&state, BRICK_SHAPES)];
    const ghz_lattice l = lattice_filled((ghz_type)(round % 2), 0.1, (uint64_t)round / 2);
    accumulate_bricks(t, &l, s, input_below(&state, 1000), say("round %d", round));
  }
}

/* ---- Decompression ---- */
void check_decompress_boxes(trial *t) {
  uint64_t state = 5;
  for (int round = 0; round < by_extent(t, 40, 200, 1000); round++) {
    SCOPE;
    const ghz_shape *s = &brick_shapes[input_below(&state, BRICK_SHAPES)];
    ghz_lattice l = lattice_filled((ghz_type)(round % 2), 0.1, (uint64_t)round / 2);
    reading r = {.type = l.type, .out = GHZ_F64, .part = BOX, .shape = *s, .n = (size_t)ghz_shape_count(s)};
    r.source = stream_of_field(t, &l, GHZ_ORDER_BEST, s, round % TEXTURES, (uint64_t)round);
    for (int i = 0; i < 3; i++) {
      r.origin[i] = input_below(&state, s->extent[i] + 1);
      r.extent[i] = input_below(&state, s->extent[i] - r.origin[i] + 1);
    }
    agree_values(t, &r, say("round %d", round));
  }
}

/* Coefficients whose transform is not exact in float64. */
void check_decompress_huge_coefficients(trial *t) {
  static const int64_t times[] = {100, 1000, 16000, 1 << 20, 8388607, -8388607};
  uint64_t transformed = 0;
  for (size_t i = 0; i < BRICK_SHAPES; i++)
    for (size_t k = 0; k < COUNT(times); k++) {
      SCOPE;
      ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
      ref_bytes sum = combined(t, &l, &brick_shapes[i], 1, &times[k], (i + k) % 2 ? SMOOTH : CUT);
      read_all(t, sum, l.type, &brick_shapes[i], say("shape %zu times %lld", i, (long long)times[k]));
      transformed += bricks_with_coefficients(t, sum);
    }
  expect(t, transformed > 20, "%llu bricks with coefficients", (unsigned long long)transformed);
}
