/* contexts.c: law L6: a context serves one call at a time, and says so; calls without one have a
 * context of their thread, which ends with it; contexts of any number of threads side by side give
 * what one thread alone gives. Without Criterion, which the thread sanitizer cannot run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "allocator.h"
#include "calls.h"
#include "damage.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 5000, OPERANDS = 3, RUNNERS = 16, ROUNDS = 300 };

static void must(int condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "FAILED: %s\n", what);
    exit(1);
  }
}

static const operands *given;
static ref_bytes *want;

static void start(pthread_t *thread, void *(*body)(void *), void *argument) {
  must(pthread_create(thread, NULL, body, argument) == 0, "no thread");
}

/* What the calls work on from now on, and what one thread alone answers; scratch memory. */
static void give(ghz_type type, size_t n, const char *maker, const char *other) {
  CONTEXT(ctx, NULL, 1);
  const ghz_lattice l = lattice_abs(type, 0.01);
  operands *o = scratch(sizeof *o);
  *o = operands_make(&l, n, OPERANDS, maker, other, 0);
  answer one = answer_make(o, 0);
  given = o;
  want = scratch(call_count * sizeof *want);
  for (size_t i = 0; i < call_count; i++) {
    one.size = 0;
    must(calls[i].run(ctx, o, &one) == GHZ_OK, calls[i].name);
    want[i] = bytes_copy(one.bytes, one.size);
  }
}

/* Runs a call; where it succeeds, its answer must be right. */
static ghz_status attempt(ghz_context *ctx, size_t which, answer *r) {
  r->size = 0;
  ghz_status status = calls[which].run(ctx, given, r);
  if (status == GHZ_OK)
    must(r->size == want[which].size && memcmp(r->bytes, want[which].data, r->size) == 0, calls[which].name);
  return status;
}

/* ---- Every call, while every other one runs ---- */
/* Memory that stops a call in its middle: the operands cannot be read until the other thread has
 * tried every call. */
static struct {
  uint8_t *p;
  size_t size;
} guarded[8];
static size_t guarded_count;
static volatile sig_atomic_t faults;
static sem_t stopped, tried;

static uint8_t *guard_copy(const void *data, size_t size) {
  uint8_t *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  must(p != MAP_FAILED, "mmap");
  memcpy(p, data, size);
  guarded[guarded_count].p = p;
  guarded[guarded_count++].size = size;
  return p;
}

static void guard(int protection, const uint8_t *spared) {
  for (size_t i = 0; i < guarded_count; i++)
    if (guarded[i].p != spared)
      must(mprotect(guarded[i].p, guarded[i].size, protection) == 0, "mprotect");
}

static void on_fault(int number) {
  if (faults++) /* not ours */
    signal(number, SIG_DFL);
  guard(PROT_READ | PROT_WRITE, NULL);
  sem_post(&stopped);
  while (sem_wait(&tried) != 0)
    ;
}

static operands guard_operands(const operands *o) {
  operands g = *o;
  const size_t value = ghz_type_size(o->lattice.type);
  g.x = guard_copy(o->x, o->n * value);
  g.field = guard_copy(o->field, (size_t)ghz_shape_count(&o->shape) * value);
  g.a.data = guard_copy(o->a.data, o->a.size);
  g.b.data = guard_copy(o->b.data, o->b.size);
  for (int i = 0; i < 2; i++)
    g.bricks[i].data = guard_copy(o->bricks[i].data, o->bricks[i].size);
  for (int i = 0; i < MANY; i++)
    g.many[i] = view(i % 2 ? g.b : g.a);
  g.two[0] = slice_of(g.a, o->two[0].first, o->two[0].tiles);
  g.two[1] = slice_of(g.b, o->two[1].first, o->two[1].tiles);
  g.of_bricks = slice_of(g.bricks[0], o->of_bricks.first, o->of_bricks.tiles);
  return g;
}

/* What a test of an accumulator copies before it calls. */
static const uint8_t *accumulator_of(const operands *o, const char *name) {
  return strcmp(name, "accumulate") == 0          ? o->a.data
         : strcmp(name, "accumulate_values") == 0 ? o->b.data
         : strcmp(name, "accumulate_bricks") == 0 ? o->bricks[1].data
                                                  : NULL;
}

static void must_be_busy(ghz_context *ctx, answer *r) {
  for (size_t i = 0; i < call_count; i++)
    must(attempt(ctx, i, r) == GHZ_EBUSY, calls[i].name);
  must(ghz_context_set_threads(ctx, 2) == GHZ_EBUSY, "set_threads");
  must(ghz_slice_reserve(ctx, &given->shape, 1, GHZ_F32, 1) == GHZ_EBUSY, "slice_reserve");
  must(strstr(ghz_context_message(ctx), "another call") != NULL, "the message of EBUSY");
  must(attempt(NULL, 0, r) == GHZ_OK, "the context of the thread is another one");
}

static void *intrude(void *ctx) {
  SCOPE;
  answer r = answer_make(given, 0);
  for (size_t i = 0; i < call_count; i++) {
    while (sem_wait(&stopped) != 0)
      ;
    must_be_busy(ctx, &r);
    sem_post(&tried);
  }
  return NULL;
}

static void busy_during_every_call(void) {
  SCOPE;
  CONTEXT(ctx, NULL, 1);
  const operands *plain = given, o = guard_operands(given);
  answer r = answer_make(given, 0);
  pthread_t intruder;
  given = &o;
  sem_init(&stopped, 0, 0);
  sem_init(&tried, 0, 0);
  sigaction(SIGSEGV, &(struct sigaction){.sa_handler = on_fault}, NULL);
  start(&intruder, intrude, ctx);
  for (size_t i = 0; i < call_count; i++) {
    faults = 0;
    guard(PROT_NONE, accumulator_of(&o, calls[i].name));
    must(attempt(ctx, i, &r) == GHZ_OK && faults == 1, calls[i].name);
    must(strcmp(ghz_context_message(ctx), "") == 0, "a call that succeeds beside one that is refused");
  }
  pthread_join(intruder, NULL);
  signal(SIGSEGV, SIG_DFL);
  given = plain;
  for (size_t i = 0; i < guarded_count; i++)
    munmap(guarded[i].p, guarded[i].size);
}

/* ---- Two threads on one context ---- */
static long refused;

static void *insist(void *ctx) {
  SCOPE;
  answer r = answer_make(given, 0);
  for (size_t i = 0; i < ROUNDS * call_count; i++) {
    ghz_status status;
    while ((status = attempt(ctx, i % call_count, &r)) == GHZ_EBUSY) {
      __atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
      sched_yield();
    }
    must(status == GHZ_OK, "neither a result nor EBUSY");
  }
  return NULL;
}

static void two_threads_on_one_context(void) {
  CONTEXT(ctx, NULL, 1);
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    start(&thread[i], insist, ctx);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  must(ghz_context_set_threads(ctx, 1) == GHZ_OK, "the context is free again");
}

/* A refusal is the thread's last failure until it has another one with the context. */
static void message_after_refusal(void) {
  CONTEXT(ctx, NULL, 1);
  must(ghz_compress(ctx, NULL, 0, NULL, 0, NULL, 0, NULL) == GHZ_EINVAL, "no arguments");
  const char *message = ghz_context_message(ctx);
  must(*message && !strstr(message, "another call"), "the message of EINVAL");
}

/* ---- Threads without a context ---- */
static void *run_all(void *unused) {
  SCOPE;
  answer r = answer_make(given, 0);
  must(strcmp(ghz_context_message(NULL), "") == 0, "a thread begins without a message");
  for (size_t i = 0; i < 3 * call_count; i++)
    must(attempt(NULL, i % call_count, &r) == GHZ_OK, calls[i % call_count].name);
  must(ghz_context_threads(NULL) == 1 && *ghz_context_isa(NULL), "the context of a thread");
  return unused;
}

static void threads_without_contexts(void) {
  pthread_t thread[RUNNERS];
  long live = allocator_live();
  for (int i = 0; i < RUNNERS; i++)
    start(&thread[i], run_all, NULL);
  for (int i = 0; i < RUNNERS; i++)
    pthread_join(thread[i], NULL);
  must(allocator_live() == live, "the contexts of threads that ended are freed");
}

/* What a thread calls while it ends: its context may be gone already. */
static pthread_key_t late_key;

static void call_late(void *unused) {
  float x[3] = {1, 2, 3};
  double min, max;
  (void)unused;
  must(ghz_range(NULL, GHZ_F32, x, 3, &min, &max) == GHZ_OK && max == 3, "a call while the thread ends");
}

static void *end_late(void *unused) {
  call_late(NULL);
  pthread_setspecific(late_key, &late_key);
  return unused;
}

static void calls_of_a_thread_that_ends(void) {
  pthread_t thread;
  call_late(NULL); /* the library's key comes first, so that its destructor does */
  long live = allocator_live();
  must(pthread_key_create(&late_key, call_late) == 0, "a key");
  start(&thread, end_late, NULL);
  pthread_join(thread, NULL);
  must(allocator_live() == live, "a context made while a thread ends is freed");
  pthread_key_delete(late_key);
}

static void after_fork(void) {
  int status;
  SCOPE;
  answer r = answer_make(given, 0);
  must(attempt(NULL, 0, &r) == GHZ_OK, "before fork()");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    run_all(NULL);
    _exit(0);
  }
  must(child > 0 && waitpid(child, &status, 0) == child && status == 0, "calls in a child");
}

/* Integers that are no int8, so that threads meet in the note of the first. */
static void misfit(ghz_context *ctx) {
  enum { COUNT = 1 << 18 };
  ghz_lattice l;
  size_t size;
  must(ghz_lattice_make(GHZ_I16, (ghz_bound){GHZ_STEP, 1}, 0, 0, &l) == GHZ_OK, "a lattice");
  int16_t *values = calloc(COUNT, sizeof *values);
  uint8_t *stream = malloc(ghz_size_bound(COUNT, GHZ_I16, 1));
  must(values && stream, "memory of a test");
  for (size_t i = 0; i < COUNT; i++)
    values[i] = (int16_t)(i % 30000);
  must(ghz_compress(ctx, &l, GHZ_ORDER_LORENZO, values, COUNT, stream, ghz_size_bound(COUNT, GHZ_I16, 1),
                    &size) == GHZ_OK,
       "compress");
  must(ghz_decompress(ctx, (ghz_bytes){stream, size}, GHZ_I8, values, COUNT) == GHZ_ERANGE, "no int8");
  free(values), free(stream);
}

#ifndef GHZ_SANITIZED
#define GHZ_SANITIZED 0
#endif

static volatile int working;

static void *work(void *unused) {
  while (working)
    misfit(NULL);
  return unused;
}

/* A context of several threads, and locks that other threads hold. */
static void forks_while_threads_work(void) {
  pthread_t threads[4];
  ghz_context *ctx;
  must(ghz_context_create(&ctx, 2) == GHZ_OK, "a context of two threads");
  misfit(ctx);
  working = 1;
  for (int i = 0; i < 4; i++)
    start(&threads[i], work, NULL);
  for (int i = 0; i < 30; i++) {
    int status;
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);
      misfit(NULL);
      misfit(ctx);
      _exit(ghz_context_threads(ctx) == 1 ? 0 : 1);
    }
    must(child > 0 && waitpid(child, &status, 0) == child && status == 0, "calls in a child beside threads");
  }
  working = 0;
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  must(ghz_context_threads(ctx) == 2, "the parent keeps its threads");
  ghz_context_free(ctx);
}

/* ---- Contexts of one to seven threads, side by side ---- */
/* Several groups of chunks, which threads take from each other, and an end that is not whole. */
enum { LONG = 9 * 4 * GHZ_CHUNK + 5000, BESIDE = 4 };

static ref_bytes damaged_stream; /* whose tile in the middle says what no tile may */

/* What is left in the buffer depends on who came first. */
static void fail(ghz_context *ctx, answer *r) {
  const ghz_bytes a = view(given->a), bad = view(damaged_stream);
  must(ghz_add(ctx, a, bad, r->bytes, r->room, &r->size) == GHZ_ECORRUPT, "add what is damaged");
  must(ghz_decompress(ctx, bad, GHZ_F64, r->bytes, LONG) == GHZ_ECORRUPT, "decompress what is damaged");
  must(ghz_sum(ctx, given->k, given->many, r->bytes, a.size / 2, &r->size) == GHZ_ECAPACITY,
       "sum into too little");
}

static void *run_beside(void *threads) {
  SCOPE;
  CONTEXT(ctx, NULL, *(const int *)threads);
  answer r = answer_make(given, 0);
  for (size_t i = 0; i < 3 * call_count; i++) {
    const size_t which = (i + 5 * (size_t)ghz_context_threads(ctx)) % call_count; /* not all the same at once */
    must(attempt(ctx, which, &r) == GHZ_OK, calls[which].name);
    if (which % 14 == 0)
      fail(ctx, &r);
  }
  return NULL;
}

static void side_by_side(ghz_type type, const char *maker) {
  SCOPE;
  static int threads[BESIDE] = {1, 2, 3, 7};
  pthread_t thread[BESIDE];
  give(type, LONG, maker, maker);
  damaged_stream = bytes_copy(given->b.data, given->b.size);
  damage_tile(damaged_stream, LONG / GHZ_TILE / 2);
  for (int i = 0; i < BESIDE; i++)
    start(&thread[i], run_beside, &threads[i]);
  for (int i = 0; i < BESIDE; i++)
    pthread_join(thread[i], NULL);
}

int main(void) {
  SCOPE;
  give(GHZ_F32, N, "mixture", "walk");
  after_fork();
  busy_during_every_call();
  two_threads_on_one_context();
  message_after_refusal();
  threads_without_contexts();
  calls_of_a_thread_that_ends();
  if (!GHZ_SANITIZED) /* a sanitizer's own locks are met as other threads left them */
    forks_while_threads_work();
  side_by_side(GHZ_F32, "mixture");
  side_by_side(GHZ_F64, "mixture");
  side_by_side(GHZ_F32, "random_bits"); /* raw tiles: the largest there are */
  printf("%zu calls: EBUSY during each; %ld refusals; %d threads without a context, %d contexts side by side\n",
         call_count, refused, RUNNERS, BESIDE);
  return 0;
}
