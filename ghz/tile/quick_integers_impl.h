/* quick_integers_impl.h: layers of at most 16 planes to integers of 16 bits, and integers and sums
 * to values in their places, all in registers. Part of codec.h.
 *
 * A layer goes by way of the bytes of its integers, position-major; parts without widths are left
 * out. */
/* SPDX-License-Identifier: BSD-3-Clause */

enum { NARROW_PLANES = 16 };

/* Bytes of integers, the low ones first, of the parts in `live`; the others are unset. */
typedef struct narrow_bytes {
  ALIGNED uint8_t at[2][TILE];
  unsigned octets, live;
} narrow_bytes;

static unsigned parts_with_widths(const uint8_t width[BLOCKS]) {
  unsigned live = 0;
  for (int i = 0; i < PARTS; i++)
    live |= (unsigned)!part_equal(part_load(width + i * PART_BYTES), part_zero()) << i;
  return live;
}

/* The planes of the first `parts` parts, and copies of the last one up to a multiple of 8. */
GHZ_INLINE void expand_narrow(int parts, const layer_header *h, bit_plane planes[NARROW_PLANES]) {
  squeezed_planes s;
  part x[PARTS];
  open_planes(&s, h);
  zero_plane(x);
  for (unsigned p = 0; p < h->height || p % 8; p++) {
    if (p < h->height)
      expand_parts(&s, parts, p, x);
    for (int i = 0; i < parts; i++)
      part_store(planes[p] + i * PART_BYTES, x[i]);
  }
}

/* Of a layer of at most NARROW_PLANES planes. Turned ones are turned back, all parts. */
static void bytes_of_layer(const layer_header *h, narrow_bytes *b) {
  ALIGNED bit_plane planes[NARROW_PLANES];
  b->live = h->turned ? (1U << PARTS) - 1 : parts_with_widths(h->width);
  b->octets = (h->height + 7) / 8;
  WITH_PARTS((int)bit_length(b->live), expand_narrow, h, planes);
  if (h->turned)
    turn_planes(planes, 8 * b->octets);
  for (unsigned k = 0; k < b->octets; k++)
    for (int i = 0; i < PARTS; i++)
      if (b->live >> i & 1)
        transpose_part(planes + 8 * k, i * PART_BYTES, b->at[k] + i * PART_BYTES);
}

/* The integers of N16 blocks from one on, position-major: a register for each position. */
GHZ_INLINE void narrow_blocks(const narrow_bytes *b, int block, vec_16 v[BLOCK]) {
  if (!(b->live >> block / PART_BYTES & 1) || b->octets == 0)
    GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) v[t] = (vec_16){0};
  else if (b->octets < 2)
    GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) v[t] = widen_signed_bytes(b->at[0] + t * BLOCKS + block);
  else
    GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) v[t] =
        widen_bytes(b->at[0] + t * BLOCKS + block) | widen_bytes(b->at[1] + t * BLOCKS + block) << 8;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Which operations decode_impl.h has: (float)q * (float)unit, or doubles, rounded to float or
 * not; integers as they are; and whole doubles as integers of 64 bits. */
enum value_kind { IN_FLOAT, TO_FLOAT, TO_DOUBLE, AS_THEY_ARE, TO_INTEGER };

/* Where a whole brick goes, and by what its integers are multiplied. */
typedef struct brick_target {
  char *to;
  size_t row, plane; /* bytes */
  int streaming;
  double unit;
} brick_target;

/* Stores go past the caches if all registers of all lines may. */
static brick_target target_of(const tile_place *p, size_t size, int streaming, double unit, void *dst) {
  brick_target t = {dst, p->row * size, p->plane * size, 0, unit};
  const size_t planes = p->extent.dims == 3 ? t.plane : 0;
  t.streaming = streaming && may_stream(dst, t.row | planes);
  return t;
}

GHZ_INLINE void put_register(brick_target t, char *to, vec_16 v) {
  if (t.streaming)
    vec_stream(to, &v);
  else
    vec_store(to, v);
}

/* Whole numbers below 2^51 in magnitude to integers; others to integers that are not below it. */
GHZ_INLINE vec_64 whole_lanes(vec_f64 v) {
  const vec_f64 zero = splat_f64(ROUND_F64);
  return (vec_64)((uvec_64)(v + zero) - (uvec_64)zero);
}

/* Doubles of as many places as a register has floats. */
GHZ_INLINE void put_doubles(enum value_kind kind, brick_target t, vec_f64 low, vec_f64 high, char *to) {
  const vec_f64 a = low * t.unit, b = high * t.unit;
  if (kind != TO_FLOAT) {
    put_register(t, to, kind == TO_INTEGER ? (vec_16)whole_lanes(a) : (vec_16)a);
    put_register(t, to + VEC, kind == TO_INTEGER ? (vec_16)whole_lanes(b) : (vec_16)b);
    return;
  }
  put_register(t, to, (vec_16)joined_f32(narrow_f64(a), narrow_f64(b)));
}

GHZ_INLINE vec_f64 doubles_of(vec_32 q, int high) {
  return widen_32(half_of_32(q, high));
}

GHZ_INLINE void put_integers(enum value_kind kind, brick_target t, vec_32 q, char *to) {
  if (kind == AS_THEY_ARE)
    put_register(t, to, (vec_16)q);
  else if (kind == IN_FLOAT)
    put_register(t, to, (vec_16)(__builtin_convertvector(q, vec_f32) * (float)t.unit));
  else
    put_doubles(kind, t, doubles_of(q, 0), doubles_of(q, 1), to);
}
