/* native.c: the MPI call of the same name. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/native.h"

#include <stdlib.h>
#include <string.h>

int ghz_native_copy(const call *c, void **copy) {
  const error no_memory = {MPI_ERR_NO_MEM, ERROR_OURS, "no memory for a copy of what is in place"};
  const size_t bytes = c->is_real && c->count > 0 ? (size_t)call_all(c) * c->value_size : 0;
  *copy = bytes ? malloc(bytes) : NULL;
  if (bytes && !*copy)
    return ghz_error_raise(c->comm, c->collective->name, &no_memory);
  if (bytes)
    memcpy(*copy, c->recv, bytes);
  return MPI_SUCCESS;
}

static void divide(const call *c) {
  const uint64_t n = call_own(c);
  float *f = c->recv;
  double *d = c->recv;
  for (uint64_t i = 0; i < n && c->real == GHZ_F32; i++)
    f[i] /= (float)c->at.ranks;
  for (uint64_t i = 0; i < n && c->real == GHZ_F64; i++)
    d[i] /= c->at.ranks;
}

error ghz_native_run(const call *c) {
  int code = c->collective->by_mpi(c);
  if (code == MPI_SUCCESS && c->set.average && (!collective_is_rooted(c->collective) || call_is_root(c)))
    divide(c);
  return (error){code, ERROR_RAISED, ""};
}
