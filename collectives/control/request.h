/* request.h: what a call asks for, whether that is possible, and the way straight to MPI. */
#ifndef GHZ_MPI_REQUEST_H
#define GHZ_MPI_REQUEST_H

#include "control/collective.h"
#include "engine/payload.h"

/* What is wrong with a call. */
typedef struct error {
  int error_class; /* 0: nothing */
  char text[160];
} error;

/* Fills in what the MPI handles of a call mean. */
void ghz_request_recognise(call *c);

reduction ghz_request_reduction(const call *c);

/* The bytes of the larger of the buffers. */
double ghz_request_bytes(const call *c);

/* Why MPI has to do it, for reasons that all ranks share; NULL: it has not. */
const char *ghz_request_not_ours(const call *c);

/* Whether the counts and offsets fit the int of MPI's calls. */
int ghz_request_fits_int(const call *c);

/* Checks what this rank can check alone. `wrong` is what is known to be wrong already, or NULL. */
error ghz_request_check(const call *c, const char *wrong);

/* What is wrong with a device, if anything. */
error ghz_request_of_device(ghz_status status, const char *why);

int ghz_request_raise(const call *c, error wrong);

/* Leaves it to MPI, without looking any further. Device buffers that MPI cannot take are copied. */
int ghz_request_native(const call *c);

/* The same in two steps, between which ranks can agree: makes the call ready, and runs it. */
error ghz_request_for_native(const call *c, call *ready);
int ghz_request_run_native(const call *c, const call *ready);

#endif
