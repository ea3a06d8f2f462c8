/* decompress.c: owns `ghz decompress`: the values of compressed files, all of them, a range or a
 * box. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "file/header.h"
#include "io/file.h"
#include "io/output.h"
#include "io/reader.h"
#include "io/shape.h"
#include "options/options.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs.h"

typedef struct selection {
  const options *o;
  uint64_t total;               /* values selected, or GHZ_FILE_UNKNOWN */
  shape shape;                  /* of the values as an array; without dimensions: a row */
  uint64_t done;                /* values */
  box box;                      /* ndim 0: none */
  uint64_t next[GHZ_FILE_NDIM]; /* where its next piece begins */
} selection;

static bool begin_range(selection *s, const char *name, uint64_t total) {
  const uint64_t first = s->o->range_first, count = s->o->range_count;
  s->total = count;
  s->shape = (shape){.ndim = 0};
  return total == GHZ_FILE_UNKNOWN || (first <= total && count <= total - first) ||
         fail(name, "--range %llu:%llu is not inside its %llu values", (unsigned long long)first,
              (unsigned long long)count, (unsigned long long)total);
}

static bool begin_box(selection *s, const char *name, const shape *array) {
  s->box = s->o->box;
  if (!box_place(name, array, &s->box))
    return false;
  memcpy(s->next, s->box.from, sizeof s->next);
  s->shape = box_shape(&s->box, array);
  shape_count(&s->shape, &s->total);
  return true;
}

/* What the options select of a file. Prints what is wrong if the file does not have it. */
static bool selection_begin(selection *s, const options *o, const char *name, const ghz_file_header *h) {
  *s = (selection){.o = o, .total = h->count, .shape = h->array};
  if (o->range_given)
    return begin_range(s, name, h->count);
  return o->box.ndim == 0 || begin_box(s, name, &h->array);
}

/* Whether it is not all of the file. */
static bool selection_is_less(const selection *s) {
  return s->o->range_given || s->box.ndim;
}

/* ---- Pieces of a box ------------------------------------------------------------------------- */

static uint64_t box_extent(const selection *s, unsigned d) {
  return s->box.to[d] - s->box.from[d];
}

/* Dimension number i, from the fastest on. */
static unsigned fast(const selection *s, unsigned i) {
  return s->shape.fortran ? i : s->box.ndim - 1 - i;
}

/* The dimension, from the fastest on, along which pieces of at most `most` values follow each
 * other, `rows` at a time; those before it are whole in each, those behind it have one row. */
static unsigned cut_at(const selection *s, uint64_t most, uint64_t *rows) {
  uint64_t inner = 1;
  for (unsigned i = 0; i < s->box.ndim; i++) {
    const uint64_t extent = box_extent(s, fast(s, i));
    if (extent > most / inner) {
      *rows = most / inner;
      return i;
    }
    inner *= extent;
  }
  *rows = box_extent(s, fast(s, s->box.ndim - 1));
  return s->box.ndim - 1;
}

/* Puts the next piece in from .. to, and goes on to the one behind it. Returns its values. */
static uint64_t next_piece(selection *s, uint64_t most, uint64_t *from, uint64_t *to) {
  uint64_t rows, count = 1;
  const unsigned cut = cut_at(s, most, &rows);
  for (unsigned i = 0; i < s->box.ndim; i++) {
    const unsigned d = fast(s, i);
    const uint64_t left = s->box.to[d] - s->next[d], take = i > cut ? 1 : i < cut || left < rows ? left : rows;
    from[d] = s->next[d];
    to[d] = from[d] + take;
    count *= take;
  }
  for (unsigned i = cut; i < s->box.ndim; i++) {
    const unsigned d = fast(s, i);
    s->next[d] = to[d];
    if (to[d] < s->box.to[d] || i + 1 == s->box.ndim)
      break;
    s->next[d] = s->box.from[d];
    to[fast(s, i + 1)] = from[fast(s, i + 1)] + 1;
  }
  return count;
}

/* ---- Taking ---------------------------------------------------------------------------------- */

static bool take_range(selection *s, frame_reader *r, ghz_context *ctx, ghz_type type, uint64_t most, buffer *x,
                       size_t *count) {
  const uint64_t left = s->total - s->done, first = s->o->range_first + s->done;
  *count = (size_t)(left < most ? left : most);
  const ghz_status status = ghz_file_read(r->own, ctx, type, first, *count, x->data);
  if (status == GHZ_EINVAL) /* the rest is known to fit */
    return fail(r->file->name, "--range ends after its last value");
  return reader_ok(status);
}

/* Decompresses the next piece to `x`, and sets *count; to 0 if all was taken. Calls that
 * return false have printed why. */
static bool selection_take(selection *s, frame_reader *r, ghz_context *ctx, ghz_type type, buffer *x,
                           size_t *count) {
  uint64_t from[GHZ_FILE_NDIM], to[GHZ_FILE_NDIM];
  const uint64_t most = FRAME_BYTES / ghz_type_size(type);
  bool ok = true;
  *count = 0;
  if (s->done == s->total)
    return true;
  if (!buffer_reserve(x, (size_t)(s->total < most ? s->total : most) * ghz_type_size(type), r->file->name))
    return false;
  if (s->box.ndim) {
    *count = (size_t)next_piece(s, most, from, to);
    ok = reader_ok(ghz_file_read_box(r->own, ctx, type, from, to, x->data));
  } else {
    ok = take_range(s, r, ctx, type, most, x, count);
  }
  s->done += *count;
  return ok;
}

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
      !file_differs(d->reader.file, path) || !output_open(&d->out, path, d->o->force, false, d->reader.file))
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
  const char *name = o->output ? o->output : from->path ? from->path : "-";
  const bool own = !o->output && from->path;
  if (own && !name_ends(name, ".ghz"))
    return (fail(from->name, "the name does not end in .ghz; name the output with -o FILE"), NULL);
  char *text = malloc(strlen(name) + 1); /* the extensions are as long as .ghz */
  if (!text)
    return (fail(from->name, "out of memory"), NULL);
  strcpy(text, name);
  if (own) {
    text[strlen(text) - strlen(".ghz")] = '\0';
    strcat(text, missing_extension(text, h));
  }
  return text;
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
    .details =
        "Writes FILE for each FILE.ghz: NAME.npy if that was its input, else raw values, whose name gets\n"
        ".f32 or .f64 if it has no extension. The extension of -o chooses another form. Values of f32 may be\n"
        "written as f64. --range and --box read only the frames that hold the requested values, and require\n"
        "-o or -c. A box is one range or index per dimension, slowest first, as in NumPy's a[0:8, 5,\n"
        "100:200]; what is left out is whole. -c takes several files, whose values follow each other.",
    .type_help = "type to write; default: from the extension of -o, else that of FILE",
    .examples = "  ghz decompress wave.f32.ghz -o back.f32\n"
                "  ghz decompress density.ghz -o back.npy\n"
                "  ghz decompress --box 10:20,:50 density.ghz -o box.npy\n"
                "  ghz decompress --box 7 density.ghz -o plane.npy\n"
                "  ghz decompress --range 100000:4096 wave.f32.ghz -o part.f32\n"
                "  ghz decompress < wave.f32.ghz | md5sum\n",
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
