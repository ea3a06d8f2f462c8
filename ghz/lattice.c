/* lattice.c: owns lattices, shapes, and descriptions of results. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "context/call.h"
#include "context/context.h"
#include "context/floating.h"
#include "lattice.h"
#include "linear.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"
#include "rules/shape.h"

size_t ghz_type_size(ghz_type type) {
  return type_known(type) ? type_bytes(type) : 0;
}

uint32_t ghz_terms_limit(int cap) {
  return cap == 35 || cap == 44 ? terms_limit(cap) : 0;
}

/* A double with its significand cut to 24 bits. */
static double cut_to_24_bits(double v) {
  uint64_t b = load_u64(&v) & ~UINT64_C(0x1fffffff);
  return load_f64(&b);
}

int ghz_lattice_equal(const ghz_lattice *a, const ghz_lattice *b) {
  return a && b && lattices_equal(a, b);
}

int ghz_lattice_fresh(const ghz_lattice *l) {
  if (is_integer(l->type))
    return lattice_valid(l) && l->step == 1 && double_bits(l->eb) == 0;
  return lattice_valid(l) && (l->type == GHZ_F64 || is_grid(l) || cut_to_24_bits(l->step) == l->step);
}

/* 10^-x for 0 <= x, from multiplications alone: the same bits on every machine, which pow() does
 * not promise. */
static double power_of_tenth(double x) {
  double whole = floor(x), fraction = x - whole, result = 1, factor = 0.1;
  for (double n = whole > 400 ? 400 : whole; n >= 1; n -= 1)
    result *= factor;
  /* 10^-f by halving: the square roots of a tenth, which IEEE 754 rounds alike everywhere. */
  for (int i = 0; i < 53 && fraction > 0; i++) {
    factor = sqrt(factor);
    fraction *= 2;
    if (fraction >= 1) {
      result *= factor;
      fraction -= 1;
    }
  }
  return result;
}

static double clamp_bound(double eb) {
  return eb > DBL_MAX ? DBL_MAX : eb < 0x1p-1074 ? 0x1p-1074 : eb;
}

static void set_step(ghz_lattice *l, double step) {
  if (step > largest_step(l->type))
    step = largest_step(l->type);
  if (step < smallest_step(l->type))
    step = 0;
  l->step = l->type == GHZ_F32 ? cut_to_24_bits(step) : step;
}

/* Makes the step of float32 data with an offset smaller by what rounding their largest values takes
 * of the bound: then coarse tiles reach them, and fine ones are spared, which cost a bit a value.
 * Only where all data are at least half as far from 0 as they are apart, and most of them lie
 * beyond coarse tiles. */
static void make_room(ghz_lattice *l, double min, double max) {
  const double middle = fabs(max / 2 + min / 2), largest = fmax(fabs(min), fabs(max));
  if (l->type != GHZ_F32 || !(middle > coarse_limit(l)) || !(middle >= max - min))
    return;
  const double step = cut_to_24_bits(2 * (l->eb - largest * 0x1.09p-24));
  if (step >= smallest_step(l->type) && step < l->step && largest <= 0x1p22 * step)
    l->step = step;
}

/* On this lattice the constant c is the integer 1, and exact. */
static void constant_lattice(ghz_lattice *l, double c) {
  c = fabs(c);
  l->step = c >= smallest_step(l->type) && c <= largest_step(l->type) ? c : 0;
  if (l->type == GHZ_F32 && cut_to_24_bits(l->step) != l->step)
    l->step = 0;
  l->eb = clamp_bound(c * 0x1p-16);
}

static void make(ghz_bound bound, double min, double max, ghz_lattice *l) {
  double half = max / 2 - min / 2;
  if (bound.kind == GHZ_STEP) {
    /* The bound covers by how much the multiples of the step differ from the values that they round
     * to, and what decoding sums loses. */
    l->step = bound.value;
    l->eb = is_integer(l->type) ? 0 : grid_bound(l->type, bound.value);
    return;
  }
  if (bound.kind != GHZ_ABS && !(half > 0)) {
    constant_lattice(l, min <= max && max != 0 ? max : 1);
    return;
  }
  if (bound.kind == GHZ_ABS)
    l->eb = bound.value;
  else if (bound.kind == GHZ_REL)
    l->eb = clamp_bound(2 * (bound.value * half));
  else
    l->eb = clamp_bound(2 * (half * power_of_tenth(bound.value / 20)));
  set_step(l, 2 * l->eb * 0x1.f8p-1);
  if (bound.kind != GHZ_ABS)
    make_room(l, min, max);
}

/* No range at all, or one that is finite and the right way round. */
static int range_valid(double min, double max) {
  return (min == INFINITY && max == -INFINITY) || (min <= max && min >= -DBL_MAX && max <= DBL_MAX);
}

static ghz_status make_checked(ghz_context *ctx, ghz_type type, ghz_bound bound, double min, double max,
                               ghz_lattice *lattice) {
  if (bound.kind != GHZ_ABS && bound.kind != GHZ_STEP && !ghz_bound_is_relative(bound.kind))
    return ghz_fail(ctx, GHZ_EINVAL, "kind %d of a bound is unknown", (int)bound.kind);
  if (!(bound.value > 0 && bound.value <= DBL_MAX))
    return ghz_fail(ctx, GHZ_EINVAL, "bound %.9g: must be above 0, and finite", bound.value);
  if (is_integer(type) && (bound.kind != GHZ_STEP || bound.value != 1))
    return ghz_fail(ctx, GHZ_EINVAL, "integers are compressed exactly: their bound is GHZ_STEP, 1");
  if (bound.kind == GHZ_STEP && !from_to(bound.value, smallest_step(type), largest_step(type)))
    return ghz_fail(ctx, GHZ_EINVAL, "step %.9g: must be from %.9g to %.9g", bound.value, smallest_step(type),
                    largest_step(type));
  if (ghz_bound_is_relative(bound.kind) && !range_valid(min, max))
    return ghz_fail(ctx, GHZ_EINVAL,
                    "range %.9g .. %.9g: must be finite, the smaller one first; take ghz_range", min, max);
  if (ghz_bound_is_relative(bound.kind) && min == 0 && max == 0)
    return ghz_fail(ctx, GHZ_EINVAL,
                    "range 0 .. 0 looks like one that was not measured; where all values are zero, give what "
                    "ghz_range gives where nothing is finite, +Inf and -Inf, or take ghz_lattice_for");
  *lattice = (ghz_lattice){.type = type,
                           .cap = is_integer(type)  ? cap_of_integers(type)
                                  : type == GHZ_F32 ? 35
                                                    : 44};
  make(bound, min, max, lattice);
  return GHZ_OK;
}

ghz_status ghz_lattice_make_in(ghz_context *ctx, ghz_type type, ghz_bound bound, double min, double max,
                               ghz_lattice *lattice) {
  if (!lattice)
    return ghz_fail(ctx, GHZ_EINVAL, "lattice is NULL");
  if (!type_known(type))
    return ghz_fail(ctx, GHZ_EINVAL, "type %d is unknown", (int)type);
  floating_environment env;
  floating_begin(&env);
  ghz_status status = make_checked(ctx, type, bound, min, max, lattice);
  floating_end(&env);
  return status;
}

ghz_status ghz_lattice_make(ghz_type type, ghz_bound bound, double min, double max, ghz_lattice *lattice) {
  return ghz_lattice_make_in(NULL, type, bound, min, max, lattice);
}

/* What became l where it was divided by k, at once or in turn, if that can be compressed on: the
 * step is rounded as that had to be, and the bound is the largest that divides to l's. */
static int undivided(const ghz_lattice *l, uint64_t k, ghz_lattice *whole) {
  const double by = (double)k, step = l->step * by, eb = l->eb * by;
  *whole = *l;
  whole->step = is_integer(l->type) ? 1 : step <= largest_step(GHZ_F32) ? (double)(float)step : 0;
  if (fabs(whole->step / by - l->step) > l->step * 0x1p-48) /* soon said, of nearly all k */
    return 0;
  whole->eb = is_integer(l->type) ? 0 : fma(l->eb, by, -eb) < 0 ? nextafter(eb, 0) : eb;
  for (int i = 0; i < 16; i++, whole->eb = nextafter(whole->eb, 0)) /* each division rounds up */
    if (ghz_lattice_fresh(whole) && ghz_factor_between(whole, l) == k)
      return 1;
  return 0;
}

ghz_status ghz_lattice_undivided(const ghz_lattice *lattice, ghz_lattice *whole) {
  floating_environment env;
  ghz_lattice found;
  if (!lattice || !whole || !lattice_valid(lattice))
    return ghz_fail(NULL, GHZ_EINVAL, "%s", lattice && whole ? "the lattice is none" : "lattice is NULL");
  uint64_t k = 1;
  const uint64_t most = terms_limit(lattice->cap);
  floating_begin(&env);
  for (found = *lattice; !ghz_lattice_fresh(lattice) && k <= most && !undivided(lattice, k, &found); k++)
    ;
  floating_end(&env);
  if (k > most)
    return ghz_fail(NULL, GHZ_EINVAL, "step %.9g is no lattice to compress on, nor a part of one",
                    lattice->step);
  *whole = found;
  return GHZ_OK;
}

ghz_status ghz_lattice_fill_in(ghz_context *ctx, ghz_lattice *l, double fill) {
  const ghz_lattice with = {.type = l->type, .has_fill = 1, .fill = fill};
  if (!type_known(l->type))
    return ghz_fail(ctx, GHZ_EINVAL, "type %d is unknown", (int)l->type);
  if (!fill_valid(&with))
    return ghz_fail(ctx, GHZ_EINVAL, "fill value %.17g is no finite %s", fill, ghz_describe_type(l->type));
  l->has_fill = 1;
  l->fill = fill;
  return GHZ_OK;
}

ghz_status ghz_lattice_set_fill(ghz_lattice *lattice, double fill) {
  return lattice ? ghz_lattice_fill_in(NULL, lattice, fill) : ghz_fail(NULL, GHZ_EINVAL, "lattice is NULL");
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

ghz_shape ghz_flat(uint64_t n) {
  return (ghz_shape){1, {1, 1, n}};
}

int ghz_shape_equal(const ghz_shape *a, const ghz_shape *b) {
  return a && b && shapes_equal(a, b);
}

uint64_t ghz_shape_count(const ghz_shape *shape) {
  return shape && shape_valid(shape) ? shape_count(shape) : 0;
}

uint64_t ghz_shape_tiles(const ghz_shape *shape) {
  return shape && shape_valid(shape) ? shape_tiles(shape) : 0;
}

/* The product of extents, 0 if one of them is 0. Returns 0 if it overflows. */
static int multiply(size_t count, const uint64_t *extents, uint64_t *product) {
  int fits = 1, empty = 0;
  *product = 1;
  for (size_t i = 0; i < count; i++) {
    empty |= extents[i] == 0;
    fits &= !__builtin_mul_overflow(*product, extents[i], product);
  }
  *product = empty ? 0 : *product;
  return fits || empty;
}

/* Multiplies the fastest extents that are left until the product is at least `least`. */
static uint64_t join(size_t *left, const uint64_t *extents, uint64_t least) {
  uint64_t product = 1;
  while (*left > 0 && product < least)
    product *= extents[--*left];
  return product;
}

/* Joins extents to z, y and x that bricks can fill, from the fastest on. None of them is 0, so the
 * products fit where that of all does. */
static void fold(size_t rank, const uint64_t *extents, uint64_t folded[3]) {
  const tile_extent cube = whole_tile(3), plane = whole_tile(2);
  size_t left = rank;
  folded[2] = join(&left, extents, cube.x);
  folded[1] = join(&left, extents, cube.y);
  folded[0] = join(&left, extents, UINT64_MAX);
  if (folded[0] < cube.z && folded[1] < plane.y / 2) {
    folded[1] *= folded[0];
    folded[0] = 1;
  }
}

/* The bricks for extents: whole ones at least along z, y and x, or half ones of a plane. */
static int choose_dims(const uint64_t extent[3]) {
  const tile_extent cube = whole_tile(3), plane = whole_tile(2);
  if (extent[0] >= cube.z && extent[1] >= cube.y && extent[2] >= cube.x)
    return 3;
  return extent[1] >= plane.y / 2 && extent[2] >= plane.x / 2 ? 2 : 1;
}

ghz_status ghz_shape_make(size_t rank, const uint64_t *extents, ghz_shape *shape) {
  uint64_t n;
  if (rank == 0 || !extents || !shape)
    return ghz_fail(NULL, GHZ_EINVAL, rank ? "extents or shape is NULL" : "rank 0: must be above 0");
  if (!multiply(rank, extents, &n))
    return ghz_fail(NULL, GHZ_EINVAL, "%zu extents: 2^64 values or more", rank);
  *shape = ghz_flat(n);
  if (n == 0)
    return GHZ_OK;
  fold(rank, extents, shape->extent);
  shape->dims = choose_dims(shape->extent);
  if (shape->dims == 1)
    *shape = ghz_flat(n);
  return GHZ_OK;
}

/* ---- Descriptions ---------------------------------------------------------------------------- */

const char *ghz_describe_type(ghz_type type) {
  static const char *const names[] = {"float32", "float64", "int8",   "int16", "int32",
                                      "int64",   "uint8",   "uint16", "uint32"};
  return type_known(type) ? names[type] : "unknown type";
}

shape_text ghz_describe_shape(const ghz_shape *s) {
  shape_text t;
  const unsigned long long z = s->extent[0], y = s->extent[1], x = s->extent[2];
  if (!shape_valid(s))
    snprintf(t.text, sizeof t.text, "dims %d, extents %llu x %llu x %llu", s->dims, z, y, x);
  else if (s->dims == 1)
    snprintf(t.text, sizeof t.text, "%llu values", x);
  else if (s->dims == 3)
    snprintf(t.text, sizeof t.text, "shape %llu x %llu x %llu", z, y, x);
  else if (z == 1)
    snprintf(t.text, sizeof t.text, "shape %llu x %llu", y, x);
  else
    snprintf(t.text, sizeof t.text, "%llu planes of %llu x %llu", z, y, x);
  return t;
}

ghz_status ghz_shape_check(ghz_context *ctx, const ghz_shape *shape) {
  if (!shape)
    return ghz_fail(ctx, GHZ_EINVAL, "shape is NULL");
  return shape_valid(shape) ? GHZ_OK
                            : ghz_fail(ctx, GHZ_EINVAL, "no shape: %s", ghz_describe_shape(shape).text);
}
