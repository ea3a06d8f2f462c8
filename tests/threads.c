/* threads.c: contexts of one to four threads in threads side by side, on the same inputs: each operation gives the bytes that one
 * thread alone gives, damaged inputs and full buffers its errors. Without Criterion, which the thread sanitizer cannot run. */
#include "inputs.h"

#include <ghz.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Several groups of chunks, the unit that threads take from each other, and an end that is not whole. */
enum { N = 9 * 4 * GHZ_CHUNK + 5000, OPERANDS = 3, RUNNERS = 4, ROUNDS = 3 };

static void must(int condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "FAILED: %s\n", what);
    exit(1);
  }
}

static void *room_for(size_t size) {
  void *room = calloc(size, 1);
  must(room != NULL, "no memory");
  return room;
}

/* ---- What all threads read ---- */

typedef struct material {
  ghz_lattice lattice;
  void *x;
  ghz_bytes stream[OPERANDS], damaged, message;
} material;

static ghz_bytes compressed(ghz_context *ctx, const ghz_lattice *l, const void *x) {
  size_t size, room = ghz_size_bound(N, l->type, 1);
  void *dst = room_for(room);
  must(ghz_compress(ctx, l, GHZ_ORDER_BEST, x, N, dst, room, &size) == GHZ_OK, "compress");
  return (ghz_bytes){dst, size};
}

/* A stream whose tile in the middle says what no tile may. */
static ghz_bytes damage(ghz_bytes stream) {
  ghz_slice tile;
  uint8_t *copy = memcpy(room_for(stream.size), stream.data, stream.size);
  ghz_bytes damaged = {copy, stream.size};
  must(ghz_slice_view(damaged, N / GHZ_TILE / 2, 1, &tile) == GHZ_OK, "view");
  memset(copy + ((const uint8_t *)tile.payload - copy), 0xff, tile.payload_size);
  return damaged;
}

static material material_make(ghz_type type, const char *kind) {
  ghz_context *ctx;
  ghz_slice slice;
  material m;
  must(ghz_context_create(&ctx, 1) == GHZ_OK, "context");
  must(ghz_lattice_make(type, (ghz_bound){GHZ_ABS, 0.01}, 0, 0, &m.lattice) == GHZ_OK, "lattice");
  for (int i = 0; i < OPERANDS; i++) {
    void *x = input_make(input_named(kind), type, N, m.lattice.step, 7 + (uint64_t)i);
    m.stream[i] = compressed(ctx, &m.lattice, x);
    if (i == 0)
      m.x = x;
    else
      free(x);
  }
  m.damaged = damage(m.stream[1]);
  must(ghz_slice_view(m.stream[0], 3, N / GHZ_TILE - 3, &slice) == GHZ_OK, "view");
  m.message.size = ghz_slice_size(&slice);
  m.message.data = room_for(m.message.size);
  must(ghz_slice_pack(&slice, (void *)m.message.data, m.message.size, &m.message.size) == GHZ_OK, "pack");
  ghz_context_free(ctx);
  return m;
}

static void material_free(material *m) {
  free(m->x);
  for (int i = 0; i < OPERANDS; i++)
    free((void *)m->stream[i].data);
  free((void *)m->damaged.data);
  free((void *)m->message.data);
}

/* ---- The operations: what each leaves in dst is its answer, together with its status ---- */

typedef struct answer {
  ghz_status status;
  size_t size;
  uint8_t *data; /* `room` bytes, zero beyond size */
  size_t room;
} answer;

typedef ghz_status operation(ghz_context *ctx, const material *m, answer *a);

static ghz_status do_range(ghz_context *ctx, const material *m, answer *a) {
  double *range = (double *)(void *)a->data;
  a->size = 2 * sizeof *range;
  return ghz_range(ctx, m->lattice.type, m->x, N, &range[0], &range[1]);
}
static ghz_status do_compress(ghz_context *ctx, const material *m, answer *a) {
  return ghz_compress(ctx, &m->lattice, GHZ_ORDER_BEST, m->x, N, a->data, a->room, &a->size);
}
static ghz_status do_decompress(ghz_context *ctx, const material *m, answer *a) {
  a->size = N * sizeof(double);
  return ghz_decompress(ctx, m->stream[0], GHZ_F64, a->data, N);
}
static ghz_status do_decompress_range(ghz_context *ctx, const material *m, answer *a) {
  a->size = (N - 2000) * sizeof(double);
  return ghz_decompress_range(ctx, m->stream[0], GHZ_F64, 1001, N - 2000, a->data);
}
static ghz_status do_add(ghz_context *ctx, const material *m, answer *a) {
  return ghz_add(ctx, m->stream[0], m->stream[1], a->data, a->room, &a->size);
}
static ghz_status do_sum(ghz_context *ctx, const material *m, answer *a) {
  return ghz_sum(ctx, OPERANDS, m->stream, a->data, a->room, &a->size);
}
static ghz_status do_mean(ghz_context *ctx, const material *m, answer *a) {
  return ghz_mean(ctx, OPERANDS, m->stream, a->data, a->room, &a->size);
}
static ghz_status do_combine(ghz_context *ctx, const material *m, answer *a) {
  static const int64_t coefficients[OPERANDS] = {2, -1, 3};
  return ghz_combine(ctx, OPERANDS, m->stream, coefficients, a->data, a->room, &a->size);
}
static ghz_status do_scale(ghz_context *ctx, const material *m, answer *a) {
  return ghz_scale(ctx, m->stream[0], 0.3, a->data, a->room, &a->size);
}
static ghz_status do_minimum(ghz_context *ctx, const material *m, answer *a) {
  return ghz_minimum(ctx, m->stream[0], m->stream[1], a->data, a->room, &a->size);
}
static ghz_status do_accumulate(ghz_context *ctx, const material *m, answer *a) {
  memcpy(a->data, m->stream[0].data, m->stream[0].size);
  a->size = m->stream[0].size;
  return ghz_accumulate(ctx, a->data, a->room, &a->size, m->stream[1]);
}
static ghz_status do_extrema(ghz_context *ctx, const material *m, answer *a) {
  double *range = (double *)(void *)a->data;
  a->size = 2 * sizeof *range;
  return ghz_extrema(ctx, m->stream[0], &range[0], &range[1]);
}
static ghz_status do_scan(ghz_context *ctx, const material *m, answer *a) {
  a->size = sizeof(ghz_statistics);
  return ghz_scan(ctx, m->stream[0], (ghz_statistics *)(void *)a->data);
}
static ghz_status do_slice_sum(ghz_context *ctx, const material *m, answer *a) {
  ghz_slice two[2], result;
  ghz_status status = ghz_slice_parse(m->message, &two[0]);
  if (status == GHZ_OK)
    status = ghz_slice_view(m->stream[1], two[0].first, two[0].tiles, &two[1]);
  if (status == GHZ_OK)
    status = ghz_slice_sum(ctx, 2, two, a->data, a->room, &result);
  a->size = status == GHZ_OK ? ghz_slice_size(&result) : 0;
  return status;
}
static ghz_status do_slice_decompress(ghz_context *ctx, const material *m, answer *a) {
  ghz_slice slice;
  ghz_status status = ghz_slice_parse(m->message, &slice);
  a->size = status == GHZ_OK ? ghz_slice_count(&slice) * sizeof(double) : 0;
  return status == GHZ_OK ? ghz_slice_decompress(ctx, &slice, GHZ_F64, a->data) : status;
}
/* Errors: what is left in dst is nobody's business, and depends on who came first. */
static ghz_status do_damaged_sum(ghz_context *ctx, const material *m, answer *a) {
  size_t size;
  return ghz_add(ctx, m->stream[0], m->damaged, a->data, a->room, &size);
}
static ghz_status do_damaged(ghz_context *ctx, const material *m, answer *a) {
  return ghz_decompress(ctx, m->damaged, GHZ_F64, a->data, N);
}
static ghz_status do_full(ghz_context *ctx, const material *m, answer *a) {
  size_t size;
  return ghz_sum(ctx, OPERANDS, m->stream, a->data, m->stream[0].size / 2, &size);
}

static const struct {
  const char *name;
  operation *run;
  ghz_status status;
} operations[] = {
    {"range", do_range, GHZ_OK},
    {"compress", do_compress, GHZ_OK},
    {"decompress", do_decompress, GHZ_OK},
    {"decompress a range", do_decompress_range, GHZ_OK},
    {"add", do_add, GHZ_OK},
    {"sum", do_sum, GHZ_OK},
    {"mean", do_mean, GHZ_OK},
    {"combine", do_combine, GHZ_OK},
    {"scale", do_scale, GHZ_OK},
    {"minimum", do_minimum, GHZ_OK},
    {"accumulate", do_accumulate, GHZ_OK},
    {"extrema", do_extrema, GHZ_OK},
    {"scan", do_scan, GHZ_OK},
    {"sum of slices", do_slice_sum, GHZ_OK},
    {"decompress a slice", do_slice_decompress, GHZ_OK},
    {"add what is damaged", do_damaged_sum, GHZ_ECORRUPT},
    {"decompress what is damaged", do_damaged, GHZ_ECORRUPT},
    {"sum into too little", do_full, GHZ_ECAPACITY},
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

static void answer_by(ghz_context *ctx, const material *m, size_t i, answer *a) {
  memset(a->data, 0, a->room);
  a->size = 0;
  a->status = operations[i].run(ctx, m, a);
}

static answer answer_make(ghz_type type) {
  size_t room = ghz_size_bound(N, type, 64), values = N * sizeof(double);
  answer a = {.room = room > values ? room : values};
  a.data = room_for(a.room);
  return a;
}

/* ---- Threads ---- */

typedef struct runner {
  pthread_t thread;
  const material *m;
  const answer *want;
  int index;
} runner;

static void *run(void *argument) {
  runner *r = argument;
  ghz_context *ctx;
  answer got = answer_make(r->m->lattice.type);
  must(ghz_context_create(&ctx, 1 + r->index) == GHZ_OK, "context");
  for (size_t i = 0; i < (size_t)ROUNDS * OPERATIONS; i++) {
    size_t which = (i + (size_t)r->index * 5) % OPERATIONS; /* not all the same at once */
    const answer *want = &r->want[which];
    answer_by(ctx, r->m, which, &got);
    must(got.status == want->status && got.size == want->size && memcmp(got.data, want->data, got.size) == 0,
         operations[which].name);
  }
  ghz_context_free(ctx);
  free(got.data);
  return NULL;
}

static void check(ghz_type type, const char *kind) {
  material m = material_make(type, kind);
  answer want[OPERATIONS];
  runner runners[RUNNERS];
  ghz_context *ctx;
  must(ghz_context_create(&ctx, 1) == GHZ_OK, "context");
  for (size_t i = 0; i < OPERATIONS; i++) {
    want[i] = answer_make(type);
    answer_by(ctx, &m, i, &want[i]);
    must(want[i].status == operations[i].status, operations[i].name);
  }
  ghz_context_free(ctx);
  for (int i = 0; i < RUNNERS; i++) {
    runners[i] = (runner){.m = &m, .want = want, .index = i};
    must(pthread_create(&runners[i].thread, NULL, run, &runners[i]) == 0, "no thread");
  }
  for (int i = 0; i < RUNNERS; i++)
    pthread_join(runners[i].thread, NULL);
  for (size_t i = 0; i < OPERATIONS; i++)
    free(want[i].data);
  material_free(&m);
}

int main(void) {
  check(GHZ_F32, "mixture");
  check(GHZ_F64, "mixture");
  check(GHZ_F32, "random_bits"); /* raw tiles: the largest there are */
  printf("%d operations, %d rounds in %d threads at once: the same bytes\n", OPERATIONS, ROUNDS, RUNNERS);
  return 0;
}
