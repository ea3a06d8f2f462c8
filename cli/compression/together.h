/* together.h: files that are compressed with one lattice: --together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_TOGETHER_H
#define GHZ_CLI_TOGETHER_H

#include "compression.h"

/* Opens all files of the command, and finds the range that they have together. Their `in` is then
 * open; `files` has as many places as the command has files. On failure none is. */
bool together_open(compression *files, int count, const char *const *paths, value_range *r);

#endif
