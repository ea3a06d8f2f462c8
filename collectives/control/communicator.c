/* communicator.c: an attribute of the user's communicator that frees itself with it. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/communicator.h"

#include <pthread.h>
#include <stdlib.h>

#include "payload/device.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int keyval = MPI_KEYVAL_INVALID, keyval_code;

static int on_free(MPI_Comm comm, int key, void *value, void *extra) {
  communicator *c = value;
  (void)comm, (void)key, (void)extra;
  ghz_channel_unbind(&c->on);
#ifdef GHZ_HAVE_CUDA
  ghz_pinned_free(&c->pinned_send);
  ghz_pinned_free(&c->pinned_recv);
#endif
  free(c);
  return MPI_SUCCESS;
}

/* A duplicate of the communicator starts without our attribute, and makes its own when it needs
 * one. */
static void make_keyval(void) {
  keyval_code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &keyval, NULL);
}

static error make(MPI_Comm comm, communicator **c) {
  *c = calloc(1, sizeof **c);
  if (!*c)
    return (error){MPI_ERR_NO_MEM, ERROR_OURS, "no memory for what is kept with a communicator"};
  int code = MPI_Comm_set_attr(comm, keyval, *c);
  if (code != MPI_SUCCESS)
    free(*c);
  return (error){code, ERROR_RAISED, ""};
}

error ghz_communicator_of(MPI_Comm comm, communicator **c) {
  int found = 0;
  void *value = NULL;
  pthread_once(&once, make_keyval);
  if (keyval_code != MPI_SUCCESS)
    return (error){keyval_code, ERROR_RAISED, ""};
  int code = MPI_Comm_get_attr(comm, keyval, &value, &found);
  *c = value;
  if (code != MPI_SUCCESS || found)
    return (error){code, ERROR_RAISED, ""};
  return make(comm, c);
}
