/* accuracy.c: what a report says of a result, and of the difference from MPI's, is what this test
 * finds itself, for every collective; every Nth call is checked, on all ranks or on none; and no
 * bit changes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator.h"
#include "request.h"
#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 3, N = 70000, ROOM = RANKS * N, ROOT = 1 };
#define EB 1e-3
#define FILL (double)1e20F

/* A call to check; in place at the root alone, where it has one. */
typedef struct way {
  collective what;
  int is_minimum, in_place;
} way;

static const way sum = {ALLREDUCE, 0, 0}, minimum = {ALLREDUCE, 1, 0}, broadcast = {BCAST, 0, 0};
static float send[ROOM], got[ROOM], wanted[ROOM];

/* How often MPI adds up arrays of N values: the library's messages are others. */
static int added;
int MPI_Allreduce(const void *x, void *y, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {
  added += n == N;
  return PMPI_Allreduce(x, y, n, t, op, c);
}

/* The call by the library, or by MPI where `o` is NULL; where MPICH reduces in place it crashes. */
static int make(way w, float *y, const ghz_mpi_options *o) {
  static float copy[ROOM];
  const int in_place = w.in_place && (w.what != REDUCE || here.rank == ROOT);
  test_request r =
      request_of(w.what, in_place ? MPI_IN_PLACE : (const void *)send, y, N, MPI_FLOAT, MPI_COMM_WORLD);
  r.op = w.is_minimum ? MPI_MIN : MPI_SUM;
  r.root = ROOT;
  if (o)
    return request_make(&r, o);
  memcpy(copy, y, sizeof copy);
  r.send = in_place ? copy : r.send;
  return request_make_by_mpi(&r);
}

/* Whether value i of the buffer is one of the result on this rank. */
static int is_result(way w, int i) {
  const int all = gathers_all(w.what) || w.what == GATHER, block = all ? i / N : here.rank;
  return gets_result(w.what, here.rank == ROOT) && (all ? i % N : i) < (int)block_values(w.what, N, block, 0);
}

static void prepare(float *y, int turn) {
  for (int i = 0; i < ROOM; i++) {
    send[i] = (float)here.rank + sinf((float)(i + turn) * 0.001F);
    y[i] = i % N < N / 50 ? 1e-4F : send[i] * 3;
  }
}

static int near(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

/* What the report has to say, found by looking at both results. */
static void compare(way w, const ghz_mpi_report *r) {
  double n = 0, both = 0, least = INFINITY, most = -INFINITY, squares = 0, below = 0, worst = 0, errors = 0;
  for (int i = 0; i < ROOM; i++) {
    const double v = got[i], e = fabs(v - (double)wanted[i]);
    if (!is_result(w, i) || !isfinite(v) || v == FILL)
      continue;
    n++;
    least = fmin(least, v), most = fmax(most, v);
    squares += v * v;
    below += fabs(v) < r->bound;
    if (!isfinite(e))
      continue;
    both++;
    errors += e * e;
    worst = fmax(worst, e);
  }
  check((double)r->seen == n, "%llu values seen, not %g", (unsigned long long)r->seen, n);
  if (n == 0)
    return;
  check(r->min == least && r->max == most, "range %.9g to %.9g, not %.9g to %.9g", r->min, r->max, least, most);
  check(near(r->rms, sqrt(squares / n)) && near(r->below, below / n), "rms %g, %g below the bound", r->rms,
        r->below);
  check(r->error == worst && near(r->error_rms, sqrt(errors / both)), "errors %g, %g, not %g, %g", r->error,
        r->error_rms, worst, sqrt(errors / both));
  check(r->error > 0 && r->error <= r->bound * 1.001, "error %g, bound %g", r->error, r->bound);
}

static ghz_mpi_options checked(int every, ghz_mpi_report *report) {
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_ABS, EB};
  o.mode = GHZ_MPI_HOMOMORPHIC;
  o.check = every;
  o.report = report;
  return o;
}

static void find(way w) {
  static float plain[ROOM];
  ghz_mpi_report r;
  ghz_mpi_options o = checked(1, &r), none = checked(0, &r);
  suite_case("%s, minimum %d, in place %d", collective_names[w.what], w.is_minimum, w.in_place);
  prepare(plain, 0);
  make(w, plain, &none);
  check(r.by_mpi == 0 && r.error == 0 && r.threads > 0 && r.cpu > 0, "checked, or no cpu: %g, %g", r.by_mpi,
        r.cpu);
  prepare(wanted, 0);
  make(w, wanted, NULL);
  prepare(got, 0);
  check(make(w, got, &o) == MPI_SUCCESS && r.by_mpi > 0, "not checked");
  for (int i = 0; i < ROOM; i++) /* of what is no result, the library writes what it writes without a check */
    if (!check(memcmp(&got[i], &plain[i], sizeof(float)) == 0,
               "value %d is another one where the call is checked", i))
      break;
  compare(w, &r);
}

/* The 2nd, 5th, 8th call of one kind are checked, whatever others come between. */
static void count(void) {
  ghz_mpi_report r;
  const ghz_mpi_options o = checked(3, &r);
  for (int i = 0; i < 9; i++) {
    suite_case("call %d of nine", i);
    prepare(got, i);
    make(sum, got, &o);
    check(on_all((r.by_mpi > 0) == (i % 3 == 1), MPI_COMM_WORLD), "checked: %d", r.by_mpi > 0);
    make(minimum, got, &o);
    check((r.by_mpi > 0) == (i % 3 == 1), "kinds are not counted apart");
    ghz_reduce(send, wanted, N / 2, MPI_FLOAT, MPI_SUM, ROOT, MPI_COMM_WORLD, &o);
    check((r.by_mpi > 0) == (i % 3 == 1), "kinds of neighbouring sizes are not counted apart");
  }
}

/* Values that are missing are not compared, and neither are those that are finite on one side
 * alone. */
static void compare_some(way w) {
  ghz_mpi_report r;
  ghz_mpi_options o = checked(1, &r);
  const int moves = w.what == BCAST;
  float *x = moves ? got : send;
  suite_case("values that are none, in %s", collective_names[w.what]);
  o.has_fill = moves, o.fill = FILL;
  prepare(got, 0);
  for (int i = 0; i < N; i += 3)
    x[i] = moves ? (i % 2 ? (float)FILL : INFINITY) : here.rank == 0 ? NAN : x[i];
  memcpy(wanted, got, sizeof got);
  make(w, wanted, NULL);
  check(make(w, got, &o) == MPI_SUCCESS && r.by_mpi > 0, "not checked");
  compare(w, &r);
}

/* A check that nobody reads is none; one rank that does is enough. */
static void read_by_some(void) {
  ghz_mpi_report r = {.by_mpi = -1};
  ghz_mpi_options o = checked(1, NULL);
  suite_case("reports of no rank, and of one");
  prepare(got, 0);
  added = 0;
  check(make(sum, got, &o) == MPI_SUCCESS && added == 0, "checked for nobody");
  o.report = here.rank == ROOT ? &r : NULL;
  check(make(sum, got, &o) == MPI_SUCCESS && added == 1, "not checked for one rank");
  check((r.by_mpi > 0) == (here.rank == ROOT), "not told");
}

/* Whichever allocation fails on one rank: all make the call alike. The first is for MPI's. */
static void lack(way w) {
  ghz_mpi_report r;
  const ghz_mpi_options o = checked(1, &r);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 4 * RANKS; i++) {
    const int victim = i % RANKS, number = 1 + i / RANKS;
    suite_case("%s without allocation %d on rank %d", collective_names[w.what], number, victim);
    prepare(got, i);
    make(w, got, &o);
    prepare(got, i);
    r.by_mpi = 0;
    if (here.rank == victim)
      allocator_refuse(number, number);
    const int code = make(w, got, &o), refused = allocator_refused() > 0;
    allocator_refuse(0, 0);
    check(on_all(code == MPI_SUCCESS, MPI_COMM_WORLD) || on_all(code != MPI_SUCCESS, MPI_COMM_WORLD), "code %d",
          code);
    check(on_all(r.by_mpi > 0, MPI_COMM_WORLD) || on_all(!(r.by_mpi > 0), MPI_COMM_WORLD), "some are checked");
    if (w.what == ALLREDUCE && number == 1)
      check(refused == (here.rank == victim) && code == MPI_SUCCESS && r.by_mpi == 0 && r.error == 0 &&
                r.seen > 0,
            "refused %d, code %d, checked: %d", refused, code, r.by_mpi > 0);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void check_none(void) {
  ghz_mpi_report r;
  ghz_mpi_options o = checked(1, &r);
  suite_case("a fill value, and no rank's contribution");
  o.has_fill = 1, o.fill = 1e20;
  check(make(sum, got, &o) == MPI_SUCCESS && r.by_mpi == 0, "MPI adds fills up");
  o.has_fill = 0, o.contributions = here.rank > 0;
  check(make(sum, got, &o) == MPI_SUCCESS && r.by_mpi == 0, "MPI adds what does not count");
}

/* Makes two calls of this type and operation, and counts the lines on stderr. */
static int lines_of(const ghz_mpi_options *o, MPI_Datatype type, MPI_Op op) {
  FILE *log = tmpfile();
  const int err = dup(2);
  int lines = 0;
  fflush(stderr);
  dup2(fileno(log), 2);
  for (int i = 0; i < 2; i++)
    ghz_allreduce(MPI_IN_PLACE, got, N, type, op, MPI_COMM_WORLD, o);
  fflush(stderr);
  dup2(err, 2);
  close(err);
  rewind(log);
  for (int c; (c = fgetc(log)) != EOF;)
    lines += c == '\n';
  fclose(log);
  return lines;
}

/* What excludes compression is said once, by rank 0, and not where it was asked for. */
static void say(void) {
  ghz_mpi_options none = GHZ_MPI_OPTIONS, native = none, exact = none, bound = none;
  suite_case("calls that MPI makes");
  native.algorithm = GHZ_MPI_NATIVE;
  exact.bound.kind = GHZ_MPI_FLOAT;
  bound.bound.value = EB;
  check(lines_of(&native, MPI_FLOAT, MPI_SUM) == 0 && lines_of(&exact, MPI_DOUBLE, MPI_MAX) == 0,
        "said, though asked for");
  check(lines_of(&none, MPI_FLOAT, MPI_SUM) == (here.rank == 0), "a call without a bound is not told once");
  check(lines_of(&bound, MPI_INT, MPI_SUM) == 0 && lines_of(&bound, MPI_FLOAT, MPI_PROD) == 0, "told twice");
}

/* A sample sees what is typical; values that are not finite are none. */
static void sample(void) {
  enum { MANY = 1 << 22 };
  float *x = malloc(MANY * sizeof *x), *y = malloc(MANY * sizeof *y);
  ghz_mpi_report r;
  const ghz_mpi_options o = checked(0, &r);
  suite_case("a sample");
  for (int i = 0; i < MANY && x && y; i++)
    x[i] = i % 3 ? sinf((float)i * 0.37F) : i % 5 ? 0.0F : INFINITY;
  const int code = x && y ? ghz_allreduce(x, y, MANY, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD, &o) : MPI_ERR_NO_MEM;
  check(code == MPI_SUCCESS && r.seen > 20000 && r.seen <= 32768, "%llu seen", (unsigned long long)r.seen);
  check(r.max > 0.99 && r.max < 1.01 && r.min < -0.99 && fabs(r.rms - sqrt(5.0 / 14)) < 0.01 &&
            fabs(r.below - 4.0 / 14) < 0.01,
        "from %g to %g, rms %g, below %g", r.min, r.max, r.rms, r.below);
  free(x);
  free(y);
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  if (!check(here.ranks == RANKS, "this test is for %d ranks", RANKS))
    return suite_end(NULL);
  say();
  for (int what = 0; what < COLLECTIVES; what++)
    for (int in_place = 0; in_place <= reduces((collective)what); in_place++)
      find((way){(collective)what, 0, in_place});
  find(minimum);
  count();
  compare_some(broadcast);
  compare_some(minimum);
  read_by_some();
  check_none();
  lack(sum);
  lack((way){REDUCE, 0, 1});
  lack((way){REDUCE_SCATTERV, 0, 1});
  sample();
  return suite_end(NULL);
}
