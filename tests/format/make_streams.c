/* make_streams.c: writes streams of every kind that FORMAT.md knows, what the library decompresses
 * them to, and messages that they are made of, for the second decoder to be compared with:
 * NAME.ghz, NAME.raw and NAME.0.msg, NAME.1.msg, ... in the directory given. And streams that no
 * encoder writes, NAME.0.operand, ..., with their combination NAME.combined, whose divisor and
 * weights stand in combinations.txt behind NAME. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "crafted.h"
#include "fields.h"
#include "streams.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ghz_context *context;
static const char *directory;
static uint64_t state = 1;
static int saved;

static void save(const char *name, const char *suffix, const void *data, size_t size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%s", directory, name, suffix);
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0) {
    perror(path);
    exit(1);
  }
}

/* Writes the stream as messages: three pieces, some of them without tiles. */
static void keep_messages(const char *name, ref_bytes s, uint64_t tiles) {
  uint64_t cuts[4] = {0, tiles / 3, tiles - tiles / 4, tiles};
  for (int i = 0; i < 3; i++) {
    ghz_slice slice = slice_of(s, cuts[i], cuts[i + 1] - cuts[i]);
    ref_bytes message = packed(&slice);
    save(name, say("%d.msg", i), message.data, message.size);
  }
}

/* Writes the stream, its values and messages. */
static void keep(const char *name, ref_bytes s) {
  SCOPE;
  ghz_info info = info_of(s);
  save(name, "ghz", s.data, s.size);
  const ghz_type storage = (ghz_type)ref_header_read(s.data).type;
  save(name, "raw", decompress(context, s, storage), (size_t)info.count * ghz_type_size(storage));
  keep_messages(name, s, info.tiles);
  saved++;
}

static const size_t lengths[] = {0, 1, 2, 7, 9, 100, 1000, 1024, 1025, 3000, 17409};

/* A name that begins with the type. */
#define NAME(type, format, ...) say("f%d_" format, (type) == GHZ_F32 ? 32 : 64, __VA_ARGS__)

/* Every input, with lengths, orders and fills in turn; and every length. */
static void fresh_streams(ghz_type type) {
  for (size_t i = 0; i < input_count + COUNT(lengths); i++) {
    SCOPE;
    const ghz_lattice l = lattice_filled(type, 0.37, i);
    const int own = i < input_count;
    const char *maker = own ? inputs[i].name : "walk";
    const size_t n = lengths[(own ? 2 * i : i - input_count) % COUNT(lengths)];
    keep(NAME(type, "%s_%zu", maker, i), stream_of(context, &l, (int)(i % 4) - 1, maker, n, i));
  }
}

/* Sums of streams of different order and mode, and what scaling and extrema make; with fill values,
 * too. */
static void results(ghz_type type, unsigned turn) {
  SCOPE;
  static const char *const makers[] = {"walk",        "coarse_noise", "fine_noise",
                                       "rare_giants", "specials",     "sparse"};
  ref_bytes s[COUNT(makers)];
  ghz_lattice l = lattice_filled(type, 0.01, turn);
  for (size_t i = 0; i < COUNT(makers); i++)
    s[i] = stream_of(context, &l, (int)(i % 4) - 1, makers[i], 5000, i);
  keep(NAME(type, "sum_%u", turn), sum(context, COUNT(makers), s));
  keep(NAME(type, "mean_%u", turn), mean(context, COUNT(makers), s));
  keep(NAME(type, "combination_%u", turn), combine(context, 4, s, (int64_t[]){1000, -5001, 7, 0}));
  keep(NAME(type, "cancelled_%u", turn), subtract(context, s[2], s[2]));
  keep(NAME(type, "scaled_%u", turn), scale(context, s[4], -1.0 / 3));
  keep(NAME(type, "maximum_%u", turn), extremum(context, s[0], s[4], 1));
  keep(NAME(type, "no_terms_%u", turn), combine(context, 1, s, (int64_t[]){0}));
}

/* As many terms as there may be: integers beyond 2^53, widths beyond 56, anchors of 8 bytes. */
static void many_terms(ghz_type type) {
  int64_t most = type == GHZ_F32 ? 8388607 : 16383;
  ghz_lattice l = lattice_abs(type, 0.01);
  for (int order = 0; order < 3; order++) {
    SCOPE;
    ref_bytes s = stream_of(context, &l, order, type == GHZ_F32 ? "wide_noise" : "widest_noise", 2000, 1);
    keep(NAME(type, "terms_%d", order), combine(context, 1, &s, &most));
  }
}

/* Data with an offset: coarse integers of 17 to 22 bits, in sums of few and of many terms. */
static void offsets(void) {
  static const double magnitudes[] = {0x1p18, 0x1.4p18, 0x1.3p19, 0x1p20, 0x1p21, 0x1.5p22};
  static float x[2500];
  for (size_t i = 0; i < COUNT(magnitudes); i++) {
    SCOPE;
    ghz_lattice l = lattice_offset(0.01, magnitudes[i]);
    for (size_t k = 0; k < COUNT(x); k++)
      x[k] = (float)(0.01 * magnitudes[i] *
                     (k / 1024 == 1 ? input_uniform(&state) : 0.999 + 1e-4 * input_uniform(&state)));
    ref_bytes s = compress(context, &l, (int)i % 4 - 1, x, COUNT(x));
    keep(say("f32_offset_%zu", i), s);
    keep(say("f32_offset_%zu_many", i), combine(context, 1, &s, (int64_t[]){i % 2 ? 8388607 : 500}));
  }
}

/* Floats at the edges: bounds beyond the type, sums that overflow, NaN of a kind in raw tiles. */
static void edges(void) {
  static const double bounds[] = {1e-60, 1e-42, 1e-3, 1e36, 1e60};
  float big[] = {3e38f, -3e38f, 1, -0.0f, 1e-42f, INFINITY, 0}, high[1024];
  uint32_t signalling = 0xff812345;
  memcpy(&big[6], &signalling, 4);
  for (size_t i = 0; i < COUNT(bounds); i++) {
    ghz_lattice l = lattice_abs(GHZ_F32, bounds[i]);
    ref_bytes s = compress(context, &l, GHZ_ORDER_BEST, big, COUNT(big));
    keep(say("f32_bound_%zu", i), s);
    keep(say("f32_bound_%zu_twice", i), add(context, s, s));
  }
  /* On the lattice, and twice too large for the type. */
  for (size_t i = 0; i < COUNT(high); i++)
    high[i] = i % 2 ? -0x1.8p126f : 0x1.8p126f;
  ghz_lattice l = lattice_abs(GHZ_F32, 1e34);
  ref_bytes h = compress(context, &l, GHZ_ORDER_BEST, high, COUNT(high));
  keep("f32_overflow", combine(context, 1, &h, (int64_t[]){4}));
}

/* Integers of every type, flat and in bricks, their sums, means and products. */
static void integers(ghz_type type) {
  static const ghz_shape shapes[] = {{1, {1, 1, 2500}}, {2, {2, 40, 33}}, {3, {9, 10, 20}}};
  for (size_t i = 0; i < COUNT(shapes); i++) {
    SCOPE;
    ghz_lattice l;
    const size_t n = (size_t)ghz_shape_count(&shapes[i]);
    void *x = scratch(n * ghz_type_size(type));
    need(ghz_lattice_make(type, (ghz_bound){GHZ_STEP, 1}, 0, 0, &l), "lattice");
    l = i ? filled(l, 1) : l;
    for (size_t k = 0; k < n; k++)
      put_value(type, x, k,
                floor(60 + 50 * input_uniform(&state)) + (k % 97 == 0 && type == GHZ_I64 ? 0x1p43 : 0));
    plant_fill(&l, x, n, i);
    ref_bytes s = compress_shape(context, &l, GHZ_ORDER_BEST, x, &shapes[i]), three[] = {s, s, s};
    keep(say("type%d_%zu", (int)type, i), s);
    keep(say("type%d_sum_%zu", (int)type, i), combine(context, 2, three, (int64_t[]){300, -7}));
    keep(say("type%d_mean_%zu", (int)type, i), mean(context, 3, three));
    keep(say("type%d_double_%zu", (int)type, i), scale(context, s, -2));
  }
}

/* Bricks: fields on every shape, and sums of layers of every kind. */
static void bricks(ghz_type type) {
  static const double amounts[] = {40, 1000, 1e6};
  for (size_t i = 0; i < field_shape_count; i++) {
    SCOPE;
    ghz_lattice l = lattice_filled(type, 0.37, i);
    const ghz_shape *shape = &field_shapes[i];
    ref_bytes s[4];
    for (size_t k = 0; k < 4; k++) {
      void *x = field_make((field_kind)((i + k) % FIELD_KINDS), &l, shape, amounts[(i + k) % 3], i);
      int order = k == 0 ? GHZ_ORDER_BEST : (int)((i + k) % 5) - 2;
      s[k] = compress_shape(context, &l, order > order_most(shape) ? 1 : order, x, shape);
    }
    keep(NAME(type, "field_%zu", i), s[0]);
    keep(NAME(type, "field_sum_%zu", i), combine(context, 4, s, (int64_t[]){3, -2, 1, 100}));
    keep(NAME(type, "field_many_%zu", i),
         combine(context, 1, s, (int64_t[]){type == GHZ_F32 ? 8388607 : 16383}));
    keep(NAME(type, "field_scaled_%zu", i), scale(context, s[0], -0.3));
  }
}

/* The lattice of means of so many streams. */
static ghz_lattice divided(const ghz_lattice *l, size_t count) {
  const float narrow = 0;
  const double wide = 0;
  ref_bytes zero = compress(context, l, 0, l->type == GHZ_F32 ? (const void *)&narrow : &wide, 1), all[8];
  for (size_t i = 0; i < count; i++)
    all[i] = zero;
  return info_of(mean(context, count, all)).lattice;
}

/* Streams that no encoder writes, and combinations of two or three, by each instruction set in
 * turn: of one lattice, and of some that are multiples of others. */
static void combinations(void) {
  static const ghz_shape shapes[] = {{1, {1, 1, 1500}}, {2, {1, 40, 21}}, {3, {8, 8, 16}}, {3, {7, 3, 20}}};
  char text[16384] = "";
  for (size_t round = 0; round < 200; round++) {
    SCOPE;
    CONTEXT(on, isa_name(round / COUNT(shapes) % isa_count()), 1);
    const ghz_shape *shape = &shapes[round % COUNT(shapes)];
    const char *name = say("crafted_%zu", round);
    ghz_lattice l = lattice_with_fill(&state);
    const ghz_lattice finer = divided(&l, 1 + round % 7);
    ref_bytes s[3];
    int64_t c[3];
    size_t k = 2 + round / 4 % 2;
    const uint64_t divisor = round % 6 ? 1 : 1 + round;
    strcat(text, say("%s %d", name, (int)divisor));
    for (size_t i = 0; i < k; i++) {
      ref_header h = header_shaped(i == 1 && round / 8 % 2 ? &finer : &l, shape);
      h.transform = shape->dims > 1 && round % 3;
      crafted_pair pair = crafted_streams(&h, &state);
      s[i] = round % 2 ? pair.loose : pair.least;
      c[i] = round % 5 ? 1 : (int64_t)input_below(&state, 13) - 6;
      save(name, say("%zu.operand", i), s[i].data, s[i].size);
      strcat(text, say(" %d", (int)c[i]));
    }
    strcat(text, "\n");
    ref_bytes result = linear(on, k, s, c, divisor);
    save(name, "combined", result.data, result.size);
  }
  save("combinations", "txt", text, strlen(text));
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: make_streams DIRECTORY\n");
    return 2;
  }
  directory = argv[1];
  context = context_on(NULL, 1);
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    fresh_streams((ghz_type)type);
    for (unsigned turn = 0; turn < 4; turn++)
      results((ghz_type)type, turn);
    many_terms((ghz_type)type);
    bricks((ghz_type)type);
  }
  for (int type = GHZ_I8; type <= GHZ_U32; type++)
    integers((ghz_type)type);
  offsets();
  edges();
  combinations();
  ghz_context_free(context);
  printf("%d streams\n", saved);
  return 0;
}
