/* reference_tile.c: one tile of the reference codec: integers, residuals, bytes, and back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"
#include <math.h>
#include <string.h>

size_t ref_value_size(int type) { return type == REF_F32 ? 4 : 8; }

double ref_value(int type, uint64_t bits) {
  if (type == REF_F32) {
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, 4);
    return (double)x;
  }
  double x;
  memcpy(&x, &bits, 8);
  return x;
}

uint64_t ref_bits(int type, double value) {
  if (isnan(value))
    return type == REF_F32 ? 0x7fc00000u : 0x7ff8000000000000u;
  uint64_t bits = 0;
  if (type == REF_F32) {
    float x = (float)value;
    uint32_t low;
    memcpy(&low, &x, 4);
    return low;
  }
  memcpy(&bits, &value, 8);
  return bits;
}

int ref_mode_bits(int type, int cap, int mode) {
  static const int f32[3] = {16, 23, 36};
  if (type == REF_F32)
    return f32[mode];
  return mode == REF_COARSE ? 16 : mode == REF_FINE ? 22 : cap;
}

int ref_bit_length(uint64_t x) {
  int length = 0;
  for (; x != 0; x /= 2)
    length++;
  return length;
}

int ref_width(int64_t r) {
  if (r == 0)
    return 0;
  int width = 1;
  while (width < 64 && (r < -((int64_t)1 << (width - 1)) || r >= ((int64_t)1 << (width - 1))))
    width++;
  return width;
}

/* ---- From values to integers ---- */
static double largest_finite(int type, const ref_tile *t) {
  double largest = 0;
  for (int i = 0; i < t->n; i++) {
    double x = fabs(ref_value(type, t->bits[i]));
    if (isfinite(x) && x > largest)
      largest = x;
  }
  return largest;
}

/* The mode by the largest magnitude, or -1 outside the lattice. */
static int mode_of(const ref_header *h, double largest) {
  if (largest >= (h->type == REF_F32 ? 0x1p127 : 0x1p1023))
    return -1;
  if (largest <= 0x1p16 * h->step)
    return REF_COARSE;
  if (largest <= 0x1p22 * h->step)
    return REF_FINE;
  if (largest <= ldexp(h->step, h->cap))
    return REF_WIDE;
  return -1;
}

static double unit_of(const ref_header *h, int mode) {
  return h->type == REF_F32 && mode != REF_COARSE ? h->step / 2 : h->step;
}

static int64_t quantum(const ref_header *h, int mode, double largest, double x) {
  if (h->type == REF_F32 && largest <= 32768 * h->step) {
    float inverse = (float)(1 / h->step);
    float product = (float)x * inverse;
    return (int64_t)rintf(product);
  }
  double inverse = 1 / unit_of(h, mode);
  return (int64_t)rint(x * inverse);
}

static int all_bits_zero(const ref_tile *t) {
  for (int i = 0; i < t->n; i++)
    if (t->bits[i] != 0)
      return 0;
  return 1;
}

/* A special position takes the integer before it; those at the start, the first finite one. */
static void fill_hidden(ref_tile *t) {
  int64_t last = 0;
  for (int i = t->n - 1; i >= 0; i--)
    if (!t->plus[i] && !t->minus[i])
      last = t->q[i];
  for (int i = 0; i < t->n; i++) {
    if (t->plus[i] || t->minus[i])
      t->q[i] = last;
    last = t->q[i];
  }
}

/* On the lattice of a constant the bound is kept by those values alone that lie on it. */
static int off_grid(const ref_header *h, double x) {
  return h->step > 2 * h->eb && isfinite(x) && (fabs(x) > 32768 * h->step || rint(x / h->step) * h->step != x);
}

int ref_tile_quantise(const ref_header *h, ref_tile *t) {
  memset(t->q, 0, sizeof t->q);
  memset(t->plus, 0, sizeof t->plus);
  memset(t->minus, 0, sizeof t->minus);
  t->raw = t->mode = t->order = 0;
  if (h->step == 0)
    return all_bits_zero(t);
  double largest = largest_finite(h->type, t);
  t->mode = mode_of(h, largest);
  if (t->mode < 0)
    return 0;
  for (int i = 0; i < t->n; i++) {
    double x = ref_value(h->type, t->bits[i]);
    t->plus[i] = isnan(x) || x == INFINITY;
    t->minus[i] = isnan(x) || x == -INFINITY;
    if (off_grid(h, x))
      return 0;
    if (isfinite(x))
      t->q[i] = quantum(h, t->mode, largest, x);
  }
  fill_hidden(t);
  return 1;
}

/* ---- Residuals ---- */
static void residuals(const ref_tile *t, int64_t *r, int64_t *anchor, int64_t *slope) {
  memset(r, 0, REF_TILE * sizeof *r);
  *anchor = t->order >= 1 && t->n > 0 ? t->q[0] : 0;
  *slope = t->order == 2 && t->n > 1 ? t->q[1] - t->q[0] : 0;
  for (int i = t->order; i < t->n; i++) {
    if (t->order == 0)
      r[i] = t->q[i];
    else if (t->order == 1)
      r[i] = t->q[i] - t->q[i - 1];
    else
      r[i] = t->q[i] - 2 * t->q[i - 1] + t->q[i - 2];
  }
}

/* Modulo 2^64, or 2^32 where the integers are known to fit. */
static void integrate(ref_tile *t, const int64_t *r, int64_t anchor, int64_t slope, int narrow) {
  uint64_t value = (uint64_t)anchor, difference = (uint64_t)slope;
  for (int i = 0; i < t->n; i++) {
    if (t->order == 0) {
      value = (uint64_t)r[i];
    } else if (i > 0) {
      if (t->order == 1)
        difference = (uint64_t)r[i];
      else if (i > 1)
        difference += (uint64_t)r[i];
      value += difference;
    }
    t->q[i] = narrow ? (int64_t)(int32_t)(uint32_t)value : (int64_t)value;
  }
}

/* ---- Bytes ---- */
static int anchor_bytes(int64_t v) {
  int bytes = (ref_width(v) + 7) / 8;
  return bytes == 7 ? 8 : bytes;
}

static int anchor_code(int bytes) { return bytes == 8 ? 7 : bytes; }

static uint8_t *put_little(uint8_t *p, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; i++)
    *p++ = (uint8_t)(v >> (8 * i));
  return p;
}

static uint8_t *put_map(uint8_t *p, const uint8_t *flags) {
  uint8_t plane[REF_BLOCKS] = {0}, map[16] = {0};
  for (int i = 0; i < REF_TILE; i++)
    plane[i / 8] = (uint8_t)(plane[i / 8] | (flags[i] << (i % 8)));
  for (int b = 0; b < REF_BLOCKS; b++)
    if (plane[b])
      map[b / 8] = (uint8_t)(map[b / 8] | (1 << (b % 8)));
  memcpy(p, map, 16);
  p += 16;
  for (int b = 0; b < REF_BLOCKS; b++)
    if (plane[b])
      *p++ = plane[b];
  return p;
}

static int block_width(const int64_t *r, int block) {
  int width = 0;
  for (int i = 8 * block; i < 8 * block + 8; i++)
    width = ref_width(r[i]) > width ? ref_width(r[i]) : width;
  return width;
}

static uint8_t *put_width_planes(uint8_t *p, const int *widths, int planes) {
  for (int k = 0; k < planes; k++, p += 16) {
    memset(p, 0, 16);
    for (int b = 0; b < REF_BLOCKS; b++)
      p[b / 8] = (uint8_t)(p[b / 8] | (((widths[b] >> k) & 1) << (b % 8)));
  }
  return p;
}

static uint8_t *put_planes(uint8_t *p, const int64_t *r, const int *widths, int largest) {
  for (int plane = 0; plane < largest; plane++)
    for (int b = 0; b < REF_BLOCKS; b++)
      if (widths[b] > plane) {
        unsigned byte = 0;
        for (int i = 0; i < 8; i++)
          byte |= (unsigned)(((uint64_t)r[8 * b + i] >> plane) & 1) << i;
        *p++ = (uint8_t)byte;
      }
  return p;
}

static size_t encode_raw(int type, const ref_tile *t, uint8_t *out) {
  uint8_t *p = out;
  *p++ = 3;
  for (int i = 0; i < t->n; i++)
    p = put_little(p, t->bits[i], (int)ref_value_size(type));
  return (size_t)(p - out);
}

size_t ref_tile_encode(int type, const ref_tile *t, uint8_t *out) {
  if (t->raw)
    return encode_raw(type, t, out);
  int64_t r[REF_TILE], anchor, slope;
  int widths[REF_BLOCKS], largest = 0, specials = 0;
  residuals(t, r, &anchor, &slope);
  for (int b = 0; b < REF_BLOCKS; b++) {
    widths[b] = block_width(r, b);
    largest = widths[b] > largest ? widths[b] : largest;
  }
  for (int i = 0; i < t->n; i++)
    specials |= t->plus[i] | t->minus[i];
  if (t->order == 0 && t->mode == 0 && largest == 0 && !specials)
    return 0;
  int la = anchor_bytes(anchor), ls = anchor_bytes(slope), planes = ref_bit_length((uint64_t)largest);
  int extra = anchor_code(la) | anchor_code(ls) << 3 | specials << 6;
  uint8_t *p = out;
  *p++ = (uint8_t)(t->order | (extra ? 4 : 0) | t->mode << 3 | planes << 5);
  if (extra)
    *p++ = (uint8_t)extra;
  p = put_little(p, (uint64_t)anchor, la);
  p = put_little(p, (uint64_t)slope, ls);
  p = put_width_planes(p, widths, planes);
  if (specials) {
    p = put_map(p, t->plus);
    p = put_map(p, t->minus);
  }
  return (size_t)(put_planes(p, r, widths, largest) - out);
}

void ref_tile_choose_order(const ref_header *h, ref_tile *t, int order) {
  int zero = 1;
  for (int i = 0; i < t->n; i++)
    zero &= t->q[i] == 0;
  if (zero || order >= 0) {
    t->order = zero ? 0 : order;
    return;
  }
  uint8_t out[REF_TILE_ROOM];
  size_t best = SIZE_MAX;
  int winner = 0;
  for (t->order = 0; t->order <= 2; t->order++) {
    size_t size = ref_tile_encode(h->type, t, out);
    if (size < best) {
      best = size;
      winner = t->order;
    }
  }
  t->order = winner;
}

size_t ref_tile_compress(const ref_header *h, int order, ref_tile *t, uint8_t *out) {
  if (ref_tile_quantise(h, t)) {
    ref_tile_choose_order(h, t, order);
    size_t size = ref_tile_encode(h->type, t, out);
    if (size < 1 + ref_value_size(h->type) * (size_t)t->n)
      return size;
  }
  t->raw = 1;
  return ref_tile_encode(h->type, t, out);
}

/* ---- From bytes ---- */
/* A cursor over the tile that never passes its end. */
typedef struct reader {
  const uint8_t *p;
  size_t left;
  int bad;
} reader;

static const uint8_t *take(reader *in, size_t size) {
  static const uint8_t nothing[128];
  if (in->bad || size > in->left) {
    in->bad = 1;
    return nothing;
  }
  const uint8_t *p = in->p;
  in->p += size;
  in->left -= size;
  return p;
}

static int64_t take_anchor(reader *in, int code) {
  int bytes = code == 7 ? 8 : code;
  const uint8_t *p = take(in, (size_t)bytes);
  uint64_t v = bytes > 0 && (p[bytes - 1] & 0x80) ? ~(uint64_t)0 : 0;
  for (int i = bytes - 1; i >= 0; i--)
    v = v << 8 | p[i];
  if (anchor_bytes((int64_t)v) != bytes)
    in->bad = 1;
  return (int64_t)v;
}

static int take_widths(reader *in, int planes, int *widths) {
  int largest = 0;
  memset(widths, 0, REF_BLOCKS * sizeof *widths);
  for (int k = 0; k < planes; k++) {
    const uint8_t *p = take(in, 16);
    for (int b = 0; b < REF_BLOCKS; b++)
      widths[b] |= ((p[b / 8] >> (b % 8)) & 1) << k;
  }
  for (int b = 0; b < REF_BLOCKS; b++)
    largest = widths[b] > largest ? widths[b] : largest;
  if (ref_bit_length((uint64_t)largest) != planes)
    in->bad = 1;
  return largest;
}

/* Reads one map of specials; *odd if a byte of it is zero. */
static void take_map(reader *in, uint8_t *flags, int *odd) {
  uint8_t map[16];
  memcpy(map, take(in, 16), 16);
  for (int b = 0; b < REF_BLOCKS; b++)
    if ((map[b / 8] >> (b % 8)) & 1) {
      uint8_t byte = *take(in, 1);
      *odd |= byte == 0;
      for (int i = 0; i < 8; i++)
        flags[8 * b + i] = (byte >> i) & 1;
    }
}

static void take_planes(reader *in, const int *widths, int largest, int64_t *r) {
  uint64_t u[REF_TILE] = {0};
  for (int plane = 0; plane < largest; plane++)
    for (int b = 0; b < REF_BLOCKS; b++)
      if (widths[b] > plane) {
        uint8_t byte = *take(in, 1);
        for (int i = 0; i < 8; i++)
          u[8 * b + i] |= (uint64_t)((byte >> i) & 1) << plane;
      }
  for (int i = 0; i < REF_TILE; i++) {
    int w = widths[i / 8];
    if (w > 0 && w < 64 && (u[i] >> (w - 1)) & 1)
      u[i] |= ~(uint64_t)0 << w;
    r[i] = (int64_t)u[i];
  }
}

static ref_verdict parse_raw(const ref_header *h, int n, const uint8_t *data, size_t size, ref_tile *t) {
  size_t each = ref_value_size(h->type);
  if (data[0] != 3 || size != 1 + each * (size_t)n)
    return REF_BAD;
  t->raw = 1;
  for (int i = 0; i < n; i++)
    for (size_t b = 0; b < each; b++)
      t->bits[i] |= (uint64_t)data[1 + each * (size_t)i + b] << (8 * b);
  return REF_GOOD;
}

/* Specials must exist if announced, and not in the padding. */
static int specials_bad(const ref_tile *t) {
  int any = 0;
  for (int i = 0; i < REF_TILE; i++) {
    any |= t->plus[i] | t->minus[i];
    if (i >= t->n && (t->plus[i] | t->minus[i]))
      return 1;
  }
  return !any;
}

static int residuals_odd(const ref_tile *t, const int64_t *r, const int *widths, int64_t slope) {
  for (int i = 0; i < REF_TILE; i++)
    if (r[i] != 0 && (i < t->order || i >= t->n))
      return 1;
  for (int b = 0; b < REF_BLOCKS; b++)
    if (block_width(r, b) != widths[b])
      return 1;
  return t->n < 2 && slope != 0;
}

static int width_limit(const ref_header *h, int mode, int order) {
  int limit = ref_mode_bits(h->type, h->cap, mode) + order + 1 + ref_bit_length(h->terms);
  return limit < 62 ? limit : 62;
}

static ref_verdict parse_lattice(const ref_header *h, const uint8_t *data, size_t size, ref_tile *t) {
  reader in = {data + 1, size - 1, 0};
  int planes = data[0] >> 5, extra = 0, odd = 0, widths[REF_BLOCKS];
  int64_t r[REF_TILE];
  t->order = data[0] & 3;
  t->mode = (data[0] >> 3) & 3;
  if (t->mode == 3 || planes == 7 || h->step == 0)
    return REF_BAD;
  if (data[0] & 4) {
    extra = *take(&in, 1);
    if (extra == 0 || extra >> 7)
      return REF_BAD;
  }
  if ((t->order == 0 && (extra & 7)) || (t->order != 2 && (extra & 0x38)))
    return REF_BAD;
  int64_t anchor = take_anchor(&in, extra & 7), slope = take_anchor(&in, (extra >> 3) & 7);
  int largest = take_widths(&in, planes, widths);
  if (in.bad || largest > width_limit(h, t->mode, t->order))
    return REF_BAD;
  for (int b = (t->n + 7) / 8; b < REF_BLOCKS; b++)
    if (widths[b])
      return REF_BAD;
  if (extra & 0x40) {
    take_map(&in, t->plus, &odd);
    take_map(&in, t->minus, &odd);
    if (in.bad || specials_bad(t))
      return REF_BAD;
  }
  if (t->order == 0 && t->mode == 0 && largest == 0 && !(extra & 0x40))
    return REF_BAD;
  take_planes(&in, widths, largest, r);
  if (in.bad || in.left)
    return REF_BAD;
  int b = ref_mode_bits(h->type, h->cap, t->mode);
  integrate(t, r, anchor, slope, b + ref_bit_length(h->terms) <= 31);
  return odd || residuals_odd(t, r, widths, slope) ? REF_ODD : REF_GOOD;
}

ref_verdict ref_tile_parse(const ref_header *h, int n, const uint8_t *data, size_t size, ref_tile *t) {
  memset(t, 0, sizeof *t);
  t->n = n;
  if (size == 0)
    return REF_GOOD;
  if (h->terms == 0)
    return REF_BAD;
  return (data[0] & 3) == 3 ? parse_raw(h, n, data, size, t) : parse_lattice(h, data, size, t);
}

uint64_t ref_tile_decode(const ref_header *h, const ref_tile *t, int i, int out_type) {
  double y;
  if (t->raw)
    y = ref_value(h->type, t->bits[i]);
  else if (t->plus[i] || t->minus[i])
    y = t->plus[i] && t->minus[i] ? NAN : t->plus[i] ? INFINITY : -INFINITY;
  else
    y = (double)t->q[i] * unit_of(h, t->mode);
  return ref_bits(out_type, y);
}
