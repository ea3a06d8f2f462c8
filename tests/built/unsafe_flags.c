/* unsafe_flags.c: a program of libghz's that prints a sum over all the bytes that it got, checks
 * the bound, and that numbers of the program itself are as they should be. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/ghz.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 40000 };

static uint64_t hash = 14695981039346656037u;

static void add_bytes(const void *p, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ ((const uint8_t *)p)[i]) * 1099511628211u;
}

static void check(int condition, const char *what) {
  if (condition)
    return;
  printf("%s (%s)\n", what, ghz_context_message(NULL));
  exit(1);
}

static double value(int kind, int i) {
  static double walk;
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  const double noise = (double)(state >> 40) * 0x1p-24 - 0.5;
  walk = i ? walk + noise : 0;
  const double values[] = {
      sin(i * 0.01), walk, noise * 1e6, noise * 1e-40, i % 97 ? walk : NAN, i % 89 ? noise : -INFINITY};
  return values[kind];
}

enum { KINDS = 6 };

static double at(ghz_type type, const void *x, size_t i) {
  return type == GHZ_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void check_bound(ghz_type type, const void *x, const void *y, double bound) {
  for (size_t i = 0; i < N; i++) {
    const double a = at(type, x, i), b = at(type, y, i);
    check(isfinite(a) ? fabsl((long double)a - (long double)b) <= (long double)bound
          : isnan(a)  ? isnan(b)
                      : a == b,
          "the bound");
  }
}

static void all_of(ghz_type type, ghz_bound bound, const void *x, ghz_shape shape) {
  void *stream, *twice, *y;
  size_t size, sum_size, count;
  ghz_info info;
  double range[2];
  check(ghz_range(NULL, type, x, N, &range[0], &range[1]) == GHZ_OK, "range");
  add_bytes(range, sizeof range);
  check(ghz_compress_alloc(NULL, type, bound, x, &shape, &stream, &size) == GHZ_OK, "compress");
  const ghz_bytes s = {stream, size};
  check(ghz_info_read(s, &info) == GHZ_OK, "info");
  check(ghz_decompress_alloc(NULL, s, type, &y, &count) == GHZ_OK && count == N, "decompress");
  check_bound(type, x, y, info.bound);
  check(ghz_sum_alloc(NULL, 3, (ghz_bytes[]){s, s, s}, &twice, &sum_size) == GHZ_OK, "sum");
  add_bytes(stream, size);
  add_bytes(y, N * ghz_type_size(type));
  add_bytes(twice, sum_size);
  check(ghz_mean(NULL, 3, (ghz_bytes[]){s, s, s}, twice, sum_size, &size) == GHZ_OK, "mean");
  add_bytes(twice, size);
  free(stream), free(y), free(twice);
}

static void all_kinds(void) {
  static float x[N];
  static double wide[N];
  const ghz_bound bounds[] = {{GHZ_ABS, 1e-3}, {GHZ_REL, 1e-5}, {GHZ_PSNR, 77}, {GHZ_ABS, 1e-42}};
  for (int kind = 0; kind < KINDS; kind++)
    for (int b = 0; b < 4; b++) {
      for (int i = 0; i < N; i++)
        x[i] = (float)(wide[i] = value(kind, i));
      all_of(GHZ_F32, bounds[b], x, b % 2 ? ghz_flat(N) : (ghz_shape){3, {20, 40, 50}});
      all_of(GHZ_F64, bounds[b], wide, b % 2 ? (ghz_shape){2, {1, 200, 200}} : ghz_flat(N));
    }
}

int main(void) {
  volatile float denormal = 1e-40f;
  check(denormal * 1.0f > 0, "the library lets the program flush denormals to zero");
  all_kinds();
  printf("%016" PRIx64 "\n", hash);
  return 0;
}
