/* each_file.c: owns the loop over the files of a command, which share one context, and the array
 * that --json prints of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "each_file.h"

#include <stdio.h>

#include "report/library.h"
#include "report/report.h"
#include "report/text.h"

void json_files_begin(const options *o) {
  if (o->json)
    printf("[");
}

void json_files_end(const options *o) {
  if (o->json)
    printf("\n]\n");
}

void json_file(const char *name) {
  static bool begun; /* an object has been printed already */
  printf("%s\n  {\"file\": ", begun ? "," : "");
  json_string(stdout, name);
  begun = true;
}

int each_file(const options *o, bool (*one)(const options *o, ghz_context *ctx, const char *path)) {
  ghz_context *ctx;
  if (!library_open(&ctx, o->threads))
    return EXIT_DATA;
  bool ok = true;
  json_files_begin(o);
  for (int i = 0; i < o->file_count; i++)
    ok &= one(o, ctx, o->files[i]);
  json_files_end(o);
  ghz_context_free(ctx);
  return ok ? EXIT_OK : EXIT_DATA;
}
