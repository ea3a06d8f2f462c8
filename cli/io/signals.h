/* signals.h: removes the unfinished file when a signal ends the command. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_SIGNALS_H
#define GHZ_CLI_SIGNALS_H

#include <stdbool.h>

#include "file/temporary.h"

/* Ignores SIGPIPE and SIGXFSZ, so that writes report an error. Catches the signals that end
 * programs. */
void signals_install(void);

/* Creates an unfinished file, as ghz_temporary_create, and removes it if a signal comes. At most
 * one at a time, until one of these: */
int signals_create(temporary_file *u, const char *path, bool named, const struct stat *old);

/* As ghz_temporary_publish; closes the file, or removes it after an error, and frees *u. */
int signals_commit(temporary_file *u, int only_if_absent);

/* Removes the file, and frees *u. */
void signals_discard(temporary_file *u);

/* Makes a temporary file without a name, in *directory. Returns its descriptor, or -1 with errno
 * set. */
int signals_scratch(const char **directory);

#endif
