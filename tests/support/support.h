/* support.h: what the Criterion suites share: calls that must succeed, contexts, comparisons. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "streams.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Contexts of every instruction set and some thread counts. POOL frees them when the block ends. */
typedef struct context_pool {
  ghz_context *ctx[16];
  size_t count;
} context_pool;
context_pool contexts_all(void);
void contexts_free(context_pool *pool);
#define POOL(name) context_pool name __attribute__((cleanup(contexts_free))) = contexts_all()

/* Contexts of every instruction set, of one thread. */
context_pool contexts_single(void);
#define SINGLE_POOL(name) context_pool name __attribute__((cleanup(contexts_free))) = contexts_single()
ghz_context *context_any(const context_pool *pool, uint64_t *state);

/* A suite whose tests have a context of two threads, ctx. */
#define SUITE_WITH_CONTEXT(name)                                                                               \
  static ghz_context *ctx;                                                                                     \
  static void start(void) { ctx = context_on(NULL, 2); }                                                       \
  static void stop(void) { ghz_context_free(ctx); }                                                            \
  TestSuite(name, .init = start, .fini = stop, .timeout = 120)

/* Fails with the first difference; `what` names the case. */
void same_bytes(ref_bytes got, ref_bytes want, const char *what);
void same_values(const void *got, const void *want, size_t n, ghz_type type, const char *what);
void succeeded(ghz_status status, ghz_context *ctx, const char *what);
/* Expects the status, and in the message of the context, or of the thread, all words between |. */
void says(ghz_status got, ghz_status wanted, const ghz_context *ctx, const char *words, const char *call);

/* That every context decodes a stream to the values of the reference, in every type. */
void same_decoded(const context_pool *pool, ref_bytes stream, const char *what);
/* That every context compresses an array to the bytes of the reference, which it returns, and
 * decodes them to its values, which are within the bound in every type. */
ref_bytes same_codec(const context_pool *pool, const ghz_lattice *lattice, const ghz_shape *shape, int order,
                     const void *x, const char *name);

/* The values of a maker within 0.01. */
ref_bytes stream_by(ghz_context *ctx, const char *maker, ghz_type type, size_t n, uint64_t seed);
