/* reference_stream.c: whole streams of the reference codec: header, index, checks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"
#include <math.h>
#include <string.h>

uint64_t ref_tiles(uint64_t n) { return n / REF_TILE + (n % REF_TILE != 0); }
static uint64_t chunks(uint64_t n) { return ref_tiles(n) / 16 + (ref_tiles(n) % 16 != 0); }

int ref_tile_count(const ref_header *h, uint64_t tile) {
  uint64_t rest = h->n - tile * REF_TILE;
  return rest < REF_TILE ? (int)rest : REF_TILE;
}

static uint64_t sizes_offset(uint64_t n) { return 48 + 8 * (chunks(n) + 1); }
static uint64_t payload_offset(uint64_t n) { return sizes_offset(n) + 2 * ref_tiles(n); }

static void put_header(uint8_t *p, const ref_header *h, uint64_t payload) {
  memset(p, 0, 48);
  memcpy(p, "GHZ1", 4);
  p[4] = (uint8_t)h->type;
  p[5] = (uint8_t)h->inexact;
  p[6] = (uint8_t)h->cap;
  put_little(p + 8, h->n, 8);
  put_little(p + 16, ref_bits(REF_F64, h->step), 8);
  put_little(p + 24, ref_bits(REF_F64, h->eb), 8);
  put_little(p + 32, h->terms, 4);
  put_little(p + 40, payload, 8);
}

ref_bytes ref_assemble(const ref_header *h, const uint16_t *sizes, const uint8_t *payload) {
  uint64_t tiles = ref_tiles(h->n), total = 0;
  for (uint64_t t = 0; t < tiles; t++)
    total += sizes[t];
  ref_bytes out = bytes_new((size_t)(payload_offset(h->n) + total));
  put_header(out.data, h, total);
  total = 0;
  for (uint64_t t = 0; t < tiles; t++) {
    if (t % 16 == 0)
      put_little(out.data + 48 + 8 * (t / 16), total, 8);
    put_little(out.data + sizes_offset(h->n) + 2 * t, sizes[t], 2);
    total += sizes[t];
  }
  put_little(out.data + 48 + 8 * chunks(h->n), total, 8);
  if (total)
    memcpy(out.data + payload_offset(h->n), payload, (size_t)total);
  return out;
}

ref_bytes ref_compress(const ref_header *h, int order, const void *x) {
  uint64_t tiles = ref_tiles(h->n);
  size_t each = ref_value_size(h->type), used = 0;
  uint16_t *sizes = scratch((size_t)tiles * 2);
  uint8_t *payload = scratch((size_t)tiles * (1 + each * REF_TILE) + REF_TILE_ROOM);
  ref_tile *tile = scratch(sizeof *tile);
  for (uint64_t t = 0; t < tiles; t++) {
    tile->n = ref_tile_count(h, t);
    for (int i = 0; i < tile->n; i++)
      tile->bits[i] = get_little((const uint8_t *)x + each * (size_t)(t * REF_TILE + (uint64_t)i), (int)each);
    sizes[t] = (uint16_t)ref_tile_compress(h, order, tile, payload + used);
    used += sizes[t];
  }
  return ref_assemble(h, sizes, payload);
}

ref_header ref_header_read(const uint8_t *p) {
  ref_header h = {.type = p[4],
                  .inexact = p[5],
                  .cap = p[6],
                  .n = get_little(p + 8, 8),
                  .terms = (uint32_t)get_little(p + 32, 4)};
  h.step = ref_value(REF_F64, get_little(p + 16, 8));
  h.eb = ref_value(REF_F64, get_little(p + 24, 8));
  return h;
}

static ref_verdict check_header(const uint8_t *p) {
  if (memcmp(p, "GHZ1", 4) != 0 || p[4] > 1 || p[5] > 1 || p[7] != 0 || get_little(p + 36, 4) != 0)
    return REF_BAD;
  ref_header h = ref_header_read(p);
  if (h.cap != 35 && !(h.type == REF_F64 && h.cap == 44))
    return REF_BAD;
  int range = h.type == REF_F32 ? 120 : 1000;
  if (h.step != 0 && !(h.step >= ldexp(1, -range) && h.step <= ldexp(1, range)))
    return REF_BAD;
  if (!(h.eb >= 0) || isinf(h.eb) || h.terms > ((uint32_t)1 << (58 - h.cap)) - 1)
    return REF_BAD;
  return h.eb == 0 || signbit(h.step) ? REF_ODD : REF_GOOD;
}

/* The index: lengths before any product, then each chunk's offsets. */
static int index_bad(const uint8_t *p, size_t size) {
  uint64_t n = get_little(p + 8, 8), room = size - 48, tiles = ref_tiles(n);
  if (tiles > room / 2 || payload_offset(n) > size || get_little(p + 40, 8) != size - payload_offset(n))
    return 1;
  uint64_t total = 0;
  for (uint64_t t = 0; t < tiles; t++) {
    if (t % 16 == 0 && get_little(p + 48 + 8 * (t / 16), 8) != total)
      return 1;
    total += get_little(p + sizes_offset(n) + 2 * t, 2);
  }
  return get_little(p + 48 + 8 * chunks(n), 8) != total || total != get_little(p + 40, 8);
}

const uint8_t *ref_tile_at(const uint8_t *p, uint64_t tile, size_t *size) {
  uint64_t n = get_little(p + 8, 8);
  uint64_t offset = get_little(p + 48 + 8 * (tile / 16), 8);
  for (uint64_t t = tile / 16 * 16; t < tile; t++)
    offset += get_little(p + sizes_offset(n) + 2 * t, 2);
  *size = (size_t)get_little(p + sizes_offset(n) + 2 * tile, 2);
  return p + payload_offset(n) + offset;
}

ref_verdict ref_check(const uint8_t *p, size_t size) {
  if (size < 48)
    return REF_BAD;
  ref_verdict verdict = check_header(p);
  if (verdict == REF_BAD || index_bad(p, size))
    return REF_BAD;
  SCOPE;
  ref_header h = ref_header_read(p);
  ref_tile *tile = scratch(sizeof *tile);
  for (uint64_t t = 0; t < ref_tiles(h.n) && verdict != REF_BAD; t++) {
    size_t length;
    const uint8_t *data = ref_tile_at(p, t, &length);
    ref_verdict one = ref_tile_parse(&h, ref_tile_count(&h, t), data, length, tile);
    verdict = one > verdict ? one : verdict;
  }
  return verdict;
}

void ref_decode(const uint8_t *p, int out_type, void *dst) {
  SCOPE;
  ref_header h = ref_header_read(p);
  size_t each = ref_value_size(out_type);
  ref_tile *tile = scratch(sizeof *tile);
  uint8_t *out = dst;
  for (uint64_t t = 0; t < ref_tiles(h.n); t++) {
    size_t length;
    const uint8_t *data = ref_tile_at(p, t, &length);
    ref_tile_parse(&h, ref_tile_count(&h, t), data, length, tile);
    for (int i = 0; i < tile->n; i++, out += each)
      put_little(out, ref_tile_decode(&h, tile, i, out_type), (int)each);
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
