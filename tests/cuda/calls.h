/* calls.h: every call for a device, by its name, and what calls take. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <ghz/cuda.h>

#define EVERY_CALL(is)                                                                                         \
  is(DECOMPRESS) is(DECOMPRESS_RANGE) is(DECOMPRESS_BOX) is(SLICE_DECOMPRESS) is(SLICE_DECOMPRESS_INTO)        \
      is(RANGE) is(COMPRESS) is(SLICE_COMPRESS) is(ADD) is(SUBTRACT) is(SUM) is(MEAN) is(COMBINE)              \
          is(ACCUMULATE) is(SLICE_SUM)
#define ENUMERATOR(name) name,
typedef enum kind { EVERY_CALL(ENUMERATOR) CALLS } kind;
#undef ENUMERATOR
extern const char *const call_names[CALLS];

typedef struct arguments {
  ghz_cuda *gpu;
  ghz_lattice lattice;
  int order, no_lattice;
  ghz_type type, out;
  ghz_shape shape;
  const uint8_t *x;
  size_t k;
  ghz_bytes streams[GHZ_CUDA_OPERANDS + 1], message;
  const ghz_bytes *many; /* k operands instead of these, in memory of exactly their size */
  const int64_t *coefficients;
  int no_streams;
  uint64_t first, tiles, divisor;              /* of messages */
  uint64_t from, values, origin[3], extent[3]; /* of a range, of a box */
  int no_origin, no_extent;
  uint8_t *dst, *y;
  size_t room;
  double *range;
  ghz_cuda_outcome *outcome;
  ghz_cuda_stream stream;
} arguments;

/* What the call returns at once. */
ghz_status make_call(kind call, const arguments *a);
