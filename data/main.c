/* main.c: owns the command line of ghz-fields and the list of the fields it knows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SIZE_LEAST = 16, SIZE_MOST = 2048, SIZE_USUAL = 256, EXIT_USAGE = 2 };

typedef struct field {
  const char *name;
  bool (*make)(const run *r); /* NULL: this build cannot make it */
  const char *about;
} field;

#ifdef GHZ_DATA_FFTW
#define WITH_FFTW(maker) maker
#else
#define WITH_FFTW(maker) NULL
#endif

/* Neighbours with the same maker are made in one run. */
static const field fields[] = {
    {"wave-early", make_waves, "3-D acoustic wave, 10 % of the cells reached"},
    {"wave-middle", make_waves, "the same wave, 40 % of the cells reached"},
    {"wave-late", make_waves, "the same wave, 90 % of the cells reached"},
    {"density", WITH_FFTW(make_density), "3-D log-normal density"},
    {"turbulence", WITH_FFTW(make_turbulence), "3-D velocity component with a k^-5/3 spectrum"},
    {"climate", WITH_FFTW(make_climate), "2-D temperature on a latitude-longitude grid"},
    {"gradient", make_gradient, "1-D Laplace-distributed values, with a new scale every 4096 values"},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static void print_help(void) {
  printf("Usage: ghz-fields [--size N] [--only NAME[,NAME...]] [-q] OUTDIR\n"
         "       ghz-fields --list\n"
         "Makes test fields: OUTDIR/NAME.f32, raw little-endian float32, slowest dimension first.\n"
         "Prints a line for each: name, dimensions, minimum, maximum.\n\n"
         "  -n, --size N     edge of the 3-D fields, %d to %d (default: %d); the others scale with it\n"
         "  -o, --only LIST  make only these fields\n"
         "  -l, --list       list the fields\n"
         "  -q, --quiet      no progress on standard error\n"
         "  -h, --help       print this help\n",
         SIZE_LEAST, SIZE_MOST, SIZE_USUAL);
}

static void print_list(void) {
  for (int i = 0; i < FIELDS; i++)
    printf("%-12s %s%s\n", fields[i].name, fields[i].about,
           fields[i].make ? "" : " (not in this build, which lacks FFTW)");
}

static bool read_size(const char *text, size_t *n) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno != 0 || end == text || *end || value < SIZE_LEAST || value > SIZE_MOST) {
    fprintf(stderr, "ghz-fields: --size %s: not a whole number from %d to %d\n", text, SIZE_LEAST, SIZE_MOST);
    return false;
  }
  *n = (size_t)value;
  return true;
}

/* True if `name`, which need not end after `length` characters, is a field that this build can
 * make. */
static bool check_name(const char *name, int length) {
  for (int i = 0; i < FIELDS; i++) {
    if (strlen(fields[i].name) != (size_t)length || strncmp(fields[i].name, name, (size_t)length) != 0)
      continue;
    return fields[i].make || fail(fields[i].name, "cannot be made, ghz-fields was built without FFTW");
  }
  fprintf(stderr, "ghz-fields: --only: no field is called '%.*s', see --list\n", length, name);
  return false;
}

static bool check_names(const char *list) {
  for (;;) {
    size_t item = strcspn(list, ",");
    if (!check_name(list, (int)item))
      return false;
    if (!list[item])
      return true;
    list += item + 1;
  }
}

static bool make_folder(const char *folder) {
  struct stat found;
  if (mkdir(folder, 0777) == 0)
    return true;
  int reason = errno;
  if (stat(folder, &found) != 0)
    return fail(folder, strerror(reason));
  return S_ISDIR(found.st_mode) || fail(folder, "is not a folder");
}

static bool make_fields(const run *r) {
  bool (*last)(const run *) = NULL;
  printf("# %-10s %-12s %16s %16s\n", "name", "dims", "min", "max");
  for (int i = 0; i < FIELDS; i++) {
    if (!run_wants(r, fields[i].name))
      continue;
    if (!fields[i].make)
      fprintf(stderr, "ghz-fields: left out %s: built without FFTW\n", fields[i].name);
    else if (fields[i].make != last && !fields[i].make(r))
      return false;
    last = fields[i].make;
  }
  return true;
}

enum { GO_ON = -1 };

static int show(void (*print)(void)) {
  print();
  return EXIT_SUCCESS;
}

/* Handles one option. Returns GO_ON, or the exit status. */
static int take_option(int option, run *r) {
  switch (option) {
  case 'n':
    return read_size(optarg, &r->n) ? GO_ON : EXIT_USAGE;
  case 'o':
    r->only = optarg;
    return check_names(optarg) ? GO_ON : EXIT_USAGE;
  case 'q':
    r->quiet = true;
    return GO_ON;
  case 'l':
    return show(print_list);
  case 'h':
    return show(print_help);
  default: /* getopt_long has printed what is wrong */
    return EXIT_USAGE;
  }
}

/* Reads the command line into `r`. Returns GO_ON, or the exit status. */
static int read_arguments(int argc, char **argv, run *r) {
  static const struct option options[] = {
      {"size", required_argument, NULL, 'n'}, {"only", required_argument, NULL, 'o'},
      {"list", no_argument, NULL, 'l'},       {"quiet", no_argument, NULL, 'q'},
      {"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0}};
  int option;
  while ((option = getopt_long(argc, argv, "n:o:lqh", options, NULL)) != -1) {
    int status = take_option(option, r);
    if (status != GO_ON)
      return status;
  }
  if (argc - optind != 1) {
    fail("arguments",
         argc == optind ? "the output folder is missing, see --help" : "give one output folder, see --help");
    return EXIT_USAGE;
  }
  r->folder = argv[optind];
  return GO_ON;
}

int main(int argc, char **argv) {
  run r = {.n = SIZE_USUAL};
  int status = read_arguments(argc, argv, &r);
  if (status == GO_ON)
    status = make_folder(r.folder) && make_fields(&r) ? EXIT_SUCCESS : EXIT_FAILURE;
  if (status == EXIT_SUCCESS && fflush(stdout) != 0) {
    fail("standard output", strerror(errno));
    status = EXIT_FAILURE;
  }
  return status;
}
