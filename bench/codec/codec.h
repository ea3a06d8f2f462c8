/* codec.h: what both halves of bench/codec share: the options and the fields. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_CODEC_H
#define BENCH_CODEC_H

#include "../common/options.h"
#include "../common/support.h"
#include <ghz/ghz.h>

#include <stdbool.h>

#define MAX_PAIRS 64
#define MAX_RUNS 101 /* main.c's table has it too */

typedef struct options {
  number_list bounds; /* fractions of the joint range of a pair */
  word_list folders;
  const char *csv;
  const char *dims; /* of files without :DIMS; NULL: they are flat */
  char **files;     /* FILE[:DIMS][+FILE[:DIMS]] */
  int n_files;
  bool quick;
  int device; /* 0: the CPU; 1: CUDA */
  /* Of the CPU. */
  number_list threads;
  word_list isas;
  int runs;
  bool small;         /* the time of a call on small arrays, instead of speeds */
  bool numbers;       /* the speed of numbers from streams */
  number_list levels; /* of packing, instead of speeds; none: 0 */
  /* Of CUDA. */
  number_list sizes; /* bytes of original values, ascending */
  double seconds;    /* for each measurement */
  int type;          /* 0: float32; 1: float64 */
} options;

/* ---- fields.c -------------------------------------------------------------------------------- */

typedef struct field {
  char name[64], path[512];
  size_t dims[4]; /* slowest first */
  int rank;
  size_t n;
  float *x;
} field;

/* Two operands of the same shape; b may be a itself, rotated by half its length. */
typedef struct pair {
  char name[140];
  field a, b;
  bool rotated;
} pair;

/* Finds the pairs that the options name, and the default ones that exist; without their values. */
int pairs_find(const options *o, pair *pairs);
void pair_load(pair *p);
void pair_free(pair *p);
/* The shape that the library chooses for the field's dimensions; dims 1: flat. */
ghz_shape field_shape(const field *f);

/* ---- cpu.c, cuda/main.c ---------------------------------------------------------------------- */

/* Measure all pairs and print the tables. */
void cpu_run(const options *o, pair *pairs, int n_pairs);
void cuda_run(const options *o, pair *pairs, int n_pairs);

#endif
