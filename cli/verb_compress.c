/* verb_compress.c: owns `ghz compress`: files of values to .ghz files, a frame at a time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "each_file.h"
#include "io/buffer.h"
#include "io/input.h"
#include "io/writer.h"
#include "report/library.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/seconds.h"
#include "report/text.h"
#include "verbs.h"

typedef struct compression {
  const options *o;
  ghz_context *ctx;
  input in;
  output out;
  frame_writer writer;
  ghz_lattice lattice;
  uint64_t frame_values;
  buffer values;
  frame frame;
} compression;

/* The range of the finite values of the whole file, in a pass of its own. */
static bool find_range(compression *c, double *min, double *max) {
  const char *name = c->in.file.name;
  *min = INFINITY;
  *max = -INFINITY;
  if (!input_make_seekable(&c->in))
    return false;
  progress_begin(name, c->in.count, ghz_type_size(c->in.type));
  for (size_t got = 1; got;) {
    double low, high;
    if (!input_read(&c->in, c->values.data, (size_t)c->frame_values, &got) ||
        !library_ok(name, c->ctx, ghz_range(c->ctx, c->in.type, c->values.data, got, &low, &high)))
      return false;
    *min = low < *min ? low : *min;
    *max = high > *max ? high : *max;
    progress_set(c->in.taken);
  }
  progress_end();
  input_rewind(&c->in);
  return true;
}

static bool make_lattice(compression *c) {
  double min = 0, max = 0;
  if (c->o->bound.kind != GHZ_ABS && !find_range(c, &min, &max))
    return false;
  return library_ok(c->in.file.name, NULL, ghz_lattice_make(c->in.type, c->o->bound, min, max, &c->lattice));
}

static bool write_frames(compression *c) {
  const char *name = c->in.file.name;
  size_t capacity = ghz_size_bound((size_t)c->frame_values, c->in.type, 1), got = 0;
  if (!frame_reserve(&c->frame, capacity, name))
    return false;
  progress_begin(name, c->in.count, ghz_type_size(c->in.type));
  do { /* an array without values has one frame without values */
    if (!input_read(&c->in, c->values.data, (size_t)c->frame_values, &got))
      return false;
    if (got == 0 && c->in.taken > 0)
      break;
    ghz_status status = ghz_compress(c->ctx, &c->lattice, c->o->order, c->values.data, got,
                                     frame_stream(&c->frame), capacity, &c->frame.size);
    c->frame.info.count = got;
    if (!library_ok(name, c->ctx, status) || !writer_frame(&c->writer, &c->frame))
      return false;
    progress_set(c->in.taken);
  } while (got == c->frame_values);
  progress_end();
  return writer_end(&c->writer);
}

static bool compress_open(compression *c) {
  size_t size = ghz_type_size(c->in.type);
  c->frame_values = c->o->frame_values ? c->o->frame_values : FRAME_BYTES / size;
  if (!buffer_reserve(&c->values, (size_t)c->frame_values * size, c->in.file.name) || !make_lattice(c))
    return false;
  frame_header header = {.type = c->in.type,
                         .shape = c->in.shape,
                         .total = c->in.count,
                         .frame_values = c->frame_values,
                         .step = c->lattice.step,
                         .eb = c->lattice.eb};
  return writer_begin(&c->writer, &c->out, &header) && write_frames(c);
}

static void describe(const compression *c, double elapsed) {
  uint64_t bytes = c->in.taken * ghz_type_size(c->in.type);
  note(output_report_level(&c->out), "%s: %s -> %s: %s (%.4gx), bound %.6g, %.2f GB/s with file access",
       c->in.file.name, text_bytes(bytes).text, c->out.name, text_bytes(c->writer.out->bytes).text,
       (double)bytes / (double)c->writer.out->bytes, c->lattice.eb, (double)bytes / elapsed / 1e9);
  if (c->lattice.step == 0)
    note(LEVEL_NORMAL, "%s: the bound is too small for %s; the values are stored uncompressed", c->in.file.name,
         type_name(c->in.type));
}

static bool compress_to(compression *c, const char *path) {
  double start = seconds();
  if (!file_differs(&c->in.file, path) || !output_open(&c->out, path, c->o->force))
    return false;
  bool ok = compress_open(c);
  progress_end();
  if (!output_end(&c->out, ok))
    return false;
  describe(c, seconds() - start);
  return true;
}

/* The name of the output: FILE.ghz, or standard output for standard input. */
static char *output_name(const options *o, const file *from) {
  const char *name = o->output ? o->output : from->path ? from->path : "-";
  const char *ending = o->output || !from->path ? "" : ".ghz";
  char *text = malloc(strlen(name) + strlen(ending) + 1);
  if (!text)
    fail(from->name, "out of memory");
  else
    strcat(strcpy(text, name), ending);
  return text;
}

static bool compress_file(const options *o, ghz_context *ctx, const char *path) {
  compression c = {.o = o, .ctx = ctx};
  if (!input_open(&c.in, path, o->type))
    return false;
  char *to = output_name(o, &c.in.file);
  bool ok = to && compress_to(&c, to);
  free(to);
  input_close(&c.in);
  buffer_free(&c.values);
  frame_free(&c.frame);
  return ok;
}

static int run(const options *o) {
  if (!o->bound_given)
    return fail_usage(o->verb, "%s: no bound given; use --abs E, --rel E or --psnr DB", o->files[0]);
  if (o->output && o->file_count > 1)
    return fail_usage(o->verb, "-o takes one input file, %d were given", o->file_count);
  return each_file(o, compress_file);
}

const verb verb_compress = {
    .name = "compress",
    .operands = "[FILE...]",
    .summary = "compress files of values within an error bound",
    .details = "Writes FILE.ghz for each FILE. No finite value changes by more than the bound, which\n"
               "one of --abs, --rel and --psnr gives. FILE holds raw little-endian values (.f32,\n"
               ".f64), or is a NumPy .npy file, whose shape is kept. Without FILE, or for -, reads\n"
               "standard input and writes standard output; --rel and --psnr then need a temporary\n"
               "file (in TMPDIR), because they depend on the range of the whole input.",
    .examples = "  ghz compress --rel 1e-4 wave.f32\n"
                "  ghz compress --abs 1e-3 density.npy -o density.ghz\n"
                "  ghz compress --psnr 80 -T 4 a.f64 b.f64 c.f64\n"
                "  zcat wave.f32.gz | ghz compress --abs 1e-3 --type f32 > wave.f32.ghz\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_BOUND | OPTION_ORDER | OPTION_TYPE | OPTION_FRAME |
               OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
