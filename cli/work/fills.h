/* fills.h: the value that stands for "missing", as a user gives and sees it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_FILLS_H
#define GHZ_CLI_FILLS_H

#include <ghz/ghz.h>
#include <stdbool.h>

#include "report/text.h"

/* A fill value in as few digits as read back as the same value of the type. */
number_text fill_text(ghz_type type, double fill);

/* The value of the type that the user means by --fill. Prints a message about `name` if there is
 * none. */
bool fill_choose(const char *name, ghz_type type, double given, double *fill);

#endif
