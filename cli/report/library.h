/* library.h: the context of libghz, and its errors as messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_LIBRARY_H
#define GHZ_CLI_LIBRARY_H

#include <ghz/ghz.h>
#include <stdbool.h>

/* Creates a context; prints why if there is none. */
bool library_open(ghz_context **ctx, int threads);

/* Returns whether status is GHZ_OK; if not, prints the error of a call on the file `name`. ctx may
 * be NULL. */
bool library_ok(const char *name, const ghz_context *ctx, ghz_status status);

#endif
