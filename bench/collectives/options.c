/* options.c: owns the command line. */
#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: mpirun ... ghz_%s_bench [OPTION...]\n"
    "Measures ghz_%s: every variant and the call of MPI in turn, in every round, each result checked.\n"
    "Sizes are bytes of the largest buffer of a rank (suffixes k, M, G); times are those of the slowest "
    "rank.\n\n"
    "  -b, --min SIZE        smallest size (1M)\n"
    "  -e, --max SIZE        largest size (64M)\n"
    "  -f, --factor N        from one size to the next (4)\n"
    "  -n, --iterations N    rounds that count (20)\n"
    "  -w, --warm-up N       rounds that do not (1)\n"
    "      --learn N         rounds before these, of the variants that choose by themselves (0)\n"
    "  -c, --check N         results to check: 0 none, 1 those of the last round, 2 all (1)\n"
    "  -d, --type TYPE       float or double (float)\n"
    "  -o, --op OP           of reductions: sum, avg, min or max (sum)\n"
    "  -r, --root RANK       (0)\n"
    "      --bound BOUND     abs:E, rel:E (of the range over all ranks) or psnr:DB, of each contribution;\n"
    "                        result:rel:E and so on: of the result (rel:1e-4)\n"
    "      --of-result       the bound is that of the result\n"
    "      --field NAME      wave, turbulence, density, climate, gradient, zero or random, other data on each\n"
    "                        rank; sizes below the largest take the middle of the field (wave)\n"
    "      --field-file PATH raw float32 from a file; %%d in the path becomes the rank\n"
    "      --cache DIR       keeps the fields that are made, and reads those that are there\n"
    "      --algorithm LIST  auto, ring, doubling, halving, tree, chain, linear: those that the collective "
    "has\n"
    "      --mode LIST       auto, homomorphic, recompress, per-hop, plain: each with each algorithm, except\n"
    "                        those that name theirs, as in ring/plain\n"
    "                        (without both: the usual variants. MPI's own is always measured.)\n"
    "      --in-place        MPI_IN_PLACE\n"
    "      --threads N       of the codec, per rank (1)\n"
    "      --csv FILE        writes every figure as comma-separated values\n"
    "      --breakdown       prints where the time went: milliseconds of the worst rank\n"
    "      --wire INTERFACE  prints what goes over a network interface, e.g. eth0: MB per rank and call\n"
    "      --quick-exit      ends without MPI_Finalize, which hangs in some MPIs\n"
    "  -h, --help            prints this and stops\n"
    "Exit status: 0; 1 if any value, or its bits, are wrong, or a call failed; 2 for wrong arguments.\n";

enum {
  OF_RESULT = 256,
  LEARN,
  BOUND,
  FIELD,
  FIELD_FILE,
  CACHE,
  ALGORITHM,
  MODE,
  IN_PLACE,
  THREADS,
  CSV,
  BREAKDOWN,
  WIRE,
  QUICK_EXIT
};

static const struct option known[] = {{"min", required_argument, NULL, 'b'},
                                      {"max", required_argument, NULL, 'e'},
                                      {"factor", required_argument, NULL, 'f'},
                                      {"iterations", required_argument, NULL, 'n'},
                                      {"warm-up", required_argument, NULL, 'w'},
                                      {"learn", required_argument, NULL, LEARN},
                                      {"check", required_argument, NULL, 'c'},
                                      {"type", required_argument, NULL, 'd'},
                                      {"op", required_argument, NULL, 'o'},
                                      {"root", required_argument, NULL, 'r'},
                                      {"help", no_argument, NULL, 'h'},
                                      {"bound", required_argument, NULL, BOUND},
                                      {"of-result", no_argument, NULL, OF_RESULT},
                                      {"field", required_argument, NULL, FIELD},
                                      {"field-file", required_argument, NULL, FIELD_FILE},
                                      {"cache", required_argument, NULL, CACHE},
                                      {"algorithm", required_argument, NULL, ALGORITHM},
                                      {"mode", required_argument, NULL, MODE},
                                      {"in-place", no_argument, NULL, IN_PLACE},
                                      {"threads", required_argument, NULL, THREADS},
                                      {"csv", required_argument, NULL, CSV},
                                      {"breakdown", no_argument, NULL, BREAKDOWN},
                                      {"wire", required_argument, NULL, WIRE},
                                      {"quick-exit", no_argument, NULL, QUICK_EXIT},
                                      {NULL, 0, NULL, 0}};

/* All ranks read the same arguments, so one of them speaks. Returns EXIT_USAGE. */
__attribute__((format(printf, 1, 2))) static int refuse(const char *format, ...) {
  if (world_rank() != 0)
    return EXIT_USAGE;
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "ghz_%s_bench: ", tested.name);
  vfprintf(stderr, format, arguments);
  fputs(", see --help\n", stderr);
  va_end(arguments);
  return EXIT_USAGE;
}

/* ---- Single values -------------------------------------------------------------------------------- */

static int set_size(uint64_t *size, const char *name, const char *text) {
  static const char suffixes[] = "kMG";
  char *end;
  errno = 0;
  uint64_t value = strtoull(text, &end, 10);
  const char *suffix = *end ? strchr(suffixes, *end == 'K' ? 'k' : *end) : NULL;
  int shift = suffix ? 10 * (int)(suffix - suffixes + 1) : 0;
  if (*text < '0' || *text > '9' || errno != 0 || (*end && (!suffix || end[1])))
    return refuse("--%s %s: not a size such as 65536, 64k or 1M", name, text);
  if (value == 0 || value > (UINT64_C(1) << 40) >> shift)
    return refuse("--%s %s: sizes are 1 to 1024G", name, text);
  *size = value << shift;
  return GO_ON;
}

static int set_whole(int *number, const char *name, const char *text, int least, int most) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno != 0 || end == text || *end || value < least || value > most)
    return refuse("--%s %s: not a whole number from %d to %d", name, text, least, most);
  *number = (int)value;
  return GO_ON;
}

static int set_factor(options *o, const char *text) {
  int value = 0, status = set_whole(&value, "factor", text, 2, 1 << 20);
  o->factor = (uint64_t)value;
  return status;
}

static int set_type(options *o, const char *text) {
  if (strcmp(text, "float") != 0 && strcmp(text, "double") != 0)
    return refuse("--type %s: it is float or double", text);
  o->type = *text == 'f' ? MPI_FLOAT : MPI_DOUBLE;
  return GO_ON;
}

static const char *const op_names[] = {"sum", "avg", "min", "max"};

static int set_op(options *o, const char *text) {
  if (!tested.reduces)
    return refuse("--op %s: %s has no operation", text, tested.name);
  for (int i = 0; i < 4; i++)
    if (!strcmp(text, op_names[i])) {
      o->op = (operation)i;
      return GO_ON;
    }
  return refuse("--op %s: it is sum, avg, min or max", text);
}

static int set_bound(options *o, const char *text) {
  if (!ghz_mpi_parse_bound(text, &o->bound, &o->of_result))
    return refuse("--bound %s: it is abs:E, rel:E or psnr:DB, with result: before it or not", text);
  o->bound_text = text;
  return GO_ON;
}

static int set_field(options *o, const char *text) {
  o->field = text;
  return field_exists(text) ? GO_ON : refuse("--field %s: no such field in this build", text);
}

/* ---- The whole ------------------------------------------------------------------------------------ */

typedef struct lists {
  const char *algorithms, *modes;
} lists;

static int take_flag(int option, options *o) {
  switch (option) {
  case OF_RESULT:
    o->of_result = 1;
    return GO_ON;
  case IN_PLACE:
    o->in_place = true;
    return GO_ON;
  case BREAKDOWN:
    o->breakdown = true;
    return GO_ON;
  case QUICK_EXIT:
    o->quick_exit = true;
    return GO_ON;
  case 'h':
    if (world_rank() == 0)
      printf(usage, tested.name, tested.name);
    return EXIT_SUCCESS;
  default: /* getopt_long has said what is wrong */
    return EXIT_USAGE;
  }
}

static int take_text(int option, options *o, lists *l) {
  switch (option) {
  case FIELD:
    return set_field(o, optarg);
  case FIELD_FILE:
    o->field_file = optarg;
    return GO_ON;
  case CACHE:
    o->cache = optarg;
    return GO_ON;
  case CSV:
    o->csv = optarg;
    return GO_ON;
  case WIRE:
    o->interface = optarg;
    return GO_ON;
  case ALGORITHM:
    l->algorithms = optarg;
    return GO_ON;
  case MODE:
    l->modes = optarg;
    return GO_ON;
  default:
    return take_flag(option, o);
  }
}

static int take_option(int option, options *o, lists *l) {
  switch (option) {
  case 'b':
    return set_size(&o->least, "min", optarg);
  case 'e':
    return set_size(&o->most, "max", optarg);
  case 'f':
    return set_factor(o, optarg);
  case 'n':
    return set_whole(&o->iterations, "iterations", optarg, 1, 1 << 20);
  case 'w':
    return set_whole(&o->warm_up, "warm-up", optarg, 0, 1 << 20);
  case LEARN:
    return set_whole(&o->learn, "learn", optarg, 0, 1 << 20);
  case 'c':
    return set_whole(&o->check, "check", optarg, 0, 2);
  case 'd':
    return set_type(o, optarg);
  case 'o':
    return set_op(o, optarg);
  case 'r':
    return set_whole(&o->root, "root", optarg, 0, world_size() - 1);
  case THREADS:
    return set_whole(&o->threads, "threads", optarg, 1, 1024);
  case BOUND:
    return set_bound(o, optarg);
  default:
    return take_text(option, o, l);
  }
}

/* What options mean together. */
static int finish(options *o, const lists *l, bool least_given) {
  if (!least_given && o->least > o->most)
    o->least = o->most;
  if (o->least > o->most)
    return refuse("--min is above --max");
  if (o->most / type_bytes(o) > INT_MAX)
    return refuse("--max: more values than the plain call of MPI can take, which is %d", INT_MAX);
  bool good = l->algorithms || l->modes ? variants_listed(o, l->algorithms, l->modes) : variants_usual(o);
  return good ? GO_ON : EXIT_USAGE;
}

int options_read(int argc, char **argv, options *o) {
  *o = (options){.least = 1 << 20,
                 .most = 64 << 20,
                 .factor = 4,
                 .iterations = 20,
                 .warm_up = 1,
                 .check = 1,
                 .threads = 1,
                 .type = MPI_FLOAT,
                 .bound = {GHZ_REL, 1e-4},
                 .bound_text = "rel:1e-4",
                 .field = "wave"};
  lists l = {NULL, NULL};
  bool least_given = false;
  int option;
  opterr = world_rank() == 0;
  while ((option = getopt_long(argc, argv, "b:e:f:n:w:c:d:o:r:h", known, NULL)) != -1) {
    int status = take_option(option, o, &l);
    if (status != GO_ON)
      return status;
    least_given |= option == 'b';
  }
  if (optind < argc)
    return refuse("%s: no such argument", argv[optind]);
  return finish(o, &l, least_given);
}

size_t type_bytes(const options *o) {
  return o->type == MPI_FLOAT ? sizeof(float) : sizeof(double);
}

const char *type_name(const options *o) {
  return o->type == MPI_FLOAT ? "float" : "double";
}

const char *op_name(const options *o) {
  return tested.reduces ? op_names[o->op] : "-";
}
