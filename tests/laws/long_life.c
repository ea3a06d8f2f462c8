/* long_life.c: a stream that arrays are added to, and the exact sums that it must hold. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "long_life.h"
#include <math.h>

void accumulate(ghz_context *ctx, ref_bytes *sum, size_t capacity, ref_bytes x) {
  ghz_status status = ghz_accumulate(ctx, sum->data, capacity, &sum->size, view(x));
  if (status != GHZ_OK)
    succeeded(status, ctx, "accumulate");
}

/* ---- The arrays ---- */
/* One tile has one habit all its life; x is in steps. Arrays 2k and 2k + 1 are added in turn. */
static double habit(int tile, int array, int i, uint64_t *state) {
  double noise = input_uniform(state), sign = array % 2 ? -1 : 1;
  switch (tile) {
  case 0: /* drifts, in the arithmetic of coarse tiles */ return 30000 + 2000 * noise;
  case 1: /* drifts, and is fine */ return -4e6 + 1e5 * noise;
  case 2: /* drifts up or down, and is wide: in float32 it does not compress, and is raw before it is added */
    return (i % 2 ? 0x1p34 : -0x1p34) * (1 + noise / 4);
  case 3: /* cancels after every second array */ return sign * (1000 * sin(i * 0.01) + (array / 2) * 100);
  case 4: /* alternates from array to array, and from value to value, but not by the same */
    return sign * (i % 2 ? 20000 : -20000) + noise;
  case 5: /* zero in most arrays, and of the highest order in one */
    return array == 11 ? (i - 500) * (double)(i - 500) * 0.05 : 0;
  case 6: /* smooth, then in one array wide */ return array == 20 ? 0x1p33 + i : 100 * cos(i * 0.02 + array);
  case 7: /* values with specials among them */ return 50 * noise;
  default: /* too short to be compressed: raw before it is added */ return 7000 * noise;
  }
}

static double special_or(double value, int tile, int array, int i) {
  static const double specials[3] = {INFINITY, -INFINITY, NAN};
  return tile == 7 && array < 3 && i % 97 == 13 ? specials[(array + i) % 3] : value;
}

static void make_values(pool *p, int array) {
  uint64_t state = (uint64_t)array + 1, *same = &state;
  double *x = p->x[array] = scratch(N * sizeof *x);
  for (int i = 0; i < N; i++) {
    int tile = i / GHZ_TILE;
    double v = habit(tile, array, i % GHZ_TILE, same) * p->lattice.step;
    v = rint(v / GRAIN) * GRAIN;
    v = p->lattice.type == GHZ_F32 ? (double)(float)v : v;
    x[i] = special_or(tile == 3 && array % 2 ? -p->x[array - 1][i] : v, tile, array, i % GHZ_TILE);
  }
}

ref_bytes make_stream(ghz_context *ctx, const ghz_lattice *l, int order, const double *x, size_t n) {
  if (l->type == GHZ_F64)
    return compress(ctx, l, order, x, n);
  float *narrow = scratch(n * sizeof *narrow);
  for (size_t i = 0; i < n; i++)
    narrow[i] = (float)x[i];
  ref_bytes stream = compress(ctx, l, order, narrow, n);
  return stream;
}

pool *pool_new(ghz_context *ctx, ghz_type type) {
  pool *p = scratch(sizeof *p);
  p->lattice = lattice_abs(type, 0.37);
  p->lattice.cap = 35;
  for (int a = 0; a < POOL; a++) {
    make_values(p, a);
    p->stream[a] = make_stream(ctx, &p->lattice, a % 4 - 1, p->x[a], N);
  }
  return p;
}

/* ---- What the sum must be ---- */
/* The exact sum of value i, in grains; 0 with *special set if it has none. */
static exact sum_of_values(const pool *p, const history *h, int i, int *special) {
  exact sum = 0;
  *special = 0;
  for (int a = 0; a < POOL; a++) {
    if (h->count[a] == 0)
      continue;
    if (!isfinite(p->x[a][i])) {
      *special = 1;
      return 0;
    }
    sum += (exact)h->count[a] * (exact)(p->x[a][i] / GRAIN);
  }
  return sum;
}

static quad distance(quad a, double b) { return a > (quad)b ? a - (quad)b : (quad)b - a; }
static double half_ulp(float y) { return ((double)nextafterf(fabsf(y), INFINITY) - (double)fabsf(y)) / 2; }

void check_values(ghz_context *ctx, const pool *p, const history *h, ref_bytes sum, quad factor,
                  const char *what) {
  SCOPE;
  double bound = info_of(sum).bound, *wide = decompress(ctx, sum, GHZ_F64);
  float *narrow = p->lattice.type == GHZ_F32 ? decompress(ctx, sum, GHZ_F32) : NULL;
  for (int i = 0; i < N; i++) {
    int special;
    quad z = (quad)sum_of_values(p, h, i, &special) * (quad)GRAIN * factor;
    if (special) {
      cr_assert(!isfinite(wide[i]), "%s: value %d, %a, is a special one", what, i, wide[i]);
      continue;
    }
    cr_assert(distance(z, wide[i]) <= (quad)bound, "%s: value %d is %a, the sum %a", what, i, wide[i],
              (double)z);
    if (narrow)
      cr_assert(distance(z, (double)narrow[i]) <= (quad)(bound + half_ulp(narrow[i])),
                "%s: value %d is %a, the sum %a", what, i, (double)narrow[i], (double)z);
  }
}

/* ---- A stream and its history ---- */
life life_begin(const pool *p, ghz_context *ctx, uint32_t most) {
  life l = {.pool = p, .ctx = ctx, .state = 4};
  l.capacity = ghz_size_bound(N, p->lattice.type, most);
  l.sum = bytes_new(l.capacity);
  memcpy(l.sum.data, p->stream[0].data, p->stream[0].size);
  l.sum.size = p->stream[0].size;
  l.past.count[0] = l.past.terms = 1;
  return l;
}

/* Even terms are any array with an even number, odd ones the array after it. */
static int next_array(life *l, int before) {
  return l->past.terms % 2 ? before + 1 : 2 * (int)input_below(&l->state, POOL / 2);
}

int life_add(life *l, int before) {
  int a = next_array(l, before);
  accumulate(l->ctx, &l->sum, l->capacity, l->pool->stream[a]);
  l->past.count[a]++;
  l->past.terms++;
  return a;
}

/* Bit for bit what the reference codec decodes. */
static void check_decoding(const life *l, const char *what) {
  for (int out = (int)l->pool->lattice.type; out <= GHZ_F64; out++) {
    SCOPE;
    void *got = decompress(l->ctx, l->sum, (ghz_type)out), *want = scratch(N * sizeof(double));
    ref_decode(l->sum.data, out, want);
    same_values(got, want, N, (ghz_type)out, what);
  }
}

void life_check(const life *l, const char *what) {
  SCOPE;
  ref_bytes want = ref_combine(POOL, l->pool->stream, l->past.count, REF_PLAIN, 1);
  what = say("%s, %s, type %d, %u terms", what, ghz_context_isa(l->ctx), (int)l->pool->lattice.type,
             l->past.terms);
  same_bytes(l->sum, want, what);
  cr_assert_leq(l->sum.size, ghz_size_bound(N, l->pool->lattice.type, l->past.terms), "%s: %zu bytes", what,
                l->sum.size);
  cr_assert_eq(ref_check(l->sum.data, l->sum.size), REF_GOOD, "%s", what);
  check_values(l->ctx, l->pool, &l->past, l->sum, 1, what);
  check_decoding(l, what);
  ref_bytes at_once = combine(l->ctx, POOL, l->pool->stream, l->past.count);
  same_bytes(at_once, want, say("%s, at once", what));
}

/* Worth a look: few terms, and both sides of every power of two, where widths and limits grow. */
static int worth_a_look(uint32_t terms) {
  return terms < 6 || (terms & (terms - 1)) == 0 || (terms & (terms + 1)) == 0 || terms % 100000 == 99999;
}

void live(ghz_type type, const char *isa, uint32_t terms) {
  SCOPE;
  CONTEXT(ctx, isa, 1);
  pool *p = pool_new(ctx, type);
  life l = life_begin(p, ctx, terms);
  for (int a = 0; l.past.terms < terms;) {
    a = life_add(&l, a);
    if (l.past.terms == terms || worth_a_look(l.past.terms))
      life_check(&l, "one by one");
  }
}

/* ---- To the limit of terms ---- */
/* Nothing more goes in, whatever it is and by whichever call, and the sum stays as it was. */
static void full(ghz_context *ctx, ref_bytes *sum, size_t capacity, ref_bytes more) {
  SCOPE;
  ref_bytes before = bytes_copy(sum->data, sum->size);
  ghz_bytes two[2] = {view(before), view(more)};
  ref_bytes room = bytes_new(capacity);
  size_t size = 0;
  cr_assert_eq(ghz_accumulate(ctx, sum->data, capacity, &sum->size, view(more)), GHZ_ERANGE);
  same_bytes(*sum, before, "a refused addition");
  cr_assert_eq(ghz_add(ctx, two[0], two[1], room.data, room.size, &size), GHZ_ERANGE);
  cr_assert_eq(ghz_subtract(ctx, two[0], two[1], room.data, room.size, &size), GHZ_ERANGE);
  cr_assert_eq(ghz_sum(ctx, 2, two, room.data, room.size, &size), GHZ_ERANGE);
  cr_assert_eq(ghz_mean(ctx, 2, two, room.data, room.size, &size), GHZ_ERANGE);
}

/* A sum of no terms may always be added. */
static void nothing_fits(ghz_context *ctx, ref_bytes *sum, size_t capacity, ref_bytes one) {
  SCOPE;
  static const int64_t none = 0;
  ref_bytes before = bytes_copy(sum->data, sum->size), nothing = combine(ctx, 1, &one, &none);
  succeeded(ghz_accumulate(ctx, sum->data, capacity, &sum->size, view(nothing)), ctx, "adding nothing");
  same_bytes(*sum, before, "adding nothing");
}

void live_to_the_limit(ghz_type type, int cap) {
  SCOPE;
  static const double x[3][4] = {{0x1p15, -3, 0x1p14, 77}, {-0x1p14, 5, 0x1p15, 1}, {0, 0, 0, 0}};
  CONTEXT(ctx, NULL, 1);
  ghz_lattice lattice = lattice_abs(type, 0.5);
  uint32_t limit = ((uint32_t)1 << (58 - cap)) - 1;
  lattice.cap = cap;
  ref_bytes s[3], sum = bytes_new(ghz_size_bound(4, type, limit));
  for (int a = 0; a < 3; a++)
    s[a] = make_stream(ctx, &lattice, 1, x[a], 4);
  size_t capacity = sum.size;
  memcpy(sum.data, s[0].data, sum.size = s[0].size);
  for (uint32_t k = 1; k < limit; k++)
    accumulate(ctx, &sum, capacity, s[k % 2]);
  int64_t count[2] = {(limit + 1) / 2, limit / 2};
  ref_bytes at_once = combine(ctx, 2, s, count);
  cr_assert_eq(info_of(sum).terms, limit);
  same_bytes(sum, at_once, say("cap %d, %u terms", cap, limit));
  for (int a = 0; a < 3; a++)
    full(ctx, &sum, capacity, s[a]);
  nothing_fits(ctx, &sum, capacity, s[0]);
}
