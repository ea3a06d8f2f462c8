/* part.h: the values of a compressed file that are wanted: all, a range, or a box, frame by
 * frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_PART_H
#define GHZ_CLI_PART_H

#include "io/box.h"
#include "io/reader.h"
#include "options.h"

typedef struct part {
  uint64_t total;       /* values wanted, or COUNT_UNKNOWN */
  uint64_t first, left; /* of all or a range: the next value, and how many from there on */
  box box;              /* ndim 0: none */
  uint64_t line;        /* its next line */
  shape shape;          /* of the values as an array; without dimensions: a row */
} part;

/* What the options want of a file. Prints what is wrong if the file does not have it. */
bool part_begin(part *p, const options *o, const char *name, const frame_header *h);

/* Whether all that is wanted was taken, and whether a frame that ends there has some of it. */
bool part_done(const part *p);
bool part_in_frame(const part *p, uint64_t end);

/* A frame to take values from, and how. */
typedef struct frame_source {
  ghz_context *ctx;
  const char *name;
  const frame *frame;
  uint64_t first; /* number of the frame's first value */
  ghz_type type;  /* to decompress to */
  buffer *values; /* where to */
} frame_source;

/* Values in that buffer. */
typedef struct taken {
  const unsigned char *data;
  size_t bytes;
  uint64_t count;
} taken;

/* Takes what is wanted of a frame, which has some of it. */
bool part_take(part *p, const frame_source *s, taken *t);

#endif
