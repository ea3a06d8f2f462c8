/* support.h: what all suites share: contexts, exact-size buffers, comparisons that say what differs. */
#ifndef GHZ_TESTS_SUPPORT_H
#define GHZ_TESTS_SUPPORT_H

#include "inputs.h"
#include "reference.h"
#include <criterion/criterion.h>
#include <ghz.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* GHZ_TEST_EFFORT, at least 1: multiplies the length of property loops. */
int effort(void);

/* The instruction sets that this machine and build have. */
size_t isa_count(void);
const char *isa_name(size_t i);

/* A context on an instruction set (NULL: the best one). */
ghz_context *context_on(const char *isa, int threads);
/* One context per instruction set and a few thread counts, to draw from; freed by contexts_free. */
typedef struct context_pool {
  ghz_context *ctx[16];
  size_t count;
} context_pool;
context_pool contexts_all(void);
void contexts_free(context_pool *pool);
ghz_context *context_any(const context_pool *pool, uint64_t *state);

ghz_lattice lattice_abs(ghz_type type, double eb);
ref_header header_for(const ghz_lattice *lattice, size_t n);
ghz_bytes view(ref_bytes bytes);

/* Buffers that end exactly where their bytes end, so that a sanitizer sees every step beyond. */
ref_bytes bytes_copy(const void *data, size_t size);
ref_bytes bytes_new(size_t size);

/* libghz calls that must succeed, their results within the promised size. Release with ref_free. */
ref_bytes compress(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x, size_t n);
ref_bytes combine(ghz_context *ctx, size_t k, const ref_bytes *streams, const int64_t *coefficients);
ref_bytes sum(ghz_context *ctx, size_t k, const ref_bytes *streams);
ref_bytes mean(ghz_context *ctx, size_t k, const ref_bytes *streams);
ref_bytes add(ghz_context *ctx, ref_bytes a, ref_bytes b);
ref_bytes subtract(ghz_context *ctx, ref_bytes a, ref_bytes b);
ref_bytes negate(ghz_context *ctx, ref_bytes a);
ref_bytes scale(ghz_context *ctx, ref_bytes a, double factor);
ref_bytes extremum(ghz_context *ctx, ref_bytes a, ref_bytes b, int larger);
void *decompress(ghz_context *ctx, ref_bytes stream, ghz_type out);
ghz_info info_of(ref_bytes stream);

/* Fails with the first difference; `what` names the case. */
void same_bytes(ref_bytes got, ref_bytes want, const char *what);
void same_values(const void *got, const void *want, size_t n, ghz_type type, const char *what);
void succeeded(ghz_status status, ghz_context *ctx, const char *what);

/* A line of text in a rotating set of static buffers. */
const char *say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Exactly |x - y| <= eb. */
int within(double x, double y, double eb);

#endif
