/* chunks.c: owns the chunks of variables that ghz compressed: reading and writing them, making
 * streams without padding of them, and the walk through all, of one variable or of two alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inside.h"
#include "report/report.h"
#include "report/text.h"

/* ---- Places ---------------------------------------------------------------------------------- */

static uint64_t count_of(const h5_variable *v) {
  return v->bytes / ghz_type_size(v->parameters.type);
}

bool chunk_next(const h5_variable *v, uint64_t *at) {
  for (unsigned i = v->array.ndim; i-- > 0;) {
    at[i] += v->chunk.dims[i];
    if (at[i] < v->array.dims[i])
      return true;
    at[i] = 0;
  }
  return false;
}

uint64_t h5_index(const h5_variable *v, uint64_t position) {
  const uint64_t in_chunk = count_of(v);
  uint64_t number = position / in_chunk, place[GHZ_H5_RANK_MAX];
  shape_index(&v->chunk, position % in_chunk, place);
  for (unsigned i = v->array.ndim; i-- > 0;) {
    const uint64_t along = (v->array.dims[i] - 1) / v->chunk.dims[i] + 1;
    place[i] += number % along * v->chunk.dims[i];
    number /= along;
  }
  return shape_at(&v->array, place);
}

/* ---- As they are stored ---------------------------------------------------------------------- */

bool chunk_fail(const h5_variable *v, const uint64_t *at, const char *why) {
  char place[GHZ_H5_RANK_MAX * 21 + 1];
  size_t n = 0;
  for (unsigned i = 0; i < v->chunk.ndim; i++)
    n += (size_t)snprintf(place + n, sizeof place - n, "%s%llu", i ? "," : "", (unsigned long long)at[i]);
  return fail(v->label, "the chunk at %s %s", place, why);
}

static void place_of(const h5_variable *v, const uint64_t *at, hsize_t *place) {
  for (unsigned i = 0; i < v->chunk.ndim; i++)
    place[i] = at[i];
}

/* Reads what a stream says of itself, and checks that it is one of this chunk. */
static bool chunk_inspect(const h5_variable *v, const uint64_t *at, h5_chunk *c) {
  const ghz_status status = ghz_info_read((ghz_bytes){c->data.data, c->size}, &c->info);
  if (status != GHZ_OK)
    return chunk_fail(v, at, ghz_status_text(status));
  return (c->info.lattice.type == v->parameters.type && ghz_shape_equal(&c->info.shape, &v->shape)) ||
         chunk_fail(v, at, "is a stream of another type or shape");
}

/* Sets *size to 0 for a chunk that was never written. HDF5 1.10 takes the quick question for one of
 * those as an error, unless it is true for all, and only the other, which walks through all chunks,
 * is answered. */
static bool stored_size(const h5_variable *v, const hsize_t *place, hsize_t *size) {
  unsigned skipped;
  haddr_t address;
  *size = 0;
  return H5(H5Dget_chunk_storage_size)(v->set, place, size) >= 0 ||
         H5(H5Dget_chunk_info_by_coord)(v->set, place, &skipped, &address, size) >= 0 ||
         h5_fail(v->label, "a chunk cannot be found");
}

bool chunk_read(const h5_variable *v, const uint64_t *at, h5_chunk *c) {
  const uint64_t most = ghz_shape_bound(&v->shape, v->parameters.type, ghz_terms_limit(35));
  hsize_t place[GHZ_H5_RANK_MAX], size;
  uint32_t skipped = 0;
  place_of(v, at, place);
  if (!stored_size(v, place, &size))
    return false;
  c->kind = CHUNK_MISSING;
  c->size = (size_t)size;
  if (size == 0)
    return true;
  if (size > most)
    return chunk_fail(v, at, "is larger than any stream of its shape");
  if (!buffer_reserve(&c->data, c->size, v->label))
    return false;
  if (H5(H5Dread_chunk)(v->set, H5P_DEFAULT, place, &skipped, c->data.data) < 0)
    return h5_fail(v->label, "a chunk cannot be read");
  c->kind = skipped & 1 ? CHUNK_VALUES : CHUNK_STREAM;
  if (c->kind == CHUNK_STREAM)
    return chunk_inspect(v, at, c);
  return c->size == v->bytes || chunk_fail(v, at, "has another size than its values");
}

/* Gives a chunk that was never written its values. */
static bool chunk_fill(const h5_variable *v, h5_chunk *c) {
  const size_t size = ghz_type_size(v->parameters.type);
  if (c->kind != CHUNK_MISSING)
    return true;
  c->kind = CHUNK_VALUES;
  if (!buffer_reserve(&c->data, v->bytes, v->label))
    return false;
  for (size_t i = 0; i < v->bytes; i += size)
    memcpy(c->data.data + i, &v->missing, size);
  return true;
}

bool chunk_compress(const h5_variable *v, ghz_context *ctx, const ghz_lattice *lattice, int order,
                    const void *x, h5_chunk *c) {
  const size_t capacity = ghz_shape_bound(&v->shape, lattice->type, 1);
  h5_chunk made = {.kind = CHUNK_STREAM};
  const bool ok = (x || chunk_fill(v, c)) && buffer_reserve(&made.data, capacity, v->label) &&
                  library_ok(v->label, ctx,
                             ghz_compress_shape(ctx, lattice, order, x ? x : c->data.data, &v->shape,
                                                made.data.data, capacity, &made.size)) &&
                  library_ok(v->label, NULL, ghz_info_read((ghz_bytes){made.data.data, made.size}, &made.info));
  buffer_free(ok ? &c->data : &made.data);
  if (ok)
    *c = made;
  return ok;
}

bool chunk_write(const h5_variable *v, const uint64_t *at, const void *stream, size_t size) {
  hsize_t place[GHZ_H5_RANK_MAX];
  place_of(v, at, place);
  return H5(H5Dwrite_chunk)(v->set, H5P_DEFAULT, 0, place, size, stream) >= 0 ||
         h5_fail(v->label, "a chunk cannot be written");
}

/* ---- Without padding ------------------------------------------------------------------------- */

/* A lattice on which everything is stored as it is. */
static bool raw_lattice(const h5_variable *v, ghz_lattice *l) {
  const ghz_h5_parameters *p = &v->parameters;
  return library_ok(v->label, NULL, ghz_lattice_make(p->type, (ghz_bound){GHZ_ABS, 0x1p-1000}, 0, 0, l)) &&
         (!p->fill || library_ok(v->label, NULL, ghz_lattice_set_fill(l, p->fill_value)));
}

static bool reaches_beyond(const h5_variable *v, const uint64_t *at) {
  for (unsigned i = 0; i < v->chunk.ndim; i++)
    if (at[i] + v->chunk.dims[i] > v->array.dims[i])
      return true;
  return false;
}

/* Makes the values of a chunk beyond the extents NaN. */
static void hide_values(const h5_variable *v, ghz_type type, const uint64_t *at, void *x) {
  const uint64_t count = count_of(v);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t place[GHZ_H5_RANK_MAX];
    bool inside = true;
    shape_index(&v->chunk, i, place);
    for (unsigned k = 0; k < v->chunk.ndim; k++)
      inside &= at[k] + place[k] < v->array.dims[k];
    if (!inside && type == GHZ_F64)
      ((double *)x)[i] = (double)NAN;
    else if (!inside)
      ((float *)x)[i] = NAN;
  }
}

/* Whether two chunks have the same values, all NaN and fill values alike. */
static bool values_equal(const h5_variable *v, const unsigned char *a, const unsigned char *b) {
  const ghz_h5_parameters *p = &v->parameters;
  for (uint64_t i = 0; i < count_of(v); i++) {
    const double x = value_at(v->parameters.type, a, i), y = value_at(v->parameters.type, b, i);
    const bool none = isnan(x) || (p->fill && x == p->fill_value);
    if (none ? !(isnan(y) || (p->fill && y == p->fill_value)) : x != y)
      return false;
  }
  return true;
}

static bool read_values(const h5_variable *v, ghz_context *ctx, const uint64_t *at, const h5_chunk *c,
                        void *x) {
  return ghz_decompress(ctx, (ghz_bytes){c->data.data, c->size}, v->parameters.type, x, count_of(v)) ==
             GHZ_OK ||
         chunk_fail(v, at, ghz_context_message(ctx));
}

/* Compresses a stream of one term again with NaN beyond the extents. *same: whether its values
 * stayed the same; those that coefficients give do not. */
static bool hide_again(const h5_variable *v, ghz_context *ctx, const uint64_t *at, h5_chunk *c, bool *same) {
  h5_chunk again = {.kind = CHUNK_VALUES};
  buffer old_and_new = {0};
  *same = false;
  bool ok = buffer_reserve(&again.data, v->bytes, v->label) &&
            buffer_reserve(&old_and_new, 2 * v->bytes, v->label) && read_values(v, ctx, at, c, again.data.data);
  if (ok) {
    hide_values(v, v->parameters.type, at, again.data.data);
    memcpy(old_and_new.data, again.data.data, v->bytes);
    ok = chunk_compress(v, ctx, &c->info.lattice, GHZ_ORDER_LORENZO, NULL, &again) &&
         read_values(v, ctx, at, &again, old_and_new.data + v->bytes);
  }
  if (ok)
    *same = values_equal(v, old_and_new.data, old_and_new.data + v->bytes);
  buffer_free(&old_and_new);
  buffer_free(*same ? &c->data : &again.data);
  if (*same)
    *c = again;
  return ok;
}

/* Adds zeros, and NaN beyond the extents. That is one term more, so that the bound of such a chunk
 * is larger by one. */
static bool hide_by_sum(const h5_variable *v, ghz_context *ctx, const uint64_t *at, h5_chunk *c) {
  h5_chunk mask = {.kind = CHUNK_VALUES};
  void *sum = NULL;
  bool ok = buffer_reserve(&mask.data, v->bytes, v->label);
  if (ok) {
    memset(mask.data.data, 0, v->bytes);
    hide_values(v, v->parameters.type, at, mask.data.data);
    ok = chunk_compress(v, ctx, &c->info.lattice, GHZ_ORDER_BEST, NULL, &mask);
  }
  const ghz_bytes terms[] = {{c->data.data, c->size}, {mask.data.data, mask.size}};
  ok = ok && (ghz_linear_alloc(ctx, 2, terms, NULL, 1, &sum, &c->size) == GHZ_OK ||
              chunk_fail(v, at, ghz_context_message(ctx)));
  buffer_free(&mask.data);
  if (!ok)
    return false;
  buffer_free(&c->data);
  c->data = (buffer){sum, c->size};
  return chunk_inspect(v, at, c);
}

/* ---- Integers -------------------------------------------------------------------------------- */

/* A chunk of integers as doubles, NaN where it is missing: integers have none. */
static bool read_integers(const h5_variable *v, ghz_context *ctx, const uint64_t *at, h5_chunk *c, double *x) {
  const ghz_h5_parameters *p = &v->parameters;
  const uint64_t count = count_of(v);
  if (c->kind == CHUNK_STREAM) {
    if (ghz_decompress(ctx, (ghz_bytes){c->data.data, c->size}, GHZ_F64, x, count) != GHZ_OK)
      return chunk_fail(v, at, ghz_context_message(ctx));
  } else if (!chunk_fill(v, c)) {
    return false;
  } else {
    for (uint64_t i = 0; i < count; i++)
      x[i] = value_at(p->type, c->data.data, i);
  }
  for (uint64_t i = 0; i < count; i++)
    x[i] = p->fill && x[i] == p->fill_value ? (double)NAN : x[i];
  hide_values(v, GHZ_F64, at, x);
  return true;
}

/* Makes a chunk of integers a stream of doubles, exactly. */
static bool make_stream_of_doubles(const h5_variable *v, ghz_context *ctx, const uint64_t *at, h5_chunk *c) {
  ghz_lattice l;
  buffer x = {0};
  const bool ok = buffer_reserve(&x, count_of(v) * sizeof(double), v->label) &&
                  read_integers(v, ctx, at, c, (double *)(void *)x.data) &&
                  library_ok(v->label, NULL, ghz_lattice_make(GHZ_F64, (ghz_bound){GHZ_STEP, 1}, 0, 0, &l)) &&
                  chunk_compress(v, ctx, &l, GHZ_ORDER_BEST, x.data, c);
  buffer_free(&x);
  return ok;
}

/* ---- All chunks ------------------------------------------------------------------------------ */

/* Makes a chunk a stream without padding: on the lattice, unless it is one already. */
static bool make_stream(const h5_variable *v, ghz_context *ctx, const uint64_t *at, const ghz_lattice *lattice,
                        h5_chunk *c) {
  const bool padded = reaches_beyond(v, at);
  bool same = false;
  if (ghz_h5_integers(v->parameters.type))
    return make_stream_of_doubles(v, ctx, at, c);
  if (c->kind == CHUNK_STREAM)
    return !padded ||
           ((c->info.terms > 1 || hide_again(v, ctx, at, c, &same)) && (same || hide_by_sum(v, ctx, at, c)));
  if (!chunk_fill(v, c))
    return false;
  if (padded)
    hide_values(v, v->parameters.type, at, c->data.data);
  return chunk_compress(v, ctx, lattice, GHZ_ORDER_BEST, NULL, c);
}

/* What is no stream gets the lattice of the one that is. */
static bool make_streams(const h5_variable *v, int n, ghz_context *ctx, const uint64_t *at, h5_chunk *c) {
  const int first = n > 1 && c->kind != CHUNK_STREAM;
  ghz_lattice lattice = c[first].info.lattice;
  bool ok = c[first].kind == CHUNK_STREAM || ghz_h5_integers(v->parameters.type) || raw_lattice(v, &lattice);
  for (int i = 0; ok && i < n; i++)
    ok = make_stream(&v[i], ctx, at, &lattice, &c[i]);
  return ok;
}

bool h5_each_chunk(const h5_variable *v, int n, ghz_context *ctx, h5_storage *s, frame_visitor *see,
                   void *user) {
  const char *label = v[n - 1].label;
  uint64_t at[GHZ_H5_RANK_MAX] = {0};
  h5_chunk c[2] = {{.size = 0}, {.size = 0}};
  bool ok = true;
  progress_begin(label, v->chunks, (uint64_t)n * v->bytes);
  for (uint64_t number = 0; ok && number < v->chunks; number++, chunk_next(v, at)) {
    ghz_frame f[2];
    for (int i = 0; ok && i < n; i++)
      ok = chunk_read(&v[i], at, &c[i]);
    ok = ok && (s || make_streams(v, n, ctx, at, c));
    if (ok && s) {
      s->bytes += c->size;
      s->streams += c->kind == CHUNK_STREAM;
      s->raw += c->kind == CHUNK_VALUES;
      s->unwritten += c->kind == CHUNK_MISSING;
    }
    for (int i = 0; i < n; i++)
      f[i] = (ghz_frame){.stream = {c[i].data.data, c[i].size}, .info = c[i].info, .number = number};
    ok = ok && (c->kind != CHUNK_STREAM || see(label, ctx, f, user));
    progress_set(number + 1);
  }
  progress_end();
  buffer_free(&c[0].data);
  buffer_free(&c[1].data);
  return ok;
}

/* ---- Variables ------------------------------------------------------------------------------- */

static bool visit(const options *o, ghz_context *ctx, const char *const *files, int n, const char *var,
                  h5_visitor *one) {
  h5_variable v[2] = {{.set = -1}, {.set = -1}};
  int opened = 0;
  while (opened < n && variable_open(&v[opened], files[opened], var, VARIABLE_READ))
    opened++;
  bool ok = opened == n && (n == 1 || variables_agree(&v[1], &v[0])) && one(o, ctx, v);
  while (opened > 0)
    ok = variable_close(&v[--opened]) && ok;
  return ok;
}

bool h5_each_variable(const options *o, ghz_context *ctx, const char *const *files, int n, h5_visitor *one) {
  paths names = {0};
  bool ok = paths_of_variables(*files, o->var, &names) && (n == 1 || places_agree(o, &names));
  const size_t count = ok ? names.count : 0;
  for (size_t i = 0; i < count; i++)
    ok &= visit(o, ctx, files, n, names.at[i], one);
  paths_free(&names);
  return ok;
}
