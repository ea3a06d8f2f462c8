/* info.c: owns `ghz info`: what compressed files hold. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>

#include "io/tiles.h"
#include "io/values.h"
#include "report/library.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs.h"
#include "work/each_file.h"
#include "work/fills.h"
#include "work/info_values.h"

/* All that is known about a file. */
typedef struct summary {
  const frame_reader *reader;
  bool scans; /* for statistics */
  ghz_lattice lattice;
  uint32_t terms;
  bool inexact, transform;
  double bound;
  uint64_t tiles, bytes;
  uint64_t packed, streams;  /* frames that are packed; bytes of all streams, unpacked */
  ghz_statistics statistics; /* widths are not summed */
} summary;

static void add_statistics(ghz_statistics *to, const ghz_statistics *from) {
  to->empty += from->empty;
  to->raw += from->raw;
  to->specials += from->specials;
  to->coefficients += from->coefficients;
  to->turned += from->turned;
  for (int i = 0; i < 4; i++)
    to->order[i] += from->order[i];
  for (int i = 0; i < 3; i++)
    to->mode[i] += from->mode[i];
}

static bool add_frame(const frame_reader *r, ghz_context *ctx, const ghz_frame *f, void *user) {
  summary *s = user;
  ghz_statistics own;
  s->lattice = f->info.lattice;
  s->terms = f->info.terms > s->terms ? f->info.terms : s->terms;
  s->inexact |= f->info.inexact != 0;
  s->transform |= f->info.transform != 0;
  s->bound = f->info.bound > s->bound ? f->info.bound : s->bound;
  s->tiles += f->info.tiles;
  s->packed += f->packed != 0;
  s->streams += f->stream.size;
  if (!s->scans)
    return true;
  if (!library_ok(r->file->name, ctx, ghz_scan(ctx, f->stream, &own)))
    return false;
  add_statistics(&s->statistics, &own);
  return true;
}

static int format_of(const frame_reader *r) {
  return ghz_file_get_info(r->own)->version;
}

static double ratio(const summary *s) {
  return (double)(s->reader->values * ghz_type_size(s->lattice.type)) / (double)s->bytes;
}

static double bits_per_value(const summary *s) {
  return s->reader->values ? 8 * (double)s->bytes / (double)s->reader->values : NAN;
}

static void print_statistics(const ghz_statistics *t) {
  typedef unsigned long long n;
  printf("  empty tiles       %llu\n  raw tiles         %llu\n  with NaN or Inf   %llu\n", (n)t->empty,
         (n)t->raw, (n)t->specials);
  printf("  with transform    %llu\n", (n)t->coefficients);
  printf("  orders 0, 1, 2, 3   %llu, %llu, %llu, %llu%s\n", (n)t->order[0], (n)t->order[1], (n)t->order[2],
         (n)t->order[3], t->coefficients ? " (with transform: of what it leaves)" : "");
  printf("  turned            %llu\n", (n)t->turned);
  printf("  coarse, fine, wide  %llu, %llu, %llu\n", (n)t->mode[0], (n)t->mode[1], (n)t->mode[2]);
}

static void print_table(const summary *s) {
  const frame_reader *r = s->reader;
  char dims[512];
  shape_text(&r->header.array, dims, sizeof dims);
  printf("%s\n", r->file->name);
  printf("  type              %s\n", type_name(s->lattice.type));
  printf("  values            %llu\n", (unsigned long long)r->values);
  printf("  shape             %s%s\n", dims, r->header.array.npy ? ", from .npy" : "");
  printf("  tiles             %s%s\n", tiles_text(&r->header.shape), s->transform ? ", transform" : "");
  printf("  step              %s\n", text_double(s->lattice.step).text);
  printf("  bound per term    %s\n", text_double(s->lattice.eb).text);
  printf("  terms             %u\n", s->terms);
  if (s->inexact)
    printf("  bound             none: values outside the lattice were added\n");
  else
    printf("  bound             %s\n", text_double(s->bound).text);
  if (s->lattice.has_fill)
    printf("  fill value        %s\n", fill_text(s->lattice.type, s->lattice.fill).text);
  printf("  format            %d\n", format_of(r));
  printf("  frames            %llu of %llu values\n", (unsigned long long)r->frames,
         (unsigned long long)r->header.frame_values);
  if (s->packed)
    printf("  packed            %llu of %llu frames; unpacked, the streams have %s\n",
           (unsigned long long)s->packed, (unsigned long long)r->frames, text_bytes(s->streams).text);
  printf("  size              %s, ratio %.4g, %.4g bits per value\n", text_bytes(s->bytes).text, ratio(s),
         bits_per_value(s));
  if (report_level() < LEVEL_VERBOSE)
    return;
  printf("  number of tiles   %llu\n", (unsigned long long)s->tiles);
  print_statistics(&s->statistics);
}

static void print_json(const summary *s) {
  typedef unsigned long long n;
  const frame_reader *r = s->reader;
  const ghz_statistics *t = &s->statistics;
  json_file(r->file->name);
  printf(", \"compressed\": true, \"type\": \"%s\", \"values\": %llu", type_name(s->lattice.type),
         (n)r->values);
  info_json_shape(&r->header.array);
  printf(", \"dims\": %d, \"transform\": %s", r->header.shape.dims, s->transform ? "true" : "false");
  printf(", \"step\": %s, \"bound_per_term\": %s, \"cap\": %d, \"terms\": %u, \"inexact\": %s, \"bound\": %s",
         text_json(s->lattice.step).text, text_json(s->lattice.eb).text, s->lattice.cap, s->terms,
         s->inexact ? "true" : "false", text_json(s->bound).text);
  printf(", \"fill\": %s", s->lattice.has_fill ? text_json(s->lattice.fill).text : "null");
  printf(", \"format\": %d", format_of(r));
  printf(", \"frames\": %llu, \"frame_values\": %llu, \"bytes\": %llu, \"ratio\": %s, \"bits_per_value\": %s",
         (n)r->frames, (n)r->header.frame_values, (n)s->bytes, text_json(ratio(s)).text,
         text_json(bits_per_value(s)).text);
  printf(", \"packed_frames\": %llu, \"stream_bytes\": %llu", (n)s->packed, (n)s->streams);
  printf(", \"tiles\": %llu, \"empty\": %llu, \"raw\": %llu, \"specials\": %llu", (n)s->tiles, (n)t->empty,
         (n)t->raw, (n)t->specials);
  printf(", \"coefficients\": %llu, \"turned\": %llu", (n)t->coefficients, (n)t->turned);
  printf(
      ", \"orders\": [%llu, %llu, %llu, %llu], \"modes\": {\"coarse\": %llu, \"fine\": %llu, \"wide\": %llu}}",
      (n)t->order[0], (n)t->order[1], (n)t->order[2], (n)t->order[3], (n)t->mode[0], (n)t->mode[1],
      (n)t->mode[2]);
}

static bool info_compressed(const options *o, ghz_context *ctx, frame_reader *r) {
  summary s = {.reader = r, .scans = o->json || report_level() >= LEVEL_VERBOSE};
  if (!reader_each(r, ctx, add_frame, &s))
    return false;
  s.bytes = reader_bytes(r);
  (o->json ? print_json : print_table)(&s);
  return true;
}

static bool info_plain(const options *o, ghz_context *ctx, input *in) {
  values_summary s;
  if (!info_of_values(ctx, in, &s))
    return false;
  (o->json ? info_print_values_json : info_print_values)(in, &s);
  return true;
}

static bool info_file(const options *o, ghz_context *ctx, const char *path) {
  values v;
  if (!values_open(&v, ctx, path, o->type))
    return false;
  bool ok = v.compressed ? info_compressed(o, ctx, &v.reader) : info_plain(o, ctx, &v.in);
  values_close(&v);
  return ok;
}

static int run(const options *o) {
  return each_file(o, info_file);
}

const verb verb_info = {
    .name = "info",
    .operands = "[FILE...]",
    .summary = "print what files hold",
    .details = "Prints type, number of values, shape, step, bounds and size of each compressed file;\n"
               "with -v also how its tiles are coded. Of raw and .npy files, prints type, number of\n"
               "values, shape, range, and how many are NaN or infinite. --json prints\n"
               "everything as one array of objects, for programs.",
    .examples = "  ghz info wave.f32.ghz\n"
                "  ghz info wave.f32\n"
                "  ghz info --json *.ghz | jq '.[].ratio'\n",
    .options = OPTION_JSON | OPTION_TYPE | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
