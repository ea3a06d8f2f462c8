/* by_mpi.c: a call that MPI makes, on buffers that it can take. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

static void divide(const call *c) {
  const uint64_t n = call_own(c);
  float *f = c->recv;
  double *d = c->recv;
  for (uint64_t i = 0; i < n && c->real == GHZ_F32; i++)
    f[i] /= (float)c->at.ranks;
  for (uint64_t i = 0; i < n && c->real == GHZ_F64; i++)
    d[i] /= c->at.ranks;
}

static error make_call(const call *c) {
  const int code = c->collective->by_mpi(c);
  if (code == MPI_SUCCESS && c->set.average && (c->collective->gets != BY_ROOT || call_is_root(c)))
    divide(c);
  return (error){code, ERROR_RAISED, ""};
}

/* Where copies of device buffers can fail, all ranks agree that they have not: MPI hangs if a rank
 * stays away. */
error ghz_by_mpi(run *r) {
  record again = {.error_rank = r->asked->at.rank};
  error e = ghz_host_copy_begin(r);
  if (r->agreed.devices)
    e = ghz_agree(r->asked->comm, &again, e);
  if (r->with)
    r->report.agree = MPI_Wtime() - r->start;
  if (!e.code)
    e = make_call(&r->made);
  return e.code ? e : ghz_host_copy_end(r);
}
