/* job.c: owns the buffers of a size: what each rank has, calls in place, where the result is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <string.h>

double job_bytes(const options *o, uint64_t count) {
  return (double)count * (double)type_bytes(o) * (has_blocks(tested.what) ? world_size() : 1);
}

size_t job_values(const options *o, double bytes) {
  size_t values = (size_t)bytes / type_bytes(o), ranks = (size_t)world_size();
  if (has_blocks(tested.what))
    values -= values % ranks;
  size_t least = has_blocks(tested.what) ? ranks : 1;
  return values > least ? values : least;
}

size_t job_count(const job *j) {
  return has_blocks(tested.what) ? j->block : j->total;
}

/* Values that this rank has of a whole with this extent. */
static size_t held(extent where, size_t total, int root) {
  if (where == BLOCK_EACH)
    return total / (size_t)world_size();
  return where == WHOLE_ON_ALL || world_rank() == root ? total : 0;
}

size_t job_input_count(const options *o, size_t total) {
  return held(tested.input, total, o->root);
}

size_t job_result_count(const job *j) {
  return held(tested.result, j->total, j->options->root);
}

test_request job_call(const job *j, bool chooses) {
  const options *o = j->options;
  size_t bytes = type_bytes(o);
  test_request c =
      request_of(tested.what, j->input, j->receive, (MPI_Count)job_count(j), type_of(o), j->comms[chooses]);
  c.root = o->root;
  memset(j->receive, 0xff, job_result_count(j) * bytes); /* NaN, so that a gap is an error */
  if (tested.what == BCAST && j->input)
    memcpy(j->receive, j->input, j->input_count * bytes);
  return c;
}
