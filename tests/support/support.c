/* support.c: what the Criterion suites share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"
#include <stdio.h>

context_pool contexts_all(void) {
  context_pool pool = {.count = 0};
  for (size_t i = 0; i < isa_count(); i++) {
    pool.ctx[pool.count++] = context_on(isa_name(i), 1);
    pool.ctx[pool.count++] = context_on(isa_name(i), 3);
  }
  return pool;
}

context_pool contexts_single(void) {
  context_pool pool = {.count = 0};
  for (size_t i = 0; i < isa_count(); i++)
    pool.ctx[pool.count++] = context_on(isa_name(i), 1);
  return pool;
}

void contexts_free(context_pool *pool) {
  for (size_t i = 0; i < pool->count; i++)
    ghz_context_free(pool->ctx[i]);
}

ghz_context *context_any(const context_pool *pool, uint64_t *state) {
  return pool->ctx[input_below(state, pool->count)];
}

void succeeded(ghz_status status, ghz_context *ctx, const char *what) {
  cr_assert_eq(status, GHZ_OK, "%s: %s (%s)", what, ghz_status_text(status),
               ctx ? ghz_context_message(ctx) : "");
}

void says(ghz_status got, ghz_status wanted, const ghz_context *ctx, const char *words, const char *call) {
  char text[256], *rest;
  const char *message = ghz_context_message(ctx);
  cr_expect_eq(got, wanted, "%s: %s (%s)", call, ghz_status_text(got), message);
  snprintf(text, sizeof text, "%s", words);
  for (char *word = strtok_r(text, "|", &rest); word; word = strtok_r(NULL, "|", &rest))
    cr_expect(strstr(message, word), "%s: '%s' is not in '%s'", call, word, message);
}

ref_bytes stream_by(ghz_context *ctx, const char *maker, ghz_type type, size_t n, uint64_t seed) {
  ghz_lattice l = lattice_abs(type, 0.01);
  return stream_of(ctx, &l, GHZ_ORDER_BEST, maker, n, seed);
}

void same_bytes(ref_bytes got, ref_bytes want, const char *what) {
  const char *difference = bytes_differ(got, want);
  if (difference)
    cr_assert_fail("%s: %s", what, difference);
}

void same_values(const void *got, const void *want, size_t n, ghz_type type, const char *what) {
  const char *difference = values_differ(got, want, n, type);
  if (difference)
    cr_assert_fail("%s: %s", what, difference);
}
