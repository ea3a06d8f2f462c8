/* reference_transform.c: the transform of bricks of the reference codec: the integer matrices that
 * decide values, their inverses in float32, and what is dropped. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference_parts.h"
#include "rules/transform_tables.h"
#include <math.h>
#include <string.h>

enum { LONGEST = 32, HALF = LONGEST / 2 };

/* ---- The integer matrices ---- */
/* h_n[u][x]: the integers are the library's, as there can be one table of them only. */
static int h(int n, int u, int x) {
  static const short eight[8][4] = {INVERSE_8}, sixteen[16][8] = {INVERSE_16},
                     thirty_two[32][16] = {INVERSE_32};
  int i = x < n / 2 ? x : n - 1 - x;
  int value = n == 8 ? eight[u][i] : n == 16 ? sixteen[u][i] : thirty_two[u][i];
  return u % 2 && x >= n / 2 ? -value : value;
}

int ref_transform_shift(int dims) { return dims == 3 ? 29 : 21; }

/* Along one axis: out(.. x ..) = sum over u of in(.. u ..) h[u][x]. */
static void inverse_along(ref_wide *k, int n, int stride) {
  for (int i = 0; i < REF_TILE; i++) {
    if (i / stride % n != 0)
      continue;
    ref_wide out[LONGEST] = {0};
    for (int u = 0; u < n; u++)
      for (int x = 0; k[i + u * stride] && x < n; x++) /* most coefficients are 0 */
        out[x] += k[i + u * stride] * h(n, u, x);
    for (int x = 0; x < n; x++)
      k[i + x * stride] = out[x];
  }
}

void ref_inverse(int dims, const int64_t *c, ref_wide *k) {
  ref_brick b = ref_brick_of(dims);
  for (int i = 0; i < REF_TILE; i++)
    k[i] = c[i];
  inverse_along(k, b.x, 1);
  inverse_along(k, b.y, b.x);
  if (dims == 3)
    inverse_along(k, b.z, b.x * b.y);
}

/* ---- The order of coefficients ---- */
/* The number of the pair among the 64, sorted by (1 + uz) (1 + uy), then by 8 uz + uy. */
static int rank_of_pair(int uz, int uy) {
  int rank = 0, own = (1 + uz) * (1 + uy);
  for (int z = 0; z < 8; z++)
    for (int y = 0; y < 8; y++) {
      int other = (1 + z) * (1 + y);
      rank += other < own || (other == own && 8 * z + y < 8 * uz + uy);
    }
  return rank;
}

int ref_column_of(int dims, int u) {
  ref_brick b = ref_brick_of(dims);
  int ux = u % b.x, row = dims == 3 ? rank_of_pair(u / 128, u / 16 % 8) : u / 32;
  return (row / 16 * b.x + ux) * 16 + row % 16;
}

/* ---- The transform of values ---- */
/* What frequency u counts the sums or differences of values i and n - 1 - i for, in float32. The
 * factors are the library's; tests/format/check.py holds them against the inverse matrices. */
static const float *factors(int n, int u) {
  static const float eight[8][4] = {FORWARD_8}, sixteen[16][8] = {FORWARD_16},
                     thirty_two[32][16] = {FORWARD_32};
  return n == 8 ? eight[u] : n == 16 ? sixteen[u] : thirty_two[u];
}

/* factor[0] v[0] + factor[1] v[1] + ..., all in float32, in this order. */
static float sum_of_products(const float *factor, const float *v, int count) {
  float sum = factor[0] * v[0];
  for (int i = 1; i < count; i++) {
    float product = factor[i] * v[i];
    sum = sum + product;
  }
  return sum;
}

static void forward(int n, const float *v, float *out) {
  int m = n / 2;
  float d[HALF] = {0}, s[HALF] = {0}, rest[HALF];
  for (int i = 0; i < m; i++) {
    d[i] = v[i] - v[n - 1 - i];
    s[i] = v[i] + v[n - 1 - i];
  }
  for (int i = 0; i < m; i++)
    rest[i] = s[i] - s[m - 1];
  out[0] = s[0];
  for (int i = 1; i < m; i++)
    out[0] = out[0] + s[i];
  for (int u = 1; u < n; u++)
    out[u] = u % 2 ? sum_of_products(factors(n, u), d, m) : sum_of_products(factors(n, u), rest, m - 1);
}

static void forward_along(float *e, int n, int stride) {
  for (int i = 0; i < REF_TILE; i++) {
    if (i / stride % n != 0)
      continue;
    float v[LONGEST], out[LONGEST];
    for (int x = 0; x < n; x++)
      v[x] = e[i + x * stride];
    forward(n, v, out);
    for (int x = 0; x < n; x++)
      e[i + x * stride] = out[x];
  }
}

/* Of each 16 lines that are coded together, all that no value of 1/8 is in become 0. */
static void clear_small_groups(int dims, float *e) {
  int size = 16 * ref_brick_of(dims).x;
  float largest[4] = {0};
  for (int i = 0; i < REF_TILE; i++) {
    float *most = &largest[ref_column_of(dims, i) / size];
    *most = fmaxf(fabsf(e[i]), *most);
  }
  for (int i = 0; i < REF_TILE; i++)
    if (largest[ref_column_of(dims, i) / size] < 0.125F)
      e[i] = 0;
}

void ref_forward(int dims, float *e) {
  ref_brick b = ref_brick_of(dims);
  if (dims == 3)
    forward_along(e, b.z, b.x * b.y);
  forward_along(e, b.y, b.x);
  clear_small_groups(dims, e);
  forward_along(e, b.x, 1);
}

/* ---- Which are kept ---- */
/* Whether a block is dropped. `first` is its first column but column 0, which stands apart. */
static int dropped(const int64_t *c, const int64_t *fine, int first, int end) {
  int width = 0;
  int64_t gain = 0;
  for (int i = first; i < end; i++) {
    width = ref_width(c[i]) > width ? ref_width(c[i]) : width;
    gain += c[i] * (2 * fine[i] - 64 * c[i]);
  }
  return (width == 1 && gain < 54) || (width == 2 && gain < 99);
}

void ref_keep(int dims, const float *e, int64_t *c) {
  int64_t column[REF_TILE], fine[REF_TILE]; /* e in whole numbers, and in 64ths */
  for (int u = 0; u < REF_TILE; u++) {
    column[ref_column_of(dims, u)] = (int64_t)rint((double)e[u]);
    fine[ref_column_of(dims, u)] = (int64_t)rint(64 * (double)e[u]);
  }
  for (int b = 0; b < REF_BLOCKS; b++) {
    int first = b == 0 ? 1 : 8 * b, end = 8 * b + 8;
    if (dropped(column, fine, first, end))
      memset(column + first, 0, (size_t)(end - first) * sizeof *column);
  }
  for (int u = 0; u < REF_TILE; u++)
    c[u] = column[ref_column_of(dims, u)];
}
