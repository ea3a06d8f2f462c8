/* input.c: owns the input values of the ranks: made here, kept in a folder, or read from files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"
#include "fields.h"
#include "random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
  EDGE_LEAST = 16,
  EDGE_MOST = 1290, /* the number of its values fits an int */
  PATH_ROOM = 4096,
  RANDOM_SEED = 1000,
  FIELD_TAG = 7
};

/* A field in memory, to be freed with free(). */
typedef struct values {
  float *x;
  size_t count;
} values;

typedef struct kind {
  const char *name;
  bool (*make)(const run *r); /* NULL: not by ghz-fields */
} kind;

static const kind kinds[] = {
    {"wave", make_waves},
    {"gradient", make_gradient},
    {"zero", NULL},
    {"random", NULL},
#ifdef GHZ_DATA_FFTW
    {"turbulence", make_turbulence},
    {"density", make_density},
    {"climate", make_climate},
#endif
};

static const kind *kind_of(const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(kinds[i].name, name))
      return &kinds[i];
  return NULL;
}

bool field_exists(const char *name) {
  return kind_of(name) != NULL;
}

/* Cubes are cut along z alone. */
bool field_has(const options *o, const ghz_shape *s) {
  const kind *k = kind_of(o->field);
  return o->field_file || !k->make || s->dims == 1 ||
         (strcmp(k->name, "climate") != 0 && s->extent[1] == s->extent[2]);
}

size_t field_middle(const options *o, size_t there, size_t count) {
  const size_t plane = o->shape.dims > 1 ? (size_t)(o->shape.extent[1] * o->shape.extent[2]) : 1;
  return (there - count) / 2 / plane * plane;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* The middle `count` values of a file; NULL if it does not exist. */
static values read_middle(const options *o, const char *path, size_t count) {
  FILE *file = fopen(path, "rb");
  if (!file && errno == ENOENT)
    return (values){NULL, 0};
  struct stat s;
  if (!file || stat(path, &s) != 0)
    die(strerror(errno), path);
  size_t there = (size_t)s.st_size / sizeof(float);
  if (!S_ISREG(s.st_mode) || there < count)
    die("holds fewer values than are needed", path);
  values v = {touched(count * sizeof(float)), count};
  if (fseeko(file, (off_t)(field_middle(o, there, count) * sizeof(float)), SEEK_SET) != 0 ||
      fread(v.x, sizeof(float), count, file) != count)
    die("cannot be read", path);
  fclose(file);
  return v;
}

/* Reads the file whose path is the pattern, its first %d replaced by the rank. */
static values read_file(const options *o, size_t count) {
  const char *pattern = o->field_file, *at = strstr(pattern, "%d");
  char path[PATH_ROOM];
  int length = at ? snprintf(path, sizeof path, "%.*s%d%s", (int)(at - pattern), pattern, here.rank, at + 2)
                  : snprintf(path, sizeof path, "%s", pattern);
  if (length < 0 || length >= PATH_ROOM)
    die("too long", pattern);
  values v = read_middle(o, path, count);
  if (!v.x)
    die("there is no such file", path);
  return v;
}

/* ---- Fields made here ------------------------------------------------------------------------ */

static values copy_of(const float *x, size_t count) {
  values v = {touched(count * sizeof(float)), count};
  memcpy(v.x, x, count * sizeof(float));
  return v;
}

/* Whether one rank alone has an input: its snapshot is rank 0's. */
static bool one_gives(const options *o) {
  return o->what == BCAST || o->what == SCATTER;
}

/* Where the fields of a maker go: the one for rank `next` comes next. */
typedef struct delivery {
  int next, ranks; /* that get one; there may be no such rank */
  values own;
} delivery;

/* Keeps the field for the first rank, and sends the others. */
static bool take_next(void *taker, const char *name, shape dims, const float *x) {
  (void)name;
  delivery *d = taker;
  const int to = d->next--;
  if (to == 0)
    d->own = copy_of(x, shape_count(dims));
  else if (to < d->ranks)
    MPI_Send(x, (int)shape_count(dims), MPI_FLOAT, to, FIELD_TAG, MPI_COMM_WORLD);
  return true;
}

/* Receives a snapshot of rank 0; sleeps while it waits. */
static values receive_snapshot(size_t edge) {
  values v = {NULL, edge * edge * edge};
  v.x = touched(v.count * sizeof(float));
  for (int there = 0; !there; nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL))
    MPI_Iprobe(0, FIELD_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  MPI_Recv(v.x, (int)v.count, MPI_FLOAT, 0, FIELD_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return v;
}

/* Of waves the first rank makes all: it gets the latest snapshot, which compresses worst, and the
 * last rank that of the middle. Other fields are made by each rank. */
static values make_field(const options *o, const kind *k, size_t edge) {
  const bool waves = k->make == make_waves;
  delivery d = {.next = waves ? here.ranks - 1 : 0, .ranks = one_gives(o) ? 1 : here.ranks};
  run r = {.n = edge, .quiet = true, .seed = (uint64_t)here.rank, .take = take_next, .taker = &d};
  r.series = waves ? here.ranks : 0;
  if (waves && !one_gives(o) && here.rank != 0)
    return receive_snapshot(edge);
  if (!k->make(&r))
    die("cannot make the field", k->name);
  return d.own;
}

/* Zeros, or random values that fill their range. */
static values make_plain(size_t count, bool random) {
  values v = {touched(count * sizeof(float)), count};
  uint64_t seed = RANDOM_SEED + (uint64_t)here.rank;
#pragma omp parallel for
  for (size_t i = 0; i < v.count; i++)
    v.x[i] = random ? (float)(2 * random_uniform(seed, i) - 1) : 0.0f;
  return v;
}

/* Values of a field of this edge; data/README.md has the shapes. */
static size_t field_values(const char *field, size_t n) {
  size_t latitudes = (1800 * n + 128) / 256;
  return strcmp(field, "climate") != 0 ? n * n * n : 2 * latitudes * latitudes;
}

static size_t edge_of(const options *o, size_t count) {
  size_t edge = o->shape.dims > 1 ? (size_t)o->shape.extent[2] : EDGE_LEAST;
  while (edge <= EDGE_MOST && field_values(o->field, edge) < count)
    edge++;
  if (o->shape.dims > 1 && edge != o->shape.extent[2])
    die("has fewer planes than --extents", o->field);
  if (edge > EDGE_MOST)
    die("no field is so large", o->field);
  return edge;
}

/* The field from the folder if all ranks find theirs there; else it is made, and kept there. */
static values find_or_make(const options *o, const kind *k, size_t count) {
  const size_t edge = count ? edge_of(o, count) : 0;
  char name[64], path[PATH_ROOM];
  if (k->make == make_waves)
    snprintf(name, sizeof name, "%s-%zu-%d-of-%d", k->name, edge, one_gives(o) ? 0 : here.rank, here.ranks);
  else
    snprintf(name, sizeof name, "%s-%zu-seed-%d", k->name, edge, here.rank);
  if (o->cache && snprintf(path, sizeof path, "%s/%s.f32", o->cache, name) >= PATH_ROOM)
    die("too long", o->cache);
  values v = o->cache && count ? read_middle(o, path, count) : (values){NULL, 0};
  int mine = v.x || !count, all;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (all || !count)
    return v;
  free(v.x);
  v = make_field(o, k, edge);
  if (o->cache && mkdir(o->cache, 0777) != 0 && errno != EEXIST)
    die(strerror(errno), o->cache);
  if (o->cache && !save_values(o->cache, name, v.x, v.count))
    die("cannot keep a field in", o->cache);
  return v;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Returns the middle of the values, in the type of the options. */
static void *convert(const options *o, const values *v, size_t count) {
  const float *x = v->x + field_middle(o, v->count, count);
  if (type_bytes(o) == sizeof(float))
    return copy_of(x, count).x;
  double *y = touched(count * sizeof(double));
  for (size_t i = 0; i < count; i++)
    y[i] = (double)x[i];
  return y;
}

void *input_make(const options *o, size_t count) {
  const kind *k = kind_of(o->field);
  values v = {NULL, 0};
  if (!o->field_file && k->make)
    v = find_or_make(o, k, count);
  else if (count)
    v = o->field_file ? read_file(o, count) : make_plain(count, !strcmp(k->name, "random"));
  void *input = count ? convert(o, &v, count) : NULL;
  free(v.x);
  return input;
}
