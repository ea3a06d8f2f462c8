/* allocator.h: the allocations of the library, counted and refused: for programs that are linked
 * with --wrap for the allocator. Those of the test itself and of its support count, too; those of
 * the C library and of OpenMP do not. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Allocations so far, and those that were not freed yet. */
long allocator_count(void);
long allocator_live(void);

/* Bytes in those that were not freed yet. */
int64_t allocator_bytes(void);

/* The largest since it was last set to 0. */
extern size_t allocator_largest;

/* From now on refuses allocations number first to last, counted from 1; 0, 0: none. */
void allocator_refuse(long first, long last);
/* How many were refused since. */
long allocator_refused(void);
