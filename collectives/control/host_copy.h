/* host_copy.h: calls on device buffers that the host has to do: their buffers are copied there and back. */
#ifndef GHZ_MPI_HOST_COPY_H
#define GHZ_MPI_HOST_COPY_H

#include "control/collective.h"

#ifdef GHZ_HAVE_CUDA

/* Makes *host the same call on buffers in pinned memory, which stay with the communicator, and copies to them what the call
 * reads. Local. *why says what was wrong, if anything was. */
ghz_status ghz_host_copy_begin(const call *c, call *host, const char **why);

/* Copies back what the call has written. */
ghz_status ghz_host_copy_end(const call *c, const call *host, const char **why);

#else

static inline ghz_status ghz_host_copy_begin(const call *c, call *host, const char **why) {
  *host = *c;
  *why = "";
  return GHZ_OK;
}

static inline ghz_status ghz_host_copy_end(const call *c, const call *host, const char **why) {
  (void)c, (void)host;
  *why = "";
  return GHZ_OK;
}

#endif
#endif
