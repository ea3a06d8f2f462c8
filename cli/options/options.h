/* options.h: the options that the verbs share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_OPTIONS_H
#define GHZ_CLI_OPTIONS_H

#include <ghz/ghz.h>
#include <stdbool.h>
#include <stdint.h>

#include "io/input.h"
#include "io/shape.h"

typedef struct options {
  const char *verb;
  const char **files; /* to be freed: operands; "-" alone if none were given and standard input may be used */
  int file_count;
  const char *output; /* NULL: not given */
  bool force;
  int threads;
  bool bound_given;
  ghz_bound bound;
  const char *named[GHZ_STEP + 1]; /* by kind of bound: a list of NAME=E */
  bool lists_given;
  bool together;
  const char *like; /* NULL: not given */
  uint64_t sum_of;  /* 0: not given */
  bool has_fill;
  double fill;
  double ratio; /* 0: not given */
  int order;
  type_choice type;
  bool range_given;
  uint64_t range_first, range_count;
  bool json;
  const char *png;
  box slice;  /* ndim 0: the middle one */
  shape dims; /* ndim 0: not given */
  bool flat;
  box box; /* ndim 0: not given */
  bool min, max;
  uint64_t frame_values; /* 0: 64 MiB of them */
  int pack;              /* level of packing; 0: none */
  double factor;
  const char *var; /* NULL: not given */
  bool differing_places;
} options;

typedef struct verb verb; /* verbs.h */

/* Parses argv[1..] for a verb. Returns -1 to go on, else the exit code (--help, wrong usage). */
int options_parse(const verb *v, int argc, char **argv, options *o);

/* Prints the help of a verb to standard output. */
void options_help(const verb *v);

#endif
