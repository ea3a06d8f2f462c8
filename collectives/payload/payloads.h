/* payloads.h: what the files of payloads do for each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_PAYLOADS_H
#define GHZ_MPI_PAYLOADS_H

#include "engine/payload.h"

#include <time.h>

/* Of the processor, that this thread has had: who shares a core with others does not count them.
 * The kernel is asked, which takes as long as 4 KiB of values do: 0 where no report is wanted. */
static inline double payload_seconds(int is_wanted) {
  struct timespec t = {0};
  if (is_wanted)
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- homomorphic.c: checking ----------------------------------------------------------------- */

/* Views a message that arrived, having checked that it has the lattice, shape and tiles
 * expected. */
ghz_status ghz_payload_view(payload_job *job, const ghz_slice *expected, ghz_bytes message, ghz_slice *slice);

/* As in payload. Of a message it sets the view, unless it has bins. */
ghz_status ghz_payload_validate(payload_job *job, const piece *p, buffer *in);
size_t ghz_payload_capacity(const payload_job *job, uint64_t tiles);

/* The most bytes of a slice that sums `terms` terms. */
size_t ghz_payload_slice(const payload_job *job, uint64_t tiles, uint64_t terms);

/* ---- team.c: threads ------------------------------------------------------------------------- */

enum { TEAM_MOST = ENGINE_ASYNC_OPS }; /* threads, the calling one included */
typedef struct team team;

/* The team that is kept there, made or enlarged to so many threads if the system has them; their
 * seconds are noted if it has a clock. NULL: the calling thread works alone. */
team *ghz_team_of(team **kept, int threads, int has_clock);

/* Reserves what the job's operations on pieces of so many tiles take. Returns 0 if there is no
 * memory. */
int ghz_team_reserve(team *t, const payload_job *job, uint64_t tiles, uint32_t terms);

/* Has each thread do its share, one of `of`, and returns the first status that is not GHZ_OK. */
typedef ghz_status team_work(ghz_context *codec, void *user, int share, int of);
ghz_status ghz_team_each(team *t, team_work *share, void *user);

/* Where a call begins: what its threads have done is nothing yet. */
void ghz_team_enter(team *t);

/* Before and after an engine runs the job, with a team or without one. */
void ghz_team_begin(const payload_job *job);
void ghz_team_end(payload_job *job);

void ghz_team_free(team *t);

/* ---- bins.c: sums of floats that no one lattice holds ---------------------------------------- */
/* Values are sorted into bins by their exponents, and each bin has a lattice of its own. */

enum { BINS_MOST = 24 }; /* a lattice holds 12 exponents of 255, and more in the first bin */

/* Values of biased exponents first .. last, on a lattice after multiplication by 2^scale. */
typedef struct bin {
  ghz_lattice lattice;
  int first, last, scale;
} bin;

/* From small values to large ones. Zeros, what is not finite, and missing values are in the first
 * bin. */
typedef struct bins {
  int count;
  bin list[BINS_MOST];
} bins;

/* The most bytes of a message, and of a piece as doubles. */
size_t ghz_bins_capacity(const payload_job *job, uint64_t tiles);

/* The message that a sum of nothing has. */
void ghz_bins_clear(const payload_job *job, buffer *out);

/* Compresses an array's values of a piece. `array` is where the array begins, though only the piece
 * is read. Takes a buffer from the pool. */
ghz_status ghz_bins_compress(payload_job *job, const piece *p, const void *array, buffer *out);

/* out = a + b. */
ghz_status ghz_bins_add(payload_job *job, const buffer *a, const buffer *b, buffer *out);

/* As in payload; decoding takes two buffers from the pool. */
ghz_status ghz_bins_validate(payload_job *job, const piece *p, buffer *in);
ghz_status ghz_bins_decode(payload_job *job, const piece *p, const buffer *result);

/* ---- float_bound.c: GHZ_MPI_FLOAT: lattices whose sums are as accurate as those of floats ---- */

enum { EXPONENTS = 256 };

/* How many values have each biased exponent: 0 denormals, 255 what is not finite, and zeros. */
typedef struct exponents {
  uint64_t count[EXPONENTS];
  uint64_t failed; /* ranks that could not count */
} exponents;

/* Counts x[0..n) in, but for what is equal to `fill`; NaN: there is no fill. */
void ghz_exponents_add(exponents *e, const float *x, size_t n, float fill);

/* Makes the lattices for the sum of so many arrays, whose values these are. The same counts give
 * the same lattices everywhere. One bin without a scale is for all values; if its step is 0, they
 * are summed as they are. Returns 0 if there is none. */
int ghz_float_bins(const exponents *e, uint64_t arrays, bins *made);

#endif
