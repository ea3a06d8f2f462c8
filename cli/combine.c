/* combine.c: owns operations on compressed files: all operands side by side, a frame at a time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "combine.h"

#include <stdlib.h>
#include <string.h>

#include "agreement.h"
#include "io/reader.h"
#include "io/writer.h"
#include "plain.h"
#include "report/library.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/seconds.h"
#include "report/text.h"

enum { SLOTS = 16, OPEN_FILES_MAX = 200 }; /* with more operands, files are closed between frames */
#define SLOT_BYTES ((size_t)256 << 20)     /* streams kept at a time, unless two alone are larger */

typedef struct combination {
  const options *o;
  const operation *op;
  ghz_context *ctx;
  frame_reader *readers;
  int count, opened;
  int shaped;        /* the first operand whose shape is known, or the first */
  frame slot[SLOTS]; /* slot 0 also holds the result so far */
  int filled;
  frame result;
  output out;
  frame_writer writer;
  bool plain; /* the output's name asks for values, which these write */
  plain_form form;
  plain_writer values;
  buffer decompressed;
} combination;

/* ---- Operands ---- */

static void park_if_many(const combination *c, frame_reader *r) {
  if (c->count > OPEN_FILES_MAX && r->file.seekable)
    file_park(&r->file);
}

static bool open_operands(combination *c, const char *to) {
  for (; c->opened < c->count; c->opened++) {
    frame_reader *r = &c->readers[c->opened];
    if (!reader_open(r, c->o->files[c->opened]))
      return false;
    if (!readers_agree(r, c->readers, &c->readers[c->shaped]) || !file_differs(&r->file, to)) {
      reader_close(r);
      return false;
    }
    if (c->readers[c->shaped].header.shape.ndim == 0)
      c->shaped = c->opened;
    park_if_many(c, r);
  }
  return true;
}

/* ---- Frames ---- */

static size_t result_capacity(const combination *c) {
  uint64_t terms = 0;
  for (int i = 0; i < c->filled; i++) {
    uint32_t own = c->slot[i].info.terms;
    terms = c->op->adds ? terms + own : own > terms ? own : terms;
  }
  const ghz_info *info = &c->slot[0].info;
  if (terms == 0)
    terms = 1;
  return terms > UINT32_MAX ? 0 : ghz_shape_bound(&info->shape, info->lattice.type, (uint32_t)terms);
}

/* Moves c->result, whose size is set, to slot 0. */
static bool keep_result(combination *c, const char *name, ghz_status status) {
  if (!library_ok(name, c->ctx, status) || !frame_inspect(&c->result, name))
    return false;
  frame swap = c->slot[0];
  c->slot[0] = c->result;
  c->result = swap;
  c->filled = 1;
  return true;
}

static bool fold_slots(combination *c, const char *name) {
  ghz_bytes streams[SLOTS];
  size_t capacity = result_capacity(c);
  if (!frame_reserve(&c->result, capacity, name))
    return false;
  for (int i = 0; i < c->filled; i++)
    streams[i] = frame_bytes(&c->slot[i]);
  return keep_result(
      c, name,
      c->op->fold(c->ctx, (size_t)c->filled, streams, frame_stream(&c->result), capacity, &c->result.size));
}

static bool scale_slot(combination *c, const char *name) {
  size_t capacity = result_capacity(c);
  if (c->op->factor == 1)
    return true;
  if (!frame_reserve(&c->result, capacity, name))
    return false;
  return keep_result(c, name,
                     ghz_scale(c->ctx, frame_bytes(&c->slot[0]), c->op->factor, frame_stream(&c->result),
                               capacity, &c->result.size));
}

static bool slots_full(const combination *c) {
  size_t bytes = 0;
  for (int i = 0; i < c->filled; i++)
    bytes += c->slot[i].size;
  return c->filled > 1 && (c->filled == c->op->group || bytes > SLOT_BYTES);
}

/* Extremes compare lattice integers, and values of the transform lie between these. */
static bool check_comparable(const combination *c, const frame_reader *r, const frame *f) {
  return c->op->adds || c->count == 1 || !f->info.transform ||
         fail(r->file.name, "values of the transform cannot be compared: compress with --order lorenzo");
}

/* Reads the next frame of every operand and combines them in slot 0. *more is false at their common
 * end. */
static bool next_frame(combination *c, bool *more) {
  c->filled = 0;
  for (int i = 0; i < c->count; i++) {
    frame_reader *r = &c->readers[i];
    bool own;
    if (!reader_next(r, &c->slot[c->filled], &own))
      return false;
    park_if_many(c, r);
    if (i == 0)
      *more = own;
    if (own != *more || r->values != c->readers[0].values)
      return fail(r->file.name, "number of values differs from %s: only arrays of the same length combine",
                  c->readers[0].file.name);
    if (own && (!fills_agree(r, c->readers) || !check_comparable(c, r, &c->slot[c->filled])))
      return false;
    c->filled += own;
    if (own && slots_full(c) && !fold_slots(c, r->file.name))
      return false;
  }
  const char *last = c->readers[c->count - 1].file.name;
  if (!*more)
    return true;
  return (c->filled < 2 || fold_slots(c, last)) && scale_slot(c, last);
}

/* ---- Output ---- */

/* Whether the output is to hold values rather than streams, and their form. */
static bool choose_output(combination *c, const char *to) {
  const frame_reader *first = &c->readers[0];
  c->plain = plain_named(to);
  return !c->plain ||
         plain_choose(&c->form, to, (type_choice){false, GHZ_F32}, first->file.name, &first->header);
}

/* Shape and count are those of the first operand that has them; step and bound are those of the
 * first result. */
static bool begin_output(combination *c) {
  frame_header header = c->readers[0].header;
  header.shape = c->readers[c->shaped].header.shape;
  for (int i = 1; i < c->count && header.total == COUNT_UNKNOWN; i++)
    header.total = c->readers[i].header.total;
  if (c->plain)
    return plain_begin(&c->values, &c->out, c->form, &header.shape, header.total);
  header.step = c->slot[0].info.lattice.step;
  header.eb = c->slot[0].info.lattice.eb;
  return writer_begin(&c->writer, &c->out, &header);
}

/* Writes the result in slot 0. */
static bool write_frame(combination *c) {
  frame *f = &c->slot[0];
  if (!c->plain)
    return writer_frame(&c->writer, f);
  const size_t count = (size_t)f->info.count;
  const char *name = c->out.name;
  return buffer_reserve(&c->decompressed, count * ghz_type_size(c->form.type), name) &&
         library_ok(name, c->ctx,
                    ghz_decompress(c->ctx, frame_bytes(f), c->form.type, c->decompressed.data, count)) &&
         plain_write(&c->values, c->decompressed.data, count);
}

static bool write_frames(combination *c) {
  bool more = true;
  const frame_header *h = &c->readers[0].header;
  progress_begin(c->o->verb, h->total, ghz_type_size(h->type) * (uint64_t)c->count);
  for (bool begun = false; more; begun = true) {
    if (!next_frame(c, &more))
      return false;
    if (!begun && !begin_output(c))
      return false;
    if (more && !write_frame(c))
      return false;
    progress_set(c->readers[0].values);
  }
  progress_end();
  return c->plain ? plain_end(&c->values) : writer_end(&c->writer);
}

static void describe(const combination *c, double elapsed) {
  const ghz_info *info = &c->slot[0].info;
  double bytes = (double)c->readers[0].values * (double)ghz_type_size(info->lattice.type) * c->count;
  char bound[64] = "no bound: values outside the lattice were added";
  if (!info->inexact)
    snprintf(bound, sizeof bound, "bound %.6g", info->bound);
  note(output_report_level(&c->out), "%s of %d file%s -> %s: %s, %s, %.2f GB/s with file access", c->o->verb,
       c->count, c->count > 1 ? "s" : "", c->out.name, text_bytes(c->out.bytes).text, bound,
       bytes / elapsed / 1e9);
}

static bool combine_to(combination *c, const char *to) {
  double start = seconds();
  if (!open_operands(c, to) || !choose_output(c, to) || !output_open(&c->out, to, c->o->force))
    return false;
  bool ok = write_frames(c);
  progress_end();
  if (!output_end(&c->out, ok))
    return false;
  describe(c, seconds() - start);
  return true;
}

int combine(const options *o, const operation *op) {
  combination c = {.o = o, .op = op, .count = o->file_count};
  c.readers = calloc((size_t)c.count, sizeof *c.readers);
  if (!c.readers)
    return fail(o->verb, "out of memory") ? EXIT_OK : EXIT_DATA;
  bool ok = library_open(&c.ctx, o->threads) && combine_to(&c, o->output ? o->output : "-");
  for (int i = 0; i < c.opened; i++)
    reader_close(&c.readers[i]);
  for (int i = 0; i < SLOTS; i++)
    frame_free(&c.slot[i]);
  frame_free(&c.result);
  buffer_free(&c.decompressed);
  free(c.readers);
  ghz_context_free(c.ctx);
  return ok ? EXIT_OK : EXIT_DATA;
}
