/* sum_many.c: adds 20 compressed arrays without decompressing them.
 *
 *   cc sum_many.c $(pkg-config --cflags --libs ghz) -lm -o sum_many && ./sum_many */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/ghz.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ARRAYS = 20, N = 100000 };

static void check(ghz_status status) {
  if (status == GHZ_OK)
    return;
  fprintf(stderr, "libghz: %s\n", ghz_status_text(status));
  exit(1);
}

int main(void) {
  static float x[N];
  static double exact[N], y[N];
  static void *memory[ARRAYS + 1]; /* for the streams, and for their sum */
  for (int k = 0; k <= ARRAYS; k++)
    if (!(memory[k] = malloc(ghz_size_bound(N, GHZ_F32, k < ARRAYS ? 1 : ARRAYS))))
      return 1;

  ghz_context *ctx;    /* threads and scratch memory: make one, use it for all calls */
  ghz_lattice lattice; /* one for all: arrays can be added if their values are rounded to the same grid */
  check(ghz_context_create(&ctx, 0));
  check(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 1e-3}, 0, 0, &lattice));

  ghz_bytes streams[ARRAYS], sum = {memory[ARRAYS], 0};
  for (int k = 0; k < ARRAYS; k++) {
    for (int i = 0; i < N; i++) {
      x[i] = sinf(1e-4f * (float)i * (float)(k + 1)) + (float)k;
      exact[i] += (double)x[i];
    }
    size_t room = ghz_size_bound(N, GHZ_F32, 1); /* enough, whatever the values are */
    check(ghz_compress(ctx, &lattice, GHZ_ORDER_BEST, x, N, memory[k], room, &streams[k].size));
    streams[k].data = memory[k];
  }

  size_t room = ghz_size_bound(N, GHZ_F32, ARRAYS); /* a sum of many takes more than one array */
  check(ghz_sum(ctx, ARRAYS, streams, memory[ARRAYS], room, &sum.size));

  ghz_info info; /* the sum knows its own bound: 20 times that of an array */
  check(ghz_info_read(sum, &info));
  check(ghz_decompress(ctx, sum, GHZ_F64, y, N));
  double worst = 0;
  for (int i = 0; i < N; i++)
    worst = fmax(worst, fabs(y[i] - exact[i]));
  printf("%d arrays of %zu bytes: the sum takes %zu; largest error %.3g, bound %.3g\n", ARRAYS, sizeof x,
         sum.size, worst, info.bound);
  for (int k = 0; k <= ARRAYS; k++)
    free(memory[k]);
  ghz_context_free(ctx);
  return worst <= info.bound ? 0 : 1;
}
