/* chunk.c: owns the reading and writing of chunks as they are stored, past HDF5's filters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "data_set.h"
#include "failure.h"
#include "report/library.h"
#include "report/report.h"

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
