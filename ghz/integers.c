/* integers.c: arrays of integers to the values that tiles hold, and back. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "integers.h"

#include <math.h>

#include "rules/lattice_rules.h"

/* The types, their C type and that of their carrier. */
#define EACH_TYPE(DO)                                                                                          \
  DO(GHZ_I8, int8_t, float)                                                                                    \
  DO(GHZ_I16, int16_t, float)                                                                                  \
  DO(GHZ_I32, int32_t, double)                                                                                 \
  DO(GHZ_I64, int64_t, double)                                                                                 \
  DO(GHZ_U8, uint8_t, float)                                                                                   \
  DO(GHZ_U16, uint16_t, float)                                                                                 \
  DO(GHZ_U32, uint32_t, double)

/* ---- In -------------------------------------------------------------------------------------- */

/* Past the values of a line, as carriers. */
typedef void *line_in(const void *x, size_t n, void *carriers);

#define DEFINE_IN(type, INT, REAL)                                                                             \
  static void *in_##type(const void *x, size_t n, void *carriers) {                                            \
    const INT *from = x;                                                                                       \
    REAL *to = carriers;                                                                                       \
    for (size_t i = 0; i < n; i++)                                                                             \
      to[i] = (REAL)from[i];                                                                                   \
    return to + n;                                                                                             \
  }
EACH_TYPE(DEFINE_IN)

void ghz_integers_in(ghz_type type, const tile_place *place, const void *x, void *carriers) {
#define ENTRY(type, INT, REAL) [type] = in_##type,
  static line_in *const in[] = {EACH_TYPE(ENTRY)};
#undef ENTRY
  line_in *const line = in[type]; /* which every type of integers has */
  const uint8_t *from = x;
  const size_t bytes = type_bytes(type);
  for (unsigned z = 0; z < place->extent.z; z++)
    for (unsigned y = 0; y < place->extent.y; y++) /* NOLINTNEXTLINE(clang-analyzer-*) */
      carriers = line(from + (z * place->plane + y * place->row) * bytes, place->extent.x, carriers);
}

size_t ghz_integers_encode(const tile_codec *tiles, const ghz_lattice *lattice, int order,
                           const tile_place *place, const void *x, uint8_t *dst) {
  _Alignas(64) double carriers[TILE];
  const ghz_lattice carrier = carrier_lattice(lattice);
  const tile_place packed = packed_place(place->extent);
  ghz_integers_in(lattice->type, place, x, carriers);
  return tiles->encode(&carrier, order, &packed, carriers, dst);
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

/* Returns whether all are such integers. */
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

size_t ghz_integers_out(const ghz_lattice *lattice, ghz_type out, const double *values, size_t n, void *x) {
#define ENTRY(type, INT, REAL) [type] = out_##type,
  static line_out *const converts[] = {EACH_TYPE(ENTRY)};
#undef ENTRY
  const integer_range range = range_of_type(out);
  const double fill = lattice->has_fill ? lattice->fill : 0;
  uint64_t one;
  size_t i = 0;
  if (converts[out](range, fill, values, n, x))
    return n;
  while (i < n && converts[out](range, fill, values + i, 1, &one))
    i++;
  return i;
}
