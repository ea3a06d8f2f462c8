/* selection.h: the values of a compressed file that are selected, a range or a box, piecewise. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_SELECTION_H
#define GHZ_CLI_SELECTION_H

#include "io/box.h"
#include "io/buffer.h"
#include "io/reader.h"
#include "options/options.h"

typedef struct selection {
  const options *o;
  uint64_t total;               /* values selected, or GHZ_FILE_UNKNOWN */
  shape shape;                  /* of the values as an array; without dimensions: a row */
  uint64_t done;                /* values */
  box box;                      /* ndim 0: none */
  uint64_t next[GHZ_FILE_NDIM]; /* where its next piece begins */
} selection;

/* What the options select of a file. Prints what is wrong if the file does not have it. */
bool selection_begin(selection *s, const options *o, const char *name, const ghz_file_header *h);

/* Whether it is not all of the file. */
bool selection_is_less(const selection *s);

/* Decompresses the next piece to `values`, and sets *count; to 0 if all was taken. Calls that
 * return false have printed why. */
bool selection_take(selection *s, frame_reader *r, ghz_context *ctx, ghz_type type, buffer *values,
                    size_t *count);

#endif
