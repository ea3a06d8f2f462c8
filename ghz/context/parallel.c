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

typedef struct chunk_loop {
  chunk_body body;
  const void *job;
  uint64_t first, tiles;
} chunk_loop;

/* *failure becomes the first damaged tile so far, and its status in the last byte. */
static void run_chunk(const chunk_loop *l, uint64_t index, int thread, uint64_t *failure) {
  chunk c = ghz_chunk_at(l->first, l->tiles, index, thread);
  const ghz_status status = l->body(l->job, &c);
  const uint64_t found = c.at << 8 | (uint8_t)status;
  if (status != GHZ_OK && found < *failure)
    *failure = found;
}

/* One thread does without OpenMP: its runtime allocates memory, and aborts the process where it
 * gets none. */
static uint64_t run_in_order(const tile_codec *codec, const chunk_loop *l) {
  uint64_t failure = UINT64_MAX;
  floating_environment env;
  floating_begin(&env);
  for (uint64_t i = 0; i < chunks_of(l->tiles); i++)
    run_chunk(l, i, 0, &failure);
  codec->fence();
  floating_end(&env);
  return failure;
}

static uint64_t run_in_parallel(const tile_codec *codec, const chunk_loop *l, int threads) {
  const uint64_t chunks = chunks_of(l->tiles);
  uint64_t failure = UINT64_MAX;
#pragma omp parallel num_threads(threads) reduction(min : failure)
  {
    floating_environment env;
    floating_begin(&env);
#pragma omp for schedule(dynamic, 2)
    for (uint64_t i = 0; i < chunks; i++)
      run_chunk(l, i, omp_get_thread_num(), &failure);
    codec->fence();
    floating_end(&env);
  }
  return failure;
}

ghz_status ghz_parallel_for(ghz_context *ctx, chunk_body body, const void *job, uint64_t first,
                            uint64_t tiles) {
  return ghz_parallel_with(ctx, ghz_threads_for(ctx, tiles, chunks_of(tiles)), body, job, first, tiles);
}

ghz_status ghz_parallel_with(ghz_context *ctx, int threads, chunk_body body, const void *job, uint64_t first,
                             uint64_t tiles) {
  const chunk_loop l = {body, job, first, tiles};
  const uint64_t failure =
      threads > 1 ? run_in_parallel(ctx->tiles, &l, threads) : run_in_order(ctx->tiles, &l);
  return failure == UINT64_MAX ? GHZ_OK
                               : ghz_tile_failed(ctx, (ghz_status)(int8_t)(failure & 0xff), failure >> 8);
}
