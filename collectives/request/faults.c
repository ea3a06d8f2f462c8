/* faults.c: settings that are not understood: told once, not by every rank. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "request/faults.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINES = 12, LENGTH = 400 };

static char lines[LINES][LENGTH];
static int count, told; /* lines, and how many of them this rank has told */
static int settled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void ghz_faults_note(const char *format, ...) {
  va_list values;
  if (count == LINES)
    return;
  va_start(values, format);
  vsnprintf(lines[count++], LENGTH, format, values);
  va_end(values);
}

/* -1: MPI is not running. */
static int rank_in_world(void) {
  int running = 0, ended = 0, rank = -1;
  MPI_Initialized(&running);
  MPI_Finalized(&ended);
  if (running && !ended)
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static void tell(int rank) {
  for (; told < count; told++)
    if (rank > 0)
      fprintf(stderr, "libghzmpi: on rank %d: %s\n", rank, lines[told]);
    else
      fprintf(stderr, "libghzmpi: %s\n", lines[told]);
}

void ghz_faults_noted(void) {
  if (told < count && rank_in_world() <= 0)
    tell(0);
}

static uint64_t hash_lines(void) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  for (int i = 0; i < count; i++)
    for (const char *c = lines[i]; *c; c++)
      hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
  return hash;
}

faults ghz_faults_own(MPI_Comm comm) {
  faults own = {FAULTS_NONE, 0};
  int rank = 0;
  pthread_mutex_lock(&lock);
  if (count > 0 && !settled) {
    MPI_Comm_rank(comm, &rank);
    own = (faults){rank_in_world() == 0 ? 0 : (uint64_t)rank + 1, hash_lines()};
  }
  pthread_mutex_unlock(&lock);
  return own;
}

faults ghz_faults_first(faults a, faults b) {
  return a.order < b.order ? a : b;
}

void ghz_faults_settle(faults own, faults agreed) {
  if (own.order == FAULTS_NONE)
    return;
  pthread_mutex_lock(&lock);
  if (own.order == agreed.order || own.hash != agreed.hash)
    tell(rank_in_world());
  settled = 1;
  pthread_mutex_unlock(&lock);
}
