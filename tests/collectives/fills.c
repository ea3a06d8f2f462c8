/* fills.c: values that stand for "missing": kept exactly, outside range and bound; what is added to
 * them is missing; calls that could not do so are errors. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"
#include "suite.h"
#include <math.h>
#include <string.h>

enum { COUNT = 3000, RANKS = 8 };

static const double fill = 1e20; /* no float: the library rounds it */
static double apart;             /* is added to a value */
static double send[RANKS * COUNT], recv[RANKS * COUNT];

/* 0: a number; 1: the fill; 2: NaN. Value i of block b of rank r. */
static int kind_of(int rank, int block, int i) {
  uint64_t dice = mix((uint64_t)(rank * 100 + block), (uint64_t)i) % 20;
  return dice == 0 ? 2 : dice < 3 || (i > 1000 && i < 1400) ? 1 : 0;
}

static double number(int rank, int block, int i) {
  return 10 * sin(0.01 * i + rank) + block + (i == COUNT / 2 ? apart : 0);
}

static void set(void *x, int is_double, int i, double v) {
  if (is_double)
    ((double *)x)[i] = v;
  else
    ((float *)x)[i] = (float)v;
}

static double get(const void *x, int is_double, int i) {
  return is_double ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

static void fill_array(void *x, int is_double, int rank) {
  for (int b = 0; b < here.ranks; b++)
    for (int i = 0; i < COUNT; i++) {
      int kind = kind_of(rank, b, i);
      set(x, is_double, b * COUNT + i, kind == 0 ? number(rank, b, i) : kind == 1 ? fill : NAN);
    }
}

/* What comes of value i of a block that all ranks, or one of them, gave. */
static void check_value(double y, int is_double, int block, int i, int from, int to, double bound, int op) {
  double want = op == 1 ? INFINITY : 0, stands_for = is_double ? fill : (double)(float)fill;
  int missing = 0;
  for (int r = from; r < to; r++) {
    double x = number(r, block, i);
    missing |= kind_of(r, block, i) != 0;
    want = op == 1 ? fmin(want, x) : want + x;
  }
  if (missing)
    check(y == stands_for, "value %d of block %d is %g, and should be missing", i, block, y);
  else
    check(fabs(y - want) <= bound + 1e-6 * fabs(want), "value %d of block %d is %g, should be %g within %g", i,
          block, y, want, bound);
}

static void check_result(const test_request *r, int is_double, double eb, int op) {
  int at_root = here.rank == r->root, blocks = r->what == ALLGATHER || r->what == GATHER ? here.ranks : 1;
  if (!gets_result(r->what, at_root))
    return;
  for (int b = 0; b < blocks; b++)
    for (int i = 0; i < COUNT; i++) {
      double y = get(recv, is_double, b * COUNT + i);
      int from = reduces(r->what) ? 0 : blocks > 1 ? b : r->root, to = reduces(r->what) ? here.ranks : from + 1;
      int block = r->what == REDUCE_SCATTER || r->what == SCATTER ? here.rank : 0;
      check_value(y, is_double, block, i, from, to, eb * (to - from) + 2e-5, op);
    }
}

static void call_once(collective what, ghz_mpi_algorithm a, ghz_bound bound, int is_double, int op) {
  ghz_mpi_report report = {0};
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  test_request r = request_of(what, send, recv, COUNT, is_double ? MPI_DOUBLE : MPI_FLOAT, MPI_COMM_WORLD);
  suite_case("%s %s of %s, bound of kind %d, operation %d", collective_names[what], ghz_mpi_algorithm_name(a),
             is_double ? "double" : "float", (int)bound.kind, op);
  o.bound = bound;
  o.algorithm = a;
  o.has_fill = 1;
  o.fill = fill;
  o.report = &report;
  if (!reduces(what)) /* else MPI moves the values as they are */
    o.mode = GHZ_MPI_HOMOMORPHIC;
  apart = bound.kind == GHZ_MPI_FLOAT ? 3e25 : 0;
  r.root = here.ranks - 1;
  r.op = op == 1 ? MPI_MIN : MPI_SUM;
  fill_array(send, is_double, here.rank);
  memset(recv, 0, sizeof recv);
  if (what == BCAST)
    fill_array(recv, is_double, here.rank);
  check(request_make(&r, &o) == MPI_SUCCESS, "an error");
  check(report.algorithm != GHZ_MPI_NATIVE, "MPI makes the call");
  check(report.eb < 1, "eb is %g: the fill is in the range", report.eb);
  check_result(&r, is_double, report.eb, op);
}

static void all_calls(void) {
  static const ghz_bound bounds[] = {{GHZ_ABS, 1e-3}, {GHZ_REL, 1e-4}, {GHZ_PSNR, 70}, {GHZ_MPI_FLOAT, 0}};
  for (int what = 0; what < COLLECTIVES; what++)
    for (int a = GHZ_MPI_ALGORITHM_AUTO; a <= GHZ_MPI_LINEAR; a++)
      for (int b = 0; b < 4; b++)
        for (int is_double = 0; is_double < 2; is_double++)
          for (int op = 0; op <= reduces((collective)what); op++) {
            int fits = a == GHZ_MPI_ALGORITHM_AUTO || has_algorithm((collective)what, (ghz_mpi_algorithm)a),
                floats = !is_double && op == 0 && reduces((collective)what);
            if (fits && (b < 3 || floats))
              call_once((collective)what, (ghz_mpi_algorithm)a, bounds[b], is_double, op);
          }
}

/* ---- Mistakes ---- */
static void refuse(const char *what, ghz_mpi_options o, MPI_Comm comm) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  suite_case("%s", what);
  int code = ghz_allreduce(send, recv, COUNT, MPI_FLOAT, MPI_SUM, comm, &o);
  check(ghz_mpi_error_class(code) == MPI_ERR_ARG, "class %d", ghz_mpi_error_class(code));
  MPI_Error_string(code, text, &length);
  check(strstr(text, "fill") != NULL, "the sentence is: %s", text);
}

static ghz_mpi_options with_fill(double value) {
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_REL, 1e-4};
  o.has_fill = 1;
  o.fill = value;
  return o;
}

static void mistakes(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  refuse("NaN", with_fill(NAN), comm);
  refuse("no float", with_fill(1e300), comm);
  ghz_mpi_options o = with_fill(-999);
  o.bound.value = 0;
  refuse("no bound", o, comm);
  o = with_fill(-999);
  o.algorithm = GHZ_MPI_NATIVE;
  refuse("MPI", o, comm);
  if (here.ranks > 1)
    refuse("other fills", with_fill(here.rank ? -999 : -998), comm);
  MPI_Comm_free(&comm);
}

/* Without a fill: NaN of any rank wins, by every algorithm. MPI's own would keep or lose it by the
 * order of ranks. */
static void nan_wins(void) {
  static const ghz_mpi_algorithm ways[] = {GHZ_MPI_RING, GHZ_MPI_DOUBLING, GHZ_MPI_HALVING};
  float *x = (float *)send, *y = (float *)recv;
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_ABS, 1e-3};
  for (int i = 0; i < COUNT; i++)
    x[i] = i % (here.ranks + 1) == here.rank ? NAN : (float)number(here.rank, 0, i);
  for (int way = 0; way < 6; way++) {
    o.algorithm = ways[way / 2];
    suite_case("NaN in a %s, by %s", way % 2 ? "minimum" : "maximum", ghz_mpi_algorithm_name(o.algorithm));
    check(ghz_allreduce(x, y, COUNT, MPI_FLOAT, way % 2 ? MPI_MIN : MPI_MAX, MPI_COMM_WORLD, &o) == MPI_SUCCESS,
          "an error");
    for (int i = 0; i < COUNT; i++)
      check(!isnan(y[i]) == (i % (here.ranks + 1) == here.ranks), "value %d is %g", i, (double)y[i]);
  }
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  check(here.ranks <= RANKS, "at most %d ranks", RANKS);
  all_calls();
  nan_wins();
  mistakes();
  return suite_end(NULL);
}
