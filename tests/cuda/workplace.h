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

/* Of arrays as long as those of a place. */
ghz_cuda_slice cuda_slice(ghz_type type, uint64_t first, uint64_t tiles);

/* The context still works: a sum on the device is the CPU's. */
void still_works(trial *t, const place *p, const char *after);

/* A call that must be refused where it is made, with a sentence. */
void refuses(trial *t, ghz_status got, ghz_status want, const char *call);
#define REFUSES(want, call) refuses(t, call, want, #call)

/* The tail of every call. */
#define DONE t->outcome, t->stream
