/* decompress.c: owns `ghz decompress`: .ghz files to raw or .npy files, whole or in part. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "io/buffer.h"
#include "io/output.h"
#include "report/library.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/seconds.h"
#include "report/text.h"
#include "verbs.h"
#include "work/each_file.h"
#include "work/plain.h"
#include "work/selection.h"

typedef struct decompression {
  const options *o;
  ghz_context *ctx;
  frame_reader reader;
  output out;
  selection selection;
  plain_writer writer;
  buffer values;
} decompression;

/* All values, frame by frame: that checks everything. */
static bool write_frame(const char *name, ghz_context *ctx, const ghz_frame *f, void *user) {
  decompression *d = user;
  const ghz_type type = d->writer.form.type;
  const size_t count = (size_t)f->info.count;
  return buffer_reserve(&d->values, count * ghz_type_size(type), name) &&
         library_ok(name, ctx, ghz_decompress(ctx, f->stream, type, d->values.data, count)) &&
         plain_write(&d->writer, d->values.data, count);
}

static bool write_selection(decompression *d) {
  for (size_t count = 1; count > 0;) {
    if (!selection_take(&d->selection, &d->reader, d->ctx, d->writer.form.type, &d->values, &count) ||
        !plain_write(&d->writer, d->values.data, count))
      return false;
    progress_set(d->writer.written);
  }
  return true;
}

static bool write_values(decompression *d) {
  return selection_is_less(&d->selection) ? write_selection(d)
                                          : reader_each(&d->reader, d->ctx, write_frame, d);
}

static bool write_all_values(decompression *d, plain_form form) {
  progress_begin(d->reader.file->name, d->selection.total, ghz_type_size(form.type));
  bool ok = plain_begin(&d->writer, &d->out, form, &d->selection.shape, d->selection.total) &&
            write_values(d) && plain_end(&d->writer);
  progress_end();
  return ok;
}

static bool decompress_to(decompression *d, const char *path) {
  const double start = seconds();
  const char *name = d->reader.file->name;
  const ghz_file_header *h = &d->reader.header;
  plain_form form;
  if (!plain_choose(&form, path, d->o->type, name, h) || !selection_begin(&d->selection, d->o, name, h) ||
      !file_differs(d->reader.file, path) || !output_open(&d->out, path, d->o->force, d->reader.file))
    return false;
  if (!output_end(&d->out, write_all_values(d, form)))
    return false;
  double elapsed = seconds() - start;
  note(output_report_level(&d->out), "%s: %s -> %s: %s, %.2f GB/s with file access", name,
       text_bytes(reader_bytes(&d->reader)).text, d->out.name, text_bytes(d->out.bytes).text,
       (double)d->out.bytes / elapsed / 1e9);
  return true;
}

/* The extension that a name without .ghz lacks: .npy for an array of an .npy file whose name does
 * not say its form, .f32 or .f64 for raw values whose name has no extension. */
static const char *missing_extension(const char *name, const ghz_file_header *h) {
  const char *base = strrchr(name, '/');
  if (h->array.npy)
    return plain_named(name) ? "" : ".npy";
  if (strchr(base ? base : name, '.'))
    return "";
  return type_extension(h->lattice.type);
}

/* The name of the output: FILE without .ghz, or standard output for standard input. */
static char *output_name(const options *o, const file *from, const ghz_file_header *h) {
  bool standard = !from->path;
  const char *name = o->output ? o->output : standard ? "-" : from->path;
  if (!o->output && !standard && !name_ends(name, ".ghz")) {
    fail(from->name, "the name does not end in .ghz; name the output with -o FILE");
    return NULL;
  }
  char *text = malloc(strlen(name) + 1); /* the extensions are as long as .ghz */
  if (!text) {
    fail(from->name, "out of memory");
    return NULL;
  }
  strcpy(text, name);
  if (o->output || standard)
    return text;
  text[strlen(text) - strlen(".ghz")] = '\0';
  return strcat(text, missing_extension(text, h));
}

static bool decompress_file(const options *o, ghz_context *ctx, const char *path) {
  decompression d = {.o = o, .ctx = ctx};
  if (!reader_open(&d.reader, path))
    return false;
  char *to = output_name(o, d.reader.file, &d.reader.header);
  bool ok = to && decompress_to(&d, to);
  free(to);
  reader_close(&d.reader);
  buffer_free(&d.values);
  return ok;
}

static int run(const options *o) {
  if (o->range_given && o->box.ndim)
    return fail_usage(o->verb, "give --range or --box, not both");
  for (int i = 0; i < o->file_count && (o->range_given || o->box.ndim) && !o->output; i++)
    if (strcmp(o->files[i], "-") != 0)
      return fail_usage(o->verb,
                        "--%s needs -o FILE or -c: a selection must not get the name of the whole file",
                        o->box.ndim ? "box" : "range");
  if (o->output && strcmp(o->output, "-") != 0 && o->file_count > 1)
    return fail_usage(o->verb, "-o takes one input file, %d were given", o->file_count);
  return each_file(o, decompress_file);
}

const verb verb_decompress = {
    .name = "decompress",
    .operands = "[FILE.ghz...]",
    .summary = "decompress files to values",
    .details = "Writes FILE for each FILE.ghz. A file made from an .npy file becomes one again:\n"
               "NAME.ghz becomes NAME.npy. Raw values get the extension .f32 or .f64 if NAME has none.\n"
               "The extension of -o chooses another form: .npy for an .npy file, .f32 or .f64 for raw\n"
               "values. Values of f32 may be written as f64. --range and --box read only the frames that\n"
               "hold the requested values, and require -o or -c. A box is one range or index per\n"
               "dimension, slowest first, as in NumPy's a[0:8, 5, 100:200]; what is left out is whole.\n"
               "-c takes several files, whose values follow each other.",
    .type_help = "type to write; default: from the extension of -o, else that of FILE",
    .examples = "  ghz decompress wave.f32.ghz -o back.f32\n"
                "  ghz decompress density.ghz -o back.npy\n"
                "  ghz decompress --box 10:20,:50 density.ghz -o box.npy\n"
                "  ghz decompress --box 7 density.ghz -o plane.npy\n"
                "  ghz decompress --range 100000:4096 wave.f32.ghz -o part.f32\n"
                "  ghz decompress < wave.f32.ghz | md5sum\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_TYPE | OPTION_RANGE | OPTION_BOX | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
