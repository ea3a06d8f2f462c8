/* test.c: owns `ghz test`: every checksum and every tile of compressed files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/reader.h"
#include "report/library.h"
#include "report/progress.h"
#include "report/report.h"
#include "verbs.h"
#include "work/each_file.h"

static bool check_frames(ghz_context *ctx, frame_reader *r, ghz_frame *f) {
  ghz_statistics statistics;
  for (bool more = true; more;) {
    if (!reader_next(r, ctx, f, &more))
      return false;
    if (more && !library_ok(r->file->name, ctx, ghz_scan(ctx, f->stream, &statistics)))
      return false;
    progress_set(r->values);
  }
  return true;
}

static bool test_file(const options *o, ghz_context *ctx, const char *path) {
  (void)o;
  frame_reader r;
  ghz_frame f = {0};
  if (!reader_open(&r, path))
    return false;
  progress_begin(r.file->name, r.header.count, ghz_type_size(r.header.lattice.type));
  bool ok = check_frames(ctx, &r, &f);
  progress_end();
  if (ok)
    note(LEVEL_VERBOSE, "%s: ok", r.file->name);
  reader_close(&r);
  ghz_frame_free(&f);
  return ok;
}

static int run(const options *o) {
  return each_file(o, test_file);
}

const verb verb_test = {
    .name = "test",
    .operands = "[FILE.ghz...]",
    .summary = "check that compressed files are whole and undamaged",
    .details = "Checks every checksum and every tile of each file, and its index against its frames.\n"
               "Prints one line about each damaged file, with -v also about the others. The exit code\n"
               "is 1 if any file is damaged.",
    .examples = "  ghz test *.ghz\n"
                "  ghz test -v sum.ghz\n",
    .options = OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
