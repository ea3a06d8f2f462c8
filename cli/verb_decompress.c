/* verb_decompress.c: owns `ghz decompress`: .ghz files to raw or .npy files, whole or in part. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "each_file.h"
#include "io/buffer.h"
#include "io/npy.h"
#include "io/output.h"
#include "part.h"
#include "report/library.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/seconds.h"
#include "report/text.h"
#include "verbs.h"

typedef struct decompression {
  const options *o;
  ghz_context *ctx;
  frame_reader reader;
  output out;
  ghz_type type; /* of the output */
  bool npy;      /* the output begins with an .npy header */
  part part;     /* what is wanted */
  uint64_t written;
  frame frame;
  buffer values;
} decompression;

/* Chooses type and form of the output: by --type, then by its ending, then as of the compressed
 * file. */
static bool choose_form(decompression *d, const char *path) {
  type_choice named = type_of_name(path), given = d->o->type;
  const frame_header *h = &d->reader.header;
  if (named.given && given.given && named.type != given.type)
    return fail(path, "the ending says %s, --type says %s", type_name(named.type), type_name(given.type));
  d->type = given.given ? given.type : named.given ? named.type : h->type;
  if (d->type == GHZ_F32 && h->type == GHZ_F64)
    return fail(d->reader.file.name, "holds f64; it cannot be written as f32");
  d->npy = name_ends(path, ".npy") || (h->shape.npy && !named.given);
  return true;
}

/* Writes the .npy header for `count` values; again at the end if the count was unknown. */
static bool write_npy(decompression *d, uint64_t count, bool again) {
  char header[NPY_HEADER_MAX];
  shape s = d->part.shape;
  if (s.ndim == 0 && (!s.npy || d->o->range_given))
    s = (shape){.ndim = 1, .dims = {count}};
  size_t size = npy_header(d->type, &s, header);
  return again ? output_rewrite_start(&d->out, header, size) : output_write(&d->out, header, size);
}

/* Writes what is wanted of the frame that was just read. */
static bool write_part(decompression *d, uint64_t frame_first) {
  const frame_source source = {d->ctx, d->reader.file.name, &d->frame, frame_first, d->type, &d->values};
  taken t = {0};
  if (!part_take(&d->part, &source, &t) || !output_write(&d->out, t.data, t.bytes))
    return false;
  d->written += t.count;
  progress_set(d->written);
  return true;
}

static bool write_values(decompression *d) {
  bool more = true, whole = !d->o->range_given && !d->o->box.ndim;
  frame_reader *r = &d->reader;
  while (more && (whole || !part_done(&d->part))) {
    const uint64_t before = r->values;
    const ghz_shape next = layout_frame(&r->header.layout, before);
    if (!whole && !part_in_frame(&d->part, before + ghz_shape_count(&next))) {
      if (!reader_skip(r, &more))
        return false;
    } else if (!reader_next(r, &d->frame, &more)) {
      return false;
    } else if (more && part_in_frame(&d->part, r->values) && !write_part(d, before)) {
      return false;
    }
  }
  return whole || part_done(&d->part) || fail(r->file.name, "--range ends after its last value");
}

static bool write_all_values(decompression *d) {
  const uint64_t total = d->part.total;
  bool late = total == COUNT_UNKNOWN;
  progress_begin(d->reader.file.name, total, ghz_type_size(d->type));
  bool ok = (!d->npy || write_npy(d, late ? 0 : total, false)) && write_values(d) &&
            (!d->npy || !late || write_npy(d, d->written, true));
  progress_end();
  return ok;
}

static bool decompress_to(decompression *d, const char *path) {
  double start = seconds();
  if (!choose_form(d, path) || !part_begin(&d->part, d->o, d->reader.file.name, &d->reader.header) ||
      !file_differs(&d->reader.file, path) || !output_open(&d->out, path, d->o->force))
    return false;
  if (!output_end(&d->out, write_all_values(d)))
    return false;
  double elapsed = seconds() - start;
  note(output_report_level(&d->out), "%s: %s -> %s: %s, %.2f GB/s with file access", d->reader.file.name,
       text_bytes(d->reader.file.position - d->reader.file.origin).text, d->out.name,
       text_bytes(d->out.bytes).text, (double)d->out.bytes / elapsed / 1e9);
  return true;
}

/* The name of the output: FILE without .ghz, or standard output for standard input. An array of an
 * .npy file whose name does not say its form ends in .npy. */
static char *output_name(const options *o, const file *from, const shape *s) {
  bool standard = !from->path;
  const char *name = o->output ? o->output : standard ? "-" : from->path;
  if (!o->output && !standard && !name_ends(name, ".ghz")) {
    fail(from->name, "the name does not end in .ghz; name the output with -o FILE");
    return NULL;
  }
  char *text = malloc(strlen(name) + 1); /* .npy is as long as .ghz */
  if (!text) {
    fail(from->name, "out of memory");
    return NULL;
  }
  strcpy(text, name);
  if (o->output || standard)
    return text;
  char *ending = text + strlen(text) - strlen(".ghz");
  *ending = '\0';
  if (s->npy && !name_ends(text, ".npy") && !type_of_name(text).given)
    strcpy(ending, ".npy");
  return text;
}

static bool decompress_file(const options *o, ghz_context *ctx, const char *path) {
  decompression d = {.o = o, .ctx = ctx};
  if (!reader_open(&d.reader, path))
    return false;
  char *to = output_name(o, &d.reader.file, &d.reader.header.shape);
  bool ok = to && decompress_to(&d, to);
  free(to);
  reader_close(&d.reader);
  frame_free(&d.frame);
  buffer_free(&d.values);
  return ok;
}

static int run(const options *o) {
  if (o->range_given && o->box.ndim)
    return fail_usage(o->verb, "give --range or --box, not both");
  for (int i = 0; i < o->file_count && (o->range_given || o->box.ndim) && !o->output; i++)
    if (strcmp(o->files[i], "-") != 0)
      return fail_usage(o->verb, "--%s needs -o FILE or -c: a part must not take the name of the whole",
                        o->box.ndim ? "box" : "range");
  if (o->output && o->file_count > 1)
    return fail_usage(o->verb, "-o takes one input file, %d were given", o->file_count);
  return each_file(o, decompress_file);
}

const verb verb_decompress = {
    .name = "decompress",
    .operands = "[FILE.ghz...]",
    .summary = "decompress files to values",
    .details = "Writes FILE for each FILE.ghz. What was an .npy file becomes one again: NAME.ghz\n"
               "becomes NAME.npy. The ending of -o chooses another form: .npy for an .npy file, .f32\n"
               "or .f64 for raw values. Values of f32 may be written as f64. --range and --box read\n"
               "only the frames that hold the requested values, and require -o or -c. A box is a\n"
               "range along each dimension, slowest first, as in NumPy's a[0:8, :, 100:200].",
    .type_help = "type to write, f32 or f64; default: by the ending of -o, else as compressed",
    .examples = "  ghz decompress wave.f32.ghz -o back.f32\n"
                "  ghz decompress density.ghz -o back.npy\n"
                "  ghz decompress --box 10:20,:50 density.ghz -o box.npy\n"
                "  ghz decompress --range 100000:4096 wave.f32.ghz -o part.f32\n"
                "  ghz decompress < wave.f32.ghz | md5sum\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_TYPE | OPTION_RANGE | OPTION_BOX | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
