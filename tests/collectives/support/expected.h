/* expected.h: what a call should have given, in whole numbers, and what its report may say. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "call.h"

/* Checks every value of the result against the exact one, and the report. Collective. */
void check_expected(const call *s, const call_result *l, MPI_Comm comm);

/* Checks that all ranks have the same bits, where a call promises that. Collective. */
void check_same_bits(const call *s, const call_result *l, MPI_Comm comm);

/* Whether the call compressed, by its report. */
int compressed(const call_result *l);
