/* together.c: owns the first of the two passes of ghz compress --together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "together.h"

#include "report/report.h"

enum { OPEN_FILES_MAX = 200 }; /* with more, files are closed between the passes */

static bool add_range(compression *c, value_range *r) {
  value_range own;
  if (c->bound.kind == GHZ_ABS || c->bound.kind == GHZ_STEP)
    return true;
  if (!input_make_seekable(&c->in) || !range_of_input(c->ctx, &c->in, compression_fill(c), NULL, &own))
    return false;
  input_rewind(&c->in);
  range_widen(r, own.min, own.max);
  return true;
}

static bool check_type(const compression *c, const compression *first) {
  return c->in.type == first->in.type ||
         fail(c->in.file.name, "type %s differs from %s in %s: --together needs files of one type",
              type_name(c->in.type), type_name(first->in.type), first->in.file.name);
}

bool together_open(compression *files, int count, const char *const *paths, value_range *r) {
  *r = range_nothing();
  for (int i = 0; i < count; i++) {
    compression *c = &files[i];
    bool ok = compression_open(c, paths[i]);
    const bool regular = ok && c->in.file.seekable && c->in.file.path;
    if (ok && check_type(c, files) && add_range(c, r)) {
      if (count > OPEN_FILES_MAX && regular)
        file_park(&c->in.file);
      continue;
    }
    for (int k = 0; k < i + ok; k++)
      compression_close(&files[k]);
    return false;
  }
  return true;
}
