/* parallel.h: OpenMP, and what its calls are to the only thread where a build has none; the loop
 * over the chunks of an array, by the threads of a context. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_PARALLEL_H
#define GHZ_PARALLEL_H

#include "context/context.h"
#include "rules/rules.h"

#ifdef _OPENMP
#include <omp.h>
enum { THREADS_MAX = 4096 }; /* more than any machine has; scratch is a little per thread */
#else
enum { THREADS_MAX = 1 };
typedef int omp_lock_t;
#define omp_get_max_threads() 1
#define omp_get_thread_num() 0
#define omp_init_lock(lock) (void)(lock)
#define omp_set_lock(lock) (void)(lock)
#define omp_unset_lock(lock) (void)(lock)
#define omp_destroy_lock(lock) (void)(lock)
#endif

/* The tiles of a chunk that is being worked on. */
typedef struct chunk {
  uint64_t index;        /* from the first tile of the range */
  uint64_t first, tiles; /* tiles of the array */
  int thread;            /* that works on it, from 0 */
  uint64_t at;           /* the tile that its body works on, or has failed at */
} chunk;

/* Chunk `index` of a range of tiles. */
chunk ghz_chunk_at(uint64_t first, uint64_t tiles, uint64_t index, int thread);

/* How many threads share work on so many tiles that comes in `parts` parts. */
int ghz_threads_for(const ghz_context *ctx, uint64_t tiles, uint64_t parts);

typedef ghz_status (*chunk_body)(const void *job, chunk *c);

/* Runs the body over all chunks of tiles first .. first + tiles - 1, in any order, under the
 * floating-point environment of the format; whatever fails, so that the first tile that does is
 * named with any threads. */
ghz_status ghz_parallel_for(ghz_context *ctx, chunk_body body, const void *job, uint64_t first, uint64_t tiles);

/* The same with so many threads. */
ghz_status ghz_parallel_with(ghz_context *ctx, int threads, chunk_body body, const void *job, uint64_t first,
                             uint64_t tiles);

/* Says that a tile is damaged, and returns the status. */
ghz_status ghz_tile_failed(ghz_context *ctx, ghz_status status, uint64_t tile);

#endif
