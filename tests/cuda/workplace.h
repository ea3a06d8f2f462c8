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

/* Such as are right for calls that use it. */
arguments right_arguments(trial *t, const place *p);

/* A call that must be refused where it is made, with a sentence. */
void refuses(trial *t, ghz_status got, ghz_status want, const char *what);
