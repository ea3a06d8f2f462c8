/* test_one_format.c: law L3: the same bytes and values from every instruction set, thread count and caller's
 * floating-point environment, and from every version (golden files). */
#include "golden.h"
#include "support.h"
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { THREADS = 4 };
static const int thread_counts[THREADS] = {1, 2, 3, 7};

static void check_decode(ghz_context *ctx, ref_bytes stream, const char *what) {
  ref_header h = ref_header_read(stream.data);
  for (int out = h.type; out <= GHZ_F64; out++) {
    void *want = bytes_new(h.n * ghz_type_size((ghz_type)out)).data;
    ref_decode(stream.data, out, want);
    void *got = decompress(ctx, stream, (ghz_type)out);
    same_values(got, want, h.n, (ghz_type)out, say("%s, decoded to type %d", what, out));
    free(got);
    free(want);
  }
}

static void check_codec(const ghz_lattice *l, int order, const void *x, size_t n, ghz_context *const *ctx,
                        size_t count, const char *what) {
  ref_header header = header_for(l, n);
  ref_bytes want = ref_compress(&header, order, x);
  for (size_t c = 0; c < count; c++) {
    const char *which = say("%s, %s, %d threads", what, ghz_context_isa(ctx[c]), ghz_context_threads(ctx[c]));
    ref_bytes got = compress(ctx[c], l, order, x, n);
    same_bytes(got, want, which);
    check_decode(ctx[c], got, which);
    ref_free(&got);
  }
  cr_assert_eq(ref_check(want.data, want.size), REF_GOOD);
  ref_free(&want);
}

static size_t every_context(ghz_context **ctx) {
  size_t count = 0;
  for (size_t i = 0; i < isa_count(); i++)
    for (int t = 0; t < THREADS; t++)
      ctx[count++] = context_on(isa_name(i), thread_counts[t]);
  return count;
}

static void free_all(ghz_context **ctx, size_t count) {
  for (size_t c = 0; c < count; c++)
    ghz_context_free(ctx[c]);
}

Test(one_format, every_length, .timeout = 300) {
  static const size_t lengths[] = {0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 16383, 16384, 16385};
  ghz_context *ctx[12];
  size_t count = every_context(ctx);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
      ghz_lattice l = lattice_abs((ghz_type)type, 0.02);
      void *x = input_make(&inputs[0], l.type, lengths[k], l.step, 90 + k);
      check_codec(&l, GHZ_ORDER_BEST, x, lengths[k], ctx, count, say("type %d, length %zu", type, lengths[k]));
      free(x);
    }
  free_all(ctx, count);
}

Test(one_format, every_input_and_order, .timeout = 300) {
  ghz_context *ctx[3];
  size_t count = isa_count();
  for (size_t i = 0; i < count; i++)
    ctx[i] = context_on(isa_name(i), 1);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t in = 0; in < input_count; in++)
      for (int order = GHZ_ORDER_BEST; order <= 2; order++) {
        ghz_lattice l = lattice_abs((ghz_type)type, in % 2 ? 0.02 : 700);
        void *x = input_make(&inputs[in], l.type, 2500, l.step, in);
        check_codec(&l, order, x, 2500, ctx, count, say("%s, type %d, order %d", inputs[in].name, type, order));
        free(x);
      }
  free_all(ctx, count);
}

Test(one_format, extreme_bounds, .timeout = 300) {
  static const double bounds[] = {1e-45,  1e-37,    4e-37,  5e35,  1e36,   1e38,
                                  1e-310, 4.9e-324, 1e-301, 1e301, 1.7e308};
  ghz_context *ctx[3];
  size_t count = isa_count();
  for (size_t i = 0; i < count; i++)
    ctx[i] = context_on(isa_name(i), 1);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
      for (size_t in = 0; in < input_count; in++) {
        ghz_lattice l = lattice_abs((ghz_type)type, bounds[b]);
        void *x = input_make(&inputs[in], l.type, 1100, l.step, in);
        check_codec(&l, GHZ_ORDER_BEST, x, 1100, ctx, count,
                    say("%s, type %d, bound %g", inputs[in].name, type, bounds[b]));
        free(x);
      }
  free_all(ctx, count);
}

/* Random steps and seeds on arrays of many tiles, and the sums of pairs. */
Test(one_format, random_cases, .timeout = 300) {
  ghz_context *ctx[3];
  size_t count = isa_count();
  uint64_t state = 17;
  for (size_t i = 0; i < count; i++)
    ctx[i] = context_on(isa_name(i), 1 + (int)i);
  for (int round = 0; round < 400 * effort(); round++) {
    ghz_type type = (ghz_type)input_below(&state, 2);
    ghz_lattice l =
        lattice_abs(type, ldexp(1.5 + input_uniform(&state) / 2, (int)input_below(&state, 200) - 100));
    size_t n = (size_t)input_below(&state, 12000), in = (size_t)input_below(&state, input_count);
    uint64_t seed = input_random(&state);
    int order = (int)input_below(&state, 4) - 1;
    void *x = input_make(&inputs[in], type, n, l.step, seed);
    check_codec(&l, order, x, n, ctx, count,
                say("round %d: %s, type %d, n %zu, order %d, eb %a, seed %llx", round, inputs[in].name,
                    (int)type, n, order, l.eb, (unsigned long long)seed));
    free(x);
  }
  free_all(ctx, count);
}

/* A few million values, once: thread counts against each other. */
Test(one_format, millions_of_values, .timeout = 300) {
  enum { N = 3000001 };
  ghz_lattice l = lattice_abs(GHZ_F32, 0.5);
  void *x = input_make(&inputs[0], GHZ_F32, N, l.step, 4);
  ref_bytes first = {0}, twice = {0};
  for (int t = 0; t < THREADS; t++) {
    ghz_context *ctx = context_on(NULL, thread_counts[t]);
    ref_bytes got = compress(ctx, &l, GHZ_ORDER_BEST, x, N), both = add(ctx, got, got);
    float *y = decompress(ctx, got, GHZ_F32);
    if (t == 0) {
      first = bytes_copy(got.data, got.size);
      twice = bytes_copy(both.data, both.size);
      for (size_t i = 0; i < N; i++) {
        float a = ((float *)x)[i];
        cr_assert(isnan(a)   ? isnan(y[i])
                  : isinf(a) ? a == y[i]
                             : within((double)a, (double)y[i], l.eb),
                  "value %zu", i);
      }
    }
    same_bytes(got, first, say("%d threads", thread_counts[t]));
    same_bytes(both, twice, say("%d threads, sum", thread_counts[t]));
    free(y);
    ref_free(&got);
    ref_free(&both);
    ghz_context_free(ctx);
  }
  ref_free(&first);
  ref_free(&twice);
  free(x);
}

/* ---- The caller's floating-point environment ---- */

#if defined(__x86_64__)
static unsigned control_word(void) {
  return _mm_getcsr() & 0xffc0u;
}

static void set_hostile(int rounding, int flush) {
  fesetround(rounding);
  if (flush)
    _mm_setcsr(_mm_getcsr() | 0x8040u);
}

static void set_default(void) {
  fesetenv(FE_DFL_ENV);
}

/* Every call that computes, its results joined to one string of bytes. */
typedef struct record {
  uint8_t data[1 << 20];
  size_t used;
} record;

static void note(record *r, const void *data, size_t size) {
  if (r->used + size > sizeof r->data)
    abort();
  memcpy(r->data + r->used, data, size);
  r->used += size;
}

static void note_stream(record *r, ref_bytes stream) {
  note(r, stream.data, stream.size);
  ref_free(&stream);
}

/* Equal fields give equal bytes: no padding goes into the record. */
static void note_lattice(record *r, const ghz_lattice *l) {
  note(r, &l->step, sizeof l->step);
  note(r, &l->eb, sizeof l->eb);
}

static void note_slices(ghz_context *ctx, const ghz_lattice *l, const void *x, size_t n, ref_bytes stream,
                        record *r) {
  ref_bytes dst = bytes_new(ghz_slice_bound(2, l->type, 2)), other = bytes_new(dst.size);
  ghz_slice pair[2], result;
  succeeded(ghz_slice_compress(ctx, l, 1, x, n, 0, 2, dst.data, dst.size, &pair[0]), ctx, "slice");
  succeeded(ghz_slice_view(view(stream), 0, 2, &pair[1]), ctx, "view");
  succeeded(ghz_slice_sum(ctx, 2, pair, other.data, other.size, &result), ctx, "slice sum");
  note(r, result.payload, result.payload_size);
  double *y = malloc(2048 * sizeof *y);
  succeeded(ghz_slice_decompress(ctx, &result, GHZ_F64, y), ctx, "slice values");
  note(r, y, 2048 * sizeof *y);
  succeeded(ghz_decompress_range(ctx, view(stream), GHZ_F64, 5, 2000, y), ctx, "range");
  note(r, y, 2000 * sizeof *y);
  succeeded(ghz_slice_extremum(ctx, &pair[0], &pair[1], 0, other.data, other.size, &result), ctx,
            "slice extremum");
  note(r, result.payload, result.payload_size);
  free(y);
  ref_free(&dst);
  ref_free(&other);
}

static void record_calls(ghz_context *ctx, ghz_type type, const void *x, size_t n, record *r) {
  ghz_lattice l, other;
  ghz_bound absolute = {GHZ_ABS, 1e-3 / 3}, relative = {GHZ_REL, 1e-3 / 7}, psnr = {GHZ_PSNR, 77};
  double range[4];
  r->used = 0;
  ghz_range(ctx, type, x, n, &range[0], &range[1]);
  ghz_lattice_make(type, absolute, 0, 0, &l);
  note_lattice(r, &l);
  ghz_lattice_make(type, relative, -0.1, 1.0 / 3, &other);
  note_lattice(r, &other);
  ghz_lattice_make(type, psnr, -0.1, 1.0 / 3, &other);
  note_lattice(r, &other);
  ref_bytes s = compress(ctx, &l, GHZ_ORDER_BEST, x, n), t = scale(ctx, s, 1.0 / 3), two[2] = {s, s};
  ghz_extrema(ctx, view(s), &range[2], &range[3]);
  note(r, range, sizeof range);
  double bound = info_of(t).bound;
  note(r, &bound, sizeof bound);
  void *y = decompress(ctx, s, type), *z = decompress(ctx, t, GHZ_F64);
  note(r, y, n * ghz_type_size(type));
  note(r, z, n * 8);
  free(y);
  free(z);
  note_stream(r, add(ctx, s, s));
  note_stream(r, subtract(ctx, t, t));
  note_stream(r, negate(ctx, s));
  note_slices(ctx, &l, x, n, s, r);
  note_stream(r, mean(ctx, 2, two));
  note_stream(r, extremum(ctx, s, s, 1));
  note(r, s.data, s.size);
  note_stream(r, t);
  ref_free(&s);
}

Test(one_format, caller_environment, .timeout = 300) {
  static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  static record want, got;
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t in = 0; in < input_count; in++) {
      double unit = in % 2 ? 1e-3 : 0x1p-118;
      void *x = input_make(&inputs[in], (ghz_type)type, 3000, unit, in);
      ghz_context *plain = context_on(NULL, 3);
      record_calls(plain, (ghz_type)type, x, 3000, &want);
      ghz_context_free(plain);
      for (int e = 0; e < 8; e++) {
        if (in > 6 && e % 4 != (int)in % 4)
          continue;
        set_hostile(roundings[e % 4], e / 4);
        unsigned before = control_word();
        ghz_context *ctx = context_on(isa_name(in % isa_count()), 3);
        record_calls(ctx, (ghz_type)type, x, 3000, &got);
        unsigned after = control_word();
        int rounding = fegetround();
        ghz_context_free(ctx);
        set_default();
        cr_assert_eq(before, after, "%s: control word %x became %x", inputs[in].name, before, after);
        cr_assert_eq(rounding, roundings[e % 4]);
        ref_bytes a = {got.data, got.used}, b = {want.data, want.used};
        same_bytes(a, b, say("%s, type %d, environment %d", inputs[in].name, type, e));
      }
      free(x);
    }
}
#endif

/* ---- Golden files ---- */

static ref_bytes read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  cr_assert_not_null(f, "cannot read %s", path);
  ref_bytes bytes = bytes_new(1 << 20);
  bytes.size = fread(bytes.data, 1, bytes.size, f);
  fclose(f);
  ref_bytes exact = bytes_copy(bytes.data, bytes.size);
  ref_free(&bytes);
  return exact;
}

static void check_golden(const golden_case *g, ghz_context *ctx) {
  ref_bytes want = read_file(say("%s/%s.ghz", GHZ_GOLDEN_DIR, g->name)), got = golden_stream(g, ctx);
  same_bytes(got, want, say("%s on %s", g->name, ghz_context_isa(ctx)));
  uint64_t checksum = golden_checksum(want, ctx);
  cr_assert_eq(checksum, g->checksum, "%s on %s: values have checksum %016llx", g->name, ghz_context_isa(ctx),
               (unsigned long long)checksum);
  cr_assert_eq(ref_check(want.data, want.size), REF_GOOD);
  ref_free(&want);
  ref_free(&got);
}

/* The files hold every kind of tile of both types. */
Test(one_format, golden_files_cover_the_format) {
  uint64_t seen[2][9] = {{0}};
  ghz_context *ctx = context_on(NULL, 1);
  for (size_t g = 0; g < golden_count; g++) {
    ref_bytes s = read_file(say("%s/%s.ghz", GHZ_GOLDEN_DIR, golden_cases[g].name));
    ghz_statistics t;
    succeeded(ghz_scan(ctx, view(s), &t), ctx, golden_cases[g].name);
    uint64_t kinds[9] = {t.empty,    t.raw,     t.specials, t.order[0], t.order[1],
                         t.order[2], t.mode[0], t.mode[1],  t.mode[2]};
    for (int k = 0; k < 9; k++)
      seen[golden_cases[g].type][k] += kinds[k];
    ref_free(&s);
  }
  for (int k = 0; k < 18; k++)
    cr_assert_gt(seen[k / 9][k % 9], 0, "type %d, kind %d", k / 9, k % 9);
  ghz_context_free(ctx);
}

Test(one_format, golden_files) {
  cr_assert_gt(golden_count, 0);
  for (size_t i = 0; i < isa_count(); i++) {
    ghz_context *ctx = context_on(isa_name(i), 2);
    for (size_t g = 0; g < golden_count; g++)
      check_golden(&golden_cases[g], ctx);
    ghz_context_free(ctx);
  }
}
