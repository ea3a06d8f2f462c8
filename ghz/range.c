/* range.c: owns the range of the values of arrays, lattices that are made from it, and arrays of
 * integers: to the values that tiles hold, and back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "context/call.h"
#include "context/floating.h"
#include "context/parallel.h"
#include "lattice.h"
#include "range.h"
#include "rules/lattice_rules.h"

/* ---- Integers -------------------------------------------------------------------------------- */

/* The types, their C type and that of their storage type. */
#define EACH_TYPE(DO)                                                                                          \
  DO(GHZ_I8, int8_t, float)                                                                                    \
  DO(GHZ_I16, int16_t, float)                                                                                  \
  DO(GHZ_I32, int32_t, double)                                                                                 \
  DO(GHZ_I64, int64_t, double)                                                                                 \
  DO(GHZ_U8, uint8_t, float)                                                                                   \
  DO(GHZ_U16, uint16_t, float)                                                                                 \
  DO(GHZ_U32, uint32_t, double)

/* Past the values of a line, as stored. */
typedef void *line_in(const void *x, size_t n, void *stored);

#define DEFINE_IN(type, INT, REAL)                                                                             \
  static void *in_##type(const void *x, size_t n, void *stored) {                                              \
    const INT *from = x;                                                                                       \
    REAL *to = stored;                                                                                         \
    for (size_t i = 0; i < n; i++)                                                                             \
      to[i] = (REAL)from[i];                                                                                   \
    return to + n;                                                                                             \
  }
EACH_TYPE(DEFINE_IN)

/* Returns whether all are such integers (ghz_integers_out). */
typedef int line_out(integer_range range, double fill, const double *values, size_t n, void *x);

#define DEFINE_OUT(type, INT, REAL)                                                                            \
  static int out_##type(integer_range range, double fill, const double *values, size_t n, void *x) {           \
    INT *to = x;                                                                                               \
    int all = 1;                                                                                               \
    for (size_t i = 0; i < n; i++) {                                                                           \
      const double v = values[i];                                                                              \
      const int inside = v >= range.least && v < range.beyond && (fabs(v) < 0x1p53 || v == fill);              \
      to[i] = (INT)(inside ? v : 0);                                                                           \
      all &= inside && (double)to[i] == v;                                                                     \
    }                                                                                                          \
    return all;                                                                                                \
  }
EACH_TYPE(DEFINE_OUT)

#define ENTRY(type, INT, REAL) [type] = {in_##type, out_##type},
static const struct converter {
  line_in *in;
  line_out *out;
} converters[] = {EACH_TYPE(ENTRY)};

/* ---- In -------------------------------------------------------------------------------------- */

void ghz_integers_in(ghz_type type, const tile_place *place, const void *x, void *stored) {
  line_in *const line = converters[type].in; /* which every type of integers has */
  const uint8_t *from = x;
  const size_t bytes = type_bytes(type);
  for (unsigned z = 0; z < place->extent.z; z++)
    for (unsigned y = 0; y < place->extent.y; y++) /* NOLINTNEXTLINE(clang-analyzer-*) */
      stored = line(from + (z * place->plane + y * place->row) * bytes, place->extent.x, stored);
}

size_t ghz_integers_encode(const tile_codec *tiles, const ghz_lattice *lattice, int order,
                           const tile_place *place, const void *x, uint8_t *dst) {
  _Alignas(64) double stored[TILE];
  const ghz_lattice storage = storage_lattice(lattice);
  const tile_place packed = packed_place(place->extent);
  ghz_integers_in(lattice->type, place, x, stored);
  return tiles->encode(&storage, order, &packed, stored, dst);
}

/* The first of a line of int64 that no lattice reaches; n if there is none. */
static size_t first_beyond(const ghz_lattice *l, const int64_t *x, size_t n) {
  const int64_t most = INT64_C(1) << 44, fill = l->has_fill ? (int64_t)l->fill : 0;
  size_t i = 0;
  while (i < n && ((x[i] >= -most && x[i] <= most) || x[i] == fill))
    i++;
  return i;
}

ghz_status ghz_integers_check(ghz_context *ctx, const compression *c) {
  const int64_t *x = c->x;
  if (c->lattice->type != GHZ_I64 || c->tiles == 0)
    return GHZ_OK;
  tile_walk t = walk_from(c->shape, c->first);
  for (uint64_t tile = 0; tile < c->tiles; tile++, walk_on(&t)) {
    const tile_place place = place_in(c->shape, &t.extent);
    for (unsigned line = 0; line < t.extent.z * t.extent.y; line++) {
      const uint64_t at =
          offset_of(c->shape, t.origin) + line / t.extent.y * place.plane + line % t.extent.y * place.row;
      const size_t i = first_beyond(c->lattice, x + at, t.extent.x);
      if (i < t.extent.x)
        return ghz_fail(ctx, GHZ_ERANGE, "value %llu is %lld: int64 is compressed up to 2^44 in magnitude",
                        (ull)(at + i), (long long)x[at + i]);
    }
  }
  return GHZ_OK;
}

/* ---- Out ------------------------------------------------------------------------------------- */

size_t ghz_integers_out(const ghz_lattice *lattice, ghz_type out, const double *values, size_t n, void *x) {
  const integer_range range = range_of_type(out);
  const double fill = lattice->has_fill ? lattice->fill : 0;
  uint64_t one;
  size_t i = 0;
  if (converters[out].out(range, fill, values, n, x))
    return n;
  while (i < n && converters[out].out(range, fill, values + i, 1, &one))
    i++;
  return i;
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

const thread_range *ghz_merge_ranges(thread_range *r, int threads) {
  floating_environment env;
  floating_begin(&env); /* denormals compare as themselves */
  for (int i = 1; i < threads; i++)
    widen_range(r, r[i].min, r[i].max);
  floating_end(&env);
  return r;
}

typedef struct range_job {
  const tile_codec *tiles;
  const ghz_lattice *lattice; /* type and fill */
  const uint8_t *x;
  size_t n;
  thread_range *ranges;
} range_job;

static void range_of_integers(const range_job *j, const uint8_t *x, size_t n, thread_range *range) {
  _Alignas(64) double stored[TILE];
  const ghz_lattice storage = storage_lattice(j->lattice);
  double min, max;
  for (size_t i = 0, part; i < n; i += part) {
    part = n - i < TILE ? n - i : TILE;
    const tile_place line = packed_place((tile_extent){1, (unsigned)part, 1, 1, (unsigned)part});
    ghz_integers_in(j->lattice->type, &line, x + i * type_bytes(j->lattice->type), stored);
    j->tiles->range(&storage, stored, part, &min, &max);
    widen_range(range, min, max);
  }
}

static ghz_status range_chunk(const void *job, chunk *c) {
  const range_job *j = job;
  size_t start = c->first * TILE, count = j->n - start < GHZ_CHUNK ? j->n - start : GHZ_CHUNK;
  const uint8_t *x = j->x + start * ghz_type_size(j->lattice->type);
  double min, max;
  if (is_integer(j->lattice->type))
    range_of_integers(j, x, count, &j->ranges[c->thread]);
  else {
    j->tiles->range(j->lattice, x, count, &min, &max);
    widen_range(&j->ranges[c->thread], min, max);
  }
  return GHZ_OK;
}

ghz_status ghz_range_of(ghz_context *ctx, const ghz_lattice *l, const void *x, size_t n, double *min,
                        double *max) {
  if (!type_known(l->type))
    return ghz_fail(ctx, GHZ_EINVAL, "type %d is unknown", (int)l->type);
  if ((!x && n) || !min || !max)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", !min ? "min" : !max ? "max" : "x");
  thread_range *ranges = ghz_arena_reserve(&ctx->scratch, (size_t)ctx->threads * sizeof *ranges);
  if (!ranges)
    return ghz_fail(ctx, GHZ_ENOMEM, "no scratch for %d threads", ctx->threads);
  for (int i = 0; i < ctx->threads; i++)
    ranges[i] = no_values;
  range_job job = {ctx->tiles, l, x, n, ranges};
  ghz_status status = ghz_parallel_for(ctx, range_chunk, &job, 0, tiles_of(n));
  const thread_range *all = ghz_merge_ranges(ranges, ctx->threads);
  *min = all->min;
  *max = all->max;
  return status;
}

ghz_status ghz_range(ghz_context *ctx, ghz_type type, const void *x, size_t n, double *min, double *max) {
  GHZ_CALL(ctx);
  return ghz_range_of(ctx, &(ghz_lattice){.type = type}, x, n, min, max);
}

ghz_status ghz_range_without(ghz_context *ctx, ghz_type type, const void *x, size_t n, double fill, double *min,
                             double *max) {
  GHZ_CALL(ctx);
  ghz_lattice l = {.type = type};
  ghz_status status = ghz_lattice_fill_in(ctx, &l, fill);
  return status == GHZ_OK ? ghz_range_of(ctx, &l, x, n, min, max) : status;
}

/* ---- Lattices of arrays ---------------------------------------------------------------------- */

/* The range of all arrays; zeros have the one that nothing has. */
static ghz_status range_of_all(ghz_context *ctx, const ghz_lattice *l, size_t k, const void *const *arrays,
                               size_t n, thread_range *all) {
  *all = no_values;
  for (size_t i = 0; i < k; i++) {
    thread_range one = no_values;
    const ghz_status status = ghz_range_of(ctx, l, arrays[i], n, &one.min, &one.max);
    if (status != GHZ_OK)
      return status;
    widen_range(all, one.min, one.max);
  }
  if (all->min == 0 && all->max == 0)
    *all = no_values;
  return GHZ_OK;
}

ghz_status ghz_lattice_of(ghz_context *ctx, ghz_type type, ghz_bound bound, const double *fill, size_t k,
                          const void *const *arrays, size_t n, ghz_lattice *lattice) {
  floating_environment env;
  ghz_lattice with = {.type = type};
  thread_range all = {0, 0};
  floating_begin(&env); /* a denormal range is not 0 */
  ghz_status status = fill ? ghz_lattice_fill_in(ctx, &with, *fill) : GHZ_OK;
  if (status == GHZ_OK && ghz_bound_is_relative(bound.kind))
    status = range_of_all(ctx, &with, k, arrays, n, &all);
  if (status == GHZ_OK)
    status = ghz_lattice_make_in(ctx, type, bound, all.min, all.max, lattice);
  if (status == GHZ_OK) {
    lattice->has_fill = with.has_fill;
    lattice->fill = with.fill;
  }
  floating_end(&env);
  return status;
}

ghz_status ghz_lattice_for(ghz_context *ctx, ghz_type type, ghz_bound bound, const double *fill, size_t k,
                           const void *const *arrays, size_t n, ghz_lattice *lattice) {
  GHZ_CALL(ctx);
  if (!lattice || !arrays || k == 0)
    return ghz_fail(ctx, GHZ_EINVAL, k ? "lattice or arrays is NULL" : "there are no arrays");
  return ghz_lattice_of(ctx, type, bound, fill, k, arrays, n, lattice);
}
