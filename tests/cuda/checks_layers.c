/* checks_layers.c: bricks of chosen orders and coefficients on the device: sums that raise
 * orders, the largest values that have coefficients, each frequency alone, cheap blocks,
 * choices, integers of any size. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"
#include "checks.h"
#include "choices.h"
#include "fields.h"
#include <math.h>
#include <string.h>

/* ---- Orders ---- */
/* Whole bricks of one mode and order, with coefficients or without: a team's work. */
void check_add_common_bricks(trial *t) {
  static const ghz_shape whole[] = {{3, {16, 24, 48}}, {2, {2, 96, 64}}, {3, {8, 8, 80}}};
  static const double bounds[] = {2, 0.5, 0.1, 0.01, 1e-4};
  uint64_t transformed = 0;
  for (int round = 0; round < by_extent(t, 40, 180, 1000); round++) {
    SCOPE;
    const ghz_shape *s = &whole[round % 3];
    const int order = round % 4 == 3 ? round / 4 % (s->dims == 3 ? 4 : 3) : GHZ_ORDER_BEST;
    const size_t made_of = order < 0 ? SMOOTH : (size_t)round / 16 % 4;
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

/* ---- Values that have coefficients ---- */
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

/* Two whole ones, two cut ones. */
static const ghz_shape one_brick[] = {{3, {8, 8, 16}}, {2, {1, 32, 32}}, {3, {7, 8, 13}}, {2, {1, 19, 32}}};

/* The same from both sides; returns how many bricks have coefficients. */
static uint64_t compressed_alike(trial *t, const ghz_lattice *l, const ghz_shape *s, const void *x,
                                 const char *what) {
  operation o = {.kind = COMPRESS, .lattice = *l, .order = GHZ_ORDER_BEST, .shape = *s, .x = x};
  o.n = (size_t)ghz_shape_count(s);
  agree(t, &o, what);
  ref_bytes stream = cpu_make(t, &o).bytes;
  read_all(t, stream, l->type, s, what);
  return bricks_with_coefficients(t, stream);
}

/* Arches, of at most `top`, which value 200 is. */
static void *arch(ghz_type type, const ghz_shape *s, double top) {
  const size_t n = (size_t)ghz_shape_count(s), line = (size_t)s->extent[2];
  void *x = scratch(n * ghz_type_size(type));
  for (size_t i = 0; i < n; i++) {
    const double along = (double)(i % line) - (double)(200 % line),
                 across = (double)(i / line) - (double)(200 / line);
    put_value(type, x, i, top * cos(along / 16) * cos(across / 16));
  }
  return x;
}

/* The largest magnitude of a brick that may have coefficients, as a value of the type. */
static double largest_with_coefficients(const ghz_lattice *l) {
  const double coarse = l->type == GHZ_F64 ? 0x1p16 * l->step : (l->eb - l->step / 2) * 0x1.fp23,
               end = fmin(coarse, 0x1p18 * l->step);
  return l->type == GHZ_F32 && (float)end > end ? nextafterf((float)end, 0) : end;
}

/* Up to the largest value: coefficients of up to 24 bits. Beyond it: none. */
void check_compress_arches(trial *t) {
  const ghz_lattice of[] = {lattice_abs(GHZ_F64, 0.25), lattice_abs(GHZ_F32, 0.25),
                            lattice_offset(0.25, 0x1p19), lattice_offset(0.25, 0x1p21)};
  for (size_t s = 0; s < COUNT(one_brick); s++)
    for (size_t k = 0; k < COUNT(of); k++)
      for (int sign = -1; sign <= 1; sign += 2) {
        SCOPE;
        const double end = largest_with_coefficients(&of[k]);
        const char *what = say("%s, lattice %zu, sign %d", shape_text(&one_brick[s]), k, sign);
        void *x = arch(of[k].type, &one_brick[s], sign * end);
        uint64_t with = compressed_alike(t, &of[k], &one_brick[s], x, what);
        expect(t, with == 1 || s > 1, "%s: no coefficients", what);
        put_value(of[k].type, x, 200,
                  sign * (of[k].type == GHZ_F32 ? (double)nextafterf((float)end, INFINITY)
                                                : nextafter(end, INFINITY)));
        with = compressed_alike(t, &of[k], &one_brick[s], x, say("%s, beyond", what));
        expect(t, with == 0, "%s: coefficients beyond", what);
      }
}

/* A stream of one brick. */
static ref_bytes stream_of_brick(const ref_header *h, const ref_tile *tile) {
  uint8_t *bytes = scratch(REF_TILE_ROOM);
  uint16_t size = (uint16_t)ref_tile_encode(h->type, tile, bytes);
  return ref_assemble(h, &size, bytes);
}

static ref_header header_of_layers(const ghz_lattice *l, const ghz_shape *s, uint32_t terms) {
  ref_header h = header_shaped(l, s);
  h.transform = 1;
  h.terms = terms;
  return h;
}

/* ---- Integers of any size ---- */
/* Coefficients of so many bits in the first eight places of so many rows, or everywhere; and the
 * first of all. */
enum { EVERYWHERE = 0 };
typedef struct coefficients {
  int width, rows;
  int64_t first;
} coefficients;

/* The lines of a cube's first eight places: 8 uz + uy. */
static const int first_lines[8] = {0, 1, 8, 2, 16, 3, 9, 24};

/* A number of at most so many bits; often the largest or the least. */
static int64_t integer_of(int width, uint64_t *state) {
  const int64_t most = ((int64_t)1 << (width - 1)) - 1;
  switch (input_below(state, 4)) {
  case 0: return most;
  case 1: return -most - 1;
  default: return (int64_t)(input_random(state) & (uint64_t)most) * (input_below(state, 2) ? 1 : -1);
  }
}

/* All alike, so that sums are as large as they can be; or not. */
static ref_bytes brick_of(const ref_header *h, const coefficients *of, uint64_t *state) {
  ref_tile *tile = memset(scratch(sizeof *tile), 0, sizeof *tile);
  const int64_t most = ((int64_t)1 << (of->width - 1)) - 1, all = (int64_t[]){most, -most - 1, 0}[*state % 3];
  const int q_width = 1 + (int)input_below(state, 17);
  const uint64_t every = (uint64_t)1 << input_below(state, 10);
  ref_tile_shape(h, 0, tile);
  tile->coefficients = 1;
  tile->mode = (int)input_below(state, 6) % 4 % 3; /* mostly coarse */
  tile->order = (int)input_below(state, h->dims == 3 ? 4 : 3);
  for (int i = 0; i < REF_TILE; i++)
    tile->q[i] = ref_inside(tile, i) && input_below(state, every) == 0 ? integer_of(q_width, state) : 0;
  for (int x = 0; x < of->rows; x++)
    for (int i = 0; i < 8; i++)
      tile->c[h->dims == 3 ? 16 * first_lines[i] + x : 32 * i + x] = all ? all : integer_of(of->width, state);
  for (int i = 0; of->rows == EVERYWHERE && i < REF_TILE; i++)
    tile->c[i] = all ? all : integer_of(of->width, state);
  tile->c[0] = of->first;
  return stream_of_brick(h, tile);
}

/* Around the sizes from which on float64 is not exact: a first one of 2^28, others of 2^25
 * together, which are 2^(w + 2) for each block of width w. With few terms float64 is tried. */
void check_compute_any_layers(trial *t) {
  /* clang-format off */
  static const coefficients of[] = {
      {16, 16, 1 << 28},        {16, 16, (1 << 28) + 1}, {16, 16, -(1 << 28)},      {16, 16, -(1 << 28) - 1},
      {22, 1, 1 << 28},         {22, 2, 1 << 28},        {22, 1, (1 << 28) + 1},    {21, 3, -(1 << 28)},
      {21, 4, -(1 << 28)},      {23, 1, 0},              {20, 7, 1 << 28},          {20, 8, 1 << 28},
      {17, 16, 1 << 28},        {1, 3, 1},               {2, 16, -5},               {12, 5, 1 << 20},
      {30, 4, (1LL << 31) - 1}, {33, 16, -(1LL << 40)},  {38, 16, INT64_MAX / 3},   {38, 1, INT64_MIN},
      {36, 9, 1LL << 62},       {25, 16, 0},             {8, 16, -(1LL << 31) - 1}, {31, 2, 1LL << 33},
      {27, 2, 12345},           {28, 1, -999},           {22, 1, (1LL << 30) + 5},  {16, 16, (1LL << 31) - 7},
      {21, EVERYWHERE, 77},     {24, EVERYWHERE, 1},     {38, EVERYWHERE, -1}};
  /* clang-format on */
  const size_t rounds = (size_t)by_extent(t, 1, 3, 20);
  uint64_t state = 41;
  for (size_t s = 0; s < 3; s++)
    for (size_t i = 0; i < COUNT(of) * 2 * rounds; i++) {
      SCOPE;
      const size_t k = i / 2 % COUNT(of), round = i / 2 / COUNT(of);
      ghz_lattice l = lattice_abs((ghz_type)(i % 2), 0.37);
      l.cap = 35;
      const ref_header h = header_of_layers(&l, &one_brick[s], (i + s) % 5 ? 8000 : 2000000);
      ref_bytes two[2] = {brick_of(&h, &of[k], &state), brick_of(&h, &of[(5 * k + s) % COUNT(of)], &state)};
      const char *what =
          say("%s, type %d, case %zu, round %zu", shape_text(&one_brick[s]), (int)l.type, k, round);
      operation o = {.kind = COMBINE, .lattice = l, .shape = one_brick[s], .k = 2, .operands = two};
      o.coefficients = (int64_t[]){1, -2};
      o.n = (size_t)ghz_shape_count(&one_brick[s]);
      read_all(t, two[0], l.type, &one_brick[s], what);
      agree(t, &o, what);
      read_all(t, cpu_make(t, &o).bytes, l.type, &one_brick[s], say("%s, combined", what));
    }
}
