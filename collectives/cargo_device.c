/* cargo_device.c: as cargo_homomorphic.c, on a GPU: its calls put work on a stream, and the conveyor asks for the end.
 *
 * Bytes are brought where they are needed and no sooner: a message that arrived in pinned memory is copied to the device by
 * the work that reads it there, and what was made on the device is copied back only if it has to be sent from pinned
 * memory. Where one of the rank's buffers is on the host, the CPU compresses from there, or decompresses to there, so that
 * even then only compressed bytes are copied.
 */

#include "device.h"

#ifdef GHZ_HAVE_CUDA

/* What a device does with a parcel. */
enum work {
  MAKE,  /* makes its bytes */
  FETCH, /* copies them to pinned memory */
  SHOW,  /* the same, for the CPU to unpack */
  UNPACK /* makes values of them */
};

static device_parcel *of(parcel *p) {
  return (device_parcel *)p;
}

/* ---- Putting work on a lane -------------------------------------------------------------------------- */

/* Begins a list of what the lane is to do with q: its outcomes are still to come. */
static void begin(device_parcel *q, enum work work) {
  q->work = (int)work;
  q->outcome_count = 0;
}

static ghz_cuda_outcome *new_outcome(device_parcel *q) {
  return &q->outcomes[q->outcome_count++];
}

/* Ends the list. What was put on the lane before something failed must have ended before its memory is used again. */
static ghz_status commit(const lane *l, device_parcel *q, ghz_status status) {
  if (status == GHZ_OK)
    status = ghz_lane_mark(l, q);
  if (status == GHZ_OK)
    q->parcel.pending = 1;
  else
    ghz_lane_wait(l);
  return status;
}

/* Has a message's bytes in device memory, by the time that what follows on the lane runs. */
static ghz_status bring(const lane *l, const device_parcel *q) {
  return q->is_there ? GHZ_OK : ghz_lane_copy(l, q->there, q->here, q->parcel.size);
}

/* A message as an operand: of what is not yet made, the size is not known. */
static ghz_bytes operand(const device_parcel *q) {
  return (ghz_bytes){q->there, q->parcel.size ? q->parcel.size : q->parcel.room};
}

/* ---- Packing ----------------------------------------------------------------------------------------- */

/* This rank's contribution becomes q: by the CPU, or by the lane, with an outcome of `work`. */
static ghz_status pack(cargo_job *job, const piece *p, const lane *l, device_parcel *q, device_parcel *work) {
  q->is_here = !job->source_there;
  q->is_there = job->source_there;
  if (!job->source_there)
    return ghz_cargo_compress(job, p, p->part->source, &q->parcel);
  return ghz_cuda_slice_compress(l->gpu, &job->lattice, GHZ_ORDER_BEST, p->part->source,
                                 job->plan->layout.count, p->first, p->tiles, q->there, q->parcel.room,
                                 new_outcome(work), l->stream);
}

static size_t room(const cargo_job *job, uint64_t tiles) {
  return ghz_cargo_homomorphic.room(job, tiles);
}

static ghz_status load(cargo_job *job, const piece *p, parcel *out) {
  const lane *l = ghz_device_lane(job->device);
  begin(of(out), MAKE);
  ghz_status status = pack(job, p, l, of(out), of(out));
  return job->source_there ? commit(l, of(out), status) : status;
}

/* A message that MPI put into device memory is checked there, when it is used. */
static ghz_status accept(cargo_job *job, const piece *p, parcel *in) {
  of(in)->is_here = of(in)->here != NULL;
  of(in)->is_there = !of(in)->here;
  if (of(in)->is_here)
    return ghz_cargo_accept(job, p, in);
  return in->size < GHZ_SLICE_HEADER + 2 * p->tiles ? GHZ_ECORRUPT : GHZ_OK;
}

/* ---- Adding ------------------------------------------------------------------------------------------ */

static ghz_status add(cargo_job *job, const piece *p, const lane *l, const device_parcel *a,
                      const device_parcel *b, device_parcel *out) {
  ghz_status status = bring(l, a);
  if (status == GHZ_OK)
    status = bring(l, b);
  out->is_there = 1;
  out->is_here = 0;
  if (status == GHZ_OK)
    status = ghz_cuda_slice_sum(l->gpu, job->lattice.type, job->plan->layout.count, p->first, p->tiles, 2,
                                (ghz_bytes[]){operand(a), operand(b)}, 1, out->there, out->parcel.room,
                                new_outcome(out), l->stream);
  return status;
}

static ghz_status merge(cargo_job *job, const piece *p, const parcel *mine, const parcel *theirs, parcel *out) {
  const lane *l = ghz_device_lane(job->device);
  parcel *own = mine ? NULL : ghz_parcel_take(job->pool);
  ghz_status status = mine || own ? GHZ_OK : GHZ_ENOMEM;
  begin(of(out), MAKE);
  out->made_from[0] = own;
  if (own)
    status = pack(job, p, l, of(own), of(out));
  if (status == GHZ_OK)
    status = add(job, p, l, (const device_parcel *)(mine ? mine : own), (const device_parcel *)theirs, of(out));
  return commit(l, of(out), status);
}

/* ---- Unpacking --------------------------------------------------------------------------------------- */

static uint8_t *target(const cargo_job *job, const piece *p) {
  return p->part->target + piece_offset(job, p);
}

/* The mean of a sum; it is held by the sum. */
static ghz_status divide(cargo_job *job, const piece *p, const lane *l, device_parcel *sum,
                         device_parcel **mean) {
  parcel *out = ghz_parcel_take(job->pool);
  sum->parcel.made_from[0] = out;
  *mean = of(out);
  if (!out)
    return GHZ_ENOMEM;
  return ghz_cuda_slice_sum(l->gpu, job->lattice.type, job->plan->layout.count, p->first, p->tiles, 1,
                            (ghz_bytes[]){operand(sum)}, job->total_contributions, of(out)->there, out->room,
                            new_outcome(sum), l->stream);
}

static ghz_status unpack_there(cargo_job *job, const piece *p, device_parcel *q) {
  const lane *l = ghz_device_lane(job->device);
  const ghz_type type = job->lattice.type;
  device_parcel *values = q;
  begin(q, UNPACK);
  ghz_status status = bring(l, q);
  if (status == GHZ_OK && job->average)
    status = divide(job, p, l, q, &values);
  if (status == GHZ_OK)
    status = ghz_cuda_slice_decompress(l->gpu, type, job->plan->layout.count, p->first, p->tiles,
                                       operand(values), type, target(job, p), new_outcome(q), l->stream);
  return commit(l, q, status);
}

static ghz_status fetch(cargo_job *job, device_parcel *q, enum work why) {
  const lane *l = ghz_device_lane(job->device);
  begin(q, why);
  return commit(l, q, ghz_lane_copy(l, q->here, q->there, q->parcel.size));
}

static ghz_status unpack_here(cargo_job *job, const piece *p, device_parcel *q) {
  ghz_status status = ghz_cargo_accept(job, p, &q->parcel);
  return status == GHZ_OK ? ghz_cargo_homomorphic.deliver(job, p, &q->parcel) : status;
}

static ghz_status deliver(cargo_job *job, const piece *p, const parcel *result) {
  device_parcel *q = (device_parcel *)(uintptr_t)result; /* the work on it is noted there */
  if (job->target_there)
    return unpack_there(job, p, q);
  return q->is_here ? unpack_here(job, p, q) : fetch(job, q, SHOW);
}

const cargo ghz_cargo_device = {room, load, accept, merge, NULL, deliver, NULL};

/* ---- Errands ----------------------------------------------------------------------------------------- */

/* The first that is not GHZ_OK. */
static ghz_status status_of(const device_parcel *q) {
  for (int i = 0; i < q->outcome_count; i++)
    if (q->outcomes[i].status != GHZ_OK)
      return (ghz_status)q->outcomes[i].status;
  return GHZ_OK;
}

static ghz_status made(cargo_job *job, device_parcel *q) {
  const ghz_cuda_outcome *o = &q->outcomes[q->outcome_count - 1];
  if (o->size > q->parcel.room || o->terms > job->total_contributions)
    return GHZ_ECORRUPT;
  q->parcel.size = (size_t)o->size;
  job->report->inexact |= o->inexact;
  return GHZ_OK;
}

static int ended(cargo_job *job, const piece *p, parcel *what, ghz_status *status) {
  device_parcel *q = of(what);
  if (!ghz_lane_passed(q, status))
    return 0;
  if (*status == GHZ_OK)
    *status = status_of(q);
  if (*status != GHZ_OK)
    return 1;
  if (q->work == MAKE)
    *status = made(job, q);
  else if (q->work == UNPACK)
    job->report->inexact |= q->outcomes[q->outcome_count - 1].inexact;
  else
    q->is_here = 1;
  if (q->work == SHOW)
    *status = unpack_here(job, p, q);
  return 1;
}

static ghz_status stage(cargo_job *job, const piece *p, parcel *what) {
  device_parcel *q = of(what);
  (void)p;
  return q->is_here || !q->here ? GHZ_OK : fetch(job, q, FETCH);
}

static ghz_status peek(cargo_job *job, const parcel *in, void *dst, size_t size) {
  (void)job;
  return ghz_device_copy(dst, in->data, size);
}

const cargo_errands ghz_cargo_device_errands = {ended, stage, peek};

#endif
