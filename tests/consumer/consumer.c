/* consumer.c: a C program outside the project: compresses two arrays, adds the streams, checks the
 * sum, and prints the version of the library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/cuda.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 100000 };

static int compress(ghz_context *ctx, const ghz_lattice *lattice, const float *x, void *dst,
                    ghz_bytes *stream) {
  stream->data = dst;
  return ghz_compress(ctx, lattice, GHZ_ORDER_BEST, x, N, dst, ghz_size_bound(N, GHZ_F32, 1), &stream->size);
}

/* Counts the values of y that are further from a + b than the bound. */
static int violations(const float *a, const float *b, const double *y, double bound) {
  int count = 0;
  for (int i = 0; i < N; i++)
    count += !(fabs((double)a[i] + (double)b[i] - y[i]) <= bound);
  return count;
}

int main(void) {
  static float a[N], b[N];
  static double y[N];
  ghz_context *ctx;
  ghz_lattice lattice;
  ghz_info info;
  ghz_bytes one, two, sum;
  size_t room = ghz_size_bound(N, GHZ_F32, 2);
  void *first = malloc(room), *second = malloc(room), *both = malloc(room);
  if (!first || !second || !both)
    return 2;
  for (int i = 0; i < N; i++) {
    a[i] = (float)(i % 1000) * 0.25f;
    b[i] = (float)((i * 7919LL) % 65536) / 3.0f;
  }
  sum.data = both;
  if (ghz_context_create(&ctx, 0) || ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 1e-2}, 0, 0, &lattice) ||
      compress(ctx, &lattice, a, first, &one) || compress(ctx, &lattice, b, second, &two) ||
      ghz_add(ctx, one, two, both, room, &sum.size) || ghz_info_read(sum, &info) ||
      ghz_decompress(ctx, sum, GHZ_F64, y, N)) {
    fprintf(stderr, "consumer.c: a call failed: %s\n", ctx ? ghz_context_message(ctx) : "no context");
    return 1;
  }
  if (info.terms != 2 || violations(a, b, y, info.bound)) {
    fprintf(stderr, "consumer.c: %d values outside the bound\n", violations(a, b, y, info.bound));
    return 1;
  }
  ghz_cuda *gpu; /* the calls for a GPU are there in every build */
  if (!ghz_cuda_built() && ghz_cuda_create(&gpu, N, 2) != GHZ_EDEVICE) {
    fprintf(stderr, "consumer.c: a GPU without CUDA\n");
    return 1;
  }
  ghz_context_free(ctx);
  free(first);
  free(second);
  free(both);
  printf("ghz %s\n", ghz_version());
  return 0;
}
