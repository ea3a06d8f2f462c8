/* part.h: the values of a compressed file that are wanted, a range or a box, piece by piece. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_PART_H
#define GHZ_CLI_PART_H

#include "io/box.h"
#include "io/buffer.h"
#include "io/reader.h"
#include "options.h"

typedef struct part {
  const options *o;
  uint64_t total;               /* values wanted, or GHZ_FILE_UNKNOWN */
  shape shape;                  /* of the values as an array; without dimensions: a row */
  uint64_t done;                /* values */
  box box;                      /* ndim 0: none */
  uint64_t next[GHZ_FILE_NDIM]; /* where its next piece begins */
} part;

/* What the options want of a file. Prints what is wrong if the file does not have it. */
bool part_begin(part *p, const options *o, const char *name, const ghz_file_header *h);

/* Whether it is not all of the file. */
bool part_is_less(const part *p);

/* Decompresses the next piece to `values`, and sets *count; to 0 if all was taken. Calls that
 * return false have printed why. */
bool part_take(part *p, frame_reader *r, ghz_context *ctx, ghz_type type, buffer *values, size_t *count);

#endif
