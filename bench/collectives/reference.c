/* reference.c: owns the exact result. Every rank computes its share of it from the input values of
 * all ranks. Every value travels once; a rank holds at most 16 bytes per value of its share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { PIECE = 1 << 18, TAG = 11 }; /* values that travel together */

double value_at(const options *o, const void *values, size_t i) {
  return type_bytes(o) == sizeof(float) ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

/* ---- Range ----------------------------------------------------------------------------------- */

static void find_range(const job *j, reference *r) {
  double low[2] = {INFINITY, INFINITY}, all[2]; /* of x and of -x */
  for (size_t i = 0; i < j->input_count; i++) {
    double x = value_at(j->options, j->input, i);
    if (!isfinite(x))
      continue;
    low[0] = x < low[0] ? x : low[0];
    low[1] = -x < low[1] ? -x : low[1];
  }
  MPI_Allreduce(low, all, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  r->least = all[0];
  r->most = -all[1];
}

/* The largest error that mpi.h promises: "bound". */
static double promise(const options *o, const reference *r) {
  ghz_lattice lattice;
  double eb = o->bound.value;
  const int zeros = r->least == 0 && r->most == 0;
  if (o->bound.kind == GHZ_REL)
    eb *= r->most >= r->least ? r->most - r->least : 0;
  else if (o->bound.kind == GHZ_PSNR &&
           ghz_lattice_make(type_bytes(o) == sizeof(float) ? GHZ_F32 : GHZ_F64, o->bound,
                            zeros ? INFINITY : r->least, zeros ? -INFINITY : r->most, &lattice) == GHZ_OK)
    eb = lattice.eb;
  return reduces(tested.what) && !o->of_result ? world_size() * eb : eb;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* (high, low) += x, with an error of some 2^-104 of the sum. */
static void add_exactly(double *high, double *low, double x) {
  double sum = *high + x, part = sum - *high;
  double error = (*high - (sum - part)) + (x - part);
  double rest = *low + error;
  *high = sum + rest;
  *low = rest - (*high - sum);
  if (!isfinite(sum)) {
    *high = sum;
    *low = 0;
  }
}

typedef struct filling {
  const job *job;
  reference *reference;
} filling;

static void fold(void *user, size_t first, const void *values, size_t count) {
  const filling *f = user;
  for (size_t i = 0; i < count; i++)
    add_exactly(f->reference->high + first + i, f->reference->low + first + i,
                value_at(f->job->options, values, i));
}

/* Every rank receives its share of the others' inputs and reduces it. */
static void reduce_shares(filling *f) {
  const job *j = f->job;
  const options *o = j->options;
  int rank = world_rank(), ranks = world_size();
  size_t bytes = type_bytes(o), mine = share_count(j->total, rank), largest = share_count(j->total, 0);
  void *buffer = touched(PIECE * bytes);
  fold(f, 0, j->input + share_first(j->total, rank) * bytes, mine);
  for (int shift = 1; shift < ranks; shift++) {
    int to = (rank + shift) % ranks, from = (rank + ranks - shift) % ranks;
    for (size_t at = 0; at < largest; at += PIECE) {
      int give = piece_count(share_count(j->total, to), at), get = piece_count(mine, at);
      const char *theirs = j->input + (share_first(j->total, to) + (give ? at : 0)) * bytes;
      MPI_Sendrecv(theirs, give, type_of(o), to, TAG, buffer, get, type_of(o), from, TAG, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      fold(f, at, buffer, (size_t)get);
    }
  }
  free(buffer);
}

/* ---- Moved data ------------------------------------------------------------------------------ */

int piece_count(size_t count, size_t at) {
  size_t left = count > at ? count - at : 0;
  return (int)(left < PIECE ? left : PIECE);
}

void deliver_shares(const job *j, const void *whole, int from, piece_taker *take, void *user) {
  const options *o = j->options;
  int rank = world_rank();
  size_t bytes = type_bytes(o), mine = share_count(j->total, rank);
  if (rank == from) {
    const char *start = whole;
    for (int to = 0; to < world_size(); to++)
      for (size_t at = 0, count = share_count(j->total, to); to != rank && at < count; at += PIECE)
        MPI_Send(start + (share_first(j->total, to) + at) * bytes, piece_count(count, at), type_of(o), to, TAG,
                 MPI_COMM_WORLD);
    take(user, 0, start + share_first(j->total, rank) * bytes, mine);
    return;
  }
  void *buffer = touched(PIECE * bytes);
  for (size_t at = 0; at < mine; at += PIECE) {
    int count = piece_count(mine, at);
    MPI_Recv(buffer, count, type_of(o), from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    take(user, at, buffer, (size_t)count);
  }
  free(buffer);
}

/* ---- The result ------------------------------------------------------------------------------ */

reference reference_make(const job *j) {
  const options *o = j->options;
  reference r = {0};
  find_range(j, &r);
  r.promise = promise(o, &r);
  if (!o->check)
    return r;
  size_t count = share_count(j->total, world_rank());
  r.high = touched(count * sizeof(double));
  r.low = touched(count * sizeof(double));
  for (size_t i = 0; i < count; i++)
    r.high[i] = r.low[i] = 0;
  filling f = {j, &r};
  if (reduces(tested.what))
    reduce_shares(&f);
  else if (tested.input == BLOCK_EACH)
    fold(&f, 0, j->input, count);
  else
    deliver_shares(j, j->input, o->root, fold, &f);
  return r;
}

void reference_free(reference *r) {
  free(r->high);
  free(r->low);
}
