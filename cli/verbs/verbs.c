/* verbs.c: owns the list of verbs, and the loop over the files of a command, which share one
 * context. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "report/text.h"
#include "verbs.h"

const verb *const verbs[] = {
    &verb_compress, &verb_decompress, &verb_add,    &verb_sub,    &verb_scale, &verb_mean,
    &verb_minmax,   &verb_info,       &verb_stats,  &verb_diff,   &verb_test,  &verb_compare,
    &verb_tune,     &verb_pack,       &verb_unpack, &verb_h5args, NULL};

const verb *verb_find(const char *name) {
  for (int i = 0; verbs[i]; i++)
    if (strcmp(verbs[i]->name, name) == 0 || (verbs[i]->alias && strcmp(verbs[i]->alias, name) == 0))
      return verbs[i];
  return NULL;
}

/* ---- Files one by one ------------------------------------------------------------------------ */

void json_file(const char *name) {
  static bool begun; /* an object has been printed already */
  printf("%s\n  {\"file\": ", begun ? "," : "");
  json_string(stdout, name);
  begun = true;
}

static bool one_file(const verb *v, const options *o, ghz_context *ctx, const char *path) {
  frame_reader r = {.own = NULL};
  values x = {.ctx = NULL};
  bool ok;
  if (v->variable && h5_operand(o, path))
    return h5_each_variable(o, ctx, &path, 1, v->variable);
  if (v->each)
    return v->each(o, ctx, path);
  if (v->each_values)
    ok = values_open(&x, ctx, path, o->type) && v->each_values(o, ctx, &x);
  else
    ok = reader_open(&r, path) && v->each_reader(o, ctx, &r);
  values_close(&x);
  reader_close(&r);
  return ok;
}

bool each_file(const verb *v, const options *o, ghz_context *ctx) {
  bool ok = true;
  for (int i = 0; i < o->file_count; i++)
    ok &= one_file(v, o, ctx, o->files[i]);
  return ok;
}

int verb_run(const verb *v, const options *o) {
  ghz_context *ctx;
  const int code = v->check ? v->check(o) : -1;
  if (code >= 0)
    return code;
  if (!library_open(&ctx, o->threads))
    return EXIT_DATA;
  if (o->json && !v->most)
    printf("[");
  const bool ok = v->run ? v->run(o, ctx) : each_file(v, o, ctx);
  if (o->json && !v->most)
    printf("\n]\n");
  ghz_context_free(ctx);
  return ok ? EXIT_OK : EXIT_DATA;
}
