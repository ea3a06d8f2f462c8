/* raw_call.h: a call of the schedule with arguments by hand: its arguments, its buffers, and how it is made. */
#ifndef GHZ_TESTS_RAW_CALL_H
#define GHZ_TESTS_RAW_CALL_H

#include "call.h"
#include "comms.h"

typedef struct raw_call {
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
  guarded sent, received;
} raw_call;

/* The same call of the library, and of MPI. */
int raw_call_call(const raw_call *r, const ghz_mpi_options *o);
void raw_call_call_mpi(const raw_call *r);

/* Makes its buffers, for values of so many bytes, not in place; what a broadcast gives lies where its result goes.
 * raw_call_free releases them, and looks at the guards. */
void raw_call_buffers(raw_call *r, const test_comm *on, uint64_t each);
void raw_call_free(raw_call *r);

/* Where the values that this rank gives lie. */
guarded *raw_call_given(raw_call *r, const test_comm *on);

/* Fills what a rank gives with any bits, or with floating-point numbers whose product is one, too. */
void raw_call_fill(raw_call *r, const test_comm *on, int is_float, uint64_t seed);

/* float or double under one of their names, some of which are Fortran's. */
MPI_Datatype raw_call_real_type(uint64_t *d, int is_double);

MPI_Op raw_call_real_op(uint64_t *d);

/* Draws a call that the library has to do: algorithm and mode are given, so that no rank goes straight to MPI. */
raw_call raw_call_draw(const test_comm *on, uint64_t *d);

/* The buffers of such a call, its values, and its report. */
void raw_call_prepare(raw_call *r, const test_comm *on, uint64_t seed);

/* Whether this rank is among some: at least one, and not all if there are several. All ranks throw the same dice. */
int raw_call_is_among(const test_comm *on, uint64_t dice);

#endif
