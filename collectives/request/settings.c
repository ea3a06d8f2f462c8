/* settings.c: owns how options and environment are read. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* environ */

#include "request/collective.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "ghz/numerals.h"
#include "payload/payloads.h"

static const char *const algorithm_names[] = {"auto",    "mpi",  "ring",  "doubling",
                                              "halving", "tree", "chain", "linear"};
static const char *const mode_names[] = {"auto", "homomorphic"};

enum {
  ALGORITHMS = sizeof algorithm_names / sizeof *algorithm_names,
  MODES = sizeof mode_names / sizeof *mode_names
};

const char *ghz_mpi_algorithm_name(ghz_mpi_algorithm a) {
  return (int)a >= 0 && (int)a < ALGORITHMS ? algorithm_names[a] : "?";
}

const char *ghz_mpi_mode_name(ghz_mpi_mode m) {
  return (int)m >= 0 && (int)m < MODES ? mode_names[m] : "?";
}

/* ---- Reading texts --------------------------------------------------------------------------- */

static const char *skip(const char *text, const char *prefix) {
  size_t n = strlen(prefix);
  return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

/* Reads a finite number. Returns where it ends, or NULL. */
static const char *read_number(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return end == text || isspace((unsigned char)*text) || !isfinite(*value) ? NULL : end;
}

static int parse_bound(const char *text, ghz_bound *bound, int *of_result) {
  static const struct {
    const char *prefix;
    ghz_bound_kind kind;
  } kinds[] = {{"abs:", GHZ_ABS}, {"rel:", GHZ_REL}, {"psnr:", GHZ_PSNR}, {"", GHZ_ABS}};
  const char *rest = skip(text, "result:"), *number = NULL;
  int result = rest != NULL;
  ghz_bound b = {GHZ_ABS, 0};
  if (strcmp(text, "float") == 0) {
    *bound = (ghz_bound){GHZ_MPI_FLOAT, 1};
    return 1;
  }
  rest = rest ? rest : text;
  for (size_t i = 0; !number; i++) {
    number = skip(rest, kinds[i].prefix);
    b.kind = kinds[i].kind;
  }
  const char *end = read_number(number, &b.value);
  if (!end || *end || !(b.value > 0))
    return 0;
  *bound = b;
  if (result && of_result)
    *of_result = 1;
  return 1;
}

/* A name that begins with another's comes first. reduce_scatter names all calls that begin so. */
static const char *const collective_names[] = {"allgatherv", "allgather",      "allreduce", "bcast",
                                               "gather",     "reduce_scatter", "reduce",    "scatter"};
enum { COLLECTIVES = sizeof collective_names / sizeof *collective_names };

/* The collective whose name a text begins with; COLLECTIVES: none. */
static size_t collective_of(const char *text) {
  size_t i = 0;
  while (i < COLLECTIVES && strncasecmp(text, collective_names[i], strlen(collective_names[i])) != 0)
    i++;
  return i;
}

typedef struct wish {
  ghz_bound bound;
  int of_result;
} wish;

/* Of each collective, and behind them of all that are not named: bcast:abs:1,rel:1e-4. Returns the
 * entry that is wrong, and its length; or NULL. */
static const char *parse_bounds(const char *text, wish wishes[COLLECTIVES + 1], int *length) {
  wish read[COLLECTIVES + 1] = {{{GHZ_ABS, 0}, 0}};
  for (const char *end = text; *end; text = end + 1) {
    char entry[80];
    const char *begin = text;
    const size_t i = collective_of(text), name = i < COLLECTIVES ? strlen(collective_names[i]) : 0;
    text += name;
    end = text + strcspn(text, ",");
    *length = (int)(end - begin);
    snprintf(entry, sizeof entry, "%.*s", (int)(end - text), text);
    if (end - text >= (ptrdiff_t)sizeof entry || (name && *entry != ':') || read[i].bound.value > 0 ||
        !parse_bound(entry + (name > 0), &read[i].bound, &read[i].of_result))
      return begin;
  }
  memcpy(wishes, read, sizeof read);
  return NULL;
}

int ghz_mpi_parse_bound(const char *text, ghz_bound *bound, int *of_result) {
  const locale_t programs = numerals_begin();
  const int read = text && bound && parse_bound(text, bound, of_result);
  numerals_end(programs);
  return read;
}

static int parse_name(const char *text, const char *const *names, int n, int *value) {
  for (int i = 0; i < n; i++)
    if (strcasecmp(text, names[i]) == 0) {
      *value = i;
      return 1;
    }
  return 0;
}

static int parse_bytes(const char *text, int64_t *value) {
  static const char units[] = "kMG";
  char *end;
  long long n = strtoll(text, &end, 10);
  const char *unit = *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
  int shift = unit ? 10 * (int)(unit - units + 1) : 0;
  if (end == text || n < 0 || n > INT64_MAX >> 30 || (*end && (!unit || end[1])))
    return 0;
  *value = (int64_t)n << shift;
  return 1;
}

static int parse_int(const char *text, int least, int most, int *value) {
  char *end;
  long n = strtol(text, &end, 10);
  if (end == text || *end || n < least || n > most)
    return 0;
  *value = (int)n;
  return 1;
}

static int parse_fill(const char *text, double *fill, int *has_fill) {
  double value;
  const char *end = read_number(text, &value);
  if (!end || *end)
    return 0;
  *fill = value;
  *has_fill = 1;
  return 1;
}

/* Bits per second, as in 1gbit; or auto. */
static int parse_link(const char *text, double *link) {
  static const struct {
    const char *name;
    double bits;
  } units[] = {{"", 1}, {"bit", 1}, {"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}};
  double value;
  if (strcasecmp(text, "auto") == 0) {
    *link = GHZ_MPI_LINK_AUTO;
    return 1;
  }
  const char *unit = read_number(text, &value);
  for (size_t i = 0; unit && value > 0 && i < sizeof units / sizeof *units; i++)
    if (strcasecmp(unit, units[i].name) == 0) {
      *link = value * units[i].bits;
      return isfinite(*link);
    }
  return 0;
}

/* ---- Environment ----------------------------------------------------------------------------- */

/* What ranks must not differ in. */
typedef struct environment {
  wish wishes[COLLECTIVES + 1];
  extents_list extents;
  double fill, link;
  int has_fill, algorithm, mode, check;
  int64_t threshold;
} environment;

static environment env = {.threshold = THRESHOLD_DEFAULT, .check = CHECK_UNSET};
static int env_threads, env_cuda_aware = -1, env_told, env_misread; /* of this rank */
static atomic_int noted;                                            /* 0: nothing; else this rank, or 1 */
static pthread_once_t env_once = PTHREAD_ONCE_INIT;
static atomic_int env_read; /* cheaper than env_once, for small calls */

/* By rank 0 of MPI_COMM_WORLD, whose environment the others mostly have, or without MPI. */
void ghz_settings_note(const char *format, ...) {
  int running = 0, ended = 0, rank = 0;
  char text[512];
  va_list values;
  MPI_Initialized(&running);
  MPI_Finalized(&ended);
  if (running && !ended)
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (rank == 0)
    fprintf(stderr, "libghzmpi: %s\n", text);
  noted = rank + !rank;
}

int ghz_settings_misread(void) {
  return env_misread;
}

/* A value that is not understood is told, and ignored. */
#define READ(name, expected, parse)                                                                            \
  do {                                                                                                         \
    const char *text = getenv(name);                                                                           \
    if (text && *text && !(parse))                                                                             \
      ghz_settings_note("%s=%.200s is not understood and is ignored; it must be %s", name, text, expected);    \
  } while (0)

static int is_setting(const char *variable) {
  return strncmp(variable, "GHZ_MPI_", 8) == 0;
}

int ghz_settings_given(void) {
  for (char **v = environ; v && *v; v++)
    if (is_setting(*v))
      return 1;
  return 0;
}

/* BOND for BOUND would else be as good as nothing, and nobody would know. */
static void note_unknown(void) {
  static const char *const names[] = {
      "ALGORITHM=",    "BOUND=", "CALLS=", "CHECK=", "CUDA_AWARE=", "EXTENTS=", "FILL=",
      "INIT_TIMEOUT=", "LINK=",  "MODE=",  "NODE=",  "REPORT=",     "THREADS=", "THRESHOLD="};
  for (char **v = environ; v && *v; v++) {
    size_t i = 0;
    while (i < sizeof names / sizeof *names && !(is_setting(*v) && skip(*v + 8, names[i])))
      i++;
    if (is_setting(*v) && i == sizeof names / sizeof *names)
      ghz_settings_note("%.200s: there is no such setting, and it is ignored (%s)", *v,
                        skip(*v + 8, "KEEP_ROOT=") ? "options.keep_root of ghz_bcast"
                        : skip(*v + 8, "VERBOSE=")
                            ? "the report of the library to preload, GHZ_MPI_REPORT"
                            : "man ghz_mpi has them, and for programs as they are ghzmpi_intercept.md");
  }
}

static void read_bounds(void) {
  int length = 0;
  const char *text = getenv("GHZ_MPI_BOUND"), *wrong = text ? parse_bounds(text, env.wishes, &length) : NULL;
  if (wrong)
    ghz_settings_note(
        "GHZ_MPI_BOUND=%.200s is not understood and is ignored: \"%.*s\" must be abs:X, rel:X, psnr:X "
        "or float, once for a collective, as in bcast:abs:1 (allreduce, reduce, reduce_scatter, "
        "bcast, scatter, gather, allgather, allgatherv), and once for the others",
        text, length < 80 ? length : 80, wrong);
}

static void read_shared(void) {
  read_bounds();
  READ("GHZ_MPI_CHECK", "a number of calls, 1 to 2147483647, of which one is checked, or 0: none",
       parse_int(text, 0, INT_MAX, &env.check));
  READ("GHZ_MPI_EXTENTS", "a list of extents, as in 256x256x256,512x512", ghz_extents_read(text, &env.extents));
  READ("GHZ_MPI_ALGORITHM", "auto, mpi, ring, doubling, halving, tree, chain or linear",
       parse_name(text, algorithm_names, ALGORITHMS, &env.algorithm));
  READ("GHZ_MPI_MODE",
       "auto or homomorphic (in place of plain: GHZ_MPI_ALGORITHM=mpi; of fastest: GHZ_MPI_LINK, a network's "
       "speed)",
       parse_name(text, mode_names, MODES, &env.mode));
  READ("GHZ_MPI_THRESHOLD", "a number of bytes, as in 64k", parse_bytes(text, &env.threshold));
  READ("GHZ_MPI_LINK", "a speed, as in 1gbit, or auto", parse_link(text, &env.link));
  READ("GHZ_MPI_FILL", "a number, as in -999", parse_fill(text, &env.fill, &env.has_fill));
  note_unknown();
}

/* As texts are written in C, see numerals.h: names as well, which in Turkish have other letters. */
static void read_environment(void) {
  const locale_t programs = numerals_begin();
  if (!env_told)
    read_shared();
  READ("GHZ_MPI_THREADS", "1 to 16", parse_int(text, 1, TEAM_MOST, &env_threads));
  READ("GHZ_MPI_CUDA_AWARE", "0 or 1", parse_int(text, 0, 1, &env_cuda_aware));
  ghz_device_set_cuda_aware(env_cuda_aware);
  env_misread = noted;
  numerals_end(programs);
  atomic_store_explicit(&env_read, 1, memory_order_release);
}

void *ghz_settings_shared(int told, size_t *bytes) {
  env_told = told;
  pthread_once(&env_once, read_environment);
  *bytes = sizeof env;
  return &env;
}

/* ---- Both ------------------------------------------------------------------------------------ */

static const char *check(const ghz_mpi_options *o) {
  if (o->size != sizeof *o)
    return "options.size is not sizeof(ghz_mpi_options)";
  if (o->bound.kind == GHZ_STEP)
    return "a step (GHZ_STEP) is no bound for collectives: give an absolute or relative one";
  if (o->bound.kind != GHZ_ABS && o->bound.kind != GHZ_REL && o->bound.kind != GHZ_PSNR &&
      o->bound.kind != GHZ_MPI_FLOAT)
    return "the kind of the bound is unknown";
  if (o->bound.kind == GHZ_MPI_FLOAT && o->bound.value != 0 && o->bound.value != 1)
    return "a bound of kind GHZ_MPI_FLOAT has no value: give 0";
  if (!(o->bound.value >= 0) || !isfinite(o->bound.value))
    return "the bound is not a positive number";
  if (!ghz_extents_are_sound(&o->shape))
    return "options.shape is no shape: ghz_shape_make makes one";
  if ((int)o->algorithm < 0 || (int)o->algorithm >= ALGORITHMS)
    return "the algorithm is unknown";
  if ((int)o->mode < 0 || (int)o->mode >= MODES)
    return "the mode is unknown";
  if (o->has_fill && !isfinite(o->fill))
    return "the fill value is not finite";
  if (o->link != GHZ_MPI_LINK_UNKNOWN && o->link != GHZ_MPI_LINK_AUTO && !(o->link > 0 && isfinite(o->link)))
    return "options.link is no speed: give bits per second";
  if (o->contributions < 0 || o->threads < 0 || o->check < 0)
    return "a number of contributions, threads or calls to check is negative";
  return NULL;
}

int ghz_settings_are_small(const ghz_mpi_options *o, uint64_t bytes) {
  if (!atomic_load_explicit(&env_read, memory_order_acquire))
    pthread_once(&env_once, read_environment);
  int64_t threshold = env.threshold;
  if (o) {
    if (o->size != sizeof *o || o->algorithm || o->mode || o->average || o->report || o->shape.dims ||
        o->has_fill || o->contributions != 1)
      return 0;
    threshold = o->threshold < 0 ? threshold : o->threshold;
  }
  return !env.algorithm && !env.has_fill && !env.mode && bytes < (uint64_t)threshold;
}

int ghz_settings_has_bound(const char *function) {
  const size_t i = collective_of(function + 4); /* behind ghz_ or MPI_ */
  return i < COLLECTIVES && env.wishes[i].bound.value > 0;
}

const char *ghz_settings_make(const ghz_mpi_options *options, const char *function, settings *s) {
  const char *wrong = options ? check(options) : NULL;
  *s = options && !wrong ? *options : (settings)GHZ_MPI_OPTIONS;
  pthread_once(&env_once, read_environment);
  if (s->bound.kind == GHZ_MPI_FLOAT)
    s->bound.value = 1; /* it is given */
  if (s->bound.value == 0) {
    const wish *w = &env.wishes[ghz_settings_has_bound(function) ? collective_of(function + 4) : COLLECTIVES];
    s->bound = w->bound;
    s->of_result = s->of_result || w->of_result;
  }
  if (!s->has_fill && s->bound.value > 0) { /* without a bound the environment's has no part in the call */
    s->fill = env.fill;
    s->has_fill = env.has_fill;
  }
  s->average = s->average != 0;
  s->keep_root = s->keep_root > 0;
  s->threads = s->threads ? s->threads : env_threads;
  s->algorithm = s->algorithm ? s->algorithm : (ghz_mpi_algorithm)env.algorithm;
  s->mode = s->mode ? s->mode : (ghz_mpi_mode)env.mode;
  s->threshold = s->threshold < 0 ? env.threshold : s->threshold;
  s->link = s->link != GHZ_MPI_LINK_UNKNOWN ? s->link : env.link;
  s->check = s->check ? s->check : env.check;
  s->of_result = s->of_result != 0;
  return wrong;
}

ghz_shape ghz_settings_shape(const settings *s, uint64_t count) {
  return s->shape.dims ? s->shape : ghz_extents_find(&env.extents, count);
}
