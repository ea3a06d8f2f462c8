/* threads.c: law L6: contexts of one to four threads in threads side by side, on the same inputs:
 * each call gives the bytes that one thread alone gives, damaged inputs and full buffers its
 * errors. Without Criterion, which the thread sanitizer cannot run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"
#include "damage.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Several groups of chunks, which threads take from each other, and an end that is not whole. */
enum { N = 9 * 4 * GHZ_CHUNK + 5000, OPERANDS = 3, RUNNERS = 4, ROUNDS = 3 };

static void must(int condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "FAILED: %s\n", what);
    exit(1);
  }
}

/* ---- Calls that fail: what is left in the buffer depends on who came first ---- */
static ref_bytes damaged_stream; /* whose tile in the middle says what no tile may */

static ghz_status failed(ghz_status status, answer *r) {
  r->size = 0;
  return status;
}

static ghz_status do_damaged_sum(ghz_context *ctx, const operands *o, answer *r) {
  return failed(ghz_add(ctx, view(o->a), view(damaged_stream), r->bytes, r->room, &r->size), r);
}
static ghz_status do_damaged(ghz_context *ctx, const operands *o, answer *r) {
  return failed(ghz_decompress(ctx, view(damaged_stream), GHZ_F64, r->bytes, o->n), r);
}
static ghz_status do_full(ghz_context *ctx, const operands *o, answer *r) {
  return failed(ghz_sum(ctx, o->k, o->many, r->bytes, o->a.size / 2, &r->size), r);
}

static const struct {
  call call;
  ghz_status status;
} failing[] = {{{"add what is damaged", do_damaged_sum, 0}, GHZ_ECORRUPT},
               {{"decompress what is damaged", do_damaged, 0}, GHZ_ECORRUPT},
               {{"sum into too little", do_full, 0}, GHZ_ECAPACITY}};

static size_t operations(void) { return call_count + COUNT(failing); }
static const call *operation(size_t i) { return i < call_count ? &calls[i] : &failing[i - call_count].call; }

/* Bytes beyond the answer are not compared. Ends the program at any other status. */
static void run_operation(ghz_context *ctx, const operands *o, size_t i, answer *r) {
  r->size = 0;
  ghz_status status = operation(i)->run(ctx, o, r);
  must(status == (i < call_count ? GHZ_OK : failing[i - call_count].status), operation(i)->name);
}

/* ---- Threads ---- */
typedef struct runner {
  pthread_t thread;
  const operands *o;
  const ref_bytes *want;
  int index;
} runner;

static void *run(void *argument) {
  SCOPE;
  runner *r = argument;
  CONTEXT(ctx, NULL, 1 + r->index);
  answer got = answer_make(r->o, 0);
  for (size_t i = 0; i < ROUNDS * operations(); i++) {
    size_t which = (i + (size_t)r->index * 5) % operations(); /* not all the same at once */
    run_operation(ctx, r->o, which, &got);
    must(got.size == r->want[which].size && memcmp(got.bytes, r->want[which].data, got.size) == 0,
         operation(which)->name);
  }
  return NULL;
}

static void check(ghz_type type, const char *maker) {
  SCOPE;
  CONTEXT(ctx, NULL, 1);
  ghz_lattice l = lattice_abs(type, 0.01);
  operands o = operands_make(&l, N, OPERANDS, maker, maker, 0);
  answer one = answer_make(&o, 0);
  ref_bytes *want = scratch(operations() * sizeof *want);
  runner runners[RUNNERS];
  damaged_stream = bytes_copy(o.b.data, o.b.size);
  damage_tile(damaged_stream, N / GHZ_TILE / 2);
  for (size_t i = 0; i < operations(); i++) {
    run_operation(ctx, &o, i, &one);
    want[i] = bytes_copy(one.bytes, one.size);
  }
  for (int i = 0; i < RUNNERS; i++) {
    runners[i] = (runner){.o = &o, .want = want, .index = i};
    must(pthread_create(&runners[i].thread, NULL, run, &runners[i]) == 0, "no thread");
  }
  for (int i = 0; i < RUNNERS; i++)
    pthread_join(runners[i].thread, NULL);
}

int main(void) {
  check(GHZ_F32, "mixture");
  check(GHZ_F64, "mixture");
  check(GHZ_F32, "random_bits"); /* raw tiles: the largest there are */
  printf("%zu operations, %d rounds in %d threads at once: the same bytes\n", operations(), ROUNDS, RUNNERS);
  return 0;
}
