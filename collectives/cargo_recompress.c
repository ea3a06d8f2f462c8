/* cargo_recompress.c: what other libraries do, for comparison: decompress, operate on values, compress again.
 *
 * `recompress` does so for reductions only, and leaves data alone that merely move (C-Coll, IPDPS'24); `per
 * hop` does so wherever data arrive, as point-to-point calls with compression inside would (CPRP2P in the same
 * paper).
 */

#include "cargo.h"

/* A parcel that holds one piece's values has room for them: a message is never shorter than its tiles can
 * become. */
static size_t room(const cargo_job *job, uint64_t tiles) {
  size_t message = ghz_cargo_room(job, tiles, 1), values = (size_t)tiles * GHZ_TILE * job->value_size;
  return message && message < values ? values : message;
}

static ghz_status load(cargo_job *job, const piece *p, parcel *out) {
  return ghz_cargo_compress(job, p, p->part->source, out);
}

static ghz_status unpack(cargo_job *job, const parcel *from, void *values) {
  double start = MPI_Wtime();
  ghz_status status = ghz_slice_decompress(job->codec, &from->slice, job->lattice.type, values);
  job->report->decompress += MPI_Wtime() - start;
  return status;
}

/* Compresses values that are a piece by themselves: as its range of an array that begins where the part would. */
static ghz_status pack(cargo_job *job, const piece *p, const parcel *values, parcel *out) {
  return ghz_cargo_compress(job, p, (const void *)((uintptr_t)values->memory - piece_offset(job, p)), out);
}

static ghz_status merge_values(cargo_job *job, const piece *p, const parcel *mine, parcel *sum, parcel *other) {
  const void *own = mine ? other->memory : p->part->source + piece_offset(job, p);
  ghz_status status = mine ? unpack(job, mine, other->memory) : GHZ_OK;
  double start = MPI_Wtime();
  if (status == GHZ_OK)
    ghz_cargo_operate(job, sum->memory, own, ghz_piece_values(job->plan, p));
  job->report->combine += MPI_Wtime() - start;
  return status;
}

static ghz_status merge(cargo_job *job, const piece *p, const parcel *mine, const parcel *theirs, parcel *out) {
  parcel *sum = ghz_parcel_take(job->pool), *other = ghz_parcel_take(job->pool);
  ghz_status status = sum && other ? unpack(job, theirs, sum->memory) : GHZ_ENOMEM;
  if (status == GHZ_OK)
    status = merge_values(job, p, mine, sum, other);
  if (status == GHZ_OK)
    status = pack(job, p, sum, out);
  ghz_parcel_drop(job->pool, sum);
  ghz_parcel_drop(job->pool, other);
  return status;
}

static ghz_status relay(cargo_job *job, const piece *p, const parcel *in, parcel *out) {
  parcel *values = ghz_parcel_take(job->pool);
  ghz_status status = values ? unpack(job, in, values->memory) : GHZ_ENOMEM;
  if (status == GHZ_OK)
    status = pack(job, p, values, out);
  ghz_parcel_drop(job->pool, values);
  return status;
}

static ghz_status deliver(cargo_job *job, const piece *p, const parcel *result) {
  uint8_t *target = p->part->target + piece_offset(job, p);
  ghz_status status = unpack(job, result, target);
  if (status == GHZ_OK)
    ghz_cargo_average(job, target, ghz_piece_values(job->plan, p));
  return status;
}

const cargo ghz_cargo_recompress = {room, load, ghz_cargo_accept, merge, NULL, deliver, NULL};
const cargo ghz_cargo_per_hop = {room, load, ghz_cargo_accept, merge, relay, deliver, NULL};
