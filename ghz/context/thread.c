/* thread.c: what the library keeps for a thread: a context, made when the thread first calls
 * without one and freed when it ends, and the message of its last failing call without one. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "context/thread.h"

#include <pthread.h>
#include <stdlib.h>

static _Thread_local struct {
  ghz_context *own;
  const ghz_context *refused; /* the last failing call with this context was refused: it was in use */
  char message[MESSAGE_SIZE];
} here;

/* Tells when a thread ends. */
static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static int have_key;

/* Other destructors of the thread may call again, and get a new context. */
static void free_own(void *own) {
  here.own = NULL;
  ghz_context_free(own);
}

static void make_key(void) {
  have_key = pthread_key_create(&key, free_own) == 0;
}

/* Threads that end later have nothing to call. */
__attribute__((destructor)) static void unload(void) {
  if (have_key)
    pthread_key_delete(key);
  have_key = 0;
  free_own(here.own);
}

static ghz_status make_own(void) {
  ghz_context *own;
  pthread_once(&key_once, make_key);
  ghz_status status = ghz_context_create(&own, 1);
  if (status != GHZ_OK)
    return status;
  if (!have_key || pthread_setspecific(key, own) != 0) {
    ghz_context_free(own);
    return ghz_fail(NULL, GHZ_ENOMEM, "no thread-specific data for a context of this thread: create one");
  }
  own->of_thread = 1;
  here.own = own;
  return GHZ_OK;
}

ghz_status ghz_thread_context(ghz_context **ctx) {
  ghz_status status = here.own ? GHZ_OK : make_own();
  *ctx = here.own;
  return status;
}

ghz_status ghz_thread_refused(const ghz_context *ctx) {
  here.refused = ctx;
  return GHZ_EBUSY;
}

void ghz_thread_forget(const ghz_context *ctx) {
  if (here.refused == ctx)
    here.refused = NULL;
}

int ghz_thread_was_refused(const ghz_context *ctx) {
  return here.refused == ctx;
}

char *ghz_thread_message(void) {
  return here.message;
}
