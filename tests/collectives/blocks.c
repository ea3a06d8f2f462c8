/* blocks.c: collectives whose blocks have counts of their own: right values and bits for every way
 * in which counts and displacements can differ, and an error on every rank for those that are
 * wrong. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"
#include <ghz/mpi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, LONGEST = 90000, GAP = -77 };
#define EB 0.125

/* Counts, and where a gather puts the blocks on this rank. */
typedef struct split {
  MPI_Count counts[MOST], places[MOST], all, end;
} split;

typedef struct way {
  ghz_mpi_mode mode;
  ghz_mpi_algorithm algorithm;
  ghz_bound bound;
  MPI_Datatype type;
  MPI_Op op;
  int in_place, average, arrays; /* that each rank gives */
} way;

static MPI_Comm comm; /* whose errors are returned */

/* Whole numbers, so that sums are exact. */
static double given(int rank, int array, MPI_Count i) {
  return (double)((i * 7 + rank * 1001 + array * 333) % 512) - 100 * rank;
}

static double get(const void *x, MPI_Datatype type, MPI_Count i) {
  return type == MPI_FLOAT ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void set(void *x, MPI_Datatype type, MPI_Count i, double value) {
  if (type == MPI_FLOAT)
    ((float *)x)[i] = (float)value;
  else
    ((double *)x)[i] = value;
}

static void *blank(MPI_Count values) {
  double *x = malloc((size_t)(values + 1) * sizeof *x);
  if (!x)
    MPI_Abort(MPI_COMM_WORLD, 1);
  return x;
}

/* Sizes that the same seed makes the same on all ranks; gaps of this rank's own. */
static split split_make(int kind, uint64_t *shared, uint64_t *own) {
  split s = {.all = 0};
  for (int r = 0; r < here.ranks; r++) {
    MPI_Count any = (MPI_Count)draw_below(shared, LONGEST);
    s.counts[r] = kind == 0 ? 30000 : kind == 1 ? (r == 1 ? LONGEST : 0) : kind == 2 ? 7 * r + 1 : any;
    s.places[r] = s.end + (MPI_Count)draw_below(own, 5);
    s.end = s.places[r] + s.counts[r];
    s.all += s.counts[r];
  }
  for (int r = 0; kind == 3 && r < here.ranks / 2; r++) { /* not in the order of ranks */
    MPI_Count first = s.places[2 * r];
    s.places[2 * r] = s.places[2 * r + 1] + s.counts[2 * r + 1] - s.counts[2 * r];
    s.places[2 * r + 1] = first;
  }
  return s;
}

static ghz_mpi_options options_of(const way *w, ghz_mpi_report *report) {
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = w->bound;
  o.mode = w->mode;
  o.algorithm = w->algorithm;
  o.average = w->average;
  o.contributions = w->arrays;
  o.threshold = 0;
  o.report = report;
  return o;
}

static double exact(const way *w, MPI_Count i) {
  double t = w->op == MPI_SUM ? 0 : w->op == MPI_MIN ? INFINITY : -INFINITY;
  for (int r = 0; r < here.ranks; r++)
    for (int a = 0; a < w->arrays; a++)
      t = w->op == MPI_SUM   ? t + given(r, a, i)
          : w->op == MPI_MIN ? fmin(t, given(r, a, i))
                             : fmax(t, given(r, a, i));
  return w->average ? t / (here.ranks * w->arrays) : t;
}

static int is_lossy(const way *w, const ghz_mpi_report *r) {
  check((r->algorithm == GHZ_MPI_NATIVE) == (w->algorithm == GHZ_MPI_NATIVE), "the algorithm is %s",
        ghz_mpi_algorithm_name(r->algorithm));
  return r->algorithm != GHZ_MPI_NATIVE;
}

/* ---- Reductions ---- */
/* By an allreduce of the whole array, which gives the same bits where it is compressed. */
static void check_sum(const way *w, const split *s, const void *input, const void *got,
                      const ghz_mpi_report *r) {
  MPI_Count first = 0;
  ghz_mpi_report report;
  ghz_mpi_options o = options_of(w, &report);
  void *whole = blank(s->all);
  int compressed = is_lossy(w, r);
  check(ghz_allreduce(input, whole, s->all, w->type, w->op, comm, &o) == MPI_SUCCESS,
        "an error of ghz_allreduce");
  for (int b = 0; b < here.rank; b++)
    first += s->counts[b];
  for (MPI_Count i = 0; i < s->counts[here.rank]; i++) {
    double x = get(got, w->type, i), want = exact(w, first + i), limit = compressed ? r->bound : 1e-4;
    if (!check(fabs(x - want) <= limit + 1e-7 * fabs(want), "value %lld is %g, should be %g", (long long)i, x,
               want) ||
        !check(!compressed || x == get(whole, w->type, first + i), "value %lld: not the bits of allreduce",
               (long long)i))
      break;
  }
  free(whole);
}

static void try_reduce_scatter(const way *w, const split *s) {
  ghz_mpi_report report;
  ghz_mpi_options o = options_of(w, &report);
  const MPI_Count own = s->counts[here.rank];
  void *in = blank(s->all * w->arrays), *copy = blank(s->all), *out = blank(s->all);
  for (int a = 0; a < w->arrays; a++)
    for (MPI_Count i = 0; i < s->all; i++)
      set(in, w->type, a * s->all + i, given(here.rank, a, i));
  set(out, w->type, own, GAP);
  for (MPI_Count i = 0; i < s->all && w->in_place; i++) {
    set(out, w->type, i, given(here.rank, 0, i));
    set(copy, w->type, i, given(here.rank, 0, i));
  }
  int code = ghz_reduce_scatterv(w->in_place ? MPI_IN_PLACE : in, own || w->in_place ? out : NULL, s->counts,
                                 w->type, w->op, comm, &o);
  if (check(code == MPI_SUCCESS, "the call returns %d", code))
    check_sum(w, s, in, out, &report);
  if (!w->in_place)
    check(get(out, w->type, own) == GAP, "what is behind the result changes");
  for (MPI_Count i = own; i < s->all && w->in_place && w->algorithm != GHZ_MPI_NATIVE; i++)
    if (!check(get(out, w->type, i) == get(copy, w->type, i), "value %lld behind the result changes",
               (long long)i))
      break;
  free(in);
  free(out);
  free(copy);
}

/* ---- Gathers ---- */
/* Takes the values out: nothing but gaps must be left. */
static void check_gathered(const way *w, const split *s, void *got, const ghz_mpi_report *r) {
  double limit = is_lossy(w, r) ? r->bound : 0;
  uint64_t hash = 0, largest;
  for (int b = 0; b < here.ranks; b++)
    for (MPI_Count i = 0; i < s->counts[b]; i++) {
      double x = get(got, w->type, s->places[b] + i), want = given(b, 0, i);
      if (!check(fabs(x - want) <= limit, "value %lld of block %d is %g, should be %g", (long long)i, b, x,
                 want))
        return;
      hash = hash * 31 + (uint64_t)llrint(x * 4096);
      set(got, w->type, s->places[b] + i, GAP);
    }
  for (MPI_Count i = 0; i <= s->end; i++)
    if (!check(get(got, w->type, i) == GAP, "value %lld, between blocks, is %g", (long long)i,
               get(got, w->type, i)))
      break;
  MPI_Allreduce(&hash, &largest, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  check(hash == largest, "other values than on another rank");
}

static void try_allgather(const way *w, const split *s, int has_places) {
  ghz_mpi_report report;
  ghz_mpi_options o = options_of(w, &report);
  split packed = *s;
  o.average = 0;
  const MPI_Count own = s->counts[here.rank];
  void *in = blank(own), *out = blank(s->end);
  packed.end = 0;
  for (int r = 0; r < here.ranks && !has_places; packed.end += s->counts[r++])
    packed.places[r] = packed.end;
  if (has_places)
    packed.end = s->end;
  for (MPI_Count i = 0; i <= s->end; i++)
    set(out, w->type, i, GAP);
  for (MPI_Count i = 0; i < own; i++)
    set(w->in_place ? out : in, w->type, (w->in_place ? packed.places[here.rank] : 0) + i,
        given(here.rank, 0, i));
  int code = ghz_allgatherv(w->in_place ? MPI_IN_PLACE
                            : own       ? in
                                        : NULL,
                            out, s->counts, has_places ? s->places : NULL, w->type, comm, &o);
  if (check(code == MPI_SUCCESS, "the call returns %d", code))
    check_gathered(w, &packed, out, &report);
  free(in);
  free(out);
}

static void try_ways(void) {
  static const ghz_bound bounds[] = {{GHZ_ABS, EB}, {GHZ_REL, 1e-4}, {GHZ_MPI_FLOAT, 0}};
  uint64_t shared = here.seed, own = here.seed + 1 + (uint64_t)here.rank;
  for (int round = 0; round < 96; round++) {
    const split s = split_make(round % 4, &shared, &own);
    way w = {.mode = GHZ_MPI_HOMOMORPHIC,
             .algorithm = round % 7 == 5 ? GHZ_MPI_NATIVE : GHZ_MPI_ALGORITHM_AUTO,
             .bound = bounds[round / 4 % 3],
             .type = round / 12 % 2 ? MPI_DOUBLE : MPI_FLOAT,
             .in_place = round / 8 % 2,
             .arrays = 1};
    w.op = round % 5 == 0 ? MPI_MIN : round % 5 == 1 ? MPI_MAX : MPI_SUM;
    w.average = w.op == MPI_SUM && round % 3 == 0 && w.algorithm != GHZ_MPI_NATIVE;
    suite_case("round %d: sizes %d, bound of kind %d", round, round % 4, (int)w.bound.kind);
    if (w.bound.kind == GHZ_MPI_FLOAT) { /* MPI makes what is no sum of float */
      w.op = MPI_SUM;
      w.type = MPI_FLOAT;
      w.mode = GHZ_MPI_HOMOMORPHIC;
      w.average = 0;
      w.algorithm = GHZ_MPI_ALGORITHM_AUTO;
    } else {
      try_allgather(&w, &s, round % 2);
    }
    if (!w.in_place && w.op == MPI_SUM && w.mode == GHZ_MPI_HOMOMORPHIC && !w.algorithm && round % 2)
      w.arrays = 2;
    if (here.ranks > 2 || w.bound.kind != GHZ_MPI_FLOAT)
      try_reduce_scatter(&w, &s);
  }
}

/* Equal blocks have a shape, and are then what the call with one count makes. */
static void try_shape(void) {
  enum { SIDE = 48, COUNT = SIDE * SIDE * SIDE };
  MPI_Count counts[MOST];
  ghz_mpi_report report[2];
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  float *in = blank(COUNT * here.ranks), *out = blank(COUNT), *even = blank(COUNT);
  suite_case("equal blocks with a shape");
  o.bound = (ghz_bound){GHZ_ABS, 1e-3};
  o.shape = (ghz_shape){3, {SIDE, SIDE, SIDE}};
  for (int r = 0; r < here.ranks; r++)
    counts[r] = COUNT;
  for (int i = 0; i < COUNT * here.ranks; i++)
    in[i] = (float)sin(0.1 * (i % SIDE) + 0.07 * (i / SIDE) + here.rank);
  o.report = &report[0];
  check(!ghz_reduce_scatterv(in, out, counts, MPI_FLOAT, MPI_SUM, comm, &o), "an error of ghz_reduce_scatterv");
  o.report = &report[1];
  check(!ghz_reduce_scatter(in, even, COUNT, MPI_FLOAT, MPI_SUM, comm, &o), "an error of ghz_reduce_scatter");
  check(memcmp(out, even, COUNT * sizeof *out) == 0, "other bits");
  check(report[0].sent_bytes == report[1].sent_bytes, "%llu bytes sent, %llu by the other call",
        (unsigned long long)report[0].sent_bytes, (unsigned long long)report[1].sent_bytes);
  free(in);
  free(out);
  free(even);
}

/* Twice as many components as complex numbers. */
static void try_complex(void) {
  float in[3000], out[2][3000];
  MPI_Count counts[2][MOST], places[2][MOST];
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  MPI_Count own = 10 * (here.rank + 1);
  suite_case("complex numbers");
  o.bound = (ghz_bound){GHZ_ABS, 1e-2};
  o.mode = GHZ_MPI_HOMOMORPHIC;
  for (int r = 0; r < here.ranks; r++) {
    counts[0][r] = 2 * (counts[1][r] = 10 * (r + 1));
    places[0][r] = 2 * (places[1][r] = 90 * r + r % 3);
  }
  for (int i = 0; i < 3000; i++)
    in[i] = (float)sin(i + here.rank), out[0][i] = out[1][i] = GAP;
  for (int k = 0; k < 2; k++)
    check(!ghz_allgatherv(in, out[k], counts[k], places[k], k ? MPI_C_FLOAT_COMPLEX : MPI_FLOAT, comm, &o),
          "an error");
  check(memcmp(out[0], out[1], sizeof out[0]) == 0, "gathered: another result than of the components");
  for (int k = 0; k < 2; k++)
    check(!ghz_reduce_scatterv(in, out[k], counts[k], k ? MPI_C_FLOAT_COMPLEX : MPI_FLOAT, MPI_SUM, comm, &o),
          "an error");
  check(memcmp(out[0], out[1], (size_t)own * 8) == 0, "reduced: another result than of the components");
}

/* ---- What is wrong ---- */
typedef enum wrong {
  COUNTS_DIFFER,
  COUNTS_DIFFER_BEHIND,
  NEGATIVE,
  TOO_MANY,
  NO_COUNTS,
  BACKWARDS,
  TOO_FAR,
  OVERFLOWS,
  SHAPED,
  WRONGS
} wrong;

static const struct {
  const char *what, *says;
  int class, gathers;
} wrongs[WRONGS] = {{"other counts", "the ranks disagree on the count", MPI_ERR_ARG, 0},
                    {"other counts but the first", "the ranks disagree on the count", MPI_ERR_ARG, 0},
                    {"a negative count", "gave a bad count", MPI_ERR_COUNT, 0},
                    {"too many values", "gave a bad count", MPI_ERR_COUNT, 0},
                    {"no counts", "gave a bad argument", MPI_ERR_ARG, 0},
                    {"a negative displacement", "gave a bad argument", MPI_ERR_ARG, 1},
                    {"a displacement beyond MPI's int", "gave a bad argument", MPI_ERR_ARG, 1},
                    {"a displacement that overflows", "gave a bad argument", MPI_ERR_ARG, 1},
                    {"a shape of unequal blocks", "gave a bad argument", MPI_ERR_ARG, 0}};

static void must_fail(int gathers, wrong k, int by) {
  float in[200] = {0}, out[400];
  MPI_Count counts[MOST], places[MOST];
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length, mine = here.rank == by, last = here.ranks - 1;
  o.bound = (ghz_bound){GHZ_ABS, EB};
  o.threshold = 0;
  for (int r = 0; r < here.ranks; r++)
    counts[r] = r + 1, places[r] = 20 * r;
  if (mine && k == COUNTS_DIFFER) /* as many in all */
    counts[0]++, counts[last]--;
  if (mine && k == COUNTS_DIFFER_BEHIND)
    counts[1]++, counts[2]--;
  if (mine && (k == NEGATIVE || k == TOO_MANY))
    counts[last] = k == NEGATIVE ? -1 : INT64_MAX;
  if (mine && (k == BACKWARDS || k == TOO_FAR || k == OVERFLOWS))
    places[last] = k == BACKWARDS ? -1 : k == TOO_FAR ? INT64_C(1) << 32 : INT64_MAX / 2;
  if (mine && k == SHAPED)
    o.shape = (ghz_shape){2, {1, 2, 2}};
  suite_case("%s, by rank %d: %s", gathers ? "allgatherv" : "reduce_scatterv", by, wrongs[k].what);
  const MPI_Count *given_counts = mine && k == NO_COUNTS ? NULL : counts;
  int code = gathers ? ghz_allgatherv(in, out, given_counts, places, MPI_FLOAT, comm, &o)
                     : ghz_reduce_scatterv(in, out, given_counts, MPI_FLOAT, MPI_SUM, comm, &o);
  if (!check(code != MPI_SUCCESS, "the call succeeds"))
    return;
  MPI_Error_string(code, text, &length);
  check(ghz_mpi_error_class(code) == wrongs[k].class, "the class is %d: %s", ghz_mpi_error_class(code), text);
  check(strstr(text, gathers ? "ghz_allgatherv" : "ghz_reduce_scatterv") &&
            (mine || strstr(text, wrongs[k].says)),
        "the sentence is: %s", text);
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  try_ways();
  try_shape();
  try_complex();
  for (int k = 0; k < WRONGS; k++)
    for (int gathers = wrongs[k].gathers; gathers < 2 && (k != COUNTS_DIFFER_BEHIND || here.ranks > 2);
         gathers++)
      must_fail(gathers, (wrong)k, k % here.ranks);
  try_complex(); /* the communicator still works */
  MPI_Comm_free(&comm);
  return suite_end(NULL);
}
