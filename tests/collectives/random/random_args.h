/* random_args.h: calls by hand: what ranks may differ in, and what not. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "comms.h"

/* Each makes a call or two on a communicator of one seed. `where` begins reports of failures. */

/* Some ranks differ in what they may: the same bits as if they did not. */
void args_allowed(const test_comm *on, uint64_t seed, const char *where);

/* Some ranks give wrong arguments, or others than the rest: an error on every rank. */
void args_wrong(const test_comm *on, uint64_t seed, const char *where);
