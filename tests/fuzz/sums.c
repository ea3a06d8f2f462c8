/* sums.c: fuzzer: any arrays on one lattice: law L2. Sums are what the integers say, byte for byte,
 * in any order and grouping and from every instruction set; and within the bound of a sum. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "arrays.h"
#include "quad.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5 };

/* Arrays, their streams, and the exact sums of their values. */
typedef struct operands {
  ghz_lattice l;
  ghz_shape shape;
  size_t n, k;
  ref_bytes s[MOST];
  quad *exact; /* NaN where a value is not finite */
} operands;

typedef ghz_status (*operation)(ghz_context *ctx, const operands *o, const void *detail, void *dst, size_t room,
                                size_t *size);

static size_t room_of(const operands *o, uint32_t terms) {
  return ghz_shape_bound(&o->shape, o->l.type, terms ? terms : 1);
}

/* Whether a lattice far from the limits of its type can be scaled by what is chosen here. */
static int is_scalable(const ghz_lattice *l) { return l->step > 0x1p-60 && l->step < 0x1p60; }

/* Runs it with every context: the bytes are the reference's. Returns them. */
static ref_bytes must_make(operation run, const operands *o, const void *detail, ref_bytes want,
                           const char *what) {
  size_t room = room_of(o, ref_header_read(want.data).terms), size = 0;
  for (size_t i = 0; i < fuzz_contexts(); i++) {
    uint8_t *got = scratch(room);
    ghz_status status = run(fuzz_context(i), o, detail, got, room, &size);
    MUST(status == GHZ_OK, "%s: %d", what, (int)status);
    must_equal(got, size, want.data, want.size, what);
  }
  return want;
}

/* ---- Operations ---- */
static ghz_bytes *views(const operands *o) {
  ghz_bytes *v = scratch(MOST * sizeof *v);
  for (size_t i = 0; i < o->k; i++)
    v[i] = view(o->s[i]);
  return v;
}

/* Defines run_NAME, which calls ghz_NAME with these arguments and room for the result. */
#define RUN(name, ...)                                                                                         \
  static ghz_status run_##name(ghz_context *ctx, const operands *o, const void *detail, void *dst,             \
                               size_t room, size_t *size) {                                                    \
    (void)detail;                                                                                              \
    return ghz_##name(ctx, __VA_ARGS__, dst, room, size);                                                      \
  }
RUN(sum, o->k, views(o))
RUN(mean, o->k, views(o))
RUN(linear, o->k, views(o), detail, 1)
RUN(scale, view(o->s[0]), *(const double *)detail)
RUN(minimum, view(o->s[0]), view(o->s[1]))
RUN(maximum, view(o->s[0]), view(o->s[1]))

/* ---- Orders and groupings ---- */
/* The operands added one after the other, from operand `first` on, around. */
static void accumulate_from(const operands *o, size_t first, ref_bytes want, const char *what) {
  size_t room = room_of(o, (uint32_t)o->k), size = o->s[first].size;
  uint8_t *acc = scratch(room);
  memcpy(acc, o->s[first].data, size);
  for (size_t i = 1; i < o->k; i++) {
    ghz_context *ctx = fuzz_context((first + i) % fuzz_contexts());
    ghz_status status = ghz_accumulate(ctx, acc, room, &size, view(o->s[(first + i) % o->k]));
    MUST(status == GHZ_OK, "%s: %d", what, (int)status);
  }
  must_equal(acc, size, want.data, want.size, what);
}

/* The sum of all but the first, and the first. */
static void check_grouped(const operands *o, ref_bytes want) {
  ghz_bytes *v = views(o);
  size_t room = room_of(o, (uint32_t)o->k), size = 0;
  uint8_t *right = scratch(room), *both = scratch(room);
  MUST(ghz_sum(fuzz_context(0), o->k - 1, v + 1, right, room, &size) == GHZ_OK, "grouped");
  MUST(ghz_add(fuzz_context(0), v[0], (ghz_bytes){right, size}, both, room, &size) == GHZ_OK, "grouped");
  must_equal(both, size, want.data, want.size, "grouped");
}

/* a + b + ... - b - ... is a on the lattice, but for tiles' order and mode. */
static void check_cancelled(const operands *o, ref_bytes sum) {
  int64_t c[MOST] = {1};
  ghz_bytes *v = views(o);
  ghz_status status;
  size_t room = room_of(o, (uint32_t)(2 * o->k)), size = 0;
  uint8_t *back = scratch(room);
  v[0] = view(sum);
  for (size_t i = 1; i < o->k; i++)
    c[i] = -1;
  MUST(ghz_linear(fuzz_context(0), o->k, v, c, 1, back, room, &size) == GHZ_OK, "cancelled");
  ref_bytes alone = ref_sum(1, o->s);
  void *want = fuzz_decode(fuzz_context(0), view(alone), GHZ_F64, o->n, &status);
  void *got = fuzz_decode(fuzz_context(0), (ghz_bytes){back, size}, GHZ_F64, o->n, &status);
  for (size_t i = 0; i < o->n; i++)
    if (!isnan((double)o->exact[i]))
      MUST(value_at(GHZ_F64, got, i) == value_at(GHZ_F64, want, i), "value %zu does not come back", i);
}

/* |y - z| <= terms * eb, for every mode if decoded to float64; what overflows is infinite. (The sum
 * of a few doubles in binary128 is off by far less than the slack of the lattice.) */
static void check_bound(const operands *o, ref_bytes sum) {
  ghz_status status;
  double *y = fuzz_decode(fuzz_context(0), view(sum), GHZ_F64, o->n, &status);
  quad bound = (quad)o->l.eb * (quad)o->k;
  MUST(status == GHZ_OK, "the sum: %d", (int)status);
  for (size_t i = 0; i < o->n; i++) {
    quad z = o->exact[i], error = isinf(y[i]) ? 0 : z - (quad)y[i];
    bool reached = !isinf(y[i]) || (y[i] > 0 ? z : -z) + bound > (quad)DBL_MAX;
    MUST(isnan((double)z) || (reached && error <= bound && -error <= bound),
         "value %zu: %a for %a, %zu terms of %a", i, y[i], (double)z, o->k, o->l.eb);
  }
}

static void check_sums(const operands *o) {
  ref_bytes sum = must_make(run_sum, o, NULL, ref_sum(o->k, o->s), "sum");
  if (!ref_header_read(sum.data).inexact) {
    for (size_t first = 0; o->k > 1 && first < o->k; first++)
      accumulate_from(o, first, sum, "accumulated");
    if (o->k > 1)
      check_grouped(o, sum);
    check_bound(o, sum);
    check_cancelled(o, sum);
  }
}

/* Values between lattice integers cannot be compared on those. */
static void must_refuse_extremum(const operands *o, int smaller) {
  size_t room = room_of(o, 1), size = 0;
  uint8_t *dst = scratch(room);
  ghz_status status = (smaller ? run_minimum : run_maximum)(fuzz_context(0), o, NULL, dst, room, &size);
  MUST(status == GHZ_EINVAL, "an extremum of coefficients: %d", (int)status);
}

static void check_others(choices *c, const operands *o) {
  int64_t coefficients[MOST];
  double factor = ldexp((double)(int8_t)choose(c, 1), (int)choose_below(c, 16) - 8) / 3;
  uint64_t what = choose_below(c, 4);
  for (size_t i = 0; i < o->k; i++)
    coefficients[i] = (int8_t)choose(c, 1);
  if (what == 0 && is_scalable(&o->l))
    must_make(run_mean, o, NULL, ref_mean(o->k, o->s), "mean");
  else if (what == 1)
    must_make(run_linear, o, coefficients, ref_combine(o->k, o->s, coefficients, REF_PLAIN, 1), "combine");
  else if (o->k > 1 && (ref_header_read(o->s[0].data).transform || ref_header_read(o->s[1].data).transform))
    must_refuse_extremum(o, what == 2);
  else if (what == 2 && o->k > 1)
    must_make(run_minimum, o, NULL, ref_extremum(o->s[0], o->s[1], 0), "minimum");
  else if (o->k > 1)
    must_make(run_maximum, o, NULL, ref_extremum(o->s[0], o->s[1], 1), "maximum");
  if (factor != 0 && is_scalable(&o->l))
    must_make(run_scale, o, &factor, ref_scale(o->s[0], factor), "scale");
}

/* ---- The input ---- */
static void add_exactly(operands *o, const void *x) {
  for (size_t i = 0; i < o->n; i++) {
    double v = value_at(o->l.type, x, i);
    o->exact[i] = isfinite(v) ? o->exact[i] + (quad)v : (quad)NAN;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SCOPE;
  choices c = {data, size};
  operands o = {.l = choose_lattice(&c), .shape = choose_shape(&c)};
  o.k = 1 + (size_t)choose_below(&c, MOST);
  if (o.shape.dims == 1 && o.shape.extent[2] > 5000)
    o.shape.extent[2] = 5000;
  o.n = (size_t)ghz_shape_count(&o.shape);
  o.exact = scratch(o.n * sizeof *o.exact);
  for (size_t i = 0; i < o.n; i++)
    o.exact[i] = 0;
  for (size_t i = 0; i < o.k; i++) {
    int order = choose_order(&c, &o.shape);
    void *x = choose_values(&c, &o.l, &o.shape);
    add_exactly(&o, x);
    o.s[i] = compress_everywhere(&o.l, order, x, &o.shape);
  }
  check_sums(&o);
  check_others(&c, &o);
  return 0;
}
