/* combine.h: operations on compressed files, frame by frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_COMBINE_H
#define GHZ_CLI_COMBINE_H

#include <ghz/file.h>

#include "options/options.h"

/* Combines the files of the command to its output. Returns the exit code. */
int combine(const options *o, const ghz_file_operation *op);

#endif
