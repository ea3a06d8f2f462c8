/* cargo_homomorphic.c: compress once, add and compare compressed, decompress once. */

#include "cargo.h"

#include <string.h>

static size_t room(const cargo_job *job, uint64_t tiles) {
  return ghz_cargo_room(job, tiles, job->reduction == REDUCE_SUM ? job->total_contributions : 1);
}

/* out = a op b. */
static ghz_status operate(cargo_job *job, const ghz_slice *a, const ghz_slice *b, parcel *out) {
  double start = MPI_Wtime();
  ghz_status status;
  if (job->reduction == REDUCE_SUM)
    status = ghz_slice_sum(job->codec, 2, (ghz_slice[]){*a, *b}, out->memory, out->room, &out->slice);
  else
    status =
        ghz_slice_extremum(job->codec, a, b, job->reduction == REDUCE_MAX, out->memory, out->room, &out->slice);
  out->size = ghz_slice_size(&out->slice);
  job->report->inexact |= status == GHZ_OK && out->slice.inexact;
  job->report->combine += MPI_Wtime() - start;
  return status;
}

/* A sum of nothing: no terms, and every tile empty. */
static ghz_status load_nothing(cargo_job *job, const piece *p, parcel *out) {
  out->slice = (ghz_slice){.lattice = job->lattice,
                           .count = job->plan->layout.count,
                           .first = p->first,
                           .tiles = p->tiles,
                           .sizes = out->memory + GHZ_SLICE_HEADER};
  out->size = ghz_slice_size(&out->slice);
  out->slice.payload = out->memory + out->size;
  if (out->size > out->room)
    return GHZ_ECAPACITY;
  memset(out->memory + GHZ_SLICE_HEADER, 0, 2 * (size_t)p->tiles);
  return ghz_slice_header(&out->slice, out->memory);
}

static void swap(parcel *a, parcel *b) {
  parcel c = *a;
  *a = *b;
  *b = c;
}

/* Adds contribution after contribution, going back and forth between two parcels. */
static ghz_status load_many(cargo_job *job, const piece *p, parcel *out) {
  parcel *one = ghz_parcel_take(job->pool), *next = ghz_parcel_take(job->pool);
  ghz_status status = one && next ? load_nothing(job, p, out) : GHZ_ENOMEM;
  for (int i = 0; i < job->contributions && status == GHZ_OK; i++) {
    status = ghz_cargo_compress(job, p, p->part->source + (size_t)i * job->stride, one);
    if (status == GHZ_OK && i == 0 && job->reduction != REDUCE_SUM)
      swap(out, one);
    else if (status == GHZ_OK && (status = operate(job, &out->slice, &one->slice, next)) == GHZ_OK)
      swap(out, next);
  }
  ghz_parcel_drop(job->pool, one);
  ghz_parcel_drop(job->pool, next);
  return status;
}

/* The only contribution of all ranks is made a sum, too, as it would be if others contributed nothing to it. */
static ghz_status load(cargo_job *job, const piece *p, parcel *out) {
  int lone = job->reduction == REDUCE_SUM && job->total_contributions == 1;
  if (job->reduction == REDUCE_NONE || (job->contributions == 1 && !lone))
    return ghz_cargo_compress(job, p, p->part->source, out);
  return load_many(job, p, out);
}

static ghz_status merge(cargo_job *job, const piece *p, const parcel *mine, const parcel *theirs, parcel *out) {
  if (mine)
    return operate(job, &mine->slice, &theirs->slice, out);
  parcel *own = ghz_parcel_take(job->pool);
  ghz_status status = own ? load(job, p, own) : GHZ_ENOMEM;
  if (status == GHZ_OK)
    status = operate(job, &own->slice, &theirs->slice, out);
  ghz_parcel_drop(job->pool, own);
  return status;
}

static ghz_status deliver(cargo_job *job, const piece *p, const parcel *result) {
  double start = MPI_Wtime();
  const ghz_slice *slice = &result->slice;
  parcel *mean = job->average ? ghz_parcel_take(job->pool) : NULL;
  ghz_status status = job->average && !mean ? GHZ_ENOMEM : GHZ_OK;
  if (mean) {
    status =
        ghz_slice_mean(job->codec, slice, job->total_contributions, mean->memory, mean->room, &mean->slice);
    slice = &mean->slice;
  }
  if (status == GHZ_OK)
    status = ghz_slice_decompress(job->codec, slice, job->lattice.type, p->part->target + piece_offset(job, p));
  ghz_parcel_drop(job->pool, mean);
  job->report->decompress += MPI_Wtime() - start;
  return status;
}

const cargo ghz_cargo_homomorphic = {room, load, ghz_cargo_accept, merge, NULL, deliver, NULL};
