/* random_request.c: buffers of a call, and its arguments drawn. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "random_request.h"
#include "shapes.h"
#include "suite.h"

/* ---- Buffers ---- */
/* Arrays of `count` values that a rank gives, and gets. */
static uint64_t arrays_sent(collective what, const test_comm *on, int root) {
  uint64_t ranks = (uint64_t)on->ranks;
  if (what == BCAST || what == SCATTER)
    return on->rank != root ? 0 : what == SCATTER ? ranks : 1;
  return scatters_sums(what) ? ranks : 1;
}

static uint64_t arrays_received(collective what, const test_comm *on, int root) {
  return !gets_result(what, on->rank == root)  ? 0
         : gathers_all(what) || what == GATHER ? (uint64_t)on->ranks
                                               : 1;
}

void request_buffers(test_request *r, const test_comm *on, uint64_t each) {
  uint64_t array = (uint64_t)r->count * each, sends = arrays_sent(r->what, on, r->root);
  r->sent = guarded_make((r->what == BCAST ? 0 : sends) * array, each);
  r->received = guarded_make(arrays_received(r->what, on, r->root) * array, each);
  r->send = r->sent.data;
  r->recv = r->received.data;
}

guarded *request_given(test_request *r, const test_comm *on) {
  static guarded none;
  return r->what != BCAST ? &r->sent : on->rank == r->root ? &r->received : &none;
}

void request_free(test_request *r) {
  check(guarded_intact(&r->sent) && guarded_intact(&r->received), "bytes beside a buffer have changed");
  guarded_free(&r->sent);
  guarded_free(&r->received);
}

/* ---- Values ---- */
static void fill_numbers(guarded *g, int is_double, uint64_t seed) {
  for (uint64_t i = 0; i < g->size / (is_double ? 8 : 4); i++) {
    double x = 1 + (double)(mix(seed, i) % 9973) / 7919;
    if (is_double)
      ((double *)(void *)g->data)[i] = x;
    else
      ((float *)(void *)g->data)[i] = (float)x;
  }
}

void request_fill(test_request *r, const test_comm *on, int is_float, uint64_t seed) {
  guarded *g = request_given(r, on);
  int each;
  MPI_Type_size(r->type, &each);
  if (is_float)
    fill_numbers(g, each == 8, seed);
  for (uint64_t i = 0; i < g->size && !is_float; i++)
    g->data[i] = (uint8_t)(mix(seed, i) & 255);
}

/* ---- Arguments ---- */
/* Fortran's mean the same, if this MPI has them. */
MPI_Datatype request_real_type(uint64_t *d, int is_double) {
  const MPI_Datatype types[2][3] = {{MPI_FLOAT, MPI_REAL, MPI_REAL4},
                                    {MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_REAL8}};
  MPI_Datatype type = types[is_double][draw_below(d, 3)];
  return type == MPI_DATATYPE_NULL ? types[is_double][0] : type;
}

MPI_Op request_real_op(uint64_t *d) {
  const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX};
  return ops[draw_below(d, 3)];
}

static void draw_way(test_request *r, uint64_t *d) {
  do
    r->options.algorithm = (ghz_mpi_algorithm)(GHZ_MPI_NATIVE + draw_below(d, GHZ_MPI_LINEAR));
  while (r->options.algorithm != GHZ_MPI_NATIVE && !has_algorithm(r->what, r->options.algorithm));
  r->options.mode = draw_below(d, 2) ? GHZ_MPI_HOMOMORPHIC : GHZ_MPI_MODE_AUTO;
}

test_request request_draw(const test_comm *on, uint64_t *d) {
  test_request r = {.what = (collective)draw_below(d, COLLECTIVES),
                    .count = 1 + (MPI_Count)draw_below(d, draw_below(d, 8) ? 3000 : 40000),
                    .type = draw_below(d, 2) ? MPI_DOUBLE : MPI_FLOAT,
                    .op = request_real_op(d),
                    .root = (int)draw_below(d, (uint64_t)on->ranks),
                    .comm = on->comm,
                    .options = GHZ_MPI_OPTIONS};
  r.options.bound = draw_below(d, 2) ? (ghz_bound){GHZ_ABS, 1e-2} : (ghz_bound){GHZ_REL, 1e-3};
  r.options.average = reduces(r.what) && r.op == MPI_SUM && draw_below(d, 3) == 0;
  r.options.of_result = (int)draw_below(d, 2);
  draw_way(&r, d);
  if (draw_below(d, 3) == 0) {
    r.options.shape = shape_draw(d, 2 + (int)draw_below(d, 2), (uint64_t)r.count);
    r.count = (MPI_Count)ghz_shape_count(&r.options.shape);
  }
  return r;
}

void request_prepare(test_request *r, const test_comm *on, uint64_t seed) {
  request_buffers(r, on, r->type == MPI_DOUBLE ? 8 : 4);
  request_fill(r, on, 1, mix(seed, (uint64_t)on->rank));
  r->options.report = &r->report;
}

int request_is_among(const test_comm *on, uint64_t dice) {
  uint64_t ranks = (uint64_t)on->ranks, one = mix(dice, 1) % ranks, spared = (one + 1) % ranks;
  if ((uint64_t)on->rank == one)
    return 1;
  return dice % 2 && (uint64_t)on->rank != spared && mix(dice, 2 + (uint64_t)on->rank) % 2;
}
