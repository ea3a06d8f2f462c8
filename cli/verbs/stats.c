/* stats.c: owns `ghz stats`: sum, mean, variance and norm of compressed files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "report/report.h"
#include "report/text.h"
#include "verbs.h"
#include "work/range.h"

typedef unsigned long long n;

/* What is known of a file. */
typedef struct file_numbers {
  const char *name;
  ghz_tally tally; /* one exact sum over all frames */
  value_range range;
} file_numbers;

static bool add_frame(const char *name, ghz_context *ctx, const ghz_frame *f, void *user) {
  file_numbers *numbers = user;
  return library_ok(name, ctx, ghz_tally_add(ctx, &numbers->tally, f->stream)) &&
         range_of_frame(name, ctx, f, &numbers->range);
}

static bool print_numbers(const options *o, const file_numbers *f, uint64_t padding) {
  ghz_summary s;
  if (!library_ok(f->name, NULL, ghz_tally_summary(&f->tally, &s)))
    return false;
  s.specials -= padding;
  if (o->json) {
    json_file(f->name);
    printf(", \"count\": %llu, \"specials\": %llu, \"min\": %s, \"max\": %s", (n)s.count, (n)s.specials,
           text_json(f->range.min).text, text_json(f->range.max).text);
  } else {
    printf("%s\n  values            %llu\n", f->name, (n)s.count);
    if (s.specials)
      printf("  left out          %llu (fill values, NaN, infinities)\n", (n)s.specials);
    if (s.count)
      printf("  min, max          %s, %s\n", text_double(f->range.min).text, text_double(f->range.max).text);
  }
  estimate_show(o->json, "sum", "sum", &s.sum);
  estimate_show(o->json, "mean", "mean", &s.mean);
  estimate_show(o->json, "variance", "variance", &s.variance);
  estimate_show(o->json, "deviation", "deviation", &s.deviation);
  estimate_show(o->json, "L2 norm", "norm", &s.norm);
  if (o->json)
    printf("}");
  return true;
}

static bool stats_of_variable(const options *o, ghz_context *ctx, const h5_variable *v) {
  file_numbers f = {.name = v->label, .range = range_nothing()};
  return h5_each_chunk(v, 1, ctx, NULL, add_frame, &f) && print_numbers(o, &f, v->padding);
}

static bool stats_of_file(const options *o, ghz_context *ctx, frame_reader *r) {
  file_numbers f = {.name = r->file.name, .range = range_nothing()};
  return reader_each(r, 1, ctx, add_frame, &f) && print_numbers(o, &f, 0);
}

const verb verb_stats = {
    .name = "stats",
    .operands = "[FILE.ghz...]",
    .summary = "print sum, mean, variance and norm of compressed files",
    .details =
        "Prints the number of finite values, the least and the greatest as decompressed, and their sum,\n"
        "mean, variance (of the population), standard deviation and L2 norm. These are computed exactly from\n"
        "the compressed form and rounded once. After each stands an interval that is guaranteed to contain\n"
        "the same statistic of the original values. Of HDF5 and netCDF files, prints those of the variable\n"
        "--var, or of all that the HDF5 filter compressed.",
    .examples = "  ghz stats wave.f32.ghz\n"
                "  ghz stats --json a.ghz b.ghz | jq '.[].mean.value'\n",
    .least = 1,
    .each_reader = stats_of_file,
    .variable = stats_of_variable,
};
