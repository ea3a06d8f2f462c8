/* mend.c: a sound tile from any bytes: read as a tile, with whatever breaks a rule changed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "crafted.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Bytes that begin again at their end. */
typedef struct ring {
  const uint8_t *data;
  size_t size, at;
} ring;

static uint8_t next(ring *r) { return r->data[r->at++ % r->size]; }

static size_t mend_raw(const ref_header *h, int n, ring *in, uint8_t *out) {
  size_t size = 1 + ref_value_size(h->type) * (size_t)n;
  out[0] = 0x18;
  for (size_t i = 1; i < size; i++)
    out[i] = next(in);
  return size;
}

/* A value near an integer, before the tile of that, or a raw tile if there is no such value. */
static size_t mend_one(const ref_header *h, int n, int orders, ring *in, uint8_t *out) {
  const int each = (int)ref_value_size(h->type), mode = next(in) % 3, order = next(in) % orders;
  const int anchor = order ? (int8_t)next(in) : 0;
  const double y = anchor * ref_unit(h, mode);
  const uint64_t bits = ref_bits(h->type, y + h->eb * (next(in) - 128) / 128);
  if (h->terms != 1 || h->step > 2 * h->eb || ref_missing(h, bits) ||
      !(fabs(ref_value(h->type, bits) - y) <= h->eb))
    return mend_raw(h, n, in, out);
  out[0] = 0x38;
  memcpy(out + 1, &bits, (size_t)each);
  uint8_t *p = out + 1 + each;
  if (order || mode)
    *p++ = (uint8_t)(order | mode << 3 | (anchor ? 4 : 0));
  if (anchor) {
    *p++ = 1;
    *p++ = (uint8_t)anchor;
  }
  return (size_t)(p - out);
}

/* Takes a number in the bytes of a code, and returns the code that is right for it. */
static unsigned take_number(ring *in, unsigned code, int64_t *value) {
  uint64_t v = 0;
  int bytes = code == 7 ? 8 : (int)code;
  for (int i = 0; i < bytes; i++)
    v |= (uint64_t)next(in) << (8 * i);
  if (bytes > 0 && bytes < 8 && v >> (8 * bytes - 1))
    v |= ~(uint64_t)0 << (8 * bytes);
  *value = (int64_t)v;
  int least = (ref_width(*value) + 7) / 8;
  return least > 6 ? 7 : (unsigned)least;
}

static uint8_t *put_number(uint8_t *p, unsigned code, int64_t value) {
  for (unsigned i = 0; i < (code == 7 ? 8 : code); i++)
    *p++ = (uint8_t)((uint64_t)value >> (8 * i));
  return p;
}

/* Whether a block has a column inside. */
static bool block_inside(const ref_tile *shape, int block) {
  for (int i = 8 * block; i < 8 * block + 8; i++)
    if (ref_inside(shape, i))
      return true;
  return false;
}

/* Widths of a layer. */
typedef struct widths {
  int of[REF_BLOCKS];
  int largest, sum;
  unsigned planes;
  bool squeezed;
} widths;

/* From bit planes, none above the limit. All blocks count with shape NULL. */
static void take_widths(ring *in, int planes, int limit, const ref_tile *shape, widths *w) {
  memset(w, 0, sizeof *w);
  for (int k = 0; k < (planes > 6 ? 6 : planes); k++)
    for (int b = 0; b < REF_BLOCKS; b += 8)
      for (int byte = next(in), i = 0; i < 8; i++)
        w->of[b + i] |= (byte >> i & 1) << k;
  for (int b = 0; b < REF_BLOCKS; b++) {
    w->of[b] = !shape || block_inside(shape, b) ? w->of[b] % (limit + 1) : 0;
    w->largest = w->of[b] > w->largest ? w->of[b] : w->largest;
    w->sum += w->of[b];
  }
  w->planes = (unsigned)ref_bit_length((uint64_t)w->largest);
}

static uint8_t width_byte(const widths *w, unsigned k, int j) {
  uint8_t byte = 0;
  for (int i = 0; i < 8; i++)
    byte = (uint8_t)(byte | (w->of[8 * j + i] >> k & 1) << i);
  return byte;
}

static uint8_t *put_widths(uint8_t *p, const widths *w) {
  uint8_t *map = p;
  if (w->squeezed) {
    memset(p, 0, 2 * w->planes);
    p += 2 * w->planes;
  }
  for (unsigned k = 0; k < w->planes; k++)
    for (int j = 0; j < 16; j++) {
      uint8_t byte = width_byte(w, k, j);
      if (byte || !w->squeezed)
        *p++ = byte;
      if (byte && w->squeezed)
        map[2 * k + (unsigned)j / 8] = (uint8_t)(map[2 * k + (unsigned)j / 8] | 1 << j % 8);
    }
  return p;
}

static uint8_t *put_planes(ring *in, uint8_t *p, const widths *w) {
  for (int i = 0; i < w->sum; i++)
    *p++ = next(in);
  return p;
}

/* One plane of specials: bytes that are announced and not 0, for values that are there. */
static uint8_t *mend_specials(ring *in, const ref_tile *shape, uint8_t *p, bool *any) {
  uint8_t *map = p;
  for (int i = 0; i < 16; i++)
    *p++ = next(in);
  for (int b = 0; b < REF_BLOCKS; b++) {
    int keep = 0;
    for (int i = 0; i < 8; i++)
      keep |= ref_inside(shape, 8 * b + i) << i;
    uint8_t byte = map[b / 8] >> (b % 8) & 1 ? (uint8_t)(next(in) & keep) : 0;
    if (byte)
      *p++ = byte;
    else
      map[b / 8] = (uint8_t)(map[b / 8] & ~(1 << (b % 8)));
    *any |= byte != 0;
  }
  return p;
}

/* Both planes; nothing if no value is special. */
static size_t take_specials(ring *in, const ref_tile *shape, uint8_t *out) {
  bool any = false;
  uint8_t *end = mend_specials(in, shape, mend_specials(in, shape, out, &any), &any);
  return any ? (size_t)(end - out) : 0;
}

/* The head of the coefficients, the first of them and their widths. */
static uint8_t *mend_coefficients(const ref_header *h, ring *in, uint8_t *p, widths *w) {
  int64_t c0;
  unsigned head = next(in), code = take_number(in, head >> 3 & 7, &c0);
  int limit = 23 + ref_bit_length(h->terms);
  take_widths(in, (int)(head & 7), limit < 62 ? limit : 62, NULL, w);
  w->squeezed = head >> 7 && w->planes > 0;
  *p++ = (uint8_t)(w->planes | code << 3 | (w->squeezed ? 0x80u : 0));
  return put_widths(put_number(p, code, c0), w);
}

size_t mend_tile(const ref_header *h, const ref_tile *shape, const uint8_t *from, size_t size, uint8_t *out) {
  ring in = {from, size, 0};
  if (size == 0 || h->terms == 0 || shape->n == 0)
    return 0;
  bool flat = shape->dims < 2;
  unsigned first = next(&in), order = first & 3, mode = first >> 3 & 3;
  if (order == 3 && shape->dims < 3)
    order = 2;
  if (first >> 3 == 7 && h->step > 0)
    return mend_one(h, shape->n, shape->dims == 3 ? 4 : 3, &in, out);
  if (mode == 3 || h->step == 0)
    return mend_raw(h, shape->n, &in, out);
  unsigned extra = first & 4 ? next(&in) : 0, la = 0, ls = 0;
  int64_t anchor = 0, slope = 0;
  widths w, coefficient;
  int limit = ref_mode_bits(h, (int)mode) + (int)order + 1 + ref_bit_length(h->terms);
  bool turned = shape->dims == 2 && (extra & 0x10) && order > 0 && shape->n == REF_TILE;
  bool transformed = !flat && (extra & 8) && h->transform && shape->n >= 256;
  if (order > 0)
    la = take_number(&in, extra & 7, &anchor);
  if (order > 1 && flat)
    ls = take_number(&in, extra >> 3 & 7, &slope);
  take_widths(&in, (int)(first >> 5), limit < 62 ? limit : 62, shape, &w);
  w.squeezed = extra >> 7 && w.planes > 0;
  uint8_t specials[2 * (16 + REF_BLOCKS)];
  size_t special_size = extra & 0x40 ? take_specials(&in, shape, specials) : 0;
  extra = la | ls << 3 | (special_size ? 0x40u : 0) | (turned ? 0x10u : 0) | (transformed ? 8u : 0) |
          (w.squeezed ? 0x80u : 0);
  uint8_t *p = out;
  *p++ = (uint8_t)(order | (extra ? 4u : 0) | mode << 3 | w.planes << 5);
  if (extra)
    *p++ = (uint8_t)extra;
  p = put_widths(put_number(put_number(p, la, anchor), ls, slope), &w);
  memcpy(p, specials, special_size);
  p += special_size;
  if (transformed)
    p = mend_coefficients(h, &in, p, &coefficient);
  p = put_planes(&in, p, &w);
  if (transformed)
    p = put_planes(&in, p, &coefficient);
  return p - out == 1 && out[0] == 0 ? 0 : (size_t)(p - out);
}
