/* reference_stream.c: whole streams of the reference codec: header, index, checks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"
#include "reference_parts.h"
#include <math.h>
#include <string.h>

/* ---- Shapes ---- */
static uint64_t pieces(uint64_t n, uint64_t of) { return n / of + (n % of != 0); }

uint64_t ref_tiles(uint64_t n) { return pieces(n, REF_TILE); }

ref_header ref_shaped(ref_header h, int dims, uint64_t z, uint64_t y, uint64_t x) {
  h.dims = dims;
  h.extent[0] = z;
  h.extent[1] = y;
  h.extent[2] = x;
  h.n = z * y * x;
  return h;
}

uint64_t ref_tile_total(const ref_header *h) {
  ref_brick b = ref_brick_of(h->dims);
  if (h->dims < 2 || h->n == 0)
    return ref_tiles(h->n);
  return pieces(h->extent[0], (uint64_t)b.z) * pieces(h->extent[1], (uint64_t)b.y) *
         pieces(h->extent[2], (uint64_t)b.x);
}

static uint64_t chunks(const ref_header *h) { return pieces(ref_tile_total(h), 16); }

/* Where the first value of a tile of bricks stands: z, y, x. */
static void origin_of(const ref_header *h, uint64_t number, uint64_t origin[3]) {
  ref_brick b = ref_brick_of(h->dims);
  uint64_t along = pieces(h->extent[2], (uint64_t)b.x), across = pieces(h->extent[1], (uint64_t)b.y);
  origin[2] = number % along * (uint64_t)b.x;
  origin[1] = number / along % across * (uint64_t)b.y;
  origin[0] = number / along / across * (uint64_t)b.z;
}

static int rest_of(uint64_t extent, uint64_t origin, int most) {
  return extent - origin < (uint64_t)most ? (int)(extent - origin) : most;
}

void ref_tile_shape(const ref_header *h, uint64_t number, ref_tile *t) {
  uint64_t at[3];
  ref_brick b = ref_brick_of(h->dims);
  t->dims = h->dims < 2 ? 1 : h->dims;
  t->z = t->y = 1;
  t->x = t->n = rest_of(h->n, number * REF_TILE, REF_TILE);
  if (h->dims < 2)
    return;
  origin_of(h, number, at);
  t->z = rest_of(h->extent[0], at[0], b.z);
  t->y = rest_of(h->extent[1], at[1], b.y);
  t->x = rest_of(h->extent[2], at[2], b.x);
  t->n = t->z * t->y * t->x;
}

int ref_tile_count(const ref_header *h, uint64_t number) {
  ref_tile t;
  ref_tile_shape(h, number, &t);
  return t.n;
}

uint64_t ref_place(const ref_header *h, uint64_t number, int i) {
  uint64_t at[3], column = (uint64_t)i;
  if (h->dims < 2)
    return number * REF_TILE + column;
  ref_brick b = ref_brick_of(h->dims);
  origin_of(h, number, at);
  at[2] += column % (uint64_t)b.x;
  at[1] += column / (uint64_t)b.x % (uint64_t)b.y;
  at[0] += column / (uint64_t)b.x / (uint64_t)b.y;
  return (at[0] * h->extent[1] + at[1]) * h->extent[2] + at[2];
}

/* ---- Streams ---- */
enum { FILL = 64, HEADER = 72 };

static uint64_t sizes_offset(const ref_header *h) { return HEADER + 8 * chunks(h); }
static uint64_t payload_offset(const ref_header *h) { return sizes_offset(h) + 2 * ref_tile_total(h); }

static void put_header(uint8_t *p, const ref_header *h, uint64_t payload) {
  memset(p, 0, HEADER);
  memcpy(p, "GHZ3", 4);
  p[4] = (uint8_t)(h->integers ? h->integers : h->type);
  p[5] = (uint8_t)(h->inexact | h->transform << 1 | h->has_fill << 2);
  p[6] = (uint8_t)h->cap;
  p[7] = (uint8_t)(h->dims < 2 ? 1 : h->dims);
  put_little(p + 8, h->dims < 2 ? 1 : h->extent[0], 8);
  put_little(p + 16, h->dims < 2 ? 1 : h->extent[1], 8);
  put_little(p + 24, h->dims < 2 ? h->n : h->extent[2], 8);
  put_little(p + 32, ref_bits(REF_F64, h->step), 8);
  put_little(p + 40, ref_bits(REF_F64, h->integers ? h->said_eb : h->eb), 8);
  put_little(p + 48, h->terms, 4);
  put_little(p + 56, payload, 8);
  if (h->has_fill)
    put_little(p + FILL, ref_bits(REF_F64, h->fill), 8);
}

ref_bytes ref_assemble(const ref_header *h, const uint16_t *sizes, const uint8_t *payload) {
  uint64_t tiles = ref_tile_total(h), total = 0;
  for (uint64_t t = 0; t < tiles; t++)
    total += sizes[t];
  ref_bytes out = bytes_new((size_t)(payload_offset(h) + total));
  put_header(out.data, h, total);
  total = 0;
  for (uint64_t t = 0; t < tiles; t++) {
    put_little(out.data + sizes_offset(h) + 2 * t, sizes[t], 2);
    total += sizes[t];
    put_little(out.data + HEADER + 8 * (t / 16), total, 8); /* where the chunk ends, so far */
  }
  if (total)
    memcpy(out.data + payload_offset(h), payload, (size_t)total);
  return out;
}

ref_tile *ref_tile_new(const ref_header *h) {
  ref_tile *t = scratch(sizeof *t);
  memset(t, 0, sizeof *t);
  ref_tile_shape(h, 0, t);
  return t;
}

ref_bytes ref_stream_of(const ref_header *h, const ref_tile *t) {
  uint8_t *tile = scratch(REF_TILE_ROOM);
  const uint16_t size = (uint16_t)ref_tile_encode(h->type, t, tile);
  return ref_assemble(h, &size, tile);
}

ref_tile *ref_tile_of(ref_bytes stream) {
  size_t size;
  const ref_header h = ref_header_read(stream.data);
  const uint8_t *tile = ref_tile_at(stream.data, 0, &size);
  ref_tile *t = scratch(sizeof *t);
  need(ref_tile_parse(&h, 0, tile, size, t) == REF_GOOD ? GHZ_OK : GHZ_ECORRUPT, "a tile");
  return t;
}

void ref_tile_read(const ref_header *h, uint64_t number, const void *x, ref_tile *t) {
  int type = h->integers ? h->integers : h->type;
  size_t each = ref_any_size(type);
  memset(t->bits, 0, sizeof t->bits);
  for (int i = 0; i < REF_TILE; i++)
    if (ref_inside(t, i)) {
      uint64_t bits = get_little((const uint8_t *)x + each * (size_t)ref_place(h, number, i), (int)each);
      t->bits[i] = h->integers ? ref_bits(h->type, ref_any_value(type, bits)) : bits;
    }
}

ref_bytes ref_compress(const ref_header *of, int order, const void *x) {
  ref_header header = *of, *h = &header;
  uint64_t tiles = ref_tile_total(h);
  size_t each = ref_value_size(h->type), used = 0;
  uint16_t *sizes = scratch((size_t)tiles * 2);
  uint8_t *payload = scratch((size_t)tiles * (1 + each * REF_TILE) + REF_TILE_ROOM);
  ref_tile *tile = scratch(sizeof *tile);
  h->transform = h->dims > 1 && order == REF_BEST;
  for (uint64_t t = 0; t < tiles; t++) {
    ref_tile_shape(h, t, tile);
    ref_tile_read(h, t, x, tile);
    sizes[t] = (uint16_t)ref_tile_compress(h, order, tile, payload + used);
    used += sizes[t];
  }
  return ref_assemble(h, sizes, payload);
}

ref_header ref_header_read(const uint8_t *p) {
  ref_header h = {.inexact = p[5] & 1,
                  .transform = p[5] >> 1 & 1,
                  .has_fill = p[5] >> 2 & 1,
                  .cap = p[6],
                  .terms = (uint32_t)get_little(p + 48, 4)};
  h.step = ref_value(REF_F64, get_little(p + 32, 8));
  ref_set_type(&h, p[4], ref_value(REF_F64, get_little(p + 40, 8)));
  h.fill = ref_value(REF_F64, get_little(p + FILL, 8));
  return ref_shaped(h, p[7], get_little(p + 8, 8), get_little(p + 16, 8), get_little(p + 24, 8));
}

static int shape_bad(const ref_header *h) {
  uint64_t n, all;
  if (h->dims < 1 || h->dims > 3)
    return 1;
  if (h->dims == 1 && (h->extent[0] != 1 || h->extent[1] != 1 || h->transform))
    return 1;
  return h->extent[0] != 0 && h->extent[1] != 0 && h->extent[2] != 0 &&
         (__builtin_mul_overflow(h->extent[0], h->extent[1], &n) ||
          __builtin_mul_overflow(n, h->extent[2], &all));
}

/* A fill that no value of the type is, or bits where there is none. */
static int fill_bad(const ref_header *h) {
  if (!h->has_fill)
    return ref_bits(REF_F64, h->fill) != 0;
  if (h->integers)
    return !ref_is_integer(h->integers, h->fill);
  return !isfinite(h->fill) || ref_value(h->type, ref_bits(h->type, h->fill)) != h->fill;
}

static ref_verdict check_header(const uint8_t *p) {
  if (memcmp(p, "GHZ3", 4) != 0 || p[4] > REF_U32 || p[5] > 7 || get_little(p + 52, 4) != 0)
    return REF_BAD;
  ref_header h = ref_header_read(p);
  int most = h.integers ? h.integers == REF_I64 : h.type == REF_F64;
  if (shape_bad(&h) || fill_bad(&h) || (h.cap != 35 && !(most && h.cap == 44)))
    return REF_BAD;
  if (h.integers && ((h.integers == REF_I64 && h.cap != 44) || h.step == 0))
    return REF_BAD;
  int range = h.type == REF_F32 ? 120 : 1000;
  if (h.step != 0 && !(h.step >= ldexp(1, -range) && h.step <= ldexp(1, range)))
    return REF_BAD;
  if (!(h.said_eb >= 0) || isinf(h.said_eb) || h.terms > ((uint32_t)1 << (58 - h.cap)) - 1)
    return REF_BAD;
  return (h.eb == 0 && !h.integers) || signbit(h.step) ? REF_ODD : REF_GOOD;
}

/* The index: lengths before any product, then the end of each chunk. */
static int index_bad(const uint8_t *p, size_t size) {
  ref_header h = ref_header_read(p);
  uint64_t room = size - HEADER, tiles = ref_tile_total(&h);
  if (tiles > room / 2 || payload_offset(&h) > size || get_little(p + 56, 8) != size - payload_offset(&h))
    return 1;
  uint64_t total = 0;
  for (uint64_t t = 0; t < tiles; t++) {
    total += get_little(p + sizes_offset(&h) + 2 * t, 2);
    if ((t % 16 == 15 || t == tiles - 1) && get_little(p + HEADER + 8 * (t / 16), 8) != total)
      return 1;
  }
  return total != get_little(p + 56, 8);
}

const uint8_t *ref_tile_at(const uint8_t *p, uint64_t tile, size_t *size) {
  ref_header h = ref_header_read(p);
  uint64_t offset = tile < 16 ? 0 : get_little(p + HEADER + 8 * (tile / 16 - 1), 8);
  for (uint64_t t = tile / 16 * 16; t < tile; t++)
    offset += get_little(p + sizes_offset(&h) + 2 * t, 2);
  *size = (size_t)get_little(p + sizes_offset(&h) + 2 * tile, 2);
  return p + payload_offset(&h) + offset;
}

ref_verdict ref_check(const uint8_t *p, size_t size) {
  if (size < HEADER)
    return REF_BAD;
  ref_verdict verdict = check_header(p);
  if (verdict == REF_BAD || index_bad(p, size))
    return REF_BAD;
  SCOPE;
  ref_header h = ref_header_read(p);
  ref_tile *tile = scratch(sizeof *tile);
  for (uint64_t t = 0; t < ref_tile_total(&h) && verdict != REF_BAD; t++) {
    size_t length;
    const uint8_t *data = ref_tile_at(p, t, &length);
    ref_verdict one = ref_tile_parse(&h, t, data, length, tile);
    verdict = one > verdict ? one : verdict;
  }
  return verdict;
}

void ref_decode(const uint8_t *p, int out_type, void *dst) {
  SCOPE;
  ref_header h = ref_header_read(p);
  size_t each = ref_any_size(out_type);
  ref_tile *tile = scratch(sizeof *tile);
  for (uint64_t t = 0; t < ref_tile_total(&h); t++) {
    size_t length;
    const uint8_t *data = ref_tile_at(p, t, &length);
    ref_tile_parse(&h, t, data, length, tile);
    for (int i = 0; i < REF_TILE; i++)
      if (ref_inside(tile, i))
        put_little((uint8_t *)dst + each * ref_place(&h, t, i), ref_tile_decode(&h, tile, i, out_type),
                   (int)each);
  }
}

double ref_step(int type, double eb) {
  double step = 2 * eb * (1 - 1.0 / 64);
  double limit = type == REF_F32 ? 0x1p120 : 0x1p1000;
  if (step > limit)
    return limit;
  if (step < 1 / limit)
    return 0;
  if (type == REF_F32) {
    int exponent;
    double fraction = frexp(step, &exponent);
    step = ldexp(floor(ldexp(fraction, 24)), exponent - 24);
    if (step < 1 / limit)
      return 0;
  }
  return step;
}
