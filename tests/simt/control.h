/* control.h: how tests set up the emulated device, make it fail, and ask what was done with it (for
 * C and C++).
 *
 *   simt_settings s = simt_defaults();
 *   s.order = SIMT_FORWARD;
 *   simt_configure(&s);
 *
 * Programs that know nothing of it are set up by the environment; names stand beside the members
 * that have one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMT_CONTROL_H
#define SIMT_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In which order blocks, warps and lanes run, and the work of several streams. */
enum simt_order {
  SIMT_FORWARD, /* the first first */
  SIMT_RANDOM   /* drawn from the seed */
};

typedef struct simt_settings {
  int order;         /* SIMT_ORDER=forward|random; default random */
  uint64_t seed;     /* SIMT_SEED; default 1 */
  unsigned resident; /* SIMT_RESIDENT: blocks in flight together; default 4 */
  unsigned eager;    /* percentage of the calls that put work on a stream that also let some run; default 25 */
  int protect; /* SIMT_PROTECT=0|1: the host cannot touch device memory (a segmentation fault); default 1 */
  uint64_t patience;        /* switches of threads in which no block begins or ends: a livelock; default 4e8 */
  int devices;              /* SIMT_DEVICES; 0: cudaErrorNoDevice; default 1 */
  int driver;               /* 0: cudaErrorInsufficientDriver; default 1 */
  int capability;           /* 90: compute capability 9.0; default 90, of tests/ptx 80 */
  int multiprocessors;      /* SIMT_MULTIPROCESSORS; default 3 */
  int shared;               /* KiB of shared memory of each multiprocessor; default 228 */
  size_t memory;            /* bytes of each device; cudaMalloc beyond fails; default 4 GiB */
  int kernels;              /* 0, or the error of cudaFuncGetAttributes and of launches (98, 209); default 0 */
  uint64_t fail_allocation; /* the nth cudaMalloc, cudaMallocHost... fails; 0: none; default 0 */
  uint64_t fail_call;       /* the nth call that can fail, launches included, fails; 0: none; default 0 */
  int fail_with;            /* the error of that call; default 719, cudaErrorLaunchFailure */
} simt_settings;

/* What was done since the program began, or since simt_count_anew. */
typedef struct simt_counters {
  uint64_t calls;       /* of the runtime, that can fail; launches included */
  uint64_t allocations; /* of memory (device, pinned, managed) */
  uint64_t frees;       /* of memory */
  uint64_t objects;     /* streams and events created */
  uint64_t launches;    /* kernels put on a stream */
  uint64_t started;     /* their blocks */
  uint64_t
      synchronisations; /* calls that waited for a device: cudaFree, cudaMemcpy and copies to pageable memory too */
  uint64_t pageable; /* cudaMemcpyAsync from or to pageable memory, which may wait on a real device */
} simt_counters;

/* What there is now. */
typedef struct simt_holdings {
  size_t blocks;       /* of memory that were not freed */
  size_t device_bytes; /* in them, on devices */
  size_t pinned_bytes; /* in them, on the host */
  size_t streams, events;
  size_t pending; /* pieces of work on streams that have not run */
} simt_holdings;

/* The environment's settings, over the defaults. A word that means nothing ends the process. */
simt_settings simt_defaults(void);

/* Makes the settings count from here on: the seed and the two "nth" begin anew. */
void simt_configure(const simt_settings *settings);

simt_counters simt_count(void);
void simt_count_anew(void);
simt_holdings simt_held(void);

#ifdef __cplusplus
}
#endif
#endif
