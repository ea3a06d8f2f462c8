/* job.c: owns the buffers of a size: what each rank has, calls in place, where the result is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <string.h>

/* True if a call counts the values of a block, not of the whole. */
static bool has_blocks(void) {
  return tested.input == BLOCK_EACH || tested.result == BLOCK_EACH;
}

static bool is_bcast(void) {
  return tested.input == WHOLE_AT_ROOT && tested.result == WHOLE_ON_ALL;
}

double job_bytes(const options *o, uint64_t count) {
  return (double)count * (double)type_bytes(o) * (has_blocks() ? world_size() : 1);
}

size_t job_values(const options *o, double bytes) {
  size_t values = (size_t)bytes / type_bytes(o), ranks = (size_t)world_size();
  if (has_blocks())
    values -= values % ranks;
  size_t least = has_blocks() ? ranks : 1;
  return values > least ? values : least;
}

size_t job_count(const job *j) {
  return has_blocks() ? j->block : j->total;
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

call job_call(const job *j, bool chooses) {
  const options *o = j->options;
  size_t bytes = type_bytes(o);
  call c = {j->input, j->receive, (MPI_Count)job_count(j), type_of(o), o->root, j->comms[chooses]};
  memset(j->receive, 0xff, job_result_count(j) * bytes); /* NaN, so that a gap is an error */
  if (is_bcast() && j->input)
    memcpy(j->receive, j->input, j->input_count * bytes);
  return c;
}

size_t share_first(size_t total, int rank) {
  size_t ranks = (size_t)world_size(), r = (size_t)rank;
  return total / ranks * r + (r < total % ranks ? r : total % ranks);
}

size_t share_count(size_t total, int rank) {
  return share_first(total, rank + 1) - share_first(total, rank);
}
