/* test.c: owns `ghz test`: every checksum and every tile of compressed files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/reader.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs.h"

static bool check_frame(const char *name, ghz_context *ctx, const ghz_frame *f, void *unused) {
  (void)unused;
  ghz_statistics statistics;
  return library_ok(name, ctx, ghz_scan(ctx, f->stream, &statistics));
}

static bool test_file(const options *o, ghz_context *ctx, frame_reader *r) {
  (void)o;
  if (!reader_each(r, 1, ctx, check_frame, NULL))
    return false;
  const uint64_t unfinished = ghz_file_get_info(r->own)->unfinished;
  note(LEVEL_VERBOSE, "%s: ok", r->file.name);
  if (unfinished)
    note(LEVEL_NORMAL, "%s: %s behind its end: an append that is not finished", r->file.name,
         text_bytes(unfinished).text);
  return true;
}

const verb verb_test = {
    .name = "test",
    .operands = "[FILE.ghz...]",
    .summary = "check that compressed files are whole and undamaged",
    .details =
        "Checks every checksum and every tile of each file, and its index against its frames. Prints one\n"
        "line about each damaged file, with -v also about the others. What an append has left that was not\n"
        "finished is no damage, and is told.",
    .examples = "  ghz test *.ghz\n"
                "  ghz test -v sum.ghz\n",
    .least = 1,
    .each_reader = test_file,
};
