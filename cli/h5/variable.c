/* variable.c: owns the walk through the chunks of one data set, or of two alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "h5.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "io/reader.h"
#include "report/report.h"
#include "report/text.h"

enum { LABEL_BYTES = 4096 };

/* ---- What it is ------------------------------------------------------------------------------ */

static uint64_t count_of(const data_set *d) {
  return d->bytes / ghz_type_size(d->parameters.type);
}

static bool describe(h5_variable *v, char *label) {
  const data_set *d = v->set;
  const unsigned rank = d->parameters.rank;
  snprintf(label, LABEL_BYTES, "%s: %s", d->name, d->var);
  v->label = label;
  v->file = d->name;
  v->var = d->var;
  v->type = d->parameters.type;
  v->array.ndim = v->chunk.ndim = rank;
  for (unsigned i = 0; i < rank; i++) {
    v->array.dims[i] = d->extent[i];
    v->chunk.dims[i] = d->parameters.chunk[i];
  }
  v->shape = d->shape;
  if (!data_set_chunks(d, &v->chunks))
    return false;
  if (!shape_count(&v->array, &v->values) || v->chunks > UINT64_MAX / count_of(d))
    return fail(d->name, "%s: has too many values", d->var);
  v->padding = v->chunks * count_of(d) - v->values;
  return true;
}

uint64_t h5_index(const h5_variable *v, uint64_t position) {
  const uint64_t in_chunk = count_of(v->set);
  uint64_t number = position / in_chunk, place[GHZ_H5_RANK_MAX];
  shape_index(&v->chunk, position % in_chunk, place);
  for (unsigned i = v->array.ndim; i-- > 0;) {
    const uint64_t along = (v->array.dims[i] - 1) / v->chunk.dims[i] + 1;
    place[i] += number % along * v->chunk.dims[i];
    number /= along;
  }
  return shape_at(&v->array, place);
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* A lattice on which everything is stored as it is. */
static bool raw_lattice(const data_set *d, ghz_lattice *l) {
  const ghz_h5_parameters *p = &d->parameters;
  return library_ok(d->name, NULL, ghz_lattice_make(p->type, (ghz_bound){GHZ_ABS, 0x1p-1000}, 0, 0, l)) &&
         (!p->fill || library_ok(d->name, NULL, ghz_lattice_set_fill(l, p->fill_value)));
}

static bool reaches_beyond(const data_set *d, const uint64_t *at) {
  for (unsigned i = 0; i < d->parameters.rank; i++)
    if (at[i] + d->parameters.chunk[i] > d->extent[i])
      return true;
  return false;
}

/* Makes the values of a chunk beyond the extents NaN. */
static void hide_values(const h5_variable *v, ghz_type type, const uint64_t *at, void *x) {
  const uint64_t count = count_of(v->set);
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
  const ghz_h5_parameters *p = &v->set->parameters;
  for (uint64_t i = 0; i < count_of(v->set); i++) {
    const double x = value_at(v->type, a, i), y = value_at(v->type, b, i);
    const bool none = isnan(x) || (p->fill && x == p->fill_value);
    if (none ? !(isnan(y) || (p->fill && y == p->fill_value)) : x != y)
      return false;
  }
  return true;
}

static bool read_values(const data_set *d, ghz_context *ctx, const uint64_t *at, const h5_chunk *c, void *x) {
  return ghz_decompress(ctx, (ghz_bytes){c->data.data, c->size}, d->parameters.type, x, count_of(d)) ==
             GHZ_OK ||
         chunk_fail(d, at, ghz_context_message(ctx));
}

/* Compresses a stream of one term again with NaN beyond the extents. *same: whether its values
 * stayed the same; those that coefficients give do not. */
static bool hide_again(const h5_variable *v, ghz_context *ctx, const uint64_t *at, h5_chunk *c, bool *same) {
  const data_set *d = v->set;
  h5_chunk again = {.kind = CHUNK_VALUES};
  buffer old_and_new = {0};
  *same = false;
  bool ok = buffer_reserve(&again.data, d->bytes, d->name) &&
            buffer_reserve(&old_and_new, 2 * d->bytes, d->name) && read_values(d, ctx, at, c, again.data.data);
  if (ok) {
    hide_values(v, v->type, at, again.data.data);
    memcpy(old_and_new.data, again.data.data, d->bytes);
    ok = data_set_compress(d, ctx, &c->info.lattice, GHZ_ORDER_LORENZO, NULL, &again) &&
         read_values(d, ctx, at, &again, old_and_new.data + d->bytes);
  }
  if (ok)
    *same = values_equal(v, old_and_new.data, old_and_new.data + d->bytes);
  buffer_free(&old_and_new);
  buffer_free(*same ? &c->data : &again.data);
  if (*same)
    *c = again;
  return ok;
}

/* Adds zeros, and NaN beyond the extents. That is one term more, so that the bound of such a chunk
 * is larger by one. */
static bool hide_by_sum(const h5_variable *v, ghz_context *ctx, const uint64_t *at, h5_chunk *c) {
  const data_set *d = v->set;
  h5_chunk mask = {.kind = CHUNK_VALUES};
  const uint64_t terms = (uint64_t)c->info.terms + 1;
  const size_t capacity = ghz_shape_bound(&d->shape, d->parameters.type, (uint32_t)terms);
  buffer sum = {0};
  size_t size = 0;
  bool ok = buffer_reserve(&mask.data, d->bytes, d->name);
  if (ok) {
    memset(mask.data.data, 0, d->bytes);
    hide_values(v, v->type, at, mask.data.data);
  }
  ok = ok && data_set_compress(d, ctx, &c->info.lattice, GHZ_ORDER_BEST, NULL, &mask) &&
       buffer_reserve(&sum, capacity, d->name);
  if (ok && ghz_add(ctx, (ghz_bytes){c->data.data, c->size}, (ghz_bytes){mask.data.data, mask.size}, sum.data,
                    capacity, &size) != GHZ_OK)
    ok = chunk_fail(d, at, ghz_context_message(ctx));
  buffer_free(&mask.data);
  if (!ok) {
    buffer_free(&sum);
    return false;
  }
  buffer_free(&c->data);
  c->data = sum;
  c->size = size;
  return chunk_inspect(d, at, c);
}

static bool hide_in_stream(const h5_variable *v, ghz_context *ctx, const uint64_t *at, h5_chunk *c) {
  bool same = false;
  if (c->info.terms == 1 && !hide_again(v, ctx, at, c, &same))
    return false;
  return same || hide_by_sum(v, ctx, at, c);
}

/* ---- Integers -------------------------------------------------------------------------------- */

/* A chunk of integers as doubles, NaN where it is missing: integers have none. */
static bool read_integers(const h5_variable *v, ghz_context *ctx, const uint64_t *at, h5_chunk *c, double *x) {
  const data_set *d = v->set;
  const ghz_h5_parameters *p = &d->parameters;
  const uint64_t count = count_of(d);
  if (c->kind == CHUNK_STREAM) {
    if (ghz_decompress(ctx, (ghz_bytes){c->data.data, c->size}, GHZ_F64, x, count) != GHZ_OK)
      return chunk_fail(d, at, ghz_context_message(ctx));
  } else if (!data_set_fill(d, c)) {
    return false;
  } else {
    for (uint64_t i = 0; i < count; i++)
      x[i] = ghz_h5_number(p->type, c->data.data + i * ghz_type_size(p->type));
  }
  for (uint64_t i = 0; i < count; i++)
    x[i] = p->fill && x[i] == p->fill_value ? (double)NAN : x[i];
  hide_values(v, GHZ_F64, at, x);
  return true;
}

/* Makes a chunk of integers a stream of doubles, exactly. */
static bool make_stream_of_doubles(const h5_variable *v, ghz_context *ctx, const uint64_t *at, h5_chunk *c) {
  const data_set *d = v->set;
  ghz_lattice l;
  buffer x = {0};
  const bool ok = buffer_reserve(&x, count_of(d) * sizeof(double), d->name) &&
                  read_integers(v, ctx, at, c, (double *)(void *)x.data) &&
                  library_ok(d->name, NULL, ghz_lattice_make(GHZ_F64, (ghz_bound){GHZ_STEP, 1}, 0, 0, &l)) &&
                  data_set_compress(d, ctx, &l, GHZ_ORDER_BEST, x.data, c);
  buffer_free(&x);
  return ok;
}

/* ---- Any chunk ------------------------------------------------------------------------------- */

/* Makes a chunk a stream without padding: on `lattice`, unless it is one already or that is
 * NULL. */
static bool make_stream(const h5_variable *v, ghz_context *ctx, const uint64_t *at, const ghz_lattice *lattice,
                        h5_chunk *c) {
  const data_set *d = v->set;
  ghz_lattice raw;
  if (ghz_h5_integers(v->type))
    return make_stream_of_doubles(v, ctx, at, c);
  if (c->kind == CHUNK_STREAM)
    return !reaches_beyond(d, at) || hide_in_stream(v, ctx, at, c);
  if (!data_set_fill(d, c) || (!lattice && !raw_lattice(d, &raw)))
    return false;
  if (reaches_beyond(d, at))
    hide_values(v, v->type, at, c->data.data);
  return data_set_compress(d, ctx, lattice ? lattice : &raw, GHZ_ORDER_BEST, NULL, c);
}

static ghz_frame frame_of(const h5_chunk *c, uint64_t number) {
  return (ghz_frame){.stream = {c->data.data, c->size}, .info = c->info, .number = number};
}

/* ---- One variable ---------------------------------------------------------------------------- */

/* s: of chunks as they are stored, of which streams alone are shown; NULL: all are, as streams. */
static bool each(const h5_variable *v, ghz_context *ctx, h5_storage *s, frame_visitor *see, void *user) {
  uint64_t at[GHZ_H5_RANK_MAX] = {0};
  h5_chunk c = {.size = 0};
  bool ok = true;
  progress_begin(v->label, v->chunks, v->set->bytes);
  for (uint64_t i = 0; ok && i < v->chunks; i++, data_set_next(v->set, at)) {
    ok = data_set_read(v->set, at, &c) && (s || make_stream(v, ctx, at, NULL, &c));
    if (ok && s) {
      s->bytes += c.size;
      s->streams += c.kind == CHUNK_STREAM;
      s->raw += c.kind == CHUNK_VALUES;
      s->unwritten += c.kind == CHUNK_MISSING;
    }
    const ghz_frame f = frame_of(&c, i);
    ok = ok && (c.kind != CHUNK_STREAM || see(v->label, ctx, &f, user));
    progress_set(i + 1);
  }
  progress_end();
  buffer_free(&c.data);
  return ok;
}

bool h5_each_stream(const h5_variable *v, ghz_context *ctx, h5_storage *s, frame_visitor *see, void *user) {
  *s = (h5_storage){0};
  return each(v, ctx, s, see, user);
}

bool h5_each_chunk(const h5_variable *v, ghz_context *ctx, frame_visitor *see, void *user) {
  return each(v, ctx, NULL, see, user);
}

static bool visit(const options *o, ghz_context *ctx, const char *path, const char *var, h5_visitor *one) {
  data_set d;
  char label[LABEL_BYTES];
  h5_variable v = {.set = &d};
  if (!data_set_open(&d, path, var, DATA_SET_READ))
    return false;
  const bool ok = describe(&v, label) && one(o, ctx, &v);
  return data_set_close(&d) && ok;
}

bool h5_each_variable(const options *o, ghz_context *ctx, const char *path, h5_visitor *one) {
  paths names = {0};
  bool ok = h5_load() && paths_of_variables(path, o->var, &names);
  for (size_t i = 0; i < names.count; i++)
    ok &= visit(o, ctx, path, names.at[i], one);
  paths_free(&names);
  return ok;
}

static bool widen(const char *name, ghz_context *ctx, const ghz_frame *f, void *bound) {
  (void)name, (void)ctx;
  if (f->info.bound > *(double *)bound && !exact_on_grid(&f->info.lattice, f->info.terms))
    *(double *)bound = f->info.bound;
  return true;
}

bool h5_bound(ghz_context *ctx, const char *path, const char *var, double *bound) {
  data_set d;
  char label[LABEL_BYTES];
  h5_variable v = {.set = &d};
  h5_storage stored;
  if (!data_set_open(&d, path, var, DATA_SET_READ))
    return false;
  const bool ok = describe(&v, label) && h5_each_stream(&v, ctx, &stored, widen, bound);
  return data_set_close(&d) && ok;
}

/* ---- Two variables --------------------------------------------------------------------------- */

/* A chunk that is no stream gets the lattice of the other one, or that of the data set. */
static bool read_pair(const h5_variable v[2], ghz_context *ctx, const uint64_t *at, h5_chunk c[2]) {
  ghz_lattice lattice;
  if (!data_set_read(v[0].set, at, &c[0]) || !data_set_read(v[1].set, at, &c[1]))
    return false;
  if (c[0].kind == CHUNK_STREAM || c[1].kind == CHUNK_STREAM)
    lattice = c[c[0].kind != CHUNK_STREAM].info.lattice;
  else if (!ghz_h5_integers(v[0].type) && !raw_lattice(v[0].set, &lattice))
    return false;
  return make_stream(&v[0], ctx, at, &lattice, &c[0]) && make_stream(&v[1], ctx, at, &lattice, &c[1]);
}

bool h5_each_chunk_pair(const h5_variable v[2], ghz_context *ctx, frame_pair_visitor *see, void *user) {
  uint64_t at[GHZ_H5_RANK_MAX] = {0};
  h5_chunk c[2] = {{.size = 0}, {.size = 0}};
  bool ok = true;
  progress_begin(v[1].label, v[0].chunks, 2 * v[0].set->bytes);
  for (uint64_t i = 0; ok && i < v[0].chunks; i++, data_set_next(v[0].set, at)) {
    ok = read_pair(v, ctx, at, c);
    const ghz_frame f[2] = {frame_of(&c[0], i), frame_of(&c[1], i)};
    ok = ok && see(v[1].label, ctx, f, user);
    progress_set(i + 1);
  }
  progress_end();
  buffer_free(&c[0].data);
  buffer_free(&c[1].data);
  return ok;
}

static bool visit_pair(const options *o, ghz_context *ctx, const char *var, h5_pair_visitor *one) {
  data_set d[2];
  char label[2][LABEL_BYTES];
  h5_variable v[2] = {{.set = &d[0]}, {.set = &d[1]}};
  if (!data_set_open(&d[0], o->files[0], var, DATA_SET_READ))
    return false;
  bool ok = data_set_open(&d[1], o->files[1], var, DATA_SET_READ);
  if (ok) {
    ok = data_sets_agree(&d[1], &d[0]) && describe(&v[0], label[0]) && describe(&v[1], label[1]) &&
         one(o, ctx, v);
    data_set_close(&d[1]);
  }
  return data_set_close(&d[0]) && ok;
}

bool h5_each_variable_pair(const options *o, ghz_context *ctx, h5_pair_visitor *one) {
  paths names = {0};
  bool ok = h5_load() && paths_of_variables(o->files[0], o->var, &names) && places_agree(o, &names);
  for (size_t i = 0; ok && i < names.count; i++)
    ok &= visit_pair(o, ctx, names.at[i], one);
  paths_free(&names);
  return ok;
}
