/* job.c: owns the buffers of a size: what each rank has, calls in place, where the result is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <string.h>

/* Ranks whose blocks the largest buffer holds; 1: it has none. */
static size_t blocks_of(const options *o) {
  return has_blocks(o->what) ? (size_t)here.ranks : 1;
}

double job_bytes(const options *o, uint64_t count) {
  return (double)count * (double)type_bytes(o) * (double)blocks_of(o);
}

static test_request call_of(const job *j, MPI_Comm comm) {
  const options *o = j->options;
  test_request c = request_of(o->what, j->input, j->receive, (MPI_Count)j->count, type_of(o), comm);
  c.root = o->root;
  return c;
}

void job_size(job *j, double bytes) {
  const options *o = j->options;
  j->count = (size_t)bytes / type_bytes(o) / blocks_of(o);
  j->count = j->count ? j->count : 1;
  const test_request c = call_of(j, MPI_COMM_WORLD);
  uint64_t sends, receives;
  request_values(&c, 1, &sends, &receives);
  j->input_count = o->what == BCAST && here.rank == o->root ? j->count : (size_t)sends;
  j->result_count = (size_t)receives;
}

test_request job_call(const job *j, bool chooses) {
  const size_t bytes = type_bytes(j->options);
  memset(j->receive, 0xff, j->result_count * bytes); /* NaN, so that a gap is an error */
  if (j->options->what == BCAST && j->input)
    memcpy(j->receive, j->input, j->input_count * bytes);
  return call_of(j, j->comms[chooses]);
}
