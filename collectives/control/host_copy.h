/* host_copy.h: calls on device buffers that have to be made on the host: their buffers are copied
 * there and back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_HOST_COPY_H
#define GHZ_MPI_HOST_COPY_H

#include "choice/select.h"

#ifdef GHZ_HAVE_CUDA

/* Sets *made to the call that this rank makes in the way `how`: the user's, or, if that cannot be
 * made on device buffers, the same on copies in pinned memory, which stay with the communicator.
 * `contributions` are those of all ranks. Local. */
error ghz_host_copy_begin(const call *asked, variant how, uint64_t contributions, call *made);

/* Copies the result back, if there are copies. */
error ghz_host_copy_end(const call *asked, const call *made);

#else

static inline error ghz_host_copy_begin(const call *asked, variant how, uint64_t contributions, call *made) {
  (void)how, (void)contributions;
  *made = *asked;
  return (error){0};
}

static inline error ghz_host_copy_end(const call *asked, const call *made) {
  (void)asked, (void)made;
  return (error){0};
}

#endif
#endif
