/* suite.h: what all MPI tests share: the ranks, the case at hand, verdicts, a watchdog, random
 * numbers.
 *
 * A test is a program: `prog RANKS [SEED]`. It fails if it does not run on RANKS ranks (a program
 * started by another MPI's mpiexec is RANKS programs of one rank), if a check fails on any rank, or
 * if a case takes too long. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <mpi.h>
#include <stdint.h>

typedef struct suite {
  int rank, ranks;
  int threads; /* the level that MPI provides */
  uint64_t seed;
  long checks, failures; /* on this rank */
} suite;

extern suite here;

/* An argument of the command line; ends the program where it is no number. */
uint64_t suite_number(const char *text, const char *name);

/* Starts MPI, asking for a level of threads, and reads the command line. */
void suite_begin(int argc, char **argv, int threads);

/* Says how all ranks fared, ends MPI, and returns the exit status: 77, which ctest takes for a
 * skip, if `skipped` says why nothing was tested. */
int suite_end(const char *skipped);

/* What failures of this thread are reported under; restarts the watchdog. */
void suite_case(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Counts a check, and a failure unless it holds. Returns `holds`. */
int check(int holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether something holds on all ranks, or on any. Collective. */
int on_all(int holds, MPI_Comm comm);
int on_any(int holds, MPI_Comm comm);

/* The largest of all ranks'; below 2^63: some MPIs take unsigned for signed. Collective. */
uint64_t largest(uint64_t number, MPI_Comm comm);

/* Whether all ranks give the same number. Collective. */
int all_same(uint64_t number, MPI_Comm comm);

/* The next number of a sequence; one in [0, below); a hash of two numbers. */
uint64_t draw(uint64_t *state);
uint64_t draw_below(uint64_t *state, uint64_t below);
uint64_t mix(uint64_t a, uint64_t b);

/* Value i of an array of floats or doubles. */
double real_at(const void *x, int is_double, uint64_t i);
void set_real(void *x, int is_double, uint64_t i, double value);

/* A hash of bytes, below 2^63. */
uint64_t hash_bytes(const void *data, uint64_t size);
