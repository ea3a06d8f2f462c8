/* faults.h: settings that are not understood: told once, not by every rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_FAULTS_H
#define GHZ_MPI_FAULTS_H

#include <mpi.h>
#include <stdint.h>

/* Of the ranks that found some, the first: all zeros but for FAULTS_NONE if there is none. */
typedef struct faults {
  uint64_t order; /* 0: rank 0 of MPI_COMM_WORLD, which tells without being asked; else rank + 1 */
  uint64_t hash;  /* of what it found */
} faults;

#define FAULTS_NONE UINT64_MAX

/* Notes a line. Not thread-safe: while the environment is read. */
__attribute__((format(printf, 1, 2))) void ghz_faults_note(const char *format, ...);

/* After reading: rank 0 of MPI_COMM_WORLD tells what it found, and so does a process without MPI.
 * The environment of other ranks is mostly the same: they wait for the first agreement. */
void ghz_faults_noted(void);

/* What this rank has not settled yet, for an agreement of comm. */
faults ghz_faults_own(MPI_Comm comm);

/* The first of two. */
faults ghz_faults_first(faults a, faults b);

/* After the agreement: this rank tells what it found if it is the first one, or has found something
 * else. */
void ghz_faults_settle(faults own, faults agreed);

#endif
