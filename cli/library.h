/* library.h: libghz as the command uses it. */
#ifndef GHZ_CLI_LIBRARY_H
#define GHZ_CLI_LIBRARY_H

#include <ghz.h>
#include <stdbool.h>

#include "options.h"

/* Creates a context; prints why if there is none. */
bool library_open(ghz_context **ctx, int threads);

/* Prints what a call on `name` failed with, if it did. Returns whether status is GHZ_OK. ctx may be NULL. */
bool library_ok(const char *name, const ghz_context *ctx, ghz_status status);

/* Runs `one` on every file of the command, going on after a failure. Returns the exit code. */
int library_each_file(const options *o, bool (*one)(const options *o, ghz_context *ctx, const char *path));

#endif
