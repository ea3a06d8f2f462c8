/* checks_calls.c: what a call for a device leaves to its caller: where outcomes lie, streams,
 * errors, rounding. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "workplace.h"
#include <fenv.h>
#include <string.h>

/* ---- Outcomes, arrays, sizes ---- */
static void compresses(trial *t, const arguments *a, const char *what) {
  ghz_status status = make_call(COMPRESS, a);
  expect(t, status == GHZ_OK, "%s: %d, %s", what, (int)status, ghz_cuda_message(t->gpu));
}

/* It has made the place's stream. */
static void compressed(trial *t, const arguments *a, const place *p, const char *what) {
  SCOPE;
  ghz_cuda_outcome copy = {.size = 0};
  ghz_status status = ghz_cuda_wait(t->gpu, a->outcome, &copy, t->stream);
  ref_bytes got = bytes_new(p->stream.size);
  cudaMemcpyAsync(got.data, a->dst, got.size, cudaMemcpyDefault, t->stream);
  cudaStreamSynchronize(t->stream);
  if (expect(t, status == GHZ_OK && copy.status == GHZ_OK && copy.size == got.size, "%s: %d, %llu bytes, %s",
             what, (int)status, (unsigned long long)copy.size, ghz_cuda_message(t->gpu)))
    same_bytes(t, got, p->stream, what);
}

void check_managed_memory_will_do(trial *t) {
  place p = place_make(t, GHZ_F32);
  arguments a = right_arguments(t, &p);
  void *x = NULL, *dst = NULL, *outcome = NULL;
  a.room = p.stream.size;
  int have = cudaMallocManaged(&x, N * sizeof(float), cudaMemAttachGlobal) == cudaSuccess &&
             cudaMallocManaged(&dst, a.room, cudaMemAttachGlobal) == cudaSuccess &&
             cudaMallocManaged(&outcome, sizeof *a.outcome, cudaMemAttachGlobal) == cudaSuccess;
  if (expect(t, have, "no managed memory")) {
    cudaMemcpyAsync(x, p.values, N * sizeof(float), cudaMemcpyDefault, t->stream);
    a.x = x, a.dst = dst, a.outcome = outcome;
    compresses(t, &a, "managed memory");
    compressed(t, &a, &p, "managed memory");
  }
  cudaFree(x);
  cudaFree(dst);
  cudaFree(outcome);
  place_free(t, &p);
}

void check_outcome_in_device_memory(trial *t) {
  place p = place_make(t, GHZ_F32);
  arguments a = right_arguments(t, &p);
  device_memory there = device_output(t, sizeof *a.outcome, 0);
  a.outcome = (ghz_cuda_outcome *)(void *)there.data;
  compresses(t, &a, "outcome in device memory");
  compressed(t, &a, &p, "outcome in device memory");
  expect(t, ghz_cuda_wait(t->gpu, a.outcome, NULL, t->stream) == GHZ_OK, "wait without a copy");
  a.room = p.stream.size - 1;
  compresses(t, &a, "one byte too few");
  ghz_status status = ghz_cuda_wait(t->gpu, a.outcome, NULL, t->stream);
  expect(t, status == GHZ_ECAPACITY && ghz_cuda_message(t->gpu)[0], "one byte too few: %d, \"%s\"", (int)status,
         ghz_cuda_message(t->gpu));
  device_guards(t, &there, "outcome");
  place_free(t, &p);
}

/* ---- Streams ---- */
enum { LINES = 4 };

/* x is compressed, added to itself, accumulated, decompressed: no call waits but for its stream. */
typedef struct line {
  trial own; /* context, stream, outcome */
  ghz_lattice lattice;
  size_t n;
  void *values;
  device_memory x, a, sum, y;
  ghz_cuda_outcome *outcomes;
} line;

static line line_make(trial *t, size_t i) {
  line l = {.own = *t, .n = 9000 + 7777 * i, .lattice = lattice_abs((ghz_type)(i % 2), 0.2)};
  ghz_type type = l.lattice.type;
  void *outcomes = NULL;
  expect(t, ghz_cuda_create(&l.own.gpu, l.n, 2) == GHZ_OK, "context %zu: %s", i, ghz_cuda_message(NULL));
  cudaStreamCreateWithFlags(&l.own.stream, cudaStreamNonBlocking);
  cudaMallocHost(&outcomes, 5 * sizeof *l.outcomes);
  l.outcomes = outcomes;
  l.values = input_make(input_named(i % 2 ? "mixture" : "specials"), type, l.n, l.lattice.step, i);
  l.x = device_input(&l.own, l.values, l.n * ghz_type_size(type), 0);
  l.a = device_output(&l.own, ghz_size_bound(l.n, type, 1), 0);
  l.sum = device_output(&l.own, ghz_size_bound(l.n, type, 3), 0);
  l.y = device_output(&l.own, l.n * 8, 0);
  return l;
}

/* Puts the whole line's work on its stream; returns the number of calls that were refused. */
static int line_start(line *l) {
  ghz_cuda *gpu = l->own.gpu;
  cudaStream_t stream = l->own.stream;
  ghz_type type = l->lattice.type;
  ghz_bytes a = device_view(&l->a), sum = device_view(&l->sum);
  ghz_status s[4] = {
      ghz_cuda_compress(gpu, &l->lattice, -1, l->x.data, ghz_flat(l->n), l->a.data, l->a.size, &l->outcomes[0],
                        stream),
      ghz_cuda_add(gpu, type, ghz_flat(l->n), a, a, l->sum.data, l->sum.size, &l->outcomes[1], stream),
      ghz_cuda_accumulate(gpu, type, ghz_flat(l->n), l->sum.data, l->sum.size, a, &l->outcomes[2], stream),
      ghz_cuda_decompress(gpu, type, ghz_flat(l->n), sum, GHZ_F64, l->y.data, &l->outcomes[3], stream)};
  int refused = 0;
  for (int i = 0; i < 4; i++)
    refused += s[i] != GHZ_OK;
  return refused;
}

static void line_check(trial *t, line *l, const char *what) {
  SCOPE;
  ref_bytes a = compress(t->cpu, &l->lattice, -1, l->values, l->n), three[3] = {a, a, a};
  operation o = {.kind = SUM, .lattice = l->lattice, .n = l->n, .k = 3, .operands = three};
  made want = cpu_make(t, &o);
  cudaError_t error = cudaStreamSynchronize(l->own.stream);
  expect(t, error == cudaSuccess, "%s: %s", what, cudaGetErrorString(error));
  for (int i = 0; i < 4; i++)
    expect(t, l->outcomes[i].status == GHZ_OK, "%s: outcome %d is %d", what, i, (int)l->outcomes[i].status);
  size_t size = l->outcomes[2].size <= l->sum.size ? (size_t)l->outcomes[2].size : 0;
  ref_bytes got = {device_read(&l->own, &l->sum, size), size};
  same_bytes(t, got, want.bytes, what);
  reading r = {.type = l->lattice.type, .n = l->n, .source = want.bytes, .out = GHZ_F64, .kind = DECOMPRESS};
  double *values = scratch(l->n * sizeof *values);
  uint8_t *back = device_read(&l->own, &l->y, l->n * sizeof *values);
  cpu_read(t, &r, values);
  same_values(t, back, values, l->n, GHZ_F64, what);
}

static void line_free(line *l) {
  cudaFreeHost(l->outcomes);
  cudaStreamDestroy(l->own.stream);
  ghz_cuda_free(l->own.gpu);
}

void check_several_streams_at_once(trial *t) {
  line lines[LINES];
  for (size_t i = 0; i < LINES; i++)
    lines[i] = line_make(t, i);
  for (int round = 0; round < by_extent(t, 1, 3, 50); round++) {
    for (size_t i = 0; i < LINES; i++)
      expect(t, line_start(&lines[i]) == 0, "line %zu: %s", i, ghz_cuda_message(lines[i].own.gpu));
    for (size_t i = 0; i < LINES; i++)
      line_check(t, &lines[LINES - 1 - i], say("round %d, line %zu", round, LINES - 1 - i));
  }
  for (size_t i = 0; i < LINES; i++)
    line_free(&lines[i]);
}

/* The scratch of a context serves call after call on its stream. */
void check_calls_in_a_row_without_waiting(trial *t) {
  line l = line_make(t, 3);
  for (int round = 0; round < by_extent(t, 3, 10, 100); round++)
    expect(t, line_start(&l) == 0, "round %d: %s", round, ghz_cuda_message(l.own.gpu));
  line_check(t, &l, "the last round");
  line_free(&l);
}

/* ---- The caller's state ---- */
/* An error that the caller has not asked for yet is none of the call's, and stays after it. */
void check_error_of_the_caller(trial *t) {
  place p = place_make(t, GHZ_F32);
  const arguments a = right_arguments(t, &p);
  cudaError_t own = cudaSetDevice(1000);
  compresses(t, &a, "with an error of the caller's");
  cudaError_t after = cudaGetLastError();
  expect(t, own != cudaSuccess && after == own, "the caller's error was %d, and is %d", (int)own, (int)after);
  compressed(t, &a, &p, "with an error of the caller's");
  place_free(t, &p);
}

/* Nor does the caller's way of rounding matter, and it is kept. */
void check_rounding_of_the_caller(trial *t) {
  static const int ways[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  place p = place_make(t, GHZ_F64);
  const arguments a = right_arguments(t, &p);
  for (size_t i = 0; i < COUNT(ways); i++) {
    fesetround(ways[i]);
    compresses(t, &a, "rounding otherwise");
    int after = fegetround();
    fesetround(FE_TONEAREST);
    expect(t, after == ways[i], "the rounding was %d, and is %d", ways[i], after);
    compressed(t, &a, &p, "rounding otherwise");
  }
  place_free(t, &p);
}
