/* make.c: writes golden files to a directory and prints their checksums: all, or those that
 * are named; or all streams packed at level 2 that are small. Run it only for a new format, or for
 * new files.
 * usage: golden_make DIRECTORY [--packed | NAME...] */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "golden.h"
#include <ghz/file.h>
#include <stdio.h>
#include <string.h>

static int write_bytes(const char *name, const char *ending, ref_bytes bytes, const char *directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%s", directory, name, ending);
  FILE *f = fopen(path, "wb");
  int failed = !f || fwrite(bytes.data, 1, bytes.size, f) != bytes.size;
  if (f)
    failed |= fclose(f) != 0;
  return failed;
}

enum { SMALL = 4500 };

static int write_packed(const golden *g, ghz_context *ctx, const char *directory) {
  const ref_bytes stream = golden_make(g, ctx);
  ref_bytes to = bytes_new(ghz_packed_bound(stream.size));
  if (strcmp(golden_ending(g->name), "ghz") != 0)
    return 0;
  return ghz_pack_stream(ctx, view(stream), 2, to.data, to.size, &to.size) != GHZ_OK ||
         (to.size < SMALL && write_bytes(g->name, "ghzp", to, directory));
}

static int write_file(const char *name, ref_bytes stream, ghz_context *ctx, const char *directory) {
  const int failed = write_bytes(name, golden_ending(name), stream, directory);
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
    if (argc == 3 && strcmp(argv[2], "--packed") == 0)
      failed |= write_packed(&goldens[i], ctx, argv[1]);
    else if (wanted(goldens[i].name, argc, argv))
      failed |= write_file(goldens[i].name, golden_make(&goldens[i], ctx), ctx, argv[1]);
  ghz_context_free(ctx);
  return failed;
}
