/* each_file.c: owns the loop over the files of a command, which share one context. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "each_file.h"

#include "report/library.h"
#include "report/report.h"

int each_file(const options *o, bool (*one)(const options *o, ghz_context *ctx, const char *path)) {
  ghz_context *ctx;
  if (!library_open(&ctx, o->threads))
    return EXIT_DATA;
  bool ok = true;
  for (int i = 0; i < o->file_count; i++)
    ok &= one(o, ctx, o->files[i]);
  ghz_context_free(ctx);
  return ok ? EXIT_OK : EXIT_DATA;
}
