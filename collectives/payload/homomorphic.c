/* homomorphic.c: compress once, add and compare compressed, decompress once. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "payload/payloads.h"

#include <string.h>

/* ---- Messages -------------------------------------------------------------------------------- */

static int same_bits(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

ghz_status ghz_payload_view(payload_job *job, const ghz_slice *expected, ghz_bytes message, ghz_slice *slice) {
  const ghz_lattice *l = &slice->lattice, *wanted = &expected->lattice;
  ghz_status status = ghz_slice_parse(message, slice);
  if (status != GHZ_OK)
    return status;
  if (slice->first != expected->first || slice->tiles != expected->tiles ||
      !ghz_shape_equal(&slice->shape, &expected->shape) || l->type != wanted->type || l->cap != wanted->cap ||
      !same_bits(l->step, wanted->step) || !same_bits(l->eb, wanted->eb) ||
      slice->terms > job->total_contributions)
    return GHZ_EMISMATCH;
  job->report->inexact |= slice->inexact;
  return GHZ_OK;
}

ghz_status ghz_payload_validate(payload_job *job, const piece *p, buffer *in) {
  const ghz_slice expected = {
      .lattice = job->lattice, .shape = p->part->shape, .first = p->first, .tiles = p->tiles};
  return job->bins ? ghz_bins_validate(job, p, in)
                   : ghz_payload_view(job, &expected, (ghz_bytes){in->memory, in->size}, &in->slice);
}

size_t ghz_payload_slice(const payload_job *job, uint64_t tiles, uint64_t terms) {
  return terms > UINT32_MAX ? 0
                            : ghz_slice_bound(&job->plan->layout.shape, tiles, job->lattice.type,
                                              (uint32_t)(terms ? terms : 1));
}

size_t ghz_payload_capacity(const payload_job *job, uint64_t tiles) {
  if (job->bins)
    return ghz_bins_capacity(job, tiles);
  return ghz_payload_slice(job, tiles, job->reduction == REDUCE_SUM ? job->total_contributions : 1);
}

/* ---- Operations ------------------------------------------------------------------------------ */

static ghz_status compress(payload_job *job, const piece *p, const void *array, buffer *out) {
  const double start = payload_seconds(job->has_clock);
  ghz_status status;
  if (job->bins)
    status = ghz_bins_compress(job, p, array, out);
  else {
    status = ghz_slice_compress_shape(job->codec, &job->lattice, job->order, array, &p->part->shape, p->first,
                                      p->tiles, out->memory, out->capacity, &out->slice);
    out->size = ghz_slice_size(&out->slice);
  }
  job->report->compress += payload_seconds(job->has_clock) - start;
  return status;
}

static ghz_status add(payload_job *job, const buffer *a, const buffer *b, buffer *out) {
  ghz_status status;
  if (job->bins)
    return ghz_bins_add(job, a, b, out);
  if (job->reduction == REDUCE_SUM)
    status = ghz_slice_sum(job->codec, 2, (ghz_slice[]){a->slice, b->slice}, out->memory, out->capacity,
                           &out->slice);
  else
    status = ghz_slice_extremum(job->codec, &a->slice, &b->slice, job->reduction == REDUCE_MAX, out->memory,
                                out->capacity, &out->slice);
  out->size = ghz_slice_size(&out->slice);
  job->report->inexact |= status == GHZ_OK && out->slice.inexact;
  return status;
}

/* out = a op b. */
static ghz_status operate(payload_job *job, const buffer *a, const buffer *b, buffer *out) {
  const double start = payload_seconds(job->has_clock);
  const ghz_status status = add(job, a, b, out);
  job->report->combine += payload_seconds(job->has_clock) - start;
  return status;
}

/* A sum of nothing: no terms, and every tile empty. */
static ghz_status encode_empty_sum(payload_job *job, const piece *p, buffer *out) {
  if (job->bins) {
    ghz_bins_clear(job, out);
    return GHZ_OK;
  }
  out->slice = (ghz_slice){.lattice = job->lattice,
                           .shape = p->part->shape,
                           .count = ghz_shape_count(&p->part->shape),
                           .first = p->first,
                           .tiles = p->tiles,
                           .sizes = out->memory + GHZ_SLICE_HEADER};
  out->size = ghz_slice_size(&out->slice);
  out->slice.payload = out->memory + out->size;
  if (out->size > out->capacity)
    return GHZ_ECAPACITY;
  memset(out->memory + GHZ_SLICE_HEADER, 0, 2 * (size_t)p->tiles);
  return ghz_slice_header(&out->slice, out->memory);
}

/* Of two buffers, what is in them; who holds them the engine may be noting meanwhile. */
static void swap(buffer *a, buffer *b) {
  const buffer c = {.memory = a->memory, .size = a->size, .capacity = a->capacity, .slice = a->slice};
  a->memory = b->memory, a->size = b->size, a->capacity = b->capacity, a->slice = b->slice;
  b->memory = c.memory, b->size = c.size, b->capacity = c.capacity, b->slice = c.slice;
}

/* Adds contribution after contribution, going back and forth between two buffers. */
static ghz_status encode_many(payload_job *job, const piece *p, buffer *out) {
  buffer *one = ghz_buffer_acquire(job->pool), *next = ghz_buffer_acquire(job->pool);
  ghz_status status = encode_empty_sum(job, p, out);
  for (int i = 0; i < job->contributions && status == GHZ_OK; i++) {
    status = compress(job, p, p->part->source + (size_t)i * job->stride, one);
    if (status == GHZ_OK && i == 0 && job->reduction != REDUCE_SUM)
      swap(out, one);
    else if (status == GHZ_OK && (status = operate(job, out, one, next)) == GHZ_OK)
      swap(out, next);
  }
  ghz_buffer_release(job->pool, one);
  ghz_buffer_release(job->pool, next);
  return status;
}

/* The only contribution of all ranks is made a sum, too, as it would be if others contributed
 * nothing to it. */
static ghz_status encode(payload_job *job, const piece *p, buffer *out) {
  int lone = job->reduction == REDUCE_SUM && job->total_contributions == 1;
  if (job->reduction == REDUCE_NONE || (job->contributions == 1 && !lone))
    return compress(job, p, p->part->source, out);
  return encode_many(job, p, out);
}

static ghz_status reduce(payload_job *job, const piece *p, const buffer *mine, const buffer *theirs,
                         buffer *out) {
  if (mine)
    return operate(job, mine, theirs, out);
  ghz_status status = encode(job, p, out);
  buffer *sum = ghz_buffer_acquire(job->pool);
  if (status == GHZ_OK && (status = operate(job, out, theirs, sum)) == GHZ_OK)
    swap(out, sum);
  ghz_buffer_release(job->pool, sum);
  return status;
}

/* Without the headers of messages, of which algorithms have more or fewer. */
static void count_result(payload_job *job, const piece *p, const ghz_slice *slice) {
  job->result += ghz_piece_values(p) * job->value_size;
  job->result_compressed += ghz_slice_size(slice) - GHZ_SLICE_HEADER;
}

static ghz_status decode_slice(payload_job *job, const piece *p, const ghz_slice *slice) {
  count_result(job, p, slice);
  buffer *mean = job->average ? ghz_buffer_acquire(job->pool) : NULL;
  ghz_status status = GHZ_OK;
  if (mean) {
    status =
        ghz_slice_mean(job->codec, slice, job->total_contributions, mean->memory, mean->capacity, &mean->slice);
    slice = &mean->slice;
  }
  if (status == GHZ_OK)
    status = ghz_slice_decompress_into(job->codec, slice, job->lattice.type, p->part->target);
  ghz_buffer_release(job->pool, mean);
  return status;
}

static ghz_status decode(payload_job *job, const piece *p, const buffer *result) {
  const double start = payload_seconds(job->has_clock);
  const ghz_status status = job->bins ? ghz_bins_decode(job, p, result) : decode_slice(job, p, &result->slice);
  job->report->decompress += payload_seconds(job->has_clock) - start;
  return status;
}

const payload ghz_payload_homomorphic = {.capacity = ghz_payload_capacity,
                                         .encode = encode,
                                         .validate = ghz_payload_validate,
                                         .reduce = reduce,
                                         .decode = decode,
                                         .scratch = 3};
