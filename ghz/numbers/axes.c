/* axes.c: sums of a stream along axes of its array.
 *
 * The array's axes are grouped as the stream has them joined, to z, y and x. Tiles whose sums fall
 * together are a block: its tiles are added up one after the other, without rounding. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include <string.h>

#include "context/call.h"
#include "context/parallel.h"
#include "lattice.h"
#include "numbers/tally.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"
#include "rules/parse.h"
#include "stream/place.h"
#include "stream/stream.h"

enum { RANK_MAX = 32, AXES = 3 };

/* Neighbouring axes of the array that are all summed, or all kept. */
typedef struct axis_run {
  uint64_t extent, stride; /* of what is left: 0 where it is summed */
} axis_run;

/* MIXED: of the axes that z, y or x joins some are summed and some are kept. */
enum axis_kind { SUMMED, KEPT, MIXED };

typedef struct joined_axis {
  enum axis_kind kind;
  uint64_t extent, kept; /* values, and how many are left */
  uint64_t local;        /* how many of these a block has */
  uint64_t grid;         /* tiles */
  unsigned columns;      /* of a tile */
  unsigned runs;
  axis_run run[RANK_MAX]; /* the slowest first */
} joined_axis;

/* Sums of a block. The fast ones go on as long as `most` says that they do not overflow. */
typedef struct block_sums {
  int64_t *fast;
  wide_sum *wide;
  uint64_t *missing;
  uint64_t (*raw)[FIRST_LIMBS];
  double most;
  int any_wide, any_missing, any_raw;
} block_sums;

typedef struct axes_job {
  const tile_codec *tiles;
  stream_operand source;
  joined_axis axis[AXES]; /* z, y, x */
  uint64_t outputs;       /* of a block */
  uint64_t blocks, parts; /* parts of each block, which are added in the end */
  uint64_t together;      /* values that each sum is of */
  unsigned below;         /* bits that no tile of the stream needs */
  double unit;
  exact exact_unit;
  block_sums *sums; /* one per thread; with several parts one per part of each block */
  double *to;
  uint64_t *counts;
  uint64_t failed; /* the first damaged tile */
} axes_job;

/* ---- Axes ------------------------------------------------------------------------------------ */

/* The array's axes from `end` down that together have so many values; their number. */
static int join(size_t *end, const uint64_t *extents, uint64_t want, size_t *first) {
  uint64_t product = 1;
  *first = *end;
  while (product != want && *first > 0)
    if (__builtin_mul_overflow(product, extents[--*first], &product))
      return 0;
  return product == want;
}

static void describe_axis(joined_axis *a, const uint64_t *extents, uint32_t axes, size_t first, size_t end) {
  uint64_t stride = 1;
  int summed[RANK_MAX];
  axis_run run[RANK_MAX];
  *a = (joined_axis){.extent = 1, .kept = 1};
  for (size_t i = end; i-- > first;) {
    const int sum = (int)(axes >> i & 1);
    if (extents[i] == 1)
      continue;
    a->extent *= extents[i];
    if (a->runs && summed[a->runs - 1] == sum) {
      run[a->runs - 1].extent *= extents[i];
    } else {
      summed[a->runs] = sum;
      run[a->runs++] = (axis_run){extents[i], sum ? 0 : stride};
    }
    stride *= sum ? 1 : extents[i];
  }
  a->kept = stride;
  a->kind = a->kept == 1 ? SUMMED : a->kept == a->extent ? KEPT : MIXED;
  for (unsigned i = 0; i < a->runs; i++)
    a->run[i] = run[a->runs - 1 - i];
}

/* How the stream joins the axes. Axes of extent 1 do not matter. */
static int describe_axes(const ghz_shape *shape, size_t rank, const uint64_t *extents, uint32_t axes,
                         joined_axis axis[AXES]) {
  const tile_extent whole = whole_tile(shape->dims);
  const unsigned columns[AXES] = {whole.z, whole.y, whole.x};
  uint64_t grid[AXES];
  size_t end = rank;
  bricks_along(shape, grid);
  for (int k = AXES; k-- > 0;) {
    size_t first;
    if (!join(&end, extents, shape->extent[k], &first))
      return 0;
    describe_axis(&axis[k], extents, axes, first, end);
    axis[k].columns = columns[k];
    axis[k].grid = grid[k];
    axis[k].local = axis[k].kind == SUMMED ? 1 : axis[k].kind == KEPT ? columns[k] : axis[k].kept;
    end = first;
  }
  while (end > 0 && extents[end - 1] == 1)
    end--;
  return end == 0;
}

/* Where the columns of a tile along an axis are added: all to one place, or in a row from there on,
 * or as to[] says. */
typedef struct column_map {
  enum { ALL_TO_ONE, IN_A_ROW, ONE_BY_ONE } how;
  uint64_t first, to[TILE];
} column_map;

static inline uint64_t column_to(const column_map *m, unsigned i) {
  return m->how == ALL_TO_ONE ? m->first : m->how == IN_A_ROW ? m->first + i : m->to[i];
}

/* Of a mixed axis, from place `from` on. */
static void map_columns(const joined_axis *a, uint64_t from, unsigned n, column_map *m) {
  uint64_t digit[RANK_MAX], at = 0, left = from;
  const axis_run *last = &a->run[a->runs - 1];
  for (unsigned i = a->runs; i-- > 0; left /= a->run[i].extent)
    digit[i] = left % a->run[i].extent;
  for (unsigned i = 0; i < a->runs; i++)
    at += digit[i] * a->run[i].stride;
  m->first = at;
  m->how = last->stride ? IN_A_ROW : ALL_TO_ONE;
  /* A mixed axis has two runs or more. NOLINTNEXTLINE(clang-analyzer-*) */
  if (last->extent - digit[a->runs - 1] >= n)
    return;
  m->how = ONE_BY_ONE;
  for (unsigned i = 0; i < n; i++) {
    m->to[i] = at;
    for (unsigned k = a->runs; k-- > 0;) {
      at += a->run[k].stride;
      if (++digit[k] < a->run[k].extent)
        break;
      at -= a->run[k].extent * a->run[k].stride;
      digit[k] = 0;
    }
  }
}

/* ---- Sums of a block ------------------------------------------------------------------------- */

static void use_wide(const axes_job *j, block_sums *b) {
  if (!b->any_wide)
    memset(b->wide, 0, j->outputs * sizeof *b->wide);
  b->any_wide = 1;
}

/* Moves the fast sums to where they never overflow. */
static void flush(const axes_job *j, block_sums *b) {
  use_wide(j, b);
  for (uint64_t i = 0; i < j->outputs; i++)
    wide_sum_add(&b->wide[i], b->fast[i], 0);
  memset(b->fast, 0, j->outputs * sizeof *b->fast);
  b->most = 0;
}

static void begin_block(const axes_job *j, block_sums *b) {
  memset(b->fast, 0, j->outputs * sizeof *b->fast);
  b->most = 0;
  b->any_wide = b->any_missing = b->any_raw = 0;
}

static void use_missing(const axes_job *j, block_sums *b) {
  if (!b->any_missing)
    memset(b->missing, 0, j->outputs * sizeof *b->missing);
  b->any_missing = 1;
}

static void use_raw(const axes_job *j, block_sums *b) {
  if (!b->any_raw)
    memset(b->raw, 0, j->outputs * sizeof *b->raw);
  b->any_raw = 1;
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* A tile of a block: its columns inside, and where they are added. */
typedef struct placed_tile {
  uint64_t number;
  tile_extent extent;
  column_map map[AXES];
} placed_tile;

/* What is left of a tile that is summed along `axes`: sums inside, and of a whole tile; how many of
 * them may be added to one place. */
typedef struct left_of_tile {
  unsigned axes, n[AXES], columns[AXES], together;
} left_of_tile;

static left_of_tile left_of(const placed_tile *t) {
  const tile_extent whole = whole_tile((int)t->extent.dims);
  const unsigned inside[AXES] = {t->extent.z, t->extent.y, t->extent.x},
                 columns[AXES] = {whole.z, whole.y, whole.x}, bit[AXES] = {AXIS_Z, AXIS_Y, AXIS_X};
  left_of_tile left = {.together = 1};
  for (int k = 0; k < AXES; k++) {
    const int summed = t->map[k].how == ALL_TO_ONE;
    left.axes |= summed ? bit[k] : 0;
    left.n[k] = summed ? 1 : inside[k];
    left.columns[k] = summed ? 1 : columns[k];
    left.together *= t->map[k].how == ONE_BY_ONE ? inside[k] : 1;
  }
  return left;
}

static uint64_t line_of(const axes_job *j, const placed_tile *t, unsigned z, unsigned y) {
  return (column_to(&t->map[0], z) * j->axis[1].local + column_to(&t->map[1], y)) * j->axis[2].local;
}

/* Sums wrap, by design: those of damaged tiles may be of any size. */
static void add_line(const column_map *m, unsigned n, const int64_t *from, unsigned shift, int64_t *to) {
  uint64_t *u = (uint64_t *)to;
  if (m->how != ONE_BY_ONE)
    for (unsigned x = 0; x < n; x++)
      u[m->first + x] += (uint64_t)from[x] << shift;
  else
    for (unsigned x = 0; x < n; x++)
      u[m->to[x]] += (uint64_t)from[x] << shift;
}

static void add_missing(const axes_job *j, const placed_tile *t, const left_of_tile *left,
                        const int16_t *missing, block_sums *b) {
  use_missing(j, b);
  for (unsigned z = 0; z < left->n[0]; z++)
    for (unsigned y = 0; y < left->n[1]; y++) {
      const int16_t *from = missing + (z * left->columns[1] + y) * left->columns[2];
      for (unsigned x = 0; x < left->n[2]; x++)
        b->missing[line_of(j, t, z, y) + column_to(&t->map[2], x)] += (uint64_t)from[x];
    }
}

/* Sums of 128 bits, and such whose fast sums could overflow. */
static void add_widely(const axes_job *j, const placed_tile *t, const left_of_tile *left, const tile_sums *s,
                       unsigned shift, block_sums *b) {
  use_wide(j, b);
  for (unsigned z = 0; z < left->n[0]; z++)
    for (unsigned y = 0; y < left->n[1]; y++)
      for (unsigned x = 0; x < left->n[2]; x++) {
        const unsigned i = (z * left->columns[1] + y) * left->columns[2] + x;
        wide_sum_add(&b->wide[line_of(j, t, z, y) + column_to(&t->map[2], x)],
                     s->wide ? s->wide_sum[i] : s->sum[i], shift);
      }
}

static ghz_status add_lattice_tile(const axes_job *j, const placed_tile *t, tile_source src, block_sums *b) {
  const left_of_tile left = left_of(t);
  tile_sums s;
  const ghz_status status = j->tiles->sum_axes(&j->source.slice.lattice, src, &t->extent, left.axes, &s);
  if (status != GHZ_OK)
    return status;
  const unsigned shift = s.shift - j->below;
  const double most = s.wide ? HUGE_VAL : s.most * (double)(UINT64_C(1) << shift) * left.together;
  if (s.specials)
    add_missing(j, t, &left, s.missing, b);
  if (b->most + most > 0x1p62 && most <= 0x1p62)
    flush(j, b);
  if (most > 0x1p62) {
    add_widely(j, t, &left, &s, shift, b);
    return GHZ_OK;
  }
  b->most += most;
  for (unsigned z = 0; z < left.n[0]; z++)
    for (unsigned y = 0; y < left.n[1]; y++)
      add_line(&t->map[2], left.n[2], s.sum + (z * left.columns[1] + y) * left.columns[2], shift,
               b->fast + line_of(j, t, z, y));
  return GHZ_OK;
}

/* Values as they are stored, in the order of columns inside. */
static ghz_status add_raw_tile(const axes_job *j, const placed_tile *t, tile_source src, block_sums *b) {
  const ghz_lattice *l = &j->source.slice.lattice;
  const uint8_t *p = src.data + 1;
  if (!raw_tile_valid(l->type, src.terms, src.data[0], src.size, t->extent.n))
    return GHZ_ECORRUPT;
  use_raw(j, b);
  use_missing(j, b);
  for (unsigned z = 0; z < t->extent.z; z++)
    for (unsigned y = 0; y < t->extent.y; y++)
      for (unsigned x = 0; x < t->extent.x; x++, p += value_bytes(l->type)) {
        const uint64_t at = line_of(j, t, z, y) + column_to(&t->map[2], x);
        const double v = ghz_raw_value(l, p);
        exact e;
        if (!isfinite(v)) {
          b->missing[at]++;
          continue;
        }
        ghz_exact_double(v, &e);
        if (e.n)
          ghz_fixed_add(first_power(b->raw[at]), &e);
      }
  return GHZ_OK;
}

static tile_source source_at(const stream_operand *o, uint64_t tile) {
  tile_cursor c = cursor_at(o, tile / TILES_PER_CHUNK);
  tile_source src = cursor_next(&c, &o->slice);
  for (uint64_t i = 0; i < tile % TILES_PER_CHUNK; i++)
    src = cursor_next(&c, &o->slice);
  return src;
}

static ghz_status add_tile_sums(const axes_job *j, const placed_tile *t, block_sums *b) {
  tile_source src = source_at(&j->source, t->number);
  raw_room room;
  if (src.size == 0)
    return GHZ_OK;
  const ghz_status status = ghz_constant_to_raw(j->tiles, &j->source.slice.lattice, &t->extent, &room, &src);
  if (status != GHZ_OK)
    return status;
  return first_says_raw(src.data[0]) ? add_raw_tile(j, t, src, b) : add_lattice_tile(j, t, src, b);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Tile number `i` of a block: along the axes that are kept it is the block that says which. */
static void place_tile(const axes_job *j, uint64_t block, uint64_t i, placed_tile *t) {
  const ghz_shape *shape = &j->source.slice.shape;
  uint64_t tile[AXES], origin[AXES];
  for (int k = AXES; k-- > 0;) {
    const uint64_t grid = j->axis[k].grid;
    uint64_t *from = j->axis[k].kind == KEPT ? &block : &i;
    tile[k] = *from % grid;
    *from /= grid;
    origin[k] = tile[k] * j->axis[k].columns;
  }
  t->number = (tile[0] * j->axis[1].grid + tile[1]) * j->axis[2].grid + tile[2];
  t->extent = tile_extent_at(shape, origin);
  const unsigned inside[AXES] = {t->extent.z, t->extent.y, t->extent.x};
  for (int k = 0; k < AXES; k++)
    if (j->axis[k].kind == MIXED)
      map_columns(&j->axis[k], origin[k], inside[k], &t->map[k]);
    else
      t->map[k].how = j->axis[k].kind == KEPT ? IN_A_ROW : ALL_TO_ONE, t->map[k].first = 0;
}

static uint64_t tiles_of_block(const axes_job *j) {
  return j->source.slice.tiles / j->blocks;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* k * unit, rounded once, if that is easy to say. */
static int rounded_product(int64_t k, double unit, double *product) {
  const double h = (double)k, p = h * unit;
  *product = p;
  if (k > -(INT64_C(1) << 53) && k < INT64_C(1) << 53)
    return 1;
  if (fabs(h) > 0x1p62 || !(fabs(p) > 0x1p-900 && fabs(p) < 0x1p1000))
    return 0;
  const double d = fma(h, unit, -p) + (double)(k - (int64_t)h) * unit, margin = fabs(d) * 0x1p-50;
  *product = p + (d - margin);
  return *product == p + (d + margin);
}

static double exact_sum(const axes_job *j, const block_sums *b, uint64_t i) {
  static const query plain = {1, 0, 0};
  wide_sum total = b->any_wide ? b->wide[i] : (wide_sum){{0}};
  uint64_t word[FIRST_LIMBS] = {0};
  exact k, x;
  wide_sum_add(&total, b->fast[i], 0);
  ghz_exact_words(total.limb, WIDE_SUM_LIMBS, 0, &k);
  ghz_exact_multiply(&k, &j->exact_unit, &x);
  if (x.n)
    ghz_fixed_add(first_power(word), &x);
  if (b->any_raw)
    ghz_add_words(word, b->raw[i], FIRST_LIMBS);
  ghz_exact_words(word, FIRST_LIMBS, FIRST_EXPONENT, &x);
  return ghz_exact_answer(&x, &plain, ROUND_NEAREST);
}

static double rounded_sum(const axes_job *j, const block_sums *b, uint64_t i) {
  double v;
  if (b->any_wide || b->any_raw || j->unit == 0 || !rounded_product(b->fast[i], j->unit, &v))
    return exact_sum(j, b, i);
  return v;
}

/* Whether a block's sum along an axis lies inside; *at becomes its place among all. */
static int place_of(const joined_axis *a, uint64_t tile, uint64_t local, uint64_t *at) {
  *at = a->kind == KEPT ? tile * a->columns + local : local;
  return *at < a->kept;
}

static void put_block(const axes_job *j, uint64_t block, const block_sums *b) {
  uint64_t tile[AXES], at[AXES], i = 0;
  for (int k = AXES; k-- > 0;) {
    const uint64_t grid = j->axis[k].kind == KEPT ? j->axis[k].grid : 1;
    tile[k] = block % grid;
    block /= grid;
  }
  for (uint64_t z = 0; z < j->axis[0].local; z++)
    for (uint64_t y = 0; y < j->axis[1].local; y++)
      for (uint64_t x = 0; x < j->axis[2].local; x++, i++) {
        if (!place_of(&j->axis[0], tile[0], z, &at[0]) || !place_of(&j->axis[1], tile[1], y, &at[1]) ||
            !place_of(&j->axis[2], tile[2], x, &at[2]))
          continue;
        const uint64_t to = (at[0] * j->axis[1].kept + at[1]) * j->axis[2].kept + at[2];
        j->to[to] = rounded_sum(j, b, i);
        if (j->counts)
          j->counts[to] = j->together - (b->any_missing ? b->missing[i] : 0);
      }
}

static void add_part(const axes_job *j, block_sums *to, const block_sums *from) {
  flush(j, to);
  for (uint64_t i = 0; i < j->outputs; i++)
    wide_sum_add(&to->wide[i], from->fast[i], 0);
  for (uint64_t i = 0; from->any_wide && i < j->outputs; i++)
    ghz_add_words(to->wide[i].limb, from->wide[i].limb, WIDE_SUM_LIMBS);
  if (from->any_missing)
    use_missing(j, to);
  for (uint64_t i = 0; from->any_missing && i < j->outputs; i++)
    to->missing[i] += from->missing[i];
  if (from->any_raw)
    use_raw(j, to);
  for (uint64_t i = 0; from->any_raw && i < j->outputs; i++)
    ghz_add_words(to->raw[i], from->raw[i], FIRST_LIMBS);
}

/* ---- The loop -------------------------------------------------------------------------------- */

static void note_failure(axes_job *j, uint64_t tile) {
  uint64_t first = __atomic_load_n(&j->failed, __ATOMIC_RELAXED);
  while (tile < first &&
         !__atomic_compare_exchange_n(&j->failed, &first, tile, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

/* A chunk stands for a part of a block. All are gone over whatever fails, so that the same tile is
 * named with any threads. */
static ghz_status sum_part(const void *job, chunk *c) {
  axes_job *j = *(axes_job *const *)job;
  const uint64_t block = c->index / j->parts, part = c->index % j->parts, tiles = tiles_of_block(j),
                 each = tiles / j->parts, more = tiles % j->parts,
                 first = part * each + (part < more ? part : more), end = first + each + (part < more);
  block_sums *b = &j->sums[j->parts > 1 ? c->index : (uint64_t)c->thread];
  placed_tile t;
  ghz_status status = GHZ_OK;
  begin_block(j, b);
  for (uint64_t i = first; i < end && status == GHZ_OK; i++) {
    place_tile(j, block, i, &t);
    status = add_tile_sums(j, &t, b);
  }
  if (status != GHZ_OK)
    note_failure(j, t.number);
  else if (j->parts == 1)
    put_block(j, block, b);
  return GHZ_OK;
}

/* Bytes of a block's sums; 0 where they overflow. */
static size_t block_room(const axes_job *j) {
  size_t room = 0;
  const int fits = ghz_total_add(&room, j->outputs, sizeof(int64_t)) &&
                   ghz_total_add(&room, j->outputs, sizeof(wide_sum)) &&
                   ghz_total_add(&room, j->outputs, sizeof(uint64_t)) &&
                   ghz_total_add(&room, j->outputs, FIRST_LIMBS * sizeof(uint64_t));
  return fits ? room : 0;
}

static block_sums block_at(const axes_job *j, uint8_t *memory) {
  block_sums b = {.fast = (int64_t *)(void *)memory};
  size_t at = 0;
  (void)ghz_total_add(&at, j->outputs, sizeof(int64_t));
  b.wide = (wide_sum *)(void *)(memory + at);
  (void)ghz_total_add(&at, j->outputs, sizeof(wide_sum));
  b.missing = (uint64_t *)(void *)(memory + at);
  (void)ghz_total_add(&at, j->outputs, sizeof(uint64_t));
  b.raw = (uint64_t(*)[FIRST_LIMBS])(void *)(memory + at);
  return b;
}

/* Few blocks are cut into parts, so that all threads have work. */
enum { PARTS_OF_A_THREAD = 2, MOST_OUTPUTS_IN_PARTS = 1024 };

static int choose_parts(const ghz_context *ctx, axes_job *j) {
  const int threads = ghz_threads_for(ctx, j->source.slice.tiles, tiles_of_block(j));
  const uint64_t wanted = (uint64_t)threads * PARTS_OF_A_THREAD, tiles = tiles_of_block(j);
  j->parts = 1;
  if (threads > 1 && j->blocks < wanted && j->outputs <= MOST_OUTPUTS_IN_PARTS)
    j->parts = (wanted + j->blocks - 1) / j->blocks;
  if (j->parts > tiles)
    j->parts = tiles;
  return ghz_threads_for(ctx, j->source.slice.tiles, j->blocks * j->parts);
}

static ghz_status run(ghz_context *ctx, axes_job *j) {
  const int threads = choose_parts(ctx, j);
  const uint64_t kept = j->parts > 1 ? j->blocks * j->parts : (uint64_t)threads;
  const size_t room = block_room(j);
  size_t offsets = 0, total = 0;
  uint8_t *scratch = NULL;
  if (room && ghz_total_add(&offsets, (size_t)chunks_of(j->source.slice.tiles) + 1, sizeof(uint64_t)) &&
      ghz_total_add(&total, offsets, 1) && ghz_total_add(&total, kept, sizeof *j->sums)) {
    const size_t sums = total;
    if (ghz_total_add(&total, kept, room))
      scratch = ghz_arena_reserve(&ctx->scratch, total);
    for (uint64_t i = 0; scratch && i < kept; i++)
      ((block_sums *)(void *)(scratch + offsets))[i] = block_at(j, scratch + sums + i * room);
  }
  if (!scratch)
    return ghz_fail(ctx, GHZ_ENOMEM, "no scratch for %llu sums", (ull)j->outputs);
  j->source.offset = (uint64_t *)(void *)scratch;
  j->sums = (block_sums *)(void *)(scratch + offsets);
  ghz_status status = ghz_stream_locate(ctx, &j->source.slice, j->source.offset);
  if (status != GHZ_OK)
    return status;
  status = ghz_parallel_with(ctx, threads, sum_part, &j, 0, j->blocks * j->parts * TILES_PER_CHUNK);
  if (status != GHZ_OK)
    return status;
  if (j->failed != UINT64_MAX)
    return ghz_tile_failed(ctx, GHZ_ECORRUPT, j->failed);
  for (uint64_t i = 0; j->parts > 1 && i < j->blocks; i++) {
    block_sums *b = &j->sums[i * j->parts];
    for (uint64_t p = 1; p < j->parts; p++)
      add_part(j, b, &b[p]);
    put_block(j, i, b);
  }
  return GHZ_OK;
}

/* ---- The call -------------------------------------------------------------------------------- */

static void begin_units(axes_job *j) {
  const ghz_slice *s = &j->source.slice;
  const unsigned bits = lattice_bits(s->lattice.type, s->shape.dims), needed = s->lattice.type == GHZ_F32;
  j->below = s->transform || s->shape.dims == 1 ? 0 : bits - needed;
  ghz_exact_double(s->lattice.step, &j->exact_unit);
  j->exact_unit.exponent -= (int)(bits - j->below);
  j->unit = s->lattice.step > 0x1p-900 ? ldexp(s->lattice.step, -(int)(bits - j->below)) : 0;
}

static ghz_status sum_stream(ghz_context *ctx, axes_job *j) {
  j->blocks = j->outputs = j->together = 1;
  for (int k = 0; k < AXES; k++) {
    j->together *= j->axis[k].extent / j->axis[k].kept;
    j->blocks *= j->axis[k].kind == KEPT ? j->axis[k].grid : 1;
    if (__builtin_mul_overflow(j->outputs, j->axis[k].local, &j->outputs))
      return ghz_fail(ctx, GHZ_ENOMEM, "the sums do not fit in memory");
  }
  return run(ctx, j);
}

/* Of an array without values: sums of none. Returns 0 if the extents have some. */
static int sum_nothing(size_t rank, const uint64_t *extents, uint32_t axes, double *sums, uint64_t *counts) {
  uint64_t kept = 1, any = 1;
  for (size_t i = 0; i < rank; i++) {
    any = extents[i] ? any : 0;
    kept = axes >> i & 1 || kept == 0 ? kept : kept * extents[i];
  }
  for (uint64_t i = 0; !any && i < kept; i++) {
    sums[i] = 0;
    if (counts)
      counts[i] = 0;
  }
  return !any;
}

ghz_status ghz_sum_axes(ghz_context *ctx, ghz_bytes src, size_t rank, const uint64_t *extents, uint32_t axes,
                        double *sums, uint64_t *counts) {
  GHZ_CALL(ctx);
  axes_job j = {.tiles = ctx->tiles, .to = sums, .counts = counts, .failed = UINT64_MAX};
  if (!extents || !sums)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", extents ? "sums" : "extents");
  if (rank == 0 || rank > RANK_MAX)
    return ghz_fail(ctx, GHZ_EINVAL, "rank %zu: must be 1 to %d", rank, RANK_MAX);
  if ((uint64_t)axes >> rank)
    return ghz_fail(ctx, GHZ_EINVAL, "axis %d of %zu", 31 - __builtin_clz(axes), rank);
  ghz_status status = ghz_stream_header(ctx, src, 0, &j.source.slice);
  if (status != GHZ_OK)
    return status;
  const ghz_shape *shape = &j.source.slice.shape;
  if (j.source.slice.count == 0 && sum_nothing(rank, extents, axes, sums, counts))
    return GHZ_OK;
  if (j.source.slice.count == 0 || !describe_axes(shape, rank, extents, axes, j.axis))
    return ghz_fail(ctx, GHZ_EMISMATCH, "the extents are not those of the stream, which has %s",
                    ghz_describe_shape(shape).text);
  j.source.slice.lattice = storage_lattice(&j.source.slice.lattice);
  begin_units(&j);
  return sum_stream(ctx, &j);
}
