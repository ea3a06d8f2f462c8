/* collective.c: owns where the collectives have their input and result, and the types of values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <string.h>

static const tested_call table[] = {
    {ALLREDUCE, WHOLE_ON_ALL, WHOLE_ON_ALL, 2},    {REDUCE, WHOLE_ON_ALL, WHOLE_AT_ROOT, 0},
    {REDUCE_SCATTER, WHOLE_ON_ALL, BLOCK_EACH, 1}, {ALLGATHER, BLOCK_EACH, WHOLE_ON_ALL, 1},
    {BCAST, WHOLE_AT_ROOT, WHOLE_ON_ALL, 0},       {SCATTER, WHOLE_AT_ROOT, BLOCK_EACH, 1},
    {GATHER, BLOCK_EACH, WHOLE_AT_ROOT, 1},
};

tested_call tested;

bool collective_choose(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(collective_names[table[i].what], name)) {
      tested = table[i];
      return true;
    }
  return false;
}

const char *collective_name(void) {
  return collective_names[tested.what];
}

double collective_bus_factor(double ranks) {
  return tested.bus_shares ? tested.bus_shares * (ranks - 1) / ranks : 1;
}

MPI_Datatype type_of(const options *o) {
  return o->type ? MPI_DOUBLE : MPI_FLOAT;
}

size_t type_bytes(const options *o) {
  return o->type ? sizeof(double) : sizeof(float);
}

const char *type_name(const options *o) {
  return o->type ? "double" : "float";
}
