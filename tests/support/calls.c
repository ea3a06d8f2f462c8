/* calls.c: every call of the library that computes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"

#include <ghz/numbers.h>

#include "fields.h"
#include <string.h>

/* Bricks with coefficients, and cut ones. */
static void add_bricks(operands *o, ghz_context *ctx, double unit) {
  enum { Y = 20, X = 40 };
  double amount = 60 * unit / (o->lattice.step > 0 ? o->lattice.step : 1);
  o->shape = (ghz_shape){3, {o->n / (Y * X), Y, X}};
  o->field = field_make(PATCHES, &o->lattice, &o->shape, amount, 3);
  void *other = field_make(LAND, &o->lattice, &o->shape, amount, 4);
  o->bricks[0] = compress_shape(ctx, &o->lattice, GHZ_ORDER_BEST, o->field, &o->shape);
  o->bricks[1] = compress_shape(ctx, &o->lattice, GHZ_ORDER_BEST, other, &o->shape);
  o->changed = decompress(ctx, o->bricks[0], o->lattice.type);
  const size_t part = (size_t)ghz_shape_count(&o->shape) / 3 * ghz_type_size(o->lattice.type);
  memcpy((uint8_t *)o->changed + part, (uint8_t *)other + part, part);
  uint64_t tiles = ghz_shape_tiles(&o->shape);
  o->of_bricks = slice_of(o->bricks[0], tiles / 4, tiles / 2);
}

operands operands_make(const ghz_lattice *l, size_t n, size_t k, const char *maker, const char *other,
                       double unit) {
  CONTEXT(ctx, NULL, 1);
  operands o = {.lattice = *l, .n = n, .k = k};
  uint64_t tiles = ref_tiles(n), first = tiles > 2;
  unit = unit > 0 ? unit : l->step;
  o.x = input_make(input_named(maker), l->type, n, unit, 3);
  o.a = compress(ctx, l, GHZ_ORDER_BEST, o.x, n);
  o.b = compress(ctx, l, GHZ_ORDER_BEST, input_make(input_named(other), l->type, n, unit, 5), n);
  o.mean = mean(ctx, 5, (ref_bytes[]){o.a, o.b, o.a, o.b, o.b});
  for (int i = 0; i < MANY; i++) {
    o.many[i] = view(i % 2 ? o.b : o.a);
    o.coefficients[i] = i % 3 - 1;
  }
  o.two[0] = slice_of(o.a, first, tiles - 2 * first);
  o.two[1] = slice_of(o.b, first, tiles - 2 * first);
  add_bricks(&o, ctx, unit);
  return o;
}

answer answer_make(const operands *o, size_t behind) {
  size_t room = ghz_size_bound(o->n, GHZ_F64, 3 * MANY), values = o->n * sizeof(double),
         bricks = ghz_shape_bound(&o->shape, GHZ_F64, 3 * MANY);
  room = room > bricks ? room : bricks;
  answer r = {.room = room > values ? room : values};
  r.bytes = scratch(r.room + behind);
  return r;
}

ref_bytes answered(const answer *r) { return (ref_bytes){r->bytes, r->size}; }

/* ---- The calls ---- */
static void *room(answer *r, size_t size) {
  r->size = size;
  return r->bytes;
}

static double *numbers(answer *r, uint64_t count) { return room(r, (size_t)count * sizeof(double)); }

static size_t values(answer *r, size_t count, ghz_type out) {
  r->size = count * ghz_type_size(out);
  return count;
}

/* Values of the bricks, as float64. */
static size_t all(const operands *o, answer *r) {
  return values(r, (size_t)ghz_shape_count(&o->shape), GHZ_F64);
}

static ghz_status message(ghz_status status, const ghz_slice *made, answer *r) {
  r->size = status == GHZ_OK ? ghz_slice_size(made) : 0;
  return status;
}

#define NOTHING ((ref_bytes){r->bytes, 0})

/* A stream, or values, to an accumulator of what it begins with, which survives a failure to the
 * byte. */
static ghz_status accumulate(ghz_context *ctx, const operands *o, answer *r, ref_bytes begin, ref_bytes stream,
                             const void *x, const ghz_shape *shape) {
  r->begin = r->size = begin.size;
  if (r->room < begin.size)
    return GHZ_ECAPACITY;
  memcpy(r->bytes, begin.data, begin.size);
  const ghz_status status =
      x ? ghz_accumulate_values(ctx, &o->lattice, GHZ_ORDER_BEST, x, shape, r->bytes, r->room, &r->size)
        : ghz_accumulate(ctx, r->bytes, r->room, &r->size, view(stream));
  if (status != GHZ_OK && bytes_differ(answered(r), begin))
    need(status, "the accumulator changed in a call that failed");
  return status;
}

static ghz_status decompress_box(ghz_context *ctx, const operands *o, answer *r) {
  const uint64_t z = o->shape.extent[0], origin[3] = {z / 3, 5, 7}, extent[3] = {z - z / 3, 9, 30};
  values(r, (size_t)(extent[0] * extent[1] * extent[2]), GHZ_F64);
  return ghz_decompress_box(ctx, view(o->bricks[1]), GHZ_F64, origin, extent, r->bytes);
}

#define UNUSED __attribute__((unused))
#define CALL(name, makes_stream, ...)                                                                          \
  static ghz_status do_##name(ghz_context *ctx, const operands *o, answer *r) {                                \
    const ghz_lattice *l UNUSED = &o->lattice;                                                                 \
    const ghz_shape flat UNUSED = ghz_flat(o->n);                                                              \
    const uint64_t *extent UNUSED = o->shape.extent;                                                           \
    ghz_slice made UNUSED;                                                                                     \
    return __VA_ARGS__;                                                                                        \
  }
#include "calls.inc"
#undef CALL
#define CALL(name, makes_stream, ...) {#name, do_##name, makes_stream},
const call calls[] = {
#include "calls.inc"
};
const size_t call_count = COUNT(calls);
