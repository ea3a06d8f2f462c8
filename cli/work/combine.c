/* combine.c: owns operations on compressed files: operands that agree, and an output of streams or
 * of values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "combine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/header.h"
#include "io/file.h"
#include "io/output.h"
#include "io/reader.h"
#include "range.h"
#include "report/report.h"
#include "report/text.h"

typedef struct combining {
  const options *o;
  const ghz_file_operation *op;
  ghz_context *ctx;
  frame_reader *readers;
  ghz_file **files; /* theirs */
  int count;
  int shaped;       /* the first operand whose shape is known, or the first */
  ghz_frame result; /* a frame of it */
  ghz_info info;    /* of the last one that there was */
  uint64_t values;
  output out;
  frame_writer writer;
  bool plain; /* the output's name asks for values, which these write */
  plain_writer plain_writer;
} combining;

/* ---- What files must have in common ---------------------------------------------------------- */

/* Whether both say the same of themselves. If not, prints what differs and how to avoid it. */
static bool same(const frame_reader *r, const frame_reader *first, const char *what, const char *own,
                 const char *other, const char *advice) {
  return strcmp(own, other) == 0 ||
         fail(r->file.name, "%s %s differs from %s in %s: %s", what, own, other, first->file.name, advice);
}

static number_text text_count(uint64_t value) {
  number_text t;
  snprintf(t.text, sizeof t.text, "%llu", (unsigned long long)value);
  return t;
}

static bool lengths_agree(const ghz_file_header *a, const ghz_file_header *b) {
  return a->count == b->count || a->count == GHZ_FILE_UNKNOWN || b->count == GHZ_FILE_UNKNOWN;
}

bool readers_agree(const frame_reader *r, const frame_reader *first, const frame_reader *shaped) {
  const ghz_file_header *a = &r->header, *b = &first->header, *c = &shaped->header;
  if (!same(r, first, "type", type_name(a->lattice.type), type_name(b->lattice.type),
            "compress both with the same type") ||
      (!lengths_agree(a, b) &&
       !same(r, first, "number of values", text_count(a->count).text, text_count(b->count).text,
             "only arrays of the same length can be combined")) ||
      (!ghz_arrays_agree(&a->array, &c->array) &&
       !same(r, shaped, "shape", shape_text(&a->array).text, shape_text(&c->array).text,
             "only arrays of the same shape can be combined")))
    return false;
  if (a->shape.dims != b->shape.dims)
    return fail(r->file.name, "%s, unlike %s, which is %s: compress both with the same --dims, or both --flat",
                tiles_text(&a->shape), first->file.name, tiles_text(&b->shape));
  return same(r, first, "number of values per frame", text_count(a->frame_values).text,
              text_count(b->frame_values).text, "compress both with the same --frame-values");
}

bool lattices_agree(const frame_reader *r, const frame_reader *first) {
  static const char advice[] =
      "files to be combined must have the same bound; compress them with --together, or one --like the other";
  const ghz_lattice *a = &r->header.lattice, *b = &first->header.lattice;
  return same(r, first, "bound", text_double(a->eb).text, text_double(b->eb).text, advice) &&
         same(r, first, "step", text_double(a->step).text, text_double(b->step).text, advice);
}

static bool fills_agree(const frame_reader *r, const frame_reader *first) {
  const ghz_lattice *a = &r->header.lattice, *b = &first->header.lattice;
  return same(r, first, "fill value", a->has_fill ? fill_text(a->type, a->fill).text : "none",
              b->has_fill ? fill_text(b->type, b->fill).text : "none",
              "compress both with the same --fill, or one --like the other");
}

/* ---- Operands ---- */

/* Extremes compare lattice integers, and values of the transform lie between these. */
static bool check_comparable(const combining *c, const frame_reader *r) {
  return !c->op->extremum || c->count == 1 || !ghz_file_get_info(r->own)->transform ||
         fail(r->file.name,
              "is compressed with the transform, so its extremes are not known: compress with --order lorenzo");
}

static bool open_operands(combining *c, const char *to) {
  const frame_reader *first = c->readers;
  for (int i = 0; i < c->count; i++) {
    frame_reader *r = &c->readers[i];
    if (!reader_open(r, c->o->files[i]) || !readers_agree(r, first, &c->readers[c->shaped]) ||
        (!c->op->coefficients && !lattices_agree(r, first)) || !fills_agree(r, first) ||
        !check_comparable(c, r) || !file_differs(&r->file, to))
      return false;
    if (c->readers[c->shaped].header.array.ndim == 0)
      c->shaped = i;
    c->files[i] = r->own;
  }
  return true;
}

/* ---- Output ---- */

/* Whether the output is to hold values rather than streams, and their form. */
static bool choose_output(combining *c, const char *to) {
  ghz_file_header header = c->readers[0].header; /* of the result */
  header.lattice.step *= c->op->factor / (double)(c->op->divisor ? c->op->divisor : 1);
  c->plain = strcmp(format_named(to), ".npy") == 0;
  return !c->plain ||
         plain_choose(&c->plain_writer, to, (type_choice){.given = false}, c->readers[0].file.name, &header);
}

/* Shape and count are those of the first operand that has them; the lattice is that of the first
 * result. */
static bool begin_output(combining *c) {
  ghz_file_header header = c->readers[0].header;
  header.array = c->readers[c->shaped].header.array;
  for (int i = 1; i < c->count && header.count == GHZ_FILE_UNKNOWN; i++) {
    header.count = c->readers[i].header.count;
    header.shape = ghz_flat(header.count); /* as those of pipes are */
  }
  header.lattice.step = header.lattice.eb = 0;
  return c->plain ? plain_begin(&c->plain_writer, &c->out, &header.array, header.count)
                  : writer_begin(&c->writer, &c->out, &header, c->o->pack);
}

/* Reads the next frame of every operand and combines them. */
static bool next_frame(combining *c) {
  if (!reader_ok(ghz_file_next_sum(c->ctx, (size_t)c->count, c->files, c->op, &c->result)))
    return false;
  if (c->result.stream.size == 0)
    return true;
  c->info = c->result.info;
  c->values += c->info.count;
  return true;
}

static bool write_frames(combining *c) {
  const ghz_file_header *h = &c->readers[0].header;
  progress_begin(c->o->verb, h->count, ghz_type_size(h->lattice.type) * (uint64_t)c->count);
  if (!next_frame(c) || !begin_output(c)) /* the output is begun when the operands can be read */
    return false;
  while (c->result.stream.size > 0) {
    if (!(c->plain ? plain_write_frame(&c->plain_writer, c->out.name, c->ctx, &c->result)
                   : writer_ok(&c->writer, ghz_file_write_stream(c->writer.own, c->ctx, c->result.stream))))
      return false;
    progress_set(c->values);
    if (!next_frame(c))
      return false;
  }
  return c->plain ? plain_end(&c->plain_writer) : writer_end(&c->writer, c->ctx);
}

/* ---- The command ---- */

static void describe(const combining *c, double elapsed) {
  const double bytes = (double)c->values * (double)ghz_type_size(c->info.lattice.type) * c->count;
  note(output_report_level(&c->out), "%s of %d file%s -> %s: %s, %s, %.2f GB/s with file access", c->o->verb,
       c->count, c->count > 1 ? "s" : "", c->out.name, text_bytes(c->out.bytes).text,
       c->info.inexact ? "no bound: values outside the lattice were added"
                       : text_promise(&c->info.lattice, c->info.terms, c->info.bound).text,
       bytes / elapsed / 1e9);
}

static bool combine_to(combining *c, const char *to) {
  double start = seconds();
  if (!open_operands(c, to) || !choose_output(c, to) ||
      !output_open(&c->out, to, c->o->force, false, c->count == 1 ? &c->readers[0].file : NULL))
    return false;
  bool ok = write_frames(c);
  progress_end();
  if (!output_end(&c->out, ok))
    return false;
  describe(c, seconds() - start);
  return true;
}

bool combine(const options *o, ghz_context *ctx, const ghz_file_operation *op) {
  combining c = {.o = o, .ctx = ctx, .op = op, .count = o->file_count};
  frame_reader *readers = c.readers = calloc((size_t)c.count, sizeof *c.readers);
  c.files = calloc((size_t)c.count, sizeof *c.files);
  const bool ok =
      c.readers && c.files ? combine_to(&c, o->output ? o->output : "-") : fail(o->verb, "out of memory");
  ghz_file_abandon(c.writer.own);
  for (int i = 0; readers && i < c.count; i++)
    reader_close(&readers[i]);
  ghz_frame_free(&c.result);
  buffer_free(&c.plain_writer.values);
  free(c.files);
  free(readers);
  return ok;
}
