/* golden_make.c: writes the golden files to a directory and prints their checksums. Run it only for a new
 * format. */
#include "golden.h"
#include <stdio.h>

static int write_case(const golden_case *g, ghz_context *ctx, const char *directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.ghz", directory, g->name);
  ref_bytes stream = golden_stream(g, ctx);
  FILE *f = fopen(path, "wb");
  int failed = !f || fwrite(stream.data, 1, stream.size, f) != stream.size;
  if (f)
    failed |= fclose(f) != 0;
  printf("%-16s %6zu bytes, checksum 0x%016llx\n", g->name, stream.size,
         (unsigned long long)golden_checksum(stream, ctx));
  ref_free(&stream);
  return failed;
}

int main(int argc, char **argv) {
  ghz_context *ctx;
  int failed = 0;
  if (argc != 2 || ghz_context_create(&ctx, 1) != GHZ_OK)
    return 2;
  for (size_t i = 0; i < golden_count; i++)
    failed |= write_case(&golden_cases[i], ctx, argv[1]);
  ghz_context_free(ctx);
  return failed;
}
