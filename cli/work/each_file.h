/* each_file.h: a verb that treats its files one by one, and what --json prints of them: one array
 * with an object of each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_EACH_FILE_H
#define GHZ_CLI_EACH_FILE_H

#include <ghz/ghz.h>
#include <stdbool.h>

#include "options/options.h"

/* Begin and end the array, if --json is given. */
void json_files_begin(const options *o);
void json_files_end(const options *o);

/* Begins the object of a file by its name. The caller writes the rest, from a comma to the
 * brace. */
void json_file(const char *name);

/* Runs `one` on every file of the command, within the array of --json, and goes on after a failure.
 * Returns the exit code. */
int each_file(const options *o, bool (*one)(const options *o, ghz_context *ctx, const char *path));

#endif
