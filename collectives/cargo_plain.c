/* cargo_plain.c: the values themselves, for comparison, and for data and networks that compression does not
 * help. */

#include "cargo.h"

#include <string.h>

static size_t room(const cargo_job *job, uint64_t tiles) {
  return (size_t)tiles * GHZ_TILE * job->value_size;
}

static const uint8_t *source(const cargo_job *job, const piece *p) {
  return p->part->source + piece_offset(job, p);
}

static uint8_t *target(const cargo_job *job, const piece *p) {
  return p->part->target ? p->part->target + piece_offset(job, p) : NULL;
}

/* Sends values from where they are, unless the result will be written there before they have left. */
static ghz_status load(cargo_job *job, const piece *p, parcel *out) {
  out->size = piece_bytes(job, p);
  if (job->reduction != REDUCE_NONE && target(job, p) == source(job, p))
    memcpy(out->memory, source(job, p), out->size);
  else
    out->data = (uint8_t *)(uintptr_t)source(job, p); /* only read: a borrowed parcel is never written to */
  return GHZ_OK;
}

static ghz_status accept(cargo_job *job, const piece *p, parcel *in) {
  return in->size == piece_bytes(job, p) ? GHZ_OK : GHZ_EMISMATCH;
}

static ghz_status merge(cargo_job *job, const piece *p, const parcel *mine, const parcel *theirs, parcel *out) {
  double start = MPI_Wtime();
  out->size = theirs->size;
  memcpy(out->memory, mine ? mine->data : source(job, p), out->size);
  ghz_cargo_operate(job, out->memory, theirs->data, ghz_piece_values(job->plan, p));
  job->report->combine += MPI_Wtime() - start;
  return GHZ_OK;
}

static ghz_status deliver(cargo_job *job, const piece *p, const parcel *result) {
  if (result->data != target(job, p))
    memcpy(target(job, p), result->data, result->size);
  ghz_cargo_average(job, target(job, p), ghz_piece_values(job->plan, p));
  return GHZ_OK;
}

/* Data that only move land where they belong, as nobody changes them there before they have been sent on: a
 * reduction's own contribution may still have to leave from there. */
static uint8_t *landing(cargo_job *job, const piece *p) {
  return job->average || (job->reduction != REDUCE_NONE && p->part->target == p->part->source) ? NULL
                                                                                               : target(job, p);
}

const cargo ghz_cargo_plain = {room, load, accept, merge, NULL, deliver, landing};
