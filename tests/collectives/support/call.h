/* call.h: one collective call of a test: what it asks for, its buffers, and what it left. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "field.h"
#include "request.h"

typedef enum operation { SUM, AVERAGE, MINIMUM, MAXIMUM, OPERATIONS } operation;

/* Contributions: one a rank; two a rank; 2, 2, 0, 1, 2, 0, ...; or so many in all, evenly. */
enum { DEAL_ONE = 0, DEAL_TWO = -1, DEAL_UNEVEN = -2 };

typedef struct call {
  collective what;
  ghz_mpi_algorithm algorithm;
  ghz_mpi_mode mode;
  ghz_type type;
  operation op;
  int in_place, root, of_result, keep_root, threads;
  int deal;
  int components; /* 2: the call is one of complex numbers, half as many */
  int has_fill;   /* some values are missing, some of them NaN */
  uint64_t count;
  ghz_shape shape; /* as in the options */
  ghz_bound bound;
  field data;
  /* NULL, or what fills a contribution with values that are no field's. */
  void (*fill)(const struct call *s, uint64_t contribution, uint64_t first, uint64_t count, void *x);
} call;

/* What a call did on this rank. */
typedef struct call_result {
  int rank, ranks; /* of the communicator */
  int code;
  ghz_mpi_report report;
  guarded send, recv;
  void *result;    /* where this rank's result is; NULL: it gets none */
  uint64_t values; /* of the result */
} call_result;

extern const char *const operation_names[OPERATIONS];

uint64_t value_size(const call *s);

/* Values of a rank's block; whether value j of a result is none, but lies between blocks. */
uint64_t own_values(const call *s, int rank);
int is_between(const call *s, uint64_t j);

/* What stands for "missing", and whether a value is. */
double call_fill(const call *s);
int is_missing(const call *s, uint64_t contribution, uint64_t i);

/* Contributions of a rank, of all ranks, and the first one of a rank. */
uint64_t dealt(const call *s, int rank, int ranks);
uint64_t dealt_in_all(const call *s, int ranks);
uint64_t dealt_before(const call *s, int rank, int ranks);

/* Where value j of a rank's result is in the arrays that are given; and the first, or only,
 * contribution to it. */
uint64_t call_source(const call *s, int rank, uint64_t j, uint64_t *contribution);

/* A line that says all of it. Static, one per thread. */
const char *call_text(const call *s);

/* Makes buffers, makes the call, and checks what holds for every call: its code, guards, what must
 * stay as it is. Release with call_result_free. */
call_result make_call(const call *s, MPI_Comm comm);
void call_result_free(call_result *l);
