/* faults.c: noting the first fault, and telling it on. */

#include "faults.h"

#include <mpi.h>
#include <string.h>

static const char distress_magic[4] = {'G', 'H', 'Z', '!'};

void ghz_fault_note(faults *f, outcome o) {
  if (f->outcome.fault == FAULT_NONE) {
    f->outcome = o;
    memcpy(f->distress->magic, distress_magic, sizeof distress_magic);
    f->distress->fault = (int32_t)o.fault;
    f->distress->rank = o.rank;
    f->distress->status = o.status;
  }
  if (o.fault == FAULT_MPI)
    f->outcome = o;
}

void ghz_fault_fail(faults *f, fault what, ghz_status status) {
  ghz_fault_note(f, (outcome){what, f->rank, MPI_SUCCESS, status});
}

void ghz_fault_check(faults *f, ghz_status status) {
  if (status != GHZ_OK)
    ghz_fault_fail(f, status == GHZ_ENOMEM ? FAULT_MEMORY : FAULT_CODEC, status);
}

int ghz_fault_of_mpi(faults *f, int code) {
  if (code != MPI_SUCCESS)
    ghz_fault_note(f, (outcome){FAULT_MPI, f->rank, code, GHZ_OK});
  return code != MPI_SUCCESS;
}

int ghz_fault_read(faults *f, const void *message) {
  distress d;
  memcpy(&d, message, DISTRESS_SIZE);
  if (memcmp(d.magic, distress_magic, sizeof d.magic) != 0)
    return 0;
  ghz_fault_note(f,
                 (outcome){d.fault == FAULT_MEMORY || d.fault == FAULT_CODEC ? (fault)d.fault : FAULT_MESSAGE,
                           d.rank, MPI_SUCCESS, (ghz_status)d.status});
  return 1;
}
