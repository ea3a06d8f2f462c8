/* info.c: owns `ghz info`: what a file holds, compressed or not. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>

#include "report/report.h"
#include "report/text.h"
#include "verbs.h"
#include "work/range.h"

typedef unsigned long long n;

/* ---- Files that are not compressed ----------------------------------------------------------- */

static void print_values(const input *in, const value_range *r, const special_counts *specials) {
  printf("%s\n", in->file.name);
  printf("  type              %s, not compressed\n", type_name(in->type));
  printf("  values            %llu\n", (n)in->taken);
  printf("  shape             %s%s\n", shape_text(&in->shape).text, in->shape.npy ? ", from .npy" : "");
  if (r->min > r->max)
    printf("  range             no finite value\n");
  else
    printf("  range             %s to %s\n", text_double(r->min).text, text_double(r->max).text);
  if (specials->nans + specials->infinities)
    printf("  not finite        %llu NaN, %llu infinities\n", (n)specials->nans, (n)specials->infinities);
  printf("  size              %s\n", text_bytes(in->file.position - in->file.origin).text);
}

static void print_values_json(const input *in, const value_range *r, const special_counts *specials) {
  json_file(in->file.name);
  printf(", \"compressed\": false, \"type\": \"%s\", \"values\": %llu", type_name(in->type), (n)in->taken);
  shape_print_json(&in->shape);
  printf(", \"min\": %s, \"max\": %s", text_json(r->min).text, text_json(r->max).text);
  printf(", \"nan\": %llu, \"infinite\": %llu, \"bytes\": %llu}", (n)specials->nans, (n)specials->infinities,
         (n)(in->file.position - in->file.origin));
}

static bool info_plain(const options *o, ghz_context *ctx, input *in) {
  value_range range = range_nothing();
  special_counts specials = {0};
  if (!range_of_input(ctx, in, NULL, &specials, &range))
    return false;
  (o->json ? print_values_json : print_values)(in, &range, &specials);
  return true;
}

/* ---- Compressed files, and variables of HDF5 ------------------------------------------------- */

/* All that is known about a file. */
typedef struct summary {
  const options *o;
  const char *name;
  const ghz_file_info *file;   /* NULL: of a variable of HDF5 */
  const h5_variable *variable; /* NULL: of a file */
  h5_storage storage;          /* of the variable */
  shape shape;
  ghz_shape tiles_shape;
  uint64_t values, frames;
  ghz_lattice lattice;
  uint32_t terms;
  bool inexact, transform;
  double bound;
  uint64_t tiles, bytes;
  uint64_t packed, streams; /* frames that are packed; bytes of all streams, unpacked */
  ghz_statistics statistics;
} summary;

static bool add_frame(const char *name, ghz_context *ctx, const ghz_frame *f, void *user) {
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
  if (!s->o->json && report_level() < LEVEL_VERBOSE)
    return true;
  if (!library_ok(name, ctx, ghz_scan(ctx, f->stream, &own)))
    return false;
  for (size_t i = 0; i < sizeof own / sizeof(uint64_t); i++) /* which it has alone */
    ((uint64_t *)&s->statistics)[i] += ((const uint64_t *)&own)[i];
  return true;
}

static double ratio(const summary *s) {
  return (double)(s->values * ghz_type_size(s->lattice.type)) / (double)s->bytes;
}

static double bits_per_value(const summary *s) {
  return s->values ? 8 * (double)s->bytes / (double)s->values : NAN;
}

static void print_statistics(const ghz_statistics *t) {
  printf("  empty tiles       %llu\n  raw tiles         %llu\n  of one value      %llu\n", (n)t->empty,
         (n)t->raw, (n)t->constant);
  printf("  with NaN or Inf   %llu\n", (n)t->specials);
  printf("  with transform    %llu\n", (n)t->coefficients);
  printf("  orders 0, 1, 2, 3   %llu, %llu, %llu, %llu%s\n", (n)t->order[0], (n)t->order[1], (n)t->order[2],
         (n)t->order[3], t->coefficients ? " (with transform: of what it leaves)" : "");
  printf("  turned            %llu\n", (n)t->turned);
  printf("  coarse, fine, wide  %llu, %llu, %llu\n", (n)t->mode[0], (n)t->mode[1], (n)t->mode[2]);
}

static void print_frames(const summary *s) {
  if (s->variable) {
    printf("  chunks            %llu of %s, %llu compressed, %llu as they are, %llu never written\n",
           (n)s->variable->chunks, shape_text(&s->variable->chunk).text, (n)s->storage.streams,
           (n)s->storage.raw, (n)s->storage.unwritten);
    return;
  }
  printf("  format            %d\n", s->file->version);
  printf("  frames            %llu of %llu values\n", (n)s->frames, (n)s->file->header.frame_values);
  if (s->packed)
    printf("  packed            %llu of %llu frames; unpacked, the streams have %s\n", (n)s->packed,
           (n)s->frames, text_bytes(s->streams).text);
  if (s->file->unused)
    printf("  unused            %s%s\n", text_bytes(s->file->unused).text,
           s->file->unfinished ? ", with an append that is not finished" : " of appending");
}

static void print_lattice(const summary *s) {
  printf("  step              %s\n", text_double(s->lattice.step).text);
  printf("  bound per term    %s\n", text_double(s->lattice.eb).text);
  printf("  terms             %u\n", s->terms);
  if (s->inexact)
    printf("  bound             none: values outside the lattice were added\n");
  else
    printf("  bound             %s\n", text_bound(&s->lattice, s->terms, s->bound).text);
  if (s->lattice.has_fill)
    printf("  fill value        %s\n", fill_text(s->lattice.type, s->lattice.fill).text);
}

static void print_table(const summary *s) {
  printf("%s\n", s->name);
  printf("  type              %s\n", type_name(s->lattice.type));
  printf("  values            %llu\n", (n)s->values);
  printf("  shape             %s%s\n", shape_text(&s->shape).text, s->shape.npy ? ", from .npy" : "");
  printf("  tiles             %s%s\n", tiles_text(&s->tiles_shape), s->transform ? ", transform" : "");
  if (s->terms > 0)
    print_lattice(s);
  print_frames(s);
  printf("  size              %s, ratio %.4g, %.4g bits per value\n", text_bytes(s->bytes).text, ratio(s),
         bits_per_value(s));
  if (report_level() < LEVEL_VERBOSE)
    return;
  printf("  number of tiles   %llu\n", (n)s->tiles);
  print_statistics(&s->statistics);
}

static void print_frames_json(const summary *s) {
  const h5_storage *h = &s->storage;
  if (s->variable) {
    printf(", \"variable\": ");
    json_string(stdout, s->variable->var);
    printf(", \"chunks\": %llu, \"chunk_shape\": ", (n)s->variable->chunks);
    json_numbers(s->variable->chunk.dims, s->variable->chunk.ndim);
    printf(", \"chunks_compressed\": %llu, \"chunks_raw\": %llu, \"chunks_unwritten\": %llu", (n)h->streams,
           (n)h->raw, (n)h->unwritten);
  } else {
    printf(", \"format\": %d, \"frames\": %llu, \"frame_values\": %llu", s->file->version, (n)s->frames,
           (n)s->file->header.frame_values);
  }
}

static void print_json(const summary *s) {
  const ghz_statistics *t = &s->statistics;
  json_file(s->variable ? s->variable->file : s->name);
  printf(", \"compressed\": true, \"type\": \"%s\", \"values\": %llu", type_name(s->lattice.type),
         (n)s->values);
  shape_print_json(&s->shape);
  printf(", \"dims\": %d, \"transform\": %s", s->tiles_shape.dims, s->transform ? "true" : "false");
  printf(", \"step\": %s, \"bound_per_term\": %s, \"cap\": %d, \"terms\": %u, \"inexact\": %s, \"bound\": %s, "
         "\"grid\": %s",
         text_json(s->lattice.step).text, text_json(s->lattice.eb).text, s->lattice.cap, s->terms,
         s->inexact ? "true" : "false", text_json(s->bound).text,
         s->lattice.step > 2 * s->lattice.eb ? "true" : "false");
  printf(", \"fill\": %s", s->lattice.has_fill ? text_json(s->lattice.fill).text : "null");
  print_frames_json(s);
  printf(", \"bytes\": %llu, \"ratio\": %s, \"bits_per_value\": %s", (n)s->bytes, text_json(ratio(s)).text,
         text_json(bits_per_value(s)).text);
  if (!s->variable)
    printf(", \"packed_frames\": %llu, \"stream_bytes\": %llu, \"unused_bytes\": %llu", (n)s->packed,
           (n)s->streams, (n)s->file->unused);
  printf(", \"tiles\": %llu, \"empty\": %llu, \"raw\": %llu, \"specials\": %llu", (n)s->tiles, (n)t->empty,
         (n)t->raw, (n)t->specials);
  printf(", \"constant\": %llu", (n)t->constant);
  printf(", \"coefficients\": %llu, \"turned\": %llu", (n)t->coefficients, (n)t->turned);
  printf(
      ", \"orders\": [%llu, %llu, %llu, %llu], \"modes\": {\"coarse\": %llu, \"fine\": %llu, \"wide\": %llu}}",
      (n)t->order[0], (n)t->order[1], (n)t->order[2], (n)t->order[3], (n)t->mode[0], (n)t->mode[1],
      (n)t->mode[2]);
}

static bool info_compressed(const options *o, ghz_context *ctx, frame_reader *r) {
  summary s = {.o = o, .name = r->file.name};
  if (!reader_each(r, 1, ctx, add_frame, &s))
    return false;
  s.file = ghz_file_get_info(r->own);
  s.shape = r->header.array;
  s.tiles_shape = r->header.shape;
  s.values = r->values;
  s.frames = r->frames;
  s.bytes = reader_bytes(r);
  (o->json ? print_json : print_table)(&s);
  return true;
}

static bool info_variable(const options *o, ghz_context *ctx, const h5_variable *v) {
  summary s = {.o = o,
               .name = v->label,
               .variable = v,
               .lattice = {.type = v->parameters.type},
               .shape = v->array,
               .tiles_shape = v->shape,
               .values = v->values};
  if (!h5_each_chunk(v, 1, ctx, &s.storage, add_frame, &s))
    return false;
  s.bytes = s.storage.bytes;
  (o->json ? print_json : print_table)(&s);
  return true;
}

static bool info_file(const options *o, ghz_context *ctx, values *v) {
  return v->compressed ? info_compressed(o, ctx, &v->reader) : info_plain(o, ctx, &v->in);
}

const verb verb_info = {
    .name = "info",
    .operands = "[FILE...]",
    .summary = "print what files hold",
    .details =
        "Prints type, number of values, shape, step, bounds and size of each compressed file; with -v also\n"
        "how its tiles are coded. Of raw and .npy files, prints type, number of values, shape, range, and\n"
        "how many are NaN or infinite. Of HDF5 and netCDF files, prints those of the variable --var, or of\n"
        "all that the HDF5 filter compressed; its lattice is that of the last chunk, its bound that of the\n"
        "worst.",
    .examples = "  ghz info wave.f32.ghz\n"
                "  ghz info wave.f32\n"
                "  ghz info --json *.ghz | jq '.[].ratio'\n",
    .least = 1,
    .each_values = info_file,
    .variable = info_variable,
};
