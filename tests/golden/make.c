/* make.c: writes the golden streams and messages to a directory and prints their checksums, or the
 * streams packed at level 2 that are small. Run it only for a new format, or for new files.
 * usage: golden_make DIRECTORY [--packed] */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "golden.h"
#include <ghz/file.h>
#include <stdio.h>
#include <string.h>

enum { SMALL = 4500 };

static void write_bytes(const char *directory, const char *name, const char *ending, ref_bytes bytes) {
  FILE *f = fopen(say("%s/%s.%s", directory, name, ending), "wb");
  need(f && fwrite(bytes.data, 1, bytes.size, f) == bytes.size && fclose(f) == 0 ? GHZ_OK : GHZ_EIO, "%s",
       name);
}

static void write_packed(const golden *g, ref_bytes stream, const char *directory) {
  ref_bytes to = bytes_new(ghz_packed_bound(stream.size));
  need(ghz_pack_stream(NULL, view(stream), 2, to.data, to.size, &to.size), "packing");
  if (to.size < SMALL)
    write_bytes(directory, g->name, "ghzp", to);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  for (const golden *g = goldens; g < goldens + golden_count; g++) {
    SCOPE;
    const ref_bytes stream = g->make(NULL);
    if (argc > 2 && strcmp(golden_ending(g->name), "ghz") == 0)
      write_packed(g, stream, argv[1]);
    if (argc > 2)
      continue;
    write_bytes(argv[1], g->name, golden_ending(g->name), stream);
    printf("%-24s %6zu bytes, checksum 0x%016llx\n", g->name, stream.size,
           (unsigned long long)golden_checksum(stream, NULL));
  }
  return 0;
}
