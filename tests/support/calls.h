/* calls.h: every call of the library that computes, on operands that fit together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <ghz/slice.h>

#include "streams.h"

enum { MANY = 20 };

/* What all calls work on; none of it is changed. */
typedef struct operands {
  ghz_lattice lattice;
  size_t n, k;
  void *x;
  ref_bytes a, b;       /* streams */
  ref_bytes mean;       /* of five */
  ghz_bytes many[MANY]; /* a, b, a, ...: k of them count */
  int64_t coefficients[MANY];
  ghz_slice two[2]; /* tiles of a and of b */
  ghz_shape shape;  /* of bricks: at most n values */
  void *field;
  ref_bytes bricks[2];
  void *changed; /* what the first decompresses to, a third of it replaced */
  ghz_slice of_bricks;
} operands;

/* Where a call puts its answer; `size` is 0 before it. */
typedef struct answer {
  uint8_t *bytes;
  size_t room, size;
  size_t begin; /* bytes that stand in the room before the call */
} answer;

typedef struct call {
  const char *name;
  ghz_status (*run)(ghz_context *ctx, const operands *o, answer *r);
  int makes_stream; /* in any room that suffices */
} call;

extern const call calls[];
extern const size_t call_count;

/* In scratch memory: arrays of two makers, whose unit may be another than the step (0: it is the
 * step); sums have k operands. */
operands operands_make(const ghz_lattice *lattice, size_t n, size_t k, const char *maker, const char *other,
                       double unit);
/* Room for any answer, and `behind` bytes more. */
answer answer_make(const operands *o, size_t behind);
ref_bytes answered(const answer *r);
