/* completion.h: scripts that complete the command line in a shell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_COMPLETION_H
#define GHZ_CLI_COMPLETION_H

#include <stdbool.h>

/* Prints the script for "bash" or "zsh"; false for any other shell. */
bool completion_print(const char *shell);

#endif
