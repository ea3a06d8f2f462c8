/* agreement.c: owns what compressed files must have in common to be worked on together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "combine.h"

#include "io/input.h"
#include "range.h"
#include "report/report.h"
#include "report/text.h"

static bool fail_differs(const frame_reader *r, const frame_reader *first, const char *what, number_text own,
                         number_text other, const char *advice) {
  return fail(r->file->name, "%s %s differs from %s in %s: %s", what, own.text, other.text, first->file->name,
              advice);
}

static number_text text_count(uint64_t value) {
  number_text t;
  snprintf(t.text, sizeof t.text, "%llu", (unsigned long long)value);
  return t;
}

static bool check_shape(const frame_reader *r, const frame_reader *first) {
  char own[512], other[512];
  if (shape_agrees(&r->header.array, &first->header.array))
    return true;
  shape_text(&r->header.array, own, sizeof own);
  shape_text(&first->header.array, other, sizeof other);
  return fail(r->file->name, "shape %s differs from %s in %s: only arrays of the same shape can be combined",
              own, other, first->file->name);
}

static bool check_frames(const frame_reader *r, const frame_reader *first) {
  const ghz_file_header *a = &r->header, *b = &first->header;
  if (a->shape.dims != b->shape.dims)
    return fail(r->file->name, "%s, unlike %s, which is %s: compress both with the same --dims, or both --flat",
                tiles_text(&a->shape), first->file->name, tiles_text(&b->shape));
  return a->frame_values == b->frame_values ||
         fail_differs(r, first, "number of values per frame", text_count(a->frame_values),
                      text_count(b->frame_values), "compress both with the same --frame-values");
}

bool lattices_agree(const frame_reader *r, const frame_reader *first) {
  const ghz_file_header *a = &r->header, *b = &first->header;
  if (a->lattice.step == b->lattice.step && a->lattice.eb == b->lattice.eb)
    return true;
  const bool bound = a->lattice.eb != b->lattice.eb;
  return fail_differs(
      r, first, bound ? "bound" : "step", text_double(bound ? a->lattice.eb : a->lattice.step),
      text_double(bound ? b->lattice.eb : b->lattice.step),
      "files to be combined must have the same bound; compress them with --together, or one --like the other");
}

static bool check_same(const frame_reader *r, const frame_reader *first) {
  const ghz_file_header *a = &r->header, *b = &first->header;
  if (a->lattice.type != b->lattice.type)
    return fail(r->file->name, "type %s differs from %s in %s: compress both with the same type",
                type_name(a->lattice.type), type_name(b->lattice.type), first->file->name);
  if (a->count != b->count && a->count != GHZ_FILE_UNKNOWN && b->count != GHZ_FILE_UNKNOWN)
    return fail_differs(r, first, "number of values", text_count(a->count), text_count(b->count),
                        "only arrays of the same length can be combined");
  return true;
}

bool readers_agree(const frame_reader *r, const frame_reader *first, const frame_reader *shaped) {
  return check_same(r, first) && check_shape(r, shaped) && check_frames(r, first);
}

bool fills_agree(const frame_reader *r, const frame_reader *first) {
  const number_text none = {"none"};
  const ghz_lattice *a = &r->header.lattice, *b = &first->header.lattice;
  if (a->has_fill == b->has_fill && (!a->has_fill || a->fill == b->fill))
    return true;
  return fail_differs(r, first, "fill value", a->has_fill ? fill_text(a->type, a->fill) : none,
                      b->has_fill ? fill_text(b->type, b->fill) : none,
                      "compress both with the same --fill, or one --like the other");
}
