/* each_file.h: a verb that treats its files one by one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_EACH_FILE_H
#define GHZ_CLI_EACH_FILE_H

#include <ghz.h>
#include <stdbool.h>

#include "options.h"

/* Runs `one` on every file of the command and goes on after a failure. Returns the exit code. */
int each_file(const options *o, bool (*one)(const options *o, ghz_context *ctx, const char *path));

#endif
