/* suite.c: the beginning, the end, and the checks in between. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE = 60, LINES = 6, SKIPPED = 77 }; /* seconds a case; lines a rank */

suite here;

static _Thread_local char current[512] = "start";
static const char *program = "?";

/* ---- The watchdog ---- */
static void too_long(int signal_number) {
  (void)signal_number;
  static const char words[] = "a case took too long: ";
  if (write(2, words, sizeof words - 1) < 0 || write(2, current, strlen(current)) < 0 || write(2, "\n", 1) < 0)
    _exit(125);
  _exit(124);
}

void suite_case(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  vsnprintf(current, sizeof current, format, rest);
  va_end(rest);
  alarm(PATIENCE);
}

/* ---- Begin and end ---- */
uint64_t suite_number(const char *text, const char *name) {
  char *end;
  errno = 0;
  uint64_t value = strtoull(text, &end, 10);
  if (errno || *end || end == text || *text == '-') {
    fprintf(stderr, "%s: %s is not a number: %s\n", program, name, text);
    exit(2);
  }
  return value;
}

void suite_begin(int argc, char **argv, int threads) {
  program = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
  if (argc < 2) {
    fprintf(stderr, "usage: %s RANKS [SEED]\n", program);
    exit(2);
  }
  uint64_t expected = suite_number(argv[1], "RANKS");
  here.seed = argc > 2 ? suite_number(argv[2], "SEED") : 1;
  signal(SIGALRM, too_long);
  alarm(PATIENCE);
  MPI_Init_thread(NULL, NULL, threads, &here.threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &here.ranks);
  if (here.ranks < 1 || (uint64_t)here.ranks != expected) {
    fprintf(stderr, "%s: %d ranks, not %s: is mpiexec of the MPI that this was built with?\n", program,
            here.ranks, argv[1]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

int suite_end(const char *skipped) {
  long mine[2] = {here.checks, here.failures}, all[2];
  suite_case("end");
  MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (here.rank == 0 && skipped)
    printf("%s: SKIPPED: %s\n", program, skipped);
  else if (here.rank == 0)
    printf("%s: %d ranks, seed %llu: %ld checks, %ld failed\n", program, here.ranks,
           (unsigned long long)here.seed, all[0], all[1]);
  fflush(NULL);
  MPI_Finalize();
  if (skipped && all[1] == 0)
    return SKIPPED;
  return all[1] || all[0] == 0 ? 1 : 0;
}

int check(int holds, const char *format, ...) {
  __atomic_fetch_add(&here.checks, 1, __ATOMIC_RELAXED);
  if (holds)
    return 1;
  if (__atomic_fetch_add(&here.failures, 1, __ATOMIC_RELAXED) < LINES) {
    char what[512];
    va_list rest;
    va_start(rest, format);
    vsnprintf(what, sizeof what, format, rest);
    va_end(rest);
    fprintf(stderr, "FAILED %s, rank %d of %d, seed %llu\n  %s\n  %s\n", program, here.rank, here.ranks,
            (unsigned long long)here.seed, current, what);
  }
  return 0;
}

/* ---- Between ranks ---- */
int on_all(int holds, MPI_Comm comm) {
  int all;
  MPI_Allreduce(&holds, &all, 1, MPI_INT, MPI_LAND, comm);
  return all;
}

int on_any(int holds, MPI_Comm comm) {
  int any;
  MPI_Allreduce(&holds, &any, 1, MPI_INT, MPI_LOR, comm);
  return any;
}

uint64_t largest(uint64_t value, MPI_Comm comm) {
  uint64_t most;
  MPI_Allreduce(&value, &most, 1, MPI_INT64_T, MPI_MAX, comm);
  return most;
}

int all_same(uint64_t value, MPI_Comm comm) {
  uint64_t both[2] = {value, ~value}, least[2];
  MPI_Allreduce(both, least, 2, MPI_INT64_T, MPI_MIN, comm);
  return least[0] == ~least[1];
}

/* ---- Numbers ---- */
uint64_t draw(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint64_t draw_below(uint64_t *state, uint64_t below) { return draw(state) % below; }

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t state = a * 0xff51afd7ed558ccdu + b;
  return draw(&state);
}

double real_at(const void *x, int is_double, uint64_t i) {
  return is_double ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

void set_real(void *x, int is_double, uint64_t i, double value) {
  if (is_double)
    ((double *)x)[i] = value;
  else
    ((float *)x)[i] = (float)value;
}

uint64_t hash_bytes(const void *data, uint64_t size) {
  const unsigned char *p = data;
  uint64_t h = size, word = 0;
  for (; size >= 8; size -= 8, p += 8) {
    memcpy(&word, p, 8);
    h = (h ^ word) * 0x9fb21c651e98df25u;
    h ^= h >> 29;
  }
  for (; size > 0; size--, p++)
    h = (h ^ *p) * 0x100000001b3u;
  return (h ^ h >> 32) >> 1;
}
