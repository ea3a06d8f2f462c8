/* parallel.c: the loop over the chunks of an array, by the threads of a context. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "context/parallel.h"

#include "context/floating.h"

/* Chunks that are worth a thread where the number of threads is ours to choose: 4 MiB of floats, a
 * quarter of a millisecond. Waking threads costs a tenth of that, and far more on a busy
 * machine. */
enum { WORTH_A_THREAD = 64 };

chunk ghz_chunk_at(uint64_t first, uint64_t tiles, uint64_t index, int thread) {
  uint64_t left = tiles - index * TILES_PER_CHUNK;
  return (chunk){index, first + index * TILES_PER_CHUNK, left < TILES_PER_CHUNK ? left : TILES_PER_CHUNK,
                 thread, first + index * TILES_PER_CHUNK};
}

int ghz_threads_for(const ghz_context *ctx, uint64_t tiles, uint64_t parts) {
  uint64_t most = (uint64_t)ctx->threads, worth = chunks_of(tiles) / WORTH_A_THREAD;
  if (ctx->automatic && most > worth)
    most = worth;
  if (most > parts)
    most = parts;
  return most ? (int)most : 1;
}

ghz_status ghz_tile_failed(ghz_context *ctx, ghz_status status, uint64_t tile) {
  return ghz_fail(ctx, status, "tile %llu is damaged", (ull)tile);
}

/* One thread does without OpenMP: its runtime allocates memory, and aborts the process where it
 * gets none. */
static ghz_status run_in_order(chunk_body body, const void *job, uint64_t first, uint64_t tiles,
                               uint64_t *failed_at) {
  ghz_status status = GHZ_OK;
  floating_environment env;
  floating_begin(&env);
  for (uint64_t i = 0; i < chunks_of(tiles) && status == GHZ_OK; i++) {
    chunk c = ghz_chunk_at(first, tiles, i, 0);
    status = body(job, &c);
    *failed_at = c.at;
  }
  floating_end(&env);
  return status;
}

/* Goes over all chunks whatever fails, so that the same tile is named with any threads. */
static ghz_status run_in_parallel(chunk_body body, const void *job, uint64_t first, uint64_t tiles, int threads,
                                  uint64_t *failed_at) {
  uint64_t chunks = chunks_of(tiles);
  uint64_t failure = UINT64_MAX; /* the first damaged tile, and its status in the last byte */
#pragma omp parallel num_threads(threads) reduction(min : failure)
  {
    floating_environment env;
    floating_begin(&env);
#pragma omp for schedule(dynamic, 2)
    for (uint64_t i = 0; i < chunks; i++) {
      chunk c = ghz_chunk_at(first, tiles, i, omp_get_thread_num());
      ghz_status status = body(job, &c);
      const uint64_t found = c.at << 8 | (uint8_t)status;
      if (status != GHZ_OK && found < failure)
        failure = found;
    }
    floating_end(&env);
  }
  if (failure == UINT64_MAX)
    return GHZ_OK;
  *failed_at = failure >> 8;
  return (ghz_status)(int8_t)(failure & 0xff);
}

ghz_status ghz_parallel_for(ghz_context *ctx, chunk_body body, const void *job, uint64_t first,
                            uint64_t tiles) {
  return ghz_parallel_with(ctx, ghz_threads_for(ctx, tiles, chunks_of(tiles)), body, job, first, tiles);
}

ghz_status ghz_parallel_with(ghz_context *ctx, int threads, chunk_body body, const void *job, uint64_t first,
                             uint64_t tiles) {
  uint64_t failed_at = first;
  ghz_status status = threads > 1 ? run_in_parallel(body, job, first, tiles, threads, &failed_at)
                                  : run_in_order(body, job, first, tiles, &failed_at);
  return status == GHZ_OK ? GHZ_OK : ghz_tile_failed(ctx, status, failed_at);
}
