/* options.h: the verbs and the options that they share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_OPTIONS_H
#define GHZ_CLI_OPTIONS_H

#include <ghz/ghz.h>
#include <stdbool.h>
#include <stdint.h>

#include "io/box.h"
#include "io/input.h"

/* One bit per option that not every verb takes. */
enum {
  OPTION_OUTPUT = 1 << 0,
  OPTION_FORCE = 1 << 1,
  OPTION_ABS_REL = 1 << 2,
  OPTION_ORDER = 1 << 3,
  OPTION_TYPE = 1 << 4,
  OPTION_RANGE = 1 << 5,
  OPTION_JSON = 1 << 6,
  OPTION_PNG = 1 << 8,
  OPTION_EXTREME = 1 << 9,
  OPTION_FRAME = 1 << 10,
  OPTION_THREADS = 1 << 11,
  OPTION_DIMS = 1 << 12,
  OPTION_FLAT = 1 << 13,
  OPTION_BOX = 1 << 14,
  OPTION_SUMS = 1 << 15, /* --together, --like, --sum-of */
  OPTION_FILL = 1 << 17,
  OPTION_TARGET = 1 << 16, /* --psnr and --ratio */
  OPTION_VAR = 1 << 18,
  OPTION_PACK = 1 << 19,
  OPTION_LEVEL = 1 << 20,
  OPTION_PSNR = 1 << 21,
  OPTION_PLACES = 1 << 22, /* --differing-places */
  OPTION_STEP = 1 << 23,   /* --step and --lossless */
  OPTION_GRID = 1 << 24,
  OPTION_BOUND = OPTION_ABS_REL | OPTION_PSNR
};

enum extreme { EXTREME_NONE, EXTREME_MIN, EXTREME_MAX };

typedef struct options {
  const char *verb;
  const char **files; /* operands; "-" alone if none were given and standard input may be used */
  int file_count;
  const char *output; /* NULL: not given */
  bool force;
  int threads;
  bool bound_given;
  ghz_bound bound;
  const char *named[GHZ_STEP + 1]; /* by kind of bound: a list of NAME=E */
  bool lists_given;
  bool grid_auto; /* the bound is the quantum that is found */
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
  shape dims; /* ndim 0: not given */
  bool flat;
  box box; /* ndim 0: not given */
  enum extreme extreme;
  uint64_t frame_values; /* 0: 64 MiB of them */
  int pack;              /* level of packing; 0: none */
  double factor;
  const char *var; /* NULL: not given */
  bool differing_places;
} options;

typedef struct verb {
  const char *name;
  const char *alias;     /* another name, or NULL */
  const char *operands;  /* as in "[FILE...]" */
  const char *summary;   /* one line, for the list of verbs */
  const char *details;   /* paragraphs for --help, after the usage */
  const char *examples;  /* lines */
  const char *type_help; /* for --type, where it has another meaning; or NULL */
  unsigned options;      /* OPTION_ bits */
  int least, most;       /* operands */
  bool factor;           /* the first operand is a number */
  int (*run)(const options *o);
} verb;

/* Parses argv[1..] for a verb. Returns -1 to go on, else the exit code (--help, wrong usage). */
int options_parse(const verb *v, int argc, char **argv, options *o);
void options_free(options *o);

/* Prints the help of a verb to standard output. */
void options_help(const verb *v);

#endif
