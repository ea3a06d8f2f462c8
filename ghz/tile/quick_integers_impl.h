/* quick_integers_impl.h: layers of at most 16 planes to integers of 16 bits, in registers. Part of
 * codec.h.
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

/* Of a part of eight planes: transpose_bits_of in registers. */
GHZ_INLINE void transpose_part(const bit_plane planes[8], int from, uint8_t *to) {
  uvec_64 a[8];
  GHZ_UNROLL_8 for (int i = 0; i < 8; i++) a[i] = *(const uvec_64 *)(const void *)(planes[i] + from);
#define EXCHANGE(i, j, s, m)                                                                                   \
  do {                                                                                                         \
    const uvec_64 d = ((a[i] >> s) ^ a[j]) & (m);                                                              \
    a[j] ^= d;                                                                                                 \
    a[i] ^= d << s;                                                                                            \
  } while (0)
  GHZ_UNROLL_8 for (int i = 0; i < 4; i++) EXCHANGE(i, i + 4, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
  GHZ_UNROLL_8 for (int i = 0; i < 4; i++)
      EXCHANGE(i + (i & 2), i + (i & 2) + 2, 2, UINT64_C(0x3333333333333333));
  GHZ_UNROLL_8 for (int i = 0; i < 8; i += 2) EXCHANGE(i, i + 1, 1, UINT64_C(0x5555555555555555));
#undef EXCHANGE
  GHZ_UNROLL_8 for (int i = 0; i < 8; i++) vec_store(to + i * BLOCKS, (vec_16)a[i]);
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
