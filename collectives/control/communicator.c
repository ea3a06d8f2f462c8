/* communicator.c: an attribute of the user's communicator that frees itself with it. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/communicator.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int keyval = MPI_KEYVAL_INVALID, keyval_code;

/* For a communicator that there is no memory for. The other ranks are in MPI_Comm_create already,
 * and would wait for ever for a rank that returned an error before it. One at a time has to do. */
static communicator spare;
static atomic_flag spare_taken = ATOMIC_FLAG_INIT;

static communicator *new_communicator(void) {
  communicator *c = calloc(1, sizeof *c);
  if (c || atomic_flag_test_and_set(&spare_taken))
    return c;
  memset(&spare, 0, sizeof spare);
  return &spare;
}

static void destroy(communicator *c) {
  ghz_context_free(c->codec);
  ghz_buffer_pool_free(&c->pool);
  ghz_plan_free(&c->plan);
  ghz_engine_free(&c->space);
  ghz_device_free(c->device);
  if (c == &spare)
    atomic_flag_clear(&spare_taken);
  else
    free(c);
}

static int on_free(MPI_Comm comm, int key, void *value, void *extra) {
  communicator *c = value;
  (void)comm, (void)key, (void)extra;
  ghz_agreement_free(&c->agreement);
  int code = MPI_Comm_free(&c->comm);
  destroy(c);
  return code;
}

/* A duplicate of the communicator starts without our attribute, and makes its own when it needs
 * one. */
static void make_keyval(void) {
  keyval_code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &keyval, NULL);
}

static int fill(communicator *c, MPI_Comm comm) {
  MPI_Group group;
  int code = MPI_Comm_group(comm, &group);
  if (code != MPI_SUCCESS)
    return code;
  /* Not MPI_Comm_dup, which copies attributes and hints. */
  code = MPI_Comm_create(comm, group, &c->comm);
  MPI_Group_free(&group);
  if (code != MPI_SUCCESS)
    return code;
  MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(c->comm, &c->rank);
  MPI_Comm_size(c->comm, &c->ranks);
  code = ghz_agreement_make(&c->agreement);
  if (code == MPI_SUCCESS && (code = MPI_Comm_set_attr(comm, keyval, c)) != MPI_SUCCESS)
    ghz_agreement_free(&c->agreement);
  if (code != MPI_SUCCESS)
    MPI_Comm_free(&c->comm);
  return code;
}

/* The codes are those of calls on `comm`, for which MPI has called the error handler. If there is
 * no memory for the codec, this does not fail, as the other ranks would wait: the agreement tells
 * them. */
static error make(MPI_Comm comm, communicator **made) {
  communicator *c = new_communicator();
  if (!c)
    return (error){MPI_ERR_NO_MEM, ERROR_OURS, "no memory for what is kept with a communicator"};
  ghz_context_create(&c->codec, 1);
  int code = fill(c, comm);
  if (code == MPI_SUCCESS)
    *made = c;
  else
    destroy(c);
  return (error){code, ERROR_RAISED, ""};
}

error ghz_communicator_of(MPI_Comm comm, communicator **c) {
  int found = 0;
  void *value = NULL;
  pthread_once(&once, make_keyval);
  if (keyval_code != MPI_SUCCESS)
    return (error){keyval_code, ERROR_RAISED, ""};
  int code = MPI_Comm_get_attr(comm, keyval, &value, &found);
  error e = {code, ERROR_RAISED, ""};
  if (code == MPI_SUCCESS && found)
    *c = value;
  else if (code == MPI_SUCCESS)
    e = make(comm, c);
  if (e.code == MPI_SUCCESS && !(*c)->codec)
    ghz_context_create(&(*c)->codec, 1);
  return e;
}
