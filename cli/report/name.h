/* name.h: what the command is called: ghz, unless a packager says -DGHZ_COMMAND_NAME. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_NAME_H
#define GHZ_CLI_NAME_H

#ifndef GHZ_COMMAND_NAME
#define GHZ_COMMAND_NAME "ghz"
#endif

/* Prints text to standard output, with the name in the place of ghz where that begins a command, as
 * in "ghz add a.ghz". */
void print_named(const char *text);

#endif
