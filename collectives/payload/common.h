/* common.h: what several payloads share: compressing and checking. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_COMMON_H
#define GHZ_MPI_COMMON_H

#include "engine/payload.h"

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

#endif
