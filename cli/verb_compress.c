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
  layout layout;
  size_t frame_values; /* of a whole frame */
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
    if (!input_read(&c->in, c->values.data, c->frame_values, &got) ||
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

/* Reads the values of the next frame; its shape is that of what is there. */
static bool read_frame(compression *c, ghz_shape *s) {
  size_t got;
  *s = layout_frame(&c->layout, c->in.taken);
  if (!input_read(&c->in, c->values.data, (size_t)ghz_shape_count(s), &got))
    return false;
  if (s->dims == 1) /* a pipe may end anywhere */
    *s = ghz_flat(got);
  return true;
}

static bool write_frames(compression *c) {
  const char *name = c->in.file.name;
  ghz_shape s = layout_whole_frame(&c->layout);
  const size_t capacity = ghz_shape_bound(&s, c->in.type, 1);
  if (!frame_reserve(&c->frame, capacity, name))
    return false;
  progress_begin(name, c->in.count, ghz_type_size(c->in.type));
  do { /* an array without values has one frame without values */
    if (!read_frame(c, &s))
      return false;
    c->frame.info.count = ghz_shape_count(&s);
    if (c->frame.info.count == 0 && c->in.taken > 0)
      break;
    ghz_status status = ghz_compress_shape(c->ctx, &c->lattice, c->o->order, c->values.data, &s,
                                           frame_stream(&c->frame), capacity, &c->frame.size);
    if (!library_ok(name, c->ctx, status) || !writer_frame(&c->writer, &c->frame))
      return false;
    progress_set(c->in.taken);
  } while (c->in.count == COUNT_UNKNOWN ? c->frame.info.count == c->frame_values : c->in.taken < c->in.count);
  progress_end();
  return writer_end(&c->writer);
}

/* The shape of the input, and how it is cut into frames. */
static bool choose_layout(compression *c) {
  const options *o = c->o;
  const uint64_t values = o->frame_values ? o->frame_values : FRAME_BYTES / ghz_type_size(c->in.type);
  if (o->dims.ndim && !input_set_shape(&c->in, &o->dims))
    return false;
  c->layout = layout_choose(&c->in.shape, c->in.count, o->flat, values);
  c->frame_values = (size_t)c->layout.frame_values;
  return o->order < 3 || c->layout.array.dims == 3 ||
         fail(c->in.file.name, "--order 3 needs %s: this array is compressed as %s", "bricks of 8x8x16",
              layout_text(&c->layout));
}

static bool compress_open(compression *c) {
  if (!buffer_reserve(&c->values, c->frame_values * ghz_type_size(c->in.type), c->in.file.name) ||
      !make_lattice(c))
    return false;
  frame_header header = {.type = c->in.type,
                         .shape = c->in.shape,
                         .total = c->in.count,
                         .layout = c->layout,
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
  if (!choose_layout(c) || !file_differs(&c->in.file, path) || !output_open(&c->out, path, c->o->force))
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
               ".f64), or is a NumPy .npy file, whose shape is kept. For raw values --dims gives\n"
               "the shape: smooth arrays of two and three dimensions compress better with it.\n"
               "Without FILE, or for -, reads standard input and writes standard output; --rel and\n"
               "--psnr then need a temporary file (in TMPDIR), because they depend on the range of\n"
               "the whole input.",
    .examples = "  ghz compress --rel 1e-4 wave.f32\n"
                "  ghz compress --abs 1e-3 density.npy -o density.ghz\n"
                "  ghz compress --rel 1e-4 --dims 64x64x64 wave.f32 -o cube.ghz\n"
                "  ghz compress --psnr 80 -T 4 a.f64 b.f64 c.f64\n"
                "  zcat wave.f32.gz | ghz compress --abs 1e-3 --type f32 > wave.f32.ghz\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_BOUND | OPTION_ORDER | OPTION_TYPE | OPTION_FRAME |
               OPTION_DIMS | OPTION_FLAT | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
