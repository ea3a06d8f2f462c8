/* byte_order.h: values whose bytes stand the other way round. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_BYTE_ORDER_H
#define GHZ_CLI_BYTE_ORDER_H

#include <ghz/ghz.h>
#include <stdbool.h>
#include <stddef.h>

/* Turns the bytes of each value round, in place. */
void byte_order_turn(ghz_type type, void *values, size_t count);

/* Whether values look as if their bytes were turned round: their exponents are spread over all
 * that the type has, and those that they have when turned are not. Looks at a sample. */
bool byte_order_suspect(ghz_type type, const void *values, size_t count);

#endif
