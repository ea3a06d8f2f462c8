/* signature.h: files that hold something else than plain values, by their first bytes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_SIGNATURE_H
#define GHZ_CLI_SIGNATURE_H

#include "file.h"

typedef struct signature {
  const char *what;   /* what the file is, as in "a gzip file"; NULL: maybe plain values */
  const char *advice; /* what to do with it */
} signature;

/* Looks at the next bytes of a file, and leaves them to be read. Values that happen to begin like
 * one of these formats are not expected: every test looks at 32 bits or more. */
bool signature_find(file *f, signature *found);

#endif
