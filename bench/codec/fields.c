/* fields.c: owns which fields are measured, in which pairs, and their values in memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The default pairs. Without a second file the second operand is the first, rotated by half.
 * Shape: "cube", "wide" (twice as wide as high), "line", or the dimensions, slowest first. */
static const struct default_pair {
  const char *a, *b, *shape;
} default_pairs[] = {
    {"wave-middle", "wave-late", "cube"},
    {"wave-early", "wave-middle", "cube"},
    {"density", "turbulence", "cube"},
    {"gradient", NULL, "line"},
    {"climate", NULL, "wide"},
    {"marmousi_vp", NULL, "1601x401"},
    {"ostia", NULL, "54x18x432"},
};

/* Reads "256x256x256"; false if the text is anything else. */
static bool parse_dims(const char *text, field *f) {
  field g = *f;
  for (g.rank = 0; g.rank < 4 && isdigit((unsigned char)*text); text++) {
    char *end;
    g.dims[g.rank++] = (size_t)strtoull(text, &end, 10);
    if (*end == '\0')
      *f = g;
    if (*end != 'x')
      return *end == '\0';
    text = end;
  }
  return false;
}

/* Sets the dimensions from a shape and checks them against the number of values. */
static bool set_shape(field *f, const char *shape) {
  double n = (double)f->n;
  size_t cube = (size_t)llround(cbrt(n)), height = (size_t)llround(sqrt(n / 2));
  *f->dims = f->n;
  f->rank = 1;
  if (!strcmp(shape, "cube")) {
    f->rank = 3;
    f->dims[0] = f->dims[1] = f->dims[2] = cube;
  } else if (!strcmp(shape, "wide")) {
    f->rank = 2;
    f->dims[0] = height;
    f->dims[1] = 2 * height;
  } else if (strcmp(shape, "line") != 0 && !parse_dims(shape, f)) {
    return false;
  }
  size_t product = 1;
  for (int i = 0; i < f->rank; i++)
    product *= f->dims[i];
  return product == f->n;
}

static bool set_path(field *f, const char *path) {
  struct stat s;
  if (stat(path, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size < 4 || strlen(path) >= sizeof f->path)
    return false;
  strcpy(f->path, path);
  f->n = (size_t)s.st_size / sizeof(float);
  const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  size_t length = strlen(base);
  if (length > 4 && !strcmp(base + length - 4, ".f32"))
    length -= 4;
  snprintf(f->name, sizeof f->name, "%.*s", (int)length, base);
  return true;
}

/* FILE[:DIMS] */
static void parse_field(char *text, const char *dims, field *f) {
  char *colon = strrchr(text, ':');
  if (colon && parse_dims(colon + 1, f))
    *colon = '\0';
  else
    colon = NULL;
  if (!set_path(f, text))
    die("cannot read", text);
  if (!set_shape(f, colon ? colon + 1 : dims ? dims : "line"))
    die("the dimensions do not match the size of", text);
}

static void finish_pair(pair *p) {
  if (p->rotated)
    p->b = p->a;
  if (p->a.n != p->b.n || p->a.rank != p->b.rank || memcmp(p->a.dims, p->b.dims, sizeof p->a.dims) != 0)
    die("the two fields differ in size or dimensions", p->a.path);
  snprintf(p->name, sizeof p->name, "%s+%s", p->a.name, p->rotated ? "rotated" : p->b.name);
}

/* FILE[:DIMS][+FILE[:DIMS]] */
static void parse_pair(const char *argument, const char *dims, pair *p) {
  char text[1200];
  if (strlen(argument) >= sizeof text)
    die("too long", argument);
  strcpy(text, argument);
  char *plus = strchr(text, '+');
  p->rotated = plus == NULL;
  if (plus) {
    *plus = '\0';
    parse_field(plus + 1, dims, &p->b);
  }
  parse_field(text, dims, &p->a);
  finish_pair(p);
}

/* Finds NAME.f32 in the folders. */
static bool find_field(const options *o, const char *name, const char *shape, field *f) {
  for (int i = 0; i < o->folders.n; i++) {
    char path[512];
    int length = snprintf(path, sizeof path, "%s/%s.f32", o->folders.word[i], name);
    if (length < (int)sizeof path && set_path(f, path))
      return set_shape(f, shape) || set_shape(f, "line");
  }
  return false;
}

int pairs_find(const options *o, pair *pairs) {
  int count = 0;
  for (size_t i = 0; i < sizeof default_pairs / sizeof *default_pairs; i++) {
    const struct default_pair *d = &default_pairs[i];
    pair p = {.rotated = d->b == NULL};
    if (!find_field(o, d->a, d->shape, &p.a) || (d->b && !find_field(o, d->b, d->shape, &p.b)))
      continue;
    finish_pair(&p);
    pairs[count++] = p;
  }
  for (int i = 0; i < o->n_files && count < MAX_PAIRS; i++) {
    pair p = {.rotated = true};
    parse_pair(o->files[i], o->dims, &p);
    pairs[count++] = p;
  }
  return count;
}

static void load(field *f) {
  FILE *file = fopen(f->path, "rb");
  if (!file)
    die("cannot open", f->path);
  f->x = touched(f->n * sizeof(float));
  if (fread(f->x, sizeof(float), f->n, file) != f->n)
    die("cannot read", f->path);
  fclose(file);
}

ghz_shape field_shape(const field *f) {
  ghz_shape shape;
  uint64_t extents[4];
  for (int i = 0; i < f->rank; i++)
    extents[i] = f->dims[i];
  if (ghz_shape_make((size_t)f->rank, extents, &shape) != GHZ_OK)
    die("no shape for the dimensions of", f->path);
  return shape;
}

void pair_load(pair *p) {
  load(&p->a);
  if (!p->rotated) {
    load(&p->b);
    return;
  }
  size_t half = p->a.n / 2;
  p->b.x = touched(p->a.n * sizeof(float));
  memcpy(p->b.x, p->a.x + half, (p->a.n - half) * sizeof(float));
  memcpy(p->b.x + (p->a.n - half), p->a.x, half * sizeof(float));
}

void pair_free(pair *p) {
  free(p->a.x);
  free(p->b.x);
}
