/* table.h: every option of every verb. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_OPTIONS_TABLE_H
#define GHZ_CLI_OPTIONS_TABLE_H

#include "options.h"

/* Values of long options without a letter. */
enum {
  ABS = 256,
  REL,
  PSNR,
  ORDER,
  TYPE,
  BIG_END,
  RANGE,
  JSON,
  PNG,
  DIMS,
  FLAT,
  BOX,
  MIN,
  MAX,
  FRAME_VALUES,
  TOGETHER,
  LIKE,
  SUM_OF,
  RATIO,
  FILL,
  PACK,
  LEVEL,
  VAR,
  PLACES,
  STEP,
  LOSSLESS,
  GRID
};

typedef struct option_row {
  int key;      /* letter, or one of the values above */
  unsigned bit; /* verbs that have one of these bits take it; 0: every verb */
  const char *name;
  const char *argument; /* NULL: none; "[=LEVEL]": may be left out */
  const char *help;
} option_row;

extern const option_row option_table[];
extern const int option_rows;

#define OPTION_ROWS_MAX 64

/* The row of a key, or NULL. */
const option_row *option_find(int key);

/* Whether a verb takes the option. */
bool option_applies(const verb *v, const option_row *row);

#endif
