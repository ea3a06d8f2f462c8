/* main.c: owns the order of the run, and what the other parts ask about ranks and memory. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int world_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

_Noreturn void die(const char *what, const char *detail) {
  fprintf(stderr, "ghz_%s_bench: rank %d: %s%s%s\n", tested.name, world_rank(), what, detail[0] ? ": " : "",
          detail);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  exit(EXIT_FAILURE);
}

void *touched(size_t bytes) {
  size_t whole = (bytes + 4095) / 4096 * 4096;
  if (whole < bytes || whole == 0)
    whole = 4096;
  void *memory = whole < bytes ? NULL : aligned_alloc(4096, whole);
  if (!memory)
    die("out of memory", "");
  memset(memory, 1, whole);
  return memory;
}

void patient_barrier(void) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done)
      nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
}

/* Room for the largest size: what a call may write to, or have its input in. */
static size_t receive_room(const options *o, size_t total) {
  job j = {.options = o, .total = total, .block = total / (size_t)world_size()};
  size_t given = job_input_count(o, total), result = job_result_count(&j);
  return (given > result ? given : result) * type_bytes(o);
}

static void run_size(job *j, const char *inputs, size_t inputs_count) {
  const options *o = j->options;
  static finding findings[MAX_VARIANTS];
  j->block = j->total / (size_t)world_size();
  j->input_count = job_input_count(o, j->total);
  j->input = NULL;
  if (inputs) /* the middle of the field */
    j->input = inputs + (inputs_count - j->input_count) / 2 * type_bytes(o);
  reference r = reference_make(j);
  measure(j, &r, findings);
  report_size(j, &r, findings);
  reference_free(&r);
}

static int work(const options *o) {
  job j = {.options = o};
  size_t most = job_values(o, o->most), inputs_count = job_input_count(o, most);
  report_head(o);
  char *inputs = input_make(o, inputs_count);
  j.receive = touched(receive_room(o, most));
  /* The variants that choose learn from their own calls, as in a program that makes no others. */
  for (int i = 0; i < 2; i++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &j.comms[i]);
    MPI_Comm_set_errhandler(j.comms[i], MPI_ERRORS_RETURN);
  }
  for (uint64_t bytes = o->least; bytes <= o->most; bytes *= o->factor) {
    j.total = job_values(o, bytes);
    run_size(&j, inputs, inputs_count);
  }
  for (int i = 0; i < 2; i++)
    MPI_Comm_free(&j.comms[i]);
  free(j.receive);
  free(inputs);
  return report_foot(o);
}

int main(int argc, char **argv) {
  int provided;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
    return EXIT_FAILURE;
  options o;
  int status = options_read(argc, argv, &o);
  if (status == GO_ON)
    status = work(&o);
  MPI_Barrier(MPI_COMM_WORLD);
  if (o.quick_exit) {
    fflush(NULL);
    _exit(status);
  }
  MPI_Finalize();
  return status;
}
