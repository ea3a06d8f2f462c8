/* failure.c: notes the first failure, and makes the message that tells the others. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "engine/engine.h"

#include <string.h>

static const char abort_magic[4] = {'G', 'H', 'Z', '!'};

/* The first one counts, except that one of MPI replaces it: then nothing can be sent any more. */
static void note(failures *f, failure o) {
  if (!failure_is(&f->first)) {
    f->first = o;
    memcpy(f->abort->magic, abort_magic, sizeof abort_magic);
    f->abort->rank = o.rank;
    f->abort->status = o.status;
  }
  if (o.mpi_code != MPI_SUCCESS)
    f->first = o;
}

void ghz_failure_check(failures *f, ghz_status status) {
  if (status != GHZ_OK)
    note(f, (failure){f->rank, MPI_SUCCESS, status});
}

int ghz_failure_of_mpi(failures *f, int code) {
  if (code != MPI_SUCCESS)
    note(f, (failure){f->rank, code, GHZ_OK});
  return code != MPI_SUCCESS;
}

int ghz_failure_read(failures *f, const void *message) {
  abort_message d;
  memcpy(&d, message, ABORT_MESSAGE_SIZE);
  if (memcmp(d.magic, abort_magic, sizeof d.magic) != 0)
    return 0;
  note(f, (failure){d.rank, MPI_SUCCESS, d.status ? (ghz_status)d.status : GHZ_ECORRUPT});
  return 1;
}
