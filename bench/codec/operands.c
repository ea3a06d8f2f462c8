/* operands.c: owns the operands of a pair, their streams, and one run of each operation on them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/numbers.h>

#include "cpu.h"
#include "file/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16 }; /* of a loop: as many as a compiler needs to use registers */

static volatile double kept; /* so that no loop is left out */

void must(ghz_status status, const char *what, const ghz_context *ctx) {
  if (status != GHZ_OK)
    die(what, ctx ? ghz_context_message(ctx) : ghz_status_text(status));
}

/* ---- On one operand -------------------------------------------------------------------------- */

static ghz_bytes compressed(const subject *s, const float *x, int to) {
  const operands *a = s->on;
  size_t size;
  must(ghz_compress_shape(s->ctx, &a->lattice, GHZ_ORDER_BEST, x, &a->shape, a->out[to], a->room, &size),
       "ghz_compress_shape", s->ctx);
  return (ghz_bytes){a->out[to], size};
}

static void decompress_one(const subject *s, int i) {
  must(ghz_decompress(s->ctx, s->on->stream[i], GHZ_F32, s->on->y[i], s->on->n), "ghz_decompress", s->ctx);
}

static ghz_bytes added(const subject *s) {
  const operands *a = s->on;
  size_t size;
  must(ghz_add(s->ctx, a->stream[0], a->stream[1], a->out[0], a->room, &size), "ghz_add", s->ctx);
  return (ghz_bytes){a->out[0], size};
}

static ghz_bytes packed(const subject *s, int i) {
  size_t size;
  must(ghz_pack(s->ctx, s->on->stream[i], s->level, s->on->out[i], s->on->room, &size), "ghz_pack", s->ctx);
  return (ghz_bytes){s->on->out[i], size};
}

static ghz_bytes unpacked(const subject *s, int i) {
  memory to = {s->on->out[i], s->on->room};
  size_t size;
  must(ghz_unpack_frame(s->ctx, 1, s->frame[i], s->on->room, &to, &size), "ghz_unpack_frame", s->ctx);
  return (ghz_bytes){s->on->out[i], size};
}

/* ---- Operations ------------------------------------------------------------------------------ */

static void copy(const subject *s) {
  const operands *a = s->on;
  const size_t threads = (size_t)s->threads;
#pragma omp parallel for num_threads(s->threads) schedule(static)
  for (size_t t = 0; t < threads; t++) {
    const size_t first = a->n * t / threads, end = a->n * (t + 1) / threads;
    for (int i = 0; i < 2; i++)
      memcpy(a->y[i] + first, a->x[i] + first, (end - first) * sizeof(float));
  }
}

static void compress(const subject *s) {
  for (int i = 0; i < 2; i++)
    compressed(s, s->on->x[i], i);
}

static void decompress(const subject *s) {
  for (int i = 0; i < 2; i++)
    decompress_one(s, i);
}

static void add(const subject *s) {
  added(s);
}

static void add_floats(float *restrict acc, const float *restrict x, size_t n, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (size_t i = 0; i < n; i++)
    acc[i] += x[i];
}

static void roundtrip(const subject *s) {
  decompress(s);
  add_floats(s->on->y[0], s->on->y[1], s->on->n, s->threads);
  compressed(s, s->on->y[0], 1);
}

/* Sums as a program would write them. Within a loop gcc would keep them in memory, and be a fifth
 * slower. */
static __attribute__((noinline)) void sum_up(const float *values, size_t n) {
  double sum[LANES] = {0}, squares[LANES] = {0};
  for (size_t i = 0; i + LANES <= n; i += LANES)
    for (size_t k = 0; k < LANES; k++) {
      const double y = (double)values[i + k];
      sum[k] += y;
      squares[k] += y * y;
    }
  for (int k = 0; k < LANES; k++)
    kept += sum[k] + squares[k];
}

static void loop(const subject *s) {
  for (int i = 0; i < 2; i++) {
    decompress_one(s, i);
    sum_up(s->on->y[i], s->on->n);
  }
}

static void moments(const subject *s) {
  ghz_summary summary;
  for (int i = 0; i < 2; i++)
    must(ghz_moments(s->ctx, s->on->stream[i], &summary), "ghz_moments", s->ctx);
}

static void loop_both(const subject *s) {
  double product[LANES] = {0}, squares[LANES] = {0}, largest[LANES] = {0};
  decompress(s);
  for (size_t i = 0; i + LANES <= s->on->n; i += LANES)
    for (size_t k = 0; k < LANES; k++) {
      const double x = (double)s->on->y[0][i + k], y = (double)s->on->y[1][i + k], d = fabs(x - y);
      product[k] += x * y;
      squares[k] += d * d;
      largest[k] = d > largest[k] ? d : largest[k];
    }
  for (int k = 0; k < LANES; k++)
    kept += product[k] + squares[k] + largest[k];
}

static void difference(const subject *s) {
  ghz_comparison c;
  must(ghz_difference(s->ctx, s->on->stream[0], s->on->stream[1], &c), "ghz_difference", s->ctx);
}

static void pack(const subject *s) {
  for (int i = 0; i < 2; i++)
    packed(s, i);
}

static void unpack(const subject *s) {
  for (int i = 0; i < 2; i++)
    unpacked(s, i);
}

const operation op_memcpy = {"memcpy", 2, copy}, op_compress = {"compress", 2, compress};
const operation op_decompress = {"decompress", 2, decompress}, op_add = {"add", 1, add};
const operation op_roundtrip = {"roundtrip", 1, roundtrip}, op_loop = {"and_loop", 2, loop};
const operation op_moments = {"moments", 2, moments}, op_loop_both = {"both_loop", 2, loop_both};
const operation op_difference = {"difference", 2, difference};
const operation op_pack = {"pack", 2, pack}, op_unpack = {"unpack", 2, unpack};

/* ---- What they work on ----------------------------------------------------------------------- */

static ghz_bytes copy_of(ghz_bytes b) {
  return (ghz_bytes){memcpy(touched(b.size), b.data, b.size), b.size};
}

static void free_bytes(ghz_bytes b) {
  free((void *)(uintptr_t)b.data);
}

operands operands_make(ghz_context *ctx, const pair *p, ghz_shape shape, double bound) {
  const size_t n = (size_t)ghz_shape_count(&shape), from = (p->a.n - n) / 3;
  operands a = {.shape = shape, .n = n, .bytes = n * sizeof(float), .x = {p->a.x + from, p->b.x + from}};
  const subject s = {.on = &a, .ctx = ctx};
  double min[2], max[2];
  for (int i = 0; i < 2; i++)
    must(ghz_range(ctx, GHZ_F32, a.x[i], n, &min[i], &max[i]), "ghz_range", ctx);
  const double low = fmin(min[0], min[1]), high = fmax(max[0], max[1]);
  a.range = high - low;
  must(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_REL, bound}, low, high, &a.lattice), "ghz_lattice_make", NULL);
  a.room = ghz_pack_bound(ghz_shape_bound(&shape, GHZ_F32, 2));
  for (int i = 0; i < 2; i++) {
    a.out[i] = touched(a.room);
    a.y[i] = touched(a.bytes);
    a.stream[i] = copy_of(compressed(&s, a.x[i], i));
  }
  a.sum = copy_of(added(&s));
  return a;
}

void operands_free(operands *a) {
  for (int i = 0; i < 2; i++) {
    free_bytes(a->stream[i]);
    free(a->out[i]);
    free(a->y[i]);
  }
  free_bytes(a->sum);
}

void subject_pack(subject *s) {
  for (int i = 0; s->level && i < 2; i++)
    s->frame[i] = copy_of(packed(s, i));
}

void subject_free(subject *s) {
  for (int i = 0; i < 2; i++)
    free_bytes(s->frame[i]);
}

static bool same(ghz_bytes a, ghz_bytes b) {
  return a.size == b.size && !memcmp(a.data, b.data, a.size);
}

bool subject_agrees(const subject *s) {
  bool all = same(added(s), s->on->sum);
  for (int i = 0; i < 2; i++)
    all &= same(compressed(s, s->on->x[i], i), s->on->stream[i]) &&
           (!s->level || same(unpacked(s, i), s->on->stream[i]));
  return all;
}
