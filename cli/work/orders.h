/* orders.h: which of several dimensions is the slowest, by what the values cost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_ORDERS_H
#define GHZ_CLI_ORDERS_H

#include "options/options.h"

#define ORDERED_MOST 4 /* dimensions whose orders are tried: 24 orders */

/* Tries each order of the dimensions of --dims on a file of raw values, and prints what each one
 * gives, and the best. Returns false if it has printed why not. */
bool orders_of_file(const options *o, ghz_context *ctx, const char *path);

#endif
