/* combine.h: operations on compressed files, frame by frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_COMBINE_H
#define GHZ_CLI_COMBINE_H

#include <ghz.h>

#include "options.h"

typedef struct operation {
  /* Combines 2 <= k <= group streams to one; applied again and again until one is left. */
  ghz_status (*fold)(ghz_context *ctx, size_t k, const ghz_bytes *streams, void *dst, size_t capacity,
                     size_t *size);
  int group;
  bool adds;     /* terms add up; else the result has the most that an operand has */
  double factor; /* what the result is multiplied by at the end; 1: nothing */
} operation;

/* Combines the files of the command to its output. Returns the exit code. */
int combine(const options *o, const operation *op);

#endif
