/* sweep.h: small calls of every collective by every algorithm, for failures at every place. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "request.h"

typedef struct way {
  const char *name;
  collective what;
  ghz_mpi_algorithm algorithm;
  ghz_mpi_mode mode;
  ghz_bound bound;
  int average, in_place;
  int dims; /* of the shape; 0: none */
} way;

enum { SWEEP_ROOT = 1 };

/* Value i that a rank gives in a test's `turn`; what is left of an earlier call is wrong. */
float sweep_value(int rank, int i, int turn);

/* The same, but that with GHZ_MPI_FLOAT some values are too large for the lattice of the others. */
float sweep_given(const way *w, int rank, int i, int turn);

/* A duplicate of the world, whose errors are returned. */
MPI_Comm sweep_comm(void);

/* The call, of n values a rank. */
int sweep_call(const way *w, const float *send, float *recv, int n, MPI_Comm comm);

/* What this rank's recv holds before a call, and must hold after it; both in host memory. */
void sweep_prepare(const way *w, float *recv, int n, int ranks, int turn);
void sweep_check(const way *w, const float *recv, int n, int ranks, int turn);
