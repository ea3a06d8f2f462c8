/* h5args.c: owns `ghz h5args`: how h5repack and nccopy use the HDF5 filter. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/table.h"
#include "report/report.h"
#include "verbs.h"

typedef struct lines {
  const options *o;
  h5_request *named;
  size_t count;
  FILE *repack, *nccopy;
  char *text[2];
  size_t size[2];
  bool copies; /* nccopy can do all that is asked for */
} lines;

/* ---- Names ----------------------------------------------------------------------------------- */

/* The next name of a list, to be freed. A backslash keeps a comma in it. */
static char *next_name(const char **list) {
  const char *from = *list + (strncmp(*list, "./", 2) == 0 ? 2 : **list == '/');
  char *name = malloc(strlen(from) + 1), *to = name;
  for (; name && *from && *from != ','; *to++ = *from++)
    from += *from == '\\' && from[1];
  if (name)
    *to = '\0';
  *list = from + (*from == ',');
  return name;
}

/* Frees the name if there is no memory for more. */
static bool add_name(lines *l, char *name, ghz_bound bound) {
  const options *o = l->o;
  h5_request *more = name ? realloc(l->named, (l->count + 1) * sizeof *more) : NULL;
  if (!more) {
    free(name);
    return fail(o->verb, "out of memory");
  }
  l->named = more;
  more[l->count++] = (h5_request){
      .path = name,
      .parameters = {.bound = bound, .fill = o->has_fill ? GHZ_H5_FILL_GIVEN : 0, .fill_value = o->fill}};
  return true;
}

/* Of a list of NAME=E. */
static int take_bounds(lines *l, ghz_bound_kind kind) {
  for (const char *rest = l->o->named[kind]; rest && *rest;) {
    char *name = next_name(&rest), *number = name ? strrchr(name, '=') : NULL;
    double value = 0;
    if (number)
      *number++ = '\0';
    if (!add_name(l, name, (ghz_bound){kind, 0}))
      return EXIT_DATA;
    if (!number || !parse_double(number, &value) || !isfinite(value) || !(value > 0))
      return fail_usage(l->o->verb, "%s: a list of bounds must be NAME=E,NAME=E..., each above 0",
                        l->o->named[kind]);
    l->named[l->count - 1].parameters.bound.value = value;
  }
  return EXIT_OK;
}

static int take_names(lines *l) {
  const options *o = l->o;
  int code = EXIT_OK;
  for (int kind = GHZ_ABS; code == EXIT_OK && kind <= GHZ_STEP; kind++)
    code = take_bounds(l, (ghz_bound_kind)kind);
  for (const char *rest = o->var; code == EXIT_OK && rest && *rest;)
    code = add_name(l, next_name(&rest), o->bound) ? EXIT_OK : EXIT_DATA;
  for (size_t i = 0; code == EXIT_OK && i < l->count; i++)
    code = *l->named[i].path ? EXIT_OK : fail_usage(o->verb, "the name of a variable is empty");
  return code;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* Whether ncdump escapes a character of a name, and a shell may mean something by it. */
static bool is_special(const char *name, const char *c) {
  return strchr(" !\"#$&'()*,:;<=>?[\\]^`{|}~", *c) || iscntrl((unsigned char)*c) ||
         (isdigit((unsigned char)*c) && (c == name || c[-1] == '/'));
}

/* An option, a word that begins with a name, as a shell reads it; netcdf: escaped, groups not. */
static void put(FILE *to, const char *option, const char *name, bool netcdf, const char *rest) {
  bool quoted = false;
  for (const char *c = name; *c; c++)
    quoted |= is_special(name, c);
  fprintf(to, " %s %s", option, quoted ? "'" : "");
  for (const char *c = name; *c; c++) {
    if (netcdf && is_special(name, c) && !strchr(c, '/'))
      fputc('\\', to);
    fputs(*c == '\'' ? "'\\''" : (const char[]){*c, '\0'}, to);
  }
  fprintf(to, "%s%s", rest, quoted ? "'" : "");
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* The filter for a data set, and chunks if it has none. */
static void put_request(FILE *to, const h5_request *r, bool netcdf) {
  unsigned words[GHZ_H5_WORDS_USER];
  char rest[GHZ_H5_RANK_MAX * 21 + 256];
  const ghz_h5_parameters *p = &r->parameters;
  const size_t count = ghz_h5_write_user(p, words);
  int n = snprintf(rest, sizeof rest, netcdf ? ",%d" : ":UD=%d,0,%zu", GHZ_H5_FILTER, count);
  for (size_t i = 0; i < count; i++)
    n += snprintf(rest + n, sizeof rest - (size_t)n, ",%u", words[i]);
  put(to, netcdf ? "-F" : "-f", r->path, netcdf, rest);
  n = 0;
  for (unsigned i = 0; i < p->rank; i++)
    n += snprintf(rest + n, sizeof rest - (size_t)n, "%s%llu",
                  i        ? netcdf ? "," : "x"
                  : netcdf ? ":"
                           : ":CHUNK=",
                  (unsigned long long)p->chunk[i]);
  if (n > 0)
    put(to, netcdf ? "-c" : "-l", r->path, false, rest); /* nccopy takes these names as they are */
}

static void add(const h5_request *r, void *user) {
  lines *l = user;
  if (strpbrk(r->path, ",:"))
    note(LEVEL_NORMAL, "%s: h5repack takes no name with a comma or a colon", r->path);
  else
    put_request(l->repack, r, false);
  put_request(l->nccopy, r, true);
  if (!r->filter[0])
    return;
  note(LEVEL_NORMAL, "%s: is compressed already (%s): nccopy would leave the filter out, take h5repack",
       r->path, r->filter);
  l->copies = false;
}

static bool add_all(lines *l) {
  const options *o = l->o;
  if (o->file_count > 0)
    return h5_each_request(o, l->named, l->count, add, l);
  for (size_t i = 0; i < l->count; i++)
    add(&l->named[i], l);
  return true;
}

static int print(lines *l) {
  l->repack = open_memstream(&l->text[0], &l->size[0]);
  l->nccopy = open_memstream(&l->text[1], &l->size[1]);
  bool ok = (l->repack && l->nccopy) || fail(l->o->verb, "out of memory");
  ok = ok && add_all(l);
  ok = (!l->repack || fclose(l->repack) == 0) && ok;
  ok = (!l->nccopy || fclose(l->nccopy) == 0) && ok;
  if (ok && l->size[1] == 0)
    ok = fail(l->o->files[0], "has no data set that the bound is for: name some, as in --abs NAME=E");
  if (ok && l->size[0] > 0)
    printf("h5repack --enable-error-stack%s\n", l->text[0]);
  if (ok && l->copies)
    printf("nccopy%s\n", l->text[1]);
  free(l->text[0]);
  free(l->text[1]);
  return ok ? EXIT_OK : EXIT_DATA;
}

static int run(const options *o) {
  lines l = {.o = o, .copies = true};
  if (!o->bound_given && (o->var || !o->lists_given))
    return fail_usage(o->verb, "no bound given: --abs E, --rel E, --step S or --lossless");
  if (!o->lists_given && !o->var && o->file_count == 0)
    return fail_usage(o->verb, "of which variables? Give the FILE, or --var NAME: coordinates are floats, too");
  int code = take_names(&l);
  if (code == EXIT_OK)
    code = print(&l);
  for (size_t i = 0; i < l.count; i++)
    free((char *)l.named[i].path);
  free(l.named);
  return code;
}

const verb verb_h5args = {
    .name = "h5args",
    .operands = "[FILE.nc]",
    .summary = "print how h5repack and nccopy compress HDF5 and netCDF files",
    .details =
        "Prints two commands, h5repack for HDF5 and nccopy for netCDF. Append the file to read and the file\n"
        "to write. Both need the filter: set HDF5_PLUGIN_PATH to its folder. With a FILE, takes from it\n"
        "which values are missing, which variables are packed, and what is compressed already. A bound\n"
        "without a name is for all variables there that hold data, but for coordinates and their bounds;\n"
        "lists give each its own, as in --abs tas=0.01,pr=1e-7. Without a FILE, name variables by --var, and\n"
        "what is missing by --fill. --rel refers to the range of each chunk, so data sets compressed with it\n"
        "cannot be added. Integers and data on a grid of their own come back as they were by --step and\n"
        "--lossless.",
    .examples = "  ghz h5args --abs tas=0.01,pr=1e-7 --rel ta=1e-3 FILE.nc\n"
                "  ghz h5args --abs 1e-3 FILE.nc\n"
                "  ghz h5args --lossless --var packed\n"
                "  ghz h5args --rel 1e-4 --fill -999 --var ocean/temp\n",
    .least = 0,
    .most = 1,
    .check = run,
};
