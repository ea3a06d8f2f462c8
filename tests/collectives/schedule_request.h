/* schedule_request.h: a call of the schedule with arguments by hand: its arguments, its buffers, and how it is made. */
#ifndef GHZ_TESTS_SCHEDULE_REQUEST_H
#define GHZ_TESTS_SCHEDULE_REQUEST_H

#include "schedule_stages.h"
#include "shot.h"

typedef struct request {
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
} request;

/* The same call of the library, and of MPI. */
int request_call(const request *r, const ghz_mpi_options *o);
void request_call_mpi(const request *r);

/* Makes its buffers, for values of so many bytes, not in place; what a broadcast gives lies where its result goes.
 * request_free releases them, and looks at the guards. */
void request_buffers(request *r, const stage *on, uint64_t each);
void request_free(request *r);

/* Where the values that this rank gives lie. */
guarded *request_given(request *r, const stage *on);

/* Fills what a rank gives with any bits, or with floating-point numbers whose product is one, too. */
void request_fill(request *r, const stage *on, int is_float, uint64_t seed);

/* float or double under one of their names, some of which are Fortran's. */
MPI_Datatype request_real_type(uint64_t *d, int is_double);

MPI_Op request_real_op(uint64_t *d);

/* Draws a call that the library has to do: algorithm and mode are given, so that no rank goes straight to MPI. */
request request_draw(const stage *on, uint64_t *d);

/* The buffers of such a call, its values, and its report. */
void request_prepare(request *r, const stage *on, uint64_t seed);

/* Whether this rank is among some: at least one, and not all if there are several. All ranks throw the same dice. */
int request_is_among(const stage *on, uint64_t dice);

#endif
