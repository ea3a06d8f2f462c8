/* exhaustive.h: parts of the exhaustive proof of the bound: subjects, checks of tiles, tallies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <ghz/ghz.h>
#include <stddef.h>
#include <stdint.h>

/* Tiles by the arithmetic that their largest magnitude gives them (FORMAT.md, "Lattice"). */
enum { COARSE_15, COARSE, FINE, WIDE, OUTSIDE, CLASSES };
extern const char *const class_names[CLASSES];

/* What is tested: a lattice, and the factor that its streams are scaled by (1: they are not). */
typedef struct subject {
  const char *name;
  ghz_lattice lattice;
  double factor;
} subject;

/* What was seen. Errors are in units of the bound: [0] decoded to the own type, [1] to float64. */
typedef struct tally {
  uint64_t values, specials, tiles[CLASSES];
  long double worst[CLASSES][2];
} tally;

void tally_add(tally *to, const tally *from);

/* One tile: what went in and what came back. */
typedef struct round_trip {
  const void *x;
  const void *y;   /* in the type of x */
  const double *z; /* decoded to float64 */
  int n;
  int raw; /* its stream holds the values as they are */
} round_trip;

/* ---- exhaustive_check.c ---- */
/* The bits of long double's significand that the checks need; with fewer they prove nothing. */
enum { SIGNIFICAND = 64 };

/* Whether all values of a tile came back as FORMAT.md promises, in exact arithmetic. Prints the
 * first that did not. `bound` is what the header of the stream says. */
int tile_kept(const subject *s, double bound, const round_trip *t, tally *seen);

/* FORMAT.md, "Lattice": the largest magnitude of a coarse tile. */
double coarse_end(const ghz_lattice *l);

/* Whether the largest errors seen are at most those that FORMAT.md derives. Prints larger ones. */
int errors_as_derived(const subject *s, const tally *seen);

/* ---- exhaustive_worker.c ---- */
/* Contexts on every instruction set, and room for arrays of up to `most` values; for one thread. */
typedef struct worker worker;
worker *worker_new(size_t most);
void worker_free(worker *w);
size_t worker_isas(const worker *w);
const char *worker_isa(const worker *w, size_t i);

/* Compresses x on every instruction set, scales, decompresses, and checks all of it;
 * with_reference: also that the bytes are those of the reference codec. Returns 0, having printed
 * why, if anything is wrong. */
int examine(worker *w, const subject *s, int order, const void *x, size_t n, int with_reference, tally *seen);

/* ---- exhaustive_f64.c ---- */
/* Random float64 arrays and lattices for so long, a worker a thread; returns 0 at a violation. */
int random_f64(double seconds, uint64_t seed, worker *const *workers, int threads);

/* ---- exhaustive.c ---- */
void print_tally(const char *name, const char *arrangement, const tally *seen, double took);
