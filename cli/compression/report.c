/* report.c: owns what ghz compress says about a file that it wrote. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>

#include "compression.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs/verbs.h"
#include "work/range.h"

static double ratio(const compression *c) {
  return (double)c->in.taken * (double)ghz_type_size(c->in.type) / (double)c->out.bytes;
}

static double bits_per_value(const compression *c) {
  return c->in.taken ? 8 * (double)c->out.bytes / (double)c->in.taken : NAN;
}

/* How it was coded, and why not otherwise. */
static void describe_coding(const compression *c) {
  const char *reason = tiles_reason(&c->header.shape, &c->in.shape, c->o->flat);
  note(LEVEL_VERBOSE,
       "%s: %s, shape %s, %s%s%s%s, %.4g bits per value, step %s, bound %s, %llu frame%s of %llu values",
       c->in.file.name, type_name(c->in.type), shape_text(&c->in.shape).text, tiles_text(&c->header.shape),
       reason[0] ? " (" : "", reason, reason[0] ? ")" : "", bits_per_value(c),
       text_double(c->lattice.step).text, text_double(c->lattice.eb).text, (unsigned long long)c->frames,
       c->frames == 1 ? "" : "s", (unsigned long long)c->header.frame_values);
}

/* The fill value that was named; then those that nobody named, and a bound that takes the data. */
static void warn_of_values(const compression *c) {
  const char *name = c->in.file.name;
  const number_text fill = fill_text(c->in.type, c->fill);
  char text[400];
  if (c->has_fill && c->in.taken > 0 && c->missing == 0)
    note(LEVEL_NORMAL, "%s: no value equals the fill value %s", name, fill.text);
  else if (c->has_fill)
    note(LEVEL_VERBOSE, "%s: %.3g %% of the values equal the fill value %s", name,
         c->in.taken ? 100 * (double)c->missing / (double)c->in.taken : 0, fill.text);
  if (ghz_loss_text(&c->loss, "--fill ", text, sizeof text))
    note(LEVEL_NORMAL, "%s: %s", name, text);
}

/* A step that is none of the values'. */
static void warn_of_step(const compression *c) {
  const unsigned long long off = c->on_grid[0], all = off + c->on_grid[1];
  const number_text step = text_double(c->lattice.step);
  if (off > 0 && off == all)
    note(LEVEL_NORMAL, "%s: no value is on the grid of %s: all are stored as they are", c->in.file.name,
         step.text);
  else if (off > 0)
    note(LEVEL_NORMAL,
         "%s: %llu of %llu values are no multiples of %s: tiles (1024 values) with one are stored as they are",
         c->in.file.name, off, all, step.text);
}

void compression_describe(const compression *c) {
  const uint64_t bytes = c->in.taken * ghz_type_size(c->in.type);
  note(output_report_level(&c->out), "%s: %s -> %s: %s%s (%.4gx), %s, %.2f GB/s with file access",
       c->in.file.name, text_bytes(bytes).text, c->out.name, text_bytes(c->out.bytes).text,
       c->o->pack ? " packed" : "", ratio(c), text_promise(&c->lattice, 1, c->lattice.eb).text,
       (double)bytes / c->seconds / 1e9);
  describe_coding(c);
}

void compression_warn(compression *c) {
  if (c->lattice.step == 0)
    note(LEVEL_NORMAL, "%s: the bound is too small for %s; the values are stored uncompressed", c->in.file.name,
         type_name(c->in.type));
  if (c->turned)
    input_warn_turned(&c->in);
  warn_of_values(c);
  warn_of_step(c);
}

void compression_print_json(const compression *c) {
  typedef unsigned long long n;
  json_file(c->in.file.name);
  printf(", \"output\": ");
  json_string(stdout, c->out.name);
  printf(", \"type\": \"%s\", \"values\": %llu", type_name(c->in.type), (n)c->in.taken);
  shape_print_json(&c->in.shape);
  printf(", \"dims\": %d, \"tiles\": \"%s\", \"reason\": ", c->header.shape.dims, tiles_text(&c->header.shape));
  json_string(stdout, tiles_reason(&c->header.shape, &c->in.shape, c->o->flat));
  printf(", \"step\": %s, \"bound\": %s, \"frames\": %llu, \"frame_values\": %llu",
         text_json(c->lattice.step).text, text_json(c->lattice.eb).text, (n)c->frames,
         (n)c->header.frame_values);
  printf(", \"fill\": %s", c->lattice.has_fill ? text_json(c->lattice.fill).text : "null");
  printf(", \"bytes\": %llu, \"ratio\": %s, \"bits_per_value\": %s, \"seconds\": %s}", (n)c->out.bytes,
         text_json(ratio(c)).text, text_json(bits_per_value(c)).text, text_json(c->seconds).text);
}
