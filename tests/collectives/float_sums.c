/* float_sums.c: the bound GHZ_MPI_FLOAT: sums of floats that are never less accurate than MPI's, by
 * the largest error and in the mean square, and have the same bits by every algorithm, over every
 * number of ranks, and in every MPI: the hashes below are those of all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "payload/payloads.h"
#include "request.h"
#include "suite.h"
#include <fenv.h>
#include <math.h>
#include <string.h>

enum { COUNT = 40000, ARRAYS = 16, EDGE = 200, PLACE = 12345, BLOCK = 1024 };

/* ---- Fields: of additions, multiplications and roots alone, for the same bits everywhere ---- */
typedef enum kind {
  SINES,
  NOISE,
  WAVE,
  HEAVY,
  OFFSET,
  MISSING, /* from here on a few values are set apart, or all are far apart from each other */
  MINUS,
  OUTLIER,
  LARGE,
  LARGEST,
  SPREAD,
  SUBNORMAL,
  UNEQUAL,
  KINDS
} kind;
static const char *const names[KINDS] = {"sines",    "noise",   "wave",   "heavy tails", "offset",
                                         "1 % 1e20", "-9999",   "a 1e30", "a 1e10",      "a 3e38/k",
                                         "exp(8 N)", "1e-42 N", "unequal"};

static double uniform(uint64_t *state) { return (double)(draw(state) >> 11) * 0x1p-53; }

static double gauss(uint64_t *state) {
  double sum = -6;
  for (int i = 0; i < 12; i++)
    sum += uniform(state);
  return sum;
}

/* Goes round by an angle whose tangent is given. */
static void turn(double *x, double *y, double tangent) {
  double c = 1 / sqrt(1 + tangent * tangent), s = tangent * c, a = *x * c - *y * s;
  *y = *x * s + *y * c;
  *x = a;
}

static void fill_sines(float *v, int array) {
  double x = 1, y = 0;
  turn(&x, &y, (double)array);
  for (int i = 0; i < COUNT; i++) {
    turn(&x, &y, 0.012 + 0.0007 * array);
    v[i] = (float)y;
  }
}

/* A ring that spreads, of a few wavelengths. */
static void fill_wave(float *v, int array) {
  for (int i = 0; i < COUNT; i++) {
    double a = (i % EDGE) / (EDGE / 2.0) - 1, b = (i / EDGE) / (EDGE / 2.0) - 1,
           d = (sqrt(a * a + b * b) - 0.05 * (array + 3)) * 25, w = 1 / (1 + d * d);
    v[i] = (float)(w * w * w * (1 - d * d));
  }
}

/* 2^x at whole numbers, and straight lines between them. */
static double power(double x) { return ldexp(1 + x - floor(x), (int)floor(x)); }

/* Whether a place has values that are set apart from the others. */
static int is_apart(kind k, int i) {
  return k == MISSING || k == MINUS ? i % 100 == 7 : i == PLACE && k >= OUTLIER && k <= LARGEST;
}

/* Of one array or of all, so that their sum is a number. */
static double apart(kind k, int array, double g) {
  return k == MISSING   ? 1e20
         : k == MINUS   ? -9999
         : k == LARGEST ? 3e38 / ARRAYS
         : array        ? g
         : k == OUTLIER ? 1e30
                        : 1e10 * g;
}

static double ordinary(kind k, int array, double g, uint64_t *state) {
  switch (k) {
  case HEAVY: return g * g * g / (0.01 + uniform(state));
  case OFFSET: return 270 + 20 * g;
  case MISSING:
  case OUTLIER: return 270 + g;
  case LARGEST: return 1e-3 * g;
  case SPREAD: return power(8 / 0.6931471805599453 * g);
  case SUBNORMAL: return 1e-42 * g;
  case UNEQUAL: return (array ? 1e-3 : 1e3) * g;
  default: return g;
  }
}

static void fill(kind k, float *v, int array) {
  uint64_t state = mix(1000 * (uint64_t)k, (uint64_t)array);
  if (k == SINES)
    fill_sines(v, array);
  else if (k == WAVE)
    fill_wave(v, array);
  else
    for (int i = 0; i < COUNT; i++) {
      double g = gauss(&state), x = ordinary(k, array, g, &state);
      v[i] = (float)(is_apart(k, i) ? apart(k, array, g) : x);
    }
}

/* ---- Errors ---- */
typedef struct errors {
  double largest, rms;
} errors;

static float mine[ARRAYS * COUNT], result[COUNT], by_mpi[COUNT];
static double exact[COUNT], magnitude[COUNT], smallest[COUNT]; /* the last two of the contributions */

/* Of places that are set apart, or of all others. */
static errors errors_of(kind k, int of_apart, const float *y) {
  errors e = {0, 0};
  for (int i = 0; i < COUNT; i++) {
    double d = is_apart(k, i) == of_apart ? fabs((double)y[i] - exact[i]) : 0;
    e.largest = d > e.largest ? d : e.largest;
    e.rms += d * d;
  }
  e.rms = sqrt(e.rms / COUNT);
  return e;
}

/* Sums of up to 16 floats, exact but for 2^-53 of them: far below what is compared. */
static void add_exactly(kind k, int arrays) {
  memset(exact, 0, sizeof exact);
  memset(magnitude, 0, sizeof magnitude);
  for (int i = 0; i < COUNT; i++)
    smallest[i] = INFINITY;
  for (int a = 0; a < arrays; a++) {
    fill(k, mine, a);
    for (int i = 0; i < COUNT; i++) {
      exact[i] += (double)mine[i];
      magnitude[i] += fabs((double)mine[i]);
      smallest[i] = fmin(smallest[i], fabs((double)mine[i]));
    }
  }
}

static ghz_shape shape_of(int dims) {
  return dims == 3   ? (ghz_shape){3, {25, 40, 40}}
         : dims == 2 ? (ghz_shape){2, {1, EDGE, EDGE}}
                     : ghz_flat(COUNT);
}

static ghz_mpi_options float_options(ghz_mpi_report *report) {
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_MPI_FLOAT, 0};
  o.threshold = 0;
  o.report = report;
  return o;
}

/* The promise for each value: within the bound, rounded once, and exact of large contributions. */
static void check_values(const float *y, double divisor, double eb, double bound) {
  int i = 0;
  for (; i < COUNT; i++) {
    double want = exact[i] / divisor, ulp = fmax(0x1.000002p-24 * fabs(want), 0x1p-150);
    if (!(fabs((double)y[i] - want) <=
          ulp + 0x1p-50 * magnitude[i] / divisor + (smallest[i] < 0x1p24 * eb ? bound : 0)))
      break;
  }
  check(i == COUNT, "value %d is %.9g, should be %.9g within %g", i, i < COUNT ? (double)y[i] : 0,
        i < COUNT ? exact[i] / divisor : 0, bound);
}

/* The promise for the array. Slack: MPI may happen to err less where few values are large. */
static void check_errors(kind k, int of_apart) {
  const double slack = k < MISSING ? 1 : 1.5, rms_slack = k < MISSING ? 1 : 1.01;
  errors ours = errors_of(k, of_apart, result), theirs = errors_of(k, of_apart, by_mpi);
  check(ours.largest <= slack * theirs.largest, "the largest error is %g, MPI's is %g", ours.largest,
        theirs.largest);
  check(ours.rms <= rms_slack * theirs.rms, "the rms error is %g, MPI's is %g", ours.rms, theirs.rms);
}

/* One array a rank, by the library and by MPI. */
static void compare(kind k, int ranks, int dims, MPI_Comm comm) {
  ghz_mpi_report report = {0};
  ghz_mpi_options o = float_options(&report);
  const double most = k < MISSING ? 0.95 : k == UNEQUAL ? 2 : 1; /* of the bytes of the values */
  suite_case("%s on %d ranks, %d dimensions", names[k], ranks, dims);
  o.shape = shape_of(dims);
  check(ghz_allreduce(mine, result, COUNT, MPI_FLOAT, MPI_SUM, comm, &o) == MPI_SUCCESS, "an error");
  for (int of_apart = 0; of_apart < 2; of_apart++)
    check_errors(k, of_apart);
  check_values(result, 1, report.eb, report.bound);
  check(!report.inexact && (k != SUBNORMAL || report.bound < 1e-43), "inexact %d, bound %g", report.inexact,
        report.bound);
  if (ranks > 2)
    check(report.bound > 0 && (double)report.sent_bytes < most * (double)report.raw_bytes, "%llu of %llu bytes",
          (unsigned long long)report.sent_bytes, (unsigned long long)report.raw_bytes);
}

/* ---- Bits ---- */
/* Of 2 arrays; of 16; and of 16 with a shape of three dimensions, where that differs: tiles of
 * small values may have twice the unit, and a shape makes other tiles. */
static const uint64_t hashes[KINDS][3] = {
    {UINT64_C(0xa4dfbb307560a61), UINT64_C(0x302316a891addced)},
    {UINT64_C(0x148beac5dcc51edc), UINT64_C(0x13c00836672ddecf)},
    {UINT64_C(0x49260c3a927fe90), UINT64_C(0x4bad5d06b2b63c28)},
    {UINT64_C(0x10995e2958ca617b), UINT64_C(0x63ed2e282d4df08d)},
    {UINT64_C(0x72dd1195f71a8748), UINT64_C(0x6aa5b43fb6171363)},
    {UINT64_C(0x2594869325b3c4e0), UINT64_C(0x4476409f620c8dbd)},
    {UINT64_C(0x466b31459b524ee7), UINT64_C(0x5fc65e4918bd13de)},
    {UINT64_C(0x7d99d7080363c13f), UINT64_C(0x206ce243dce1bf3f)},
    {UINT64_C(0x270ac7128447accf), UINT64_C(0x79feb63e88b1c621)},
    {UINT64_C(0x920295549b1b71), UINT64_C(0x4636cff71ff21e23)},
    {UINT64_C(0x34ae62060bd4f33a), UINT64_C(0x6caeab15afbdd111), UINT64_C(0x5c0c4a66fa37cea6)},
    {UINT64_C(0x141f4a029a9bf825), UINT64_C(0x1b8d0c72f970ee37)},
    {UINT64_C(0x46d8b7254d2a26f0), UINT64_C(0x2e6565040810faf5)},
};

/* The ways to sum on so many ranks. */
static const struct {
  collective what;
  ghz_mpi_algorithm algorithm;
} ways[] = {{ALLREDUCE, GHZ_MPI_ALGORITHM_AUTO}, {ALLREDUCE, GHZ_MPI_RING}, {ALLREDUCE, GHZ_MPI_DOUBLING},
            {ALLREDUCE, GHZ_MPI_HALVING},        {REDUCE, GHZ_MPI_RING},    {REDUCE, GHZ_MPI_TREE}};
enum { WAYS = sizeof ways / sizeof *ways };

/* All arrays, dealt to the ranks one after the other. */
static void sum_all(kind k, int arrays, int ranks, int dims, MPI_Comm comm, int way) {
  ghz_mpi_report report;
  ghz_mpi_options o = float_options(&report);
  test_request r = request_of(ways[way].what, mine, result, COUNT, MPI_FLOAT, comm);
  suite_case("%d arrays of %s on %d ranks, %d dimensions, %s %s", arrays, names[k], ranks, dims,
             collective_names[ways[way].what], ghz_mpi_algorithm_name(ways[way].algorithm));
  o.mode = GHZ_MPI_HOMOMORPHIC; /* which numbers of contributions need */
  o.algorithm = ways[way].algorithm;
  o.contributions = arrays * (here.rank + 1) / ranks - arrays * here.rank / ranks;
  o.shape = shape_of(dims);
  r.root = ranks - 1;
  check(request_make(&r, &o) == MPI_SUCCESS, "an error");
  check(!report.inexact, "the sum is inexact");
  if (ways[way].what == REDUCE && here.rank != r.root)
    return;
  const uint64_t hash = hash_bytes(result, sizeof result),
                 want = hashes[k][dims == 3 && hashes[k][2] ? 2 : arrays == ARRAYS];
  check(hash == want, "the hash is 0x%llx", (unsigned long long)hash);
}

static void sum_in_all_ways(kind k, int arrays, int ranks, MPI_Comm comm) {
  const int first = arrays * here.rank / ranks, end = arrays * (here.rank + 1) / ranks;
  for (int a = first; a < end; a++)
    fill(k, mine + (a - first) * COUNT, a);
  for (int way = 0; way < WAYS; way++)
    if (ranks == here.ranks || way == ((int)k + ranks) % WAYS) {
      sum_all(k, arrays, ranks, way % 2 + 1, comm, way); /* planes have the bits of flat arrays */
      if (k >= MISSING && arrays == ARRAYS)
        sum_all(k, arrays, ranks, 3, comm, way);
    }
}

/* ---- Other calls ---- */
/* One array a rank: the result in place, in blocks, and averaged. */
static void sum_otherwise(kind k, int ranks, MPI_Comm comm) {
  const int count = COUNT / ranks / BLOCK * BLOCK; /* of whole tiles: the same units as in the whole array */
  static float y[COUNT];
  ghz_mpi_report report;
  ghz_mpi_options o = float_options(&report);
  test_request r = request_of(ALLREDUCE, mine, result, count * ranks, MPI_FLOAT, comm);
  suite_case("%s on %d ranks, in place, in blocks, averaged", names[k], ranks);
  check(request_make(&r, &o) == MPI_SUCCESS, "an error");
  r.recv = y;
  for (int what = ALLREDUCE; what <= REDUCE_SCATTER; what++)
    for (int in_place = 0; in_place < 2; in_place++) {
      const int is_block = what == REDUCE_SCATTER;
      memcpy(y, mine, sizeof y);
      r.what = (collective)what;
      r.send = in_place && (what != REDUCE || here.rank == 0) ? MPI_IN_PLACE : (const void *)mine;
      r.count = is_block ? count : count * ranks;
      check(request_make(&r, &o) == MPI_SUCCESS, "an error");
      check((what == REDUCE && here.rank) ||
                memcmp(y, result + is_block * here.rank * count, (size_t)r.count * sizeof *y) == 0,
            "%s has other bits", collective_names[what]);
    }
  o.average = 1;
  check(ghz_allreduce(mine, y, COUNT, MPI_FLOAT, MPI_SUM, comm, &o) == MPI_SUCCESS, "an error");
  check_values(y, ranks, report.eb, report.bound);
}

/* What is no number, beside a value that is set apart, in a constant. Returns the bytes sent. */
static uint64_t sum_with_specials(int dims) {
  static const float apart = 1e20f;
  ghz_mpi_report report;
  ghz_mpi_options o = float_options(&report);
  suite_case("NaN and infinities, %d dimensions", dims);
  o.shape = shape_of(dims);
  for (int i = 0; i < COUNT; i++)
    mine[i] = 270;
  mine[PLACE] = apart;
  if (here.rank == 0)
    mine[1] = mine[3] = INFINITY, mine[2] = -INFINITY, mine[4] = NAN;
  if (here.rank == here.ranks - 1)
    mine[3] = -INFINITY;
  check(ghz_allreduce(mine, result, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o) == MPI_SUCCESS, "an error");
  int wrong = result[1] != INFINITY || result[2] != -INFINITY || !isnan(result[3]) || !isnan(result[4]) ||
              result[PLACE] != apart * (float)here.ranks;
  for (int i = 5; i < COUNT; i++)
    wrong += i != PLACE && result[i] != 270 * (float)here.ranks;
  check(!wrong, "%g %g %g %g, then %g", (double)result[1], (double)result[2], (double)result[3],
        (double)result[4], (double)result[5]);
  check(all_same(hash_bytes(result, sizeof result), MPI_COMM_WORLD), "other bits on another rank");
  return report.sent_bytes;
}

static void sum_specials(void) {
  const uint64_t flat = sum_with_specials(1), planes = sum_with_specials(2), bricks = sum_with_specials(3);
  check(planes == flat && 2 * bricks < 3 * flat, "%llu, %llu and %llu bytes", (unsigned long long)flat,
        (unsigned long long)planes, (unsigned long long)bricks);
}

/* Where a value cancels two of half its size, which may be in another bin, what else there is
 * remains. */
static void sum_cancelled(void) {
  enum { FROM = 20, TO = 126 };
  ghz_mpi_options o = float_options(NULL);
  suite_case("values that cancel each other");
  for (int i = 0; i < COUNT; i++)
    mine[i] = 1 + (float)(i % 1000) / 1000;
  for (int e = FROM; e < TO; e++)
    mine[e] = here.rank == 0 ? -ldexpf(1, e) : here.rank < 3 ? ldexpf(1, e - 1) : 1.5f;
  check(ghz_allreduce(mine, result, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o) == MPI_SUCCESS, "an error");
  for (int e = FROM; e < TO; e++)
    check(result[e] == 1.5f * (float)(here.ranks - 3), "beside 2^%d, the sum is %g", e, (double)result[e]);
}

/* Law L3: the program's floating-point environment changes no bit, though there are bins. */
static void average_rounding_upward(void) {
  static float y[COUNT];
  ghz_mpi_options o = float_options(NULL);
  suite_case("an average on a rank that rounds upward");
  fill(MISSING, mine, here.rank);
  for (int i = 0; i < COUNT; i += 100)
    mine[i] = 1e20f * (float)(i + here.rank);
  o.average = 1;
  check(ghz_allreduce(mine, result, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o) == MPI_SUCCESS, "an error");
  fesetround(here.rank == 1 ? FE_UPWARD : FE_TONEAREST);
  check(ghz_allreduce(mine, y, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o) == MPI_SUCCESS, "an error");
  check(fegetround() == (here.rank == 1 ? FE_UPWARD : FE_TONEAREST), "the program's rounding has changed");
  fesetround(FE_TONEAREST);
  check(memcmp(y, result, sizeof y) == 0, "other bits");
}

static void sum_kind(kind k, int ranks, MPI_Comm comm) {
  add_exactly(k, ranks);
  fill(k, mine, here.rank);
  MPI_Allreduce(mine, by_mpi, COUNT, MPI_FLOAT, MPI_SUM, comm);
  compare(k, ranks, 1, comm);
  if (k >= MISSING)
    compare(k, ranks, 3, comm);
  if (ranks == 3 || ranks == here.ranks)
    sum_otherwise(k, ranks, comm);
  sum_in_all_ways(k, ARRAYS, ranks, comm);
  sum_in_all_ways(k, 2, ranks, comm);
}

/* The others wait, but no longer than their watchdogs let them. */
static void on_some(int ranks) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, here.rank < ranks ? 0 : MPI_UNDEFINED, here.rank, &comm);
  for (kind k = SINES; k < KINDS; k++) {
    suite_case("%s on %d ranks", names[k], ranks);
    if (comm != MPI_COMM_NULL)
      sum_kind(k, ranks, comm);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (comm != MPI_COMM_NULL)
    MPI_Comm_free(&comm);
}

/* ---- Units ---- */
/* Values of exponents from .. to, so many of each; unit and number of bins of their sums. */
static const struct {
  const char *what;
  struct {
    int from, to, count;
  } of[5];
  int unit, bins;
} units[] = {
    {"one exponent", {{127, 127, 1000}}, -23, 1},
    {"missing, 2 exponents above", {{127, 127, 100}, {130, 131, 1000}}, -23, 1},
    {"missing, 3 exponents above", {{127, 127, 100}, {130, 132, 1000}}, -19, 1},
    {"no gap", {{127, 127, 100}, {129, 129, 1000}}, -21, 1},
    {"a gap with 16 below", {{107, 107, 16}, {127, 127, 1000}}, -43, 2},
    {"a gap with 15 below", {{107, 107, 15}, {127, 127, 1000}}, -23, 1},
    {"a quarter above", {{107, 109, 1000}, {125, 129, 200}}, -42, 2},
    {"more than a quarter above", {{107, 109, 1000}, {125, 129, 201}}, -25, 1},
    {"rare ones above", {{107, 107, 81000}, {108, 127, 19}}, -43, 2},
    {"more of them", {{107, 107, 81000}, {108, 127, 20}}, -33, 1},
    {"two rare exponents", {{107, 107, 81000}, {108, 109, 19}, {110, 130, 900}}, -43, 2},
    {"one rare exponent", {{107, 107, 81000}, {108, 108, 19}, {109, 130, 900}}, -25, 1},
    {"a tail of a 1024th",
     {{107, 107, 100000}, {109, 109, 25}, {111, 111, 25}, {113, 113, 25}, {115, 115, 25}},
     -43,
     1},
    {"a longer tail",
     {{107, 107, 100000}, {109, 109, 25}, {111, 111, 25}, {113, 113, 25}, {115, 115, 125}},
     -41,
     1},
    {"subnormal", {{0, 0, 1000}}, -150, 1},
    {"what needs no scale", {{29, 29, 1000}}, -121, 1},
    {"what needs one", {{28, 28, 1000}}, -122, 1},
    {"the most bins", {{0, 0, 100000}, {3, 254, 50}}, -150, 22},
};

static void check_units(void) {
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    exponents e = {.failed = 0};
    bins b;
    suite_case("the unit of %s", units[i].what);
    for (int j = 0; j < 5; j++)
      for (int k = units[i].of[j].from; k <= units[i].of[j].to; k++)
        e.count[k] += (uint64_t)units[i].of[j].count;
    check(ghz_float_bins(&e, 3, &b), "no lattice");
    const int unit = ilogb(b.list[0].lattice.step) - 1 - b.list[0].scale;
    check(unit == units[i].unit && b.count == units[i].bins && !b.list[0].scale == (unit >= -121),
          "2^%d, %d bins, scaled by 2^%d", unit, b.count, b.list[0].scale);
  }
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  check_units();
  sum_specials();
  sum_cancelled();
  average_rounding_upward();
  for (int ranks = here.ranks < 6 ? 1 : 8; ranks <= here.ranks; ranks++) /* fewer in a job of five */
    if (ranks < 6 || ranks == here.ranks || ranks == 8 || ranks == 11)
      on_some(ranks);
  return suite_end(NULL);
}
