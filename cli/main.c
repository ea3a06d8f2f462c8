/* main.c: owns the choice of a verb, to which it hands the command line, and what --version
 * says. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <ghz/cuda.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/output.h"
#include "options/table.h"
#include "report/report.h"
#include "tile/tile.h"
#include "verbs/verbs.h"

/* A part that a build may lack. */
typedef struct feature {
  const char *name;
  bool built;
} feature;

static void print_features(const char *title, bool built, const feature *f, size_t count) {
  const char *between = "";
  printf("%s ", title);
  for (size_t i = 0; i < count; i++)
    if (f[i].built == built) {
      printf("%s%s", between, f[i].name);
      between = ", ";
    }
  puts(*between ? "" : "nothing");
}

static void print_build(void) {
  const feature features[] = {{"OpenMP", GHZ_HAVE_OPENMP}, {"xxHash", true},        {"zstd", GHZ_HAVE_ZSTD},
                              {"libpng", GHZ_HAVE_PNG},    {"HDF5", GHZ_HAVE_HDF5}, {"CUDA", ghz_cuda_built()},
                              {"MPI", *GHZ_MPI_NAME != 0}};
  const size_t count = sizeof features / sizeof *features;
  printf("ghz %s\n", ghz_version());
  print_features("built with:", true, features, count);
  print_features("built without:", false, features, count);
  if (*GHZ_MPI_NAME)
    printf("collectives: for %s\n", GHZ_MPI_NAME);
}

static void print_machine(void) {
  ghz_context *ctx;
  if (ghz_context_create(&ctx, 0) == GHZ_OK)
    printf("instruction set: %s, of%s\nthreads: %d\n", ghz_context_isa(ctx), ghz_tiles_names().text,
           ghz_context_threads(ctx));
  else
    printf("instruction set: none (%s)\n", ghz_context_message(NULL));
  ghz_context_free(ctx);
}

/* ---- The command line ------------------------------------------------------------------------ */

static void print_help(void) {
  print_named(
      "Usage: ghz VERB [OPTION...] [FILE...]\n\n"
      "Compresses files of floating-point numbers within an error bound, and computes on the compressed\n"
      "files.\n\n"
      "Verbs:\n");
  for (int i = 0; verbs[i]; i++) {
    char names[32];
    snprintf(names, sizeof names, "%s%s%s", verbs[i]->name, verbs[i]->alias ? ", " : "",
             verbs[i]->alias ? verbs[i]->alias : "");
    printf("  %-12s %s\n", names, verbs[i]->summary);
  }
  print_named("\nghz VERB --help describes a verb; ghz --version prints the version.\n"
              "Exit code: 0 success, 1 failure, 2 usage error.\n\n"
              "Examples:\n"
              "  ghz compress --rel 1e-4 wave.f32             # makes wave.f32.ghz\n"
              "  ghz decompress wave.f32.ghz -o back.f32      # without -o: wave.f32\n"
              "  ghz add a.ghz b.ghz c.ghz -o sum.ghz         # adds without decompressing\n");
}

/* The verb that other programs call so, or the one that is spelt alike; or NULL. */
static const char *guess_verb(const char *name) {
  static const char *const synonyms[][2] = {{"average", "mean"},       {"avg", "mean"},
                                            {"bench", "tune"},         {"benchmark", "tune"},
                                            {"check", "test"},         {"cmp", "compare"},
                                            {"decode", "decompress"},  {"encode", "compress"},
                                            {"extract", "decompress"}, {"multiply", "scale"},
                                            {"range", "minmax"},       {"show", "info"},
                                            {"subtract", "sub"},       {"uncompress", "decompress"},
                                            {"verify", "test"}};
  guess g = guess_begin(name, strlen(name));
  for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
    if (strcmp(synonyms[i][0], name) == 0)
      return synonyms[i][1];
  for (int i = 0; verbs[i]; i++) {
    guess_offer(&g, verbs[i]->name);
    if (verbs[i]->alias)
      guess_offer(&g, verbs[i]->alias);
  }
  return g.best;
}

static int run_verb(const verb *v, int argc, char **argv) {
  options o;
  int code = options_parse(v, argc, argv, &o);
  if (code < 0)
    code = verb_run(v, &o);
  free(o.files);
  return code;
}

/* The shell says in COMP_LINE what stands there, of which COMP_POINT characters are before the
 * cursor. */
static int complete(const char *word) {
  const char *line = getenv("COMP_LINE"), *point = getenv("COMP_POINT");
  if (!line || !point)
    return fail_usage(NULL, "--complete is what shells ask: see complete -C in the manual page");
  const size_t size = strlen(line), before = strtoul(point, NULL, 10);
  completion_print(line, before < size ? before : size, word);
  return EXIT_OK;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2)
    return fail_usage(NULL, "no verb given");
  const char *word = argv[1];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (strcmp(word, "help") == 0 && argc < 3))
    return (print_help(), EXIT_OK);
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
    return (print_build(), print_machine(), EXIT_OK);
  if (strcmp(word, "--complete") == 0)
    return complete(argc > 3 ? argv[3] : "");
  bool help = strcmp(word, "help") == 0;
  const char *name = help ? argv[2] : word;
  const verb *v = verb_find(name);
  if (!v)
    return guess_verb(name)
               ? fail_usage(NULL, "unknown verb '%s'; did you mean '%s'?", name, guess_verb(name))
               : fail_usage(NULL, "unknown verb '%s'%s", name, *name == '-' ? ": options follow the verb" : "");
  return help ? (options_help(v), EXIT_OK) : run_verb(v, argc - 1, argv + 1);
}

/* Keeps closed standard descriptors occupied. A file that took such a number would be read or
 * written by mistake. */
static void hold_standard(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0)
      open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* so that its use still fails */
}

/* Flushes and closes standard output: some file systems report errors only then. */
static bool end_output(void) {
  if (fflush(stdout) != 0 || ferror(stdout))
    return false;
  return close(STDOUT_FILENO) == 0 || errno == EINTR || errno == EBADF;
}

int main(int argc, char **argv) {
  hold_standard();
  signals_install();
  files_raise_limit();
  int code = dispatch(argc, argv);
  if (!end_output()) {
    if (errno != EPIPE) /* the reader closed it early: no error */
      fail("standard output", "%s", strerror(errno));
    return code ? code : EXIT_DATA;
  }
  return code;
}
