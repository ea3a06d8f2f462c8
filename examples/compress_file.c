/* compress_file.c: compresses a file of float32 so that no value changes by more than 1e-4 of their
 * range.
 *
 *   cc compress_file.c $(pkg-config --cflags --libs ghz) -lm -o compress_file
 *   ./compress_file VALUES.f32 STREAM
 *
 * The result is a bare stream, for programs that link libghz. The command ghz writes .ghz files:
 * streams in a container. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/ghz.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int good, const char *what, const char *why) {
  if (good)
    return;
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static void check_call(ghz_status status) {
  check(status == GHZ_OK, "libghz", ghz_status_text(status));
}

static float *read_values(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  check(f && fseek(f, 0, SEEK_END) == 0, path, "cannot be read");
  *n = (size_t)ftell(f) / sizeof(float);
  float *x = malloc(*n * sizeof *x);
  rewind(f);
  check(x && *n > 0 && fread(x, sizeof *x, *n, f) == *n, path, "cannot be read");
  fclose(f);
  return x;
}

int main(int argc, char **argv) {
  check(argc == 3, "usage", "compress_file VALUES.f32 STREAM");
  size_t n, size;
  float *x = read_values(argv[1], &n), *y = malloc(n * sizeof *y);
  size_t room = ghz_size_bound(n, GHZ_F32, 1); /* enough, whatever the values are */
  void *stream = malloc(room);
  check(y && stream, "malloc", "out of memory");

  ghz_context *ctx; /* threads and scratch memory: make one, use it for all calls */
  check_call(ghz_context_create(&ctx, 0));
  ghz_lattice lattice; /* the grid that values are rounded to: the bound decides how fine it is */
  double worst = 0;
  check_call(
      ghz_lattice_for(ctx, GHZ_F32, (ghz_bound){GHZ_REL, 1e-4}, NULL, 1, (const void *[]){x}, n, &lattice));

  check_call(ghz_compress(ctx, &lattice, GHZ_ORDER_BEST, x, n, stream, room, &size));
  check_call(ghz_decompress(ctx, (ghz_bytes){stream, size}, GHZ_F32, y, n)); /* to see the error */
  for (size_t i = 0; i < n; i++)
    worst = fmax(worst, fabs((double)x[i] - (double)y[i])); /* fmax ignores NaN */
  printf("%zu values: %zu -> %zu bytes, largest error %.3g, bound %.3g\n", n, n * 4, size, worst, lattice.eb);

  FILE *f = fopen(argv[2], "wb");
  check(f && fwrite(stream, 1, size, f) == size && fclose(f) == 0, argv[2], "cannot be written");
  free(x), free(y), free(stream), ghz_context_free(ctx);
  return worst <= lattice.eb ? 0 : 1;
}
