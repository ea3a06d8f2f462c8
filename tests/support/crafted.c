/* crafted.c: streams of tiles that no encoder writes, from random bytes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "crafted.h"
#include <string.h>

/* Bytes of a texture: noise, the same all over (checkerboards, steps), or a few here and there. */
static void put_texture(uint8_t *p, size_t size, uint64_t *state) {
  static const uint8_t same[] = {0x55, 0xaa, 0xff, 0x01, 0x80, 0x0f};
  uint64_t kind = input_below(state, 4), few = (uint64_t)1 << input_below(state, 8);
  uint8_t constant = same[input_below(state, COUNT(same))];
  for (size_t i = 0; i < size; i++)
    p[i] = kind == 0   ? constant
           : kind == 1 ? (uint8_t)(input_below(state, few) ? 0 : input_random(state) >> 32)
                       : (uint8_t)(input_random(state) >> 32);
}

/* A number of at most 8 bytes, of any length, near a power of two as often as not. */
static size_t put_anchor(uint8_t *p, unsigned code, uint64_t *state) {
  int bytes = code == 7 ? 8 : (int)code, bits = (int)input_below(state, 8 * (uint64_t)bytes + 1);
  uint64_t v = bits ? input_random(state) >> (64 - bits) : 0;
  if (input_below(state, 2) && bits < 64)
    v = ((uint64_t)1 << bits) - input_below(state, 3);
  put_little(p, input_below(state, 2) ? v : 0 - v, bytes);
  return (size_t)bytes;
}

/* Bytes that are read as a tile: short anchors and narrow planes, or none, more often than not. */
static void put_like_a_tile(int flat, uint8_t bytes[MEND_ROOM], uint64_t *state) {
  unsigned order = (unsigned)input_below(state, 4), mode = (unsigned)input_below(state, 12),
           planes = (unsigned)input_below(state, input_below(state, 2) ? 3 : 7),
           la = (unsigned)input_below(state, input_below(state, 2) ? 2 : 8),
           ls = flat ? (unsigned)input_below(state, input_below(state, 2) ? 2 : 8) : 0,
           others = (unsigned)(input_random(state) >> 32) & (flat ? 0xc0 : 0xd8);
  uint8_t *p = bytes;
  put_texture(bytes, MEND_ROOM, state);
  mode = mode < 6 ? 0 : mode < 8 ? 1 : mode < 11 ? 2 : 3; /* mostly coarse, rarely raw */
  *p++ = (uint8_t)(order | 4 | mode << 3 | planes << 5);
  *p++ = (uint8_t)(la | ls << 3 | (input_below(state, 2) ? others : others & 0x80));
  p += order > 0 ? put_anchor(p, la, state) : 0;
  p += order > 1 ? put_anchor(p, ls, state) : 0;
  put_texture(p, 16 * planes, state);
}

/* Puts v between -most and most; whether it was there. */
static int fold(int64_t *v, int64_t most) {
  int inside = *v >= -most && *v <= most;
  *v = inside ? *v : *v % (most + 1);
  return inside;
}

/* Whether all integers of the tile were within their limits; they are after it. */
static int fold_all(const ref_header *h, ref_tile *t) {
  int inside = 1;
  int64_t most = ((int64_t)1 << ref_mode_bits(h, t->mode)) * h->terms, waves = ((int64_t)1 << 24) * h->terms;
  for (int i = 0; i < REF_TILE; i++) {
    inside &= fold(&t->q[i], most);
    inside &= i == 0 || fold(&t->c[i], waves);
  }
  return inside;
}

/* One tile, to both. */
static void craft_tile(const ref_header *h, uint64_t number, uint64_t *state, uint8_t *const out[2],
                       uint16_t *const size[2]) {
  SCOPE;
  ref_tile *t = scratch(sizeof *t);
  uint8_t *bytes = scratch(MEND_ROOM);
  ref_header wide = *h; /* integers modulo 2^64 */
  wide.terms = 1 << 23;
  memset(t, 0, sizeof *t);
  ref_tile_shape(h, number, t);
  put_like_a_tile(h->dims < 2, bytes, state);
  *size[1] = (uint16_t)mend_tile(h, t, bytes, input_below(state, 16) ? MEND_ROOM : 0, out[1]);
  if (*size[1] && out[1][0] == 0x38) { /* of one value, which has no other spelling */
    *size[1] = ref_tile_parse(h, number, out[1], *size[1], t) == REF_GOOD ? *size[1] : 0;
    *size[0] = *size[1];
    memcpy(out[0], out[1], *size[1]);
    return;
  }
  ref_tile_parse(&wide, number, out[1], *size[1], t);
  int inside = t->raw || fold_all(h, t);
  *size[0] = (uint16_t)(*size[1] ? ref_tile_encode(h->type, t, out[0]) : 0);
  if (!inside) {
    *size[1] = *size[0];
    memcpy(out[1], out[0], *size[0]);
  }
}

crafted_pair crafted_streams(const ref_header *h, uint64_t *state) {
  size_t tiles = (size_t)ref_tile_total(h), used[2] = {0};
  uint16_t *sizes[2] = {scratch(2 * tiles), scratch(2 * tiles)};
  uint8_t *payload[2] = {scratch((tiles + 1) * REF_TILE_ROOM), scratch((tiles + 1) * REF_TILE_ROOM)};
  for (size_t t = 0; t < tiles; t++) {
    craft_tile(h, t, state, (uint8_t *const[]){payload[0] + used[0], payload[1] + used[1]},
               (uint16_t *const[]){&sizes[0][t], &sizes[1][t]});
    used[0] += sizes[0][t];
    used[1] += sizes[1][t];
  }
  return (crafted_pair){ref_assemble(h, sizes[0], payload[0]), ref_assemble(h, sizes[1], payload[1])};
}
