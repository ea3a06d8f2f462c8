/* settings.c: owns how options and environment are read. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* environ */

#include "request/collective.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "ghz/numerals.h"
#include "payload/payloads.h"

static const char *const algorithms[] = {"auto", "mpi",   "ring",   "doubling", "halving",
                                         "tree", "chain", "linear", NULL};
static const char *const modes[] = {"auto", "homomorphic", NULL};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms - 1, MODES = sizeof modes / sizeof *modes - 1 };

const char *ghz_mpi_algorithm_name(ghz_mpi_algorithm a) {
  return (int)a >= 0 && (int)a < ALGORITHMS ? algorithms[a] : "?";
}

const char *ghz_mpi_mode_name(ghz_mpi_mode m) {
  return (int)m >= 0 && (int)m < MODES ? modes[m] : "?";
}

/* ---- Reading texts --------------------------------------------------------------------------- */

typedef struct unit {
  const char *name;
  double is;
} unit;

static const unit none[] = {{"", 1}, {NULL, 0}},
                  sizes[] = {{"", 1}, {"k", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {NULL, 0}},
                  speeds[] = {{"", 1}, {"bit", 1}, {"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}, {NULL, 0}};

/* Reads a number with one of the units, from `least` to `most`. */
static int read_number(const char *text, const unit *units, double least, double most, double *value) {
  char *end;
  double x = strtod(text, &end);
  if (end == text || isspace((unsigned char)*text) || isnan(x)) /* which would trap below */
    return 0;
  while (units->name && strcasecmp(end, units->name) != 0)
    units++;
  x *= units->is;
  if (!units->name || !(x >= least && x <= most))
    return 0;
  *value = x;
  return 1;
}

/* What follows a prefix; NULL: the text has another. */
static const char *skip(const char *text, const char *prefix) {
  size_t n = strlen(prefix);
  return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

static int parse_bound(const char *text, ghz_bound *bound, int *of_result) {
  static const struct {
    const char *prefix;
    ghz_bound_kind kind;
  } kinds[] = {{"abs:", GHZ_ABS}, {"rel:", GHZ_REL}, {"psnr:", GHZ_PSNR}, {"", GHZ_ABS}};
  const char *result = skip(text, "result:"), *rest = result ? result : text;
  double value;
  int k = 0;
  if (strcmp(text, "float") == 0) {
    *bound = (ghz_bound){GHZ_MPI_FLOAT, 1};
    return 1;
  }
  while (!skip(rest, kinds[k].prefix))
    k++;
  if (!read_number(skip(rest, kinds[k].prefix), none, DBL_TRUE_MIN, DBL_MAX, &value))
    return 0;
  *bound = (ghz_bound){kinds[k].kind, value};
  if (result && of_result)
    *of_result = 1;
  return 1;
}

int ghz_mpi_parse_bound(const char *text, ghz_bound *bound, int *of_result) {
  const locale_t programs = numerals_begin();
  const int read = text && bound && parse_bound(text, bound, of_result);
  numerals_end(programs);
  return read;
}

int ghz_mpi_parse_extents(const char *text, ghz_shape *shape) {
  uint64_t extents[16];
  size_t rank = 0;
  char *end = NULL;
  if (!text || !shape)
    return 0;
  do {
    text = end ? end + 1 : text;
    if (rank == sizeof extents / sizeof *extents || !isdigit((unsigned char)*text))
      return 0;
    errno = 0;
    extents[rank] = strtoull(text, &end, 10);
    if (errno || extents[rank++] == 0)
      return 0;
  } while (*end == 'x');
  return !*end && ghz_shape_make(rank, extents, shape) == GHZ_OK;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

enum { ENTRY = 200 }; /* no entry has so many characters */

/* An entry is written into *to. Returns 0 if it is wrong. */
typedef int entry_reader(const char *entry, environment *to);

static int is_name(const char *name, const char *text, size_t length) {
  return strlen(name) == length && strncasecmp(text, name, length) == 0;
}

/* The collectives that a name of so many characters means, by bits: MPI's, or ours, which for two
 * calls is one; or all. */
static unsigned named(const char *text, size_t length) {
  unsigned found = 0;
  for (int c = 0; c < CALLS; c++) {
    const collective *what = &ghz_collectives[c];
    if (is_name("all", text, length) || is_name(what->name + 4, text, length) ||
        is_name(what->mpi_name, text, length) || is_name(what->mpi_name + 4, text, length))
      found |= 1U << c;
  }
  return found;
}

static int read_call(const char *entry, environment *to) {
  const unsigned calls = named(entry, strlen(entry));
  to->calls |= calls;
  return calls != 0;
}

/* As in bcast:abs:1; or of all that are not named. */
static int read_bound(const char *entry, environment *to) {
  const size_t name = strcspn(entry, ":");
  const unsigned calls = named(entry, name), of = calls ? calls : 1U << CALLS;
  wish w = {.of_result = 0};
  int is_new = parse_bound(entry + (calls ? name + (entry[name] == ':') : 0), &w.bound, &w.of_result);
  for (int c = 0; c <= CALLS; c++)
    if (of >> c & 1) {
      is_new = is_new && to->wishes[c].bound.value == 0;
      to->wishes[c] = w;
    }
  return is_new;
}

static int read_extents(const char *entry, environment *to) {
  ghz_shape *s = to->shapes;
  while (s->dims)
    s++;
  return s < to->shapes + EXTENTS_LISTED && ghz_mpi_parse_extents(entry, s);
}

/* ---- Environment ----------------------------------------------------------------------------- */

#define NAMES "allreduce, reduce, reduce_scatter, bcast, scatter, gather, allgather"

static const char *const automatic[] = {"auto", NULL}, *const nodes[] = {"mpi", "compress", NULL},
                         *const switches[] = {"0", "1", NULL};

static const struct {
  const char *name, *must_be; /* NULL: any text, which others read */
  entry_reader *list;         /* it has several */
  const char *const *words;   /* it may be one of these, which mean `first` and the numbers after it */
  double first;
  const unit *units; /* it may be a number with one of these */
  double least, most;
  int is_whole;
} table[SETTINGS] = {
    [SET_BOUND] = {"GHZ_MPI_BOUND",
                   "abs:X, rel:X, psnr:X or float, once for a collective, as in bcast:abs:1 (" NAMES
                   " and allgatherv), and once for the others",
                   .list = read_bound},
    [SET_CALLS] = {"GHZ_MPI_CALLS", "all, " NAMES " or allgatherv", .list = read_call},
    [SET_EXTENTS] = {"GHZ_MPI_EXTENTS", "extents, as in 256x256x256,512x512", .list = read_extents},
    [SET_REPORT] = {.name = "GHZ_MPI_REPORT"},
    [SET_ALGORITHM] = {"GHZ_MPI_ALGORITHM", "auto, mpi, ring, doubling, halving, tree, chain or linear",
                       .words = algorithms},
    [SET_MODE] = {"GHZ_MPI_MODE",
                  "auto or homomorphic (in place of plain: GHZ_MPI_ALGORITHM=mpi; of fastest: GHZ_MPI_LINK, a "
                  "network's speed)",
                  .words = modes},
    [SET_NODE] = {"GHZ_MPI_NODE", "mpi or compress", .words = nodes},
    [SET_CHECK] = {"GHZ_MPI_CHECK", "a number of calls, 1 to 2147483647, of which one is checked, or 0: none",
                   .units = none, .most = INT_MAX, .is_whole = 1},
    [SET_THRESHOLD] = {"GHZ_MPI_THRESHOLD", "a number of bytes, as in 64k", .units = sizes, .most = 0x1p62,
                       .is_whole = 1},
    [SET_LINK] = {"GHZ_MPI_LINK", "a speed, as in 1gbit, or auto", .words = automatic,
                  .first = GHZ_MPI_LINK_AUTO, .units = speeds, .least = DBL_MIN, .most = DBL_MAX},
    [SET_FILL] = {"GHZ_MPI_FILL", "a number, as in -999", .units = none, .least = -DBL_MAX, .most = DBL_MAX},
    [SET_THREADS] = {"GHZ_MPI_THREADS", "1 to 16", .units = none, .least = 1, .most = TEAM_MOST, .is_whole = 1},
    [SET_CUDA_AWARE] = {"GHZ_MPI_CUDA_AWARE", "0 or 1", .words = switches},
    [SET_INIT_TIMEOUT] = {"GHZ_MPI_INIT_TIMEOUT", "a number of seconds", .units = none, .least = DBL_MIN,
                          .most = DBL_MAX}};

static int read_value(setting i, const char *text, environment *to) {
  double *value = &to->value[i];
  for (int w = 0; table[i].words && table[i].words[w]; w++)
    if (strcasecmp(text, table[i].words[w]) == 0) {
      *value = table[i].first + w;
      return 1;
    }
  return table[i].units && read_number(text, table[i].units, table[i].least, table[i].most, value) &&
         !(table[i].is_whole && *value != trunc(*value));
}

static environment env = {.value = {[SET_CHECK] = CHECK_UNSET,
                                    [SET_THRESHOLD] = THRESHOLD_DEFAULT,
                                    [SET_FILL] = NAN,
                                    [SET_CUDA_AWARE] = -1,
                                    [SET_INIT_TIMEOUT] = 60}};
static pthread_once_t env_once = PTHREAD_ONCE_INIT;
static atomic_int env_read; /* cheaper than env_once, for small calls */

const char *ghz_settings_text(setting i) {
  const char *text = getenv(table[i].name);
  return text && *text ? text : NULL;
}

/* By rank 0 of MPI_COMM_WORLD, whose environment the others mostly have, or without MPI. */
void ghz_settings_note(const char *format, ...) {
  int running = 0, ended = 0, rank = 0;
  va_list values;
  MPI_Initialized(&running);
  MPI_Finalized(&ended);
  if (running && !ended)
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 0)
    return;
  char text[1024];
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  fprintf(stderr, "libghzmpi: %s\n", text);
}

/* A list is read as a whole or not at all. What is not understood is told, and ignored; but for
 * GHZ_MPI_CALLS, see intercept/. */
static void read_setting(setting i) {
  const char *whole = ghz_settings_text(i), *text = whole;
  environment to = env;
  while (text && table[i].must_be) {
    char entry[ENTRY];
    const size_t length = table[i].list ? strcspn(text, ",") : strlen(text);
    snprintf(entry, ENTRY, "%.*s", (int)length, text);
    if (length >= ENTRY || !(table[i].list ? table[i].list(entry, &to) : read_value(i, entry, &to))) {
      env.refused = env.refused || i == SET_CALLS;
      ghz_settings_note("%s=%.200s is not understood%s: \"%.80s\" must be %s", table[i].name, whole,
                        i == SET_CALLS ? "" : " and is ignored", entry, table[i].must_be);
      return;
    }
    text = text[length] ? text + length + 1 : NULL;
  }
  env = to;
}

/* BOND for BOUND would else be as good as nothing, and nobody would know. */
static void note_unknown(void) {
  for (char **v = environ; v && *v; v++) {
    int i = 0;
    const size_t length = strcspn(*v, "=");
    while (i < SETTINGS && (strlen(table[i].name) != length || strncmp(table[i].name, *v, length) != 0))
      i++;
    if (i == SETTINGS && skip(*v, "GHZ_MPI_"))
      ghz_settings_note("%.200s: there is no such setting, and it is ignored (%s)", *v,
                        skip(*v, "GHZ_MPI_KEEP_ROOT=") ? "options.keep_root of ghz_bcast"
                        : skip(*v, "GHZ_MPI_VERBOSE=")
                            ? "the report of the library to preload, GHZ_MPI_REPORT"
                            : "man ghz_mpi has them, and for programs as they are ghzmpi_intercept.md");
  }
}

/* As texts are written in C, see numerals.h: names as well, which in Turkish have other letters. */
static void read_environment(void) {
  const locale_t programs = numerals_begin();
  note_unknown();
  for (setting i = 0; i < SETTINGS; i++)
    read_setting(i);
  env.asks = env.value[SET_ALGORITHM] != 0 || env.value[SET_MODE] != 0 || !isnan(env.value[SET_FILL]);
  ghz_device_set_cuda_aware((int)env.value[SET_CUDA_AWARE]);
  numerals_end(programs);
  atomic_store_explicit(&env_read, 1, memory_order_release);
}

environment *ghz_settings_environment(void) {
  pthread_once(&env_once, read_environment);
  return &env;
}

/* ---- Options --------------------------------------------------------------------------------- */

/* Whether a shape is one: known dims, fewer than 2^64 values; or the absence of one: all zeros. */
static int is_shape(const ghz_shape *s) {
  const uint64_t *n = s->extent;
  ghz_shape made;
  if (s->dims == 0)
    return !n[0] && !n[1] && !n[2];
  return s->dims > 0 && s->dims <= 3 && ghz_shape_make(3, n, &made) == GHZ_OK &&
         (s->dims > 1 || (n[0] == 1 && n[1] == 1));
}

static const char *check(const ghz_mpi_options *o) {
  if (o->size != sizeof *o)
    return "options.size is not sizeof(ghz_mpi_options)";
  if (o->bound.kind == GHZ_STEP)
    return "a step (GHZ_STEP) is no bound for collectives: give an absolute or relative one";
  if ((int)o->bound.kind < 0 || o->bound.kind > GHZ_MPI_FLOAT)
    return "the kind of the bound is unknown";
  if (o->bound.kind == GHZ_MPI_FLOAT && o->bound.value != 0 && o->bound.value != 1)
    return "a bound of kind GHZ_MPI_FLOAT has no value: give 0";
  if (!(o->bound.value >= 0) || !isfinite(o->bound.value))
    return "the bound is not a positive number";
  if (!is_shape(&o->shape))
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
  double threshold = env.value[SET_THRESHOLD];
  if (o) {
    if (o->size != sizeof *o || o->algorithm || o->mode || o->average || o->report || o->shape.dims ||
        o->has_fill || o->contributions != 1)
      return 0;
    threshold = o->threshold < 0 ? threshold : (double)o->threshold;
  }
  return !env.asks && (double)bytes < threshold;
}

const char *ghz_settings_make(const ghz_mpi_options *options, const collective *what, settings *s) {
  const char *wrong = options ? check(options) : NULL;
  *s = options && !wrong ? *options : (settings)GHZ_MPI_OPTIONS;
  pthread_once(&env_once, read_environment);
  if (s->bound.kind == GHZ_MPI_FLOAT)
    s->bound.value = 1; /* it is given */
  if (s->bound.value == 0) {
    const wish *own = &env.wishes[what - ghz_collectives], *w = own->bound.value > 0 ? own : &env.wishes[CALLS];
    s->bound = w->bound;
    s->of_result = s->of_result || w->of_result;
  }
  if (!s->has_fill && s->bound.value > 0) { /* without a bound the environment's has no part in the call */
    s->fill = env.value[SET_FILL];
    s->has_fill = !isnan(s->fill);
  }
  s->average = s->average != 0;
  s->keep_root = s->keep_root > 0;
  s->threads = s->threads ? s->threads : (int)env.value[SET_THREADS];
  s->algorithm = s->algorithm ? s->algorithm : (ghz_mpi_algorithm)env.value[SET_ALGORITHM];
  s->mode = s->mode ? s->mode : (ghz_mpi_mode)env.value[SET_MODE];
  s->threshold = s->threshold < 0 ? (int64_t)env.value[SET_THRESHOLD] : s->threshold;
  s->link = s->link != GHZ_MPI_LINK_UNKNOWN ? s->link : env.value[SET_LINK];
  s->check = s->check ? s->check : (int)env.value[SET_CHECK];
  s->of_result = s->of_result != 0;
  return wrong;
}

ghz_shape ghz_settings_shape(const settings *s, uint64_t count) {
  const ghz_shape *listed = env.shapes;
  if (s->shape.dims)
    return s->shape;
  while (listed->dims && ghz_shape_count(listed) != count)
    listed++;
  return listed->dims ? *listed : ghz_flat(count);
}
