/* combine.h: operations on compressed files, and what these must have in common. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_COMBINE_H
#define GHZ_CLI_COMBINE_H

#include <ghz/file.h>

#include "io/reader.h"
#include "options/options.h"

/* Combines the files of the command to its output. Prints why it fails. */
bool combine(const options *o, ghz_context *ctx, const ghz_file_operation *op);

/* Whether a file has the type, number of values and frames of `first`, and the shape of `shaped`.
 * On failure, prints what differs and how to avoid it. */
bool readers_agree(const frame_reader *r, const frame_reader *first, const frame_reader *shaped);

/* The same of the lattice. */
bool lattices_agree(const frame_reader *r, const frame_reader *first);

#endif
