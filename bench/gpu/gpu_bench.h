/* gpu_bench.h: the types and calls that the parts of ghz_gpu_bench share. */
#ifndef GPU_BENCH_H
#define GPU_BENCH_H

#include "ghz.h"

#include <cuda_runtime_api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define MAX_BOUNDS 8
#define MAX_SIZES 12
#define MAX_INPUTS 16
#define SUMMED 8       /* operands of the sum */
#define SETS_MOST 64   /* of operands; a multiple of SUMMED / 2, which is how many a sum takes */
#define CALLS_MOST 128 /* under way at once */
#define MIB ((size_t)1 << 20)

typedef struct options {
  double bounds[MAX_BOUNDS]; /* fractions of the range, of a pair: of the joint range */
  size_t sizes[MAX_SIZES];   /* bytes of original values, ascending */
  int n_bounds, n_sizes;
  double seconds; /* of each measurement */
  const char *fields, *csv, *folder;
  ghz_type type;
  size_t edge; /* of the snapshots that inputs are made of */
  int sets;    /* of operands, at most */
  bool smoke;
} options;

/* ---- options.c --------------------------------------------------------------------------------------- */

options options_read(int argc, char **argv);
_Noreturn void die(const char *what, const char *detail);
/* "512 MB", "4 KB": powers of two. Returns `text`. */
const char *size_text(size_t bytes, char text[24]);

/* ---- fields.c ---------------------------------------------------------------------------------------- */

/* One field, or two that are added. */
typedef struct input {
  char name[64];
  const char *a, *b; /* b NULL: one field alone */
} input;

/* The inputs that the options ask for and this build can make. */
int inputs_find(const options *o, input inputs[MAX_INPUTS]);
/* Makes the fields that inputs need, or reads them from the options' folder. */
void fields_make(const options *o, const input *inputs, int n_inputs);
/* Writes n values to x: the field, then its mirror images, one behind the other. */
void field_fill(const options *o, const char *name, size_t n, void *x);
void fields_free(void);

/* ---- device.c ---------------------------------------------------------------------------------------- */

void must_cuda(cudaError_t status, const char *what);
void *device_new(size_t bytes);
void device_free(void *memory);
void to_device(void *dst, const void *src, size_t bytes);
void to_host(void *dst, const void *src, size_t bytes);
size_t device_l2(void);
void device_describe(FILE *f);

/* What calls on one stream need. */
typedef struct lane {
  cudaStream_t stream;
  ghz_cuda *gpu;
  size_t plain_bytes;
  char *plain[2]; /* decompressed values */
} lane;

void lane_open(lane *l, size_t count, size_t value_size);
void lane_close(lane *l);

/* A measured time: seconds for one call, median of the samples and half of them around it. */
typedef struct timing {
  double median, best, spread; /* spread: distance of the quartiles / median */
  int samples, calls;          /* calls in each sample */
} timing;

/* Median, least and spread of the first `count` of `seconds`, which it sorts. */
timing timing_of(double *seconds, int count);

/* ---- work.c ------------------------------------------------------------------------------------------ */

typedef enum operation {
  OP_COPY,       /* cudaMemcpyAsync from device to device */
  OP_COMPRESS,   /* of a single field */
  OP_DECOMPRESS, /* of a single field */
  OP_PART,       /* ghz_cuda_decompress_range of a quarter */
  OP_RANGE,      /* ghz_cuda_range: least and greatest value */
  OP_ADD,
  OP_SUBTRACT,
  OP_ACCUMULATE,
  OP_SUM,      /* of 8 streams in one call */
  OP_SEPARATE, /* decompress + decompress + addition of floats + compress, a kernel each */
  OPS
} operation;
extern const char *const operation_names[OPS];

/* The values of an input, on the host and on the device: as many as the largest measurement needs, or more. */
typedef struct values {
  const input *in;
  ghz_type type;
  size_t n, value_size;
  char *host[2], *device[2];
  double low, high; /* of both together */
} values;

values values_make(const options *o, const input *in, size_t n);
void values_free(values *v);

/* Everything that calls on arrays of n values of an input need: several sets of operands, so that what one call leaves in
 * the L2 cache is not what the next one reads. */
typedef struct work {
  const values *v;
  ghz_lattice lattice;
  size_t n, bytes; /* of one operand: values, and their bytes */
  int sets,
      distinct; /* with memory of their own; that differ in their values: set i has those of i - distinct */
  size_t place[SETS_MOST];           /* index of a set's first value */
  size_t size[2][SETS_MOST];         /* bytes of the operands' streams */
  unsigned char *host[2][SETS_MOST]; /* distinct sets: those streams, on the host */
  char *stream[2], *out, *acc;
  size_t stream_room, out_room, acc_room; /* of a set, in each of these */
  size_t out_stride;                      /* distance of sets in `out`; 0: all write to the same place */
  int acc_sets;
  size_t result[OPS][SETS_MOST]; /* bytes of the resulting streams */
  ghz_cuda_outcome *outcomes;    /* of calls that are under way */
  double (*range)[2];
} work;

/* Compresses, and runs every operation once on every set: what distinct sets give is compared with the CPU's bytes. */
work work_make(const options *o, const values *v, const lane *l, double bound, size_t n);
void work_free(work *w);
/* Whether the operation belongs to the input: additions to pairs, others to single fields. */
bool work_has(const work *w, operation op);
/* Sets for a round of an operation, from the first on; with so many, none is left in the L2 cache for the next round. */
int work_sets(const work *w, operation op);
/* Puts one call for a set on the lane's stream; `call` numbers the calls that are under way. */
void work_call(const work *w, const lane *l, operation op, int set, int call);
/* What has to be restored, untimed, before a round over the first `sets` sets. */
void work_restore(const work *w, const lane *l, operation op, int sets);
/* Ends the program if one of the first `calls` outcomes is not GHZ_OK. */
void work_check(const work *w, operation op, int calls);
/* Bytes of original values that a call handles: for additions, those of one operand. */
double work_original(const work *w, operation op);
/* Bytes that a call has to read and write. */
double work_moved(const work *w, operation op, int set);
/* Bytes of the stream that `ratio` refers to; NAN: none. */
double work_packed(const work *w, operation op, int set);
/* Which operand (side 0 or 1 of a set) operand j of a sum is. */
void work_summand(const work *w, int sum, int j, int *set, int *side);
/* The values that OP_PART decompresses. */
size_t part_first(const work *w);
size_t part_count(const work *w);
/* Where a lane's decompressed values of a set are. */
char *plain_at(const work *w, const lane *l, int side, int set);

/* ---- check.c ----------------------------------------------------------------------------------------- */

/* Least and greatest value on the CPU. */
void check_range(ghz_type type, const void *x, size_t n, double *low, double *high);
/* Copies a set's operand to the host, and compares it with what the CPU makes. */
void check_operand(work *w, int side, int set);
/* Compares the result of a call, which has ended, with the CPU's. */
void check_result(const work *w, const lane *l, operation op, int set);
void check_close(void);

/* ---- measure.c --------------------------------------------------------------------------------------- */

/* One line of the table. */
typedef struct figure {
  const input *in;
  double bound;
  size_t bytes; /* of an operand's original values */
  operation op;
  timing time;
  double ratio;       /* original / compressed bytes of the stream that is made or read; NAN: none */
  double original;    /* bytes that a call handles */
  double moved;       /* bytes that a call has to read and write */
  double of_separate; /* speed / speed of OP_SEPARATE; NAN: not measured */
  int sets;
  bool cached; /* what the sets move together is less than twice the L2 cache */
} figure;

void measure_open(const options *o);
void measure_close(void);
/* Keeps the device busy while the host queues `calls` calls. */
void measure_lead(cudaStream_t stream, int calls);
double measure_clock(void);
double measure_between(cudaEvent_t from, cudaEvent_t to);
timing measure(const options *o, const work *w, const lane *l, operation op);
/* Measures all operations of an input at one bound and size; returns the number of figures. */
int measure_all(const options *o, const work *w, const lane *l, double bound, figure figures[OPS]);
/* Bytes per second, read + written, of the copy of `bytes` bytes. */
double measure_copy(const options *o, const values *v, const lane *l, size_t bytes);

/* ---- overlap.c --------------------------------------------------------------------------------------- */

#define LANES_MOST 4

/* Calls that several contexts share, each on a stream of its own. */
typedef struct stream_figure {
  operation op;
  int streams;
  timing time; /* of all calls / number of calls */
  double original;
} stream_figure;
#define STREAM_FIGURES 9
int measure_streams(const options *o, const work *w, stream_figure figures[STREAM_FIGURES]);

/* One compression at a time. */
typedef struct latency_figure {
  size_t bytes;
  timing device; /* between two events around the call, on an idle stream */
  timing host;   /* from the call to the outcome in the caller's hands */
  timing call;   /* until the call returns */
  timing queued; /* of a call among others, queued one behind the other */
} latency_figure;
latency_figure measure_latency(const options *o, const work *w, const lane *l);

/* ---- report.c ---------------------------------------------------------------------------------------- */

typedef struct results {
  const options *options;
  double copy; /* bytes/s, read + written: the limit */
  figure *figures;
  int n_figures;
  const input *overlap_input; /* of what follows */
  double overlap_bound;
  size_t stream_bytes;
  stream_figure streams[STREAM_FIGURES];
  int n_streams;
  latency_figure latencies[4];
  int n_latencies;
} results;

void report_head(const results *r);
void report_figures(const results *r, int first);
void report_streams(const results *r);
void report_latencies(const results *r);
void report_csv(const results *r);

#endif
