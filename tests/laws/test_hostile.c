/* test_hostile.c: law L5: any bytes give a result or an error. Buffers end where their bytes end,
 * so that a build with -fsanitize=address sees every access outside. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/numbers.h>

#include "damage.h"
#include "support.h"
#include <math.h>

enum { MOST_VALUES = 1 << 22 };

static context_pool pool;
static size_t verdicts[3];

static void start(void) {
  for (size_t i = 0; i < isa_count(); i++)
    pool.ctx[pool.count++] = context_on(isa_name(i), 1 + (int)(i == 1));
}

static void stop(void) { contexts_free(&pool); }

TestSuite(hostile, .init = start, .fini = stop, .timeout = 300);

static int refusal(ghz_status status) { return status == GHZ_ECORRUPT || status == GHZ_EVERSION; }

/* ---- What must hold of any bytes ---- */
/* To its own type every context decodes the stream, or refuses it alike, for what it holds. */
static void to_integers(ref_bytes bytes, const ghz_info *info, ghz_status as_doubles, const char *what) {
  SCOPE;
  ghz_status first = GHZ_OK;
  for (size_t c = 0; c < pool.count; c++) {
    void *got = scratch((size_t)info->count * ghz_type_size(info->lattice.type));
    ghz_status status = ghz_decompress(pool.ctx[c], view(bytes), info->lattice.type, got, (size_t)info->count);
    first = c ? first : status;
    cr_assert(status == as_doubles || status == GHZ_ERANGE || status == GHZ_EINVAL, "%s: %d", what,
              (int)status);
    cr_assert((status == GHZ_OK) == (first == GHZ_OK), "%s: %d, %d", what, (int)status, (int)first);
  }
}

/* Decodes on every instruction set: all agree on status and values. Returns the status. */
static ghz_status decode_everywhere(ref_bytes bytes, const char *what) {
  SCOPE;
  ghz_info info;
  ghz_status first = ghz_info_read(view(bytes), &info);
  if (first != GHZ_OK || info.count > MOST_VALUES) {
    cr_assert(first == GHZ_OK || refusal(first), "%s: info says %d", what, (int)first);
    return first == GHZ_OK ? GHZ_ECORRUPT : first;
  }
  size_t count = (size_t)info.count;
  void *want = NULL;
  const ghz_type out = info.lattice.type > GHZ_F64 ? GHZ_F64 : info.lattice.type;
  for (size_t c = 0; c < pool.count; c++) {
    void *got = scratch(count * ghz_type_size(out));
    ghz_status status = ghz_decompress(pool.ctx[c], view(bytes), out, got, count);
    first = c ? first : status;
    want = c ? want : got;
    cr_assert(status == GHZ_OK || refusal(status), "%s: status %d", what, (int)status);
    cr_assert_eq(status, first, "%s: %s says %d, %s says %d", what, ghz_context_isa(pool.ctx[c]), (int)status,
                 ghz_context_isa(pool.ctx[0]), (int)first);
    if (status == GHZ_OK)
      same_values(got, want, count, out, what);
  }
  if (out != info.lattice.type)
    to_integers(bytes, &info, first, what);
  return first;
}

static void check_good_values(ref_bytes bytes, const char *what) {
  SCOPE;
  ref_header h = ref_header_read(bytes.data);
  void *want = scratch((size_t)h.n * 8), *got = decompress(pool.ctx[0], bytes, (ghz_type)h.type);
  ref_decode(bytes.data, h.type, want);
  same_values(got, want, (size_t)h.n, (ghz_type)h.type, what);
}

/* What an operation makes of streams that are not bad is not bad either. */
static void closed(ghz_status status, ref_bytes dst, const size_t *size, int sound, const char *what) {
  if (status == GHZ_OK && sound)
    cr_assert_neq(ref_check(dst.data, *size), REF_BAD, "%s: the result is a bad stream", what);
}

/* Numbers from the bytes: the same status and the same bits from every instruction set. */
static void measure(ref_bytes bytes, ref_bytes good, const char *what) {
  ghz_bytes a = view(bytes), b = view(good);
  ghz_summary s[2] = {{0}, {0}};
  ghz_comparison c[4] = {{0}, {0}, {0}, {0}};
  ghz_status status[3];
  for (size_t i = 0; i < pool.count; i++) {
    size_t k = i > 0;
    ghz_status one = ghz_moments(pool.ctx[i], a, &s[k]), two = ghz_difference(pool.ctx[i], a, b, &c[2 * k]),
               itself = ghz_difference(pool.ctx[i], a, a, &c[2 * k + 1]);
    cr_assert(k == 0 || (one == status[0] && two == status[1] && itself == status[2]), "%s: statuses", what);
    cr_assert(one == itself, "%s: status %d and %d", what, (int)one, (int)itself);
    status[0] = one;
    status[1] = two;
    status[2] = itself;
    if (k && one == GHZ_OK) {
      cr_assert_eq(memcmp(&s[1], &s[0], sizeof *s), 0, "%s: moments on %s", what, ghz_context_isa(pool.ctx[i]));
      cr_assert_eq(memcmp(&c[3], &c[1], sizeof *c), 0, "%s: against itself on %s", what,
                   ghz_context_isa(pool.ctx[i]));
      cr_assert(two != GHZ_OK || memcmp(&c[2], &c[0], sizeof *c) == 0, "%s: difference", what);
    }
  }
}

/* Sums along axes: the same status and the same bits from every instruction set. */
static void sum_along(ref_bytes bytes, const char *what) {
  SCOPE;
  ghz_info info;
  if (ghz_info_read(view(bytes), &info) != GHZ_OK || info.count > 100000)
    return;
  static unsigned turn;
  const uint32_t axes = 1 + turn++ % 7; /* one is kept at least, or the sum is one */
  const size_t count = (size_t)info.count + 1;
  double *want = scratch(count * sizeof *want), *got = scratch(count * sizeof *got);
  ghz_status first = GHZ_OK;
  for (size_t c = 0; c < pool.count; c++) {
    double *to = c ? got : want;
    memset(to, 0, count * sizeof *to);
    const ghz_status status = ghz_sum_axes(pool.ctx[c], view(bytes), 3, info.shape.extent, axes, to, NULL);
    first = c ? first : status;
    cr_assert(status == GHZ_OK || refusal(status), "%s: status %d", what, (int)status);
    cr_assert_eq(status, first, "%s: status %d on %s", what, (int)status, ghz_context_isa(pool.ctx[c]));
    cr_assert(status != GHZ_OK || memcmp(to, want, count * sizeof *to) == 0, "%s: sums on %s", what,
              ghz_context_isa(pool.ctx[c]));
  }
}

/* The operations with the bytes as either operand: a status, and nothing outside the buffers. */
static void operate(ref_bytes bytes, ref_bytes good, int sound, const char *what) {
  ghz_info info;
  if (ghz_info_read(view(bytes), &info) != GHZ_OK || info.count > 100000)
    info = info_of(good);
  size_t capacity = ghz_shape_bound(&info.shape, info.lattice.type, info.terms ? info.terms : 1);
  measure(bytes, good, what);
  sum_along(bytes, what);
  ghz_bytes two[2] = {view(bytes), view(good)};
  for (size_t c = 0; c < pool.count; c++, sound = 0) {
    SCOPE;
    ref_bytes dst = bytes_new(capacity);
    size_t size = 0;
    double low, high;
    ghz_statistics statistics;
    static const int64_t coefficients[2] = {3, -2};
    closed(ghz_add(pool.ctx[c], two[0], two[1], dst.data, dst.size, &size), dst, &size, sound, what);
    closed(ghz_add(pool.ctx[c], two[0], two[0], dst.data, dst.size, &size), dst, &size, sound, what);
    ghz_subtract(pool.ctx[c], two[1], two[0], dst.data, dst.size, &size);
    ghz_sum(pool.ctx[c], 2, two, dst.data, dst.size, &size);
    closed(ghz_linear(pool.ctx[c], 2, two, coefficients, 1, dst.data, dst.size, &size), dst, &size, sound,
           what);
    closed(ghz_maximum(pool.ctx[c], two[0], two[1], dst.data, dst.size, &size), dst, &size, sound, what);
    closed(ghz_minimum(pool.ctx[c], two[0], two[0], dst.data, dst.size, &size), dst, &size, sound, what);
    closed(ghz_negate(pool.ctx[c], two[0], dst.data, dst.size, &size), dst, &size, sound, what);
    closed(ghz_scale(pool.ctx[c], two[0], -0.3, dst.data, dst.size, &size), dst, &size, sound, what);
    ghz_linear(pool.ctx[c], 2, two, coefficients, 3, dst.data, dst.size, &size);
    ghz_mean(pool.ctx[c], 1, two, dst.data, dst.size, &size);
    ghz_scan(pool.ctx[c], two[0], &statistics);
    ghz_extrema(pool.ctx[c], two[0], &low, &high);
  }
}

/* Of any bytes an update is a status; of a stream that is not bad a stream. */
static void updates(ref_bytes bytes, int sound, const char *what) {
  SCOPE;
  ghz_info info;
  if (ghz_info_read(view(bytes), &info) != GHZ_OK || info.count > 100000)
    return;
  const size_t count = (size_t)info.count, each = ghz_type_size(info.lattice.type);
  ref_bytes dst = bytes_new(ghz_shape_bound(&info.shape, info.lattice.type, 1));
  uint8_t *x = scratch(count * each);
  for (size_t c = 0; c < pool.count; c++) {
    size_t size = 0;
    if (ghz_decompress(pool.ctx[c], view(bytes), info.lattice.type, x, count) != GHZ_OK)
      memset(x, 0, count * each);
    for (size_t i = 0; i < count; i += 37)
      put_value(info.lattice.type, x, i, (double)i);
    closed(ghz_update(pool.ctx[c], view(bytes), &info.lattice, x, dst.data, dst.size, &size), dst, &size, sound,
           what);
  }
}

static void slices(ref_bytes bytes) {
  ghz_slice slice;
  if (ghz_slice_view(view(bytes), 0, 1, &slice) != GHZ_OK)
    return;
  size_t each = ghz_type_size(slice.lattice.type);
  ghz_slice_decompress(pool.ctx[0], &slice, slice.lattice.type, scratch(ghz_slice_count(&slice) * each));
  if (slice.count <= MOST_VALUES)
    ghz_slice_decompress_into(pool.ctx[0], &slice, slice.lattice.type, scratch((size_t)slice.count * each));
}

/* The verdict of the reference decides what must be refused and what accepted. */
static ref_verdict read_any(const damaged *d) {
  ref_verdict verdict = ref_check(d->bad.data, d->bad.size);
  ghz_status status = decode_everywhere(d->bad, d->what);
  if (verdict == REF_GOOD && ref_header_read(d->bad.data).n <= MOST_VALUES) {
    cr_assert_eq(status, GHZ_OK, "%s: a good stream is refused: %d", d->what, (int)status);
    check_good_values(d->bad, d->what);
  }
  if (verdict == REF_BAD)
    cr_assert(refusal(status), "%s: a bad stream is accepted", d->what);
  verdicts[verdict]++;
  return verdict;
}

/* What a reader of damaged streams may do with them: read them, compute with them, too. */
static void look_read(void *self, const damaged *d) {
  (void)self;
  read_any(d);
}

static void look(void *self, const damaged *d) {
  (void)self;
  const int sound = read_any(d) != REF_BAD;
  operate(d->bad, d->good, sound, d->what);
  updates(d->bad, sound, d->what);
  slices(d->bad);
}

static void look_at_sound(void *self, const damaged *d) {
  (read_any(d) == REF_BAD ? look_read : look)(self, d);
}

static void look_refused(void *self, const damaged *d) {
  (void)self;
  cr_assert(refusal(decode_everywhere(d->bad, d->what)), "%s", d->what);
}

/* Nor is it copied into a result (rule 4), whose size bound it would break. */
static void look_not_copied(void *self, const damaged *d) {
  static uint8_t out[16384];
  ghz_bytes operand = view(d->bad);
  size_t size;
  look(self, d);
  ghz_status wanted = ref_check(d->bad.data, d->bad.size) == REF_BAD ? GHZ_ECORRUPT : GHZ_OK;
  cr_assert_eq(ghz_sum(pool.ctx[0], 1, &operand, out, sizeof out, &size), wanted, "%s", d->what);
  cr_assert_eq(ghz_scale(pool.ctx[0], operand, 2, out, sizeof out, &size), wanted, "%s", d->what);
}

static reader reads(void (*by)(void *, const damaged *), unsigned every) {
  return (reader){.ctx = pool.ctx[0], .every = every * one_in(), .look = by};
}

#define EVERY_CASE(name, by, every, damage)                                                                    \
  Test(hostile, name) {                                                                                        \
    reader r = reads(by, every);                                                                               \
    damage;                                                                                                    \
    cr_assert_gt(r.turn, 0);                                                                                   \
  }

EVERY_CASE(truncated_at_every_length, look_refused, 1, damage_truncated(&r))
EVERY_CASE(steps, look, 1, damage_steps(&r))
EVERY_CASE(fills, look, 1, damage_fills(&r))
EVERY_CASE(header_bytes, look, 2, damage_header(&r))
EVERY_CASE(counts, look, 1, damage_counts(&r))
EVERY_CASE(index_that_lies, look_read, 1, damage_index(&r, effort(2000)))
EVERY_CASE(random_bytes, look, 1, damage_all(&r, effort(10000)))
EVERY_CASE(crafted_tiles, look, 1, damage_crafted(&r))
EVERY_CASE(tile_beginnings, look_at_sound, 3, damage_beginnings(&r))
EVERY_CASE(widths_around_the_limit, look, 1, damage_widths(&r))
EVERY_CASE(bits_of_bricks, look, 7, damage_brick_bits(&r))
EVERY_CASE(bricks_at_random, look, 1, damage_bricks_at_random(&r, effort(400)))
EVERY_CASE(shapes, look, 1, damage_shapes(&r))
EVERY_CASE(crafted_bricks, look, 1, damage_crafted_bricks(&r))
EVERY_CASE(brick_beginnings, look_at_sound, 7, damage_brick_beginnings(&r))
EVERY_CASE(widths_of_coefficients, look, 1, damage_coefficient_widths(&r))
EVERY_CASE(oversized_short_tile, look_not_copied, 17, damage_short_tile(&r))

/* Raised, such an anchor has more planes than a sum may have. Neither the order of additions nor
 * how they are done may show. */
Test(hostile, anchors_beyond_planes) {
  POOL(contexts);
  ref_bytes s[3] = {huge_anchor(0), huge_anchor(1), huge_anchor(2)}, other[3] = {s[0], s[2], s[1]};
  const ref_bytes all = sum(contexts.ctx[0], 3, s);
  for (size_t c = 0; c < contexts.count; c++) {
    same_bytes(sum(contexts.ctx[c], 3, s), all, "together");
    same_bytes(sum(contexts.ctx[c], 3, other), all, "in another order");
    same_bytes(add(contexts.ctx[c], add(contexts.ctx[c], s[0], s[1]), s[2]), all, "one after the other");
  }
}

Test(hostile, every_bit_flipped) {
  reader r = reads(look, 1);
  damage_bits(&r);
  for (int v = 0; v < 3; v++)
    cr_assert_gt(verdicts[v], 0);
}

Test(hostile, random_damage) {
  reader r = reads(look, 1);
  damage_at_random(&r, effort(800));
  cr_assert_gt(verdicts[REF_BAD], 0);
}

static ref_bytes stream_like(const char *maker, ghz_type type, size_t n, int order, uint64_t seed) {
  ghz_lattice l = lattice_abs(type, 0.01);
  return stream_of(pool.ctx[0], &l, order, maker, n, seed);
}

Test(hostile, one_byte_more_and_another_magic) {
  ref_bytes good = stream_like("walk", GHZ_F32, 1100, GHZ_ORDER_BEST, 1), longer = bytes_new(good.size + 1);
  memcpy(longer.data, good.data, good.size);
  cr_assert(refusal(decode_everywhere(longer, "one byte more")));
  longer.data[56]++; /* of the payload, by the header */
  cr_assert(refusal(decode_everywhere(longer, "one byte more, which the header has")));
  good.data[0] = 'g';
  cr_assert_eq(decode_everywhere(good, "another magic"), GHZ_ECORRUPT);
}

/* The last tile ends with the buffer: reads of whole registers must not pass it. */
Test(hostile, wide_reads_at_the_end) {
  static const char *const makers[] = {"small_noise", "specials", "fine_noise", "alternating_coarse"};
  for (size_t n = 1; n <= 1024; n += n < 40 ? 1 : 61)
    for (int type = 0; type < 2; type++)
      for (int order = 0; order < 3; order++)
        for (int m = 0; m < 4; m++) {
          SCOPE;
          ref_bytes s = stream_like(makers[m], (ghz_type)type, n, order, n);
          look(NULL, &(damaged){.bad = s, .good = s, .what = say("%s, n %zu", makers[m], n)});
        }
}

/* ---- Messages ---- */
static void use_message(const ghz_slice *slice, ghz_context *ctx) {
  SCOPE;
  ref_bytes dst = bytes_new(ghz_slice_bound(&(ghz_shape){.dims = 1}, slice->tiles, slice->lattice.type,
                                            2 * (slice->terms & 0xfffff) + 2));
  ghz_slice sum, pair[2] = {*slice, *slice};
  if (ghz_slice_count(slice) <= 2048)
    ghz_slice_decompress(ctx, slice, GHZ_F64, scratch(2048 * sizeof(double)));
  ghz_slice_sum(ctx, 2, pair, dst.data, dst.size, &sum);
  ghz_slice_extremum(pool.ctx[0], slice, slice, 1, dst.data, dst.size, &sum);
}

Test(hostile, damaged_messages) {
  ref_bytes stream = stream_like("specials", GHZ_F32, 20000, GHZ_ORDER_BEST, 1);
  ghz_slice slice = slice_of(stream, 3, 2);
  ref_bytes good = packed(&slice);
  for (size_t cut = 0; cut < good.size; cut++) {
    SCOPE;
    cr_assert(refusal(ghz_slice_parse(view(bytes_copy(good.data, cut)), &slice)), "cut at %zu", cut);
  }
  uint64_t state = 8;
  for (int round = 0; round < effort(4000); round++) {
    SCOPE;
    ref_bytes bad = bytes_copy(good.data, good.size);
    bad.data[input_below(&state, round % 2 ? 68 : bad.size)] = (uint8_t)input_random(&state);
    if (ghz_slice_parse(view(bad), &slice) == GHZ_OK && slice.tiles <= 2)
      use_message(&slice, pool.ctx[(size_t)round % pool.count]);
  }
}

/* The bytes of column 0 of a tile of order 1 stand for nothing: readers ignore them, and so must
 * sums that raise it. One tile, the last of its stream, and two, the first of which is added in one
 * pass. */
Test(hostile, ignored_columns_do_not_reach_a_sum) {
  ghz_lattice l = lattice_abs(GHZ_F32, 0.25);
  for (size_t n = 1024; n <= 2048; n += 1024) {
    float *y = scratch(n * sizeof *y);
    for (size_t i = 0; i < n; i++)
      y[i] = (float)(i * i) * 0.001f;
    ref_bytes one = with_ignored_column(pool.ctx[0], &l, n), two = compress(pool.ctx[0], &l, 2, y, n);
    float *a = decompress(pool.ctx[0], one, GHZ_F32), *b = decompress(pool.ctx[0], two, GHZ_F32),
          *s = decompress(pool.ctx[0], add(pool.ctx[0], one, two), GHZ_F32);
    for (size_t i = 0; i < n; i++)
      cr_assert(fabs((double)a[i] + (double)b[i] - (double)s[i]) < 1e-3, "value %zu: %g + %g gave %g", i,
                (double)a[i], (double)b[i], (double)s[i]);
  }
}
