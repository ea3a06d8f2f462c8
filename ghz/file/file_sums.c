/* file_sums.c: owns operations on files: the same frame of each, some at a time, until one is
 * left. What lies outside the lattice is rounded in a sum, and so added up of all at once, from
 * there on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "file/header.h"
#include "file/reader/reader.h"
#include "file/writer/writer.h"
#include "linear.h"
#include "rules/lattice_rules.h"

enum { SLOTS = 16 };
#define SLOT_BYTES ((size_t)256 << 20) /* streams kept at a time, unless two alone are larger */

struct frame_slots {
  ghz_frame *slot; /* slot 0 also holds the result so far */
  int64_t *coefficient;
  ghz_bytes *streams;
  size_t room, filled;
  int inexact;           /* a sum of some would be rounded: they wait for the others */
  int more;              /* file 0 has a frame, */
  uint64_t first, count; /* and of these values */
};

/* A call. */
typedef struct summation {
  ghz_context *ctx;
  size_t k;
  ghz_file *const *files;
  const ghz_file_operation *op;
  frame_slots *c;
  ghz_frame *result;
} summation;

void ghz_slots_free(frame_slots *c) {
  for (size_t i = 0; c && i < c->room; i++)
    ghz_frame_free(&c->slot[i]);
  free(c);
}

/* Slots for k files. */
static frame_slots *slots_for(size_t k) {
  const size_t each = sizeof(ghz_frame) + sizeof(int64_t) + sizeof(ghz_bytes);
  frame_slots *c = k < SIZE_MAX / 2 / each ? calloc(1, sizeof *c + k * each) : NULL;
  if (!c)
    return NULL;
  c->room = k;
  c->slot = (ghz_frame *)(void *)(c + 1);
  c->coefficient = (int64_t *)(void *)(c->slot + k);
  c->streams = (ghz_bytes *)(void *)(c->coefficient + k);
  return c;
}

/* ---- Agreement ------------------------------------------------------------------------------- */

static ghz_status differ(const summation *s, size_t i, size_t from, const char *what) {
  const char *other = s->files[from]->name;
  return other ? ghz_file_fail(s->files[i]->name, GHZ_EMISMATCH, "%s from %.80s", what, other)
               : ghz_file_fail(s->files[i]->name, GHZ_EMISMATCH, "%s from file %zu", what, from);
}

static int dimensions_agree(const ghz_array *a, const ghz_array *b) {
  return a->ndim == b->ndim && (a->fortran == b->fortran || a->ndim == 1) &&
         memcmp(a->dims, b->dims, a->ndim * sizeof *a->dims) == 0;
}

/* Of files that have dimensions. What streams say of themselves, the codec compares. */
static ghz_status check_files(const summation *s) {
  size_t first = s->k;
  for (size_t i = 0; i < s->k; i++) {
    const ghz_array *own = &s->files[i]->info.header.array;
    if (own->ndim > 0 && first == s->k)
      first = i;
    if (own->ndim > 0 && !dimensions_agree(own, &s->files[first]->info.header.array))
      return differ(s, i, first, "dimensions differ");
  }
  return GHZ_OK;
}

/* All files have the next frame, or none has. */
static ghz_status check_frame(const summation *s, size_t i, const ghz_frame *f) {
  frame_slots *c = s->c;
  if (i == 0) {
    c->more = f->stream.size > 0;
    c->first = f->first;
    c->count = f->info.count;
    return GHZ_OK;
  }
  if ((f->stream.size > 0) != c->more)
    return differ(s, i, 0, "number of values differs");
  if (!c->more || (f->first == c->first && f->info.count == c->count))
    return GHZ_OK;
  const ghz_file_header *own = &s->files[i]->info.header, *other = &s->files[0]->info.header;
  return differ(s, i, 0,
                own->frame_values != other->frame_values ? "number of values per frame differs"
                : own->count != other->count             ? "number of values differs"
                                                         : "one was appended to (decompress it and compress it "
                                                           "again, to add them): places of frames differ");
}

/* ---- Folding --------------------------------------------------------------------------------- */

/* The last file at fault is not known: the message names the one that was read last. The result
 * takes the place of slot 0; not before all files are in it if values lay outside the lattice. */
static ghz_status run(const summation *s, size_t i, const computation *w) {
  frame_slots *c = s->c;
  ghz_frame old = c->slot[0];
  void *made;
  size_t size;
  ghz_status status =
      ghz_file_pass(s->files[i]->name, old.number, s->ctx, ghz_compute_alloc(s->ctx, w, &made, &size));
  if (status != GHZ_OK)
    return status;
  free(s->result->memory);
  *s->result = (ghz_frame){
      .stream = {made, size}, .memory = made, .capacity = size, .number = old.number, .first = old.first};
  status =
      ghz_file_pass(s->files[i]->name, old.number, NULL, ghz_info_read(s->result->stream, &s->result->info));
  c->inexact = status == GHZ_OK && s->result->info.inexact && w->operation == COMBINE;
  if (status != GHZ_OK || (c->inexact && i < s->k - 1))
    return status;
  c->slot[0] = *s->result;
  *s->result = old;
  c->coefficient[0] = 1;
  c->filled = 1;
  return GHZ_OK;
}

/* The sum of what the slots hold, that of all files divided; or the extremes. */
static ghz_status fold(const summation *s, size_t i) {
  const frame_slots *c = s->c;
  const ghz_file_operation *op = s->op;
  for (size_t j = 0; j < c->filled; j++)
    c->streams[j] = c->slot[j].stream;
  return run(s, i,
             &(computation){.operation = op->extremum < 0 ? MINIMUM
                                         : op->extremum   ? MAXIMUM
                                                          : COMBINE,
                            .k = c->filled,
                            .weights = op->coefficients ? c->coefficient : NULL,
                            .divisor = i < s->k - 1 || op->extremum || !op->divisor ? 1 : op->divisor,
                            .streams = c->streams});
}

static ghz_status scale(const summation *s, double factor) {
  const int64_t sign = signbit(factor) ? -1 : 1;
  if (!from_to(fabs(factor), DBL_TRUE_MIN, DBL_MAX))
    return ghz_file_fail(s->files[0]->name, GHZ_EINVAL, "factor %g: must be finite, and not 0", factor);
  return run(
      s, s->k - 1,
      &(computation){
          .k = 1, .weights = &sign, .divisor = 1, .factor = fabs(factor), .streams = &s->c->slot[0].stream});
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static int slots_full(const summation *s) {
  size_t bytes = 0;
  const size_t filled = s->c->filled;
  for (size_t i = 0; i < filled; i++)
    bytes += s->c->slot[i].stream.size;
  return filled > 1 && !s->c->inexact && (filled == (s->op->extremum ? 2 : SLOTS) || bytes > SLOT_BYTES);
}

/* Reads the frame of file i to the next slot. */
static ghz_status take(const summation *s, size_t i) {
  frame_slots *c = s->c;
  ghz_frame *slot = &c->slot[c->filled];
  ghz_status status = ghz_file_next(s->files[i], s->ctx, slot);
  if (status == GHZ_OK)
    status = check_frame(s, i, slot);
  if (status != GHZ_OK || slot->stream.size == 0)
    return status;
  c->coefficient[c->filled++] = s->op->coefficients ? s->op->coefficients[i] : 1;
  return slots_full(s) && i < s->k - 1 ? fold(s, i) : GHZ_OK;
}

/* One operand with its coefficient 1 is the result. */
static ghz_status finish(const summation *s) {
  frame_slots *c = s->c;
  if (c->filled == 0)
    return GHZ_OK;
  const int divide = s->op->divisor != 0 && !s->op->extremum;
  ghz_status status = c->filled > 1 || c->coefficient[0] != 1 || divide ? fold(s, s->k - 1) : GHZ_OK;
  return status == GHZ_OK && s->op->factor != 1 ? scale(s, s->op->factor) : status;
}

static ghz_status next_sum(const summation *s) {
  frame_slots *c = s->c;
  c->filled = 0;
  c->inexact = 0;
  c->slot[0].stream = (ghz_bytes){NULL, 0};
  ghz_status status = s->files[0]->number == 0 ? check_files(s) : GHZ_OK;
  for (size_t i = 0; i < s->k && status == GHZ_OK; i++)
    status = take(s, i);
  if (status == GHZ_OK)
    status = finish(s);
  const ghz_frame result = c->slot[0];
  c->slot[0] = *s->result;
  *s->result = result;
  return status;
}

ghz_status ghz_file_next_sum(ghz_context *ctx, size_t k, ghz_file *const *files, const ghz_file_operation *op,
                             ghz_frame *result) {
  if (k == 0 || !files || !op || !result)
    return ghz_fail(NULL, GHZ_EINVAL, "%s", k == 0 ? "no files" : "files, operation or result is NULL");
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; !files[i] || j < i; j++)
      if (!files[i] || files[i] == files[j])
        return ghz_fail(NULL, GHZ_EINVAL, "file %zu is %s", i,
                        files[i] ? "there twice: open it twice" : "NULL");
  if (op->extremum && op->coefficients)
    return ghz_fail(NULL, GHZ_EINVAL, "extremes have no coefficients");
  if (files[0]->sum && files[0]->sum->room < k) {
    ghz_slots_free(files[0]->sum);
    files[0]->sum = NULL;
  }
  if (!files[0]->sum)
    files[0]->sum = slots_for(k);
  if (!files[0]->sum)
    return ghz_file_fail(files[0]->name, GHZ_ENOMEM, "out of memory");
  const summation s = {ctx, k, files, op, files[0]->sum, result};
  return next_sum(&s);
}

ghz_status ghz_file_sum(ghz_context *ctx, size_t k, ghz_file *const *files, const ghz_file_operation *op,
                        ghz_file_writer *writer) {
  ghz_frame result = {.memory = NULL};
  ghz_status status = writer ? GHZ_OK : ghz_fail(NULL, GHZ_EINVAL, "writer is NULL");
  while (status == GHZ_OK) {
    status = ghz_file_next_sum(ctx, k, files, op, &result);
    if (status != GHZ_OK || result.stream.size == 0)
      break;
    status = ghz_file_write_stream(writer, ctx, result.stream);
  }
  ghz_frame_free(&result);
  return status;
}
