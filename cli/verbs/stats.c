/* stats.c: owns `ghz stats`: sum, mean, variance and norm of compressed files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "io/reader.h"
#include "report/estimate.h"
#include "report/library.h"
#include "report/progress.h"
#include "report/text.h"
#include "verbs.h"
#include "work/each_file.h"
#include "work/range.h"

typedef unsigned long long n;

/* What is known of a file. */
typedef struct file_numbers {
  const char *name;
  ghz_summary summary;
  value_range range;
} file_numbers;

/* Frame by frame, into one exact sum. */
static bool add_frames(ghz_context *ctx, frame_reader *r, ghz_frame *f, ghz_tally *tally, value_range *range) {
  for (bool more = true; more;) {
    double min, max;
    if (!reader_next(r, ctx, f, &more))
      return false;
    if (!more)
      break;
    if (!library_ok(r->file->name, ctx, ghz_tally_add(ctx, tally, f->stream)) ||
        !library_ok(r->file->name, ctx, ghz_extrema(ctx, f->stream, &min, &max)))
      return false;
    range_widen(range, min, max);
    progress_set(r->values);
  }
  return true;
}

static bool take_numbers(ghz_context *ctx, frame_reader *r, file_numbers *numbers) {
  ghz_tally tally = {0};
  ghz_frame f = {0};
  numbers->name = r->file->name;
  numbers->range = range_nothing();
  progress_begin(r->file->name, r->header.count, ghz_type_size(r->header.lattice.type));
  bool ok = add_frames(ctx, r, &f, &tally, &numbers->range);
  progress_end();
  ghz_frame_free(&f);
  return ok && library_ok(r->file->name, NULL, ghz_tally_summary(&tally, &numbers->summary));
}

static void print_table(const file_numbers *f) {
  const ghz_summary *s = &f->summary;
  printf("%s\n  values            %llu\n", f->name, (n)s->count);
  if (s->specials)
    printf("  left out          %llu (fill values, NaN, infinities)\n", (n)s->specials);
  if (s->count)
    printf("  min, max          %s, %s\n", text_double(f->range.min).text, text_double(f->range.max).text);
  estimate_print("sum", &s->sum);
  estimate_print("mean", &s->mean);
  estimate_print("variance", &s->variance);
  estimate_print("deviation", &s->deviation);
  estimate_print("L2 norm", &s->norm);
}

static void print_json(const file_numbers *f) {
  const ghz_summary *s = &f->summary;
  json_file(f->name);
  printf(", \"count\": %llu, \"specials\": %llu, \"min\": %s, \"max\": %s", (n)s->count, (n)s->specials,
         text_json(f->range.min).text, text_json(f->range.max).text);
  estimate_json("sum", &s->sum);
  estimate_json("mean", &s->mean);
  estimate_json("variance", &s->variance);
  estimate_json("deviation", &s->deviation);
  estimate_json("norm", &s->norm);
  printf("}");
}

static bool stats_of_file(const options *o, ghz_context *ctx, const char *path) {
  frame_reader r;
  file_numbers f;
  if (!reader_open(&r, path))
    return false;
  bool ok = take_numbers(ctx, &r, &f);
  if (ok)
    (o->json ? print_json : print_table)(&f);
  reader_close(&r);
  return ok;
}

static int run(const options *o) {
  return each_file(o, stats_of_file);
}

const verb verb_stats = {
    .name = "stats",
    .operands = "[FILE.ghz...]",
    .summary = "print sum, mean, variance and norm of compressed files",
    .details = "Prints the number of finite values, the least and the greatest as decompressed, and\n"
               "their sum, mean, variance (of the population), standard deviation and L2 norm. These\n"
               "are computed exactly from the compressed form and rounded once. After each stands an\n"
               "interval that is guaranteed to contain the same statistic of the original values: it\n"
               "follows from the bound of the file. Fill values, NaN and infinities are left out.\n"
               "--json prints everything as one array of objects.",
    .examples = "  ghz stats wave.f32.ghz\n"
                "  ghz stats --json a.ghz b.ghz | jq '.[].mean.value'\n",
    .options = OPTION_JSON | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
