/* agreement.c: owns what compressed files must have in common to be worked on together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "agreement.h"

#include "fills.h"
#include "io/input.h"
#include "report/report.h"
#include "report/text.h"

static bool fail_differs(const frame_reader *r, const frame_reader *first, const char *what, number_text own,
                         number_text other, const char *advice) {
  return fail(r->file.name, "%s %s differs from %s in %s: %s", what, own.text, other.text, first->file.name,
              advice);
}

static number_text text_count(uint64_t value) {
  number_text t;
  snprintf(t.text, sizeof t.text, "%llu", (unsigned long long)value);
  return t;
}

static bool check_shape(const frame_reader *r, const frame_reader *first) {
  char own[512], other[512];
  if (shape_agrees(&r->header.shape, &first->header.shape))
    return true;
  shape_text(&r->header.shape, own, sizeof own);
  shape_text(&first->header.shape, other, sizeof other);
  return fail(r->file.name, "shape %s differs from %s in %s: only arrays of the same shape combine", own, other,
              first->file.name);
}

static bool check_layout(const frame_reader *r, const frame_reader *first) {
  const layout *a = &r->header.layout, *b = &first->header.layout;
  if (a->array.dims != b->array.dims)
    return fail(r->file.name, "%s, unlike %s, which is %s: compress both with the same --dims, or both --flat",
                layout_text(a), first->file.name, layout_text(b));
  return a->frame_values == b->frame_values ||
         fail_differs(r, first, "number of values per frame", text_count(a->frame_values),
                      text_count(b->frame_values), "compress both with the same --frame-values");
}

static bool check_lattice(const frame_reader *r, const frame_reader *first) {
  const frame_header *a = &r->header, *b = &first->header;
  if (a->step == b->step && a->eb == b->eb)
    return true;
  const bool bound = a->eb != b->eb;
  return fail_differs(
      r, first, bound ? "bound" : "step", text_double(bound ? a->eb : a->step),
      text_double(bound ? b->eb : b->step),
      "files that combine have one bound; compress them with --together, or one --like the other");
}

static bool check_same(const frame_reader *r, const frame_reader *first) {
  const frame_header *a = &r->header, *b = &first->header;
  if (a->type != b->type)
    return fail(r->file.name, "type %s differs from %s in %s: compress both with the same type",
                type_name(a->type), type_name(b->type), first->file.name);
  if (a->total != b->total && a->total != COUNT_UNKNOWN && b->total != COUNT_UNKNOWN)
    return fail_differs(r, first, "number of values", text_count(a->total), text_count(b->total),
                        "only arrays of the same length combine");
  return check_lattice(r, first);
}

bool readers_agree(const frame_reader *r, const frame_reader *first, const frame_reader *shaped) {
  return check_same(r, first) && check_shape(r, shaped) && check_layout(r, first);
}

bool fills_agree(const frame_reader *r, const frame_reader *first) {
  const number_text none = {"none"};
  if (r->has_fill == first->has_fill && (!r->has_fill || r->fill == first->fill))
    return true;
  return fail_differs(r, first, "fill value", r->has_fill ? fill_text(r->header.type, r->fill) : none,
                      first->has_fill ? fill_text(first->header.type, first->fill) : none,
                      "compress both with the same --fill, or one --like the other");
}
