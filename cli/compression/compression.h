/* compression.h: the compression of one file of values to a .ghz file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_COMPRESSION_H
#define GHZ_CLI_COMPRESSION_H

#include "io/file.h"
#include "io/input.h"
#include "io/output.h"
#include "options/options.h"
#include "work/range.h"

/* A compressed file that others are to be added to: --like. */
typedef struct model {
  const char *path; /* NULL: none */
  ghz_file_header header;
  ghz_lattice lattice;
} model;

typedef struct compression {
  const options *o;
  ghz_context *ctx;
  ghz_bound bound;          /* without a model */
  const value_range *range; /* NULL: the file's own, where the bound depends on it */
  const model *model;       /* its path is NULL if there is none */
  input in;
  char *own_name; /* FILE.ghz, where that is the output */
  output out;
  frame_writer writer;
  ghz_lattice lattice;
  bool has_fill; /* --fill or --like names one */
  double fill;
  ghz_loss loss;          /* of the first frame that has something to say */
  uint64_t missing;       /* values */
  bool turned;            /* the bytes of the first frame's values look turned round */
  ghz_file_header header; /* what is written, and how it is cut into frames */
  uint64_t frames;        /* written */
  uint64_t on_grid[2];    /* of floats: how many values --step stores as they are, and how many not */
  double seconds;         /* what it took */
  buffer values;
} compression;

/* The fill value that --fill or --like names; NULL without one. */
static inline const double *compression_fill(const compression *c) {
  return c->has_fill ? &c->fill : NULL;
}

/* Reads the model. Calls that return false have printed why. */
bool model_open(model *m, const char *path);

/* Opens a file of values that is to be compressed so. To be closed also if it fails. */
bool compression_open(compression *c, const char *path);

/* Widens *r by the finite values of the whole file, where the bound depends on them. */
bool compression_range(compression *c, value_range *r);

/* Compresses it to a file whose name the options or the input's name give. */
bool compression_run(compression *c);
void compression_close(compression *c);

/* Says what was written: a line, with -v two; or an object of JSON. */
void compression_describe(const compression *c);
void compression_print_json(const compression *c);

/* Warns, in either form of the report, of what a user may not have meant. */
void compression_warn(compression *c);

#endif
