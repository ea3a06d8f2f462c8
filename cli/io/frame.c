/* frame.c: owns the bytes of a .ghz file: header, checksums, and frames in memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "frame.h"

#include <string.h>
#include <xxhash.h>

#include "bytes.h"
#include "report/library.h"
#include "report/report.h"

enum { VERSION = 2, FLAG_FORTRAN = 1, FLAG_NPY = 2, DIMS_SHIFT = 2, FLAGS_MAX = 11 };

/* ---- Header ---- */

size_t header_encode(const frame_header *h, unsigned char b[HEADER_MAX]) {
  memcpy(b, FRAME_MAGIC, 4);
  b[4] = VERSION;
  b[5] = (unsigned char)h->type;
  b[6] = (unsigned char)h->shape.ndim;
  b[7] = (unsigned char)((h->shape.fortran ? FLAG_FORTRAN : 0) | (h->shape.npy ? FLAG_NPY : 0) |
                         (h->layout.array.dims - 1) << DIMS_SHIFT);
  put_u64(b + 8, h->total);
  put_u64(b + 16, h->layout.frame_values);
  put_f64(b + 24, h->step);
  put_f64(b + 32, h->eb);
  for (unsigned i = 0; i < h->shape.ndim; i++)
    put_u64(b + HEADER_FIXED + 8 * i, h->shape.dims[i]);
  size_t size = HEADER_FIXED + 8 * h->shape.ndim;
  checksum_put(b, size, 0);
  return size + 8;
}

bool header_check_start(const char *name, const unsigned char *b, size_t got, size_t *rest) {
  if (got == 0)
    return fail(name, "is empty");
  if (got < 4 || memcmp(b, FRAME_MAGIC, 4) != 0)
    return fail(name, "not a .ghz file");
  if (got < HEADER_START)
    return fail(name, "truncated: ends in the header");
  if (b[4] == 1)
    return fail(name, "written by version 0.1 of ghz, whose format this version does not read");
  if (b[4] != VERSION)
    return fail(name, "version %u of the file format; this command reads version %d", b[4], VERSION);
  if (b[6] > SHAPE_MAX)
    return fail(name, "damaged header: %u dimensions", b[6]);
  if (b[5] > 1 || b[7] > FLAGS_MAX)
    return fail(name, "written by a newer version of ghz, or damaged: type %u, flags %u", b[5], b[7]);
  *rest = (size_t)HEADER_FIXED - HEADER_START + 8 * b[6] + 8;
  return true;
}

static void decode(const unsigned char *b, frame_header *h) {
  *h = (frame_header){.type = b[5] ? GHZ_F64 : GHZ_F32,
                      .shape = {.ndim = b[6], .fortran = b[7] & FLAG_FORTRAN, .npy = b[7] & FLAG_NPY},
                      .total = get_u64(b + 8),
                      .step = get_f64(b + 24),
                      .eb = get_f64(b + 32)};
  for (unsigned i = 0; i < h->shape.ndim; i++)
    h->shape.dims[i] = get_u64(b + HEADER_FIXED + 8 * i);
}

/* Checks the header, and finds the layout that it names. */
static bool check(const char *name, const unsigned char *b, frame_header *h) {
  uint64_t count, frame_values = get_u64(b + 16);
  bool shaped = h->shape.ndim > 0 || h->shape.npy;
  if (h->total != COUNT_UNKNOWN && h->total > COUNT_UNKNOWN / 16)
    return fail(name, "damaged header: %llu values", (unsigned long long)h->total);
  if (shaped && (!shape_count(&h->shape, &count) || count != h->total))
    return fail(name, "damaged header: the shape does not match the number of values");
  return layout_of(&h->shape, 1 + (b[7] >> DIMS_SHIFT), h->total, frame_values, &h->layout) ||
         fail(name, "damaged header: %llu values per frame", (unsigned long long)frame_values);
}

bool header_decode(const char *name, const unsigned char *b, size_t rest, frame_header *h) {
  size_t checked = HEADER_START + rest - 8;
  if (!checksum_fits(b, checked, 0))
    return fail(name, "damaged header: its checksum does not match");
  decode(b, h);
  return check(name, b, h);
}

/* ---- Checksums ---- */

void checksum_put(unsigned char *data, size_t size, uint64_t seed) {
  put_u64(data + size, XXH3_64bits_withSeed(data, size, seed));
}

bool checksum_fits(const unsigned char *data, size_t size, uint64_t seed) {
  return get_u64(data + size) == XXH3_64bits_withSeed(data, size, seed);
}

/* ---- Frames in memory ---- */

bool frame_reserve(frame *f, size_t capacity, const char *name) {
  if (capacity == 0 || capacity > SIZE_MAX - 16)
    return fail(name, "the result would sum more terms than a stream can hold");
  return buffer_reserve(&f->bytes, capacity + 16, name);
}

void *frame_stream(const frame *f) {
  return f->bytes.data + 8;
}

ghz_bytes frame_bytes(const frame *f) {
  return (ghz_bytes){frame_stream(f), f->size};
}

void frame_free(frame *f) {
  buffer_free(&f->bytes);
}

bool frame_inspect(frame *f, const char *name) {
  if (f->size >= 4 && memcmp(frame_stream(f), "GHZ1", 4) == 0)
    return fail(name, "written by version 0.1 of ghz, whose format this version does not read");
  return library_ok(name, NULL, ghz_info_read(frame_bytes(f), &f->info));
}
