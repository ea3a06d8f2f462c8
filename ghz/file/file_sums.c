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

/* A call, and what a file keeps from one to the next. */
struct frame_slots {
  ghz_context *ctx;
  size_t k;
  ghz_file *const *files;
  const ghz_file_operation *op;
  ghz_frame *result;
  size_t room, filled;
  int inexact;           /* a sum of some would be rounded: they wait for the others */
  int more;              /* file 0 has a frame, */
  uint64_t first, count; /* and of these values */
  int64_t *coefficient;
  ghz_bytes *streams;
  ghz_frame slot[]; /* slot 0 also holds the result so far */
};

void ghz_slots_free(frame_slots *s) {
  for (size_t i = 0; s && i < s->room; i++)
    ghz_frame_free(&s->slot[i]);
  free(s);
}

/* Slots for k files, which the first one keeps. */
static frame_slots *slots_for(ghz_file *first, size_t k) {
  const size_t each = sizeof(ghz_frame) + sizeof(int64_t) + sizeof(ghz_bytes);
  frame_slots *s = first->sum;
  if (s && s->room >= k)
    return s;
  ghz_slots_free(s);
  s = first->sum = k < SIZE_MAX / 2 / each ? calloc(1, sizeof *s + k * each) : NULL;
  if (!s)
    return NULL;
  s->room = k;
  s->streams = (ghz_bytes *)(void *)(s->slot + k);
  s->coefficient = (int64_t *)(void *)(s->streams + k);
  return s;
}

/* ---- Agreement ------------------------------------------------------------------------------- */

static ghz_status differ(const frame_slots *s, size_t i, size_t from, const char *what) {
  const char *other = s->files[from]->name;
  return other ? ghz_file_fail(s->files[i]->name, GHZ_EMISMATCH, "%s from %.80s", what, other)
               : ghz_file_fail(s->files[i]->name, GHZ_EMISMATCH, "%s from file %zu", what, from);
}

/* Of files that have dimensions. What streams say of themselves, the codec compares. */
static ghz_status check_files(const frame_slots *s) {
  size_t first = s->k;
  for (size_t i = 0; i < s->k; i++) {
    const ghz_array *own = &s->files[i]->info.header.array;
    if (own->ndim > 0 && first == s->k)
      first = i;
    if (first < i && !ghz_arrays_agree(own, &s->files[first]->info.header.array))
      return differ(s, i, first, "dimensions differ");
  }
  return GHZ_OK;
}

/* All files have the next frame, or none has. */
static ghz_status check_frame(frame_slots *s, size_t i, const ghz_frame *f) {
  if (i == 0) {
    s->more = f->stream.size > 0;
    s->first = f->first;
    s->count = f->info.count;
    return GHZ_OK;
  }
  if ((f->stream.size > 0) != s->more)
    return differ(s, i, 0, "number of values differs");
  if (!s->more || (f->first == s->first && f->info.count == s->count))
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
static ghz_status run(frame_slots *s, size_t i, const computation *w) {
  ghz_frame old = s->slot[0];
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
  s->inexact = status == GHZ_OK && s->result->info.inexact && w->operation == COMBINE;
  if (status != GHZ_OK || (s->inexact && i < s->k - 1))
    return status;
  s->slot[0] = *s->result;
  *s->result = old;
  s->coefficient[0] = 1;
  s->filled = 1;
  return GHZ_OK;
}

/* The sum of what the slots hold, that of all files divided; or the extremes. */
static ghz_status fold(frame_slots *s, size_t i) {
  const ghz_file_operation *op = s->op;
  for (size_t j = 0; j < s->filled; j++)
    s->streams[j] = s->slot[j].stream;
  return run(s, i,
             &(computation){.operation = op->extremum < 0 ? MINIMUM
                                         : op->extremum   ? MAXIMUM
                                                          : COMBINE,
                            .k = s->filled,
                            .weights = op->coefficients ? s->coefficient : NULL,
                            .divisor = i < s->k - 1 || op->extremum || !op->divisor ? 1 : op->divisor,
                            .streams = s->streams});
}

static ghz_status scale(frame_slots *s, double factor) {
  const int64_t sign = signbit(factor) ? -1 : 1;
  if (!from_to(fabs(factor), DBL_TRUE_MIN, DBL_MAX))
    return ghz_file_fail(s->files[0]->name, GHZ_EINVAL, "factor %g: must be finite, and not 0", factor);
  return run(
      s, s->k - 1,
      &(computation){
          .k = 1, .weights = &sign, .divisor = 1, .factor = fabs(factor), .streams = &s->slot[0].stream});
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static int slots_full(const frame_slots *s) {
  size_t bytes = 0;
  const size_t filled = s->filled;
  for (size_t i = 0; i < filled; i++)
    bytes += s->slot[i].stream.size;
  return filled > 1 && !s->inexact && (filled == (s->op->extremum ? 2 : SLOTS) || bytes > SLOT_BYTES);
}

/* Reads the frame of file i to the next slot. */
static ghz_status take(frame_slots *s, size_t i) {
  ghz_frame *slot = &s->slot[s->filled];
  ghz_status status = ghz_file_next(s->files[i], s->ctx, slot);
  if (status == GHZ_OK)
    status = check_frame(s, i, slot);
  if (status != GHZ_OK || slot->stream.size == 0)
    return status;
  s->coefficient[s->filled++] = s->op->coefficients ? s->op->coefficients[i] : 1;
  return slots_full(s) && i < s->k - 1 ? fold(s, i) : GHZ_OK;
}

/* One operand with its coefficient 1 is the result. */
static ghz_status finish(frame_slots *s) {
  if (s->filled == 0)
    return GHZ_OK;
  const int divide = s->op->divisor != 0 && !s->op->extremum;
  ghz_status status = s->filled > 1 || s->coefficient[0] != 1 || divide ? fold(s, s->k - 1) : GHZ_OK;
  return status == GHZ_OK && s->op->factor != 1 ? scale(s, s->op->factor) : status;
}

static ghz_status next_sum(frame_slots *s) {
  s->filled = 0;
  s->inexact = 0;
  s->slot[0].stream = (ghz_bytes){NULL, 0};
  ghz_status status = s->files[0]->number == 0 ? check_files(s) : GHZ_OK;
  for (size_t i = 0; i < s->k && status == GHZ_OK; i++)
    status = take(s, i);
  if (status == GHZ_OK)
    status = finish(s);
  const ghz_frame result = s->slot[0];
  s->slot[0] = *s->result;
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
  frame_slots *s = slots_for(files[0], k);
  if (!s)
    return ghz_file_fail(files[0]->name, GHZ_ENOMEM, "out of memory");
  s->ctx = ctx;
  s->k = k;
  s->files = files;
  s->op = op;
  s->result = result;
  return next_sum(s);
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
