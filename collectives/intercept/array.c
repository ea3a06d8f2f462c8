/* array.c: the values of a typed buffer as an array.
 *
 * Where a datatype leaves gaps, MPI copies the values: as a message from this process to itself,
 * sent in one datatype and received in another of the same signature. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Without it, threads that copy at the same time could receive each other's message. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm self = MPI_COMM_NULL;

void array_start(void) {
  PMPI_Comm_dup(MPI_COMM_SELF, &self);
}

void array_stop(void) {
  PMPI_Comm_free(&self);
}

array array_open(const typed *home, value_kind k) {
  array a = {.home = *home, .kind = k};
  MPI_Count bytes = 0;
  PMPI_Type_size_x(home->type, &bytes);
  a.count = home->count * (bytes / signature_bytes(k));
  if (signature_of(home->type)->flat) {
    a.values = home->buffer;
    return a;
  }
  a.values = a.own = a.count > 0 ? malloc((size_t)a.count * (size_t)signature_bytes(k)) : NULL;
  if (a.count > 0 && !a.own)
    fprintf(stderr, "ghzmpi_intercept: out of memory (%lld values)\n", (long long)a.count);
  return a;
}

void array_close(array *a) {
  free(a->own);
}

/* A datatype of `count` elements of `type`, since messages count in ints. */
static MPI_Datatype many(MPI_Count count, MPI_Datatype type) {
  MPI_Datatype all;
  if (count <= INT_MAX) {
    PMPI_Type_contiguous((int)count, type, &all);
  } else {
    MPI_Aint lower, extent;
    MPI_Datatype piece;
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_contiguous(INT_MAX, type, &piece);
    PMPI_Type_create_struct(2, (int[]){(int)(count / INT_MAX), (int)(count % INT_MAX)},
                            (MPI_Aint[]){0, count / INT_MAX * INT_MAX * extent}, (MPI_Datatype[]){piece, type},
                            &all);
    PMPI_Type_free(&piece);
  }
  PMPI_Type_commit(&all);
  return all;
}

static void copy(const typed *from, const typed *to) {
  MPI_Datatype sent = many(from->count, from->type), received = many(to->count, to->type);
  pthread_mutex_lock(&one_at_a_time);
  PMPI_Sendrecv(from->buffer, 1, sent, 0, 0, to->buffer, 1, received, 0, 0, self, MPI_STATUS_IGNORE);
  pthread_mutex_unlock(&one_at_a_time);
  PMPI_Type_free(&sent);
  PMPI_Type_free(&received);
}

void array_load(array *a) {
  typed values = {a->own, a->count, signature_basic(a->kind)};
  if (a->own)
    copy(&a->home, &values);
}

void array_load_from(array *a, const typed *home, value_kind k) {
  *a = array_open(home, k);
  array_load(a);
}

void array_store(const array *a) {
  typed values = {a->own, a->count, signature_basic(a->kind)};
  if (a->own)
    copy(&values, &a->home);
}
