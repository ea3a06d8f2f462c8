/* header.c: owns the bytes of headers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/header.h"

#include "file/checksum.h"
#include "file/errors.h"
#include "file/layout.h"
#include "rules/bytes.h"
#include "rules/fill.h"
#include "rules/lattice_rules.h"

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

int ghz_header_continues(const ghz_file_header *old, const ghz_file_header *now) {
  uint8_t a[HEADER_MAX], b[HEADER_MAX];
  ghz_file_header h = *now;
  h.count = old->count;
  h.frame_values = old->frame_values;
  if (h.array.ndim > 0 && h.array.ndim == old->array.ndim) {
    const unsigned slowest = array_slowest(&h.array);
    if (old->array.dims[slowest] > h.array.dims[slowest])
      return 0;
    h.array.dims[slowest] = old->array.dims[slowest];
  }
  const size_t size = ghz_header_encode(old, a);
  return size == ghz_header_encode(&h, b) && memcmp(a, b, size) == 0;
}
