/* common.c: compressing and checking messages. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "payload/payloads.h"

#include <string.h>

ghz_status ghz_payload_compress(payload_job *job, const piece *p, const void *array, buffer *out) {
  double start = payload_seconds(job->has_clock);
  ghz_status status = ghz_slice_compress_shape(job->codec, &job->lattice, job->order, array, &p->part->shape,
                                               p->first, p->tiles, out->memory, out->capacity, &out->slice);
  out->size = ghz_slice_size(&out->slice);
  job->report->compress += payload_seconds(job->has_clock) - start;
  return status;
}

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
  return ghz_payload_view(job, &expected, (ghz_bytes){in->data, in->size}, &in->slice);
}

size_t ghz_payload_capacity(const payload_job *job, uint64_t tiles, uint64_t terms) {
  return terms > UINT32_MAX
             ? 0
             : ghz_slice_bound(&job->plan->shape, tiles, job->lattice.type, (uint32_t)(terms ? terms : 1));
}
