/* options.c: owns the command line, and so which algorithms are measured. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: mpirun ... ghz_mpi_bench COLLECTIVE [OPTION...]\n"
    "COLLECTIVE: allreduce, reduce, reduce_scatter, allgather, bcast, scatter or gather.\n"
    "Measures every variant and the call of MPI in turn, in every round, and checks the results.\n"
    "Sizes are bytes of the largest buffer of a rank (suffixes k, M, G); times are those of the slowest rank.\n"
    "Exit status: 0; 1 if a value or its bits are wrong, or a call failed; 2 for wrong arguments.\n\n";

static bool read_bound(const option_row *row, char *text);
static bool read_field(const option_row *row, char *text);
static bool read_extents(const option_row *row, char *text);

static const option_kind option_bound = {read_bound, "abs:E, rel:E or psnr:DB, with result: before it or not"};
static const option_kind option_extents = {read_extents, "extents, the slowest first, such as 256x256x256"};
static const option_kind option_field = {read_field, "a field that this build can make"};

static options given = {.max = 64 << 20,
                        .factor = 4,
                        .iterations = 20,
                        .warm_up = 1,
                        .check = 1,
                        .threads = 1,
                        .bound = {GHZ_REL, 1e-4},
                        .bound_text = "rel:1e-4",
                        .extents_text = "flat",
                        .field = "wave"};

static const option_row rows[] = {
    {"min", 'b', &option_size, &given.min, "SIZE", "1:1099511627776", "smallest size (1M)"},
    {"max", 'e', &option_size, &given.max, "SIZE", "1:1099511627776", "largest size (64M)"},
    {"factor", 'f', &option_whole, &given.factor, "N", "2:1048576", "from one size to the next (4)"},
    {"iterations", 'n', &option_whole, &given.iterations, "N", "1:1048576", "rounds that count (20)"},
    {"warm-up", 'w', &option_whole, &given.warm_up, "N", "0:1048576", "rounds that do not (1)"},
    {"learn", 0, &option_whole, &given.learn, "N", "0:1048576",
     "rounds before these, of the variants that choose by themselves (0)"},
    {"check", 'c', &option_whole, &given.check, "N", "0:2",
     "results to check: 0 none, 1 the last round's, 2 all (1)"},
    {"type", 'd', &option_choice, &given.type, "TYPE", "float,double", "float or double (float)"},
    {"root", 'r', &option_whole, &given.root, "RANK", "0:1048576", "(0)"},
    {"bound", 0, &option_bound, &given, "BOUND", NULL,
     "abs:E, rel:E (of the range over all ranks) or psnr:DB, of each contribution;\n"
     "result:rel:E and so on: of the result (rel:1e-4)"},
    {"field", 0, &option_field, &given.field, "NAME", NULL,
     "wave, turbulence, density, climate, gradient, zero or random, other data on each\n"
     "rank; sizes below the largest take the middle of the field (wave)"},
    {"extents", 0, &option_extents, &given.shape, "EXTENTS", NULL,
     "compress arrays of these extents, such as 256x256x256, of this size alone; of a rank's\n"
     "block where a call has blocks. Fields are cubes: the last two are equal (flat)"},
    {"field-file", 0, &option_text, &given.field_file, "PATH", NULL,
     "raw float32 from a file; %d in the path becomes the rank"},
    {"cache", 0, &option_text, &given.cache, "DIR", NULL,
     "keep the fields that are made, read those that exist"},
    {"algorithm", 0, &option_words, &given.algorithms, "LIST", NULL,
     "auto, ring, doubling, halving, tree, chain, linear: those that the collective has\n"
     "(all; MPI's own always)"},
    {"threads", 0, &option_whole, &given.threads, "N", "1:1024", "of the codec, per rank (1)"},
    {"wire", 0, &option_text, &given.interface, "INTERFACE", NULL,
     "print what goes over a network interface, e.g. eth0: MB per rank and call"},
};

static bool read_bound(const option_row *row, char *text) {
  (void)row;
  given.bound_text = text;
  return ghz_mpi_parse_bound(text, &given.bound, &given.of_result);
}

static bool read_extents(const option_row *row, char *text) {
  given.extents_text = text;
  return ghz_mpi_parse_extents(text, row->target);
}

static bool read_field(const option_row *row, char *text) {
  *(const char **)row->target = text;
  return field_exists(text);
}

MPI_Datatype type_of(const options *o) {
  return o->type ? MPI_DOUBLE : MPI_FLOAT;
}

size_t type_bytes(const options *o) {
  return o->type ? sizeof(double) : sizeof(float);
}

/* ---- What options mean together -------------------------------------------------------------- */

static bool exists(int algorithm) {
  return algorithm <= GHZ_MPI_NATIVE || has_algorithm(given.what, (ghz_mpi_algorithm)algorithm);
}

/* Lists MPI's call, the algorithms asked for, and the choice. Returns NULL, or what is wrong. */
static const char *list_variants(void) {
  static char message[100];
  bool named[MAX_VARIANTS] = {[GHZ_MPI_NATIVE] = true};
  for (int i = 0; i < given.algorithms.n; i++) {
    const char *word = given.algorithms.word[i];
    int a = 0;
    while (a < MAX_VARIANTS && (!exists(a) || strcmp(ghz_mpi_algorithm_name((ghz_mpi_algorithm)a), word) != 0))
      a++;
    if (a == MAX_VARIANTS) {
      snprintf(message, sizeof message, "--algorithm: %s does not have %s", collective_names[given.what], word);
      return message;
    }
    named[a] = true;
  }
  for (int i = 1, a; a = i % MAX_VARIANTS, i <= MAX_VARIANTS; i++)
    if (named[a] || (given.algorithms.n == 0 && exists(a)))
      given.variants[given.n_variants++] = (ghz_mpi_algorithm)a;
  return NULL;
}

/* Returns NULL, or what is wrong. */
static const char *finish(void) {
  if (given.shape.dims)
    given.min = given.max = job_bytes(&given, ghz_shape_count(&given.shape));
  if (given.min == 0)
    given.min = given.max < 1 << 20 ? given.max : 1 << 20;
  if (given.min > given.max)
    return "--min is above --max";
  if (given.max / (double)type_bytes(&given) > INT_MAX)
    return "--max: more values than the call of MPI can take";
  if (given.shape.dims && !field_has(&given, &given.shape))
    return "--extents: the field has rows of other lengths";
  if (given.root >= here.ranks)
    return "--root: no such rank";
  return list_variants();
}

int options_of(int argc, char **argv, options **out) {
  const command c = {"ghz_mpi_bench", usage, rows, sizeof rows / sizeof *rows, here.rank != 0};
  int operand, status = options_read(&c, argc, argv, &operand), what = 0;
  const char *wrong = "expected one collective with equal blocks";
  *out = &given;
  if (status != OPTIONS_OK)
    return status;
  while (what < COLLECTIVES && (argc - operand != 1 || strcmp(collective_names[what], argv[operand]) != 0))
    what++;
  if (what < COLLECTIVES && !has_counts((collective)what)) {
    given.what = (collective)what;
    wrong = finish();
  }
  if (wrong && here.rank == 0) /* all ranks read the same arguments */
    fprintf(stderr, "ghz_mpi_bench: %s; see --help\n", wrong);
  return wrong ? OPTIONS_WRONG : OPTIONS_OK;
}
