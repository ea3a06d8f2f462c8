/* reference.c: owns what results are checked against: the range of all inputs, and the result of
 * MPI's own call in doubles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double value_at(const options *o, const void *values, size_t i) {
  return type_bytes(o) == sizeof(float) ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

/* ---- Range ----------------------------------------------------------------------------------- */

static void find_range(const job *j, reference *r) {
  double low[2] = {INFINITY, INFINITY}, all[2]; /* of x and of -x */
  for (size_t i = 0; i < j->input_count; i++) {
    double x = value_at(j->options, j->input, i);
    if (!isfinite(x))
      continue;
    low[0] = x < low[0] ? x : low[0];
    low[1] = -x < low[1] ? -x : low[1];
  }
  MPI_Allreduce(low, all, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  r->least = all[0];
  r->most = -all[1];
}

/* The largest error that mpi.h promises: "bound". */
static double promise(const options *o, const reference *r) {
  ghz_lattice lattice;
  double eb = o->bound.value;
  const int zeros = r->least == 0 && r->most == 0;
  if (o->bound.kind == GHZ_REL)
    eb *= r->most >= r->least ? r->most - r->least : 0;
  else if (o->bound.kind == GHZ_PSNR &&
           ghz_lattice_make(type_bytes(o) == sizeof(float) ? GHZ_F32 : GHZ_F64, o->bound,
                            zeros ? INFINITY : r->least, zeros ? -INFINITY : r->most, &lattice) == GHZ_OK)
    eb = lattice.eb;
  return reduces(o->what) && !o->of_result ? here.ranks * eb : eb;
}

/* ---- The result ------------------------------------------------------------------------------ */

static double *widened(const options *o, const void *values, size_t count) {
  double *wide = touched(count * sizeof *wide);
  for (size_t i = 0; i < count; i++)
    wide[i] = value_at(o, values, i);
  return wide;
}

reference reference_make(const job *j) {
  const options *o = j->options;
  reference r = {0};
  find_range(j, &r);
  r.promise = promise(o, &r);
  if (!o->check)
    return r;
  double *input = widened(o, j->input, j->input_count);
  r.result = touched(j->result_count * sizeof *r.result);
  if (o->what == BCAST && j->input)
    memcpy(r.result, input, j->input_count * sizeof *input);
  test_request c = request_of(o->what, input, r.result, (MPI_Count)j->count, MPI_DOUBLE, MPI_COMM_WORLD);
  c.root = o->root;
  if (request_make_by_mpi(&c) != MPI_SUCCESS)
    die("MPI's call failed", collective_names[o->what]);
  free(input);
  return r;
}

void reference_free(reference *r) {
  free(r->result);
}
