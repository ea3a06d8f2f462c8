/* specials_impl.h: the planes of specials, in memory and in a tile (FORMAT.md, "Specials"). Part of
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

/* The columns that count: those in the plane `inside`, or if that is NULL the first n. */
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

/* Takes the specials off that do not stand in the plane. */
static void keep_specials(specials *s, const bit_plane inside) {
  for (int b = 0; b < PLANE_BYTES; b++) {
    s->plus[b] &= inside[b];
    s->minus[b] &= inside[b];
  }
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

/* ---- In a tile ------------------------------------------------------------------------------- */

/* A plane is the map of its bytes that are not 0, then those bytes: as widths of 0 and 1 are, and
 * the plane that they squeeze. Where there is NaN alone, both planes are the same. */

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

static uint8_t *put_specials(const specials *s, uint8_t *dst) {
  uint8_t *second = put_special_plane(s->plus, dst);
  const size_t size = (size_t)(second - dst);
  if (memcmp(s->plus, s->minus, PLANE_BYTES) != 0)
    return put_special_plane(s->minus, second);
  memcpy(second, dst, size);
  return second + size;
}

/* Bytes of such a plane, by its first 16. */
static inline size_t special_plane_size(const uint8_t *p) {
  return 16 + (size_t)(__builtin_popcountll(load_u64(p)) + __builtin_popcountll(load_u64(p + 8)));
}

/* Bytes of both. Of damaged ones it may read SLACK bytes behind the first 32. */
static inline size_t special_planes_size(const uint8_t *p) {
  const size_t first = special_plane_size(p);
  return first + special_plane_size(p + first);
}

/* At most `room` bytes. Returns their end, or NULL if they are not such a plane. */
static const uint8_t *parse_special_plane(const uint8_t *src, size_t room, bit_plane plane) {
  ALIGNED uint8_t width[BLOCKS];
  uint8_t missing = 0;
  if (room < 16 || room < special_plane_size(src))
    return NULL;
  widths_load(src, 1, 0, width);
  src += 16;
  for (int i = 0; i < PARTS; i++)
    part_store(plane + i * PART_BYTES, part_expand(part_zero(), &src, part_load(width + i * PART_BYTES), 0));
  for (int b = 0; b < BLOCKS; b++)
    missing |= (uint8_t)(width[b] & (plane[b] == 0));
  return missing ? NULL : src;
}

/* Both planes. */
static const uint8_t *parse_special_planes(const uint8_t *src, size_t room, specials *s) {
  const uint8_t *second = parse_special_plane(src, room, s->plus);
  if (!second)
    return NULL;
  const size_t size = (size_t)(second - src);
  if (room - size < size || memcmp(src, second, size) != 0)
    return parse_special_plane(second, room - size, s->minus);
  memcpy(s->minus, s->plus, sizeof s->minus);
  return second + size;
}

/* Whether such planes are at p, of columns inside alone. *after is their end. */
static int specials_valid(const uint8_t *p, const uint8_t *end, const bit_plane inside, const uint8_t **after) {
  specials s;
  uint8_t outside = 0;
  *after = parse_special_planes(p, (size_t)(end - p), &s);
  if (!*after || !has_specials(&s))
    return 0;
  for (int b = 0; b < BLOCKS; b++)
    outside |= (uint8_t)((s.plus[b] | s.minus[b]) & ~inside[b]);
  return !outside;
}

static void parse_specials(const layer_header *h, specials *s) {
  parse_special_planes(h->specials, TILE_BYTES_MAX, s);
}
