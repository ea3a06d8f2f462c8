/* homomorphic_device.c: as homomorphic.c, on a GPU: its calls put work on a stream, and the engine
 * asks for the end.
 *
 * Bytes are brought where they are needed and no sooner: a message that arrived in pinned memory is
 * copied to the device by the work that reads it there, and what was made on the device is copied
 * back only if it has to be sent from pinned memory. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "payload/device.h"
#include "payload/payloads.h"

#ifdef GHZ_HAVE_CUDA

/* What is done with a buffer, or was last. */
enum work {
  ARRIVE, /* MPI receives its bytes */
  ENCODE, /* the device makes them, */
  FETCH,  /* copies these to pinned memory, */
  DECODE  /* or makes values of them */
};

/* The work on a buffer is noted there, also where its bytes are only read. */
static device_buffer *of(const buffer *b) {
  return (device_buffer *)(uintptr_t)b;
}

/* Whether MPI sends from pinned memory, and receives there. */
static int is_bounced(const device_buffer *b) {
  return b->buffer.memory != b->device;
}

/* ---- Putting work on a slot ------------------------------------------------------------------ */

/* Begins a list of what the slot is to do with b: its results are still to come. */
static void begin(device_buffer *b, enum work work) {
  b->work = (int)work;
  b->result_count = 0;
}

static ghz_cuda_outcome *new_result(device_buffer *b) {
  return &b->results[b->result_count++];
}

/* Has a message's bytes in device memory, by the time that what follows on the slot runs. */
static ghz_status copy_to_device(const stream_slot *slot, const device_buffer *b) {
  return b->work == ARRIVE && is_bounced(b) ? ghz_slot_copy(slot, b->device, b->buffer.memory, b->buffer.size)
                                            : GHZ_OK;
}

/* A message as an operand: of what is not yet made, the size is not known. */
static ghz_bytes operand(const device_buffer *b) {
  return (ghz_bytes){b->device, b->buffer.size ? b->buffer.size : b->buffer.capacity};
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* This rank's contribution becomes b, with a result of `work`. */
static ghz_status encode_to(payload_job *job, const piece *p, const stream_slot *slot, device_buffer *b,
                            device_buffer *work) {
  return ghz_cuda_slice_compress(slot->gpu, &job->lattice, job->order, p->part->source, p->part->shape,
                                 p->first, p->tiles, b->device, b->buffer.capacity, new_result(work),
                                 slot->stream);
}

static ghz_status encode(payload_job *job, const piece *p, buffer *out) {
  const stream_slot *slot = ghz_device_slot(job->device);
  begin(of(out), ENCODE);
  return ghz_slot_commit(slot, of(out), encode_to(job, p, slot, of(out), of(out)));
}

/* A message that MPI put into device memory is checked there, when it is used. */
static ghz_status validate(payload_job *job, const piece *p, buffer *in) {
  of(in)->work = ARRIVE;
  if (is_bounced(of(in)))
    return ghz_payload_validate(job, p, in);
  return in->size < GHZ_SLICE_HEADER + 2 * p->tiles ? GHZ_ECORRUPT : GHZ_OK;
}

static ghz_cuda_slice slice_of(const payload_job *job, const piece *p) {
  return (ghz_cuda_slice){job->lattice.type, p->part->shape, p->first, p->tiles};
}

/* ---- Adding ---------------------------------------------------------------------------------- */

static ghz_status add(payload_job *job, const piece *p, const stream_slot *slot, const device_buffer *a,
                      const device_buffer *b, device_buffer *out) {
  ghz_status status = copy_to_device(slot, a);
  if (status == GHZ_OK)
    status = copy_to_device(slot, b);
  if (status == GHZ_OK)
    status = ghz_cuda_slice_sum(slot->gpu, slice_of(job, p), 2, (ghz_bytes[]){operand(a), operand(b)}, 1,
                                out->device, out->buffer.capacity, new_result(out), slot->stream);
  return status;
}

static ghz_status reduce(payload_job *job, const piece *p, const buffer *mine, const buffer *theirs,
                         buffer *out) {
  const stream_slot *slot = ghz_device_slot(job->device);
  buffer *own = mine ? NULL : ghz_buffer_acquire(job->pool);
  ghz_status status = GHZ_OK;
  begin(of(out), ENCODE);
  out->operands[0] = own;
  if (own) {
    begin(of(own), ENCODE);
    status = encode_to(job, p, slot, of(own), of(out));
  }
  if (status == GHZ_OK)
    status = add(job, p, slot, of(own ? own : mine), of(theirs), of(out));
  return ghz_slot_commit(slot, of(out), status);
}

/* ---- Unpacking ------------------------------------------------------------------------------- */

/* The mean of a sum; it is held by the sum. */
static ghz_status divide(payload_job *job, const piece *p, const stream_slot *slot, device_buffer *sum,
                         device_buffer **mean) {
  buffer *out = ghz_buffer_acquire(job->pool);
  sum->buffer.operands[0] = out;
  *mean = of(out);
  return ghz_cuda_slice_sum(slot->gpu, slice_of(job, p), 1, (ghz_bytes[]){operand(sum)},
                            job->total_contributions, of(out)->device, out->capacity, new_result(sum),
                            slot->stream);
}

static ghz_status decode(payload_job *job, const piece *p, const buffer *result) {
  const stream_slot *slot = ghz_device_slot(job->device);
  device_buffer *b = of(result), *values = b;
  ghz_status status = copy_to_device(slot, b);
  begin(b, DECODE);
  if (status == GHZ_OK && job->average)
    status = divide(job, p, slot, b, &values);
  if (status == GHZ_OK)
    status = ghz_cuda_slice_decompress_into(slot->gpu, slice_of(job, p), operand(values), job->lattice.type,
                                            p->part->target, new_result(b), slot->stream);
  return ghz_slot_commit(slot, b, status);
}

/* ---- The end of work ------------------------------------------------------------------------- */

/* The first status that is not GHZ_OK. */
static ghz_status look_at_results(payload_job *job, const device_buffer *b) {
  for (int i = 0; i < b->result_count; i++) {
    if (b->results[i].status != GHZ_OK)
      return (ghz_status)b->results[i].status;
    job->report->inexact |= b->results[i].inexact;
  }
  return GHZ_OK;
}

static ghz_status made(const payload_job *job, device_buffer *b) {
  const ghz_cuda_outcome *o = &b->results[b->result_count - 1];
  if (o->size > b->buffer.capacity || o->terms > job->total_contributions)
    return GHZ_ECORRUPT;
  b->buffer.size = (size_t)o->size;
  return GHZ_OK;
}

static int poll(payload_job *job, const piece *p, buffer *what, ghz_status *status) {
  device_buffer *b = of(what);
  (void)p;
  if (!ghz_slot_poll(b, status))
    return 0;
  if (*status == GHZ_OK)
    *status = look_at_results(job, b);
  if (*status == GHZ_OK && b->work == ENCODE)
    *status = made(job, b);
  return 1;
}

static ghz_status make_sendable(payload_job *job, const piece *p, buffer *what) {
  device_buffer *b = of(what);
  (void)p;
  if (b->work != ENCODE || !is_bounced(b))
    return GHZ_OK;
  const stream_slot *slot = ghz_device_slot(job->device);
  begin(b, FETCH);
  return ghz_slot_commit(slot, b, ghz_slot_copy(slot, b->buffer.memory, b->device, b->buffer.size));
}

static ghz_status peek(payload_job *job, const buffer *in, void *dst, size_t size) {
  (void)job;
  return ghz_device_copy(dst, in->memory, size);
}

const payload ghz_payload_device = {.capacity = ghz_payload_capacity,
                                    .encode = encode,
                                    .validate = validate,
                                    .reduce = reduce,
                                    .decode = decode,
                                    .scratch = 1,
                                    .poll = poll,
                                    .make_sendable = make_sendable,
                                    .peek = peek};

#endif
