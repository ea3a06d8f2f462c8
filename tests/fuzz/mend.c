/* mend.c: a sound tile from any bytes: read as a tile, with whatever breaks a rule changed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "mutate.h"
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
  out[0] = 3;
  for (size_t i = 1; i < size; i++)
    out[i] = next(in);
  return size;
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

/* Widths from bit planes, none above the limit; returns the largest. */
static int take_widths(ring *in, int planes, int limit, int n, int widths[REF_BLOCKS]) {
  int largest = 0;
  memset(widths, 0, REF_BLOCKS * sizeof *widths);
  for (int k = 0; k < planes; k++)
    for (int b = 0; b < REF_BLOCKS; b += 8)
      for (int byte = next(in), i = 0; i < 8; i++)
        widths[b + i] |= (byte >> i & 1) << k;
  for (int b = 0; b < REF_BLOCKS; b++) {
    widths[b] = b < (n + 7) / 8 ? widths[b] % (limit + 1) : 0;
    largest = widths[b] > largest ? widths[b] : largest;
  }
  return largest;
}

static uint8_t *put_widths(uint8_t *p, int planes, const int widths[REF_BLOCKS]) {
  for (int k = 0; k < planes; k++)
    for (int b = 0; b < REF_BLOCKS; b += 8, p++) {
      *p = 0;
      for (int i = 0; i < 8; i++)
        *p = (uint8_t)(*p | (widths[b + i] >> k & 1) << i);
    }
  return p;
}

/* One plane of specials: bytes that are announced and not 0, for values that are there. */
static uint8_t *mend_specials(ring *in, int n, uint8_t *p, bool *any) {
  uint8_t *map = p;
  for (int i = 0; i < 16; i++)
    *p++ = next(in);
  for (int b = 0; b < REF_BLOCKS; b++) {
    int keep = n - 8 * b >= 8 ? 255 : n > 8 * b ? (1 << (n - 8 * b)) - 1 : 0;
    uint8_t byte = map[b / 8] >> (b % 8) & 1 ? (uint8_t)(next(in) & keep) : 0;
    if (byte)
      *p++ = byte;
    else
      map[b / 8] = (uint8_t)(map[b / 8] & ~(1 << (b % 8)));
    *any |= byte != 0;
  }
  return p;
}

size_t mend_tile(const ref_header *h, int n, const uint8_t *from, size_t size, uint8_t *out) {
  ring in = {from, size, 0};
  if (size == 0 || h->terms == 0 || n == 0)
    return 0;
  unsigned first = next(&in), order = first & 3, mode = (first >> 3 & 3) % 3;
  if (order == 3 || h->step == 0)
    return mend_raw(h, n, &in, out);
  unsigned extra = first & 4 ? next(&in) : 0, la = 0, ls = 0;
  int64_t anchor = 0, slope = 0;
  int widths[REF_BLOCKS],
      limit = ref_mode_bits(h->type, h->cap, (int)mode) + (int)order + 1 + ref_bit_length(h->terms);
  if (order > 0)
    la = take_number(&in, extra & 7, &anchor);
  if (order > 1)
    ls = take_number(&in, extra >> 3 & 7, &slope);
  int largest = take_widths(&in, first >> 5 > 6 ? 6 : (int)(first >> 5), limit < 62 ? limit : 62, n, widths);
  int planes = ref_bit_length((uint64_t)largest);
  uint8_t specials[2 * (16 + REF_BLOCKS)];
  bool special = false;
  size_t special_size = 0;
  if (extra & 0x40)
    special_size =
        (size_t)(mend_specials(&in, n, mend_specials(&in, n, specials, &special), &special) - specials);
  extra = la | ls << 3 | (special ? 0x40u : 0);
  uint8_t *p = out;
  *p++ = (uint8_t)(order | (extra ? 4u : 0) | mode << 3 | (unsigned)planes << 5);
  if (extra)
    *p++ = (uint8_t)extra;
  p = put_widths(put_number(put_number(p, la, anchor), ls, slope), planes, widths);
  if (special) {
    memcpy(p, specials, special_size);
    p += special_size;
  }
  for (int plane = 0; plane < largest; plane++)
    for (int b = 0; b < REF_BLOCKS; b++)
      if (widths[b] > plane)
        *p++ = next(&in);
  return p - out == 1 && out[0] == 0 ? 0 : (size_t)(p - out);
}
