/* variable.c: owns the opening of variables that ghz compressed, and whether two are alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "file/header.h"
#include "inside.h"
#include "report/report.h"

/* ---- The filter ------------------------------------------------------------------------------ */

/* Nothing but this filter may stand between the values and the file. */
static bool read_filters(h5_variable *v, hid_t plist, variable_use use) {
  unsigned flags, configuration, words[GHZ_H5_WORDS_MAX];
  size_t n = GHZ_H5_WORDS_MAX;
  char name[64] = "";
  const int filters = H5(H5Pget_nfilters)(plist);
  if (filters < 1)
    return fail(v->label, "is not compressed by ghz: " H5_RECOMPRESS);
  for (unsigned i = 0; i < (unsigned)filters; i++) {
    n = GHZ_H5_WORDS_MAX;
    const H5Z_filter_t id = H5(H5Pget_filter2)(plist, i, &flags, &n, words, sizeof name, name, &configuration);
    if (id != GHZ_H5_FILTER)
      return fail(v->label, "also uses filter %d (%.63s), but ghz must be the only one: " H5_RECOMPRESS, id,
                  name);
  }
  if (filters > 1)
    return fail(v->label, "uses the filter twice: " H5_RECOMPRESS);
  const char *wrong = n > GHZ_H5_WORDS_MAX ? "too many of them" : ghz_h5_read(n, words, &v->parameters);
  if (!wrong)
    wrong = ghz_h5_shape(&v->parameters, &v->shape, &v->bytes);
  if (wrong)
    return fail(v->label, "the filter's parameters: %s", wrong);
  return v->parameters.bound.kind != GHZ_REL || use == VARIABLE_READ ||
         fail(v->label, "was compressed with --rel, which gives each chunk its own bound, so chunks cannot be "
                        "added: " H5_RECOMPRESS);
}

/* The data set against the filter's numbers, which anybody may have written. */
static bool check_facts(h5_variable *v, const set_facts *f, hid_t plist) {
  const ghz_h5_parameters *p = &v->parameters;
  unsigned chunk_options = 0;
  v->array = f->array;
  v->chunk = f->chunk;
  if (!f->exact || f->type != p->type || f->array.ndim != p->rank || f->chunk.ndim != p->rank ||
      memcmp(f->chunk.dims, p->chunk, p->rank * sizeof *p->chunk) != 0)
    return fail(v->label, "the filter's parameters do not match its type and chunks");
  if (H5(H5Pget_chunk_opts)(plist, &chunk_options) < 0)
    return h5_fail(v->label, "cannot be read");
  return !(chunk_options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) ||
         fail(v->label, "its chunks at the border are not compressed (H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS)");
}

/* ---- What it has ----------------------------------------------------------------------------- */

/* None where an extent is 0. Each is looked at, and a file that lies can have any number. */
static bool count_chunks(h5_variable *v) {
  const uint64_t each = v->bytes / ghz_type_size(v->parameters.type);
  v->chunks = 1;
  for (unsigned i = 0; i < v->array.ndim; i++)
    v->chunks *= v->array.dims[i] > 0;
  for (unsigned i = 0; v->chunks && i < v->array.ndim; i++) {
    const uint64_t along = (v->array.dims[i] - 1) / v->chunk.dims[i] + 1;
    if (along > UINT32_MAX / v->chunks)
      return fail(v->label, "has more than 2^32 chunks");
    v->chunks *= along;
  }
  v->values = ghz_array_count(&v->array);
  if (v->values == GHZ_FILE_UNKNOWN || v->chunks > UINT64_MAX / each)
    return fail(v->label, "has too many values");
  v->padding = v->chunks * each - v->values;
  return true;
}

/* A chunk that was never written is full of the fill value, or of zeros. */
static bool read_missing(h5_variable *v, hid_t plist) {
  H5D_fill_value_t defined;
  return (H5(H5Pfill_value_defined)(plist, &defined) >= 0 &&
          (defined == H5D_FILL_VALUE_UNDEFINED ||
           H5(H5Pget_fill_value)(plist, h5.types[v->parameters.type], &v->missing) >= 0)) ||
         h5_fail(v->label, "the fill value cannot be read");
}

/* A link may lead to a data set of another file. In a copy of the file, which is written to, it
 * would lead there, too. */
static bool check_place(const h5_variable *v) {
  char where[PATH_BYTES];
  return object_is_inside(v->set, v->whole, where) ||
         fail(v->label, "links to a data set of %s: name that file", where);
}

static bool inspect(h5_variable *v, variable_use use) {
  set_facts facts;
  const hid_t plist = H5(H5Dget_create_plist)(v->set);
  if (plist < 0)
    return h5_fail(v->label, "cannot be read");
  set_look(v->set, &facts);
  bool ok = facts.layout == H5D_CHUNKED || fail(v->label, "is not compressed by ghz: " H5_RECOMPRESS);
  ok = ok && read_filters(v, plist, use) && check_facts(v, &facts, plist) && count_chunks(v) &&
       read_missing(v, plist) &&
       (attribute_decoding(v->set, &v->scale, &v->offset) ||
        h5_fail(v->label, "scale_factor or add_offset is not a number"));
  h5_close(plist);
  return ok;
}

/* ---- Open and close -------------------------------------------------------------------------- */

bool variable_open(h5_variable *v, const char *path, const char *var, variable_use use) {
  *v = (h5_variable){.file = path, .var = var, .whole = -1, .set = -1, .label = h5_label(path, var)};
  if (v->label)
    v->whole = h5_open(path, use == VARIABLE_WRITE ? H5F_ACC_RDWR : H5F_ACC_RDONLY);
  if (v->whole >= 0)
    v->set = H5(H5Dopen2)(v->whole, var, H5P_DEFAULT);
  const bool ok = v->whole >= 0 && (v->set >= 0 || h5_fail(path, "no data set %s", var)) && check_place(v) &&
                  inspect(v, use);
  if (!ok)
    variable_close(v);
  return ok;
}

bool variable_close(h5_variable *v) {
  bool ok = h5_close(v->set);
  ok &= v->whole < 0 || H5(H5Fclose)(v->whole) >= 0;
  ok = ok || h5_fail(v->file, "cannot be closed");
  free(v->label);
  v->set = v->whole = -1;
  v->label = NULL;
  return ok;
}

bool variable_empty(const h5_variable *v) {
  hsize_t extent[GHZ_H5_RANK_MAX] = {0};
  bool ok = true;
  for (int turn = 0; turn < 2; turn++) {
    ok = ok && H5(H5Dset_extent)(v->set, extent) >= 0;
    for (unsigned i = 0; i < v->array.ndim; i++)
      extent[i] = v->array.dims[i];
  }
  return ok || h5_fail(v->label, "its chunks cannot be replaced");
}

/* ---- Two that are alike ---------------------------------------------------------------------- */

/* Attributes that say what numbers mean. */
static bool mean_alike(const h5_variable *v, const h5_variable *first) {
  static const char *const meanings[] = {"units", "calendar", "_FillValue", "missing_value", "_Unsigned"};
  if (v->scale != first->scale || v->offset != first->offset)
    return fail(v->label,
                "has scale_factor %g and add_offset %g, but %g and %g in %s: store the decoded values",
                v->scale, v->offset, first->scale, first->offset, first->file);
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    if (!attributes_alike(v->set, first->set, meanings[i], v->parameters.type == GHZ_F32))
      return fail(v->label,
                  "has another attribute %s than in %s: only values that mean the same can be combined",
                  meanings[i], first->file);
  return true;
}

bool variables_agree(const h5_variable *v, const h5_variable *first) {
  const bool chunks = ghz_arrays_agree(&v->array, &first->array); /* or the arrays differ */
  if (v->parameters.type != first->parameters.type)
    return fail(v->label, "has another type than in %s", first->file);
  const place_text own = shape_text(chunks ? &v->chunk : &v->array),
                   other = shape_text(chunks ? &first->chunk : &first->array);
  if (!chunks)
    return fail(v->label, "is %s, but %s in %s: only arrays of the same extents can be combined", own.text,
                other.text, first->file);
  if (!ghz_arrays_agree(&v->chunk, &first->chunk))
    return fail(v->label, "has chunks of %s, but %s in %s: give both the same (h5repack -l, nccopy -c)",
                own.text, other.text, first->file);
  return mean_alike(v, first);
}
