/* exhaustive.c: law L1 for all 2^32 values of float32, under several bounds: each alone among
 * neighbours, among rough ones, and in every arithmetic that a larger value in its tile forces on
 * it; on every instruction set.
 *
 * usage: exhaustive [--every N] [--reference N] [--threads N] [WORD...]
 *   --every N       only every N-th batch of 65536 values (a sample; the whole takes long)
 *   --reference N   every N-th batch also against the reference codec, byte for byte
 *   --threads N     as many as OpenMP would use, unless told
 *   WORD            only subjects whose names hold one of the words
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference_parts.h"
#include "streams.h"
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILES = 64, BATCH = TILES * GHZ_TILE, THREADS_MOST = 256, ISAS = 4 };

static uint64_t every = 1, reference_every = 64;
static int threads;
static char **words;
static int word_count;

/* What is tested: a lattice, and the factor that its streams are scaled by (1: they are not). */
typedef struct subject {
  const char *name;
  ghz_lattice lattice;
  double factor;
} subject;

/* Tiles by the arithmetic that they are in, and the largest errors seen, in units of the bound: [0]
 * decoded to float32, [1] to float64. */
enum { COARSE_15, COARSE, FINE, WIDE, RAW, CLASSES };
static const char *const class_names[CLASSES] = {"coarse to 2^15", "coarse beyond", "fine", "wide", "raw"};

typedef struct tally {
  uint64_t tiles[CLASSES];
  long double worst[CLASSES][2];
} tally;

static void tally_add(tally *to, const tally *from) {
  for (int c = 0; c < CLASSES; c++) {
    to->tiles[c] += from->tiles[c];
    for (int out = 0; out < 2; out++)
      to->worst[c][out] = fmaxl(to->worst[c][out], from->worst[c][out]);
  }
}

static int is_constant(const ghz_lattice *l) { return l->step > 2 * l->eb; }

/* The largest magnitude of a coarse tile. */
static double coarse_end(const ghz_lattice *l) {
  const ref_header h = header_for(l, 0);
  return ref_coarse_limit(&h);
}

/* ---- One tile, in exact arithmetic of its own ---- */
/* What went in, and what came back. */
typedef struct tile {
  const float *x, *y;
  const double *z;
  int n, class;
  double bound; /* as the header of the stream says */
} tile;

static int class_of(const ghz_lattice *l, const uint8_t *data, size_t size, const tile *t) {
  float largest = 0;
  if (size > 0 && (data[0] & 0x18) == 0x18) /* as they are, or one value */
    return RAW;
  for (int i = 0; i < t->n; i++)
    largest = isfinite(t->x[i]) ? fmaxf(largest, fabsf(t->x[i])) : largest;
  const int mode = size > 0 ? data[0] >> 3 & 3 : REF_COARSE;
  return mode == REF_WIDE                        ? WIDE
         : mode == REF_FINE                      ? FINE
         : (double)largest <= ldexp(l->step, 15) ? COARSE_15
                                                 : COARSE;
}

/* |exact - back|, rounded; and whether it is above the bound exactly. A rounded difference decides
 * unless it equals the bound, and then the error of that rounding does (Knuth's two-sum gives
 * it). */
static long double distance(long double exact, long double back, long double bound, int *beyond) {
  long double high = fmaxl(exact, back), low = fminl(exact, back), d = high - low;
  *beyond |= !(d <= bound);
  if (d == bound) {
    long double before = d - high, rest = (high - (d - before)) + (-low - before);
    *beyond |= rest > 0;
  }
  return d;
}

/* What a scaled sum may lose where a float32 cannot hold it: half a unit in the last place. */
static long double half_ulp(float y) { return ((long double)nextafterf(fabsf(y), INFINITY) - fabsf(y)) / 2; }

/* Scaling multiplies what lies outside the lattice in float64, as a sum of one with the factor's
 * sign, and rounds. */
static float scaled(float x, double factor) {
  return factor == 1 ? x : (float)((0.0 + (factor < 0 ? -(double)x : (double)x)) * fabs(factor));
}

static int special_kept(const subject *s, const tile *t, int i) {
  uint32_t bits;
  uint64_t wide;
  memcpy(&bits, &t->y[i], sizeof bits);
  memcpy(&wide, &t->z[i], sizeof wide);
  if (isnan(t->x[i]))
    return bits == 0x7fc00000u && wide == 0x7ff8000000000000u;
  const float want = s->factor < 0 ? -t->x[i] : t->x[i];
  return t->y[i] == want && t->z[i] == (double)want;
}

/* x * factor is exact in long double, because the factors have 40 bits. On the lattice of a
 * constant, as far as it is used, values are exact; so they are where they stand as they are. */
static int value_kept(const subject *s, const tile *t, int i, tally *seen) {
  const long double exact = (long double)t->x[i] * (long double)s->factor, y = (long double)t->y[i],
                    z = (long double)t->z[i];
  if (!isfinite(t->x[i]))
    return special_kept(s, t, i);
  if (t->class == RAW) {
    const float want = scaled(t->x[i], s->factor);
    return memcmp(&t->y[i], &want, sizeof want) == 0 && (double)want == t->z[i];
  }
  const long double bound = is_constant(&s->lattice) ? 0 : (long double)t->bound,
                    rounding = s->factor != 1 && t->class == WIDE ? half_ulp(t->y[i]) : 0;
  int beyond = 0;
  const long double d = distance(exact, y, bound + rounding, &beyond) - rounding,
                    e = distance(exact, z, bound, &beyond);
  long double *worst = seen->worst[t->class];
  worst[0] = fmaxl(worst[0], d / (long double)t->bound);
  worst[1] = fmaxl(worst[1], e / (long double)t->bound);
  return !beyond;
}

static int tile_kept(const subject *s, const tile *t, tally *seen) {
  seen->tiles[t->class]++;
  for (int i = 0; i < t->n; i++)
    if (!value_kept(s, t, i, seen)) {
      fprintf(stderr,
              "%s: value %d of %d, %s: %a came back as %a, as float64 %a\n  step %a, bound %a, factor %a\n",
              s->name, i, t->n, class_names[t->class], (double)t->x[i], (double)t->y[i], t->z[i],
              s->lattice.step, t->bound, s->factor);
      return 0;
    }
  return 1;
}

/* FORMAT.md, "Why |x - y| <= eb": the last column; as float64 without the last rounding. It is for
 * the ordinary step, and errors are multiples of the step; but to the end of coarse tiles. */
static double derived(const ghz_lattice *l, int class, int out) {
  static const double ordinary[CLASSES][2] = {
      {0.995911, 0.992066}, {0, 0.984376}, {0.984376, 0.492188}, {0.984436, 0.492218}, {0, 0}};
  if (class == COARSE && out == 0)
    return (l->step / 2 + (coarse_end(l) + l->step) * 0x1.00001p-24) / l->eb;
  return ordinary[class][out] * (l->step / l->eb / 1.96875);
}

static int errors_as_derived(const subject *s, const tally *seen) {
  for (int c = 0; c < CLASSES && s->factor == 1; c++)
    for (int out = 0; out < 2; out++)
      if (!(seen->worst[c][out] <= (long double)derived(&s->lattice, c, out))) {
        fprintf(stderr, "%s: %s tiles have errors of %.8Lf bounds, %s; FORMAT.md derives at most %.8f\n",
                s->name, class_names[c], seen->worst[c][out], out ? "as float64" : "as float32",
                derived(&s->lattice, c, out));
        return 0;
      }
  return 1;
}

/* ---- One array, on every instruction set ---- */
static ghz_context *contexts[THREADS_MOST][ISAS];

static ref_bytes make_stream(ghz_context *ctx, const subject *s, int order, const float *x, size_t n) {
  const ref_bytes fresh = compress(ctx, &s->lattice, order, x, n);
  return s->factor == 1 ? fresh : scale(ctx, fresh, s->factor);
}

static int differ(const subject *s, const char *who, const char *bytes, const char *y, const char *z) {
  if (bytes || y || z)
    fprintf(stderr, "%s, by %s: bytes %s; values %s; as float64 %s\n", s->name, who, bytes ? bytes : "the same",
            y ? y : "the same", z ? z : "the same");
  return bytes || y || z;
}

/* Whether the reference codec, in place of another instruction set, has the same. */
static int as_reference(const subject *s, int order, const float *x, size_t n, ref_bytes got, const tile *all) {
  ref_header header = header_for(&s->lattice, n);
  ref_bytes want = ref_compress(&header, order, x);
  if (s->factor != 1)
    want = ref_scale(want, s->factor);
  float *y = scratch(n * sizeof *y);
  double *z = scratch(n * sizeof *z);
  ref_decode(want.data, REF_F32, y);
  ref_decode(want.data, REF_F64, z);
  return !differ(s, "the reference", bytes_differ(got, want), values_differ(all->y, y, n, GHZ_F32),
                 values_differ(all->z, z, n, GHZ_F64));
}

static int examine(ghz_context **ctx, const subject *s, int order, const float *x, size_t n, int with_reference,
                   tally *seen) {
  SCOPE;
  const ref_bytes stream = make_stream(ctx[0], s, order, x, n);
  const tile all = {x, decompress(ctx[0], stream, GHZ_F32), decompress(ctx[0], stream, GHZ_F64), (int)n, 0, 0};
  for (size_t i = 1; i < isa_count(); i++) {
    const ref_bytes other = make_stream(ctx[i], s, order, x, n);
    if (differ(s, ghz_context_isa(ctx[i]), bytes_differ(other, stream),
               values_differ(decompress(ctx[i], other, GHZ_F32), all.y, n, GHZ_F32),
               values_differ(decompress(ctx[i], other, GHZ_F64), all.z, n, GHZ_F64)))
      return 0;
  }
  if (with_reference && !as_reference(s, order, x, n, stream, &all))
    return 0;
  for (size_t first = 0; first < n; first += GHZ_TILE) {
    size_t size;
    const uint8_t *data = ref_tile_at(stream.data, first / GHZ_TILE, &size);
    tile t = {x + first,
              all.y + first,
              all.z + first,
              (int)(n - first < GHZ_TILE ? n - first : GHZ_TILE),
              0,
              info_of(stream).lattice.eb};
    t.class = class_of(&s->lattice, data, size, &t);
    if (!tile_kept(s, &t, seen))
      return 0;
  }
  return 1;
}

/* ---- Arrangements: how values are put into tiles ---- */
typedef struct arrangement_row {
  const char *name;
  uint64_t count;                               /* of values */
  uint32_t (*pattern)(uint64_t i, double step); /* the bits of number i */
  /* Each tile also holds 2^power steps, or the largest coarse value, which decides its arithmetic;
   * 0: no such value. */
  int power;
  int specials; /* each tile also holds infinities and a NaN */
} arrangement_row;

static uint32_t bits_of(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

static float float_of(uint32_t bits) {
  float v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

static uint32_t ascending(uint64_t i, double step) {
  (void)step;
  return (uint32_t)i;
}

/* One binade per tile, the signs alternating, the fractions in no order. */
static uint32_t rough(uint64_t i, double step) {
  (void)step;
  uint32_t rest = (uint32_t)(i >> 1);
  return (uint32_t)(i & 1) << 31 | (rest & 0x7f800000u) | (rest * 0x9e3779b1u & 0x7fffffu);
}

/* All multiples of the step that the lattice of a constant knows; then with one a tile off it. */
static uint32_t multiples(uint64_t i, double step) {
  uint64_t k = i % 65537, turn = i / 1000;
  float v = (float)(((double)k - 32768) * step);
  return bits_of(i >= 65537 && i % 1000 == turn % 1000 ? nextafterf(v, INFINITY) : v);
}

#define ALL ((uint64_t)1 << 32)
enum { END_OF_COARSE = 1000 };

static const arrangement_row arrangements[] = {
    {"ascending", ALL, ascending, 0, 0},
    {"rough", ALL, rough, 0, 1},
    {"with 2^16 steps", ALL, ascending, 16, 0},
    {"with the largest coarse value", ALL, ascending, END_OF_COARSE, 0},
    {"with 2^22 steps", ALL, ascending, 22, 0},
    {"with 2^35 steps", ALL, ascending, 35, 1},
    {"multiples", 2 * 65537, multiples, 0, 1},
};
enum { ARRANGEMENTS = sizeof arrangements / sizeof *arrangements };

/* The value that decides. */
static float deciding(const arrangement_row *a, const ghz_lattice *l) {
  double v = a->power == END_OF_COARSE ? coarse_end(l) : ldexp(l->step, a->power);
  return (double)(float)v > v ? nextafterf((float)v, 0) : (float)v;
}

/* Which arrangements say anything about a lattice. */
static int concerns(const arrangement_row *a, const subject *s) {
  if (a->pattern == multiples || is_constant(&s->lattice))
    return is_constant(&s->lattice) && a->power == 0;
  return a->power == 0 || (s->lattice.step > 0 && deciding(a, &s->lattice) < 0x1p127f);
}

/* What stands in each tile beside the values. */
static int companions(const arrangement_row *a, const subject *s, float *c) {
  int k = 0;
  if (a->power)
    c[k++] = deciding(a, &s->lattice);
  if (a->specials) {
    c[k++] = INFINITY;
    c[k++] = -INFINITY;
    c[k++] = float_of(0xffc12345u);
  }
  return k;
}

/* ---- Batches ---- */
/* Fills x with batch b; returns how many values it has, 0 if the companion would decide nothing in
 * it: if all are finite and larger, they were there without it. */
static size_t fill(const arrangement_row *a, const subject *s, uint64_t b, float *x) {
  float company[4];
  int k = companions(a, s, company);
  uint64_t each = (uint64_t)(GHZ_TILE - k), i = b * TILES * each;
  uint64_t end = a->count - i < TILES * each ? a->count : i + TILES * each;
  size_t n = 0;
  float least = INFINITY;
  while (i < end) {
    for (int j = 0; j < k; j++)
      x[n++] = company[j];
    for (uint64_t j = 0; j < each && i < end; j++, n++) {
      x[n] = float_of(a->pattern(i++, s->lattice.step));
      if (!(fabsf(x[n]) >= least && fabsf(x[n]) < INFINITY))
        least = isfinite(x[n]) ? fabsf(x[n]) : 0;
    }
  }
  return a->power && least >= company[0] ? 0 : n;
}

static uint64_t batches_of(const arrangement_row *a, const subject *s) {
  float company[4];
  uint64_t each = (uint64_t)(GHZ_TILE - companions(a, s, company)) * TILES;
  return (a->count + each - 1) / each;
}

/* Every array through the codec, on all threads; returns 0 at the first violation. */
static int pass(const arrangement_row *a, const subject *s, tally *seen) {
  /* A sample of the short arrangement would be nothing. */
  uint64_t step = a->count < ALL ? 1 : every, count = (batches_of(a, s) + step - 1) / step;
  int violated = 0;
#pragma omp parallel num_threads(threads)
  {
    SCOPE;
    float *x = scratch(BATCH * sizeof *x);
    tally own = {0};
#pragma omp for schedule(dynamic, 1)
    for (uint64_t k = 0; k < count; k++) {
      int stop;
#pragma omp atomic read
      stop = violated;
      /* The sample is not the same part of every stretch. */
      uint64_t b = k * step + (step > 1 ? k * 2654435761u % step : 0);
      size_t n = stop || b >= batches_of(a, s) ? 0 : fill(a, s, b, x);
      if (n > 0 &&
          !examine(contexts[omp_get_thread_num()], s, (int)(k % 4) - 1, x, n, k % reference_every == 0, &own)) {
        fprintf(stderr, "  in batch %llu of arrangement '%s'\n", (unsigned long long)b, a->name);
#pragma omp atomic write
        violated = 1;
      }
    }
#pragma omp critical
    tally_add(seen, &own);
  }
  return !violated;
}

/* ---- Subjects ---- */
/* A bound, or the constant that a lattice is for; factors of 40 bits: long double holds each
 * product exactly, and the new step is a rounded one. */
static const struct subject_row {
  const char *name;
  double eb, constant, factor;
  double offset; /* in bounds: of data with an offset, their largest magnitude */
} rows[] = {
    {"abs 1e-3", 1e-3, 0, 1, 0},
    {"abs 1", 1, 0, 1, 0},
    {"abs 1e30", 1e30, 0, 1, 0},
    {"abs 2^-149, no lattice", 0x1p-149, 0, 1, 0},
    {"abs 2^-120, the least step", 0x1.1p-121, 0, 1, 0},
    {"abs 1e38, the largest step", 1e38, 0, 1, 0},
    {"abs 0.37, scaled by 1.57", 0.37, 0, 0x1.921fb5444bp0, 0},
    {"abs 5e-20, scaled by -0.1", 5e-20, 0, -0x1.99999999a7p-4, 0},
    {"abs 0.003, offset of 2^18", 0.003, 0, 1, 0x1.3p18},
    {"abs 0.37, offset of 2^20", 0.37, 0, 1, 0x1p20},
    {"abs 1, offset of 2^22", 1, 0, 1, 0x1.5p22},
    {"abs 5e-20, offset, scaled by -0.1", 5e-20, 0, -0x1.99999999a7p-4, 0x1p21},
    {"constant 1.5", 0, 1.5, 1, 0},
    {"constant 0.3", 0, (double)0.3f, 1, 0},
};

static subject subject_of(const struct subject_row *row) {
  subject s = {.name = row->name, .factor = row->factor};
  double c = row->constant;
  ghz_bound bound = c != 0 ? (ghz_bound){GHZ_REL, 1e-3} : (ghz_bound){GHZ_ABS, row->eb};
  if (ghz_lattice_make(GHZ_F32, bound, c, c, &s.lattice) != GHZ_OK)
    abort();
  if (row->offset > 0)
    s.lattice = lattice_offset(row->eb, row->offset);
  return s;
}

static int wanted(const char *name) {
  for (int i = 0; i < word_count; i++)
    if (strstr(name, words[i]))
      return 1;
  return word_count == 0;
}

static void print_tally(const char *name, const char *arrangement, const tally *seen, double took) {
  printf("%s, %s: %.0f s\n", name, arrangement, took);
  for (int c = 0; c < CLASSES; c++)
    if (seen->tiles[c] > 0)
      printf("    %-16s %9llu tiles, errors up to %.6Lf of the bound, as float64 %.6Lf\n", class_names[c],
             (unsigned long long)seen->tiles[c], seen->worst[c][0], seen->worst[c][1]);
  fflush(stdout);
}

static int prove(const subject *s) {
  for (int i = 0; i < ARRANGEMENTS; i++) {
    tally seen = {0};
    double start = omp_get_wtime();
    if (!concerns(&arrangements[i], s))
      continue;
    int kept = pass(&arrangements[i], s, &seen);
    print_tally(s->name, arrangements[i].name, &seen, omp_get_wtime() - start);
    if (!kept || !errors_as_derived(s, &seen))
      return 0;
  }
  return 1;
}

/* ---- Options ---- */
static int parse(int argc, char **argv) {
  int i = 1;
  for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
    double v = atof(argv[i + 1]);
    if (strcmp(argv[i], "--every") == 0 && v >= 1)
      every = (uint64_t)v;
    else if (strcmp(argv[i], "--reference") == 0 && v >= 1)
      reference_every = (uint64_t)v;
    else if (strcmp(argv[i], "--threads") == 0 && v >= 1)
      threads = (int)v;
    else
      return 0;
  }
  words = argv + i;
  word_count = argc - i;
  return i >= argc || argv[i][0] != '-';
}

int main(int argc, char **argv) {
  threads = omp_get_max_threads();
  if (!parse(argc, argv)) {
    fprintf(stderr, "usage: exhaustive [--every N] [--reference N] [--threads N] [WORD...]\n");
    return 2;
  }
  if (LDBL_MANT_DIG < 64) {
    printf("long double has %d bits: too few to check anything\n", LDBL_MANT_DIG);
    return 77;
  }
  threads = threads < THREADS_MOST ? threads : THREADS_MOST;
  for (int t = 0; t < threads; t++)
    for (size_t i = 0; i < isa_count(); i++)
      contexts[t][i] =
          context_on(isa_name(isa_count() - 1 - i), 1); /* the results of the fastest are checked */
  int right = 1;
  for (size_t i = 0; i < COUNT(rows) && right; i++) {
    subject s = subject_of(&rows[i]);
    right = !wanted(s.name) || prove(&s);
  }
  for (int t = 0; t < threads; t++)
    for (size_t i = 0; i < isa_count(); i++)
      ghz_context_free(contexts[t][i]);
  printf(right ? "the bound holds\n" : "THE BOUND DOES NOT HOLD\n");
  return !right;
}
