/* verb_minmax.c: owns `ghz minmax`: the range of compressed files, or their extremes value by
 * value. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>

#include "combine.h"
#include "each_file.h"
#include "io/reader.h"
#include "report/library.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs.h"

static ghz_status smaller(ghz_context *ctx, size_t k, const ghz_bytes *s, void *dst, size_t capacity,
                          size_t *size) {
  (void)k;
  return ghz_minimum(ctx, s[0], s[1], dst, capacity, size);
}

static ghz_status larger(ghz_context *ctx, size_t k, const ghz_bytes *s, void *dst, size_t capacity,
                         size_t *size) {
  (void)k;
  return ghz_maximum(ctx, s[0], s[1], dst, capacity, size);
}

static bool find_extrema(ghz_context *ctx, frame_reader *r, frame *f, double *min, double *max) {
  *min = INFINITY;
  *max = -INFINITY;
  for (bool more = true; more;) {
    double low, high;
    if (!reader_next(r, f, &more))
      return false;
    if (!more)
      break;
    if (!library_ok(r->file.name, ctx, ghz_extrema(ctx, frame_bytes(f), &low, &high)))
      return false;
    *min = low < *min ? low : *min;
    *max = high > *max ? high : *max;
  }
  return true;
}

static bool print_extrema(const options *o, ghz_context *ctx, const char *path) {
  (void)o;
  frame_reader r;
  frame f = {0};
  double min, max;
  if (!reader_open(&r, path))
    return false;
  bool ok = find_extrema(ctx, &r, &f, &min, &max);
  if (ok && min > max)
    printf("%s: no finite value\n", r.file.name);
  else if (ok)
    printf("%s: %s %s\n", r.file.name, text_double(min).text, text_double(max).text);
  reader_close(&r);
  frame_free(&f);
  return ok;
}

static int run(const options *o) {
  if (o->extreme == EXTREME_NONE && o->output)
    return fail_usage(o->verb, "-o needs --min or --max");
  if (o->extreme == EXTREME_NONE)
    return each_file(o, print_extrema);
  return combine(o,
                 &(operation){.fold = o->extreme == EXTREME_MIN ? smaller : larger, .group = 2, .factor = 1});
}

const verb verb_minmax = {
    .name = "minmax",
    .operands = "FILE.ghz...",
    .summary = "print the least and greatest values, or write the extremes of several files",
    .details = "Prints the least and the greatest finite value of each file, as decompressed. With\n"
               "--min or --max, writes a file instead: at each position the least or the greatest\n"
               "value of all input files, or NaN if one of them is NaN. These files must have the\n"
               "same type, shape and step; those with a shape must have been compressed with --order\n"
               "lorenzo. The bound of the result is that of one file.",
    .examples = "  ghz minmax wave.f32.ghz\n"
                "  ghz minmax --max day-*.ghz -o warmest.ghz\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_EXTREME | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
