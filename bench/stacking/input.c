/* input.c: owns where the fields come from: files, or a wave in the earth that is made here. */
#include "stacking.h"

#include <fields.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The edge of the cube in a file; 0: said why. */
static size_t file_edge(const char *path) {
  struct stat found;
  if (stat(path, &found) != 0) {
    complain("%s: %s", path, strerror(errno));
    return 0;
  }
  size_t bytes = S_ISREG(found.st_mode) ? (size_t)found.st_size : 0;
  size_t edge = (size_t)llround(cbrt((double)bytes / sizeof(float)));
  if (bytes > 0 && edge <= SIZE_MOST && edge * edge * edge * sizeof(float) == bytes)
    return edge;
  complain("%s: not a file of N x N x N float32, N at most %d", path, SIZE_MOST);
  return 0;
}

/* All files must hold cubes of the same size, that of --size if it was given. */
static bool check_files(inputs *in) {
  const options *o = in->options;
  in->count = o->n_files;
  for (int i = 0; i < o->n_files; i++) {
    size_t edge = file_edge(o->files[i]);
    if (edge == 0)
      return false;
    if (in->size != 0 && edge != in->size)
      return complain("%s: edge %zu, expected %zu", o->files[i], edge, in->size);
    in->size = edge;
  }
  return true;
}

bool inputs_open(inputs *in, const options *o, int moments) {
  *in = (inputs){.options = o, .size = o->size, .count = moments};
  return o->n_files == 0 || check_files(in);
}

static bool read_floats(const char *path, float *to, size_t n) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return complain("%s: %s", path, strerror(errno));
  bool whole = fread(to, sizeof *to, n, file) == n;
  fclose(file);
  return whole || complain("%s: cannot be read to its end", path);
}

static bool each_file(const inputs *in, field_taker take, void *taker) {
  size_t n = in->size * in->size * in->size;
  float *values = malloc(n * sizeof *values);
  bool good = values || complain("out of memory for a file of %zu values", n);
  for (int i = 0; i < in->count && good; i++) {
    good = read_floats(in->options->files[i], values, n);
    if (good)
      take(taker, values);
  }
  free(values);
  return good;
}

typedef struct wave_taker {
  field_taker take;
  void *taker;
} wave_taker;

static bool take_wave(void *taker, const char *name, shape dims, const float *values) {
  wave_taker *t = taker;
  (void)name, (void)dims;
  t->take(t->taker, values);
  return true;
}

bool inputs_each(const inputs *in, field_taker take, void *taker) {
  if (in->options->n_files > 0)
    return each_file(in, take, taker);
  wave_taker t = {take, taker};
  run r = {.n = in->size, .series = in->count, .quiet = true, .take = take_wave, .taker = &t};
  return make_waves(&r);
}
