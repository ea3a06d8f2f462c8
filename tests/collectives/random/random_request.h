/* random_request.h: a call with arguments that are drawn: its buffers and their values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "comms.h"
#include "request.h"

/* Makes its buffers, for values of so many bytes, not in place; what a broadcast gives lies where
 * its result goes. request_free releases them, and looks at the guards. */
void request_buffers(test_request *r, const test_comm *on, uint64_t each);
void request_free(test_request *r);

/* Where the values that this rank gives lie. */
guarded *request_given(test_request *r, const test_comm *on);

/* Fills what a rank gives with any bits, or with floats whose product is one, too. */
void request_fill(test_request *r, const test_comm *on, int is_float, uint64_t seed);

/* float or double under one of their names, some of which are Fortran's. */
MPI_Datatype request_real_type(uint64_t *d, int is_double);

MPI_Op request_real_op(uint64_t *d);

/* Draws a call that the library has to do: with algorithm and mode, so no rank goes to MPI. */
test_request request_draw(const test_comm *on, uint64_t *d);

/* The buffers of such a call, its values, and its report. */
void request_prepare(test_request *r, const test_comm *on, uint64_t seed);

/* Whether this rank is among some: at least one, not all of several. The dice are all ranks'. */
int request_is_among(const test_comm *on, uint64_t dice);
