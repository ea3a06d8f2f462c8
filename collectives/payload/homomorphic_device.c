/* homomorphic_device.c: as homomorphic.c, on a GPU: its calls put work on a stream, and the engine
 * asks for the end.
 *
 * Bytes are brought where they are needed and no sooner: a message that arrived in pinned memory is
 * copied to the device by the work that reads it there, and what was made on the device is copied
 * back only if it has to be sent from pinned memory. Where one of the rank's buffers is on the
 * host, the CPU compresses from there, or decompresses to there, so that even then only compressed
 * bytes are copied. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "payload/device.h"
#include "payload/payloads.h"

#ifdef GHZ_HAVE_CUDA

/* What a device does with a buffer. */
enum work {
  ENCODE,       /* makes its bytes */
  FETCH,        /* copies them to pinned memory */
  FETCH_DECODE, /* the same, for the CPU to unpack */
  DECODE        /* makes values of them */
};

static device_buffer *of(buffer *b) {
  return (device_buffer *)b;
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

/* Ends the list. What was put on the slot before something failed must have ended before its memory
 * is used again. */
static ghz_status commit(const stream_slot *slot, device_buffer *b, ghz_status status) {
  if (status == GHZ_OK)
    status = ghz_slot_mark(slot, b);
  if (status == GHZ_OK)
    b->buffer.pending = 1;
  else
    ghz_slot_wait(slot);
  return status;
}

/* Has a message's bytes in device memory, by the time that what follows on the slot runs. */
static ghz_status copy_to_device(const stream_slot *slot, const device_buffer *b) {
  return b->on_device ? GHZ_OK : ghz_slot_copy(slot, b->device, b->host, b->buffer.size);
}

/* A message as an operand: of what is not yet made, the size is not known. */
static ghz_bytes operand(const device_buffer *b) {
  return (ghz_bytes){b->device, b->buffer.size ? b->buffer.size : b->buffer.capacity};
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* This rank's contribution becomes b: by the CPU, or by the slot, with a result of `work`. */
static ghz_status encode_to(payload_job *job, const piece *p, const stream_slot *slot, device_buffer *b,
                            device_buffer *work) {
  b->on_host = !job->source_on_device;
  b->on_device = job->source_on_device;
  if (!job->source_on_device)
    return ghz_payload_compress(job, p, p->part->source, &b->buffer);
  return ghz_cuda_slice_compress(slot->gpu, &job->lattice, job->order, p->part->source, p->part->shape,
                                 p->first, p->tiles, b->device, b->buffer.capacity, new_result(work),
                                 slot->stream);
}

static ghz_status encode(payload_job *job, const piece *p, buffer *out) {
  const stream_slot *slot = ghz_device_slot(job->device);
  begin(of(out), ENCODE);
  ghz_status status = encode_to(job, p, slot, of(out), of(out));
  return job->source_on_device ? commit(slot, of(out), status) : status;
}

/* A message that MPI put into device memory is checked there, when it is used. */
static ghz_status validate(payload_job *job, const piece *p, buffer *in) {
  of(in)->on_host = of(in)->host != NULL;
  of(in)->on_device = !of(in)->host;
  if (of(in)->on_host)
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
  out->on_device = 1;
  out->on_host = 0;
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
  if (!mine)
    status = encode_to(job, p, slot, of(own), of(out));
  if (status == GHZ_OK)
    status =
        add(job, p, slot, (const device_buffer *)(mine ? mine : own), (const device_buffer *)theirs, of(out));
  return commit(slot, of(out), status);
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

static ghz_status decode_on_device(payload_job *job, const piece *p, device_buffer *b) {
  const stream_slot *slot = ghz_device_slot(job->device);
  device_buffer *values = b;
  begin(b, DECODE);
  ghz_status status = copy_to_device(slot, b);
  if (status == GHZ_OK && job->average)
    status = divide(job, p, slot, b, &values);
  if (status == GHZ_OK)
    status = ghz_cuda_slice_decompress_into(slot->gpu, slice_of(job, p), operand(values), job->lattice.type,
                                            p->part->target, new_result(b), slot->stream);
  return commit(slot, b, status);
}

static ghz_status fetch(payload_job *job, device_buffer *b, enum work why) {
  const stream_slot *slot = ghz_device_slot(job->device);
  begin(b, why);
  return commit(slot, b, ghz_slot_copy(slot, b->host, b->device, b->buffer.size));
}

static ghz_status decode_on_host(payload_job *job, const piece *p, device_buffer *b) {
  ghz_status status = ghz_payload_validate(job, p, &b->buffer);
  return status == GHZ_OK ? ghz_payload_homomorphic.decode(job, p, &b->buffer) : status;
}

static ghz_status decode(payload_job *job, const piece *p, const buffer *result) {
  device_buffer *b = (device_buffer *)(uintptr_t)result; /* the work on it is noted there */
  if (job->target_on_device)
    return decode_on_device(job, p, b);
  return b->on_host ? decode_on_host(job, p, b) : fetch(job, b, FETCH_DECODE);
}

/* ---- The end of work ------------------------------------------------------------------------- */

/* The first that is not GHZ_OK. */
static ghz_status status_of(const device_buffer *b) {
  for (int i = 0; i < b->result_count; i++)
    if (b->results[i].status != GHZ_OK)
      return (ghz_status)b->results[i].status;
  return GHZ_OK;
}

static ghz_status made(payload_job *job, device_buffer *b) {
  const ghz_cuda_outcome *o = &b->results[b->result_count - 1];
  if (o->size > b->buffer.capacity || o->terms > job->total_contributions)
    return GHZ_ECORRUPT;
  b->buffer.size = (size_t)o->size;
  job->report->inexact |= o->inexact;
  return GHZ_OK;
}

static int poll(payload_job *job, const piece *p, buffer *what, ghz_status *status) {
  device_buffer *b = of(what);
  if (!ghz_slot_poll(b, status))
    return 0;
  if (*status == GHZ_OK)
    *status = status_of(b);
  if (*status != GHZ_OK)
    return 1;
  if (b->work == ENCODE)
    *status = made(job, b);
  else if (b->work == DECODE)
    job->report->inexact |= b->results[b->result_count - 1].inexact;
  else
    b->on_host = 1;
  if (b->work == FETCH_DECODE)
    *status = decode_on_host(job, p, b);
  return 1;
}

static ghz_status make_sendable(payload_job *job, const piece *p, buffer *what) {
  device_buffer *b = of(what);
  (void)p;
  return b->on_host || !b->host ? GHZ_OK : fetch(job, b, FETCH);
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
