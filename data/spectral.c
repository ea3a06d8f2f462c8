/* spectral.c: owns Gaussian random fields: white noise, filtered in Fourier space. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "spectral.h"

#include "random.h"

#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

/* Fourier modes along the fastest dimension; a row has room for as many complex numbers. */
static size_t modes(shape dims) {
  return dims.size[2] / 2 + 1;
}

/* The frequency of element i out of n, up to its sign. */
static double frequency(size_t i, size_t n) {
  return (double)(i <= n / 2 ? i : n - i);
}

static void fill_noise(float *field, shape dims, uint64_t seed) {
  size_t rows = dims.size[0] * dims.size[1], nx = dims.size[2], pitch = 2 * modes(dims);
#pragma omp parallel for
  for (size_t row = 0; row < rows; row++)
    for (size_t x = 0; x < nx; x++)
      field[row * pitch + x] = (float)random_normal(seed, row * nx + x);
}

/* Multiplies every mode by k^slope, and the mean by 0. */
static void apply_slope(fftwf_complex *spectrum, shape dims, double slope) {
  size_t rows = dims.size[0] * dims.size[1], width = modes(dims);
#pragma omp parallel for
  for (size_t row = 0; row < rows; row++) {
    double kz = frequency(row / dims.size[1], dims.size[0]), ky = frequency(row % dims.size[1], dims.size[1]);
    for (size_t x = 0; x < width; x++) {
      double k2 = kz * kz + ky * ky + (double)x * (double)x;
      float factor = k2 > 0 ? (float)pow(k2, slope / 2) : 0.0f;
      spectrum[row * width + x][0] *= factor;
      spectrum[row * width + x][1] *= factor;
    }
  }
}

/* Transforms in place, filters, and transforms back. With FFTW_ESTIMATE every run has the same
 * plan, and so the same bits. */
static bool filter(float *field, shape dims, double slope) {
  int size[3] = {(int)dims.size[0], (int)dims.size[1], (int)dims.size[2]};
  fftwf_complex *spectrum = (fftwf_complex *)(void *)field;
  fftwf_plan there = fftwf_plan_dft_r2c(3, size, field, spectrum, FFTW_ESTIMATE);
  fftwf_plan back = fftwf_plan_dft_c2r(3, size, spectrum, field, FFTW_ESTIMATE);
  bool good = there && back;
  if (good) {
    fftwf_execute(there);
    apply_slope(spectrum, dims, slope);
    fftwf_execute(back);
  }
  fftwf_destroy_plan(there);
  fftwf_destroy_plan(back);
  return good;
}

/* Removes the padding of the rows. */
static void pack_rows(float *field, shape dims) {
  size_t rows = dims.size[0] * dims.size[1], nx = dims.size[2], pitch = 2 * modes(dims);
  for (size_t row = 1; row < rows; row++)
    memmove(field + row * nx, field + row * pitch, nx * sizeof(float));
}

/* Scales to variance 1; the mean is already 0. One thread sums, so that the order is fixed. */
static void normalise(float *field, size_t count) {
  double squares = 0;
  for (size_t i = 0; i < count; i++)
    squares += (double)field[i] * (double)field[i];
  float scale = (float)sqrt((double)count / squares);
  for (size_t i = 0; i < count; i++)
    field[i] *= scale;
}

float *gaussian_field(shape dims, double slope, uint64_t seed, const char *subject) {
  float *field = floats_new(dims.size[0] * dims.size[1] * 2 * modes(dims), subject);
  if (!field)
    return NULL;
  fill_noise(field, dims, seed);
  if (!filter(field, dims, slope)) {
    fail(subject, "FFTW cannot plan a transform of this size");
    free(field);
    return NULL;
  }
  pack_rows(field, dims);
  normalise(field, shape_count(dims));
  return field;
}
