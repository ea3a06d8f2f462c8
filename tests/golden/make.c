/* make.c: writes golden files to a directory and prints their checksums: all, or those that
 * are named. Run it only for a new format, or for new files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "golden.h"
#include <stdio.h>
#include <string.h>

static int write_file(const char *name, ref_bytes stream, ghz_context *ctx, const char *directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%s", directory, name, golden_ending(name));
  FILE *f = fopen(path, "wb");
  int failed = !f || fwrite(stream.data, 1, stream.size, f) != stream.size;
  if (f)
    failed |= fclose(f) != 0;
  printf("%-24s %6zu bytes, checksum 0x%016llx\n", name, stream.size,
         (unsigned long long)golden_checksum(stream, ctx));
  return failed;
}

static int wanted(const char *name, int argc, char **argv) {
  for (int i = 2; i < argc; i++)
    if (strcmp(argv[i], name) == 0)
      return 1;
  return argc == 2;
}

int main(int argc, char **argv) {
  ghz_context *ctx;
  int failed = 0;
  if (argc < 2 || ghz_context_create(&ctx, 1) != GHZ_OK)
    return 2;
  for (size_t i = 0; i < golden_count; i++)
    if (wanted(goldens[i].name, argc, argv))
      failed |= write_file(goldens[i].name, golden_make(&goldens[i], ctx), ctx, argv[1]);
  ghz_context_free(ctx);
  return failed;
}
