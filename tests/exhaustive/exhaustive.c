/* exhaustive.c: law L1 for all 2^32 values of float32, under several bounds: each alone among
 * neighbours, among rough ones, and in every arithmetic that a larger value in its tile forces on
 * it; then float64 at random, for a while.
 *
 * usage: exhaustive [--every N] [--reference N] [--seconds S] [--seed N] [--threads N] [WORD...]
 *   --every N       only every N-th batch of 65536 values (a sample; the whole takes long)
 *   --reference N   every N-th batch also against the reference codec, byte for byte
 *   --seconds S     of random float64, which --seed begins
 *   --threads N     as many as OpenMP would use, unless told
 *   WORD            only subjects whose names hold one of the words; "f64": the random ones
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "exhaustive.h"
#include "common.h"
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILES = 64, BATCH = TILES * GHZ_TILE };

static uint64_t every = 1, reference_every = 64, seed = 1;
static double seconds = 60;
static int threads;
static char **words;
static int word_count;

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
  uint64_t k = i % 65537, tile = i / 1000;
  float v = (float)(((double)k - 32768) * step);
  return bits_of(i >= 65537 && i % 1000 == tile % 1000 ? nextafterf(v, INFINITY) : v);
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

static int is_constant(const ghz_lattice *l) { return l->step > 2 * l->eb; }

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
static int pass(const arrangement_row *a, const subject *s, worker *const *workers, tally *seen) {
  /* A sample of the short arrangement would be nothing. */
  uint64_t step = a->count < ALL ? 1 : every, count = (batches_of(a, s) + step - 1) / step;
  int violated = 0;
#pragma omp parallel num_threads(threads)
  {
    worker *w = workers[omp_get_thread_num()];
    float *x = malloc(BATCH * sizeof *x);
    tally own = {0};
    if (!x)
      abort();
#pragma omp for schedule(dynamic, 1)
    for (uint64_t k = 0; k < count; k++) {
      int stop;
#pragma omp atomic read
      stop = violated;
      /* The sample is not the same part of every stretch. */
      uint64_t b = k * step + (step > 1 ? k * 2654435761u % step : 0);
      size_t n = stop || b >= batches_of(a, s) ? 0 : fill(a, s, b, x);
      if (n > 0 && !examine(w, s, (int)(k % 4) - 1, x, n, k % reference_every == 0, &own)) {
        fprintf(stderr, "  in batch %llu of arrangement '%s'\n", (unsigned long long)b, a->name);
#pragma omp atomic write
        violated = 1;
      }
    }
#pragma omp critical
    tally_add(seen, &own);
    free(x);
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

void print_tally(const char *name, const char *arrangement, const tally *seen, double took) {
  printf("%s, %s: %llu values, %llu of them special, %.0f s\n", name, arrangement,
         (unsigned long long)seen->values, (unsigned long long)seen->specials, took);
  for (int c = 0; c < CLASSES; c++) {
    if (seen->tiles[c] == 0)
      continue;
    printf("    %-16s %9llu tiles, errors up to %.6Lf of the bound", class_names[c],
           (unsigned long long)seen->tiles[c], seen->worst[c][0]);
    if (seen->worst[c][1] > 0)
      printf(", as float64 %.6Lf", seen->worst[c][1]);
    printf("\n");
  }
  fflush(stdout);
}

static int prove(const subject *s, worker *const *workers) {
  for (int i = 0; i < ARRANGEMENTS; i++) {
    tally seen = {0};
    double start = omp_get_wtime();
    if (!concerns(&arrangements[i], s))
      continue;
    int kept = pass(&arrangements[i], s, workers, &seen);
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
    else if (strcmp(argv[i], "--seconds") == 0 && v >= 0)
      seconds = v;
    else if (strcmp(argv[i], "--seed") == 0 && v >= 0)
      seed = (uint64_t)v;
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
    fprintf(stderr,
            "usage: exhaustive [--every N] [--reference N] [--seconds S] [--seed N] [--threads N] [WORD...]\n");
    return 2;
  }
  if (LDBL_MANT_DIG < SIGNIFICAND) {
    printf("long double has %d bits: too few to check anything\n", LDBL_MANT_DIG);
    return 77;
  }
  worker **workers = malloc((size_t)threads * sizeof *workers);
  for (int t = 0; t < threads; t++)
    workers[t] = worker_new(BATCH);
  printf("instruction sets:");
  for (size_t i = 0; i < worker_isas(workers[0]); i++)
    printf(" %s", worker_isa(workers[0], i));
  printf("; every value%s\n", every > 1 ? " of some batches" : "");
  int right = 1;
  for (size_t i = 0; i < sizeof rows / sizeof *rows && right; i++) {
    subject s = subject_of(&rows[i]);
    right = !wanted(s.name) || prove(&s, workers);
  }
  right = right && (!wanted("f64") || random_f64(seconds, seed, workers, threads));
  for (int t = 0; t < threads; t++)
    worker_free(workers[t]);
  free(workers);
  printf(right ? "the bound holds\n" : "THE BOUND DOES NOT HOLD\n");
  return !right;
}
