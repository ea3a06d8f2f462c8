/* gpu_support.h: what the checks of the GPU half share: a context on a device, guarded device
 * memory, and operations that run on the CPU and on the device and must agree. Free of Criterion,
 * so that a machine without it can run the checks too. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "calls.h"
#include "streams.h"
#include <cuda_runtime_api.h>

/* How much a check does: with little effort, on any machine, on a device. */
enum extent { QUICK, USUAL, FULL };

/* One check at work. */
typedef struct trial {
  const char *name;
  enum extent extent;
  int failures;
  unsigned cases; /* operations compared so far */
  ghz_context *cpu;
  ghz_cuda *gpu;
  cudaStream_t stream;
  ghz_cuda_outcome *outcome; /* pinned */
} trial;

/* A trial's contexts are made for arrays of this many values and GHZ_CUDA_OPERANDS operands. */
#define TRIAL_VALUES ((size_t)8 << 20)

typedef void check_body(trial *t);

/* 1 if CUDA has a device here. */
int device_present(void);

/* Runs one check, and whether its context still works; returns the number of failures, which are
 * printed as they occur. */
int run_check(const char *name, check_body *body, enum extent extent);

/* Counts and prints a failure. */
void fail(trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Counts a failure unless the condition holds. Yields the condition. */
#define expect(t, condition, ...) ((condition) ? 1 : (fail(t, __VA_ARGS__), 0))

/* Of three numbers the one for the extent of the trial. */
int by_extent(const trial *t, int quick, int usual, int full);

/* ---- Device memory ---- */
/* `data` lies `offset` bytes behind a multiple of 256. An output has guards on both sides and is
 * poisoned. */
typedef struct device_memory {
  uint8_t *base;
  uint8_t *data;
  size_t size;
  size_t front; /* bytes before data */
  size_t back;  /* bytes of the guard behind it */
} device_memory;

/* A copy of host bytes; nothing may be read behind it. */
device_memory device_input(trial *t, const void *bytes, size_t size, size_t offset);
device_memory device_output(trial *t, size_t capacity, size_t offset);
/* Fails if a guard of the output was written to. */
void device_guards(trial *t, const device_memory *m, const char *what);
/* The first bytes, after the work of the stream is done. */
uint8_t *device_read(trial *t, const device_memory *m, size_t size);
ghz_bytes device_view(const device_memory *m);

/* ---- Operations that make a stream or a message ---- */
/* ACCUMULATE: into the first operand, the others one after the other. */
typedef struct operation {
  kind kind;
  ghz_lattice lattice; /* of compressions; of the others only the type counts */
  int order;
  const void *x;
  size_t shift; /* values by which x is moved off its alignment on the device */
  size_t n;
  size_t k;
  const ref_bytes *operands;
  const int64_t *coefficients;
  uint64_t first, tiles, divisor; /* of messages */
  const ref_bytes *whole;         /* the streams that these are of, where the divisor is their number */
  size_t behind;                  /* bytes that may be read behind each operand on the device */
  int missing;                    /* an emulated device has not got them: a call that reads them dies */
  ghz_shape shape;                /* of bricks, with n values; dims 0 means a flat array */
} operation;

/* What a call made: its status (or that of the outcome), and the bytes if that is GHZ_OK. */
typedef struct made {
  ghz_status status;
  ghz_status returned; /* by the call itself */
  ghz_cuda_outcome outcome;
  ref_bytes bytes;
} made;

/* Enough for the result, or for any that hostile operands could announce. */
size_t room_for(const operation *o);
made cpu_make(trial *t, const operation *o);
/* With copies of the operands, to a guarded destination. */
made gpu_make(trial *t, const operation *o, size_t capacity, const char *what);
/* The same bytes and account of them from both, with exact room, and in turn with more and less; in
 * place with room for all terms. */
void agree(trial *t, const operation *o, const char *what);
void same_bytes(trial *t, ref_bytes got, ref_bytes want, const char *what);
/* A sum on the device is the CPU's. */
void still_works(trial *t, const char *after);

/* ---- Operations that make values ---- */
typedef struct reading {
  kind kind; /* SLICE_DECOMPRESS of bricks goes into the array */
  ghz_type type;
  size_t n;
  ref_bytes source;
  ghz_type out;
  uint64_t first;                /* value of a range, tile of a message */
  size_t count;                  /* values of a range, tiles of a message */
  size_t shift;                  /* values by which dst is moved off its alignment */
  ghz_shape shape;               /* of bricks, with n values; dims 0 means a flat array */
  uint64_t origin[3], extent[3]; /* of a box */
} reading;

/* Values that it makes; of a message of bricks, those of the array that they go to. */
size_t reading_count(const reading *r);
ghz_status cpu_read(trial *t, const reading *r, void *values);
/* *values is NULL unless the status is GHZ_OK. */
ghz_status gpu_read(trial *t, const reading *r, uint8_t **values, const char *what);
/* The same values from both. */
void agree_values(trial *t, const reading *r, const char *what);
/* The same range of values from both, of values that lie `shift` off their alignment. */
void agree_range(trial *t, ghz_type type, const void *x, size_t n, size_t shift, const char *what);
void same_values(trial *t, const void *got, const void *want, size_t n, ghz_type type, const char *what);
