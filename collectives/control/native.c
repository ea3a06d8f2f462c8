/* native.c: the MPI call of the same name. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/native.h"

#include "payload/common.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS = 64 }; /* more than there are pairs of a call and a reason */

/* Both texts are constants, so pointers tell them apart. */
static void report_once(const char *name, const char *why) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static struct { const char *name, *why; } known[REASONS];
  static int count;
  int i = 0;
  pthread_mutex_lock(&lock);
  while (i < count && !(known[i].name == name && known[i].why == why))
    i++;
  int is_new = i == count && count < REASONS;
  if (is_new) {
    known[count].name = name;
    known[count++].why = why;
  }
  pthread_mutex_unlock(&lock);
  if (is_new)
    fprintf(stderr, "libghzmpi: %s goes to MPI: %s\n", name, why);
}

int ghz_native_copy(const call *c, void **copy) {
  const error no_memory = {MPI_ERR_NO_MEM, ERROR_OURS, "no memory for a copy of what is in place"};
  const size_t bytes = c->is_real && c->count > 0 ? (size_t)call_all(c) * c->value_size : 0;
  *copy = bytes ? malloc(bytes) : NULL;
  if (bytes && !*copy)
    return ghz_error_raise(c->comm, c->collective->name, &no_memory);
  if (bytes)
    memcpy(*copy, c->recv, bytes);
  return MPI_SUCCESS;
}

static void divide(const call *c) {
  const payload_job job = {.lattice.type = c->real, .average = 1, .total_contributions = (uint64_t)c->at.ranks};
  ghz_values_average(&job, c->recv, (size_t)call_own(c));
}

error ghz_native_run(const call *c) {
  if (c->for_mpi && ghz_settings_verbose())
    report_once(c->collective->name, c->for_mpi);
  int code = c->collective->native(c);
  if (code == MPI_SUCCESS && c->set.average && (!c->collective->rooted || call_is_root(c)))
    divide(c);
  return (error){code, ERROR_RAISED, ""};
}
