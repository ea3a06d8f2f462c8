/* workplace.h: what the checks of single calls work on: two streams, their messages, values, and
 * room for results, on the device. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "checks.h"

enum { N = 20000, FIRST = 2, TILES = 5 };

typedef struct place {
  ghz_lattice lattice;
  void *values; /* on the host */
  ref_bytes stream, other, message;
  device_memory x, a, b, m, dst, y, range;
} place;

place place_make(trial *t, ghz_type type);
void place_free(trial *t, place *p);

/* ---- Every call on the device ---- */
typedef enum which {
  CALL_RANGE,
  CALL_COMPRESS,
  CALL_SLICE_COMPRESS,
  CALL_DECOMPRESS,
  CALL_DECOMPRESS_RANGE,
  CALL_DECOMPRESS_BOX,
  CALL_SLICE_DECOMPRESS,
  CALL_SLICE_DECOMPRESS_INTO,
  CALL_ADD,
  CALL_SUBTRACT,
  CALL_SUM,
  CALL_MEAN,
  CALL_COMBINE,
  CALL_ACCUMULATE,
  CALL_SLICE_SUM,
  CALLS
} which;
extern const char *const call_names[CALLS];

/* What calls take. */
typedef struct arguments {
  ghz_cuda *gpu;
  ghz_lattice lattice;
  int order, no_lattice;
  ghz_type type, out;
  ghz_shape shape;
  const uint8_t *x;
  size_t k;
  ghz_bytes streams[GHZ_CUDA_OPERANDS + 1], message;
  int no_streams;
  uint64_t first, tiles, divisor;              /* of messages */
  uint64_t from, values, origin[3], extent[3]; /* of a range, of a box */
  int no_origin, no_extent;
  uint8_t *dst, *y;
  size_t room;
  double *range;
  ghz_cuda_outcome *outcome;
} arguments;

/* Such as are right. */
arguments right_arguments(trial *t, const place *p);

/* What the call returns at once. */
ghz_status make_call(trial *t, which call, const arguments *a);

/* The context still works: a sum on the device is the CPU's. */
void still_works(trial *t, const place *p, const char *after);

/* A call that must be refused where it is made, with a sentence. */
void refuses(trial *t, ghz_status got, ghz_status want, const char *call);

/* The tail of every call. */
#define DONE t->outcome, t->stream
