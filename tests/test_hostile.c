/* test_hostile.c: law L5: any bytes give a result or an error. Buffers end where their bytes end, so that a
 * build with -fsanitize=address sees every access outside. */
#include "support.h"
#include <math.h>

enum { MOST_VALUES = 1 << 22 };

static context_pool pool;

static void start(void) {
  for (size_t i = 0; i < isa_count(); i++)
    pool.ctx[pool.count++] = context_on(isa_name(i), 1 + (int)(i == 1));
}

static void stop(void) {
  contexts_free(&pool);
}

TestSuite(hostile, .init = start, .fini = stop, .timeout = 300);

static int refusal(ghz_status status) {
  return status == GHZ_ECORRUPT || status == GHZ_EVERSION;
}

/* ---- What must hold of any bytes ---- */

/* Decodes on every instruction set: all agree on status and values. Returns the status. */
static ghz_status decode_everywhere(ref_bytes bytes, const char *what) {
  ghz_info info;
  ghz_status first = ghz_info_read(view(bytes), &info);
  if (first != GHZ_OK || info.count > MOST_VALUES) {
    cr_assert(first == GHZ_OK || refusal(first), "%s: info says %d", what, (int)first);
    return first == GHZ_OK ? GHZ_ECORRUPT : first;
  }
  size_t room = (size_t)info.count * 8;
  ref_bytes want = bytes_new(room), got = bytes_new(room);
  for (size_t c = 0; c < pool.count; c++) {
    size_t used = (size_t)info.count * ghz_type_size(info.lattice.type);
    ref_bytes exact = bytes_new(used);
    ghz_status status =
        ghz_decompress(pool.ctx[c], view(bytes), info.lattice.type, exact.data, (size_t)info.count);
    memcpy((c ? got : want).data, exact.data, used);
    ref_free(&exact);
    first = c ? first : status;
    cr_assert(status == GHZ_OK || refusal(status), "%s: status %d", what, (int)status);
    cr_assert_eq(status, first, "%s: %s says %d, %s says %d", what, ghz_context_isa(pool.ctx[c]), (int)status,
                 ghz_context_isa(pool.ctx[0]), (int)first);
    if (c && status == GHZ_OK)
      same_values(got.data, want.data, (size_t)info.count, info.lattice.type, what);
  }
  ref_free(&want);
  ref_free(&got);
  return first;
}

static void check_good_values(ref_bytes bytes, const char *what) {
  ref_header h = ref_header_read(bytes.data);
  void *want = bytes_new((size_t)h.n * 8).data, *got = decompress(pool.ctx[0], bytes, (ghz_type)h.type);
  ref_decode(bytes.data, h.type, want);
  same_values(got, want, (size_t)h.n, (ghz_type)h.type, what);
  free(want);
  free(got);
}

/* What an operation makes of streams that are not bad is not bad either. */
static void closed(ghz_status status, ref_bytes dst, const size_t *size, int sound, const char *what) {
  if (status == GHZ_OK && sound)
    cr_assert_neq(ref_check(dst.data, *size), REF_BAD, "%s: the result is a bad stream", what);
}

/* The operations with the bytes as either operand: a status, and nothing outside the buffers. */
static void operate(ref_bytes bytes, ref_bytes good, int sound, const char *what) {
  ghz_info info;
  if (ghz_info_read(view(bytes), &info) != GHZ_OK || info.count > 100000)
    info = info_of(good);
  size_t capacity = ghz_size_bound((size_t)info.count, info.lattice.type, info.terms ? info.terms : 1);
  ghz_bytes two[2] = {view(bytes), view(good)};
  for (size_t c = 0; c < pool.count; c++, sound = 0) {
    ref_bytes dst = bytes_new(capacity);
    size_t size = 0;
    double low, high;
    ghz_statistics statistics;
    static const int64_t coefficients[2] = {3, -2};
    closed(ghz_add(pool.ctx[c], two[0], two[1], dst.data, dst.size, &size), dst, &size, sound, what);
    closed(ghz_add(pool.ctx[c], two[0], two[0], dst.data, dst.size, &size), dst, &size, sound, what);
    ghz_subtract(pool.ctx[c], two[1], two[0], dst.data, dst.size, &size);
    ghz_sum(pool.ctx[c], 2, two, dst.data, dst.size, &size);
    closed(ghz_combine(pool.ctx[c], 2, two, coefficients, dst.data, dst.size, &size), dst, &size, sound, what);
    closed(ghz_maximum(pool.ctx[c], two[0], two[1], dst.data, dst.size, &size), dst, &size, sound, what);
    closed(ghz_minimum(pool.ctx[c], two[0], two[0], dst.data, dst.size, &size), dst, &size, sound, what);
    closed(ghz_negate(pool.ctx[c], two[0], dst.data, dst.size, &size), dst, &size, sound, what);
    closed(ghz_scale(pool.ctx[c], two[0], -0.3, dst.data, dst.size, &size), dst, &size, sound, what);
    ghz_mean(pool.ctx[c], 1, two, dst.data, dst.size, &size);
    ghz_scan(pool.ctx[c], two[0], &statistics);
    ghz_extrema(pool.ctx[c], two[0], &low, &high);
    ref_free(&dst);
  }
}

static void slices(ref_bytes bytes) {
  ghz_slice slice;
  if (ghz_slice_view(view(bytes), 0, 1, &slice) == GHZ_OK) {
    ref_bytes out = bytes_new(ghz_slice_count(&slice) * ghz_type_size(slice.lattice.type));
    ghz_slice_decompress(pool.ctx[0], &slice, slice.lattice.type, out.data);
    ref_free(&out);
  }
}

/* All of it; the verdict of the reference decides what must be refused and what accepted. */
static ref_verdict check_any(ref_bytes bytes, ref_bytes good, const char *what) {
  ref_verdict verdict = ref_check(bytes.data, bytes.size);
  ghz_status status = decode_everywhere(bytes, what);
  if (verdict == REF_GOOD && ref_header_read(bytes.data).n <= MOST_VALUES) {
    cr_assert_eq(status, GHZ_OK, "%s: a good stream is refused: %d", what, (int)status);
    check_good_values(bytes, what);
  }
  if (verdict == REF_BAD)
    cr_assert(refusal(status), "%s: a bad stream is accepted", what);
  operate(bytes, good, verdict != REF_BAD, what);
  slices(bytes);
  return verdict;
}

static ref_bytes stream_of(const char *maker, ghz_type type, size_t n, int order, uint64_t seed) {
  ghz_lattice l = lattice_abs(type, 0.01);
  void *x = input_make(input_named(maker), type, n, l.step, seed);
  ref_bytes stream = compress(pool.ctx[0], &l, order, x, n);
  free(x);
  return stream;
}

/* ---- Damage ---- */

Test(hostile, truncated_at_every_length) {
  static const char *const makers[] = {"walk", "specials", "wide_noise", "random_bits", "zeros"};
  for (size_t m = 0; m < 5; m++)
    for (int type = 0; type < 2; type++) {
      ref_bytes good = stream_of(makers[m], (ghz_type)type, 1100, GHZ_ORDER_BEST, m);
      for (size_t cut = 0; cut < good.size; cut++) {
        ref_bytes part = bytes_copy(good.data, cut);
        cr_assert(refusal(decode_everywhere(part, "truncated")), "%s cut at %zu of %zu", makers[m], cut,
                  good.size);
        ref_free(&part);
      }
      ref_bytes longer = bytes_new(good.size + 1);
      memcpy(longer.data, good.data, good.size);
      cr_assert(refusal(decode_everywhere(longer, "one byte more")));
      ref_free(&longer);
      ref_free(&good);
    }
}

Test(hostile, every_bit_flipped) {
  static const char *const makers[] = {"walk", "specials", "fine_noise", "sparse"};
  size_t verdicts[3] = {0};
  for (size_t m = 0; m < 4; m++)
    for (int type = 0; type < 2; type++) {
      ref_bytes good = stream_of(makers[m], (ghz_type)type, 150, m == 0 ? 2 : GHZ_ORDER_BEST, 5);
      for (size_t bit = 0; bit < 8 * good.size; bit++) {
        ref_bytes bad = bytes_copy(good.data, good.size);
        bad.data[bit / 8] = (uint8_t)(bad.data[bit / 8] ^ (1 << (bit % 8)));
        verdicts[check_any(bad, good, say("%s, type %d, bit %zu", makers[m], type, bit))]++;
        ref_free(&bad);
      }
      ref_free(&good);
    }
  for (int v = 0; v < 3; v++)
    cr_assert_gt(verdicts[v], 0);
}

static void mutate(ref_bytes *b, uint64_t *state) {
  static const size_t windows[3] = {48, 200, SIZE_MAX};
  static const uint64_t counts[] = {0,     1,      (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX - 1023, 1024, 1025,
                                    16384, 1 << 20};
  size_t window = windows[input_below(state, 3)];
  size_t at = (size_t)input_below(state, b->size < window ? b->size : window);
  switch (input_below(state, 6)) {
  case 0:
    b->data[at] = (uint8_t)input_random(state);
    break;
  case 1:
    b->data[at] = input_below(state, 2) ? 0 : 255;
    break;
  case 2:
    b->data[at] = (uint8_t)(b->data[at] + (input_below(state, 2) ? 1 : -1));
    break;
  case 3:
    b->size = (size_t)input_below(state, b->size) + 1;
    break;
  case 4:
    if (b->size >= 48)
      memcpy(b->data + (input_below(state, 2) ? 8 : 40), &counts[input_below(state, 9)], 8);
    break;
  default:
    b->data[at] = (uint8_t)(b->data[at] ^ (1 << input_below(state, 8)));
  }
}

Test(hostile, random_damage) {
  static const char *const makers[] = {"mixture", "specials", "walk", "random_bits", "land_mask"};
  uint64_t state = 71;
  size_t verdicts[3] = {0};
  for (size_t m = 0; m < 5; m++)
    for (int type = 0; type < 2; type++) {
      ref_bytes good = stream_of(makers[m], (ghz_type)type, 2500 + 15000 * (m == 2), GHZ_ORDER_BEST, m);
      for (int round = 0; round < (m == 2 ? 200 : 800) * effort(); round++) {
        uint64_t from = state;
        ref_bytes bad = bytes_copy(good.data, good.size);
        for (uint64_t k = 1 + input_below(&state, 4); k > 0; k--)
          mutate(&bad, &state);
        ref_bytes exact = bytes_copy(bad.data, bad.size);
        verdicts[check_any(exact, good,
                           say("%s, type %d, state %llx", makers[m], type, (unsigned long long)from))]++;
        ref_free(&bad);
        ref_free(&exact);
      }
      ref_free(&good);
    }
  cr_assert_gt(verdicts[REF_BAD], 0);
}

Test(hostile, random_bytes) {
  uint64_t state = 72;
  ref_bytes good = stream_of("walk", GHZ_F32, 100, GHZ_ORDER_BEST, 1);
  for (int round = 0; round < 10000 * effort(); round++) {
    ref_bytes bytes = bytes_new((size_t)input_below(&state, 400));
    for (size_t i = 0; i < bytes.size; i++)
      bytes.data[i] = (uint8_t)input_random(&state);
    if (round % 2 && bytes.size >= 48)
      memcpy(bytes.data, good.data, 8 + 40 * (size_t)(round % 4 == 1));
    check_any(bytes, good, say("round %d", round));
    ref_free(&bytes);
  }
  ref_free(&good);
}

/* ---- Headers ---- */

static void put_u64(ref_bytes b, size_t at, uint64_t v) {
  for (size_t i = 0; i < 8; i++)
    b.data[at + i] = (uint8_t)(v >> (8 * i));
}

static void put_f64(ref_bytes b, size_t at, double v) {
  put_u64(b, at, ref_bits(REF_F64, v));
}

Test(hostile, header_fields) {
  static const double steps[] = {-1,       INFINITY,  -INFINITY, 0x1p121, 0x1p-121,
                                 0x1p1001, 0x1p-1001, 5e-324,    -0x1p-10};
  ref_bytes good = stream_of("walk", GHZ_F32, 1100, GHZ_ORDER_BEST, 1);
  for (size_t i = 0; i <= sizeof steps / sizeof *steps; i++)
    for (size_t at = 16; at <= 24; at += 8) {
      ref_bytes bad = bytes_copy(good.data, good.size);
      put_f64(bad, at, i < sizeof steps / sizeof *steps ? steps[i] : NAN);
      check_any(bad, good, say("field %zu, value %zu", at, i));
      ref_free(&bad);
    }
  for (unsigned byte = 4; byte < 8; byte++)
    for (unsigned v = 0; v < 256; v++) {
      ref_bytes bad = bytes_copy(good.data, good.size);
      bad.data[byte] = (uint8_t)v;
      check_any(bad, good, say("byte %u is %u", byte, v));
      ref_free(&bad);
    }
  ref_free(&good);
}

/* What a newer version might write is EVERSION, not ECORRUPT. */
Test(hostile, newer_versions) {
  ref_bytes good = stream_of("walk", GHZ_F32, 100, GHZ_ORDER_BEST, 1);
  float y[100];
  good.data[4] = 2;
  cr_assert_eq(ghz_decompress(pool.ctx[0], view(good), GHZ_F32, y, 100), GHZ_EVERSION);
  good.data[4] = 0;
  good.data[5] = 2;
  cr_assert_eq(ghz_decompress(pool.ctx[0], view(good), GHZ_F32, y, 100), GHZ_EVERSION);
  good.data[5] = 0;
  good.data[0] = 'g';
  cr_assert_eq(ghz_decompress(pool.ctx[0], view(good), GHZ_F32, y, 100), GHZ_ECORRUPT);
  ref_free(&good);
}

/* Counts that would overflow products are refused by the bytes at hand. */
Test(hostile, counts) {
  ref_bytes good = stream_of("walk", GHZ_F32, 1100, GHZ_ORDER_BEST, 1);
  for (int shift = 0; shift < 64; shift++)
    for (int by = -1; by <= 1; by++) {
      ref_bytes bad = bytes_copy(good.data, good.size);
      put_u64(bad, 8, ((uint64_t)1 << shift) + (uint64_t)(int64_t)by);
      check_any(bad, good, say("count 2^%d %+d", shift, by));
      put_u64(bad, 40, UINT64_MAX - (uint64_t)shift);
      check_any(bad, good, say("and payload %d below 2^64", shift));
      ref_free(&bad);
    }
  ref_free(&good);
}

/* ---- Crafted tiles ---- */

typedef struct crafted {
  const char *name;
  int n;
  ref_verdict verdict;
  int size;
  uint8_t bytes[80];
} crafted;

#define PLANE(first) first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0

static const crafted tiles[] = {
    {"empty", 8, REF_GOOD, 0, {0}},
    {"zero tile with bytes", 8, REF_BAD, 1, {0x00}},
    {"cancelled order 1", 8, REF_GOOD, 1, {0x01}},
    {"cancelled order 2", 8, REF_GOOD, 1, {0x02}},
    {"cancelled fine", 8, REF_GOOD, 1, {0x08}},
    {"cancelled wide", 8, REF_GOOD, 1, {0x10}},
    {"mode 3", 8, REF_BAD, 1, {0x18}},
    {"order 3, mode 1", 8, REF_BAD, 33, {0x0b}},
    {"order 3, extra", 8, REF_BAD, 33, {0x07}},
    {"order 3, planes", 8, REF_BAD, 33, {0x23}},
    {"raw", 1, REF_GOOD, 5, {0x03, 1, 2, 3, 4}},
    {"raw of zeros", 1, REF_GOOD, 5, {0x03, 0, 0, 0, 0}},
    {"raw NaN", 1, REF_GOOD, 5, {0x03, 1, 0, 0x80, 0xff}},
    {"raw, short", 1, REF_BAD, 4, {0x03, 1, 2, 3}},
    {"raw, long", 1, REF_BAD, 6, {0x03, 1, 2, 3, 4, 5}},
    {"extra byte missing", 8, REF_BAD, 1, {0x05}},
    {"extra byte zero", 8, REF_BAD, 2, {0x05, 0x00}},
    {"extra byte with bit 7", 8, REF_BAD, 3, {0x05, 0x81, 5}},
    {"anchor", 8, REF_GOOD, 3, {0x05, 0x01, 5}},
    {"anchor without order", 8, REF_BAD, 3, {0x04, 0x01, 5}},
    {"slope without order 2", 8, REF_BAD, 3, {0x05, 0x08, 5}},
    {"anchor and slope", 8, REF_GOOD, 4, {0x06, 0x09, 5, 0xfd}},
    {"slope of one value", 1, REF_ODD, 4, {0x06, 0x09, 5, 0xfd}},
    {"anchor not minimal, zero", 8, REF_BAD, 3, {0x05, 0x01, 0}},
    {"anchor not minimal, positive", 8, REF_BAD, 4, {0x05, 0x02, 5, 0}},
    {"anchor not minimal, negative", 8, REF_BAD, 4, {0x05, 0x02, 0x85, 0xff}},
    {"anchor minimal, 2 bytes", 8, REF_GOOD, 4, {0x05, 0x02, 0x85, 0x00}},
    {"anchor of 8 bytes that fits 6", 8, REF_BAD, 10, {0x05, 0x07, 1, 2, 3, 4, 5, 6, 0, 0}},
    {"anchor of 8 bytes that fits 7", 8, REF_GOOD, 10, {0x05, 0x07, 1, 2, 3, 4, 5, 6, 7, 0}},
    {"anchor of 8 bytes", 8, REF_GOOD, 10, {0x05, 0x07, 1, 2, 3, 4, 5, 6, 7, 0x80}},
    {"anchor truncated", 8, REF_BAD, 4, {0x05, 0x03, 1, 2}},
    {"width planes all zero", 8, REF_BAD, 17, {0x20, PLANE(0)}},
    {"width planes not minimal", 8, REF_BAD, 34, {0x40, PLANE(1), PLANE(0), 0xff}},
    {"width planes missing", 8, REF_BAD, 10, {0x20, 1}},
    {"width 1", 8, REF_GOOD, 18, {0x20, PLANE(1), 0xff}},
    {"width 1 of zeros", 8, REF_ODD, 18, {0x20, PLANE(1), 0x00}},
    {"payload missing", 8, REF_BAD, 17, {0x20, PLANE(1)}},
    {"payload too long", 8, REF_BAD, 19, {0x20, PLANE(1), 0xff, 0}},
    {"block beyond n", 8, REF_BAD, 18, {0x20, PLANE(2), 0xff}},
    {"residual beyond n", 5, REF_ODD, 18, {0x20, PLANE(1), 0xff}},
    {"residual in column 0", 8, REF_ODD, 18, {0x21, PLANE(1), 0x01}},
    {"residual in column 1", 8, REF_ODD, 18, {0x22, PLANE(1), 0x02}},
    {"residual in column 2", 8, REF_GOOD, 18, {0x22, PLANE(1), 0x04}},
    {"7 width planes", 8, REF_BAD, 80, {0xe0}},
    {"specials", 8, REF_GOOD, 36, {0x04, 0x40, PLANE(1), 0x81, PLANE(1), 0x80}},
    {"specials with bit 7", 8, REF_BAD, 36, {0x04, 0xc0, PLANE(1), 0x81, PLANE(1), 0x80}},
    {"bit 7 for specials", 8, REF_BAD, 36, {0x04, 0x80, PLANE(1), 0x81, PLANE(1), 0x80}},
    {"one map empty", 8, REF_GOOD, 35, {0x04, 0x40, PLANE(1), 0x81, PLANE(0)}},
    {"both maps empty", 8, REF_BAD, 34, {0x04, 0x40, PLANE(0), PLANE(0)}},
    {"map of a zero byte alone", 8, REF_BAD, 35, {0x04, 0x40, PLANE(1), 0x00, PLANE(0)}},
    {"map of a zero byte", 16, REF_ODD, 36, {0x04, 0x40, PLANE(3), 0x01, 0x00, PLANE(0)}},
    {"special beyond n", 5, REF_BAD, 35, {0x04, 0x40, PLANE(1), 0x20, PLANE(0)}},
    {"special block beyond n", 5, REF_BAD, 36, {0x04, 0x40, PLANE(3), 0x01, 0x01, PLANE(0)}},
    {"second map missing", 8, REF_BAD, 19, {0x04, 0x40, PLANE(1), 0x81}},
    {"second map's bytes missing", 8, REF_BAD, 35, {0x04, 0x40, PLANE(1), 0x81, PLANE(1)}},
    {"specials truncated", 8, REF_BAD, 10, {0x04, 0x40, 1}},
};
enum { CRAFTED = sizeof tiles / sizeof *tiles };

static ref_bytes stream_with(const ref_header *h, const uint8_t *tile, size_t size) {
  uint16_t length = (uint16_t)size;
  return ref_assemble(h, &length, tile);
}

static ref_bytes neighbour(const ref_header *h) {
  double x[REF_TILE];
  float f[REF_TILE];
  for (int i = 0; i < REF_TILE; i++)
    f[i] = (float)(x[i] = i * h->step);
  return ref_compress(h, 1, h->type == REF_F32 ? (void *)f : (void *)x);
}

Test(hostile, crafted_tiles) {
  for (int t = 0; t < CRAFTED; t++) {
    ref_header h = {.type = REF_F32, .cap = 35, .n = (uint64_t)tiles[t].n, .step = 0.5, .eb = 0.26, .terms = 1};
    ref_bytes bytes = stream_with(&h, tiles[t].bytes, (size_t)tiles[t].size), good = neighbour(&h);
    cr_assert_eq(ref_check(bytes.data, bytes.size), tiles[t].verdict, "%s: the reference disagrees",
                 tiles[t].name);
    check_any(bytes, good, tiles[t].name);
    ref_free(&bytes);
    ref_free(&good);
  }
}

/* Terms 0 admits only empty tiles, step 0 only raw or empty ones. */
Test(hostile, no_terms_no_step) {
  for (int t = 0; t < CRAFTED; t++)
    for (int which = 0; which < 3; which++) {
      ref_header h = {
          .type = REF_F32, .cap = 35, .n = (uint64_t)tiles[t].n, .step = 0.5, .eb = 0.26, .terms = 1};
      if (which != 1)
        h.terms = 0;
      if (which != 0)
        h.step = 0;
      ref_bytes bytes = stream_with(&h, tiles[t].bytes, (size_t)tiles[t].size), good = neighbour(&h);
      check_any(bytes, good, say("%s, terms %u, step %g", tiles[t].name, h.terms, h.step));
      ref_free(&bytes);
      ref_free(&good);
    }
}

/* A tile of one block with a given width, filled with a byte. */
static size_t wide_tile(uint8_t *out, int mode, int order, int width, uint8_t fill) {
  int planes = ref_bit_length((uint64_t)width);
  size_t used = 0;
  out[used++] = (uint8_t)(order | mode << 3 | planes << 5);
  for (int k = 0; k < planes; k++) {
    memset(out + used, 0, 16);
    out[used] = (uint8_t)((width >> k) & 1);
    used += 16;
  }
  for (int p = 0; p < width; p++)
    out[used++] = p == width - 1 ? fill : (uint8_t)(37 * p + fill);
  return used;
}

/* Widths up to and beyond the limit min(62, b + order + 1 + bitlength(terms)), sums of them included. */
Test(hostile, widths_around_the_limit) {
  static const uint32_t terms[] = {1, 2, 255, 16383, 8388607};
  for (int type = 0; type < 3; type++)
    for (int mode = 0; mode < 3; mode++)
      for (int order = 0; order < 3; order++)
        for (size_t k = 0; k < 5; k++)
          for (int width = 14; width <= 63; width++) {
            ref_header h = {.type = type > 0,
                            .cap = type == 2 ? 44 : 35,
                            .n = 8,
                            .step = 0.5,
                            .eb = 0.26,
                            .terms = terms[k]};
            if (type == 2 && terms[k] > 16383)
              continue;
            uint8_t tile[256];
            size_t size = wide_tile(tile, mode, order, width, order == 2 ? 0xb4 : 0x5a);
            ref_bytes bytes = stream_with(&h, tile, size), good = neighbour(&h);
            check_any(
                bytes, good,
                say("kind %d, mode %d, order %d, terms %u, width %d", type, mode, order, terms[k], width));
            ref_free(&bytes);
            ref_free(&good);
          }
}

/* Every first two bytes. */
Test(hostile, every_tile_beginning) {
  ref_header h = {.type = REF_F32, .cap = 35, .n = 100, .step = 0.5, .eb = 0.26, .terms = 1};
  ref_bytes good = neighbour(&h);
  uint64_t state = 5;
  for (int first = 0; first < 256; first++)
    for (int second = 0; second < 256; second += 1 + (first & 3) * 5) {
      uint8_t tile[150] = {(uint8_t)first, (uint8_t)second};
      size_t size = 2 + (size_t)input_below(&state, 148);
      for (size_t i = 2; i < size; i++)
        tile[i] = input_below(&state, 4) ? 0 : (uint8_t)input_random(&state);
      ref_bytes bytes = stream_with(&h, tile, size);
      decode_everywhere(bytes, say("%02x %02x", (unsigned)first, (unsigned)second));
      if (ref_check(bytes.data, bytes.size) != REF_BAD)
        check_any(bytes, good, say("%02x %02x", (unsigned)first, (unsigned)second));
      ref_free(&bytes);
    }
  ref_free(&good);
}

/* The last tile ends with the buffer: reads of whole registers must not pass it. */
Test(hostile, wide_reads_at_the_end) {
  for (size_t n = 1; n <= 1024; n += n < 40 ? 1 : 61)
    for (int type = 0; type < 2; type++)
      for (int order = 0; order < 3; order++) {
        static const char *const makers[] = {"small_noise", "specials", "fine_noise", "alternating_coarse"};
        for (int m = 0; m < 4; m++) {
          ref_bytes s = stream_of(makers[m], (ghz_type)type, n, order, n);
          check_any(s, s, say("%s, n %zu", makers[m], n));
          ref_free(&s);
        }
      }
}

/* ---- The index ---- */

Test(hostile, index_that_lies) {
  ref_bytes good = stream_of("walk", GHZ_F32, 40000, GHZ_ORDER_BEST, 1);
  uint64_t state = 6;
  size_t index_end = 48 + 8 * 4 + 2 * 40;
  for (int round = 0; round < 2000 * effort(); round++) {
    ref_bytes bad = bytes_copy(good.data, good.size);
    size_t at = 48 + (size_t)input_below(&state, index_end - 48);
    bad.data[at] = (uint8_t)(bad.data[at] + 1 + input_below(&state, 255));
    if (round % 3 == 0 && at >= 80) {
      size_t other = 80 + 2 * (size_t)input_below(&state, 39);
      bad.data[other] = (uint8_t)(bad.data[other] - 1);
      bad.data[other + 2] = (uint8_t)(bad.data[other + 2] + 1);
    }
    cr_assert(refusal(decode_everywhere(bad, "index")), "byte %zu", at);
    ref_free(&bad);
  }
  ref_free(&good);
}

/* ---- Messages ---- */

Test(hostile, damaged_messages) {
  ref_bytes stream = stream_of("specials", GHZ_F32, 20000, GHZ_ORDER_BEST, 1);
  ghz_slice slice;
  succeeded(ghz_slice_view(view(stream), 3, 2, &slice), NULL, "view");
  ref_bytes good = bytes_new(ghz_slice_size(&slice));
  size_t size;
  succeeded(ghz_slice_pack(&slice, good.data, good.size, &size), NULL, "pack");
  for (size_t cut = 0; cut < good.size; cut++) {
    ref_bytes part = bytes_copy(good.data, cut);
    cr_assert(refusal(ghz_slice_parse(view(part), &slice)), "cut at %zu", cut);
    ref_free(&part);
  }
  uint64_t state = 8;
  for (int round = 0; round < 4000 * effort(); round++) {
    ref_bytes bad = bytes_copy(good.data, good.size);
    size_t at = (size_t)input_below(&state, round % 2 ? 68 : bad.size);
    bad.data[at] = (uint8_t)input_random(&state);
    if (ghz_slice_parse(view(bad), &slice) == GHZ_OK && slice.tiles <= 2) {
      ref_bytes dst =
          bytes_new(ghz_slice_bound(slice.tiles, slice.lattice.type, 2 * (slice.terms & 0xfffff) + 2));
      ghz_slice sum, pair[2] = {slice, slice};
      double *wide = malloc(2048 * sizeof *wide);
      if (ghz_slice_count(&slice) <= 2048)
        ghz_slice_decompress(pool.ctx[(size_t)round % pool.count], &slice, GHZ_F64, wide);
      ghz_slice_sum(pool.ctx[(size_t)round % pool.count], 2, pair, dst.data, dst.size, &sum);
      ghz_slice_extremum(pool.ctx[0], &slice, &slice, 1, dst.data, dst.size, &sum);
      free(wide);
      ref_free(&dst);
    }
    ref_free(&bad);
  }
  ref_free(&good);
  ref_free(&stream);
}

/* The bytes of column 0 of a tile of order 1 stand for nothing: readers ignore them, and so must sums that
 * raise it. One tile, the last of its stream, and two, the first of which is added in one pass. */
static void ignored_column(int count) {
  enum { N = 2048 };
  static float x[N], y[N], a[N], b[N], s[N];
  static unsigned char one[16384], two[16384], sum[16384];
  size_t one_size, two_size, sum_size, planes = 0, n = (size_t)count * 1024;
  ghz_context *ctx;
  ghz_lattice l;
  ghz_statistics st;
  for (int i = 0; i < N; i++) {
    x[i] = (float)(i % 1024 % 3);
    y[i] = (float)(i * i) * 0.001f;
  }
  cr_assert_eq(ghz_context_create(&ctx, 1), GHZ_OK);
  cr_assert_eq(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 0.25}, 0, 0, &l), GHZ_OK);
  cr_assert_eq(ghz_compress(ctx, &l, 1, x, n, one, sizeof one, &one_size), GHZ_OK);
  cr_assert_eq(ghz_compress(ctx, &l, 2, y, n, two, sizeof two, &two_size), GHZ_OK);
  cr_assert_eq(ghz_scan(ctx, (ghz_bytes){one, one_size}, &st), GHZ_OK);
  for (size_t w = 0; w < sizeof st.widths / sizeof *st.widths; w++)
    planes += w * (size_t)st.widths[w];
  cr_assert(st.widths[0] == 0); /* so the first byte of the planes belongs to block 0 */
  size_t tile_size = (size_t)one[64] | (size_t)one[65] << 8, end = 64 + 2 * (size_t)count + tile_size;
  one[end - planes / (size_t)count] ^= 1;
  cr_assert_eq(ghz_decompress(ctx, (ghz_bytes){one, one_size}, GHZ_F32, a, n), GHZ_OK);
  cr_assert_eq(ghz_decompress(ctx, (ghz_bytes){two, two_size}, GHZ_F32, b, n), GHZ_OK);
  cr_assert_eq(ghz_add(ctx, (ghz_bytes){one, one_size}, (ghz_bytes){two, two_size}, sum, sizeof sum, &sum_size),
               GHZ_OK);
  cr_assert_eq(ghz_decompress(ctx, (ghz_bytes){sum, sum_size}, GHZ_F32, s, n), GHZ_OK);
  for (size_t i = 0; i < n; i++)
    cr_assert(fabs((double)a[i] + (double)b[i] - (double)s[i]) < 1e-3, "value %zu: %g + %g gave %g", i,
              (double)a[i], (double)b[i], (double)s[i]);
  ghz_context_free(ctx);
}

Test(hostile, ignored_columns_do_not_reach_a_sum) {
  ignored_column(1);
  ignored_column(2);
}

/* A short tile that is larger than any of its length is not copied into a result, whose size bound it would
 * break. */
Test(hostile, oversized_short_tile) {
  enum { HEAD = 48 + 16 + 2, TILE_SIZE = 3000 };
  static unsigned char stream[HEAD + TILE_SIZE], out[16384];
  float x[5] = {1, 2, 3, 4, 5};
  size_t size;
  ghz_context *ctx;
  ghz_lattice l;
  uint64_t payload = TILE_SIZE;
  uint16_t tile = TILE_SIZE;
  cr_assert_eq(ghz_context_create(&ctx, 1), GHZ_OK);
  cr_assert_eq(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 0.25}, 0, 0, &l), GHZ_OK);
  cr_assert_eq(ghz_compress(ctx, &l, 1, x, 5, stream, sizeof stream, &size), GHZ_OK);
  memset(stream + HEAD, 0x20, TILE_SIZE);
  memcpy(stream + 40, &payload, 8);
  memcpy(stream + 56, &payload, 8);
  memcpy(stream + 64, &tile, 2);
  ghz_bytes damaged = {stream, sizeof stream};
  cr_assert_eq(ghz_sum(ctx, 1, &damaged, out, sizeof out, &size), GHZ_ECORRUPT);
  cr_assert_eq(ghz_scale(ctx, damaged, 2, out, sizeof out, &size), GHZ_ECORRUPT);
  ghz_context_free(ctx);
}
