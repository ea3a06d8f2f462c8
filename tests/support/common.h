/* common.h: what all tests of the codec share, with or without Criterion: memory that nobody frees,
 * bytes, lines of text, values and exact comparisons. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "inputs.h"
#include "reference.h"
#include <ghz/ghz.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- Memory ---- */
/* Memory that ends exactly where it ends, so that a sanitizer sees every step beyond. It is freed
 * when the innermost block that began with SCOPE ends, else with the process. Each thread has its
 * own. Aborts where there is none. */
void *scratch(size_t size);
/* The same for what something else frees. */
void *scratch_held(void *p, void (*release)(void *p));

#define SCOPE SCOPE_IN_LINE(__LINE__)
#define SCOPE_IN_LINE(line) SCOPE_NAMED(line)
#define SCOPE_NAMED(line) size_t scope_##line __attribute__((cleanup(scratch_end), unused)) = scratch_begin()
size_t scratch_begin(void);
void scratch_end(const size_t *begin);

ref_bytes bytes_new(size_t size);
ref_bytes bytes_copy(const void *data, size_t size);
ghz_bytes view(ref_bytes bytes);

/* Numbers as the format has them, the lowest byte first. */
uint64_t get_little(const uint8_t *p, int bytes);
void put_little(uint8_t *p, uint64_t v, int bytes);

/* The length of a property loop: so many rounds, times GHZ_TEST_EFFORT (a number like 10 or 0.3),
 * at least one. */
int effort(int rounds);
/* With less effort than 1, one in so many cases of a long list; else 1. */
unsigned one_in(void);

/* ---- Text ---- */
/* A line of text in a rotating set of static buffers. */
const char *say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The first difference, in words, or NULL. */
const char *bytes_differ(ref_bytes got, ref_bytes want);
const char *values_differ(const void *got, const void *want, size_t n, ghz_type type);

/* ---- Contexts and lattices ---- */
/* Ends the process unless the call succeeded. */
void need(ghz_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A context on an instruction set; NULL: the best one. CONTEXT frees it when the block ends. */
ghz_context *context_on(const char *isa, int threads);
#define CONTEXT(name, isa, threads)                                                                            \
  ghz_context *name __attribute__((cleanup(context_drop), unused)) = context_on(isa, threads)
void context_drop(ghz_context **ctx);

/* The instruction sets that this machine and build have. */
size_t isa_count(void);
const char *isa_name(size_t i);

ghz_lattice lattice_abs(ghz_type type, double eb);
/* Of float32 data with an offset: their largest magnitude is about so many bounds. */
ghz_lattice lattice_offset(double eb, double magnitude);
/* A lattice, on odd turns with a fill value. */
ghz_lattice filled(ghz_lattice l, uint64_t turn);
ghz_lattice lattice_filled(ghz_type type, double eb, uint64_t turn);
/* A random step; float64 also with the smaller cap, float32 also for data with an offset. */
ghz_lattice lattice_any(uint64_t *state);
/* The same, sometimes with a fill value: zero of either sign, one that steps reach, or one far
 * off. */
ghz_lattice lattice_with_fill(uint64_t *state);
ref_header header_for(const ghz_lattice *lattice, size_t n);

/* ---- Values ---- */
double value_at(ghz_type type, const void *x, size_t i);
void put_value(ghz_type type, void *x, size_t i, double value);

/* Exactly |x - y| <= eb. */
int within(double x, double y, double eb);

/* Makes some values the fill of the lattice, if it has one: none, all, scattered ones or runs. */
void plant_fill(const ghz_lattice *l, void *x, size_t n, uint64_t seed);

/* Whether value i came back: within the bound, infinities unchanged, NaN and fills as the fill, or
 * else the canonical NaN. */
int kept_on(const ghz_lattice *l, const void *x, ghz_type out, const void *y, size_t i);
/* The same, without a fill. */
int kept(ghz_type type, const void *x, ghz_type out, const void *y, size_t i, double eb);
