/* completion.h: the words that complete a command line, for the shells (complete -C). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_COMPLETION_H
#define GHZ_CLI_COMPLETION_H

#include <stddef.h>

/* Prints what may stand in the place of the last word of a command line of so many characters, one
 * a line: nothing where the shell offers names of files. */
void completion_print(const char *line, size_t size);

#endif
