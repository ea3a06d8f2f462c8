/* data_set.c: owns the opening of data sets of HDF5 files, and what is asked of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "inside.h"
#include "report/report.h"

static bool refuse(const data_set *d, const char *why) {
  return fail(d->name, "%s: %s", d->var, why);
}

/* ---- The filter ------------------------------------------------------------------------------ */

/* Nothing but this filter may stand between the values and the file. */
static bool read_filters(data_set *d, hid_t plist, data_set_use use) {
  unsigned flags, configuration, words[GHZ_H5_WORDS_MAX];
  size_t n = GHZ_H5_WORDS_MAX;
  char name[64] = "";
  const int filters = H5(H5Pget_nfilters)(plist);
  if (filters < 1)
    return refuse(d, "is not compressed by ghz: " H5_RECOMPRESS);
  for (unsigned i = 0; i < (unsigned)filters; i++) {
    n = GHZ_H5_WORDS_MAX;
    const H5Z_filter_t id = H5(H5Pget_filter2)(plist, i, &flags, &n, words, sizeof name, name, &configuration);
    if (id != GHZ_H5_FILTER)
      return fail(d->name, "%s: also uses filter %d (%.63s), but ghz must be the only one: " H5_RECOMPRESS,
                  d->var, id, name);
  }
  if (filters > 1)
    return refuse(d, "uses the filter twice: " H5_RECOMPRESS);
  const char *wrong = n > GHZ_H5_WORDS_MAX ? "too many of them" : ghz_h5_read(n, words, &d->parameters);
  if (!wrong)
    wrong = ghz_h5_shape(&d->parameters, &d->shape, &d->bytes);
  if (wrong)
    return fail(d->name, "%s: the filter's parameters: %s", d->var, wrong);
  if (d->parameters.bound.kind != GHZ_REL || use == DATA_SET_READ)
    return true;
  return refuse(d, "was compressed with --rel, which gives each chunk its own bound, so chunks cannot be "
                   "added: " H5_RECOMPRESS);
}

/* ---- Type and shape -------------------------------------------------------------------------- */

/* The data set against the filter's numbers, which anybody may have written. */
static bool check_chunks(const data_set *d, hid_t plist) {
  hsize_t chunk[GHZ_H5_RANK_MAX];
  unsigned filter_options = 0;
  const unsigned rank = d->parameters.rank;
  bool same = H5(H5Pget_chunk)(plist, GHZ_H5_RANK_MAX, chunk) == (int)rank;
  for (unsigned i = 0; same && i < rank; i++)
    same = chunk[i] == d->parameters.chunk[i];
  if (!same)
    return refuse(d, "the filter's parameters do not match its chunks");
  if (H5(H5Pget_chunk_opts)(plist, &filter_options) < 0)
    return h5_fail(d->name, "%s: cannot be read", d->var);
  return !(filter_options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) ||
         refuse(d, "its chunks at the border are not compressed (H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS)");
}

static bool check_type(const data_set *d) {
  const hid_t type = H5(H5Dget_type)(d->id);
  const bool same = type >= 0 && H5(H5Tequal)(type, h5.types[d->parameters.type]) > 0;
  h5_close(type);
  return same || refuse(d, "the filter's parameters do not match its type");
}

static bool read_extents(data_set *d) {
  hsize_t extent[GHZ_H5_RANK_MAX] = {0};
  const hid_t space = H5(H5Dget_space)(d->id);
  int rank = space < 0 ? -1 : H5(H5Sget_simple_extent_ndims)(space);
  if (rank > 0 && rank <= GHZ_H5_RANK_MAX)
    rank = H5(H5Sget_simple_extent_dims)(space, extent, NULL);
  h5_close(space);
  if (rank != (int)d->parameters.rank)
    return refuse(d, "the filter's parameters do not match its rank");
  for (int i = 0; i < rank; i++)
    d->extent[i] = extent[i];
  return true;
}

/* A chunk that was never written is full of the fill value, or of zeros. */
static bool read_missing(data_set *d, hid_t plist) {
  H5D_fill_value_t defined;
  d->missing = 0;
  if (H5(H5Pfill_value_defined)(plist, &defined) < 0)
    return h5_fail(d->name, "%s: the fill value cannot be read", d->var);
  if (defined == H5D_FILL_VALUE_UNDEFINED)
    return true;
  return H5(H5Pget_fill_value)(plist, h5.types[d->parameters.type], &d->missing) >= 0 ||
         h5_fail(d->name, "%s: the fill value cannot be read", d->var);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

/* Reads an attribute that is one number, if it is there. */
static bool read_number(const data_set *d, const char *name, double *number) {
  return attribute_numbers(d->id, name, number, 1) >= 0 ||
         h5_fail(d->name, "%s: %s is not a number", d->var, name);
}

static bool read_decoding(data_set *d) {
  d->scale = 1;
  d->offset = 0;
  return read_number(d, "scale_factor", &d->scale) && read_number(d, "add_offset", &d->offset);
}

static bool decoded_alike(const data_set *d, const data_set *first) {
  if (d->scale == first->scale && d->offset == first->offset)
    return true;
  return fail(d->name,
              "%s: has scale_factor %g and add_offset %g, but %g and %g in %s: store the decoded values",
              d->var, d->scale, d->offset, first->scale, first->offset, first->name);
}

/* Attributes that say what numbers mean. */
static bool mean_alike(const data_set *d, const data_set *first) {
  static const char *const meanings[] = {"units", "calendar", "_FillValue", "missing_value", "_Unsigned"};
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    if (!attributes_alike(d->id, first->id, meanings[i], d->parameters.type == GHZ_F32))
      return fail(d->name,
                  "%s: has another attribute %s than in %s: only values that mean the same can be combined",
                  d->var, meanings[i], first->name);
  return true;
}

/* ---- Open and close -------------------------------------------------------------------------- */

/* A link may lead to a data set of another file. In a copy of the file, which is written to, it
 * would lead there, too. */
static bool check_place(const data_set *d) {
  char where[PATH_BYTES];
  return object_is_inside(d->id, d->file, where) ||
         fail(d->name, "%s: links to a data set of %s: name that file", d->var, where);
}

static bool inspect(data_set *d, data_set_use use) {
  const hid_t plist = H5(H5Dget_create_plist)(d->id);
  if (plist < 0)
    return h5_fail(d->name, "%s: cannot be read", d->var);
  bool ok = H5(H5Pget_layout)(plist) == H5D_CHUNKED || refuse(d, "is not compressed by ghz: " H5_RECOMPRESS);
  ok = ok && read_filters(d, plist, use) && check_chunks(d, plist) && check_type(d) && read_extents(d) &&
       read_missing(d, plist) && read_decoding(d);
  h5_close(plist);
  return ok;
}

static bool open_both(data_set *d, data_set_use use) {
  d->file = h5_open(d->name, use == DATA_SET_WRITE ? H5F_ACC_RDWR : H5F_ACC_RDONLY);
  if (d->file < 0)
    return false;
  d->id = H5(H5Dopen2)(d->file, d->var, H5P_DEFAULT);
  return d->id >= 0 || h5_fail(d->name, "no data set %s", d->var);
}

bool data_set_open(data_set *d, const char *name, const char *var, data_set_use use) {
  *d = (data_set){.name = name, .var = var, .id = -1};
  bool ok = open_both(d, use) && check_place(d) && inspect(d, use);
  if (!ok)
    data_set_close(d);
  return ok;
}

bool data_set_close(data_set *d) {
  bool ok = h5_close(d->id);
  ok &= d->file < 0 || H5(H5Fclose)(d->file) >= 0;
  const char *name = d->name;
  d->id = d->file = -1;
  return ok || h5_fail(name, "cannot be closed");
}

bool data_set_park(data_set *d) {
  bool ok = d->parks || file_open(&d->seen, d->name);
  file_park(&d->seen);
  d->parks = true;
  return data_set_close(d) && ok;
}

bool data_set_unpark(data_set *d) {
  const bool ok = file_renew(&d->seen);
  file_park(&d->seen);
  return ok && open_both(d, DATA_SET_READ);
}

bool data_set_renew(data_set *d, const data_set *as) {
  hsize_t extent[GHZ_H5_RANK_MAX];
  for (unsigned i = 0; i < d->parameters.rank; i++)
    extent[i] = d->extent[i] = as->extent[i];
  extent[0] = 0;
  bool ok = H5(H5Dset_extent)(d->id, extent) >= 0;
  extent[0] = as->extent[0];
  ok = ok && H5(H5Dset_extent)(d->id, extent) >= 0;
  return ok || h5_fail(d->name, "%s: its chunks cannot be replaced", d->var);
}

static const char *extents_text(const data_set *d, const uint64_t *extent, char *text, size_t size) {
  size_t n = 0;
  text[0] = '\0';
  for (unsigned i = 0; i < d->parameters.rank && n + 24 < size; i++)
    n += (size_t)snprintf(text + n, size - n, "%s%llu", i ? "x" : "", (unsigned long long)extent[i]);
  return text;
}

bool data_sets_agree(const data_set *d, const data_set *first) {
  const ghz_h5_parameters *p = &d->parameters, *q = &first->parameters;
  char a[256], b[256];
  if (p->type != q->type)
    return fail(d->name, "%s: has another type than in %s", d->var, first->name);
  if (p->rank != q->rank || memcmp(d->extent, first->extent, p->rank * sizeof *d->extent) != 0)
    return fail(d->name, "%s: is %s, but %s in %s: only arrays of the same extents can be combined", d->var,
                extents_text(d, d->extent, a, sizeof a), extents_text(first, first->extent, b, sizeof b),
                first->name);
  if (memcmp(p->chunk, q->chunk, p->rank * sizeof *p->chunk) != 0)
    return fail(d->name, "%s: has chunks of %s, but %s in %s: give both the same (h5repack -l, nccopy -c)",
                d->var, extents_text(d, p->chunk, a, sizeof a), extents_text(first, q->chunk, b, sizeof b),
                first->name);
  return decoded_alike(d, first) && mean_alike(d, first);
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

bool chunk_fail(const data_set *d, const uint64_t *at, const char *why) {
  char place[GHZ_H5_RANK_MAX * 21 + 1];
  size_t n = 0;
  for (unsigned i = 0; i < d->parameters.rank; i++)
    n += (size_t)snprintf(place + n, sizeof place - n, "%s%llu", i ? "," : "", (unsigned long long)at[i]);
  return fail(d->name, "%s: the chunk at %s %s", d->var, place, why);
}

static void place_of(const data_set *d, const uint64_t *at, hsize_t *place) {
  for (unsigned i = 0; i < d->parameters.rank; i++)
    place[i] = at[i];
}

bool chunk_inspect(const data_set *d, const uint64_t *at, h5_chunk *c) {
  const ghz_status status = ghz_info_read((ghz_bytes){c->data.data, c->size}, &c->info);
  if (status != GHZ_OK)
    return chunk_fail(d, at, ghz_status_text(status));
  return (c->info.lattice.type == d->parameters.type && ghz_shape_equal(&c->info.shape, &d->shape)) ||
         chunk_fail(d, at, "is a stream of another type or shape");
}

/* Sets *size to 0 for a chunk that was never written. HDF5 1.10 takes the quick question for one of
 * those as an error, unless it is true for all, and only the other, which walks through all chunks,
 * is answered. */
static bool stored_size(const data_set *d, const hsize_t *place, hsize_t *size) {
  unsigned skipped;
  haddr_t address;
  *size = 0;
  return H5(H5Dget_chunk_storage_size)(d->id, place, size) >= 0 ||
         H5(H5Dget_chunk_info_by_coord)(d->id, place, &skipped, &address, size) >= 0 ||
         h5_fail(d->name, "%s: a chunk cannot be found", d->var);
}

static bool read_opened(const data_set *d, const uint64_t *at, h5_chunk *c) {
  const uint64_t most = ghz_shape_bound(&d->shape, d->parameters.type, ghz_terms_limit(35));
  hsize_t place[GHZ_H5_RANK_MAX], size;
  uint32_t skipped = 0;
  place_of(d, at, place);
  if (!stored_size(d, place, &size))
    return false;
  c->kind = CHUNK_MISSING;
  c->size = (size_t)size;
  if (size == 0)
    return true;
  if (size > most)
    return chunk_fail(d, at, "is larger than any stream of its shape");
  if (!buffer_reserve(&c->data, c->size, d->name))
    return false;
  if (H5(H5Dread_chunk)(d->id, H5P_DEFAULT, place, &skipped, c->data.data) < 0)
    return h5_fail(d->name, "%s: a chunk cannot be read", d->var);
  c->kind = skipped & 1 ? CHUNK_VALUES : CHUNK_STREAM;
  if (c->kind == CHUNK_STREAM)
    return chunk_inspect(d, at, c);
  return c->size == d->bytes || chunk_fail(d, at, "has another size than its values");
}

bool data_set_read(data_set *d, const uint64_t *at, h5_chunk *c) {
  if (!d->parks)
    return read_opened(d, at, c);
  const bool ok = data_set_unpark(d) && read_opened(d, at, c);
  return data_set_park(d) && ok;
}

bool data_set_fill(const data_set *d, h5_chunk *c) {
  const size_t size = ghz_type_size(d->parameters.type);
  if (c->kind != CHUNK_MISSING)
    return true;
  c->kind = CHUNK_VALUES;
  if (!buffer_reserve(&c->data, d->bytes, d->name))
    return false;
  for (size_t i = 0; i < d->bytes; i += size)
    memcpy(c->data.data + i, &d->missing, size);
  return true;
}

bool data_set_compress(const data_set *d, ghz_context *ctx, const ghz_lattice *lattice, int order,
                       const void *x, h5_chunk *c) {
  const size_t capacity = ghz_shape_bound(&d->shape, lattice->type, 1);
  h5_chunk made = {.kind = CHUNK_STREAM};
  const bool ok = (x || data_set_fill(d, c)) && buffer_reserve(&made.data, capacity, d->name) &&
                  library_ok(d->name, ctx,
                             ghz_compress_shape(ctx, lattice, order, x ? x : c->data.data, &d->shape,
                                                made.data.data, capacity, &made.size)) &&
                  library_ok(d->name, NULL, ghz_info_read((ghz_bytes){made.data.data, made.size}, &made.info));
  buffer_free(ok ? &c->data : &made.data);
  if (ok)
    *c = made;
  return ok;
}

bool data_set_next(const data_set *d, uint64_t *at) {
  for (unsigned i = d->parameters.rank; i-- > 0;) {
    at[i] += d->parameters.chunk[i];
    if (at[i] < d->extent[i])
      return true;
    at[i] = 0;
  }
  return false;
}

bool data_set_chunks(const data_set *d, uint64_t *chunks) {
  *chunks = 1;
  for (unsigned i = 0; i < d->parameters.rank; i++)
    if (d->extent[i] == 0)
      *chunks = 0;
  for (unsigned i = 0; *chunks && i < d->parameters.rank; i++) {
    const uint64_t along = (d->extent[i] - 1) / d->parameters.chunk[i] + 1;
    if (along > UINT32_MAX / *chunks) /* each is looked at, and a file that lies can have any number */
      return fail(d->name, "%s: has more than 2^32 chunks", d->var);
    *chunks *= along;
  }
  return true;
}

bool data_set_write(const data_set *d, const uint64_t *at, const void *stream, size_t size) {
  hsize_t place[GHZ_H5_RANK_MAX];
  place_of(d, at, place);
  return H5(H5Dwrite_chunk)(d->id, H5P_DEFAULT, 0, place, size, stream) >= 0 ||
         h5_fail(d->name, "%s: a chunk cannot be written", d->var);
}
