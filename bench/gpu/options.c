/* options.c: the command line of ghz_gpu_bench. */
#include "gpu_bench.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: ghz_gpu_bench [options]\n"
    "Measures the codec on a CUDA device by device events, beside copies from device to device, and beside\n"
    "decompress + decompress + addition of floats + compress with our own kernels. Every result is compared\n"
    "with the CPU's bytes before anything is timed; a difference ends the program.\n\n"
    "  --fields LIST    inputs, separated by commas: fields (wave-middle) or pairs (wave-early+wave-middle);\n"
    "                   also `single` and `pairs` for all of a kind (all)\n"
    "  --bounds LIST    error bounds as fractions of the range, of a pair: of the joint range (1e-3,1e-4)\n"
    "  --sizes LIST     bytes of an operand's values, K, M, G being powers of 1024 (1M,16M,512M)\n"
    "  --type TYPE      f32 or f64 (f32)\n"
    "  --seconds S      time for each measurement (0.05)\n"
    "  --edge N         edge of the snapshots that inputs are made of (256: 64 MB in float32)\n"
    "  --folder DIR     keeps the fields there as NAME.f32, and takes those that are there\n"
    "  --csv FILE       writes every figure as comma-separated values\n"
    "  --smoke          everything once, with tiny arrays: whether it works, not how fast\n"
    "  --help           prints this\n";

_Noreturn void die(const char *what, const char *detail) {
  fflush(stdout);
  fprintf(stderr, "ghz_gpu_bench: %s%s%s\n", what, detail[0] ? ": " : "", detail);
  exit(1);
}

const char *size_text(size_t bytes, char text[24]) {
  if (bytes >= 1024 * MIB && bytes % (1024 * MIB) == 0)
    snprintf(text, 24, "%zu GB", bytes / (1024 * MIB));
  else if (bytes >= MIB && bytes % MIB == 0)
    snprintf(text, 24, "%zu MB", bytes / MIB);
  else
    snprintf(text, 24, "%zu KB", bytes / 1024);
  return text;
}

static double positive(const char *text, const char *name) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value > 0))
    die(name, text);
  return value;
}

/* "512M" to bytes; multiples of 1 KB up to 16 GB. */
static size_t size_read(const char *text) {
  char *end;
  unsigned long long value = strtoull(text, &end, 10), unit = 1;
  if (*end == 'K' || *end == 'k')
    unit = 1024;
  else if (*end == 'M' || *end == 'm')
    unit = MIB;
  else if (*end == 'G' || *end == 'g')
    unit = 1024 * MIB;
  if (end == text || (unit > 1 && end[1]) || (unit == 1 && *end) || value == 0 ||
      value > 16 * 1024 * MIB / unit)
    die("not a size from 1K to 16G", text);
  if (value * unit % 1024)
    die("not a multiple of 1K", text);
  return (size_t)(value * unit);
}

static int ascending(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

static void set_bounds(options *o, char *list) {
  o->n_bounds = 0;
  for (char *item = strtok(list, ","); item; item = strtok(NULL, ",")) {
    if (o->n_bounds == MAX_BOUNDS)
      die("too many values", "--bounds");
    o->bounds[o->n_bounds++] = positive(item, "not a bound");
  }
}

static void set_sizes(options *o, char *list) {
  o->n_sizes = 0;
  for (char *item = strtok(list, ","); item; item = strtok(NULL, ",")) {
    if (o->n_sizes == MAX_SIZES)
      die("too many values", "--sizes");
    o->sizes[o->n_sizes++] = size_read(item);
  }
  qsort(o->sizes, (size_t)o->n_sizes, sizeof *o->sizes, ascending);
}

static void set_smoke(options *o) {
  *o = (options){.fields = "wave-middle,wave-middle+wave-late,gradient,gradient+gradient",
                 .bounds = {1e-3},
                 .n_bounds = 1,
                 .sizes = {16 * 1024, 40 * 1024},
                 .n_sizes = 2,
                 .seconds = 1e-4,
                 .csv = o->csv,
                 .type = o->type,
                 .edge = 16,
                 .sets = 8,
                 .smoke = true};
}

static void set_edge(options *o, const char *text) {
  double edge = positive(text, "not an edge");
  if (edge < 16 || edge > 1024 || edge != (double)(size_t)edge)
    die("not an edge from 16 to 1024", text);
  o->edge = (size_t)edge;
}

static void set_type(options *o, const char *text) {
  if (strcmp(text, "f32") != 0 && strcmp(text, "f64") != 0)
    die("neither f32 nor f64", text);
  o->type = strcmp(text, "f64") ? GHZ_F32 : GHZ_F64;
}

static void take(options *o, int option) {
  switch (option) {
  case 'f':
    o->fields = optarg;
    break;
  case 'b':
    set_bounds(o, optarg);
    break;
  case 's':
    set_sizes(o, optarg);
    break;
  case 't':
    set_type(o, optarg);
    break;
  case 'S':
    o->seconds = positive(optarg, "not a time");
    break;
  case 'e':
    set_edge(o, optarg);
    break;
  case 'd':
    o->folder = optarg;
    break;
  case 'c':
    o->csv = optarg;
    break;
  case 'k':
    set_smoke(o);
    break;
  case 'h':
    fputs(usage, stdout);
    exit(0);
  default: /* getopt_long has said what is wrong */
    exit(2);
  }
}

options options_read(int argc, char **argv) {
  static const struct option known[] = {{"fields", required_argument, NULL, 'f'},
                                        {"bounds", required_argument, NULL, 'b'},
                                        {"sizes", required_argument, NULL, 's'},
                                        {"type", required_argument, NULL, 't'},
                                        {"seconds", required_argument, NULL, 'S'},
                                        {"edge", required_argument, NULL, 'e'},
                                        {"folder", required_argument, NULL, 'd'},
                                        {"csv", required_argument, NULL, 'c'},
                                        {"smoke", no_argument, NULL, 'k'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  options o = {.bounds = {1e-3, 1e-4},
               .n_bounds = 2,
               .sizes = {MIB, 16 * MIB, 512 * MIB},
               .n_sizes = 3,
               .seconds = 0.05,
               .type = GHZ_F32,
               .edge = 256,
               .sets = SETS_MOST};
  int option;
  while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
    take(&o, option);
  if (optind < argc)
    die("not an option", argv[optind]);
  if (o.n_bounds == 0 || o.n_sizes == 0)
    die("no value for", o.n_bounds ? "--sizes" : "--bounds");
  return o;
}
