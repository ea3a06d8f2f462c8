/* request.h: the arguments of one collective call, made by the library or by MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <ghz/mpi.h>
#include <stdint.h>

typedef enum collective {
  ALLREDUCE,
  REDUCE,
  REDUCE_SCATTER,
  REDUCE_SCATTERV,
  ALLGATHER,
  ALLGATHERV,
  BCAST,
  SCATTER,
  GATHER,
  COLLECTIVES
} collective;

extern const char *const collective_names[COLLECTIVES];

/* Whether a collective has an algorithm of its own of this name. */
int has_algorithm(collective what, ghz_mpi_algorithm a);
int reduces(collective what);
int is_rooted(collective what);
/* Whether it moves an array per rank; all ranks', to all; a sum's, to their ranks. */
int has_blocks(collective what);
int gathers_all(collective what);
/* Whether its blocks have counts of their own. */
int has_counts(collective what);
int scatters_sums(collective what);
/* Whether a rank gets a result. */
int gets_result(collective what, int at_root);

/* A buffer between guards, aligned as its type demands and no better. */
typedef struct guarded {
  uint8_t *base, *data;
  uint64_t size;
} guarded;

guarded guarded_make(uint64_t size, uint64_t misaligned);
int guarded_intact(const guarded *g);
void guarded_free(guarded *g);

/* Values of block b, of n in most calls. Blocks with counts of their own are smaller, every fourth
 * has none, unless they are to be equal. */
uint64_t block_values(collective what, uint64_t n, int b, int equal);

/* Where block b begins in the array whose blocks a reduction scatters. Elsewhere each block has
 * room for n values. */
uint64_t block_place(collective what, uint64_t n, int b, int equal);

typedef struct test_request {
  collective what;
  const void *send;
  void *recv;
  MPI_Count count;
  MPI_Datatype type;
  MPI_Op op;
  int root;
  MPI_Comm comm;
  ghz_mpi_options options;
  ghz_mpi_report report;
  guarded sent, received;           /* where it has buffers of its own */
  MPI_Count last_count, last_place; /* of the last block; 0: those that are right */
  enum {
    DEALT,
    DEALT_OTHERWISE,
    DEALT_BETWEEN
  } deal; /* as many values, to other blocks, or to others in the middle */
  int no_counts, no_places;
} test_request;

/* A call of a sum, or with root 0, and the usual options. */
test_request request_of(collective what, const void *send, void *recv, MPI_Count count, MPI_Datatype type,
                        MPI_Comm comm);

/* Values of the buffers that this rank's call uses, one contribution of sendbuf. */
void request_values(const test_request *r, int equal, uint64_t *sends, uint64_t *receives);

/* Makes buffers of its own, for values of so many bytes, not in place; what a broadcast gives lies
 * where its result goes. request_free releases them, and looks at the guards. */
void request_buffers(test_request *r, uint64_t each);
void request_free(test_request *r);

/* Fills what this rank gives with any bits, or with floats whose product is one, too. */
void request_fill(test_request *r, int is_float, uint64_t seed);

/* The call with these options, which may be NULL; blocks with a shape are equal. */
int request_make(const test_request *r, const ghz_mpi_options *o);
int request_make_by_mpi(const test_request *r);

/* Whether an error's sentence names the call. */
int request_is_named(const test_request *r, const char *text);
