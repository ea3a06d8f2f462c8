/* common.h: what several payloads share: compressing, checking, and arithmetic on values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_COMMON_H
#define GHZ_MPI_COMMON_H

#include "engine/payload.h"

/* The place of a piece's first value in an array of its part, which is flat. */
static inline size_t piece_offset(const payload_job *job, const piece *p) {
  return (size_t)p->first * GHZ_TILE * job->value_size;
}

static inline size_t piece_bytes(const payload_job *job, const piece *p) {
  return (size_t)ghz_piece_values(p) * job->value_size;
}

/* Compresses an array's values of a piece. `array` is where the array begins, though only the piece
 * is read. */
ghz_status ghz_payload_compress(payload_job *job, const piece *p, const void *array, buffer *out);

/* Views a message that arrived, having checked that it has the lattice, shape and tiles
 * expected. */
ghz_status ghz_payload_view(payload_job *job, const ghz_slice *expected, ghz_bytes message, ghz_slice *slice);

/* Views a message of a piece that arrived, having checked that it is the one expected. */
ghz_status ghz_payload_validate(payload_job *job, const piece *p, buffer *in);

/* The most bytes of a message that sums `terms` terms. */
size_t ghz_payload_capacity(const payload_job *job, uint64_t tiles, uint64_t terms);

/* into[i] = into[i] op from[i], for n values of the job's type. */
void ghz_values_reduce(const payload_job *job, void *into, const void *from, size_t n);

/* values[i] /= total_contributions, where the job averages. */
void ghz_values_average(const payload_job *job, void *values, size_t n);

#endif
