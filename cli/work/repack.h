/* repack.h: compressed files written again, with their frames packed or not. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_REPACK_H
#define GHZ_CLI_REPACK_H

#include "options/options.h"

/* Writes each file of the command again, in its own place unless -o names another, with frames
 * packed at the level o->pack; 0: not packed. Returns the exit code. */
int repack(const options *o);

#endif
