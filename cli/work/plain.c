/* plain.c: owns how decompressed values are written: their type, and raw or as an .npy file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "plain.h"

#include <math.h>

#include "io/byte_order.h"
#include "io/npy.h"
#include "report/report.h"

bool plain_named(const char *path) {
  return name_ends(path, ".npy") || type_of_name(path).given;
}

bool plain_not_named(const char *path) {
  return !plain_named(path) ||
         fail(path, "the extension says values: give compressed output a name that ends in .ghz");
}

/* Means of integers are none. */
static ghz_type type_of_values(const ghz_lattice *l) {
  return type_is_integer(l->type) && rint(l->step) != l->step ? GHZ_F64 : l->type;
}

bool plain_choose(plain_form *form, const char *path, type_choice given, const char *from,
                  const ghz_file_header *h) {
  const type_choice named = type_of_name(path);
  form->type = given.given ? given.type : named.given ? named.type : type_of_values(&h->lattice);
  if (form->type == GHZ_F32 && h->lattice.type == GHZ_F64)
    return fail(from, "holds f64; it cannot be written as f32");
  form->npy = name_ends(path, ".npy") || (h->array.npy && !named.given);
  form->big_endian = given.big_endian;
  if (named.given && named.type != form->type)
    note(LEVEL_NORMAL, "%s: written as %s, as --type says, not as its extension says", path,
         type_name(form->type));
  return true;
}

/* Writes the header of an .npy file for `count` values; again at the end if they were unknown. */
static bool write_header(plain_writer *w, uint64_t count, bool again) {
  char header[NPY_HEADER_MAX];
  shape s = w->shape;
  if (s.ndim == 0 && !s.npy)
    s = (shape){.ndim = 1, .dims = {count}};
  const size_t size = npy_header(w->form.type, w->form.big_endian, &s, header);
  return again ? output_rewrite_start(w->out, header, size) : output_write(w->out, header, size);
}

bool plain_begin(plain_writer *w, output *out, plain_form form, const shape *s, uint64_t total) {
  *w = (plain_writer){.out = out, .form = form, .shape = *s, .total = total};
  return !form.npy || write_header(w, total == GHZ_FILE_UNKNOWN ? 0 : total, false);
}

bool plain_write(plain_writer *w, void *values, uint64_t count) {
  w->written += count;
  if (w->form.big_endian)
    byte_order_turn(w->form.type, values, (size_t)count);
  return output_write(w->out, values, (size_t)count * ghz_type_size(w->form.type));
}

bool plain_end(plain_writer *w) {
  return !w->form.npy || w->total != GHZ_FILE_UNKNOWN || write_header(w, w->written, true);
}
