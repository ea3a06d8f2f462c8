/* stream.c: the bytes around the tiles: how large they may become; headers of streams and messages,
 * ends of chunks, sizes (FORMAT.md, "Stream"). Everything that comes from outside is checked here
 * before it is used (law L5, docs/LAWS.md). */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "stream/stream.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"
#include "rules/shape.h"

/* ---- Sizes ----------------------------------------------------------------------------------- */

static int add_product(size_t *total, uint64_t count, uint64_t each) {
  size_t bytes;
  return !__builtin_mul_overflow(count, each, &bytes) && !__builtin_add_overflow(*total, bytes, total);
}

size_t ghz_stream_index_size(uint64_t tiles) {
  size_t size = STREAM_HEADER;
  return add_product(&size, chunks_of(tiles), 8) && add_product(&size, tiles, 2) ? size : 0;
}

size_t ghz_tile_bound(int dims, ghz_type type, uint32_t terms, int fresh) {
  const tile_extent whole = whole_tile(dims);
  return extent_bound(storage_type(type), &whole, terms, fresh);
}

static int terms_possible(ghz_type type, uint32_t terms) {
  return type_known(type) && terms != 0 && terms <= terms_limit(35);
}

/* Along each axis whole tiles, then maybe one that the border cuts: eight kinds of tiles. */
static int add_tile_bounds(const ghz_shape *s, ghz_type type, uint32_t terms, size_t *size) {
  const tile_extent whole = whole_tile(s->dims);
  const uint64_t *n = s->extent;
  int fits = 1;
  for (int kind = 0; kind < 8 && fits; kind++) {
    const unsigned z = kind & 4 ? (unsigned)(n[0] % whole.z) : whole.z,
                   y = kind & 2 ? (unsigned)(n[1] % whole.y) : whole.y,
                   x = kind & 1 ? (unsigned)(n[2] % whole.x) : whole.x;
    const tile_extent e = {whole.dims, z * y * x, z, y, x};
    const uint64_t tiles =
        (kind & 4 ? 1 : n[0] / whole.z) * (kind & 2 ? 1 : n[1] / whole.y) * (kind & 1 ? 1 : n[2] / whole.x);
    fits = e.n == 0 || add_product(size, tiles, extent_bound(storage_type(type), &e, terms, 0));
  }
  return fits;
}

size_t ghz_shape_bound(const ghz_shape *shape, ghz_type type, uint32_t terms) {
  if (!shape || !shape_valid(shape) || !terms_possible(type, terms))
    return 0;
  size_t size = ghz_stream_index_size(shape_tiles(shape));
  return size && add_tile_bounds(shape, type, terms, &size) ? size : 0;
}

size_t ghz_result_bound(const ghz_slice *result) {
  const uint32_t terms = result->terms ? result->terms : 1; /* none after a factor of 0 */
  return ghz_shape_bound(&result->shape, result->lattice.type, terms);
}

size_t ghz_size_bound(size_t n, ghz_type type, uint32_t terms) {
  const ghz_shape flat = ghz_flat(n);
  return ghz_shape_bound(&flat, type, terms);
}

size_t ghz_slice_bound(const ghz_shape *shape, uint64_t tiles, ghz_type type, uint32_t terms) {
  size_t size = GHZ_SLICE_HEADER;
  if (!shape || !dims_known(shape->dims) || !terms_possible(type, terms))
    return 0;
  return add_product(&size, tiles, 2 + ghz_tile_bound(shape->dims, type, terms, 0)) ? size : 0;
}

/* ---- Headers and indexes --------------------------------------------------------------------- */

/* The 72 bytes that streams and messages have in common. */
static void put_common(const ghz_slice *s, uint32_t magic, uint8_t *p) {
  memset(p, 0, STREAM_HEADER);
  store_u32(p, magic);
  p[4] = (uint8_t)s->lattice.type;
  p[5] = (uint8_t)(FLAG_INEXACT * (s->inexact != 0) | FLAG_TRANSFORM * (s->transform != 0) |
                   FLAG_FILL * (s->lattice.has_fill != 0));
  p[6] = (uint8_t)s->lattice.cap;
  p[7] = (uint8_t)s->shape.dims;
  for (int i = 0; i < 3; i++)
    store_u64(p + 8 + 8 * i, s->shape.extent[i]);
  store_f64(p + 32, s->lattice.step);
  store_f64(p + 40, s->lattice.eb);
  store_u32(p + 48, s->terms);
  store_u64(p + 56, s->payload_size);
  if (s->lattice.has_fill)
    store_f64(p + 64, s->lattice.fill);
}

static void take_common(const uint8_t *p, ghz_slice *s) {
  *s = (ghz_slice){.lattice = {(ghz_type)p[4], p[6], load_f64(p + 32), load_f64(p + 40),
                               (p[5] & FLAG_FILL) != 0, load_f64(p + 64)},
                   .shape = {p[7], {load_u64(p + 8), load_u64(p + 16), load_u64(p + 24)}},
                   .count = load_u64(p + 8) * load_u64(p + 16) * load_u64(p + 24),
                   .terms = load_u32(p + 48),
                   .inexact = p[5] & FLAG_INEXACT,
                   .transform = (p[5] & FLAG_TRANSFORM) != 0,
                   .payload_size = load_u64(p + 56)};
}

/* Which format it is of, if it is an older one that is not read any more; 0 if not. */
static int old_format(uint32_t first, uint32_t magic) {
  const int stream = magic == STREAM_MAGIC;
  return first == (stream ? STREAM_MAGIC_1 : MESSAGE_MAGIC_1)   ? 1
         : first == (stream ? STREAM_MAGIC_2 : MESSAGE_MAGIC_2) ? 2
                                                                : 0;
}

/* Of `size` bytes, at least those of the header unless the format is older. */
static ghz_status check_version(ghz_context *ctx, ghz_bytes src, uint32_t magic, size_t header, size_t number) {
  const uint8_t *p = src.data;
  if (!p)
    return ghz_fail(ctx, GHZ_EINVAL, "operand %zu: no data", number);
  const int old = src.size >= 4 ? old_format(load_u32(p), magic) : 0;
  if (old)
    return ghz_fail(ctx, GHZ_EVERSION,
                    "operand %zu: format %d, of version %s, which this version does not read", number, old,
                    old == 1 ? "0.1 of ghz" : "0.2 of ghz before its release");
  if (src.size < header || load_u32(p) != magic)
    return ghz_fail(ctx, GHZ_ECORRUPT, "operand %zu: no ghz header", number);
  if (!type_known((ghz_type)p[4]) || p[5] > FLAGS_KNOWN || load_u32(p + 52) || !dims_known(p[7]))
    return ghz_fail(ctx, GHZ_EVERSION, "operand %zu: type or feature bits of a newer version", number);
  return GHZ_OK;
}

static ghz_status parse_common(ghz_context *ctx, ghz_bytes src, uint32_t magic, size_t header, size_t number,
                               ghz_slice *s) {
  ghz_status status = check_version(ctx, src, magic, header, number);
  if (status != GHZ_OK)
    return status;
  take_common(src.data, s);
  if (!shape_valid(&s->shape) || (s->transform && s->shape.dims == 1))
    return ghz_fail(ctx, GHZ_ECORRUPT, "operand %zu: %llu x %llu x %llu values in %d dimensions", number,
                    (ull)s->shape.extent[0], (ull)s->shape.extent[1], (ull)s->shape.extent[2], s->shape.dims);
  if (!lattice_valid(&s->lattice))
    return ghz_fail(ctx, GHZ_ECORRUPT, "operand %zu: step %g, bound %g, cap %d, fill %g are no lattice", number,
                    s->lattice.step, s->lattice.eb, s->lattice.cap, s->lattice.fill);
  if (!s->lattice.has_fill && load_u64((const uint8_t *)src.data + 64))
    return ghz_fail(ctx, GHZ_ECORRUPT, "operand %zu: fill bytes are set, but the fill flag is not", number);
  if (s->terms > terms_limit(s->lattice.cap))
    return ghz_fail(ctx, GHZ_ECORRUPT, "operand %zu: %u terms", number, s->terms);
  return GHZ_OK;
}

/* Checks each tile's size, and one stream's ends of chunks against them where there are any. */
static ghz_status check_sizes(ghz_context *ctx, const ghz_slice *s, const uint8_t *ends, uint64_t *offset) {
  uint64_t total = 0, chunks = chunks_of(s->tiles);
  for (uint64_t c = 0; c < chunks; c++) {
    const uint8_t *sizes = (const uint8_t *)s->sizes + 2 * TILES_PER_CHUNK * c;
    uint64_t left = s->tiles - c * TILES_PER_CHUNK;
    unsigned largest;
    if (offset)
      offset[c] = total;
    /* The same call twice: with a constant count it compiles to a few vector instructions. */
    total += left >= TILES_PER_CHUNK ? sum_sizes(sizes, TILES_PER_CHUNK, &largest)
                                     : sum_sizes(sizes, (unsigned)left, &largest);
    if (largest > TILE_BYTES_MAX)
      return ghz_fail(ctx, GHZ_ECORRUPT, "a tile of %u bytes in chunk %llu", largest, (ull)c);
    if (ends && load_u64(ends + 8 * c) != total)
      return ghz_fail(ctx, GHZ_ECORRUPT, "the end of chunk %llu does not match the sizes", (ull)c);
  }
  if (offset)
    offset[chunks] = total;
  if (total != s->payload_size)
    return ghz_fail(ctx, GHZ_ECORRUPT, "tiles of %llu bytes in a payload of %llu", (ull)total,
                    (ull)s->payload_size);
  return GHZ_OK;
}

ghz_status ghz_slice_check(ghz_context *ctx, const ghz_slice *slice) {
  return check_sizes(ctx, slice, NULL, NULL);
}

/* The header of operand `number`; *size becomes what it says of the whole. */
static ghz_status read_header(ghz_context *ctx, ghz_bytes src, size_t number, ghz_slice *s, size_t *size) {
  ghz_status status = parse_common(ctx, src, STREAM_MAGIC, STREAM_HEADER, number, s);
  if (status != GHZ_OK)
    return status;
  s->tiles = shape_tiles(&s->shape);
  const size_t index = ghz_stream_index_size(s->tiles);
  if (index == 0 || __builtin_add_overflow(index, s->payload_size, size))
    return ghz_fail(ctx, GHZ_ECORRUPT, "operand %zu: a stream of 2^64 bytes or more", number);
  return GHZ_OK;
}

ghz_status ghz_stream_header(ghz_context *ctx, ghz_bytes src, size_t number, ghz_slice *s) {
  size_t size;
  ghz_status status = read_header(ctx, src, number, s, &size);
  if (status != GHZ_OK)
    return status;
  if (size != src.size)
    return ghz_fail(ctx, GHZ_ECORRUPT, "operand %zu: %zu bytes do not fit its header, which says %zu", number,
                    src.size, size);
  s->payload = (const uint8_t *)src.data + size - s->payload_size;
  s->sizes = (const uint8_t *)s->payload - 2 * s->tiles;
  return GHZ_OK;
}

ghz_status ghz_stream_says(ghz_context *ctx, ghz_bytes header, ghz_slice *s, size_t *size) {
  return read_header(ctx, header, 0, s, size);
}

/* A whole stream's ends of chunks lie before its sizes. */
static const uint8_t *stored_ends(const ghz_slice *whole) {
  return (const uint8_t *)whole->sizes - 8 * chunks_of(whole->tiles);
}

ghz_status ghz_stream_open(ghz_context *ctx, ghz_bytes src, ghz_slice *s) {
  ghz_status status = ghz_stream_header(ctx, src, 0, s);
  return status == GHZ_OK ? check_sizes(ctx, s, stored_ends(s), NULL) : status;
}

int ghz_slice_valid(const ghz_slice *s) {
  if (!lattice_valid(&s->lattice) || s->terms > terms_limit(s->lattice.cap) || !shape_valid(&s->shape) ||
      s->count != shape_count(&s->shape))
    return 0;
  uint64_t all = shape_tiles(&s->shape);
  return s->first <= all && s->tiles <= all - s->first;
}

ghz_status ghz_slice_cut(const ghz_slice *whole, uint64_t first, uint64_t tiles, ghz_slice *slice) {
  ghz_slice s = *whole;
  if (first > s.tiles || tiles > s.tiles - first)
    return ghz_fail(NULL, GHZ_EINVAL, "tiles %llu .. +%llu of %llu", (ull)first, (ull)tiles, (ull)s.tiles);
  /* From the end of the chunk before, on over the sizes inside this one. */
  const uint8_t *sizes = s.sizes, *ends = stored_ends(whole);
  uint64_t bound[2], tile[2] = {first, first + tiles};
  for (int i = 0; i < 2; i++) {
    uint64_t c = tile[i] / TILES_PER_CHUNK;
    bound[i] = c ? load_u64(ends + 8 * (c - 1)) : 0;
    for (uint64_t t = c * TILES_PER_CHUNK; t < tile[i]; t++)
      bound[i] += load_u16(sizes + 2 * t);
  }
  s.sizes = sizes + 2 * first;
  s.payload = (const uint8_t *)s.payload + bound[0];
  s.payload_size = bound[1] - bound[0];
  s.first = first;
  s.tiles = tiles;
  *slice = s;
  return GHZ_OK;
}

ghz_status ghz_slice_parse(ghz_bytes message, ghz_slice *slice) {
  if (!slice)
    return ghz_fail(NULL, GHZ_EINVAL, "slice is NULL");
  ghz_status status = parse_common(NULL, message, MESSAGE_MAGIC, GHZ_SLICE_HEADER, 0, slice);
  if (status != GHZ_OK)
    return status;
  const uint8_t *p = message.data;
  size_t room = message.size - GHZ_SLICE_HEADER;
  uint64_t all = shape_tiles(&slice->shape);
  slice->first = load_u64(p + 72);
  slice->tiles = load_u64(p + 80);
  if (slice->first > all || slice->tiles > all - slice->first)
    return ghz_fail(NULL, GHZ_ECORRUPT, "tiles %llu .. +%llu of %llu", (ull)slice->first, (ull)slice->tiles,
                    (ull)all);
  if (slice->tiles > room / 2 || slice->payload_size != room - 2 * slice->tiles)
    return ghz_fail(NULL, GHZ_ECORRUPT, "a message of %zu bytes: its header says %llu tiles of %llu bytes",
                    message.size, (ull)slice->tiles, (ull)slice->payload_size);
  slice->sizes = p + GHZ_SLICE_HEADER;
  slice->payload = p + GHZ_SLICE_HEADER + 2 * slice->tiles;
  return check_sizes(NULL, slice, NULL, NULL);
}

ghz_status ghz_slice_header(const ghz_slice *slice, void *header) {
  if (!slice || !header)
    return ghz_fail(NULL, GHZ_EINVAL, "slice or header is NULL");
  put_common(slice, MESSAGE_MAGIC, header);
  store_u64((uint8_t *)header + 72, slice->first);
  store_u64((uint8_t *)header + 80, slice->tiles);
  return GHZ_OK;
}

static ghz_status no_room(ghz_context *ctx, size_t capacity) {
  return ghz_fail(ctx, GHZ_ECAPACITY, "%zu bytes are too few for the result", capacity);
}

ghz_status ghz_stream_layout(ghz_context *ctx, const ghz_slice *result, void *dst, size_t capacity,
                             tile_sink *sink) {
  size_t index = ghz_stream_index_size(result->tiles);
  if (index == 0 || index > capacity)
    return no_room(ctx, capacity);
  uint8_t *p = dst;
  size_t sizes = index - 2 * result->tiles;
  *sink = (tile_sink){
      .sizes = p + sizes, .payload = p + index, .ends = p + STREAM_HEADER, .room = capacity - index};
  return GHZ_OK;
}

ghz_status ghz_message_layout(ghz_context *ctx, const ghz_slice *result, void *dst, size_t capacity,
                              tile_sink *sink) {
  if (capacity < GHZ_SLICE_HEADER || result->tiles > (capacity - GHZ_SLICE_HEADER) / 2)
    return no_room(ctx, capacity);
  uint8_t *p = dst;
  size_t index = GHZ_SLICE_HEADER + 2 * result->tiles;
  *sink = (tile_sink){.sizes = p + GHZ_SLICE_HEADER, .payload = p + index, .room = capacity - index};
  return GHZ_OK;
}

size_t ghz_stream_finish(const ghz_slice *result, void *dst) {
  put_common(result, STREAM_MAGIC, dst);
  return ghz_stream_index_size(result->tiles) + result->payload_size;
}

void ghz_put_ends(const tile_sink *sink, uint64_t tiles) {
  uint64_t total = 0, chunks = chunks_of(tiles);
  for (uint64_t c = 0; c < chunks; c++) {
    uint64_t left = tiles - c * TILES_PER_CHUNK;
    unsigned largest;
    total += sum_sizes(sink->sizes + 2 * TILES_PER_CHUNK * c,
                       left < TILES_PER_CHUNK ? (unsigned)left : TILES_PER_CHUNK, &largest);
    store_u64(sink->ends + 8 * c, total);
  }
}

/* ---- Operands -------------------------------------------------------------------------------- */

ghz_status ghz_operands_reserve(ghz_context *ctx, size_t k, uint64_t tiles, size_t extra, uint64_t **offsets,
                                void **rest) {
  size_t entries, before = 0, total;
  const int fits = !__builtin_mul_overflow(k, (size_t)chunks_of(tiles) + 1, &entries) &&
                   ghz_total_add(&before, entries, sizeof **offsets);
  total = before;
  uint8_t *scratch = fits && ghz_total_add(&total, extra, 1) ? ghz_arena_reserve(&ctx->scratch, total) : NULL;
  if (!scratch)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes of scratch", total);
  *offsets = (uint64_t *)(void *)scratch;
  *rest = scratch + before;
  return GHZ_OK;
}

ghz_status ghz_operands_open(ghz_context *ctx, size_t k, stream_operand *o, int whole, size_t extra,
                             void **rest) {
  const uint64_t tiles = k ? o->slice.tiles : 0;
  uint64_t *offsets;
  ghz_status status = ghz_operands_reserve(ctx, k, tiles, extra, &offsets, rest);
  for (size_t i = 0; i < k && status == GHZ_OK; i++) {
    o[i].offset = offsets + i * ((size_t)chunks_of(tiles) + 1);
    o[i].slice.lattice = storage_lattice(&o[i].slice.lattice);
    status = check_sizes(ctx, &o[i].slice, whole ? stored_ends(&o[i].slice) : NULL, o[i].offset);
  }
  return status;
}
