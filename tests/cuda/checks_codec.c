/* checks_codec.c: compression and decompression on the device give what the CPU gives. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"
#include "checks.h"
#include "fields.h"
#include "pairs.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Compression, and back ---- */
/* Steps up to the edges of the type, and 0, for which everything is raw; coarse integers of 18
 * to 22 bits, and the smaller cap; the step of a constant. */
static ghz_lattice lattice_number(ghz_type type, size_t i, uint64_t turn) {
  static const double bounds[] = {1e-45, 1e-37,   4e-37,    5e35, 1e36,   1e38,   1e-310, 4.9e-324, 1e-301,
                                  1e301, 1.7e308, 0x1p-121, 1.3,  4.5e-3, 1e-300, 1e-38,  1e-9,     1e-6,
                                  1e-4,  1e-3,    0.3,      2,    70,     1e9,    1e37,   0.02,     700};
  if (i < COUNT(bounds))
    return lattice_filled(type, bounds[i], turn);
  ghz_lattice l = lattice_abs(type, i % 2 ? 0.02 : 700);
  if (i < COUNT(bounds) + 6 && type == GHZ_F32)
    l = lattice_offset(l.eb, ldexp(1.3, 17 + (int)(i - COUNT(bounds))));
  l.cap = type == GHZ_F64 ? 35 : l.cap;
  return i < COUNT(bounds) + 6 ? filled(l, turn)
                               : (ghz_lattice){.type = type, .cap = 35, .step = 3, .eb = 0x1p-14};
}
enum { LATTICES = 27 + 6 + 1, FILLS = 4, SHIFTS = 9, ORDERS = 6 };

/* Some tiles, often from the beginning of a chunk on; and what they hold. */
static void some_tiles(trial *t, operation o, uint64_t *state, const char *what) {
  SCOPE;
  const uint64_t all = ghz_shape_tiles(&o.shape), at = input_below(state, all + 1);
  o.kind = SLICE_COMPRESS;
  o.first = input_below(state, 2) ? at : at / 16 * 16;
  o.tiles = input_below(state, all - o.first + 1);
  agree(t, &o, what);
  reading r = {.type = o.lattice.type, .kind = SLICE_DECOMPRESS, .shape = o.shape, .n = o.n, .first = o.first};
  r.source = cpu_make(t, &o).bytes;
  r.count = (size_t)o.tiles;
  for (int out = (int)r.type; out <= GHZ_F64; out++) {
    r.out = (ghz_type)out;
    r.shift = t->cases % 3;
    agree_values(t, &r, say("%s, tiles %d + %d to type %d", what, (int)o.first, (int)o.tiles, out));
  }
}

/* A box of any array; of some flat ones a range, from tile to tile as often as not. */
static void some_values(trial *t, const operation *o, ref_bytes stream, uint64_t *state, const char *what) {
  reading r = {.type = o->lattice.type, .out = GHZ_F64, .kind = DECOMPRESS_BOX, .shape = o->shape, .n = o->n};
  r.source = stream;
  for (int i = 0; i < 3; i++) {
    r.origin[i] = input_below(state, o->shape.extent[i] + 1);
    r.extent[i] = input_below(state, o->shape.extent[i] - r.origin[i] + 1);
  }
  if (o->shape.dims == 1) {
    r.kind = DECOMPRESS_RANGE;
    r.first = input_below(state, 2) ? r.origin[2] : r.origin[2] / GHZ_TILE * GHZ_TILE;
    r.count = input_below(state, 2) ? (size_t)r.extent[2] : (size_t)r.extent[2] / GHZ_TILE * GHZ_TILE;
    r.shift = o->shift;
  }
  agree_values(t, &r, say("%s, a box", what));
}

/* Every two of these meet, but that bricks are mostly of textures: the CPU's bytes, and of them the
 * CPU's values. */
void check_compress_every_way(trial *t) {
  enum factor { ARRAY, FIELD, KIND, LATTICE, FILL, SHIFT, FACTORS };
  const int levels[FACTORS + 1] = {ARRAYS, (int)fields_in_all(), 2 * ORDERS, LATTICES, FILLS, SHIFTS, 0};
  static pairs p;
  int row[PAIR_FACTORS];
  uint64_t transformed = 0, state = 4;
  for (unsigned turn = 0, seed = 0; seed < (unsigned)by_extent(t, 1, 1, 5); seed++)
    for (pairs_start(&p, levels, input_below, seed); pairs_next(&p, row); turn++) {
      SCOPE;
      if (turn % (unsigned)by_extent(t, 10, 2, 1))
        continue;
      operation o = {.kind = COMPRESS, .shape = array_of_turn((size_t)row[ARRAY], turn)};
      o.shift = (size_t)row[SHIFT];
      o.order = row[KIND] / 2 - 2;
      o.order = o.order > order_most(&o.shape) ? GHZ_ORDER_BEST : o.order;
      o.lattice = lattice_number((ghz_type)(row[KIND] % 2), (size_t)row[LATTICE], (uint64_t)row[FILL]);
      o.n = (size_t)ghz_shape_count(&o.shape);
      const size_t made_of = (size_t)row[FIELD] % (o.shape.dims > 1 && turn % 4 ? TEXTURES : fields_in_all());
      o.x = field_of(&o.lattice, &o.shape, made_of, turn);
      const char *what = say("%s, %s, type %d, order %d, lattice %d, fill %d, shift %d", shape_text(&o.shape),
                             field_name(made_of), row[KIND] % 2, o.order, row[LATTICE], row[FILL], row[SHIFT]);
      agree(t, &o, what);
      ref_bytes stream = compress_shape(t->cpu, &o.lattice, o.order, o.x, &o.shape);
      read_all(t, stream, o.lattice.type, &o.shape, what);
      if (turn / 2 % 2) /* odd turns may not run */
        some_values(t, &o, stream, &state, what);
      else
        some_tiles(t, o, &state, what);
      transformed += o.shape.dims > 1 ? bricks_with_coefficients(t, stream) : 0;
    }
  expect(t, transformed > (uint64_t)by_extent(t, 5, 20, 20), "%llu bricks with coefficients",
         (unsigned long long)transformed);
}

static void compress_both(trial *t, const ghz_lattice *l, int order, const void *x, size_t n, size_t shift,
                          const char *what) {
  operation o = {.kind = COMPRESS, .lattice = *l, .order = order, .x = x, .n = n, .shift = shift};
  agree(t, &o, what);
}

/* ---- Many values ---- */
static const size_t many[] = {100000, 262145, 999999, 3000001, 8000000};

static size_t sizes_of(const trial *t) { return (size_t)by_extent(t, 1, 2, COUNT(many)); }

/* And what is computed with them. */
void check_many_values(trial *t) {
  static const char *const makers[] = {"mixture", "walk", "sparse"};
  for (size_t k = 0; k < sizes_of(t); k++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++) {
      SCOPE;
      const char *maker = makers[(k + (size_t)type) % 3];
      ghz_lattice l = lattice_abs((ghz_type)type, 0.5);
      void *x = input_make(input_named(maker), l.type, many[k], l.step, k);
      const char *what = say("%s, %zu values, type %d", maker, many[k], type);
      compress_both(t, &l, GHZ_ORDER_BEST, x, many[k], k % 3, what);
      ref_bytes stream = compress(t->cpu, &l, GHZ_ORDER_BEST, x, many[k]);
      read_all(t, stream, l.type, &(ghz_shape){1, {1, 1, many[k]}}, what);
      reading r = {.type = l.type, .n = many[k], .source = stream, .out = l.type, .kind = DECOMPRESS_RANGE};
      r.first = many[k] / 3;
      r.count = many[k] / 2;
      agree_values(t, &r, what);
      ref_bytes s[3] = {stream};
      for (size_t i = 1; i < 3; i++)
        s[i] = stream_of(t->cpu, &l, GHZ_ORDER_BEST, makers[(k + (size_t)type + i) % 3], many[k], i);
      operation o = {.kind = ADD, .lattice = l, .n = many[k], .k = 2, .operands = s};
      agree(t, &o, say("%s, the sum of two", what));
      o.kind = SUM;
      o.k = 3;
      agree(t, &o, say("%s, the sum of three", what));
    }
}

/* ---- Range of values ---- */
void check_value_range(trial *t) {
  static const size_t counts[] = {0, 1, 2, 33, 1025, 20000};
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t in = 0; in < input_count; in++)
      for (size_t k = 0; k < COUNT(counts); k++) {
        SCOPE;
        if ((t->extent == QUICK || counts[k] > 2000) && (in + k) % 6)
          continue;
        void *x = input_make(&inputs[in], (ghz_type)type, counts[k], 0.37, in);
        agree_range(t, (ghz_type)type, x, counts[k], in % 4,
                    say("%s, type %d, n %zu", inputs[in].name, type, counts[k]));
      }
  size_t n = many[sizes_of(t) - 1];
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    void *x = input_make(input_named("walk"), (ghz_type)type, n, 0.37, 1);
    put_value((ghz_type)type, x, n - 1, -1e30);
    agree_range(t, (ghz_type)type, x, n, 1, say("walk, type %d, n %zu", type, n));
  }
}

/* Streams of many terms need integers of 64 bits, and the transform of their coefficients is not
 * exact in float64. */
void check_decompress_many_terms(trial *t) {
  static const int64_t factors[] = {2, 3, -7, 255, 16383, -32767, 1000003, 8388607};
  uint64_t transformed = 0;
  for (int which = 0; which < 3; which++) /* float32, float64 with both caps */
    for (size_t i = 0; i <= BRICK_SHAPES; i++)
      for (size_t f = 0; f < COUNT(factors); f++) {
        SCOPE;
        const ghz_shape shape = i < BRICK_SHAPES ? brick_shapes[i] : ghz_flat(2100);
        ghz_lattice l = lattice_abs((ghz_type)(which > 0), (i + f) % 3 ? 0.01 : 0.37);
        l.cap = which == 1 ? 35 : l.cap;
        if ((which == 2 && llabs(factors[f]) > 16383) || (t->extent == QUICK && (i + f) % 3 && shape.dims > 1))
          continue;
        const size_t made_of = (i + f / 2) % 2 ? SMOOTH : (i + f) % TEXTURES;
        ref_bytes one = stream_of_field(t, &l, (int)(f % 4) - 1 < order_most(&shape) ? (int)(f % 4) - 1 : -1,
                                        &shape, made_of, f);
        operation o = {COMBINE, .lattice = l, .k = 1, .operands = &one, .coefficients = &factors[f]};
        o.shape = shape;
        o.n = (size_t)ghz_shape_count(&shape);
        const char *what = say("%s, kind %d, times %lld", shape_text(&shape), which, (long long)factors[f]);
        agree(t, &o, what);
        ref_bytes sum = cpu_make(t, &o).bytes;
        read_all(t, sum, l.type, &shape, what);
        transformed += shape.dims > 1 ? bricks_with_coefficients(t, sum) : 0;
      }
  expect(t, transformed > 20, "%llu bricks with coefficients", (unsigned long long)transformed);
}

/* What only the CPU makes: scaled streams, whose step has more bits, and extrema. */
void check_decompress_results(trial *t) {
  static const double factors[] = {-1, 0.1, 3.14159, -1.0 / 3};
  static const char *const makers[] = {"walk", "wide_noise", "specials", "land_mask", "mixture"};
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t m = 0; m < COUNT(makers); m++)
      for (size_t f = 0; f < COUNT(factors); f++) {
        SCOPE;
        ghz_lattice l = lattice_abs((ghz_type)type, 0.37);
        ref_bytes a = stream_of(t->cpu, &l, -1, makers[m], 3000, 1),
                  b = stream_of(t->cpu, &l, 1, "specials", 3000, 2);
        ref_bytes room = bytes_new(2 * ghz_size_bound(3000, l.type, 2));
        size_t room_size = room.size;
        if (ghz_scale(t->cpu, view(a), factors[f], room.data, room_size, &room.size) == GHZ_OK)
          read_all(t, room, l.type, &(ghz_shape){1, {1, 1, 3000}}, say("%s times %g", makers[m], factors[f]));
        if (ghz_maximum(t->cpu, view(a), view(b), room.data, room_size, &room.size) == GHZ_OK && f == 0)
          read_all(t, room, l.type, &(ghz_shape){1, {1, 1, 3000}}, say("maximum of %s", makers[m]));
      }
}

/* ---- Offsets of more than 32 bits ---- */
#ifndef GHZ_EMULATED
static int memory_for(size_t host, size_t device) {
  size_t available, total;
  long pages = sysconf(_SC_PHYS_PAGES), each = sysconf(_SC_PAGESIZE);
  return pages > 0 && each > 0 && (size_t)pages > host / (size_t)each &&
         cudaMemGetInfo(&available, &total) == cudaSuccess && available > device;
}

/* Random bits do not compress, so that the stream passes 4 GiB too. */
void check_beyond_4_gib(trial *t) {
  const size_t n = 1100000000, gib = (size_t)1 << 30;
  ghz_cuda *small = t->gpu;
  if (t->extent != FULL)
    return;
  if (!memory_for(48 * gib, 32 * gib)) {
    printf("  %s: skipped, too little memory\n", t->name);
    return;
  }
  if (expect(t, ghz_cuda_create(&t->gpu, n, 2) == GHZ_OK, "context: %s", ghz_cuda_message(NULL))) {
    ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
    void *x = input_make(input_named("random_bits"), GHZ_F32, n, l.step, 1);
    compress_both(t, &l, GHZ_ORDER_BEST, x, n, 1, "random bits");
    ref_bytes stream = compress(t->cpu, &l, GHZ_ORDER_BEST, x, n);
    reading r = {.type = GHZ_F32, .n = n, .source = stream, .out = GHZ_F32, .kind = DECOMPRESS};
    agree_values(t, &r, "random bits");
    r.kind = DECOMPRESS_RANGE;
    r.first = n - 5000;
    r.count = 4000;
    agree_values(t, &r, "random bits, the end");
    ghz_cuda_free(t->gpu);
  }
  t->gpu = small;
}
#endif
