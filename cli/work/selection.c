/* selection.c: owns which values of a compressed file are selected, and the pieces in which they
 * are taken, so that memory is bounded. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "selection.h"

#include <string.h>

#include "file/layout.h"
#include "report/report.h"

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

bool selection_begin(selection *s, const options *o, const char *name, const ghz_file_header *h) {
  *s = (selection){.o = o, .total = h->count, .shape = h->array};
  if (o->range_given)
    return begin_range(s, name, h->count);
  return o->box.ndim == 0 || begin_box(s, name, &h->array);
}

bool selection_is_less(const selection *s) {
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

static bool take_range(selection *s, frame_reader *r, ghz_context *ctx, ghz_type type, uint64_t most,
                       buffer *values, size_t *count) {
  const uint64_t left = s->total - s->done, first = s->o->range_first + s->done;
  *count = (size_t)(left < most ? left : most);
  const ghz_status status = ghz_file_read(r->own, ctx, type, first, *count, values->data);
  if (status == GHZ_EINVAL) /* the rest is known to fit */
    return fail(r->file->name, "--range ends after its last value");
  return reader_ok(status);
}

bool selection_take(selection *s, frame_reader *r, ghz_context *ctx, ghz_type type, buffer *values,
                    size_t *count) {
  uint64_t from[GHZ_FILE_NDIM], to[GHZ_FILE_NDIM];
  const uint64_t most = FRAME_BYTES / ghz_type_size(type);
  bool ok = true;
  *count = 0;
  if (s->done == s->total)
    return true;
  if (!buffer_reserve(values, (size_t)(s->total < most ? s->total : most) * ghz_type_size(type), r->file->name))
    return false;
  if (s->box.ndim) {
    *count = (size_t)next_piece(s, most, from, to);
    ok = reader_ok(ghz_file_read_box(r->own, ctx, type, from, to, values->data));
  } else {
    ok = take_range(s, r, ctx, type, most, values, count);
  }
  s->done += *count;
  return ok;
}
