/* values.c: owns the values of a pair on host and device: arrays of any length. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda.h"

#include <math.h>
#include <stdlib.h>

/* Copies `count` values of a row of `width`, from its end to its beginning if `back`. */
static void copy_row(const float *row, size_t width, size_t count, bool back, ghz_type type, void *x,
                     size_t at) {
  for (size_t i = 0; i < count; i++) {
    float value = row[back ? width - 1 - i : i];
    if (type == GHZ_F64)
      ((double *)x)[at + i] = (double)value;
    else
      ((float *)x)[at + i] = value;
  }
}

/* Dimension i of three. Those that a field lacks are 1; the first two of four count as one. */
static size_t dimension(const field *f, int i) {
  int index = f->rank - 3 + i;
  size_t size = index < 0 ? 1 : f->dims[index];
  return index == 1 && i == 0 ? size * f->dims[0] : size;
}

/* Writes the field, then its mirror images, one behind the other. The eight images differ in every
 * row, but have the field's statistics along rows; two fields filled alike stay in step. */
static void fill(const field *f, ghz_type type, size_t n, void *x) {
  size_t depth = dimension(f, 0), height = dimension(f, 1), width = dimension(f, 2);
  size_t rows = (n + width - 1) / width;
#pragma omp parallel for
  for (size_t row = 0; row < rows; row++) {
    size_t image = row / (height * depth) % 8, z = row / height % depth, y = row % height;
    if (image & 2)
      y = height - 1 - y;
    if (image & 4)
      z = depth - 1 - z;
    size_t at = row * width, count = n - at < width ? n - at : width;
    copy_row(f->x + (z * height + y) * width, width, count, image & 1, type, x, at);
  }
}

values values_make(ghz_context *cpu, ghz_type type, const pair *p, size_t n) {
  values v = {.pair = p,
              .cpu = cpu,
              .type = type,
              .n = n,
              .value_size = ghz_type_size(type),
              .low = INFINITY,
              .high = -INFINITY};
  for (int i = 0; i < 2; i++) {
    double low, high;
    v.host[i] = touched(n * v.value_size);
    fill(i ? &p->b : &p->a, type, n, v.host[i]);
    v.device[i] = device_new(n * v.value_size);
    to_device(v.device[i], v.host[i], n * v.value_size);
    if (ghz_range(cpu, type, v.host[i], n, &low, &high) != GHZ_OK)
      die("ghz_range", ghz_context_message(cpu));
    v.low = fmin(v.low, low);
    v.high = fmax(v.high, high);
  }
  return v;
}

void values_free(values *v) {
  for (int i = 0; i < 2; i++) {
    free(v->host[i]);
    device_free(v->device[i]);
  }
}
