/* check.c: owns the comparison of the device's results with the CPU's bytes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda.h"

#include <stdlib.h>
#include <string.h>

/* One check of all sets, and its host memory. */
typedef struct check {
  work *w;
  const slot *s;
  unsigned char *expected, *found, *plain[2];
  size_t room; /* of expected and found */
} check;

/* Copies `size` bytes from the device. They must be the `expected_size` ones at `expected`. */
static void compare(const check *c, operation op, int set, const char *from, size_t size, const void *expected,
                    size_t expected_size) {
  char text[400], array[24];
  const unsigned char *right = expected;
  size_t at = 0;
  to_host(c->found, from, size);
  if (size == expected_size && memcmp(c->found, right, size) == 0)
    return;
  while (at < size && at < expected_size && c->found[at] == right[at])
    at++;
  snprintf(
      text, sizeof text, "%s of %s, %s, set %d: %zu bytes where the CPU has %zu; they differ from byte %zu on",
      cuda_operations[op], c->w->v->pair->name, size_text(c->w->bytes, array), set, size, expected_size, at);
  die("wrong result", text);
}

/* ---- What the CPU makes ---------------------------------------------------------------------- */

static const char *host_values(const work *w, int side, int set) {
  return w->v->host[side] + w->first[set] * w->v->value_size;
}

static ghz_bytes host_operand(const work *w, int side, int set) {
  int same = set % w->distinct;
  return (ghz_bytes){w->host[side][same], w->size[side][same]};
}

static size_t compress(const check *c, const void *x) {
  const work *w = c->w;
  size_t size;
  must(ghz_compress_shape(w->v->cpu, &w->lattice, GHZ_ORDER_BEST, x, &w->shape, c->expected, c->room, &size),
       "ghz_compress_shape", c->w->v->cpu);
  return size;
}

static void decompress(const check *c, int side, int set) {
  const work *w = c->w;
  must(ghz_decompress(w->v->cpu, host_operand(w, side, set), w->v->type, c->plain[side], w->n),
       "ghz_decompress", c->w->v->cpu);
}

static size_t sum(const check *c, int set) {
  ghz_bytes operands[SUM_TERMS];
  size_t size;
  for (int j = 0; j < SUM_TERMS; j++) {
    int from, side;
    work_summand(c->w, set, j, &from, &side);
    operands[j] = host_operand(c->w, side, from);
  }
  must(ghz_sum(c->w->v->cpu, SUM_TERMS, operands, c->expected, c->room, &size), "ghz_sum", c->w->v->cpu);
  return size;
}

static size_t separate(const check *c, int set) {
  const work *w = c->w;
  decompress(c, 0, set);
  decompress(c, 1, set);
#pragma omp parallel for
  for (size_t i = 0; i < w->n; i++)
    if (w->v->type == GHZ_F64)
      ((double *)(void *)c->plain[0])[i] += ((const double *)(void *)c->plain[1])[i];
    else
      ((float *)(void *)c->plain[0])[i] += ((const float *)(void *)c->plain[1])[i];
  return compress(c, c->plain[0]);
}

/* Makes the stream that an operation should return, in c->expected; returns its size. */
static size_t expected_stream(const check *c, operation op, int set) {
  const work *w = c->w;
  ghz_context *cpu = w->v->cpu;
  size_t size;
  if (op == OP_COMPRESS)
    return compress(c, host_values(w, 0, set));
  if (op == OP_SUM)
    return sum(c, set);
  if (op == OP_SEPARATE)
    return separate(c, set);
  must(ghz_add(cpu, host_operand(w, 0, set), host_operand(w, 1, set), c->expected, c->room, &size), "ghz_add",
       c->w->v->cpu);
  return size;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static void check_operand(const check *c, int side, int set) {
  work *w = c->w;
  size_t size = compress(c, host_values(w, side, set));
  compare(c, OP_COMPRESS, set, w->stream[side] + (size_t)set * w->stream_room, w->size[side][set], c->expected,
          size);
  w->host[side][set] = touched(size);
  memcpy(w->host[side][set], c->expected, size);
}

static void check_stream(const check *c, operation op, int set) {
  const work *w = c->w;
  compare(c, op, set, w->out + (size_t)set * w->out_stride, w->result[op][set], c->expected,
          expected_stream(c, op, set));
}

static void check_range(const check *c, int set) {
  const work *w = c->w;
  double range[2];
  must(ghz_range(w->v->cpu, w->v->type, host_values(w, 0, set), w->n, &range[0], &range[1]), "ghz_range",
       c->w->v->cpu);
  if (memcmp(w->range[0], range, sizeof range) != 0)
    die("wrong result", "ghz_cuda_range");
}

static void check_result(const check *c, operation op, int set) {
  const work *w = c->w;
  if (op == OP_RANGE) {
    check_range(c, set);
  } else if (op == OP_COPY || op == OP_DECOMPRESS) {
    const char *original = host_values(w, 0, set);
    if (op != OP_COPY)
      decompress(c, 0, set);
    compare(c, op, set, plain_of(w, c->s, 0, set), w->bytes,
            op == OP_COPY ? original : (const char *)c->plain[0], w->bytes);
  } else {
    check_stream(c, op, set);
  }
}

void check_all(work *w, const slot *s) {
  check c = {.w = w, .s = s, .room = ghz_shape_bound(&w->shape, w->v->type, SUM_TERMS)};
  unsigned char **buffers[] = {&c.expected, &c.found, &c.plain[0], &c.plain[1]};
  for (int i = 0; i < 4; i++)
    *buffers[i] = touched(c.room);
  for (int side = 0; side < 2; side++)
    for (int set = 0; set < w->distinct; set++)
      check_operand(&c, side, set);
  for (int op = 0; op < OPS; op++) {
    int sets = work_usable_sets(w, (operation)op);
    for (int set = 0; set < sets; set++) {
      work_run(w, s, (operation)op, set);
      if (set < w->distinct)
        check_result(&c, (operation)op, set);
    }
  }
  for (int i = 0; i < 4; i++)
    free(*buffers[i]);
}
