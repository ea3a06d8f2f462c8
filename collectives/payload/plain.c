/* plain.c: the values themselves, for comparison, and for data and networks that compression does
 * not help. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "payload/common.h"

#include <string.h>

static size_t capacity(const payload_job *job, uint64_t tiles) {
  return (size_t)tiles * GHZ_TILE * job->value_size;
}

static const uint8_t *source(const payload_job *job, const piece *p) {
  return p->part->source + piece_offset(job, p);
}

static uint8_t *target(const payload_job *job, const piece *p) {
  return p->part->target ? p->part->target + piece_offset(job, p) : NULL;
}

/* Sends values from where they are, unless the result will be written there before they have
 * left. */
static ghz_status encode(payload_job *job, const piece *p, buffer *out) {
  out->size = piece_bytes(job, p);
  if (job->reduction != REDUCE_NONE && target(job, p) == source(job, p))
    memcpy(out->memory, source(job, p), out->size);
  else
    out->data = (uint8_t *)(uintptr_t)source(job, p); /* only read: a borrowed buffer is never written to */
  return GHZ_OK;
}

static ghz_status validate(payload_job *job, const piece *p, buffer *in) {
  return in->size == piece_bytes(job, p) ? GHZ_OK : GHZ_EMISMATCH;
}

static ghz_status reduce(payload_job *job, const piece *p, const buffer *mine, const buffer *theirs,
                         buffer *out) {
  double start = MPI_Wtime();
  out->size = theirs->size;
  memcpy(out->memory, mine ? mine->data : source(job, p), out->size);
  ghz_values_reduce(job, out->memory, theirs->data, ghz_piece_values(p));
  job->report->combine += MPI_Wtime() - start;
  return GHZ_OK;
}

static ghz_status decode(payload_job *job, const piece *p, const buffer *result) {
  if (result->data != target(job, p))
    memcpy(target(job, p), result->data, result->size);
  ghz_values_average(job, target(job, p), ghz_piece_values(p));
  return GHZ_OK;
}

/* Data that only move land where they belong, as nobody changes them there before they have been
 * sent on: a reduction's own contribution may still have to leave from there. */
static uint8_t *direct_receive(payload_job *job, const piece *p) {
  return job->average || (job->reduction != REDUCE_NONE && p->part->target == p->part->source) ? NULL
                                                                                               : target(job, p);
}

const payload ghz_payload_plain = {.capacity = capacity,
                                   .encode = encode,
                                   .validate = validate,
                                   .reduce = reduce,
                                   .decode = decode,
                                   .direct_receive = direct_receive,
                                   .scratch = 0};
