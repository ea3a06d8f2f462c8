/* main.c: owns the list of verbs, and hands the command line to one of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/signals.h"
#include "report/report.h"
#include "verbs.h"

static const verb *const verbs[] = {&verb_compress, &verb_decompress, &verb_add,    &verb_sub,
                                    &verb_scale,    &verb_mean,       &verb_minmax, &verb_info,
                                    &verb_test,     &verb_compare,    &verb_bench};
enum { VERBS = sizeof verbs / sizeof *verbs };

static void print_help(void) {
  printf("Usage: ghz VERB [OPTION...] [FILE...]\n\n"
         "Compresses files of floating-point numbers within an error bound, and computes on the compressed\n"
         "files.\n\n"
         "Verbs:\n");
  for (int i = 0; i < VERBS; i++)
    printf("  %-12s %s\n", verbs[i]->name, verbs[i]->summary);
  printf("\nghz VERB --help describes a verb; ghz --version prints the version.\n"
         "Exit code: 0 success, 1 failure, 2 usage error.\n\n"
         "Examples:\n"
         "  ghz compress --rel 1e-4 wave.f32             # makes wave.f32.ghz\n"
         "  ghz decompress wave.f32.ghz -o back.f32      # without -o: wave.f32\n"
         "  ghz add a.ghz b.ghz c.ghz -o sum.ghz         # adds without decompressing\n");
}

static const verb *find_verb(const char *name) {
  for (int i = 0; i < VERBS; i++)
    if (strcmp(verbs[i]->name, name) == 0)
      return verbs[i];
  return NULL;
}

static int run_verb(const verb *v, int argc, char **argv) {
  options o;
  int code = options_parse(v, argc, argv, &o);
  if (code < 0)
    code = v->run(&o);
  options_free(&o);
  return code;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2)
    return fail_usage(NULL, "no verb given");
  const char *word = argv[1];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (strcmp(word, "help") == 0 && argc < 3))
    return (print_help(), EXIT_OK);
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
    return (printf("ghz %s\n", ghz_version()), EXIT_OK);
  bool help = strcmp(word, "help") == 0;
  const verb *v = find_verb(help ? argv[2] : word);
  if (!v)
    return fail_usage(NULL, "unknown verb '%s'", help ? argv[2] : word);
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
  int code = dispatch(argc, argv);
  if (!end_output()) {
    if (errno != EPIPE) /* the reader closed it early: no error */
      fail("standard output", "%s", strerror(errno));
    return code ? code : EXIT_DATA;
  }
  return code;
}
