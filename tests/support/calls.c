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
static double *range(answer *r) {
  r->size = 2 * sizeof(double);
  return (double *)(void *)r->bytes;
}

static size_t values(answer *r, size_t count, ghz_type out) {
  r->size = count * ghz_type_size(out);
  return count;
}

static ghz_status message(ghz_status status, const ghz_slice *made, answer *r) {
  r->size = status == GHZ_OK ? ghz_slice_size(made) : 0;
  return status;
}

/* do_NAME is a call of ghz_NAME. The accumulator survives a failure, to the byte. */
#define CALL(name) static ghz_status do_##name(ghz_context *ctx, const operands *o, answer *r)

CALL(range) { return ghz_range(ctx, o->lattice.type, o->x, o->n, range(r), range(r) + 1); }
CALL(extrema) { return ghz_extrema(ctx, view(o->a), range(r), range(r) + 1); }
CALL(scan) {
  r->size = sizeof(ghz_statistics);
  return ghz_scan(ctx, view(o->a), (ghz_statistics *)(void *)r->bytes);
}
CALL(moments) {
  r->size = sizeof(ghz_summary);
  return ghz_moments(ctx, view(o->a), (ghz_summary *)(void *)r->bytes);
}
CALL(difference) {
  r->size = sizeof(ghz_comparison);
  return ghz_difference(ctx, view(o->a), view(o->b), (ghz_comparison *)(void *)r->bytes);
}
CALL(decompress) {
  return ghz_decompress(ctx, view(o->a), o->lattice.type, r->bytes, values(r, o->n, o->lattice.type));
}
CALL(decompress_wide) { return ghz_decompress(ctx, view(o->a), GHZ_F64, r->bytes, values(r, o->n, GHZ_F64)); }
CALL(decompress_range) {
  return ghz_decompress_range(ctx, view(o->a), GHZ_F64, o->n / 9, values(r, o->n - o->n / 5, GHZ_F64),
                              r->bytes);
}
CALL(compress) {
  return ghz_compress(ctx, &o->lattice, GHZ_ORDER_BEST, o->x, o->n, r->bytes, r->room, &r->size);
}
CALL(add) { return ghz_add(ctx, view(o->a), view(o->b), r->bytes, r->room, &r->size); }
CALL(subtract) { return ghz_subtract(ctx, view(o->a), view(o->b), r->bytes, r->room, &r->size); }
CALL(negate) { return ghz_negate(ctx, view(o->a), r->bytes, r->room, &r->size); }
CALL(scale) { return ghz_scale(ctx, view(o->a), -1.0 / 3, r->bytes, r->room, &r->size); }
CALL(sum) { return ghz_sum(ctx, o->k, o->many, r->bytes, r->room, &r->size); }
CALL(mean) { return ghz_mean(ctx, o->k, o->many, r->bytes, r->room, &r->size); }
CALL(combine) { return ghz_linear(ctx, o->k, o->many, o->coefficients, 1, r->bytes, r->room, &r->size); }
/* With a mean, on whose lattice the others are multiples. */
CALL(linear) {
  ghz_bytes both[2] = {view(o->mean), view(o->a)};
  return ghz_linear(ctx, 2, both, (int64_t[]){-1, 1}, 3, r->bytes, r->room, &r->size);
}
CALL(minimum) { return ghz_minimum(ctx, view(o->a), view(o->b), r->bytes, r->room, &r->size); }
CALL(maximum) { return ghz_maximum(ctx, view(o->a), view(o->b), r->bytes, r->room, &r->size); }
CALL(accumulate) {
  r->begin = o->a.size;
  if (r->room < o->a.size)
    return GHZ_ECAPACITY;
  memcpy(r->bytes, o->a.data, o->a.size);
  r->size = o->a.size;
  ghz_status status = ghz_accumulate(ctx, r->bytes, r->room, &r->size, view(o->b));
  if (status != GHZ_OK && bytes_differ(answered(r), o->a))
    need(status, "the accumulator changed in a call that failed");
  return status;
}
/* Into an accumulator of `begin` bytes, 0 or those of a stream. */
static ghz_status accumulate_values(ghz_context *ctx, const operands *o, answer *r, ref_bytes begin,
                                    const void *x, const ghz_shape *shape) {
  r->begin = begin.size;
  if (r->room < begin.size)
    return GHZ_ECAPACITY;
  memcpy(r->bytes, begin.data, begin.size);
  r->size = begin.size;
  ghz_status status =
      ghz_accumulate_values(ctx, &o->lattice, GHZ_ORDER_BEST, x, shape, r->bytes, r->room, &r->size);
  if (status != GHZ_OK && bytes_differ(answered(r), begin))
    need(status, "the accumulator changed in a call that failed");
  return status;
}
CALL(accumulate_values) { return accumulate_values(ctx, o, r, o->b, o->x, &(ghz_shape){1, {1, 1, o->n}}); }
CALL(accumulate_first_values) {
  return accumulate_values(ctx, o, r, (ref_bytes){r->bytes, 0}, o->x, &(ghz_shape){1, {1, 1, o->n}});
}
CALL(accumulate_first) {
  r->size = 0;
  return ghz_accumulate(ctx, r->bytes, r->room, &r->size, view(o->a));
}
CALL(slice_compress) {
  ghz_slice made;
  return message(ghz_slice_compress(ctx, &o->lattice, GHZ_ORDER_BEST, o->x, o->n, o->two[0].first,
                                    o->two[0].tiles, r->bytes, r->room, &made),
                 &made, r);
}
CALL(slice_sum) {
  ghz_slice made;
  return message(ghz_slice_sum(ctx, 2, o->two, r->bytes, r->room, &made), &made, r);
}
CALL(slice_mean) {
  ghz_slice made;
  return message(ghz_slice_mean(ctx, &o->two[0], 3, r->bytes, r->room, &made), &made, r);
}
CALL(slice_extremum) {
  ghz_slice made;
  return message(ghz_slice_extremum(ctx, &o->two[0], &o->two[1], 1, r->bytes, r->room, &made), &made, r);
}
CALL(slice_decompress) {
  values(r, ghz_slice_count(&o->two[0]), o->lattice.type);
  return ghz_slice_decompress(ctx, &o->two[0], o->lattice.type, r->bytes);
}

/* ---- The calls on bricks ---- */
CALL(compress_shape) {
  return ghz_compress_shape(ctx, &o->lattice, GHZ_ORDER_BEST, o->field, &o->shape, r->bytes, r->room, &r->size);
}
CALL(decompress_bricks) {
  size_t count = (size_t)ghz_shape_count(&o->shape);
  return ghz_decompress(ctx, view(o->bricks[0]), GHZ_F64, r->bytes, values(r, count, GHZ_F64));
}
CALL(decompress_box) {
  const uint64_t *e = o->shape.extent, origin[3] = {e[0] / 3, 5, 7}, extent[3] = {e[0] - e[0] / 3, 9, 30};
  values(r, (size_t)(extent[0] * extent[1] * extent[2]), GHZ_F64);
  return ghz_decompress_box(ctx, view(o->bricks[1]), GHZ_F64, origin, extent, r->bytes);
}
CALL(add_bricks) { return ghz_add(ctx, view(o->bricks[0]), view(o->bricks[1]), r->bytes, r->room, &r->size); }
CALL(accumulate_bricks) { return accumulate_values(ctx, o, r, o->bricks[1], o->field, &o->shape); }
CALL(update_bricks) {
  return ghz_update(ctx, view(o->bricks[0]), &o->lattice, o->changed, r->bytes, r->room, &r->size);
}
CALL(combine_bricks) {
  ghz_bytes both[3] = {view(o->bricks[0]), view(o->bricks[1]), view(o->bricks[0])};
  return ghz_linear(ctx, 3, both, (int64_t[]){3, -2, 1}, 1, r->bytes, r->room, &r->size);
}
CALL(scan_bricks) {
  r->size = sizeof(ghz_statistics);
  return ghz_scan(ctx, view(o->bricks[0]), (ghz_statistics *)(void *)r->bytes);
}
CALL(moments_of_bricks) {
  r->size = sizeof(ghz_summary);
  return ghz_moments(ctx, view(o->bricks[0]), (ghz_summary *)(void *)r->bytes);
}
CALL(difference_of_bricks) {
  r->size = sizeof(ghz_comparison);
  return ghz_difference(ctx, view(o->bricks[0]), view(o->bricks[1]), (ghz_comparison *)(void *)r->bytes);
}
/* Along one axis, to as many sums as there is room for; along the others. */
CALL(sum_axes_of_bricks) {
  const uint64_t *e = o->shape.extent;
  values(r, (size_t)(e[1] * e[2]), GHZ_F64);
  return ghz_sum_axes(ctx, view(o->bricks[0]), 3, e, 1, (double *)(void *)r->bytes, NULL);
}
CALL(sum_axes_to_a_line) {
  values(r, (size_t)o->shape.extent[2], GHZ_F64);
  return ghz_sum_axes(ctx, view(o->bricks[1]), 3, o->shape.extent, 3, (double *)(void *)r->bytes, NULL);
}
CALL(slice_compress_shape) {
  ghz_slice made;
  return message(ghz_slice_compress_shape(ctx, &o->lattice, GHZ_ORDER_BEST, o->field, &o->shape,
                                          o->of_bricks.first, o->of_bricks.tiles, r->bytes, r->room, &made),
                 &made, r);
}
CALL(slice_decompress_into) {
  size_t count = values(r, (size_t)ghz_shape_count(&o->shape), GHZ_F64);
  memset(r->bytes, 0, count * sizeof(double));
  return ghz_slice_decompress_into(ctx, &o->of_bricks, GHZ_F64, r->bytes);
}

const call calls[] = {
    {"range", do_range, 0},
    {"extrema", do_extrema, 0},
    {"scan", do_scan, 0},
    {"moments", do_moments, 0},
    {"difference", do_difference, 0},
    {"decompress", do_decompress, 0},
    {"decompress as float64", do_decompress_wide, 0},
    {"decompress_range", do_decompress_range, 0},
    {"compress", do_compress, 1},
    {"add", do_add, 1},
    {"subtract", do_subtract, 1},
    {"negate", do_negate, 1},
    {"scale", do_scale, 1},
    {"sum", do_sum, 1},
    {"mean", do_mean, 1},
    {"combine", do_combine, 1},
    {"linear", do_linear, 1},
    {"minimum", do_minimum, 1},
    {"maximum", do_maximum, 1},
    {"accumulate", do_accumulate, 1},
    {"accumulate the first", do_accumulate_first, 1},
    {"accumulate_values", do_accumulate_values, 1},
    {"accumulate_values, the first", do_accumulate_first_values, 1},
    {"slice_compress", do_slice_compress, 0},
    {"slice_sum", do_slice_sum, 0},
    {"slice_mean", do_slice_mean, 0},
    {"slice_extremum", do_slice_extremum, 0},
    {"slice_decompress", do_slice_decompress, 0},
    {"compress_shape", do_compress_shape, 1},
    {"decompress of bricks", do_decompress_bricks, 0},
    {"decompress_box", do_decompress_box, 0},
    {"add of bricks", do_add_bricks, 1},
    {"accumulate_values of bricks", do_accumulate_bricks, 1},
    {"update of bricks", do_update_bricks, 1},
    {"combine of bricks", do_combine_bricks, 1},
    {"scan of bricks", do_scan_bricks, 0},
    {"moments of bricks", do_moments_of_bricks, 0},
    {"difference of bricks", do_difference_of_bricks, 0},
    {"sum_axes of bricks", do_sum_axes_of_bricks, 0},
    {"sum_axes to a line", do_sum_axes_to_a_line, 0},
    {"slice_compress_shape", do_slice_compress_shape, 0},
    {"slice_decompress_into", do_slice_decompress_into, 0},
};
const size_t call_count = COUNT(calls);
