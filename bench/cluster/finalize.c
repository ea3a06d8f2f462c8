/* finalize.c: preloaded into the ranks of MPICH: an MPI_Finalize that returns.
 *
 * MPICH 4.0 over UCX and TCP hangs there every second time. One rank closes its connections, for
 * which UCX needs an answer of the other end. That one already waits for its launcher and serves
 * UCX no longer. Here a rank that waits for the launcher serves UCX meanwhile. Nothing that is
 * measured before MPI_Finalize changes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <poll.h>
#include <unistd.h>

static void *worker; /* UCX's communication engine; MPICH makes one */
static _Thread_local int finalizing;

int ucp_worker_create(void *context, const void *parameters, void **created);
void ucp_worker_destroy(void *destroyed);

int ucp_worker_create(void *context, const void *parameters, void **created) {
  int (*create)(void *, const void *, void **) =
      (int (*)(void *, const void *, void **))dlsym(RTLD_NEXT, "ucp_worker_create");
  int status = create(context, parameters, created);
  if (status == 0)
    worker = *created;
  return status;
}

void ucp_worker_destroy(void *destroyed) {
  worker = NULL;
  ((void (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_destroy"))(destroyed);
}

static void serve_until_readable(int fd) {
  unsigned (*progress)(void *) = (unsigned (*)(void *))dlsym(RTLD_DEFAULT, "ucp_worker_progress");
  while (progress && worker && poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 1) == 0)
    while (progress(worker) > 0)
      ;
}

ssize_t read(int fd, void *buffer, size_t size) {
  static ssize_t (*next)(int, void *, size_t);
  if (!next)
    next = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
  if (finalizing) {
    finalizing = 0; /* serving UCX may read as well */
    serve_until_readable(fd);
    finalizing = 1;
  }
  return next(fd, buffer, size);
}

int PMPI_Finalize(void) {
  int (*finalize)(void) = (int (*)(void))dlsym(RTLD_NEXT, "PMPI_Finalize");
  finalizing = 1;
  int result = finalize();
  finalizing = 0;
  return result;
}

int MPI_Finalize(void) {
  return PMPI_Finalize();
}
