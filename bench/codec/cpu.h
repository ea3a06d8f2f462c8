/* cpu.h: the types and calls that the CPU half of bench/codec shares. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_CODEC_CPU_H
#define BENCH_CODEC_CPU_H

#include "codec.h"

#define MAX_CONFIGS LIST_MAX

/* How the library sees a field: as a row of values, or with its shape. */
typedef enum form_kind { FLAT, SHAPED, FORMS } form_kind;
extern const char *const cpu_forms[FORMS];

typedef struct workspace workspace;

/* ---- quality.c ------------------------------------------------------------------------------- */

typedef struct quality {
  double ratio; /* original bytes / compressed bytes, both operands together */
  double error; /* largest |x - y| / eb; infinite if a NaN or an infinity was lost */
  double psnr;  /* dB, peak = joint range of the pair */
} quality;

/* Compares both operands with what decompression returned. */
quality quality_of(const pair *p, float *const y[2], size_t compressed, double eb, double range);
/* Largest error of the stream of a + b, of any shape, as a fraction of the bound that it states. */
double quality_of_sum(ghz_context *ctx, const pair *p, ghz_bytes sum);

/* ---- measure.c ------------------------------------------------------------------------------- */

typedef enum operation { OP_MEMCPY, OP_COMPRESS, OP_DECOMPRESS, OP_ADD, OP_ROUNDTRIP, OPS } operation;
extern const char *const cpu_operations[OPS];

/* Flat configurations come first, then the same ones with the shape, for fields that have one. */
typedef struct config {
  const char *isa;
  int threads;
  form_kind form;
  ghz_context *ctx;
  int flat;       /* configuration that differs in form alone; -1: this one is flat */
  int one_thread; /* configuration with one thread and the same instruction set; -1: none */
  int avx512;     /* configuration with AVX-512 and as many threads; -1: none */
} config;

/* ---- measure.c: results ---------------------------------------------------------------------- */

/* GB/s of original bytes; `of_*`: medians over the rounds of the ratio of two speeds of a round. */
typedef struct speed {
  double best, median, of_memcpy, of_one_thread, of_avx512, of_roundtrip, of_flat;
} speed;

typedef struct form_result {
  quality own;
  double sum_ratio, sum_error;
} form_result;

/* Everything measured for one pair and one bound. */
typedef struct cell {
  const pair *pair;
  double bound, eb;
  int n_forms; /* 1: the fields are flat */
  form_result forms[FORMS];
  bool same_bytes; /* every instruction set and thread count produced the same streams */
  speed speeds[MAX_CONFIGS][OPS];
} cell;

workspace *workspace_make(const pair *p, bool quick);
void workspace_free(workspace *w);
void measure_cell(workspace *w, const options *o, const config *configs, int n_configs, double bound,
                  cell *out);

/* ---- report.c -------------------------------------------------------------------------------- */

typedef struct results {
  const options *options;
  const config *configs;
  int n_configs;
  cell *cells;
  int n_cells;
  bool wrong; /* a check of a cell failed */
} results;

void cpu_report_begin(const results *r);
void cpu_report_cell(const results *r, const cell *c);
void cpu_report_csv(const results *r);

#endif
