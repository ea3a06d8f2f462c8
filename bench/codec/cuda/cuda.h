/* cuda.h: the types and calls that the CUDA half of bench/codec shares. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_CODEC_CUDA_H
#define BENCH_CODEC_CUDA_H

#include <ghz/cuda.h>

#include "../codec.h"

#include <cuda_runtime_api.h>

#define MAX_SETS 64   /* of operands; a multiple of SUM_TERMS / 2, which is how many a sum takes */
#define MAX_CALLS 128 /* under way at once */
#define SUM_TERMS 8   /* operands of the sum */
#define SETS_PER_SUM (SUM_TERMS / 2)

/* ---- device.c: an error of CUDA ends the program --------------------------------------------- */

void must_cuda(cudaError_t status, const char *what);
void *device_new(size_t bytes);
void device_free(void *memory);
void *pinned_new(size_t bytes);
void to_device(void *dst, const void *src, size_t bytes);
void to_host(void *dst, const void *src, size_t bytes);
size_t device_l2(void);
void device_describe(FILE *f);

/* What calls on one stream need. */
typedef struct slot {
  cudaStream_t stream;
  ghz_cuda *gpu;
  size_t plain_bytes;
  char *plain[2]; /* decompressed values */
} slot;

void slot_open(slot *s, size_t count, size_t value_size);
void slot_close(slot *s);

/* ---- values.c -------------------------------------------------------------------------------- */

/* The values of a pair, on the host and on the device. */
typedef struct values {
  const pair *pair;
  ghz_context *cpu;
  ghz_type type;
  size_t n, value_size;
  char *host[2], *device[2];
  double low, high; /* of both together */
} values;

/* At least n values of each: longer arrays than the fields have their mirror images behind them. */
values values_make(ghz_context *cpu, ghz_type type, const pair *p, size_t n);
void values_free(values *v);

/* ---- work.c ---------------------------------------------------------------------------------- */

typedef enum operation {
  OP_COPY,     /* cudaMemcpyAsync from device to device */
  OP_COMPRESS, /* of the first operand, as the next two */
  OP_DECOMPRESS,
  OP_RANGE, /* ghz_cuda_range: minimum and maximum */
  OP_ADD,
  OP_SUM,      /* of 8 streams in one call */
  OP_SEPARATE, /* decompress + decompress + addition of floats + compress, a kernel each */
  OPS
} operation;
extern const char *const cuda_operations[OPS];

/* What calls on arrays of n values of a pair need. There are several sets of operands, so that what
 * one call leaves in the L2 cache is not what the next one reads. */
typedef struct work {
  const values *v;
  ghz_lattice lattice;
  size_t n, bytes;          /* of one operand: values, and their bytes */
  ghz_shape shape;          /* of n values: flat, or bricks */
  int sets;                 /* with memory of their own */
  int distinct;             /* with values of their own: set i has those of i - distinct */
  size_t first[MAX_SETS];   /* index of a set's first value */
  size_t size[2][MAX_SETS]; /* bytes of the operands' streams */
  char *stream[2], *out;
  size_t stream_room, out_room; /* of a set, in each of these */
  size_t out_stride;            /* distance of sets in `out`; 0: they share one place */
  size_t result[OPS][MAX_SETS]; /* bytes of the resulting streams */
  ghz_cuda_outcome *outcomes;   /* of calls that are under way */
  double (*range)[2];
} work;

/* Compresses the operands. The results of calls share one place until work_fit. */
work work_open(const values *v, const slot *s, double bound, const ghz_shape *shape, bool few_sets);
/* The shape of n values of a field that is cut into bricks; dims 1 where they are no whole planes,
 * or too few to fill bricks. */
ghz_shape work_bricks(const pair *p, size_t n);
/* Runs an operation once on a set, waits, and notes the size of the result. */
void work_run(work *w, const slot *s, operation op, int set);
/* Gives every set a place of its own for results, as large as those that work_run noted. */
void work_fit(work *w);
void work_close(work *w);
/* Sets that an operation can use. */
int work_usable_sets(const work *w, operation op);
/* Sets of a round of an operation: so many that the L2 cache keeps none for the next round. */
int work_round_sets(const work *w, operation op);
/* Puts one call for a set on the slot's stream; `call` numbers the calls that are under way. */
void work_call(const work *w, const slot *s, operation op, int set, int call);
/* Ends the program if one of the first `calls` outcomes is not GHZ_OK. */
void work_must(const work *w, operation op, int calls);
/* Bytes that a call has to read and write. */
double work_moved(const work *w, operation op, int set);
/* Bytes of the stream that `ratio` refers to; NAN: none. */
double work_packed(const work *w, operation op, int set);

/* ---- add_floats.cu --------------------------------------------------------------------------- */

/* acc[i] += x[i] for n values of `type`; both arrays begin at multiples of 16 bytes. */
cudaError_t add_floats(ghz_type type, void *acc, const void *x, size_t n, cudaStream_t stream);

/* ---- measure.c ------------------------------------------------------------------------------- */

/* A measured time: seconds for one call. */
typedef struct timing {
  double median, best, spread; /* spread: distance of the quartiles / median */
  int samples;
} timing;

/* One line of the table. */
typedef struct figure {
  const pair *pair;
  double bound;
  size_t bytes; /* of an operand's original values */
  ghz_shape shape;
  operation op;
  timing time;
  double ratio;       /* original / compressed bytes of the stream made or read; NAN: none */
  double moved;       /* bytes that a call has to read and write */
  double of_separate; /* speed / speed of OP_SEPARATE; NAN: not measured */
  int sets;
  bool cached; /* what the sets move together is less than twice the L2 cache */
} figure;

void measure_open(bool quick);
void measure_close(void);
/* Measures all operations at one bound and size. */
void measure_all(const options *o, const work *w, const slot *s, double bound, figure figures[OPS]);
/* Bytes per second, read + written, of the copy of `bytes` bytes. */
double measure_copy(const options *o, const values *v, const slot *s, size_t bytes);

/* ---- report.c -------------------------------------------------------------------------------- */

typedef struct results {
  const options *options;
  double copy; /* bytes/s, read + written: the limit */
  figure *figures;
  int n_figures;
} results;

void cuda_report_begin(const results *r);
void cuda_report_figures(const results *r, int first);
void cuda_report_csv(const results *r);

#endif
