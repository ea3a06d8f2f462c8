/* call.h: how a public call begins and ends: it takes its context, which serves one call at a
 * time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CALL_H
#define GHZ_CALL_H

#include "context/context.h"

/* A call that runs; without a context it could not begin. */
typedef struct public_call {
  ghz_context *ctx;
  ghz_status status;
} public_call;

static inline public_call call_begin(ghz_context *ctx) {
  if (!ctx) {
    ghz_status status = ghz_thread_context(&ctx);
    if (status != GHZ_OK)
      return (public_call){NULL, status};
  }
  if (__atomic_exchange_n(&ctx->in_use, 1, __ATOMIC_ACQUIRE))
    return (public_call){NULL, ghz_thread_refused(ctx)};
  if (ghz_one_thread_alone)
    __atomic_store_n(&ctx->threads, 1, __ATOMIC_RELAXED);
  return (public_call){ctx, GHZ_OK};
}

static inline void call_end(const public_call *c) {
  if (c->ctx)
    __atomic_store_n(&c->ctx->in_use, 0, __ATOMIC_RELEASE);
}

/* The first line of every public call with a context, but for those that only pass it on. It
 * returns EBUSY if the context serves another call, and replaces NULL by the context of this
 * thread. The context is given back when the function returns. */
#define GHZ_CALL(ctx)                                                                                          \
  const public_call this_call __attribute__((cleanup(call_end))) = call_begin(ctx);                            \
  if (!this_call.ctx)                                                                                          \
    return this_call.status;                                                                                   \
  (ctx) = this_call.ctx

#endif
