/* failure.c: notes the first failure, and makes the message that tells the others. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "engine/failure.h"

#include <mpi.h>
#include <string.h>

static const char abort_magic[4] = {'G', 'H', 'Z', '!'};

void ghz_failure_note(failures *f, failure o) {
  if (f->first.kind == FAILURE_NONE) {
    f->first = o;
    memcpy(f->abort->magic, abort_magic, sizeof abort_magic);
    f->abort->kind = (int32_t)o.kind;
    f->abort->rank = o.rank;
    f->abort->status = o.status;
  }
  if (o.kind == FAILURE_MPI)
    f->first = o;
}

void ghz_failure_local(failures *f, failure_kind kind, ghz_status status) {
  ghz_failure_note(f, (failure){kind, f->rank, MPI_SUCCESS, status});
}

void ghz_failure_check(failures *f, ghz_status status) {
  if (status != GHZ_OK)
    ghz_failure_local(f, FAILURE_CODEC, status);
}

int ghz_failure_of_mpi(failures *f, int code) {
  if (code != MPI_SUCCESS)
    ghz_failure_note(f, (failure){FAILURE_MPI, f->rank, code, GHZ_OK});
  return code != MPI_SUCCESS;
}

int ghz_failure_read(failures *f, const void *message) {
  abort_message d;
  memcpy(&d, message, ABORT_MESSAGE_SIZE);
  if (memcmp(d.magic, abort_magic, sizeof d.magic) != 0)
    return 0;
  failure_kind kind = d.kind == FAILURE_CODEC ? FAILURE_CODEC : FAILURE_MESSAGE;
  ghz_failure_note(f, (failure){kind, d.rank, MPI_SUCCESS, (ghz_status)d.status});
  return 1;
}
