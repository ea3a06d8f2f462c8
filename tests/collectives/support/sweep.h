/* sweep.h: failures at every place: small calls of every collective by every algorithm, in which
 * one thing after the other fails on one rank: an error or a right result on every rank, and the
 * communicator works afterwards. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "request.h"

typedef struct way {
  const char *name;
  collective what;
  ghz_mpi_algorithm algorithm;
  ghz_bound bound;
  int average, in_place;
  int dims; /* of the shape; 0: none */
} way;

enum { SWEEP_WAYS = 21, SWEEP_ROOT = 1 };

extern const way sweep_ways[SWEEP_WAYS];

/* Where buffers lie, and what fails. */
typedef struct sweep {
  const char *what;
  void (*copy)(void *to, const void *from, size_t bytes); /* to and from the buffers */
  float *send, *recv;                                     /* of any call's values times the ranks */
  void (*refuse)(long nth); /* from now on, that one on this rank; 0: none any more */
  int (*refused)(void);     /* whether it came to that */
  long most, slower;        /* so many are more than enough; steps grow by their number divided by this */
  int is_memory;            /* errors say that the rank ran out of it */
} sweep;

/* A duplicate of the world, whose errors are returned. */
MPI_Comm sweep_comm(void);

/* The call, of n values a rank, with other values than the call before. */
int sweep_call(const sweep *s, const way *w, int n, MPI_Comm comm);

/* A call that has to succeed. */
void sweep_recover(const sweep *s, const way *w, int n, MPI_Comm comm);

/* Fails one after the other on rank `victim`, until none is left. `before`: the values of a call
 * that the communicator served before; 0: none. */
void sweep_all(const sweep *s, const way *w, int victim, int before, int n);
