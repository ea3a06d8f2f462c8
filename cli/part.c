/* part.c: owns which values of a compressed file are wanted, and in which pieces they are taken, so
 * that memory is bounded. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "part.h"

#include <string.h>

#include "io/tiles.h"
#include "report/report.h"

static bool begin_range(part *p, const char *name, uint64_t total) {
  const uint64_t first = p->o->range_first, count = p->o->range_count;
  p->total = count;
  p->shape = (shape){.ndim = 0};
  return total == GHZ_FILE_UNKNOWN || (first <= total && count <= total - first) ||
         fail(name, "--range %llu:%llu is not inside its %llu values", (unsigned long long)first,
              (unsigned long long)count, (unsigned long long)total);
}

static bool begin_box(part *p, const char *name, const shape *s) {
  p->box = p->o->box;
  if (!box_place(name, s, &p->box))
    return false;
  memcpy(p->next, p->box.from, sizeof p->next);
  p->shape = box_shape(&p->box, s);
  shape_count(&p->shape, &p->total);
  return true;
}

bool part_begin(part *p, const options *o, const char *name, const ghz_file_header *h) {
  *p = (part){.o = o, .total = h->count, .shape = h->array};
  if (o->range_given)
    return begin_range(p, name, h->count);
  return o->box.ndim == 0 || begin_box(p, name, &h->array);
}

bool part_is_less(const part *p) {
  return p->o->range_given || p->box.ndim;
}

/* ---- Pieces of a box ------------------------------------------------------------------------- */

/* Dimension number i, from the fastest on. */
static unsigned fast(const part *p, unsigned i) {
  return p->shape.fortran ? i : p->box.ndim - 1 - i;
}

/* The dimension, from the fastest on, along which pieces of at most `most` values follow each
 * other, `rows` at a time; those before it are whole in each, those behind it have one row. */
static unsigned cut_at(const part *p, uint64_t most, uint64_t *rows) {
  uint64_t inner = 1;
  for (unsigned i = 0; i < p->box.ndim; i++) {
    const uint64_t extent = p->shape.dims[fast(p, i)];
    if (extent > most / inner) {
      *rows = most / inner;
      return i;
    }
    inner *= extent;
  }
  *rows = p->shape.dims[fast(p, p->box.ndim - 1)];
  return p->box.ndim - 1;
}

/* Puts the next piece in from .. to, and goes on to the one behind it. Returns its values. */
static uint64_t next_piece(part *p, uint64_t most, uint64_t *from, uint64_t *to) {
  uint64_t rows, count = 1;
  const unsigned cut = cut_at(p, most, &rows);
  for (unsigned i = 0; i < p->box.ndim; i++) {
    const unsigned d = fast(p, i);
    const uint64_t left = p->box.to[d] - p->next[d], take = i > cut ? 1 : i < cut || left < rows ? left : rows;
    from[d] = p->next[d];
    to[d] = from[d] + take;
    count *= take;
  }
  for (unsigned i = cut; i < p->box.ndim; i++) {
    const unsigned d = fast(p, i);
    p->next[d] = to[d];
    if (to[d] < p->box.to[d] || i + 1 == p->box.ndim)
      break;
    p->next[d] = p->box.from[d];
    to[fast(p, i + 1)] = from[fast(p, i + 1)] + 1;
  }
  return count;
}

/* ---- Taking ---------------------------------------------------------------------------------- */

static bool take_range(part *p, frame_reader *r, ghz_context *ctx, ghz_type type, uint64_t most, buffer *values,
                       size_t *count) {
  const uint64_t left = p->total - p->done, first = p->o->range_first + p->done;
  *count = (size_t)(left < most ? left : most);
  const ghz_status status = ghz_file_read(r->own, ctx, type, first, *count, values->data);
  if (status == GHZ_EINVAL) /* the rest is known to fit */
    return fail(r->file->name, "--range ends after its last value");
  return reader_ok(status);
}

bool part_take(part *p, frame_reader *r, ghz_context *ctx, ghz_type type, buffer *values, size_t *count) {
  uint64_t from[GHZ_FILE_NDIM], to[GHZ_FILE_NDIM];
  const uint64_t most = FRAME_BYTES / ghz_type_size(type);
  bool ok = true;
  *count = 0;
  if (p->done == p->total)
    return true;
  if (!buffer_reserve(values, (size_t)(p->total < most ? p->total : most) * ghz_type_size(type), r->file->name))
    return false;
  if (p->box.ndim) {
    *count = (size_t)next_piece(p, most, from, to);
    ok = reader_ok(ghz_file_read_box(r->own, ctx, type, from, to, values->data));
  } else {
    ok = take_range(p, r, ctx, type, most, values, count);
  }
  p->done += *count;
  return ok;
}
