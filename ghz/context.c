/* context.c: contexts: threads, scratch memory, the last message. The only state there is (law L6,
 * docs/LAWS.md). */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "context.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* More than any machine has; scratch is a little per thread. */
enum { THREADS_MAX = 4096 };

ghz_status ghz_context_create(ghz_context **ctx, int threads) {
  if (!ctx)
    return GHZ_EINVAL;
  *ctx = NULL;
  if (threads < 0)
    return GHZ_EINVAL;
  const tile_codec *tiles = ghz_tiles_choose();
  if (!tiles)
    return GHZ_EISA;
  ghz_context *c = calloc(1, sizeof *c);
  if (!c)
    return GHZ_ENOMEM;
  c->tiles = tiles;
  *ctx = c;
  return ghz_context_set_threads(c, threads);
}

void ghz_context_free(ghz_context *ctx) {
  if (!ctx)
    return;
  free(ctx->operands.data);
  free(ctx->scratch.data);
  free(ctx->result.data);
  free(ctx);
}

ghz_status ghz_context_set_threads(ghz_context *ctx, int threads) {
  if (!ctx || threads < 0)
    return ghz_fail(ctx, GHZ_EINVAL, "%d threads", threads);
  int most = threads ? threads : omp_get_max_threads();
  most = most < 1 ? 1 : most; /* OpenMP takes any number from the environment, 0 and less included */
  ctx->threads = most < THREADS_MAX ? most : THREADS_MAX;
  ctx->automatic = threads == 0;
  return GHZ_OK;
}

int ghz_context_threads(const ghz_context *ctx) {
  return ctx ? ctx->threads : 0;
}

const char *ghz_context_isa(const ghz_context *ctx) {
  return ctx ? ctx->tiles->name : "";
}

const char *ghz_context_message(const ghz_context *ctx) {
  return ctx ? ctx->message : "";
}

void *ghz_arena_reserve(arena *a, size_t size) {
  if (size > a->size) {
    void *data = NULL;
    size_t rounded = size + 4095;
    if (rounded < size || posix_memalign(&data, 64, rounded & ~(size_t)4095) != 0)
      return NULL;
    free(a->data);
    a->data = data;
    a->size = rounded & ~(size_t)4095;
  }
  return a->data;
}

ghz_status ghz_fail(ghz_context *ctx, ghz_status status, const char *format, ...) {
  if (ctx) {
    va_list args;
    va_start(args, format);
    vsnprintf(ctx->message, sizeof ctx->message, format, args);
    va_end(args);
  }
  return status;
}

int ghz_total_add(size_t *total, size_t count, size_t each) {
  size_t bytes, rounded;
  if (__builtin_mul_overflow(count, each, &bytes) || __builtin_add_overflow(bytes, 63, &rounded))
    return 0;
  return !__builtin_add_overflow(*total, rounded & ~(size_t)63, total);
}
