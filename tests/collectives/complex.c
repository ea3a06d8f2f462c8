/* complex.c: arrays of complex numbers give what the arrays of their components give, bit for bit,
 * in every collective and by every name. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ghz/mpi.h>

enum { NUMBERS = 3000, MOST = 8, CALLS = 7 };

static int rank, ranks, wrong;

static void check(int holds, const char *what, const char *where) {
  if (holds)
    return;
  fprintf(stderr, "complex: rank %d: %s: %s\n", rank, where, what);
  wrong = 1;
}

/* One of the seven, of `count` values of a type; *out has as many for each rank. */
static int make(int call, const void *in, void *out, MPI_Count count, MPI_Datatype type,
                const ghz_mpi_options *o) {
  switch (call) {
  case 0: return ghz_allreduce(in, out, count, type, MPI_SUM, MPI_COMM_WORLD, o);
  case 1: return ghz_reduce(in, out, count, type, MPI_SUM, 1, MPI_COMM_WORLD, o);
  case 2: return ghz_reduce_scatter(in, out, count, type, MPI_SUM, MPI_COMM_WORLD, o);
  case 3: return ghz_bcast(out, count, type, 0, MPI_COMM_WORLD, o);
  case 4: return ghz_scatter(in, out, count, type, 0, MPI_COMM_WORLD, o);
  case 5: return ghz_gather(in, out, count, type, 0, MPI_COMM_WORLD, o);
  default: return ghz_allgather(in, out, count, type, MPI_COMM_WORLD, o);
  }
}

static void fill(void *x, size_t values, int is_double) {
  for (size_t i = 0; i < values; i++) {
    double v = (i % 2 ? 30 : 1) * sin(0.01 * (double)i + rank);
    if (is_double)
      ((double *)x)[i] = v;
    else
      ((float *)x)[i] = (float)v;
  }
}

static void compare(MPI_Datatype type, const char *name, int is_double) {
  const size_t bytes = (size_t)2 * NUMBERS * MOST * sizeof(double);
  void *in = calloc(1, bytes), *parts = calloc(1, bytes), *whole = calloc(1, bytes);
  ghz_mpi_report report;
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_ABS, 1e-3};
  o.mode = GHZ_MPI_HOMOMORPHIC;
  o.report = &report;
  if (!in || !parts || !whole)
    MPI_Abort(MPI_COMM_WORLD, 1);
  fill(in, (size_t)2 * NUMBERS * (size_t)ranks, is_double);
  for (int call = 0; call < CALLS; call++) { /* what is broadcast stands in the result */
    memcpy(parts, in, bytes);
    memcpy(whole, in, bytes);
    int code = make(call, in, parts, 2 * NUMBERS, is_double ? MPI_DOUBLE : MPI_FLOAT, &o);
    check(code == MPI_SUCCESS && report.eb > 0, "components are not compressed", name);
    code = make(call, in, whole, NUMBERS, type, &o);
    check(code == MPI_SUCCESS && report.eb > 0, "complex numbers are not compressed", name);
    check(memcmp(parts, whole, bytes) == 0, "another result than of the components", name);
  }
  free(in);
  free(parts);
  free(whole);
}

static int class_of(int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  return class;
}

/* A minimum has no meaning, and a count that has no double is none. */
static void refuse(void) {
  static float x[2 * NUMBERS], y[2 * NUMBERS];
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_ABS, 1e-3};
  int code = ghz_allreduce(x, y, NUMBERS, MPI_C_FLOAT_COMPLEX, MPI_MIN, MPI_COMM_WORLD, &o);
  check(class_of(code) == MPI_ERR_OP, "a minimum of complex numbers is not refused", "MPI_MIN");
  code = ghz_allreduce(x, y, INT64_MAX, MPI_C_FLOAT_COMPLEX, MPI_SUM, MPI_COMM_WORLD, &o);
  check(class_of(code) == MPI_ERR_COUNT, "2^63 - 1 numbers are not refused", "count");
  code = ghz_allreduce(x, y, -1, MPI_C_FLOAT_COMPLEX, MPI_SUM, MPI_COMM_WORLD, &o);
  check(class_of(code) == MPI_ERR_COUNT, "-1 numbers are not refused", "count");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct {
    MPI_Datatype type;
    const char *name;
    int is_double;
  } types[] = {{MPI_C_FLOAT_COMPLEX, "MPI_C_FLOAT_COMPLEX", 0},
               {MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", 1},
               {MPI_CXX_FLOAT_COMPLEX, "MPI_CXX_FLOAT_COMPLEX", 0},
               {MPI_CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX", 1},
               {MPI_COMPLEX, "MPI_COMPLEX", 0},
               {MPI_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX", 1},
               {MPI_COMPLEX8, "MPI_COMPLEX8", 0},
               {MPI_COMPLEX16, "MPI_COMPLEX16", 1}};
  if (ranks < 2 || ranks > MOST)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].type != MPI_DATATYPE_NULL)
      compare(types[i].type, types[i].name, types[i].is_double);
  refuse();
  MPI_Finalize();
  return wrong;
}
