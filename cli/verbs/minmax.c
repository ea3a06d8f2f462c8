/* minmax.c: owns `ghz minmax`: the range of compressed files, or their extremes value by
 * value. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "report/report.h"
#include "report/text.h"
#include "verbs.h"
#include "work/combine.h"
#include "work/range.h"

static bool print_extrema(const options *o, ghz_context *ctx, values *v) {
  value_range r = range_nothing();
  double fill = 0;
  if (o->has_fill && !fill_choose(v->name, v->type, o->fill, &fill))
    return false;
  if (!(v->compressed ? reader_each(&v->reader, 1, ctx, range_of_frame, &r)
                      : range_of_input(ctx, &v->in, o->has_fill ? &fill : NULL, NULL, &r)))
    return false;
  if (o->json) {
    json_file(v->name);
    printf(", \"min\": %s, \"max\": %s}", text_json(r.min).text, text_json(r.max).text);
  } else if (r.min > r.max) {
    printf("%s: no finite value\n", v->name);
  } else {
    printf("%s: %s %s\n", v->name, text_double(r.min).text, text_double(r.max).text);
  }
  return true;
}

static int check(const options *o) {
  const bool writes = o->min || o->max;
  if (o->min && o->max)
    return fail_usage(o->verb, "give --min or --max, not both");
  if (!writes && o->output)
    return fail_usage(o->verb, "-o needs --min or --max");
  if (writes && (o->json || o->type.given || o->type.big_endian))
    return fail_usage(o->verb, "--%s does not apply with --min and --max",
                      o->json         ? "json"
                      : o->type.given ? "type"
                                      : "big-endian");
  return -1;
}

static bool run(const options *o, ghz_context *ctx) {
  return o->min || o->max ? combine(o, ctx, &(ghz_file_operation){.factor = 1, .extremum = o->min ? -1 : 1})
                          : each_file(&verb_minmax, o, ctx);
}

const verb verb_minmax = {
    .name = "minmax",
    .operands = "FILE...",
    .summary = "print the least and greatest values, or write the extremes of several files",
    .details =
        "Prints the least and the greatest finite value of each file, which is raw, .npy or .ghz. With --min\n"
        "or --max, reads compressed files and writes one: at each position the least or the greatest value\n"
        "of all files, or NaN if one of them is NaN. They must have the same type, shape and step; those\n"
        "with a shape must have been compressed with --order lorenzo. The bound of the result is that of one\n"
        "file.",
    .examples = "  ghz minmax wave.f32 wave.f32.ghz\n"
                "  ghz minmax --max day-*.ghz -o warmest.ghz\n",
    .least = 1,
    .writes = {".ghz, .npy or .f32"},
    .check = check,
    .run = run,
    .each_values = print_extrema,
};
