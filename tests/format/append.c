/* append.c: appends values of standard input to a .ghz file of float32, for golden files: so many
 * STEPS along the slowest dimension, which have so many VALUES. With --flush a third of them is
 * flushed before the rest. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ghz_status append(const char *path, uint64_t steps, const float *x, size_t count, int flush) {
  ghz_file_writer *w;
  ghz_status status = ghz_file_append(path, steps, &w);
  const size_t first = flush ? count / 3 : 0;
  if (status != GHZ_OK)
    return status;
  if (flush)
    status = ghz_file_write(w, NULL, x, first);
  if (flush && status == GHZ_OK)
    status = ghz_file_flush(w, NULL);
  if (status == GHZ_OK)
    status = ghz_file_write(w, NULL, x + first, count - first);
  const ghz_status finished = ghz_file_finish(w, NULL);
  return status == GHZ_OK ? finished : status;
}

int main(int argc, char **argv) {
  const size_t count = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
  float *x = malloc(count * sizeof *x + 1);
  if (argc < 4 || !x || fread(x, sizeof *x, count, stdin) != count) {
    fprintf(stderr, "usage: append FILE.ghz STEPS VALUES [--flush] <VALUES.f32\n");
    return 2;
  }
  const ghz_status status =
      append(argv[1], strtoul(argv[2], NULL, 10), x, count, argc > 4 && strcmp(argv[4], "--flush") == 0);
  if (status != GHZ_OK)
    fprintf(stderr, "append: %s\n", ghz_context_message(NULL));
  free(x);
  return status != GHZ_OK;
}
