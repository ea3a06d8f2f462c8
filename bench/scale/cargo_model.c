/* cargo_model.c: cargoes without values: parcels as large as the real ones would be, and the time that they
 * would take.
 *
 * They stand in for the cargoes of collectives/ in a simulation. Everything else there is the real code.
 */
#include "cargo_model.h"

#include <cargo.h>
#include <mpi.h>
#include <string.h>

static const parameters *codec;

void cargo_model_use(const parameters *p) {
  codec = p;
}

/* The simulated host does 10^9 operations a second. smpi_execute takes seconds, but scales them by another
 * option. */
static void spend(double seconds, double *part) {
  smpi_execute_flops(seconds * 1e9);
  *part += seconds;
}

static double bytes_of(const cargo_job *job, const piece *p) {
  return (double)piece_bytes(job, p);
}

/* ---- What a parcel says: how many terms it sums ------------------------------------------------------ */

static void label(parcel *p, uint32_t terms) {
  p->slice.terms = terms;
  memcpy(p->memory, &terms, sizeof terms);
}

static void fill(const cargo_job *job, const piece *p, parcel *out, uint32_t terms) {
  out->size = (size_t)message_bytes(codec, bytes_of(job, p), terms);
  label(out, terms);
}

static ghz_status accept(cargo_job *job, const piece *p, parcel *in) {
  memcpy(&in->slice.terms, in->data, sizeof in->slice.terms);
  return in->slice.terms >= 1 && in->slice.terms <= job->total_contributions &&
                 in->size == (size_t)message_bytes(codec, bytes_of(job, p), in->slice.terms)
             ? GHZ_OK
             : GHZ_EMISMATCH;
}

static size_t room(const cargo_job *job, uint64_t tiles) {
  return (size_t)message_bytes(codec, (double)(tiles * GHZ_TILE * job->value_size), 1e9);
}

/* ---- Homomorphic, recompressing ---------------------------------------------------------------------- */

static ghz_status load(cargo_job *job, const piece *p, parcel *out) {
  spend(compress_seconds(codec, bytes_of(job, p)), &job->report->compress);
  fill(job, p, out, 1);
  return GHZ_OK;
}

static ghz_status merge(cargo_job *job, const piece *p, const parcel *mine, const parcel *theirs, parcel *out) {
  uint32_t here = mine ? mine->slice.terms : 1, there = theirs->slice.terms;
  if (!mine)
    spend(compress_seconds(codec, bytes_of(job, p)), &job->report->compress);
  spend(combine_seconds(codec, bytes_of(job, p), here > there ? here : there), &job->report->combine);
  fill(job, p, out, here + there);
  return GHZ_OK;
}

static ghz_status merge_values(cargo_job *job, const piece *p, const parcel *mine, const parcel *theirs,
                               parcel *out) {
  uint32_t here = mine ? mine->slice.terms : 1, there = theirs->slice.terms;
  double bytes = bytes_of(job, p);
  spend(decompress_seconds(codec, bytes, there), &job->report->decompress);
  if (mine)
    spend(decompress_seconds(codec, bytes, here), &job->report->decompress);
  spend(operate_seconds(codec, bytes), &job->report->combine);
  spend(compress_seconds(codec, bytes), &job->report->compress);
  fill(job, p, out, here + there);
  return GHZ_OK;
}

static ghz_status relay(cargo_job *job, const piece *p, const parcel *in, parcel *out) {
  double bytes = bytes_of(job, p);
  spend(decompress_seconds(codec, bytes, in->slice.terms), &job->report->decompress);
  spend(compress_seconds(codec, bytes), &job->report->compress);
  fill(job, p, out, in->slice.terms);
  return GHZ_OK;
}

static ghz_status deliver(cargo_job *job, const piece *p, const parcel *result) {
  spend(decompress_seconds(codec, bytes_of(job, p), result->slice.terms), &job->report->decompress);
  return GHZ_OK;
}

/* ---- Plain ------------------------------------------------------------------------------------------- */

static size_t plain_room(const cargo_job *job, uint64_t tiles) {
  return (size_t)tiles * GHZ_TILE * job->value_size;
}

static ghz_status plain_load(cargo_job *job, const piece *p, parcel *out) {
  out->size = piece_bytes(job, p);
  out->data = (uint8_t *)(uintptr_t)(p->part->source + piece_offset(job, p));
  return GHZ_OK;
}

static ghz_status plain_accept(cargo_job *job, const piece *p, parcel *in) {
  return in->size == piece_bytes(job, p) ? GHZ_OK : GHZ_EMISMATCH;
}

static ghz_status plain_merge(cargo_job *job, const piece *p, const parcel *mine, const parcel *theirs,
                              parcel *out) {
  (void)mine;
  spend(copy_seconds(codec, bytes_of(job, p)) + operate_seconds(codec, bytes_of(job, p)),
        &job->report->combine);
  out->size = theirs->size;
  return GHZ_OK;
}

static uint8_t *plain_landing(cargo_job *job, const piece *p) {
  return p->part->target ? p->part->target + piece_offset(job, p) : NULL;
}

/* What moved has landed where it belongs; what was merged here has not. */
static ghz_status plain_deliver(cargo_job *job, const piece *p, const parcel *result) {
  if (result->data != plain_landing(job, p))
    spend(copy_seconds(codec, bytes_of(job, p)), &job->report->decompress);
  return GHZ_OK;
}

const cargo ghz_cargo_homomorphic = {room, load, accept, merge, NULL, deliver, NULL};
const cargo ghz_cargo_recompress = {room, load, accept, merge_values, NULL, deliver, NULL};
const cargo ghz_cargo_per_hop = {room, load, accept, merge_values, relay, deliver, NULL};
const cargo ghz_cargo_plain = {plain_room, plain_load,    plain_accept, plain_merge,
                               NULL,       plain_deliver, plain_landing};

/* ---- The pass over the values that finds their range; linked in place of libghz's --------------------- */

ghz_status __wrap_ghz_range(ghz_context *ctx, ghz_type type, const void *x, size_t n, double *min,
                            double *max) {
  double ignored = 0;
  (void)ctx, (void)x;
  spend(scan_seconds(codec, (double)(n * ghz_type_size(type))), &ignored);
  *min = -1;
  *max = 1;
  return GHZ_OK;
}
