/* reference_tile.c: one tile of the reference codec: its bytes, and what they say. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- To bytes ---- */
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

/* One layer of integers: how they are stored. */
typedef struct layer {
  int64_t r[REF_TILE];
  int widths[REF_BLOCKS];
  int largest;
  int planes;   /* of widths */
  int squeezed; /* whether those are */
  int64_t anchor, slope;
} layer;

/* Byte j of plane k of the widths. */
static uint8_t width_byte(const int *widths, int k, int j) {
  unsigned byte = 0;
  for (int b = 0; b < 8; b++)
    byte |= ((unsigned)widths[8 * j + b] >> k & 1) << b;
  return (uint8_t)byte;
}

/* Whether width planes become smaller when they are squeezed, at that cost. */
static int squeezes(const int *widths, int planes, int cost) {
  int bytes = 2 * planes + cost;
  for (int k = 0; k < planes; k++)
    for (int j = 0; j < 16; j++)
      bytes += width_byte(widths, k, j) != 0;
  return bytes < 16 * planes;
}

static void measure(layer *l) {
  l->largest = 0;
  for (int b = 0; b < REF_BLOCKS; b++) {
    l->widths[b] = block_width(l->r, b);
    l->largest = l->widths[b] > l->largest ? l->widths[b] : l->largest;
  }
  l->planes = ref_bit_length((uint64_t)l->largest);
}

static uint8_t *put_width_planes(uint8_t *p, const layer *l) {
  for (int k = 0; k < l->planes && l->squeezed; k++) {
    unsigned map = 0;
    for (int j = 0; j < 16; j++)
      map |= (unsigned)(width_byte(l->widths, k, j) != 0) << j;
    p = put_little(p, map, 2);
  }
  for (int k = 0; k < l->planes; k++)
    for (int j = 0; j < 16; j++)
      if (!l->squeezed || width_byte(l->widths, k, j))
        *p++ = width_byte(l->widths, k, j);
  return p;
}

static uint8_t *put_planes(uint8_t *p, const layer *l) {
  for (int plane = 0; plane < l->largest; plane++)
    for (int b = 0; b < REF_BLOCKS; b++)
      if (l->widths[b] > plane) {
        unsigned byte = 0;
        for (int i = 0; i < 8; i++)
          byte |= (unsigned)(((uint64_t)l->r[8 * b + i] >> plane) & 1) << i;
        *p++ = (uint8_t)byte;
      }
  return p;
}

static size_t encode_raw(int type, const ref_tile *t, uint8_t *out) {
  uint8_t *p = out;
  *p++ = 0x18;
  for (int i = 0; i < REF_TILE; i++)
    if (ref_inside(t, i))
      p = put_little(p, t->bits[i], (int)ref_value_size(type));
  return (size_t)(p - out);
}

/* Coefficients in the columns in which they are stored; the first is the anchor. */
static void layer_of_coefficients(const ref_tile *t, layer *l) {
  memset(l, 0, sizeof *l);
  for (int u = 0; u < REF_TILE; u++)
    l->r[ref_column_of(t->dims, u)] = t->c[u];
  l->anchor = l->r[0];
  l->r[0] = 0;
  measure(l);
  l->squeezed = squeezes(l->widths, l->planes, 0);
}

static uint8_t *put_coefficients_header(uint8_t *p, const layer *l) {
  int bytes = anchor_bytes(l->anchor);
  *p++ = (uint8_t)(l->planes | anchor_code(bytes) << 3 | l->squeezed << 7);
  p = put_little(p, (uint64_t)l->anchor, bytes);
  return put_width_planes(p, l);
}

/* A tile of one value: that, before the tile of its integers. */
static size_t encode_one(int type, const ref_tile *t, uint8_t *out) {
  ref_tile behind = *t;
  size_t each = ref_value_size(type);
  out[0] = 0x38;
  put_little(out + 1, t->bits[0], (int)each);
  behind.one = 0;
  return 1 + each + ref_tile_encode(type, &behind, out + 1 + each);
}

static int special(const ref_tile *t) {
  int found = 0;
  for (int i = 0; i < REF_TILE; i++)
    found |= t->plus[i] | t->minus[i];
  return found;
}

size_t ref_tile_encode(int type, const ref_tile *t, uint8_t *out) {
  if (t->raw)
    return encode_raw(type, t, out);
  if (t->one)
    return encode_one(type, t, out);
  layer values = {0}, waves;
  ref_residuals(t, values.r, &values.anchor, &values.slope);
  measure(&values);
  int specials = special(t);
  if (t->order == 0 && t->mode == 0 && values.largest == 0 && !specials && !t->coefficients)
    return 0;
  int la = anchor_bytes(values.anchor), ls = anchor_bytes(values.slope);
  int extra = anchor_code(la) | anchor_code(ls) << 3 | specials << 6 | t->coefficients << 3 | t->turned << 4;
  values.squeezed = squeezes(values.widths, values.planes, extra == 0);
  extra |= values.squeezed << 7;
  uint8_t *p = out;
  *p++ = (uint8_t)(t->order | (extra ? 4 : 0) | t->mode << 3 | values.planes << 5);
  if (extra)
    *p++ = (uint8_t)extra;
  p = put_little(p, (uint64_t)values.anchor, la);
  p = put_little(p, (uint64_t)values.slope, ls);
  p = put_width_planes(p, &values);
  if (specials) {
    p = put_map(p, t->plus);
    p = put_map(p, t->minus);
  }
  if (!t->coefficients)
    return (size_t)(put_planes(p, &values) - out);
  layer_of_coefficients(t, &waves);
  p = put_coefficients_header(p, &waves);
  p = put_planes(p, &values);
  return (size_t)(put_planes(p, &waves) - out);
}

/* What is least at the order that is chosen: of a flat tile its size, of a brick the sum of widths,
 * where an anchor is one more. */
static size_t weight(const ref_header *h, const ref_tile *t) {
  uint8_t out[REF_TILE_ROOM];
  if (t->dims == 1)
    return ref_tile_encode(h->type, t, out);
  layer values = {0};
  ref_residuals(t, values.r, &values.anchor, &values.slope);
  measure(&values);
  size_t sum = t->order > 0;
  for (int b = 0; b < REF_BLOCKS; b++)
    sum += (size_t)values.widths[b];
  return sum;
}

void ref_tile_choose_order(const ref_header *h, ref_tile *t, int order) {
  int zero = 1;
  t->turned = 0;
  for (int i = 0; i < REF_TILE; i++)
    zero &= t->q[i] == 0;
  if (zero || order >= 0) {
    t->order = zero ? 0 : order;
    return;
  }
  size_t best = SIZE_MAX;
  int ways = ref_orders(t->dims), winner = 0;
  for (int way = 0; way < ways + (t->dims == 2 && t->n == REF_TILE ? 2 : 0);
       way++) { /* the last ones are turned */
    t->turned = way >= ways;
    t->order = t->turned ? way - ways + 1 : way;
    size_t size = weight(h, t);
    if (size < best) {
      best = size;
      winner = way;
    }
  }
  t->turned = winner >= ways;
  t->order = t->turned ? winner - ways + 1 : winner;
}

/* ---- From values to bytes ---- */
enum { LEAST_FOR_COEFFICIENTS = 256 };

/* Whether in half of the blocks, those that are cut apart, the largest second difference along x is
 * above the largest first one, and that above 3. */
static int is_rough(const ref_tile *t) {
  int rough = 0;
  for (int b = 0; b < REF_TILE; b += 8) {
    int64_t first = 0, second = 0;
    for (int i = b + 1; i < b + 8; i++) {
      int64_t d = llabs(t->q[i] - t->q[i - 1]),
              e = i > b + 1 ? llabs(t->q[i] - 2 * t->q[i - 1] + t->q[i - 2]) : 0;
      first = d > first ? d : first;
      second = e > second ? e : second;
    }
    rough += ref_inside(t, b + 7) && second > first && first > 3;
  }
  return rough >= REF_BLOCKS / 2;
}

/* Whether the coefficients alone, and half a byte for each block of them, are too many beside the
 * bytes without them. */
static int are_too_many(const ref_tile *t, size_t size) {
  uint8_t room[REF_TILE_ROOM];
  layer waves;
  layer_of_coefficients(t, &waves);
  size_t bytes = (size_t)(put_coefficients_header(room, &waves) - room), blocks = 0;
  for (int b = 0; b < REF_BLOCKS; b++) {
    bytes += (size_t)waves.widths[b];
    blocks += waves.widths[b] > 0;
  }
  return 8 * (bytes + blocks / 2) > 7 * size;
}

/* Of a tile on the lattice that is encoded in `size` bytes: the same with coefficients, in out,
 * where that takes at most 7/8 of it. */
static size_t with_coefficients(const ref_header *h, const ref_tile *t, size_t size, uint8_t *out) {
  uint8_t other[REF_TILE_ROOM];
  ref_tile both = *t;
  if (t->dims < 2 || t->mode != REF_COARSE || t->n < LEAST_FOR_COEFFICIENTS || ref_is_grid(h) || size == 0 ||
      (t->order < t->dims && size >= 384 && is_rough(t)) || !ref_tile_transform(h, &both) ||
      are_too_many(&both, size))
    return size;
  size_t smaller = ref_tile_encode(h->type, &both, other);
  if (8 * smaller > 7 * size)
    return size;
  memcpy(out, other, smaller);
  return smaller;
}

/* Whether all integers are 0: such a tile has no coefficients, even if it has specials. */
static int all_zero(const ref_tile *t) {
  for (int i = 0; i < REF_TILE; i++)
    if (t->q[i] != 0)
      return 0;
  return 1;
}

/* Whether all values but specials have the same bits, and the lattice has another value there. */
static int off_one_value(const ref_header *h, const ref_tile *t, uint64_t *bits) {
  int first = -1;
  for (int i = 0; i < REF_TILE; i++)
    if (ref_inside(t, i) && !t->plus[i] && !t->minus[i]) {
      first = first < 0 ? i : first;
      if (t->bits[i] != t->bits[first])
        return 0;
    }
  *bits = first < 0 ? 0 : t->bits[first];
  return first >= 0 && ref_value(h->type, ref_tile_decode(h, t, first, h->type)) != ref_value(h->type, *bits);
}

size_t ref_tile_compress(const ref_header *h, int order, ref_tile *t, uint8_t *out) {
  uint64_t one;
  if (ref_tile_quantise(h, t)) {
    int off = off_one_value(h, t, &one);
    ref_tile_choose_order(h, t, order);
    if (off && t->order == 0 && !all_zero(t))
      t->order = 1;
    size_t size = ref_tile_encode(h->type, t, out);
    if (order == REF_BEST && !all_zero(t))
      size = with_coefficients(h, t, size, out);
    if (off) {
      ref_tile with = *t;
      with.one = 1;
      with.bits[0] = one;
      size = ref_tile_encode(h->type, &with, out);
    }
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
  int odd;
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

/* Which bytes of the width planes follow. */
static void take_width_maps(reader *in, const layer *l, unsigned *maps) {
  for (int k = 0; k < l->planes; k++) {
    maps[k] = 0xffff;
    if (l->squeezed) {
      const uint8_t *p = take(in, 2);
      maps[k] = (unsigned)(p[0] | p[1] << 8);
    }
  }
}

/* Planes and squeezed are set. `cost`: what squeezing costs besides. */
static void take_widths(reader *in, layer *l, int cost) {
  unsigned maps[7];
  in->bad |= l->planes == 7 || (l->squeezed && l->planes == 0);
  if (in->bad)
    return;
  take_width_maps(in, l, maps);
  for (int k = 0; k < l->planes; k++)
    for (int j = 0; j < 16; j++)
      if (maps[k] >> j & 1) {
        uint8_t byte = *take(in, 1);
        in->bad |= l->squeezed && byte == 0;
        for (int b = 0; b < 8; b++)
          l->widths[8 * j + b] |= (byte >> b & 1) << k;
      }
  for (int b = 0; b < REF_BLOCKS; b++)
    l->largest = l->widths[b] > l->largest ? l->widths[b] : l->largest;
  in->bad |= ref_bit_length((uint64_t)l->largest) != l->planes;
  in->odd |= squeezes(l->widths, l->planes, cost) != l->squeezed;
}

/* Reads one map of specials. */
static void take_map(reader *in, uint8_t *flags) {
  uint8_t map[16];
  memcpy(map, take(in, 16), 16);
  for (int b = 0; b < REF_BLOCKS; b++)
    if ((map[b / 8] >> (b % 8)) & 1) {
      uint8_t byte = *take(in, 1);
      in->bad |= byte == 0;
      for (int i = 0; i < 8; i++)
        flags[8 * b + i] = (byte >> i) & 1;
    }
}

static void take_planes(reader *in, layer *l) {
  uint64_t u[REF_TILE] = {0};
  for (int plane = 0; plane < l->largest; plane++)
    for (int b = 0; b < REF_BLOCKS; b++)
      if (l->widths[b] > plane) {
        uint8_t byte = *take(in, 1);
        for (int i = 0; i < 8; i++)
          u[8 * b + i] |= (uint64_t)((byte >> i) & 1) << plane;
      }
  for (int i = 0; i < REF_TILE; i++) {
    int w = l->widths[i / 8];
    if (w > 0 && w < 64 && (u[i] >> (w - 1)) & 1)
      u[i] |= ~(uint64_t)0 << w;
    l->r[i] = (int64_t)u[i];
  }
  for (int b = 0; b < REF_BLOCKS; b++)
    in->odd |= block_width(l->r, b) != l->widths[b];
}

static ref_verdict parse_raw(const ref_header *h, const uint8_t *data, size_t size, ref_tile *t) {
  size_t each = ref_value_size(h->type);
  if (data[0] != 0x18 || size != 1 + each * (size_t)t->n)
    return REF_BAD;
  t->raw = 1;
  data++;
  for (int i = 0; i < REF_TILE; i++)
    for (size_t b = 0; b < each && ref_inside(t, i); b++)
      t->bits[i] |= (uint64_t)*data++ << (8 * b);
  return REF_GOOD;
}

/* Specials must exist if announced, and not outside. */
static int specials_bad(const ref_tile *t) {
  for (int i = 0; i < REF_TILE; i++)
    if (!ref_inside(t, i) && (t->plus[i] | t->minus[i]))
      return 1;
  return !special(t);
}

/* Widths of blocks without a column inside. */
static int widths_outside(const ref_tile *t, const int *widths) {
  for (int b = 0; b < REF_BLOCKS; b++) {
    int inside = 0;
    for (int i = 8 * b; i < 8 * b + 8; i++)
      inside |= ref_inside(t, i);
    if (!inside && widths[b])
      return 1;
  }
  return 0;
}

/* Bits in columns that are ignored. */
static int ignored_bits(const ref_tile *t, const int64_t *r) {
  int ignored = t->dims < 2 ? t->order : t->order > 0;
  for (int i = 0; i < REF_TILE; i++)
    if (r[i] != 0 && (i < ignored || !ref_inside(t, i)))
      return 1;
  return 0;
}

static int least(int a, int b) { return a < b ? a : b; }

static int width_limit(const ref_header *h, int mode, int order) {
  return least(62, ref_mode_bits(h, mode) + order + 1 + ref_bit_length(h->terms));
}

/* Everything of the coefficients before their planes. */
static void take_coefficients_header(const ref_header *h, reader *in, layer *l) {
  int head = *take(in, 1);
  l->squeezed = head >> 7;
  l->planes = head & 7;
  l->anchor = take_anchor(in, head >> 3 & 7);
  in->bad |= head >> 6 & 1;
  take_widths(in, l, 0);
  in->bad |= l->largest > least(62, 25 + ref_bit_length(h->terms));
}

static void take_coefficients(reader *in, layer *l, ref_tile *t) {
  take_planes(in, l);
  in->odd |= l->r[0] != 0;
  l->r[0] = l->anchor;
  for (int u = 0; u < REF_TILE; u++)
    t->c[u] = l->r[ref_column_of(t->dims, u)];
}

/* Bits of the extra byte that the stream or the order has no use for. */
static int extra_bad(const ref_header *h, const ref_tile *t, int extra) {
  if (t->order == 0 && (extra & 7))
    return 1;
  if (t->dims < 2)
    return t->order != 2 && (extra & 0x38);
  return (extra & 0x20) || ((extra & 0x10) && (t->dims != 2 || t->order == 0 || t->n < REF_TILE)) ||
         ((extra & 8) && (!h->transform || t->n < LEAST_FOR_COEFFICIENTS));
}

static ref_verdict parse_lattice(const ref_header *h, const uint8_t *data, size_t size, ref_tile *t) {
  reader in = {data + 1, size - 1, 0, 0};
  layer values = {.planes = data[0] >> 5}, waves = {0};
  int extra = data[0] & 4 ? *take(&in, 1) : 0;
  t->order = data[0] & 3;
  t->mode = (data[0] >> 3) & 3;
  if (t->order >= ref_orders(t->dims) || h->step == 0 || ((data[0] & 4) && extra == 0) ||
      extra_bad(h, t, extra))
    return REF_BAD;
  t->coefficients = t->dims > 1 && (extra & 8);
  t->turned = t->dims > 1 && (extra & 0x10);
  values.squeezed = extra >> 7;
  values.anchor = take_anchor(&in, extra & 7);
  values.slope = t->dims > 1 ? 0 : take_anchor(&in, (extra >> 3) & 7);
  take_widths(&in, &values, (extra & 0x7f) == 0);
  if (in.bad || values.largest > width_limit(h, t->mode, t->order) || widths_outside(t, values.widths))
    return REF_BAD;
  if (extra & 0x40) {
    take_map(&in, t->plus);
    take_map(&in, t->minus);
    if (in.bad || specials_bad(t))
      return REF_BAD;
  }
  if (t->coefficients)
    take_coefficients_header(h, &in, &waves);
  if (size == 1 && data[0] == 0)
    return REF_BAD;
  take_planes(&in, &values);
  if (t->coefficients)
    take_coefficients(&in, &waves, t);
  if (in.bad || in.left)
    return REF_BAD;
  int b = ref_mode_bits(h, t->mode);
  ref_integrate(t, values.r, values.anchor, values.slope, b + ref_bit_length(h->terms) <= 31);
  return in.odd || ignored_bits(t, values.r) || (t->n < 2 && values.slope != 0) ? REF_ODD : REF_GOOD;
}

/* The tile behind a value has one integer, whose value is near. */
static int belongs(const ref_header *h, const ref_tile *t, double x) {
  double y = 0;
  if (t->raw || t->coefficients || t->turned)
    return 0;
  for (int i = 0; i < REF_TILE; i++)
    if (ref_inside(t, i)) {
      if (t->q[i] != t->q[0])
        return 0;
      y = (double)t->q[0] * ref_unit(h, t->mode);
    }
  return isfinite(x) && !(h->has_fill && x == h->fill) && fabs(x - y) <= h->eb;
}

/* The value, and the tile behind it, which has neither width planes nor a slope. */
static ref_verdict parse_one(const ref_header *h, const uint8_t *data, size_t size, ref_tile *t) {
  size_t each = ref_value_size(h->type), head = 1 + each;
  if (h->terms != 1 || h->step == 0 || h->step > 2 * h->eb || size < head)
    return REF_BAD;
  const uint8_t *behind = data + head;
  ref_verdict verdict = REF_GOOD;
  if (size > head) {
    if ((behind[0] >> 3 & 3) == 3 || behind[0] >> 5 ||
        ((behind[0] & 4) && size > head + 1 && (behind[1] & 0x38)))
      return REF_BAD;
    verdict = parse_lattice(h, behind, size - head, t);
  }
  for (size_t b = 0; b < each; b++)
    t->bits[0] |= (uint64_t)data[1 + b] << (8 * b);
  if (verdict == REF_BAD || !belongs(h, t, ref_value(h->type, t->bits[0])))
    return REF_BAD;
  t->one = 1;
  uint64_t bits;
  ref_tile alone = *t;
  alone.one = 0;
  for (int i = 0; i < REF_TILE; i++)
    alone.bits[i] = t->bits[0];
  return verdict == REF_GOOD && size < 1 + each * (size_t)t->n && off_one_value(h, &alone, &bits) ? REF_GOOD
                                                                                                  : REF_ODD;
}

ref_verdict ref_tile_parse(const ref_header *h, uint64_t number, const uint8_t *data, size_t size,
                           ref_tile *t) {
  memset(t, 0, sizeof *t);
  ref_tile_shape(h, number, t);
  if (size == 0)
    return REF_GOOD;
  if (h->terms == 0)
    return REF_BAD;
  if (data[0] == 0x38)
    return parse_one(h, data, size, t);
  return (data[0] >> 3 & 3) == 3 ? parse_raw(h, data, size, t) : parse_lattice(h, data, size, t);
}
