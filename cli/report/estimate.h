/* estimate.h: numbers with their intervals, as lines and as JSON. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_ESTIMATE_H
#define GHZ_CLI_ESTIMATE_H

#include <ghz/numbers.h>

/* A line: the number, and between what the original's is. */
void estimate_print(const char *name, const ghz_estimate *v);

/* A member of an object, with a comma before it. */
void estimate_json(const char *name, const ghz_estimate *v);

#endif
