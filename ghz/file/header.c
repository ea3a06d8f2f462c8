/* header.c: owns the bytes of the header of a file, and how an array is cut into frames. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "file/header.h"
#include "context/context.h"
#include "file/checksum.h"
#include "file/errors.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"
#include "rules/shape.h"

/* ---- Arrays ---------------------------------------------------------------------------------- */

uint64_t ghz_array_count(const ghz_array *a) {
  uint64_t count = 1;
  for (unsigned i = 0; i < a->ndim && i < GHZ_FILE_NDIM; i++)
    if (a->dims[i] == 0)
      return 0;
  for (unsigned i = 0; i < a->ndim && i < GHZ_FILE_NDIM; i++) {
    if (a->dims[i] > COUNT_MAX / count)
      return GHZ_FILE_UNKNOWN;
    count *= a->dims[i];
  }
  return count;
}

ghz_shape ghz_array_shape(const ghz_array *a, uint64_t count) {
  uint64_t extents[GHZ_FILE_NDIM];
  ghz_shape made;
  for (unsigned i = 0; i < a->ndim; i++)
    extents[i] = a->dims[a->fortran ? a->ndim - 1 - i : i];
  return a->ndim > 1 && ghz_shape_make(a->ndim, extents, &made) == GHZ_OK ? made : ghz_flat(count);
}

int ghz_arrays_agree(const ghz_array *a, const ghz_array *b) {
  return a->ndim == 0 || b->ndim == 0 ||
         (a->ndim == b->ndim && (a->fortran == b->fortran || a->ndim == 1) &&
          memcmp(a->dims, b->dims, a->ndim * sizeof *a->dims) == 0);
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* The product, or more than any frame holds. */
static uint64_t product(uint64_t a, uint64_t b) {
  uint64_t p;
  return __builtin_mul_overflow(a, b, &p) || p > FRAME_VALUES_MAX ? FRAME_VALUES_MAX + 1 : p;
}

/* The fewest values that a frame of whole planes, or of lines, may hold; of a flat array, a
 * chunk. */
static uint64_t plane_step(const ghz_shape *s) {
  return s->dims == 1 ? GHZ_CHUNK : product(product(s->extent[1], s->extent[2]), whole_tile(s->dims).z);
}

static uint64_t line_step(const ghz_shape *s) {
  return s->dims == 2 ? product(whole_tile(2).y, s->extent[2]) : FRAME_VALUES_MAX + 1;
}

static uint64_t round_down(uint64_t values, uint64_t step) {
  return values < step ? step : values / step * step;
}

/* Frames of whole planes where one fits in `values`, or where lines would not fit in a frame. */
uint64_t ghz_layout_frame_values(const ghz_shape *s, uint64_t values) {
  const uint64_t planes = plane_step(s), lines = line_step(s);
  if (planes <= values || lines > FRAME_VALUES_MAX || (planes <= FRAME_VALUES_MAX && lines >= planes))
    return planes <= FRAME_VALUES_MAX ? round_down(values, planes) : 0;
  return round_down(values, lines);
}

ghz_status ghz_file_choose_frames(ghz_file_header *h, int flat, uint64_t values) {
  const size_t size = h ? ghz_type_size(h->lattice.type) : 0;
  if (!h || size == 0 || h->array.ndim > GHZ_FILE_NDIM)
    return ghz_fail(NULL, GHZ_EINVAL, "%s", !h ? "header is NULL" : size ? "too many dimensions" : "no type");
  values = values ? values : FRAME_BYTES / size;
  if (values > FRAME_VALUES_MAX)
    return ghz_fail(NULL, GHZ_EINVAL, "%llu values in a frame: at most 2^26", (ull)values);
  const int shaped = h->array.ndim > 0 || h->array.npy;
  if ((shaped && ghz_array_count(&h->array) != h->count) ||
      (h->count > COUNT_MAX && h->count != GHZ_FILE_UNKNOWN))
    return ghz_fail(NULL, GHZ_EINVAL, "%llu values: not the product of the dimensions, or 2^60 or more",
                    (ull)h->count);
  h->shape = flat ? ghz_flat(h->count) : ghz_array_shape(&h->array, h->count);
  if (h->shape.dims == 3 && plane_step(&h->shape) > FRAME_VALUES_MAX)
    h->shape.dims = 2;
  h->frame_values = ghz_layout_frame_values(&h->shape, values);
  if (h->frame_values == 0) {
    h->shape = ghz_flat(h->count);
    h->frame_values = ghz_layout_frame_values(&h->shape, values);
  }
  return GHZ_OK;
}

/* ---- Checking -------------------------------------------------------------------------------- */

static int frames_valid(const ghz_shape *s, uint64_t values) {
  const uint64_t planes = plane_step(s), lines = line_step(s);
  if (values == 0 || values > FRAME_VALUES_MAX || planes == 0)
    return 0;
  return values % planes == 0 || (values < planes && values % lines == 0);
}

int ghz_layout_set(ghz_file_header *h, int dims) {
  h->shape = dims == 1 ? ghz_flat(h->count) : ghz_array_shape(&h->array, h->count);
  if (dims < 1 || dims > 3 || (dims > 1 && h->shape.dims == 1))
    return 0;
  h->shape.dims = dims;
  return frames_valid(&h->shape, h->frame_values);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* What is left of an extent from `at` on, `most` at most. */
static uint64_t rest_of(uint64_t all, uint64_t at, uint64_t most) {
  return all - at < most ? all - at : most;
}

static ghz_shape whole_frame(const ghz_file_header *h) {
  const uint64_t *n = h->shape.extent, plane = n[1] * n[2];
  if (h->shape.dims == 1)
    return ghz_flat(h->frame_values);
  if (h->frame_values >= plane)
    return (ghz_shape){h->shape.dims, {h->frame_values / plane, n[1], n[2]}};
  return (ghz_shape){h->shape.dims, {1, h->frame_values / n[2], n[2]}};
}

ghz_shape ghz_file_frame_shape(const ghz_file_header *h, uint64_t first) {
  const uint64_t *n = h->shape.extent, plane = n[1] * n[2];
  ghz_shape f = whole_frame(h);
  if (first == GHZ_FILE_UNKNOWN)
    return f;
  if (f.dims == 1) {
    f.extent[2] = rest_of(h->count, first, f.extent[2]);
    return f;
  }
  const uint64_t lines = first % plane / n[2];
  f.extent[0] = lines ? 1 : rest_of(n[0], first / plane, f.extent[0]);
  f.extent[1] = rest_of(n[1], lines, f.extent[1]);
  return f;
}

int ghz_layout_frame(const ghz_file_header *h, uint64_t first, uint64_t values, ghz_shape *shape) {
  const uint64_t *n = h->shape.extent, plane = n[1] * n[2];
  ghz_shape s = ghz_file_frame_shape(h, first);
  if (values > ghz_shape_count(&s) || (values == 0 && h->count != 0))
    return 0;
  if (s.dims == 1)
    s.extent[2] = values;
  else if (plane == 0)
    return 0;
  else if (values >= plane) /* at the begin of one: inside it fewer are left */
    s.extent[0] = values / plane;
  else
    s.extent[0] = 1, s.extent[1] = values / n[2];
  *shape = s;
  return ghz_shape_count(&s) == values;
}

int ghz_layout_fits(const ghz_file_header *h, uint64_t number, uint64_t first, int piped, const ghz_shape *s) {
  const uint64_t values = ghz_shape_count(s);
  ghz_shape expected = ghz_file_frame_shape(h, first);
  if (values == 0 && number > 0)
    return 0;
  if (h->count == GHZ_FILE_UNKNOWN)
    return s->dims == 1 && values <= h->frame_values && first == number * h->frame_values;
  return (piped || ghz_layout_frame(h, first, values, &expected)) && shapes_equal(s, &expected);
}

/* ---- The header ------------------------------------------------------------------------------ */

enum { FIXED = 48 }; /* bytes before the dimensions */
enum { IS_FORTRAN = 1, IS_NPY = 2, DIMS_SHIFT = 2, HAS_FILL = 16, CAP_IS_44 = 32, KNOWN = 63 };

size_t ghz_header_encode(const ghz_file_header *h, uint8_t b[HEADER_MAX]) {
  const ghz_lattice *l = &h->lattice;
  memcpy(b, "GHZF", 4);
  b[4] = FILE_VERSION;
  b[5] = (uint8_t)l->type;
  b[6] = (uint8_t)h->array.ndim;
  b[7] = (uint8_t)((h->array.fortran ? IS_FORTRAN : 0) | (h->array.npy ? IS_NPY : 0) |
                   (h->shape.dims - 1) << DIMS_SHIFT | (l->has_fill ? HAS_FILL : 0) |
                   (l->cap == 44 ? CAP_IS_44 : 0));
  store_u64(b + 8, h->count);
  store_u64(b + 16, h->frame_values);
  store_f64(b + 24, l->step);
  store_f64(b + 32, l->eb);
  store_f64(b + 40, l->has_fill ? l->fill : 0);
  for (unsigned i = 0; i < h->array.ndim; i++)
    store_u64(b + FIXED + 8 * i, h->array.dims[i]);
  const size_t size = FIXED + 8 * h->array.ndim;
  ghz_checksum_put(b, size, 0);
  return size + 8;
}

ghz_status ghz_header_start(const char *name, const uint8_t *b, size_t got, size_t *size) {
  if (got == 0)
    return ghz_file_fail(name, GHZ_ECORRUPT, "is empty");
  if (got < 4 || memcmp(b, "GHZF", 4) != 0)
    return ghz_file_fail(name, GHZ_ECORRUPT, "not a .ghz file");
  if (got < HEADER_START)
    return ghz_file_fail(name, GHZ_ECORRUPT, "truncated: ends in the header");
  if (b[4] != FILE_VERSION)
    return ghz_file_fail(name, GHZ_EVERSION, "version %u of the file format%s; this version of ghz reads %d",
                         b[4],
                         b[4] == 1                     ? ", of version 0.1 of ghz"
                         : b[4] && b[4] < FILE_VERSION ? ", of version 0.2 of ghz before its release"
                                                       : "",
                         FILE_VERSION);
  if (b[6] > GHZ_FILE_NDIM)
    return ghz_file_fail(name, GHZ_ECORRUPT, "damaged header: %u dimensions", b[6]);
  if (!type_known((ghz_type)b[5]) || b[7] & ~KNOWN || (b[7] & 12) == 12)
    return ghz_file_fail(name, GHZ_EVERSION, "written by a newer version of ghz, or damaged: type %u, flags %u",
                         b[5], b[7]);
  *size = FIXED + 8 * (size_t)b[6] + 8;
  return GHZ_OK;
}

static void decode(const uint8_t *b, ghz_file_header *h) {
  *h = (ghz_file_header){.array = {.ndim = b[6], .fortran = b[7] & IS_FORTRAN, .npy = (b[7] & IS_NPY) != 0},
                         .lattice = {.type = (ghz_type)b[5],
                                     .cap = b[7] & CAP_IS_44 ? 44 : 35,
                                     .step = load_f64(b + 24),
                                     .eb = load_f64(b + 32),
                                     .has_fill = (b[7] & HAS_FILL) != 0,
                                     .fill = load_f64(b + 40)},
                         .count = load_u64(b + 8),
                         .frame_values = load_u64(b + 16)};
  for (unsigned i = 0; i < h->array.ndim; i++)
    h->array.dims[i] = load_u64(b + FIXED + 8 * i);
}

const char *ghz_header_check(ghz_file_header *h, int dims) {
  const int shaped = h->array.ndim > 0 || h->array.npy;
  if (h->count != GHZ_FILE_UNKNOWN && h->count > COUNT_MAX)
    return "2^60 values or more";
  if (shaped && (h->count == GHZ_FILE_UNKNOWN || ghz_array_count(&h->array) != h->count))
    return "the shape does not match the number of values";
  return ghz_layout_set(h, dims) ? NULL : "impossible frames";
}

ghz_status ghz_header_decode(const char *name, const uint8_t *b, size_t size, ghz_file_header *h) {
  if (!ghz_checksum_fits(b, size - 8, 0))
    return ghz_file_fail(name, GHZ_ECORRUPT, "damaged header: its checksum does not match");
  decode(b, h);
  if (!lattice_valid(&h->lattice) || (!h->lattice.has_fill && load_u64(b + 40)))
    return ghz_file_fail(name, GHZ_ECORRUPT, "damaged header: step %g, bound %g, fill %g are no lattice",
                         h->lattice.step, h->lattice.eb, h->lattice.fill);
  const char *wrong = ghz_header_check(h, 1 + (b[7] >> DIMS_SHIFT & 3));
  return wrong ? ghz_file_fail(name, GHZ_ECORRUPT, "damaged header: %s (%llu values, %llu per frame)", wrong,
                               (ull)h->count, (ull)h->frame_values)
               : GHZ_OK;
}

int ghz_header_continues(const ghz_file_header *old, const ghz_file_header *now, int appended) {
  uint8_t a[HEADER_MAX], b[HEADER_MAX];
  ghz_file_header h = *now;
  if (appended || old->count == GHZ_FILE_UNKNOWN)
    h.count = old->count;
  if (appended)
    h.frame_values = old->frame_values;
  if (appended && h.array.ndim > 0 && h.array.ndim == old->array.ndim) {
    const unsigned slowest = array_slowest(&h.array);
    if (old->array.dims[slowest] > h.array.dims[slowest])
      return 0;
    h.array.dims[slowest] = old->array.dims[slowest];
  }
  const size_t size = ghz_header_encode(old, a);
  return size == ghz_header_encode(&h, b) && memcmp(a, b, size) == 0;
}
