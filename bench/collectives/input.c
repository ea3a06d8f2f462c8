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

enum { EDGE_LEAST = 16, EDGE_MOST = 2048, PATH_ROOM = 4096, RANDOM_SEED = 1000, FIELD_TAG = 7 };

#define MESSAGE_VALUES ((size_t)1 << 28) /* fits an int */

/* A field in memory, to be freed with free(). */
typedef struct values {
  float *x;
  size_t count;
} values;

/* The field that a rank asks for, one of its own among those of `comm`. */
typedef struct request {
  const options *options;
  size_t count, edge; /* at least so many values: a field of this edge */
  MPI_Comm comm;      /* the ranks that give values */
  int rank, ranks;    /* in it */
} request;

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
static values read_file(const request *w, const char *pattern) {
  char path[PATH_ROOM];
  const char *at = strstr(pattern, "%d");
  int length = at ? snprintf(path, sizeof path, "%.*s%d%s", (int)(at - pattern), pattern, world_rank(), at + 2)
                  : snprintf(path, sizeof path, "%s", pattern);
  if (length < 0 || length >= PATH_ROOM)
    die("too long", pattern);
  values v = read_middle(w->options, path, w->count);
  if (!v.x)
    die("there is no such file", path);
  return v;
}

/* The name under which a field is kept. */
static void kept_name(const request *w, char name[64]) {
  const char *field = w->options->field;
  if (kind_of(field)->make == make_waves)
    snprintf(name, 64, "%s-%zu-%d-of-%d", field, w->edge, w->rank, world_size());
  else
    snprintf(name, 64, "%s-%zu-seed-%d", field, w->edge, world_rank());
}

/* The field from the folder, if all ranks find theirs. */
static values read_kept(const request *w, const char *folder) {
  char name[64], path[PATH_ROOM];
  kept_name(w, name);
  int length = snprintf(path, sizeof path, "%s/%s.f32", folder, name);
  if (length < 0 || length >= PATH_ROOM)
    die("too long", folder);
  values v = read_middle(w->options, path, w->count);
  int mine = v.x != NULL, all;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, w->comm);
  if (all)
    return v;
  free(v.x);
  return (values){NULL, 0};
}

static void keep(const request *w, const char *folder, const values *v) {
  char name[64];
  kept_name(w, name);
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    die(strerror(errno), folder);
  if (!save_values(folder, name, v->x, v->count))
    die("cannot keep a field in", folder);
}

/* ---- Fields made here ------------------------------------------------------------------------ */

static values copy_of(const float *x, size_t count) {
  values v = {touched(count * sizeof(float)), count};
  memcpy(v.x, x, count * sizeof(float));
  return v;
}

/* Keeps the only field of a run. */
static bool take_one(void *taker, const char *name, shape dims, const float *x) {
  (void)name;
  *(values *)taker = copy_of(x, shape_count(dims));
  return true;
}

typedef struct delivery {
  const request *wish;
  int next; /* rank that the next snapshot is for; there may be no such rank */
  values own;
} delivery;

/* Receives the snapshots of a series one by one and sends them to their ranks. */
static bool take_next(void *taker, const char *name, shape dims, const float *x) {
  (void)name;
  delivery *d = taker;
  size_t count = shape_count(dims);
  int to = d->next--;
  if (to == 0)
    d->own = copy_of(x, count);
  for (size_t done = 0; to > 0 && to < d->wish->ranks && done < count; done += MESSAGE_VALUES) {
    size_t now = count - done < MESSAGE_VALUES ? count - done : MESSAGE_VALUES;
    MPI_Send(x + done, (int)now, MPI_FLOAT, to, FIELD_TAG, d->wish->comm);
  }
  return true;
}

/* Receives a snapshot of rank 0; sleeps while it waits. */
static values receive_snapshot(const request *w) {
  values v = {NULL, w->edge * w->edge * w->edge};
  v.x = touched(v.count * sizeof(float));
  for (int there = 0; !there;) {
    MPI_Iprobe(0, FIELD_TAG, w->comm, &there, MPI_STATUS_IGNORE);
    if (!there)
      nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
  for (size_t done = 0; done < v.count; done += MESSAGE_VALUES) {
    size_t now = v.count - done < MESSAGE_VALUES ? v.count - done : MESSAGE_VALUES;
    MPI_Recv(v.x + done, (int)now, MPI_FLOAT, 0, FIELD_TAG, w->comm, MPI_STATUS_IGNORE);
  }
  return v;
}

/* Rank 0 gets the latest snapshot, which compresses worst; the last rank that of the middle. One
 * rank with input gets the snapshot that it would get among all. */
static values make_snapshots(const request *w) {
  if (w->rank != 0)
    return receive_snapshot(w);
  delivery d = {.wish = w, .next = world_size() - 1};
  run r = {.n = w->edge, .quiet = true, .series = world_size(), .take = take_next, .taker = &d};
  if (!make_waves(&r))
    die("cannot make the field", w->options->field);
  return d.own;
}

static values make_field(const request *w) {
  const kind *k = kind_of(w->options->field);
  if (k->make == make_waves)
    return make_snapshots(w);
  values v = {NULL, 0};
  run r = {.n = w->edge, .quiet = true, .seed = (uint64_t)world_rank(), .take = take_one, .taker = &v};
  if (!k->make(&r))
    die("cannot make the field", w->options->field);
  return v;
}

/* Zeros, or random values that fill their range. */
static values make_plain(const request *w, bool random) {
  values v = {touched(w->count * sizeof(float)), w->count};
  uint64_t seed = RANDOM_SEED + (uint64_t)world_rank();
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

/* ---- Both ------------------------------------------------------------------------------------ */

static values obtain(request *w) {
  const options *o = w->options;
  if (o->field_file)
    return read_file(w, o->field_file);
  if (!kind_of(o->field)->make)
    return make_plain(w, !strcmp(o->field, "random"));
  w->edge = o->shape.dims > 1 ? (size_t)o->shape.extent[2] : EDGE_LEAST;
  while (w->edge <= EDGE_MOST && field_values(o->field, w->edge) < w->count)
    w->edge++;
  if (o->shape.dims > 1 && w->edge != o->shape.extent[2])
    die("has fewer planes than --extents", o->field);
  if (w->edge > EDGE_MOST)
    die("no field is so large", o->field);
  values v = o->cache ? read_kept(w, o->cache) : (values){NULL, 0};
  if (!v.x) {
    v = make_field(w);
    if (o->cache)
      keep(w, o->cache, &v);
  }
  return v;
}

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
  request w = {.options = o, .count = count};
  MPI_Comm_split(MPI_COMM_WORLD, count > 0 ? 0 : MPI_UNDEFINED, world_rank(), &w.comm);
  void *input = NULL;
  if (count > 0) {
    MPI_Comm_rank(w.comm, &w.rank);
    MPI_Comm_size(w.comm, &w.ranks);
    values v = obtain(&w);
    input = convert(o, &v, count);
    free(v.x);
    MPI_Comm_free(&w.comm);
  }
  world_barrier();
  return input;
}
