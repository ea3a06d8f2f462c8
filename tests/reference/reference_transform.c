/* reference_transform.c: the cosine transform of bricks of the reference codec: the integer matrix
 * that decides values, and its inverse in float32. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "quad.h"
#include "reference_parts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 32, HALF = LONGEST / 2 };

/* ---- The integer matrix ---- */
/* round(128 sqrt 2 cos(pi k / 64)), for k from 1 on. */
static int entry(int k) {
  static const uint8_t table[33] = {0,   181, 180, 179, 178, 176, 173, 170, 167, 164, 160,
                                    155, 151, 145, 140, 134, 128, 122, 115, 108, 101, 93,
                                    85,  77,  69,  61,  53,  44,  35,  27,  18,  9,   0};
  k %= 128;
  if (k > 64)
    k = 128 - k;
  return k > 32 ? -table[64 - k] : table[k];
}

/* h_n[u][x]. */
static int h(int n, int u, int x) { return u == 0 ? 128 : entry((2 * x + 1) * u * (32 / n)); }

int ref_transform_shift(int dims) { return dims == 3 ? 26 : 19; }

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
/* The inverse of the odd rows of h_2m, columns 0 to m - 1, by elimination in 113 bits. */
static void invert(int m, quad inverse[HALF][HALF]) {
  quad a[HALF][LONGEST] = {{0}};
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < m; i++)
      a[j][i] = h(2 * m, 2 * j + 1, i);
    a[j][m + j] = 1;
  }
  for (int p = 0; p < m; p++) {
    int best = p;
    for (int j = p + 1; j < m; j++)
      if (a[j][p] * a[j][p] > a[best][p] * a[best][p])
        best = j;
    for (int i = 0; i < 2 * m; i++) {
      quad v = a[p][i];
      a[p][i] = a[best][i];
      a[best][i] = v;
    }
    quad pivot = a[p][p];
    for (int i = 0; i < 2 * m; i++)
      a[p][i] /= pivot;
    for (int j = 0; j < m; j++) {
      quad times = a[j][p];
      for (int i = 0; i < 2 * m && j != p; i++)
        a[j][i] -= times * a[p][i];
    }
  }
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++)
      inverse[j][i] = a[j][m + i];
}

/* v rounded to float32: an error of v far above that of the elimination must not change it. */
static float certain(quad v) {
  float low = (float)(v - v * (quad)0x1p-90), high = (float)(v + v * (quad)0x1p-90);
  if (low != high) {
    fprintf(stderr, "an entry of the inverse matrix is not certain\n");
    abort();
  }
  return low;
}

/* The transform of length n: what to multiply by at each level, m = n / 2, n / 4, ..., 1. */
typedef struct transform {
  float a[5][HALF][HALF]; /* by the bitlength of m, less one */
  float a0;
} transform;

static int power_of(int n) { return n == 16 ? 8 : 9; }

static void transform_make(int n, transform *t) {
  for (int m = n / 2; m > 0; m /= 2) {
    quad inverse[HALF][HALF];
    invert(m, inverse);
    for (int j = 0; j < m; j++)
      for (int i = 0; i < m; i++)
        t->a[ref_bit_length((uint64_t)m) - 1][j][i] = certain(inverse[j][i] * (1 << power_of(n)) * m / n);
  }
  t->a0 = (float)(1 << power_of(n)) / (float)(128 * n);
}

static const transform *transform_of(int n) {
  static _Thread_local transform made[3];
  static _Thread_local int done[3];
  int which = n == 8 ? 0 : n == 16 ? 1 : 2;
  if (!done[which])
    transform_make(n, &made[which]);
  done[which] = 1;
  return &made[which];
}

/* All in float32, in this order. */
static void forward(const transform *t, int n, const float *v, float *out) {
  if (n == 1) {
    out[0] = v[0] * t->a0;
    return;
  }
  int m = n / 2, level = ref_bit_length((uint64_t)m) - 1;
  float d[HALF] = {0}, s[HALF] = {0}, even[HALF];
  for (int i = 0; i < m; i++) {
    d[i] = v[i] - v[n - 1 - i];
    s[i] = v[i] + v[n - 1 - i];
  }
  for (int j = 0; j < m; j++) {
    float sum = t->a[level][j][0] * d[0];
    for (int i = 1; i < m; i++) {
      float product = t->a[level][j][i] * d[i];
      sum = sum + product;
    }
    out[2 * j + 1] = sum;
  }
  forward(t, m, s, even);
  for (int j = 0; j < m; j++)
    out[2 * j] = even[j];
}

static void forward_along(float *e, int n, int stride) {
  for (int i = 0; i < REF_TILE; i++) {
    if (i / stride % n != 0)
      continue;
    float v[LONGEST], out[LONGEST];
    for (int x = 0; x < n; x++)
      v[x] = e[i + x * stride];
    forward(transform_of(n), n, v, out);
    for (int x = 0; x < n; x++)
      e[i + x * stride] = out[x];
  }
}

void ref_forward(int dims, const float *e, int64_t *c) {
  ref_brick b = ref_brick_of(dims);
  float out[REF_TILE];
  memcpy(out, e, sizeof out);
  if (dims == 3)
    forward_along(out, b.z, b.x * b.y);
  forward_along(out, b.y, b.x);
  forward_along(out, b.x, 1);
  for (int i = 0; i < REF_TILE; i++)
    c[i] = (int64_t)rintf(out[i]);
}
