/* fields.c: which inputs there are, the fields that they are made of, and arrays of any length made of those. */
#include "gpu_bench.h"

#include "fields.h"

#include <stdlib.h>
#include <string.h>

#ifdef GHZ_DATA_FFTW
#define WITH_FFTW(maker) maker
#else
#define WITH_FFTW(maker) NULL
#endif

/* Fields of n^3 values. The same kind with another seed is another realisation. */
static struct source {
  const char *name;
  bool (*make)(const run *r); /* NULL: this build cannot make it */
  const char *kind;           /* what the maker calls it */
  uint64_t seed;
  float *x;
} sources[] = {
    {"wave-early", make_waves, "wave-early", 0, NULL},
    {"wave-middle", make_waves, "wave-middle", 0, NULL},
    {"wave-late", make_waves, "wave-late", 0, NULL},
    {"density", WITH_FFTW(make_density), "density", 0, NULL},
    {"turbulence", WITH_FFTW(make_turbulence), "turbulence", 0, NULL},
    {"turbulence-2", WITH_FFTW(make_turbulence), "turbulence", 1, NULL},
    {"gradient", make_gradient, "gradient", 0, NULL},
    {"gradient-2", make_gradient, "gradient", 1, NULL},
};
enum { SOURCES = sizeof sources / sizeof *sources };

/* The order of a run: first what the targets are about. */
static const input known[] = {
    {"wave-middle", "wave-middle", NULL},
    {"wave-early+wave-middle", "wave-early", "wave-middle"},
    {"wave-middle+wave-late", "wave-middle", "wave-late"},
    {"wave-early", "wave-early", NULL},
    {"wave-late", "wave-late", NULL},
    {"density", "density", NULL},
    {"turbulence", "turbulence", NULL},
    {"gradient", "gradient", NULL},
    {"turbulence+turbulence", "turbulence", "turbulence-2"},
    {"gradient+gradient", "gradient", "gradient-2"},
};
enum { KNOWN = sizeof known / sizeof *known };

static struct source *source_named(const char *name) {
  for (int i = 0; i < SOURCES; i++)
    if (!strcmp(sources[i].name, name))
      return &sources[i];
  die("no field is called", name);
}

/* ---- Which inputs ------------------------------------------------------------------------------------ */

static void check_names(const char *list) {
  char name[64];
  while (*list) {
    size_t length = strcspn(list, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, list);
    bool found = !strcmp(name, "single") || !strcmp(name, "pairs");
    for (int i = 0; i < KNOWN; i++)
      found |= !strcmp(name, known[i].name);
    if (!found)
      die("no input is called", name);
    list += length + (list[length] == ',');
  }
}

static bool can_be_made(const input *in) {
  return source_named(in->a)->make && (!in->b || source_named(in->b)->make);
}

int inputs_find(const options *o, input inputs[MAX_INPUTS]) {
  int count = 0;
  if (o->fields)
    check_names(o->fields);
  for (int i = 0; i < KNOWN; i++) {
    const input *in = &known[i];
    if (o->fields && !list_holds(o->fields, in->name) && !list_holds(o->fields, in->b ? "pairs" : "single"))
      continue;
    if (can_be_made(in))
      inputs[count++] = *in;
    else
      fprintf(stderr, "ghz_gpu_bench: left out %s: built without FFTW\n", in->name);
  }
  if (count == 0)
    die("no inputs", o->fields ? o->fields : "");
  return count;
}

/* ---- Making and reading ------------------------------------------------------------------------------ */

/* Where a maker's field goes. */
typedef struct taker {
  const options *o;
  uint64_t seed;
} taker;

static bool take_field(void *to, const char *kind, shape dims, const float *x) {
  const taker *t = to;
  for (int i = 0; i < SOURCES; i++) {
    struct source *s = &sources[i];
    if (strcmp(s->kind, kind) != 0 || s->seed != t->seed || s->x)
      continue;
    size_t count = shape_count(dims);
    s->x = floats_new(count, kind);
    if (!s->x)
      return false;
    memcpy(s->x, x, count * sizeof *x);
    return !t->o->folder || save_values(t->o->folder, s->name, x, count);
  }
  return true;
}

/* Reads a field that the folder has. */
static void read_field(const options *o, struct source *s) {
  char path[4096];
  size_t count = o->edge * o->edge * o->edge;
  if (snprintf(path, sizeof path, "%s/%s.f32", o->folder, s->name) >= (int)sizeof path)
    die("the path is too long", o->folder);
  FILE *file = fopen(path, "rb");
  if (!file)
    return;
  s->x = floats_new(count, s->name);
  if (!s->x || fread(s->x, sizeof *s->x, count, file) != count || fgetc(file) != EOF)
    die("does not hold edge^3 float32 values", path);
  fclose(file);
}

static void make_field(const options *o, const struct source *s, const char *only) {
  taker t = {.o = o, .seed = s->seed};
  run r = {.n = o->edge, .only = only, .quiet = true, .seed = s->seed, .take = take_field, .taker = &t};
  if (!s->make(&r))
    die("cannot make", s->name);
}

/* The snapshots of the wave are made together. */
static void make_snapshots(const options *o, const bool *wanted) {
  char only[128] = "";
  const struct source *first = NULL;
  for (int i = 0; i < SOURCES; i++)
    if (wanted[i] && !sources[i].x && sources[i].make == make_waves) {
      first = first ? first : &sources[i];
      snprintf(only + strlen(only), sizeof only - strlen(only), "%s%s", *only ? "," : "", sources[i].name);
    }
  if (first)
    make_field(o, first, only);
}

void fields_make(const options *o, const input *inputs, int n_inputs) {
  bool wanted[SOURCES] = {false};
  for (int i = 0; i < n_inputs; i++) {
    wanted[source_named(inputs[i].a) - sources] = true;
    if (inputs[i].b)
      wanted[source_named(inputs[i].b) - sources] = true;
  }
  for (int i = 0; i < SOURCES && o->folder; i++)
    if (wanted[i])
      read_field(o, &sources[i]);
  make_snapshots(o, wanted);
  for (int i = 0; i < SOURCES; i++)
    if (wanted[i] && !sources[i].x)
      make_field(o, &sources[i], sources[i].kind);
}

void fields_free(void) {
  for (int i = 0; i < SOURCES; i++) {
    free(sources[i].x);
    sources[i].x = NULL;
  }
}

/* ---- Arrays of any length ---------------------------------------------------------------------------- */

/* Copies up to `edge` values of a row, from its end to its beginning if `back`. */
static void copy_row(const float *row, size_t edge, size_t count, bool back, ghz_type type, void *x,
                     size_t at) {
  for (size_t i = 0; i < count; i++) {
    float value = row[back ? edge - 1 - i : i];
    if (type == GHZ_F64)
      ((double *)x)[at + i] = (double)value;
    else
      ((float *)x)[at + i] = value;
  }
}

/* The eight mirror images of a cube differ in every row, but have its statistics along rows. Two fields that are filled
 * alike stay in step with each other. */
void field_fill(const options *o, const char *name, size_t n, void *x) {
  const struct source *s = source_named(name);
  size_t edge = o->edge, rows = (n + edge - 1) / edge;
#pragma omp parallel for
  for (size_t row = 0; row < rows; row++) {
    size_t image = row / (edge * edge) % 8, z = row / edge % edge, y = row % edge;
    if (image & 2)
      y = edge - 1 - y;
    if (image & 4)
      z = edge - 1 - z;
    size_t at = row * edge, count = n - at < edge ? n - at : edge;
    copy_row(s->x + (z * edge + y) * edge, edge, count, image & 1, o->type, x, at);
  }
}
