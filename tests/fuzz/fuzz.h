/* fuzz.h: what fuzzers share: choices made from bytes, contexts, checks that end the process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "common.h"
#include <ghz/ghz.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What every fuzzer defines. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, with a message, unless the condition holds. */
#define MUST(condition, ...) ((condition) ? (void)0 : fuzz_fail(#condition, __VA_ARGS__))
_Noreturn void fuzz_fail(const char *condition, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A context for each instruction set of this machine and build, and a last one with two threads. */
size_t fuzz_contexts(void);
ghz_context *fuzz_context(size_t i);

/* ---- Choices ---- */
/* Bytes that choices are made from; there are zeros behind their end. */
typedef struct choices {
  const uint8_t *next;
  size_t left;
} choices;

uint64_t choose(choices *c, size_t bytes);
uint64_t choose_below(choices *c, uint64_t below);
double choose_double(choices *c); /* any bits */

/* The next part of the input: a length in 4 bytes, then as many bytes, or what is left of them. */
ghz_bytes choose_part(choices *c);

/* ---- Streams ---- */
/* The most values that are decoded: a byte of a stream can stand for 4096. */
#define FUZZ_VALUES ((uint64_t)1 << 16)

/* Whether a call said that the bytes are no stream, as any bytes may be. */
bool refused(ghz_status status);

/* The type that values of a lattice are decoded to: of integers that of their storage type,
 * which has them all. */
ghz_type fuzz_type(const ghz_lattice *lattice);

/* Decompresses; *status says whether that worked. */
void *fuzz_decode(ghz_context *ctx, ghz_bytes stream, ghz_type out, uint64_t count, ghz_status *status);

/* Whether all integers of a tile, of a stream that is not damaged, are within the limit of its
 * mode. Beyond it values are not specified. */
bool within_limits(ghz_bytes stream, uint64_t tile);

/* Whether an encoder could have made the stream: no integer is beyond its limit, and encoding them
 * gives the same bytes. For such streams all laws hold. */
bool honest(ghz_bytes stream);

/* The stream as the reference takes it. */
ref_bytes fuzz_reference(ghz_bytes stream);

/* Fails unless the bytes are the same. */
void must_equal(const void *got, size_t got_size, const void *want, size_t want_size, const char *what);
