/* verb_decompress.c: owns `ghz decompress`: .ghz files to raw or .npy files, whole or in part. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "each_file.h"
#include "io/buffer.h"
#include "io/npy.h"
#include "io/output.h"
#include "io/reader.h"
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
  ghz_type type;        /* of the output */
  bool npy;             /* the output begins with an .npy header */
  uint64_t first, left; /* the next value to write, and how many from there on */
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
  shape s = d->reader.header.shape;
  if ((s.ndim == 0 && !s.npy) || d->o->range_given)
    s = (shape){.ndim = 1, .dims = {count}};
  size_t size = npy_header(d->type, &s, header);
  return again ? output_rewrite_start(&d->out, header, size) : output_write(&d->out, header, size);
}

/* Decompresses the requested part of the frame that was just read. */
static bool write_part(decompression *d, uint64_t frame_first) {
  uint64_t end = d->reader.values, skip = d->first - frame_first;
  uint64_t count = end - d->first < d->left ? end - d->first : d->left;
  size_t bytes = (size_t)count * ghz_type_size(d->type);
  const char *name = d->reader.file.name;
  if (!buffer_reserve(&d->values, bytes, name))
    return false;
  ghz_status status =
      ghz_decompress_range(d->ctx, frame_bytes(&d->frame), d->type, skip, (size_t)count, d->values.data);
  if (!library_ok(name, d->ctx, status) || !output_write(&d->out, d->values.data, bytes))
    return false;
  d->first += count;
  d->left -= count;
  d->written += count;
  progress_set(d->written);
  return true;
}

static bool write_values(decompression *d) {
  bool more = true, whole = !d->o->range_given;
  frame_reader *r = &d->reader;
  while (more && (whole || d->left > 0)) {
    uint64_t before = r->values;
    if (d->first >= before + r->header.frame_values) {
      if (!reader_skip(r, &more))
        return false;
    } else if (!reader_next(r, &d->frame, &more)) {
      return false;
    } else if (more && r->values > d->first && !write_part(d, before)) {
      return false;
    }
  }
  return whole || d->left == 0 || fail(r->file.name, "--range ends after its last value");
}

static bool check_range(decompression *d) {
  const options *o = d->o;
  uint64_t total = d->reader.header.total;
  d->first = o->range_given ? o->range_first : 0;
  d->left = o->range_given ? o->range_count : COUNT_UNKNOWN;
  if (!o->range_given || total == COUNT_UNKNOWN || (d->first <= total && d->left <= total - d->first))
    return true;
  return fail(d->reader.file.name, "--range %llu:%llu is not inside its %llu values",
              (unsigned long long)d->first, (unsigned long long)d->left, (unsigned long long)total);
}

static bool write_all_values(decompression *d) {
  uint64_t total = d->o->range_given ? d->left : d->reader.header.total;
  bool late = total == COUNT_UNKNOWN;
  progress_begin(d->reader.file.name, total, ghz_type_size(d->type));
  bool ok = (!d->npy || write_npy(d, late ? 0 : total, false)) && write_values(d) &&
            (!d->npy || !late || write_npy(d, d->written, true));
  progress_end();
  return ok;
}

static bool decompress_to(decompression *d, const char *path) {
  double start = seconds();
  if (!choose_form(d, path) || !check_range(d) || !file_differs(&d->reader.file, path) ||
      !output_open(&d->out, path, d->o->force))
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
  for (int i = 0; i < o->file_count && o->range_given && !o->output; i++)
    if (strcmp(o->files[i], "-") != 0)
      return fail_usage(o->verb, "--range needs -o FILE or -c: a part must not take the name of the whole");
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
               "or .f64 for raw values. Values of f32 may be written as f64. --range reads only the\n"
               "frames that hold the requested values, and requires -o or -c.",
    .type_help = "type to write, f32 or f64; default: by the ending of -o, else as compressed",
    .examples = "  ghz decompress wave.f32.ghz -o back.f32\n"
                "  ghz decompress density.ghz -o back.npy\n"
                "  ghz decompress --range 100000:4096 wave.f32.ghz -o part.f32\n"
                "  ghz decompress < wave.f32.ghz | md5sum\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_TYPE | OPTION_RANGE | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
