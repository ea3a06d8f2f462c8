/* verbs.h: all the verbs, one per file; and those that treat their files one by one, of which
 * --json prints one array. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_VERBS_VERBS_H
#define GHZ_CLI_VERBS_VERBS_H

#include <ghz/ghz.h>
#include <stdbool.h>

#include "h5/h5.h"
#include "io/reader.h"
#include "options/options.h"

struct verb {
  const char *name;
  const char *alias;     /* another name, or NULL */
  const char *operands;  /* as in "[FILE...]" */
  const char *summary;   /* one line, for the list of verbs */
  const char *details;   /* paragraphs for --help, after the usage */
  const char *examples;  /* lines */
  const char *type_help; /* for --type, where it has another meaning; or NULL */
  int least, most;       /* operands; most 0: any number */
  bool apart;            /* each operand becomes a file of its own */
  const char *writes[2]; /* how names of what it writes end; NULL or of HDF5 operands */
  bool factor;           /* the first operand is a number */

  /* Says what is wrong with the options, or does all. Returns -1 to go on, else the exit code. */
  int (*check)(const options *o);

  /* One of these prints why it fails: all files, or each by its name, its frames or its values.
   * variable: in the place of these for each of an HDF5 file. */
  bool (*run)(const options *o, ghz_context *ctx);
  bool (*each)(const options *o, ghz_context *ctx, const char *path);
  bool (*each_reader)(const options *o, ghz_context *ctx, frame_reader *r);
  bool (*each_values)(const options *o, ghz_context *ctx, values *v);
  h5_visitor *variable;
};

extern const verb verb_compress, verb_decompress, verb_add, verb_sub, verb_scale, verb_mean, verb_minmax,
    verb_info, verb_stats, verb_diff, verb_test, verb_compare, verb_tune, verb_h5args, verb_pack, verb_unpack;

extern const verb *const verbs[]; /* NULL ends the list */

/* The verb of a name, or NULL. */
const verb *verb_find(const char *name);

/* ---- Files one by one ------------------------------------------------------------------------ */

/* Begins the object of a file by its name. The caller writes the rest, from a comma to the
 * brace. */
void json_file(const char *name);

/* Runs a verb on every file of the command, and goes on after a failure. */
bool each_file(const verb *v, const options *o, ghz_context *ctx);

/* Runs a verb; --json prints an array where it takes any number of files. Returns the exit code. */
int verb_run(const verb *v, const options *o);

#endif
