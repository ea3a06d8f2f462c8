/* homomorphic_device.c: as homomorphic.c, on a GPU: its calls put work on a stream, and the engine asks for the end.
 *
 * Bytes are brought where they are needed and no sooner: a message that arrived in pinned memory is copied to the device by
 * the work that reads it there, and what was made on the device is copied back only if it has to be sent from pinned
 * memory. Where one of the rank's buffers is on the host, the CPU compresses from there, or decompresses to there, so that
 * even then only compressed bytes are copied.
 */

#include "payload/common.h"
#include "payload/device.h"

#ifdef GHZ_HAVE_CUDA

/* What a device does with a buffer. */
enum work {
  ENCODE,       /* makes its bytes */
  FETCH,        /* copies them to pinned memory */
  FETCH_DECODE, /* the same, for the CPU to unpack */
  DECODE        /* makes values of them */
};

static device_buffer *of(buffer *p) {
  return (device_buffer *)p;
}

/* ---- Putting work on a slot -------------------------------------------------------------------------- */

/* Begins a list of what the slot is to do with q: its results are still to come. */
static void begin(device_buffer *q, enum work work) {
  q->work = (int)work;
  q->result_count = 0;
}

static ghz_cuda_outcome *new_result(device_buffer *q) {
  return &q->results[q->result_count++];
}

/* Ends the list. What was put on the slot before something failed must have ended before its memory is used again. */
static ghz_status commit(const stream_slot *l, device_buffer *q, ghz_status status) {
  if (status == GHZ_OK)
    status = ghz_slot_mark(l, q);
  if (status == GHZ_OK)
    q->buffer.pending = 1;
  else
    ghz_slot_wait(l);
  return status;
}

/* Has a message's bytes in device memory, by the time that what follows on the slot runs. */
static ghz_status copy_to_device(const stream_slot *l, const device_buffer *q) {
  return q->on_device ? GHZ_OK : ghz_slot_copy(l, q->device, q->host, q->buffer.size);
}

/* A message as an operand: of what is not yet made, the size is not known. */
static ghz_bytes operand(const device_buffer *q) {
  return (ghz_bytes){q->device, q->buffer.size ? q->buffer.size : q->buffer.capacity};
}

/* ---- Packing ----------------------------------------------------------------------------------------- */

/* This rank's contribution becomes q: by the CPU, or by the slot, with a result of `work`. */
static ghz_status encode_to(payload_job *job, const piece *p, const stream_slot *l, device_buffer *q,
                            device_buffer *work) {
  q->on_host = !job->source_on_device;
  q->on_device = job->source_on_device;
  if (!job->source_on_device)
    return ghz_payload_compress(job, p, p->part->source, &q->buffer);
  return ghz_cuda_slice_compress(l->gpu, &job->lattice, GHZ_ORDER_BEST, p->part->source,
                                 job->plan->layout.count, p->first, p->tiles, q->device, q->buffer.capacity,
                                 new_result(work), l->stream);
}

static size_t capacity(const payload_job *job, uint64_t tiles) {
  return ghz_payload_homomorphic.capacity(job, tiles);
}

static ghz_status encode(payload_job *job, const piece *p, buffer *out) {
  const stream_slot *l = ghz_device_slot(job->device);
  begin(of(out), ENCODE);
  ghz_status status = encode_to(job, p, l, of(out), of(out));
  return job->source_on_device ? commit(l, of(out), status) : status;
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
  return (ghz_cuda_slice){job->lattice.type, job->plan->layout.count, p->first, p->tiles};
}

/* ---- Adding ------------------------------------------------------------------------------------------ */

static ghz_status add(payload_job *job, const piece *p, const stream_slot *l, const device_buffer *a,
                      const device_buffer *b, device_buffer *out) {
  ghz_status status = copy_to_device(l, a);
  if (status == GHZ_OK)
    status = copy_to_device(l, b);
  out->on_device = 1;
  out->on_host = 0;
  if (status == GHZ_OK)
    status = ghz_cuda_slice_sum(l->gpu, slice_of(job, p), 2, (ghz_bytes[]){operand(a), operand(b)}, 1,
                                out->device, out->buffer.capacity, new_result(out), l->stream);
  return status;
}

static ghz_status reduce(payload_job *job, const piece *p, const buffer *mine, const buffer *theirs,
                         buffer *out) {
  const stream_slot *l = ghz_device_slot(job->device);
  buffer *own = mine ? NULL : ghz_buffer_acquire(job->pool);
  ghz_status status = GHZ_OK;
  begin(of(out), ENCODE);
  out->operands[0] = own;
  if (own)
    status = encode_to(job, p, l, of(own), of(out));
  if (status == GHZ_OK)
    status = add(job, p, l, (const device_buffer *)(mine ? mine : own), (const device_buffer *)theirs, of(out));
  return commit(l, of(out), status);
}

/* ---- Unpacking --------------------------------------------------------------------------------------- */

static uint8_t *target(const payload_job *job, const piece *p) {
  return p->part->target + piece_offset(job, p);
}

/* The mean of a sum; it is held by the sum. */
static ghz_status divide(payload_job *job, const piece *p, const stream_slot *l, device_buffer *sum,
                         device_buffer **mean) {
  buffer *out = ghz_buffer_acquire(job->pool);
  sum->buffer.operands[0] = out;
  *mean = of(out);
  return ghz_cuda_slice_sum(l->gpu, slice_of(job, p), 1, (ghz_bytes[]){operand(sum)}, job->total_contributions,
                            of(out)->device, out->capacity, new_result(sum), l->stream);
}

static ghz_status decode_on_device(payload_job *job, const piece *p, device_buffer *q) {
  const stream_slot *l = ghz_device_slot(job->device);
  device_buffer *values = q;
  begin(q, DECODE);
  ghz_status status = copy_to_device(l, q);
  if (status == GHZ_OK && job->average)
    status = divide(job, p, l, q, &values);
  if (status == GHZ_OK)
    status = ghz_cuda_slice_decompress(l->gpu, slice_of(job, p), operand(values), job->lattice.type,
                                       target(job, p), new_result(q), l->stream);
  return commit(l, q, status);
}

static ghz_status fetch(payload_job *job, device_buffer *q, enum work why) {
  const stream_slot *l = ghz_device_slot(job->device);
  begin(q, why);
  return commit(l, q, ghz_slot_copy(l, q->host, q->device, q->buffer.size));
}

static ghz_status decode_on_host(payload_job *job, const piece *p, device_buffer *q) {
  ghz_status status = ghz_payload_validate(job, p, &q->buffer);
  return status == GHZ_OK ? ghz_payload_homomorphic.decode(job, p, &q->buffer) : status;
}

static ghz_status decode(payload_job *job, const piece *p, const buffer *result) {
  device_buffer *q = (device_buffer *)(uintptr_t)result; /* the work on it is noted there */
  if (job->target_on_device)
    return decode_on_device(job, p, q);
  return q->on_host ? decode_on_host(job, p, q) : fetch(job, q, FETCH_DECODE);
}

const payload ghz_payload_device = {.capacity = capacity,
                                    .encode = encode,
                                    .validate = validate,
                                    .reduce = reduce,
                                    .decode = decode,
                                    .scratch = 1};

/* ---- Async ops ----------------------------------------------------------------------------------------- */

/* The first that is not GHZ_OK. */
static ghz_status status_of(const device_buffer *q) {
  for (int i = 0; i < q->result_count; i++)
    if (q->results[i].status != GHZ_OK)
      return (ghz_status)q->results[i].status;
  return GHZ_OK;
}

static ghz_status made(payload_job *job, device_buffer *q) {
  const ghz_cuda_outcome *o = &q->results[q->result_count - 1];
  if (o->size > q->buffer.capacity || o->terms > job->total_contributions)
    return GHZ_ECORRUPT;
  q->buffer.size = (size_t)o->size;
  job->report->inexact |= o->inexact;
  return GHZ_OK;
}

static int poll(payload_job *job, const piece *p, buffer *what, ghz_status *status) {
  device_buffer *q = of(what);
  if (!ghz_slot_poll(q, status))
    return 0;
  if (*status == GHZ_OK)
    *status = status_of(q);
  if (*status != GHZ_OK)
    return 1;
  if (q->work == ENCODE)
    *status = made(job, q);
  else if (q->work == DECODE)
    job->report->inexact |= q->results[q->result_count - 1].inexact;
  else
    q->on_host = 1;
  if (q->work == FETCH_DECODE)
    *status = decode_on_host(job, p, q);
  return 1;
}

static ghz_status make_sendable(payload_job *job, const piece *p, buffer *what) {
  device_buffer *q = of(what);
  (void)p;
  return q->on_host || !q->host ? GHZ_OK : fetch(job, q, FETCH);
}

static ghz_status peek(payload_job *job, const buffer *in, void *dst, size_t size) {
  (void)job;
  return ghz_device_copy(dst, in->data, size);
}

const async_ops ghz_device_async_ops = {poll, make_sendable, peek};

#endif
