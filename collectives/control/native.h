/* native.h: the MPI call of the same name. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_NATIVE_H
#define GHZ_MPI_NATIVE_H

#include "request/collective.h"

/* Has MPI make a call on buffers that it can take, and divides where the call averages. */
error ghz_native_run(const call *c);

#endif
