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
  axis_run run[RANK_MAX]; /* the fastest first */
} joined_axis;

/* A sum of what the fast ones do not hold: lattice integers, and raw values. */
typedef struct large_sum {
  wide_sum wide;
  uint64_t raw[FIRST_LIMBS];
} large_sum;

/* Sums of a block. The fast ones go on as long as `most` says that they do not overflow. */
typedef struct block_sums {
  int64_t *fast;
  uint64_t *missing;
  large_sum *large; /* where any_large is set */
  double most;
  int any_large;
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
  *a = (joined_axis){.extent = 1, .kept = 1};
  for (size_t i = end; i-- > first;) {
    const int sum = (int)(axes >> i & 1);
    if (extents[i] == 1)
      continue;
    if (a->runs && (a->run[a->runs - 1].stride == 0) == sum)
      a->run[a->runs - 1].extent *= extents[i];
    else
      a->run[a->runs++] = (axis_run){extents[i], sum ? 0 : a->kept};
    a->extent *= extents[i];
    a->kept *= sum ? 1 : extents[i];
  }
  a->kind = a->kept == 1 ? SUMMED : a->kept == a->extent ? KEPT : MIXED;
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
  uint64_t digit[RANK_MAX], at = 0;
  for (unsigned i = 0; i < a->runs; from /= a->run[i++].extent) {
    digit[i] = from % a->run[i].extent;
    at += digit[i] * a->run[i].stride;
  }
  m->first = at;
  m->how = a->run[0].stride ? IN_A_ROW : ALL_TO_ONE;
  /* A mixed axis has two runs or more. NOLINTNEXTLINE(clang-analyzer-*) */
  if (a->run[0].extent - digit[0] >= n)
    return;
  m->how = ONE_BY_ONE;
  for (unsigned i = 0; i < n;) {
    for (; i < n && digit[0] < a->run[0].extent; digit[0]++, at += a->run[0].stride)
      m->to[i++] = at;
    for (unsigned k = 0; k + 1 < a->runs && digit[k] == a->run[k].extent; k++) {
      at += a->run[k + 1].stride - a->run[k].extent * a->run[k].stride;
      digit[k] = 0;
      digit[k + 1]++;
    }
  }
}

/* ---- Sums of a block ------------------------------------------------------------------------- */

static void begin_block(const axes_job *j, block_sums *b) {
  memset(b->fast, 0, j->outputs * sizeof *b->fast);
  memset(b->missing, 0, j->outputs * sizeof *b->missing);
  b->most = 0;
  b->any_large = 0;
}

static void use_large(const axes_job *j, block_sums *b) {
  if (!b->any_large)
    memset(b->large, 0, j->outputs * sizeof *b->large);
  b->any_large = 1;
}

/* Moves the fast sums to where they never overflow. */
static void flush(const axes_job *j, block_sums *b) {
  use_large(j, b);
  for (uint64_t i = 0; i < j->outputs; i++)
    wide_sum_add(&b->large[i].wide, b->fast[i], 0);
  memset(b->fast, 0, j->outputs * sizeof *b->fast);
  b->most = 0;
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* A tile of a block: its columns inside, and where they are added; and what is left of it when it
 * is summed along `axes`: sums inside, and of a whole tile; how many of them may be added to one
 * place. */
typedef struct placed_tile {
  uint64_t number, origin[AXES];
  tile_extent extent;
  column_map map[AXES];
  unsigned axes, n[AXES], columns[AXES], together;
} placed_tile;

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

/* What few tiles have: specials, sums of 128 bits, and such whose fast sums could overflow. */
static void add_slowly(const axes_job *j, const placed_tile *t, const tile_sums *s, int widely, unsigned shift,
                       block_sums *b) {
  const column_map *m = &t->map[2];
  for (unsigned z = 0; z < t->n[0]; z++)
    for (unsigned y = 0; y < t->n[1]; y++) {
      const unsigned from = (z * t->columns[1] + y) * t->columns[2];
      const uint64_t line = line_of(j, t, z, y);
      for (unsigned x = 0; s->specials && x < t->n[2]; x++)
        b->missing[line + column_to(m, x)] += (uint64_t)s->missing[from + x];
      for (unsigned x = 0; widely && x < t->n[2]; x++)
        wide_sum_add(&b->large[line + column_to(m, x)].wide, s->wide ? s->wide_sum[from + x] : s->sum[from + x],
                     shift);
    }
}

static ghz_status add_lattice_tile(const axes_job *j, const placed_tile *t, tile_source src, block_sums *b) {
  tile_sums s;
  const ghz_status status = j->tiles->sum_axes(&j->source.slice.lattice, src, &t->extent, t->axes, &s);
  if (status != GHZ_OK)
    return status;
  const unsigned shift = s.shift - j->below;
  const double most = s.wide ? HUGE_VAL : s.most * (double)(UINT64_C(1) << shift) * t->together;
  const int widely = most > 0x1p62;
  if (widely)
    use_large(j, b);
  else if (b->most + most > 0x1p62)
    flush(j, b);
  if (s.specials || widely)
    add_slowly(j, t, &s, widely, shift, b);
  if (widely)
    return GHZ_OK;
  b->most += most;
  for (unsigned z = 0; z < t->n[0]; z++)
    for (unsigned y = 0; y < t->n[1]; y++)
      add_line(&t->map[2], t->n[2], s.sum + (z * t->columns[1] + y) * t->columns[2], shift,
               b->fast + line_of(j, t, z, y));
  return GHZ_OK;
}

/* Values as they are stored, in the order of columns inside. */
static ghz_status add_raw_tile(const axes_job *j, const placed_tile *t, tile_source src, block_sums *b) {
  const ghz_lattice *l = &j->source.slice.lattice;
  const uint8_t *p = src.data + 1;
  if (!raw_tile_valid(l->type, src.terms, src.data[0], src.size, t->extent.n))
    return GHZ_ECORRUPT;
  use_large(j, b);
  for (unsigned z = 0; z < t->extent.z; z++)
    for (unsigned y = 0; y < t->extent.y; y++)
      for (unsigned x = 0; x < t->extent.x; x++, p += value_bytes(l->type)) {
        const uint64_t at = line_of(j, t, z, y) + column_to(&t->map[2], x);
        const double v = ghz_raw_value(l, p);
        exact e;
        ghz_exact_double(v, &e);
        if (isfinite(v))
          ghz_fixed_add(first_power(b->large[at].raw), &e);
        else
          b->missing[at]++;
      }
  return GHZ_OK;
}

static tile_source source_at(const stream_operand *o, uint64_t tile) {
  tile_cursor c = cursor_at(o, tile / TILES_PER_CHUNK);
  for (uint64_t i = 0; i < tile % TILES_PER_CHUNK; i++)
    (void)cursor_next(&c, &o->slice);
  return cursor_next(&c, &o->slice);
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
  static const unsigned bit[AXES] = {AXIS_Z, AXIS_Y, AXIS_X};
  uint64_t tile[AXES];
  for (int k = AXES; k-- > 0;) {
    uint64_t *from = j->axis[k].kind == KEPT ? &block : &i;
    tile[k] = *from % j->axis[k].grid;
    *from /= j->axis[k].grid;
    t->origin[k] = tile[k] * j->axis[k].columns;
  }
  t->number = (tile[0] * j->axis[1].grid + tile[1]) * j->axis[2].grid + tile[2];
  t->extent = tile_extent_at(&j->source.slice.shape, t->origin);
  unsigned summed_axes = 0, together = 1;
  const unsigned inside[AXES] = {t->extent.z, t->extent.y, t->extent.x};
  for (int k = 0; k < AXES; k++) {
    const joined_axis *a = &j->axis[k];
    column_map *m = &t->map[k];
    m->how = a->kind == KEPT ? IN_A_ROW : ALL_TO_ONE;
    m->first = 0;
    if (a->kind == MIXED)
      map_columns(a, t->origin[k], inside[k], m);
    const int summed = m->how == ALL_TO_ONE;
    summed_axes |= summed ? bit[k] : 0;
    t->n[k] = summed ? 1 : inside[k];
    t->columns[k] = summed ? 1 : a->columns;
    together *= m->how == ONE_BY_ONE ? inside[k] : 1;
  }
  t->axes = summed_axes;
  t->together = together;
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
  wide_sum total = b->any_large ? b->large[i].wide : (wide_sum){{0}};
  uint64_t word[FIRST_LIMBS] = {0};
  exact k, x;
  wide_sum_add(&total, b->fast[i], 0);
  ghz_exact_words(total.limb, WIDE_SUM_LIMBS, 0, &k);
  ghz_exact_multiply(&k, &j->exact_unit, &x);
  ghz_fixed_add(first_power(word), &x);
  if (b->any_large)
    ghz_add_words(word, b->large[i].raw, FIRST_LIMBS);
  ghz_exact_words(word, FIRST_LIMBS, FIRST_EXPONENT, &x);
  return ghz_exact_answer(&x, &plain, ROUND_NEAREST);
}

static double rounded_sum(const axes_job *j, const block_sums *b, uint64_t i) {
  double v;
  if (b->any_large || j->unit == 0 || !rounded_product(b->fast[i], j->unit, &v))
    return exact_sum(j, b, i);
  return v;
}

/* Its sums that lie inside, to their places. `t` is one of its tiles. */
static void put_block(const axes_job *j, const placed_tile *t, const block_sums *b) {
  const joined_axis *a = j->axis;
  uint64_t first[AXES], end[AXES];
  for (int k = 0; k < AXES; k++) {
    first[k] = a[k].kind == KEPT ? t->origin[k] : 0;
    end[k] = first[k] + a[k].local < a[k].kept ? first[k] + a[k].local : a[k].kept;
  }
  for (uint64_t z = first[0]; z < end[0]; z++)
    for (uint64_t y = first[1]; y < end[1]; y++) {
      const uint64_t to = (z * a[1].kept + y) * a[2].kept + first[2],
                     from = ((z - first[0]) * a[1].local + y - first[1]) * a[2].local;
      for (uint64_t x = 0; x < end[2] - first[2]; x++) {
        j->to[to + x] = rounded_sum(j, b, from + x);
        if (j->counts)
          j->counts[to + x] = j->together - b->missing[from + x];
      }
    }
}

static void add_part(const axes_job *j, block_sums *to, const block_sums *from) {
  flush(j, to);
  for (uint64_t i = 0; i < j->outputs; i++) {
    wide_sum_add(&to->large[i].wide, from->fast[i], 0);
    to->missing[i] += from->missing[i];
    if (!from->any_large)
      continue;
    ghz_add_words(to->large[i].wide.limb, from->large[i].wide.limb, WIDE_SUM_LIMBS);
    ghz_add_words(to->large[i].raw, from->large[i].raw, FIRST_LIMBS);
  }
}

/* ---- The loop -------------------------------------------------------------------------------- */

/* A chunk stands for a part of a block. */
static ghz_status sum_part(const void *job, chunk *c) {
  const axes_job *j = job;
  const uint64_t block = c->index / j->parts, part = c->index % j->parts, tiles = tiles_of_block(j),
                 first = tiles * part / j->parts, end = tiles * (part + 1) / j->parts;
  block_sums *b = &j->sums[j->parts > 1 ? c->index : (uint64_t)c->thread];
  placed_tile t;
  ghz_status status = GHZ_OK;
  begin_block(j, b);
  for (uint64_t i = first; i < end && status == GHZ_OK; i++) {
    place_tile(j, block, i, &t);
    c->at = t.number;
    status = add_tile_sums(j, &t, b);
  }
  if (status == GHZ_OK && j->parts == 1)
    put_block(j, &t, b);
  return status;
}

/* Few blocks are cut into parts, so that all threads have work. */
enum { PARTS_OF_A_THREAD = 2, MOST_OUTPUTS_IN_PARTS = 1024 };

static int choose_parts(const ghz_context *ctx, axes_job *j) {
  const int threads = ghz_threads_for(ctx, j->source.slice.tiles, tiles_of_block(j));
  const uint64_t wanted = (uint64_t)threads * PARTS_OF_A_THREAD, tiles = tiles_of_block(j);
  const int few = threads > 1 && j->blocks < wanted && j->outputs <= MOST_OUTPUTS_IN_PARTS;
  j->parts = few ? (wanted + j->blocks - 1) / j->blocks : 1;
  j->parts = j->parts < tiles ? j->parts : tiles;
  return ghz_threads_for(ctx, j->source.slice.tiles, j->blocks * j->parts);
}

static ghz_status run(ghz_context *ctx, axes_job *j) {
  const int threads = choose_parts(ctx, j);
  const uint64_t kept = j->parts > 1 ? j->blocks * j->parts : (uint64_t)threads;
  size_t heads = 0, room = 0, extra;
  void *scratch;
  if (!ghz_total_add(&heads, kept, sizeof *j->sums) ||
      !ghz_total_add(&room, j->outputs, sizeof(int64_t) + sizeof(uint64_t) + sizeof(large_sum)) ||
      __builtin_mul_overflow(kept, room, &extra) || __builtin_add_overflow(extra, heads, &extra))
    return ghz_fail(ctx, GHZ_ENOMEM, "no scratch for %llu sums", (ull)j->outputs);
  ghz_status status = ghz_operands_open(ctx, 1, &j->source, 1, extra, &scratch);
  if (status != GHZ_OK)
    return status;
  j->sums = scratch;
  for (uint64_t i = 0; i < kept; i++) {
    block_sums *b = &j->sums[i];
    b->fast = (int64_t *)(void *)((uint8_t *)scratch + heads + i * room);
    b->missing = (uint64_t *)(b->fast + j->outputs);
    b->large = (large_sum *)(void *)(b->missing + j->outputs);
  }
  status = ghz_parallel_with(ctx, threads, sum_part, j, 0, j->blocks * j->parts * TILES_PER_CHUNK);
  for (uint64_t i = 0; j->parts > 1 && i < j->blocks && status == GHZ_OK; i++) {
    block_sums *b = &j->sums[i * j->parts];
    placed_tile first;
    for (uint64_t p = 1; p < j->parts; p++)
      add_part(j, b, &b[p]);
    place_tile(j, i, 0, &first);
    put_block(j, &first, b);
  }
  return status;
}

/* ---- The call -------------------------------------------------------------------------------- */

static void begin_units(axes_job *j) {
  const ghz_slice *s = &j->source.slice;
  const ghz_type type = storage_type(s->lattice.type);
  const unsigned bits = lattice_bits(type, s->shape.dims), needed = type == GHZ_F32;
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
  uint64_t kept = 1;
  int any = 1;
  for (size_t i = 0; i < rank; i++) {
    any &= extents[i] != 0;
    kept *= axes >> i & 1 ? 1 : extents[i];
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
  axes_job j = {.tiles = ctx->tiles, .to = sums, .counts = counts};
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
  begin_units(&j);
  return sum_stream(ctx, &j);
}
