/* tuning.h: what bounds give on the values of a file: ratio, PSNR, speed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_TUNING_H
#define GHZ_CLI_TUNING_H

#include "io/buffer.h"
#include "io/input.h"
#include "options/options.h"
#include "range.h"

typedef struct tuning {
  const options *o;
  ghz_context *ctx;
  input in;
  double fill;            /* with --fill */
  value_range range;      /* of the whole file */
  ghz_file_header header; /* of the sample: the whole array, or a frame in its middle */
  ghz_file_header flat;   /* of the same as a flat array; a count of 0 where that is not tried */
  size_t count;           /* its values */
  buffer values, stream, back;
} tuning;

/* What a bound gives on the sample. */
typedef struct trial {
  double rel, eb;              /* the relative bound that was asked for, and the bound itself */
  double ratio, bits;          /* of a file of the sample; bits per value */
  double psnr;                 /* over the range of the whole file; NaN where that is 0 */
  double compress, decompress; /* GB/s of original bytes; 0 if not measured */
} trial;

/* What the quantum of the sample gives; a step of 0 if it has none. */
typedef struct quantum_trial {
  double step, ratio, bits;
} quantum_trial;

/* Reads the sample. Calls that return false have printed why. */
bool tuning_open(tuning *t, const options *o, ghz_context *ctx, const char *path);
void tuning_close(tuning *t);

/* The steps of a trial: of the sample to the stream, and back. */
bool tuning_lattice(const tuning *t, ghz_bound bound, ghz_lattice *l);
bool tuning_compress(tuning *t, const ghz_lattice *l, size_t *size);
bool tuning_decompress(tuning *t, size_t size);

/* Warns of what a relative bound takes from the sample, and of fill values that nobody named. */
bool tuning_warn(const tuning *t, double rel);

/* A sample with a shape is tried as a flat array, too, unless the order is one that only bricks
 * have. */
bool tuning_has_flat(const tuning *t);

/* Tries a relative bound, with speeds; the same of the flat array. */
bool tuning_try(tuning *t, double rel, trial *result);
bool tuning_try_flat(tuning *t, double rel, trial *result);

/* Looks for a quantum, and tries it. */
bool tuning_try_quantum(tuning *t, quantum_trial *result);

/* Searches, to three digits, the largest relative bound that gives the PSNR of the options, or the
 * least that gives their ratio. */
bool tuning_search(tuning *t, trial *result);

#endif
