/* comparison.h: what ghz compare knows of two files, and how it says that. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_COMPARISON_H
#define GHZ_CLI_COMPARISON_H

#include "difference.h"
#include "io/values.h"
#include "options/options.h"
#include "picture/picture.h"

typedef struct comparison {
  const options *o;
  ghz_context *ctx;
  values original, result;
  shape shape; /* of both, where one of them knows it or --dims says it; else ndim 0 */
  difference difference;
  picture picture;
  bool has_fill;
  double fill;  /* missing values: of a compressed file, or of --fill */
  double bound; /* 0: not known */
} comparison;

bool comparison_bound_known(const comparison *c);
bool comparison_violated(const comparison *c);
double comparison_ratio(const comparison *c);

/* Prints the results. */
void comparison_print_table(const comparison *c);
void comparison_print_json(const comparison *c);

/* The picture of --png, where it is asked for: before the values are read, and after. */
bool comparison_begin_picture(comparison *c);
bool comparison_write_picture(const comparison *c);

#endif
