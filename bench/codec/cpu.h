/* cpu.h: the types and calls that the CPU half of bench/codec shares. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_CODEC_CPU_H
#define BENCH_CODEC_CPU_H

#include "codec.h"

/* ---- operands.c ------------------------------------------------------------------------------ */

/* Both operands of a pair, or as many values of each from a third on, as the library is told their
 * shape; their streams, and room for results. */
typedef struct operands {
  ghz_shape shape;
  ghz_lattice lattice; /* of the joint range */
  double range;
  size_t n, bytes, room; /* of one: values, their bytes; of a result */
  const float *x[2];
  ghz_bytes stream[2], sum;
  unsigned char *out[2];
  float *y[2];
} operands;

/* What is measured: who works on which operands. */
typedef struct subject {
  const operands *on;
  const char *isa;
  int threads, level; /* level 0: streams are not packed */
  ghz_context *ctx;
  ghz_bytes frame[2]; /* the packed streams */
} subject;

operands operands_make(ghz_context *ctx, const pair *p, ghz_shape shape, double bound);
void operands_free(operands *a);
/* Packs the streams if there is a level. */
void subject_pack(subject *s);
void subject_free(subject *s);
/* Whether all streams that it makes are those of the operands. */
bool subject_agrees(const subject *s);
/* Ends the program unless the status is GHZ_OK; ctx: whose message says why, or NULL. */
void must(ghz_status status, const char *what, const ghz_context *ctx);

typedef struct operation {
  const char *name;
  int operands; /* whose bytes a speed counts */
  void (*run)(const subject *s);
} operation;

extern const operation op_memcpy, op_compress, op_decompress, op_add, op_roundtrip;
extern const operation op_loop, op_moments, op_loop_both, op_difference, op_pack, op_unpack;

/* ---- quality.c ------------------------------------------------------------------------------- */

typedef struct quality {
  double ratio;                /* original bytes / compressed bytes, both operands together */
  double error;                /* largest |x - y| / eb; infinite if a NaN or an infinity was lost */
  double psnr;                 /* dB, peak = joint range of the pair */
  double sum_ratio, sum_error; /* of the bound that the sum's stream states */
} quality;

/* Overwrites y. */
quality quality_of(ghz_context *ctx, const operands *a);

#endif
