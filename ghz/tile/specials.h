/* specials.h: the planes of specials, in memory and in a tile (FORMAT.md, "Specials"). Part of
 * codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Two bit planes: where +Inf entered and where -Inf entered; both: NaN. */
typedef struct specials {
  bit_plane plus, minus;
} specials;

static inline int has_specials(const specials *s) {
  uint8_t any = 0;
  for (int b = 0; b < PLANE_BYTES; b++)
    any |= (uint8_t)(s->plus[b] | s->minus[b]);
  return any != 0;
}

/* ---- Among values ---------------------------------------------------------------------------- */

/* The columns in the plane `inside`, or if that is NULL the first n. */
static void columns_that_count(unsigned n, const uint8_t *inside, bit_plane plane) {
  if (inside) {
    memcpy(plane, inside, PLANE_BYTES);
    return;
  }
  memset(plane, 0, PLANE_BYTES);
  memset(plane, 0xff, n / BLOCK);
  if (n % BLOCK)
    plane[n / BLOCK] = (uint8_t)((1 << n % BLOCK) - 1);
}

/* Takes the specials off that do not stand in the plane. Returns whether any is left. */
static int keep_specials(specials *s, const bit_plane inside) {
  for (int b = 0; b < PLANE_BYTES; b++) {
    s->plus[b] &= inside[b];
    s->minus[b] &= inside[b];
  }
  return has_specials(s);
}

/* The columns whose values do not count: specials, and what is outside. */
static void columns_to_hide(const specials *s, const bit_plane inside, bit_plane plane) {
  for (int b = 0; b < PLANE_BYTES; b++)
    plane[b] = (uint8_t)(s->plus[b] | s->minus[b] | ~inside[b]);
}

/* The first column that is not in a plane; TILE if it has all. */
static unsigned first_column_not_in(const bit_plane plane) {
  for (unsigned w = 0; w < PLANE_BYTES / 8; w++) {
    const uint64_t others = ~load_u64(plane + 8 * w);
    if (others)
      return 64 * w + (unsigned)__builtin_ctzll(others);
  }
  return TILE;
}

/* For every choice of columns among four, where each finds the last one up to itself that is not
 * chosen: -1 is the column before the four. */
#define UP_TO_0(m) ((m)&1 ? -1 : 0)
#define UP_TO_1(m) ((m)&2 ? UP_TO_0(m) : 1)
#define UP_TO_2(m) ((m)&4 ? UP_TO_1(m) : 2)
#define UP_TO_3(m) ((m)&8 ? UP_TO_2(m) : 3)
#define UP_TO(m)                                                                                               \
  { UP_TO_0(m), UP_TO_1(m), UP_TO_2(m), UP_TO_3(m) }
static const int8_t last_not_in[16][4] = {UP_TO(0),  UP_TO(1),  UP_TO(2),  UP_TO(3), UP_TO(4),  UP_TO(5),
                                          UP_TO(6),  UP_TO(7),  UP_TO(8),  UP_TO(9), UP_TO(10), UP_TO(11),
                                          UP_TO(12), UP_TO(13), UP_TO(14), UP_TO(15)};
#undef UP_TO
#undef UP_TO_3
#undef UP_TO_2
#undef UP_TO_1
#undef UP_TO_0

/* ---- In a tile ------------------------------------------------------------------------------- */

/* A plane is the map of its bytes that are not 0, then those bytes: as widths of 0 and 1 are, and
 * the plane that they squeeze. */

static unsigned squeezed_size(const bit_plane plane) {
  uint8_t count = 0; /* 128 at most */
  for (int b = 0; b < PLANE_BYTES; b++)
    count = (uint8_t)(count + (plane[b] != 0));
  return 16U + count;
}

static uint8_t *put_special_plane(const bit_plane plane, uint8_t *dst) {
  ALIGNED uint8_t width[BLOCKS];
  for (int b = 0; b < BLOCKS; b++)
    width[b] = plane[b] != 0;
  dst = widths_store(width, 1, 0, dst);
  for (int i = 0; i < PARTS; i++)
    part_squeeze(part_load(plane + i * PART_BYTES), &dst, part_load(width + i * PART_BYTES), 0);
  return dst;
}

/* At most `room` bytes. Returns their end, or NULL if they are not such a plane. */
static const uint8_t *take_special_plane(const uint8_t *src, size_t room, bit_plane plane) {
  ALIGNED uint8_t width[BLOCKS];
  uint8_t missing = 0;
  if (room < 16 || room - 16 < widths_load(src, 1, 0, width).sum)
    return NULL;
  src += 16;
  for (int i = 0; i < PARTS; i++)
    part_store(plane + i * PART_BYTES, part_expand(part_zero(), &src, part_load(width + i * PART_BYTES), 0));
  for (int b = 0; b < BLOCKS; b++)
    missing |= (uint8_t)(width[b] & (plane[b] == 0));
  return missing ? NULL : src;
}

/* Whether such planes are at p, of columns inside alone. *after is their end. */
static int specials_valid(const uint8_t *p, const uint8_t *end, const bit_plane inside, const uint8_t **after) {
  specials s;
  uint8_t outside = 0;
  p = take_special_plane(p, (size_t)(end - p), s.plus);
  *after = p = p ? take_special_plane(p, (size_t)(end - p), s.minus) : NULL;
  if (!p || !has_specials(&s))
    return 0;
  for (int b = 0; b < BLOCKS; b++)
    outside |= (uint8_t)((s.plus[b] | s.minus[b]) & ~inside[b]);
  return !outside;
}

static void parse_specials(const layer_header *h, specials *s) {
  take_special_plane(take_special_plane(h->specials, TILE_BYTES_MAX, s->plus), TILE_BYTES_MAX, s->minus);
}
