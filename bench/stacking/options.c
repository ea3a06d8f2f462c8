/* options.c: owns the command line of ghz_stacking, its messages, and who speaks for the ranks. */
#include "stacking.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_LEAST = 16, SNAPSHOTS_MOST = 4096, THREADS_MOST = 1024 };

int my_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int ranks(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

bool all_true(bool mine) {
  int all = mine;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all;
}

bool complain(const char *format, ...) {
  char line[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  fprintf(stderr, "ghz_stacking: %s\n", line);
  return false;
}

static const char help[] =
    "Usage: mpirun -n RANKS ghz_stacking [OPTIONS] [FILE...]\n"
    "Stacks snapshots of a wave field: an allreduce over all ranks' images, plain and compressed.\n"
    "Files are raw float32, N x N x N values each, as ghz-fields writes them; without files, waves are "
    "made.\n\n"
    "  -n, --size N           edge of the snapshots, 16 to 1024 (128; with files: what they hold)\n"
    "  -s, --snapshots K      snapshots of each rank (1)\n"
    "  -S, --total T          snapshots of all ranks together, dealt evenly, instead\n"
    "  -d, --shift CELLS      snapshots made of the same file lie so far apart (1)\n"
    "  -x, --noise PART       normal noise on every snapshot, as a part of the field's range (0)\n"
    "  -b, --bound BOUND      abs:1e-3, rel:1e-4, psnr:80, result:rel:1e-4 (rel:1e-4)\n"
    "  -r, --of-result        the bound is for the stack, not for every snapshot\n"
    "  -m, --average          the mean instead of the sum\n"
    "  -a, --algorithm NAME   auto, ring, doubling, halving (auto)\n"
    "  -M, --mode LIST        homomorphic, recompress, per-hop, auto, one after the other (homomorphic)\n"
    "  -T, --threads T        threads of the codec per rank (1)\n"
    "  -R, --repeat R         timed repetitions, after one that is not (5)\n"
    "  -o, --out DIR          draws exact stack, compressed stack and error to DIR/stack-MODE.png\n"
    "  -c, --csv FILE         writes the figures\n"
    "  -h, --help             prints this and stops\n\n"
    "Exit status: 0; 1 if a bound is broken, ranks differ in a bit, or anything failed; 2 bad usage.\n";

/* A whole number from least to most; -1: it is none, said so. */
static long whole(const char *option, const char *text, long least, long most) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (isdigit((unsigned char)*text) && *end == '\0' && errno == 0 && value >= least && value <= most)
    return value;
  complain("--%s %s: not a whole number from %ld to %ld", option, text, least, most);
  return -1;
}

static bool take_whole(const char *option, int *to, long least, long most) {
  long value = whole(option, optarg, least, most);
  *to = (int)value;
  return value >= 0;
}

static bool take_size(const char *option, size_t *to, long least, long most) {
  long value = whole(option, optarg, least, most);
  *to = (size_t)value;
  return value >= 0;
}

static bool take_noise(options *o) {
  char *end;
  double value = strtod(optarg, &end);
  if (end == optarg || *end || !(value >= 0) || !(value <= 1))
    return complain("--noise %s: not a number from 0 to 1", optarg);
  o->noise = value;
  return true;
}

static bool is_item(const char *list, size_t length, const char *name) {
  return strlen(name) == length && memcmp(list, name, length) == 0;
}

static bool take_algorithm(options *o) {
  for (ghz_mpi_algorithm a = GHZ_MPI_ALGORITHM_AUTO; a <= GHZ_MPI_LINEAR; a++)
    if (strcmp(optarg, ghz_mpi_algorithm_name(a)) == 0) {
      o->algorithm = a;
      return true;
    }
  return complain("--algorithm %s: no such algorithm, see --help", optarg);
}

static bool take_mode(options *o, const char *item, size_t length) {
  for (ghz_mpi_mode m = GHZ_MPI_MODE_AUTO; m < GHZ_MPI_PLAIN; m++)
    if (is_item(item, length, ghz_mpi_mode_name(m))) {
      if (o->n_modes == MODES_MOST)
        return complain("--mode %s: at most %d modes", optarg, MODES_MOST);
      o->modes[o->n_modes++] = m;
      return true;
    }
  return complain("--mode %.*s: no such mode, see --help", (int)length, item);
}

static bool take_modes(options *o) {
  o->n_modes = 0;
  for (const char *item = optarg;; item++) {
    size_t length = strcspn(item, ",");
    if (!take_mode(o, item, length))
      return false;
    item += length;
    if (!*item)
      return true;
  }
}

static bool take_bound(options *o) {
  ghz_bound b = {GHZ_ABS, 0};
  if (!ghz_mpi_parse_bound(optarg, &b, &o->of_result) || !(b.value > 0) || !isfinite(b.value))
    return complain("--bound %s: not a bound, see --help", optarg);
  o->bound = b;
  return true;
}

static const struct option long_options[] = {{"size", required_argument, NULL, 'n'},
                                             {"snapshots", required_argument, NULL, 's'},
                                             {"total", required_argument, NULL, 'S'},
                                             {"shift", required_argument, NULL, 'd'},
                                             {"noise", required_argument, NULL, 'x'},
                                             {"bound", required_argument, NULL, 'b'},
                                             {"of-result", no_argument, NULL, 'r'},
                                             {"average", no_argument, NULL, 'm'},
                                             {"algorithm", required_argument, NULL, 'a'},
                                             {"mode", required_argument, NULL, 'M'},
                                             {"threads", required_argument, NULL, 'T'},
                                             {"repeat", required_argument, NULL, 'R'},
                                             {"out", required_argument, NULL, 'o'},
                                             {"csv", required_argument, NULL, 'c'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

static bool take_option(int option, options *o) {
  switch (option) {
  case 'n':
    return take_size("size", &o->size, SIZE_LEAST, SIZE_MOST);
  case 's':
    return take_whole("snapshots", &o->per_rank, 1, SNAPSHOTS_MOST);
  case 'S':
    return take_whole("total", &o->total, 1, SNAPSHOTS_MOST);
  case 'd':
    return take_size("shift", &o->shift, 0, SIZE_MOST);
  case 'x':
    return take_noise(o);
  case 'b':
    return take_bound(o);
  case 'r':
    o->of_result = 1;
    return true;
  case 'm':
    o->average = 1;
    return true;
  case 'a':
    return take_algorithm(o);
  case 'M':
    return take_modes(o);
  case 'T':
    return take_whole("threads", &o->threads, 1, THREADS_MOST);
  case 'R':
    return take_whole("repeat", &o->repeat, 1, REPEAT_MOST);
  case 'o':
    o->out = optarg;
    return true;
  case 'c':
    o->csv = optarg;
    return true;
  default: /* getopt_long has said what is wrong */
    return false;
  }
}

/* Rank 0 reads first and prints what is wrong; the others read the same words only if it found them good. */
static int read_quietly(int argc, char **argv, options *o) {
  int option;
  while ((option = getopt_long(argc, argv, "n:s:S:d:x:b:rma:M:T:R:o:c:h", long_options, NULL)) != -1) {
    if (option == 'h') {
      fputs(help, stdout);
      return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (!take_option(option, o))
      return EXIT_USAGE;
  }
  o->files = argv + optind;
  o->n_files = argc - optind;
  if (o->n_files == 0 && o->size == 0)
    o->size = 128;
  return GO_ON;
}

int options_read(int argc, char **argv, options *o) {
  *o = (options){.per_rank = 1,

                 .shift = 1,
                 .bound = {GHZ_REL, 1e-4},
                 .threads = 1,
                 .repeat = 5,
                 .modes = {GHZ_MPI_HOMOMORPHIC},
                 .n_modes = 1};
  int status = my_rank() == 0 ? read_quietly(argc, argv, o) : GO_ON;
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (status == GO_ON && my_rank() != 0)
    status = read_quietly(argc, argv, o);
  return status;
}
