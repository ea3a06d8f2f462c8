/* decompress.c: owns `ghz decompress`: the values of compressed files, all of them, a range or a
 * box. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "file/header.h"
#include "io/output.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs.h"

typedef struct decompression {
  const options *o;
  ghz_context *ctx;
  frame_reader *reader;
  output out;
  box box;        /* what is selected, a range as a box of one dimension; ndim 0: all */
  shape shape;    /* of the values as an array; without dimensions: a row */
  uint64_t total; /* values, or GHZ_FILE_UNKNOWN */
  plain_writer writer;
} decompression;

/* ---- What is selected ------------------------------------------------------------------------ */

static bool choose_range(decompression *d, const char *name) {
  const uint64_t first = d->o->range_first, count = d->o->range_count, total = d->reader->header.count;
  if (first > total || count > total - first)
    return fail(name, "--range %llu:%llu is not inside its %llu values", (unsigned long long)first,
                (unsigned long long)count, (unsigned long long)total);
  d->box = (box){.ndim = 1, .from = {first}, .to = {first + count}};
  d->total = count;
  d->shape = (shape){.ndim = 0};
  return true;
}

static bool choose_box(decompression *d, const char *name) {
  d->box = d->o->box;
  if (!box_place(name, &d->reader->header.array, &d->box))
    return false;
  d->shape = box_shape(&d->box, &d->reader->header.array);
  d->total = ghz_array_count(&d->shape);
  return true;
}

/* What the options select of the file. Prints what is wrong if it does not have it. */
static bool choose_values(decompression *d, const char *name) {
  const ghz_file_header *h = &d->reader->header;
  d->total = h->count;
  d->shape = h->array;
  if (d->o->range_given)
    return choose_range(d, name);
  return d->o->box.ndim == 0 || choose_box(d, name);
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* All values, frame by frame: that checks everything. */
static bool write_frame(const char *name, ghz_context *ctx, const ghz_frame *f, void *writer) {
  return plain_write_frame(writer, name, ctx, f);
}

static bool write_piece(decompression *d, const box *b, size_t count) {
  plain_writer *w = &d->writer;
  const char *name = d->reader->file.name;
  if (!plain_reserve(w, count, name))
    return false;
  const ghz_status status =
      d->o->range_given ? ghz_file_read(d->reader->own, d->ctx, w->type, b->from[0], count, w->values.data)
                        : ghz_file_read_box(d->reader->own, d->ctx, w->type, b->from, b->to, w->values.data);
  if (status == GHZ_EINVAL && d->o->range_given) /* the rest is known to fit */
    return fail(name, "--range ends after its last value");
  return reader_ok(status) && plain_write(w, count);
}

/* A box too large for the memory goes in halves of the slowest dimension that has more than one
 * index: they follow each other in the output. */
static bool write_box(decompression *d, box b) {
  uint64_t count = 1;
  unsigned cut = 0;
  for (unsigned i = 0; i < b.ndim; i++) {
    const unsigned axis = d->shape.fortran ? i : b.ndim - 1 - i;
    const uint64_t extent = b.to[axis] - b.from[axis];
    count *= extent;
    cut = extent > 1 ? axis : cut;
  }
  if (count > FRAME_BYTES / ghz_type_size(d->writer.type)) {
    box rest = b;
    rest.from[cut] = b.to[cut] = b.from[cut] + (b.to[cut] - b.from[cut]) / 2;
    return write_box(d, b) && write_box(d, rest);
  }
  const bool ok = write_piece(d, &b, (size_t)count);
  progress_set(d->writer.written);
  return ok;
}

static bool write_values(decompression *d) {
  progress_begin(d->reader->file.name, d->total, ghz_type_size(d->writer.type));
  const bool ok =
      plain_begin(&d->writer, &d->out, &d->shape, d->total) &&
      (d->box.ndim ? write_box(d, d->box) : reader_each(d->reader, 1, d->ctx, write_frame, &d->writer)) &&
      plain_end(&d->writer);
  progress_end();
  return ok;
}

static bool decompress_to(decompression *d, const char *path) {
  const double start = seconds();
  const char *name = d->reader->file.name;
  if (!plain_choose(&d->writer, path, d->o->type, name, &d->reader->header) || !choose_values(d, name) ||
      !file_differs(&d->reader->file, path) ||
      !output_open(&d->out, path, d->o->force, false, &d->reader->file))
    return false;
  if (!output_end(&d->out, write_values(d)))
    return false;
  double elapsed = seconds() - start;
  note(output_report_level(&d->out), "%s: %s -> %s: %s, %.2f GB/s with file access", name,
       text_bytes(reader_bytes(d->reader)).text, d->out.name, text_bytes(d->out.bytes).text,
       (double)d->out.bytes / elapsed / 1e9);
  return true;
}

/* The extension that a name without .ghz lacks: .npy for an array of an .npy file whose name does
 * not say its form, .f32 or .f64 for raw values whose name has none, or one of another format. */
static const char *missing_extension(const char *name, type_choice given, const ghz_file_header *h) {
  const char *base = strrchr(name, '/');
  const char *says = format_named(name);
  if (strcmp(says, ".npy") == 0)
    return "";
  if (h->array.npy)
    return ".npy";
  if (*says == '\0' && strchr(base ? base : name, '.'))
    return "";
  return type_extension(given.given ? given.type : plain_type(&h->lattice));
}

static bool decompress_file(const options *o, ghz_context *ctx, frame_reader *r) {
  decompression d = {.o = o, .ctx = ctx, .reader = r};
  const char *path = r->file.path, *to = o->output ? o->output : "-"; /* NULL: standard input */
  char *own = NULL;                                                   /* FILE without .ghz */
  if (!o->output && path) {
    if (!name_ends(path, ".ghz"))
      return fail(path, "the name does not end in .ghz; name the output with -o FILE");
    to = own = strdup(path);
    if (!own)
      return fail(path, "out of memory");
    own[strlen(own) - strlen(".ghz")] = '\0';
    strcat(own, missing_extension(own, o->type, &r->header)); /* which is as long */
  }
  const bool ok = decompress_to(&d, to);
  free(own);
  buffer_free(&d.writer.values);
  return ok;
}

static int check(const options *o) {
  if (o->range_given && o->box.ndim)
    return fail_usage(o->verb, "give --range or --box, not both");
  for (int i = 0; i < o->file_count && (o->range_given || o->box.ndim) && !o->output; i++)
    if (strcmp(o->files[i], "-") != 0)
      return fail_usage(o->verb,
                        "--%s needs -o FILE or -c: a selection must not get the name of the whole file",
                        o->box.ndim ? "box" : "range");
  return -1;
}

const verb verb_decompress = {
    .name = "decompress",
    .operands = "[FILE.ghz...]",
    .summary = "decompress files to values",
    .details =
        "Writes FILE for each FILE.ghz: NAME.npy if that was its input, else raw values, whose name gets\n"
        ".f32 or .f64 if it has no extension, or that of another format. The extension of -o chooses another\n"
        "form. Values of f32 may be written as f64. --range and --box read only the frames that hold the\n"
        "requested values, and require -o or -c. A box is one range or index per dimension, slowest first, as\n"
        "in NumPy's a[0:8, 5, 100:200]; what is left out is whole. -c takes several files, whose values\n"
        "follow each other.",
    .type_help = "type to write; default: from the extension of -o, else that of FILE",
    .examples = "  ghz decompress wave.f32.ghz -o back.f32\n"
                "  ghz decompress density.ghz -o back.npy\n"
                "  ghz decompress --box 10:20,:50 density.ghz -o box.npy\n"
                "  ghz decompress --box 7 density.ghz -o plane.npy\n"
                "  ghz decompress --range 100000:4096 wave.f32.ghz -o part.f32\n"
                "  ghz decompress < wave.f32.ghz | md5sum\n",
    .least = 1,
    .apart = true,
    .writes = {".npy, .f32 or .f64"},
    .check = check,
    .each_reader = decompress_file,
};
