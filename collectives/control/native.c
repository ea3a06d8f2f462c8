/* native.c: the MPI call of the same name. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/native.h"

#include "payload/common.h"

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
  const payload_job job = {.lattice.type = c->real, .average = 1, .total_contributions = (uint64_t)c->at.ranks};
  ghz_values_average(&job, c->recv, (size_t)call_own(c));
}

error ghz_native_run(const call *c) {
  int code = c->collective->native(c);
  if (code == MPI_SUCCESS && c->set.average && (!c->collective->rooted || call_is_root(c)))
    divide(c);
  return (error){code, ERROR_RAISED, ""};
}
