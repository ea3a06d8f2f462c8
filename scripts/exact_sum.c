/* exact_sum.c: adds two files of float32 in double precision and writes float64. The sum of two
 * floats is exact in a double unless one is 2^29 times the other, and then right to 53 bits.
 * usage: exact_sum A.f32 B.f32 SUM.f64 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 65536 };

static FILE *open_or_die(const char *path, const char *mode) {
  FILE *f = fopen(path, mode);
  if (!f) {
    perror(path);
    exit(1);
  }
  return f;
}

int main(int argc, char **argv) {
  static float a[BLOCK], b[BLOCK];
  static double sum[BLOCK];
  if (argc != 4) {
    fprintf(stderr, "usage: exact_sum A.f32 B.f32 SUM.f64\n");
    return 2;
  }
  FILE *fa = open_or_die(argv[1], "rb"), *fb = open_or_die(argv[2], "rb"), *out = open_or_die(argv[3], "wb");
  for (;;) {
    size_t n = fread(a, sizeof *a, BLOCK, fa);
    if (fread(b, sizeof *b, BLOCK, fb) != n || ferror(fa) || ferror(fb)) {
      fprintf(stderr, "exact_sum: %s and %s cannot be read to the same length\n", argv[1], argv[2]);
      return 1;
    }
    if (n == 0)
      break;
    for (size_t i = 0; i < n; i++)
      sum[i] = (double)a[i] + (double)b[i];
    fwrite(sum, sizeof *sum, n, out);
  }
  if (ferror(out) | fclose(out)) {
    perror(argv[3]);
    return 1;
  }
  return 0;
}
