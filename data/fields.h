/* fields.h: what the parts of ghz-fields share: the parameters of a run, saving a field, one maker
 * a kind. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_DATA_FIELDS_H
#define GHZ_DATA_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of values along each dimension, slowest first. Missing dimensions are leading ones of
 * size 1. */
typedef struct shape {
  size_t size[3];
} shape;

/* The parameters of a run. */
typedef struct run {
  size_t n;           /* edge of the 3-D fields; the others scale with it */
  const char *folder; /* where the files go */
  const char *only;   /* names of the fields to make, separated by commas; NULL: all */
  bool quiet;         /* no progress on stderr */
  uint64_t seed;      /* 0: the usual fields; others: fields of the same kind, but for the waves */
  int series; /* k > 0: instead of the usual waves, k snapshots from wave-middle to wave-late, in that order
                 (of one alone: wave-late); all are called wave */
  /* Receives the fields instead of files; NULL: files. `values` are valid only during the call. */
  bool (*take)(void *taker, const char *name, shape dims, const float *values);
  void *taker;
} run;

/* ---- save.c ---------------------------------------------------------------------------------- */

size_t shape_count(shape dims);

/* True if the comma-separated `list` holds `name`. */
bool list_holds(const char *list, const char *name);

/* True if the run wants the field `name`. */
bool run_wants(const run *r, const char *name);

/* The seed of a field whose usual seed is `usual`. */
uint64_t run_seed(const run *r, uint64_t usual);

/* Writes folder/name.f32 (raw little-endian float32) completely or not at all. */
bool save_values(const char *folder, const char *name, const float *values, size_t count);

/* Saves a field and prints its line of the manifest; or passes it to run.take. */
bool run_save(const run *r, const char *name, shape dims, const float *values);

/* A line of progress on stderr, unless the run is quiet. */
__attribute__((format(printf, 2, 3))) void run_note(const run *r, const char *format, ...);

/* A one-line error message on stderr: what it is about, and the reason. Returns false. */
bool fail(const char *subject, const char *reason);

/* Memory for `count` floats, aligned to 64 bytes, to be freed with free(). NULL, with a message, if
 * there is none. */
float *floats_new(size_t count, const char *subject);

/* ---- The makers: each saves the fields of its kind that were asked for. False: an error. */

bool make_waves(const run *r);
bool make_gradient(const run *r);
#ifdef GHZ_DATA_FFTW
bool make_density(const run *r);
bool make_turbulence(const run *r);
bool make_climate(const run *r);
#endif

#endif
