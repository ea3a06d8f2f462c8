/* verbs.c: owns the list of verbs, and the loop over the files of a command, which share one
 * context. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* ---- What options and names say of files ----------------------------------------------------- */

/* Options of HDF5 files are for one operand at least; one that cannot be read says so itself. */
static int check_kinds(const verb *v, const options *o) {
  const char *option = o->var ? "var" : o->differing_places ? "differing-places" : NULL;
  if (o->var && !*o->var)
    return fail_usage(v->name, "--var: the name is empty");
  bool all_others = option && o->file_count > 0;
  for (int i = 0; i < o->file_count && all_others; i++)
    all_others = h5_is_none(o->files[i]);
  return all_others
             ? fail_usage(v->name, "--%s is for HDF5 and netCDF files, and %s is none", option, *o->files)
             : -1;
}

/* An operand that is not there, or is not for the verb or for the first one, is what is wrong
 * before all else: the verb says so. */
static bool has_wrong_operand(const verb *v, const options *o) {
  bool wrong = false;
  for (int i = 0; i < o->file_count; i++)
    wrong |= strcmp(o->files[i], "-") != 0 &&
             (access(o->files[i], F_OK) != 0 || h5_named(o->files[i]) != (v->writes[1] && h5_named(*o->files)));
  return wrong && !o->force;
}

/* Whoever reads a file under a name that says another format takes it for that. Operands are looked
 * at only then: there may be thousands. */
static int check_name(const verb *v, const options *o, const char *name, const char *endings) {
  return !name || strstr(endings, format_named(name)) || has_wrong_operand(v, o)
             ? -1
             : fail_usage(v->name, "%s: another format is written than its extension says: let it end in %s",
                          name, endings);
}

/* Values may follow each other on standard output. */
static int check_names(const verb *v, const options *o) {
  const bool standard = o->output && strcmp(o->output, "-") == 0, h5 = v->writes[1] && h5_operand(o, *o->files);
  if (v->apart && o->output && o->file_count > 1 && !(standard && v == &verb_decompress))
    return fail_usage(v->name, "%s takes one input file, %d were given", standard ? "-c" : "-o", o->file_count);
  const int code = check_name(v, o, o->output, o->pack && !v->apart ? ".ghz (--pack)" : v->writes[h5]);
  return code < 0 ? check_name(v, o, o->png, ".png") : code;
}

/* ---- All of a verb --------------------------------------------------------------------------- */

int verb_run(const verb *v, const options *o) {
  ghz_context *ctx;
  int code = check_kinds(v, o);
  if (code < 0 && v->check)
    code = v->check(o);
  if (code < 0)
    code = check_names(v, o);
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
