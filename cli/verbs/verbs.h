/* verbs.h: all the verbs, one per file; and those that treat their files one by one, of which
 * --json prints one array. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_VERBS_VERBS_H
#define GHZ_CLI_VERBS_VERBS_H

#include <ghz/ghz.h>
#include <stdbool.h>

#include "options/options.h"

extern const verb verb_compress, verb_decompress, verb_add, verb_sub, verb_scale, verb_mean, verb_minmax,
    verb_info, verb_stats, verb_diff, verb_test, verb_compare, verb_tune, verb_h5args, verb_pack, verb_unpack;

extern const verb *const verbs[]; /* NULL ends the list */

/* The verb of a name, or NULL. */
const verb *verb_find(const char *name);

/* ---- Files one by one ------------------------------------------------------------------------ */

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
