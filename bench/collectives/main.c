/* main.c: owns the order of a run of ghz_mpi_bench. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

static void run_size(job *j, const char *inputs, size_t inputs_count) {
  const options *o = j->options;
  static finding findings[MAX_VARIANTS];
  if (inputs) /* the middle of the field */
    j->input = inputs + field_middle(o, inputs_count, j->input_count) * type_bytes(o);
  reference r = reference_make(j);
  measure(j, &r, findings);
  report_size(j, &r, findings);
  reference_free(&r);
}

static int work(const options *o) {
  job j = {.options = o};
  job_size(&j, o->max);
  const size_t inputs_count = j.input_count;
  report_begin(o);
  char *inputs = input_make(o, inputs_count);
  j.receive = touched(j.result_count * type_bytes(o));
  /* The variants that choose learn from their own calls, as in a program that makes no others. */
  for (int i = 0; i < 2; i++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &j.comms[i]);
    MPI_Comm_set_errhandler(j.comms[i], MPI_ERRORS_RETURN);
  }
  for (double bytes = o->min; bytes <= o->max; bytes *= o->factor) {
    job_size(&j, bytes);
    run_size(&j, inputs, inputs_count);
  }
  for (int i = 0; i < 2; i++)
    MPI_Comm_free(&j.comms[i]);
  free(j.receive);
  free(inputs);
  return report_end(o);
}

static void abort_all(void) {
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

int main(int argc, char **argv) {
  static char name[64];
  int provided;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
    return EXIT_FAILURE;
  MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &here.ranks);
  snprintf(name, sizeof name, "ghz_mpi_bench: rank %d", here.rank);
  program_begin(name, abort_all);
  options *o;
  int status = options_of(argc, argv, &o);
  if (status == OPTIONS_OK)
    status = work(o);
  MPI_Finalize();
  return status;
}
