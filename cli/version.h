/* version.h: what this build is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_VERSION_H
#define GHZ_CLI_VERSION_H

/* Prints version, libraries, instruction sets and threads to standard output. */
void version_print(void);

#endif
