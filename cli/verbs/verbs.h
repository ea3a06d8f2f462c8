/* verbs.h: all the verbs, one per file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_VERBS_H
#define GHZ_CLI_VERBS_H

#include "options/options.h"

extern const verb verb_compress, verb_decompress, verb_add, verb_sub, verb_scale, verb_mean, verb_minmax,
    verb_info, verb_stats, verb_diff, verb_test, verb_compare, verb_tune, verb_h5args, verb_pack, verb_unpack;

extern const verb *const verbs[]; /* NULL ends the list */

/* The verb of a name, or NULL. */
const verb *verb_find(const char *name);

#endif
