/* recompress.c: owns the payload of other libraries, for comparison (C-Coll, IPDPS'24): a reduction
 * decompresses what arrives, adds values, and compresses the sum.
 *
 * The library does not have it. The linker (--wrap) replaces the library's homomorphic payload by
 * the table here, which is set before every call. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "recompress.h"

#include "payload/common.h"

/* A message is never shorter than its tiles can become, so a buffer has room for its values. */
static size_t capacity(const payload_job *job, uint64_t tiles) {
  size_t message = ghz_payload_capacity(job, tiles, 1), values = (size_t)tiles * GHZ_TILE * job->value_size;
  return message && message < values ? values : message;
}

static ghz_status encode(payload_job *job, const piece *p, buffer *out) {
  return ghz_payload_compress(job, p, p->part->source, out);
}

static ghz_status unpack(payload_job *job, const buffer *from, void *values) {
  double start = MPI_Wtime();
  ghz_status status = ghz_slice_decompress(job->codec, &from->slice, job->lattice.type, values);
  job->report->decompress += MPI_Wtime() - start;
  return status;
}

/* Compresses values that are a piece by themselves, as that range of the part's array. */
static ghz_status pack(payload_job *job, const piece *p, const buffer *values, buffer *out) {
  return ghz_payload_compress(job, p, (const void *)((uintptr_t)values->memory - piece_offset(job, p)), out);
}

static ghz_status reduce_values(payload_job *job, const piece *p, const buffer *mine, buffer *sum,
                                buffer *other) {
  const void *own = mine ? other->memory : p->part->source + piece_offset(job, p);
  ghz_status status = mine ? unpack(job, mine, other->memory) : GHZ_OK;
  double start = MPI_Wtime();
  if (status == GHZ_OK)
    ghz_values_reduce(job, sum->memory, own, ghz_piece_values(job->plan, p));
  job->report->combine += MPI_Wtime() - start;
  return status;
}

static ghz_status reduce(payload_job *job, const piece *p, const buffer *mine, const buffer *theirs,
                         buffer *out) {
  buffer *sum = ghz_buffer_acquire(job->pool), *other = ghz_buffer_acquire(job->pool);
  ghz_status status = unpack(job, theirs, sum->memory);
  if (status == GHZ_OK)
    status = reduce_values(job, p, mine, sum, other);
  if (status == GHZ_OK)
    status = pack(job, p, sum, out);
  ghz_buffer_release(job->pool, sum);
  ghz_buffer_release(job->pool, other);
  return status;
}

static ghz_status decode(payload_job *job, const piece *p, const buffer *result) {
  uint8_t *target = p->part->target + piece_offset(job, p);
  ghz_status status = unpack(job, result, target);
  if (status == GHZ_OK)
    ghz_values_average(job, target, ghz_piece_values(job->plan, p));
  return status;
}

extern const payload __real_ghz_payload_homomorphic;
extern payload __wrap_ghz_payload_homomorphic;

payload __wrap_ghz_payload_homomorphic;

void recompress_use(bool yes) {
  const payload recompress = {.capacity = capacity,
                              .encode = encode,
                              .validate = ghz_payload_validate,
                              .reduce = reduce,
                              .decode = decode,
                              .scratch = 2};
  __wrap_ghz_payload_homomorphic = yes ? recompress : __real_ghz_payload_homomorphic;
}
