/* random_args.h: calls by hand: what is left to MPI, what ranks may differ in, and what not. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "call.h"
#include "comms.h"

/* Holds a field's result against what MPI makes of it as whole numbers, and the report's bound. */
void args_check_by_mpi(const call *s, const call_result *l, MPI_Comm comm);

/* Each makes a call or two on a communicator of one seed. `where` begins reports of failures. */

/* What is not compressed has the bits that MPI gives. */
void args_left_to_mpi(const test_comm *on, uint64_t seed, const char *where);

/* Some ranks differ in what they may: the same bits as if they did not. */
void args_allowed(const test_comm *on, uint64_t seed, const char *where);

/* Some ranks give wrong arguments, or others than the rest: an error on every rank. */
void args_wrong(const test_comm *on, uint64_t seed, const char *where);
