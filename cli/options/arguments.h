/* arguments.h: what the argument of an option means. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_OPTIONS_ARGUMENTS_H
#define GHZ_CLI_OPTIONS_ARGUMENTS_H

#include "options.h"

/* Takes an option and its argument. Returns -1 to go on, else the exit code. */
int option_apply(options *o, int key, const char *argument);

/* Reads a number that ends with the text. */
bool parse_double(const char *text, double *value);

#endif
