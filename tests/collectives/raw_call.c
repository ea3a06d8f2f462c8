/* raw_call.c: buffers of a call, the two ways to make it, and its arguments drawn. */
#include "raw_call.h"
#include "suite.h"

int raw_call_call(const raw_call *r, const ghz_mpi_options *o) {
  switch (r->what) {
  case ALLREDUCE:
    return ghz_allreduce(r->send, r->recv, r->count, r->type, r->op, r->comm, o);
  case REDUCE:
    return ghz_reduce(r->send, r->recv, r->count, r->type, r->op, r->root, r->comm, o);
  case REDUCE_SCATTER:
    return ghz_reduce_scatter(r->send, r->recv, r->count, r->type, r->op, r->comm, o);
  case ALLGATHER:
    return ghz_allgather(r->send, r->recv, r->count, r->type, r->comm, o);
  case BCAST:
    return ghz_bcast(r->recv, r->count, r->type, r->root, r->comm, o);
  case SCATTER:
    return ghz_scatter(r->send, r->recv, r->count, r->type, r->root, r->comm, o);
  default:
    return ghz_gather(r->send, r->recv, r->count, r->type, r->root, r->comm, o);
  }
}

void raw_call_call_mpi(const raw_call *r) {
  const int n = (int)r->count;
  switch (r->what) {
  case ALLREDUCE:
    MPI_Allreduce(r->send, r->recv, n, r->type, r->op, r->comm);
    break;
  case REDUCE:
    MPI_Reduce(r->send, r->recv, n, r->type, r->op, r->root, r->comm);
    break;
  case REDUCE_SCATTER:
    MPI_Reduce_scatter_block(r->send, r->recv, n, r->type, r->op, r->comm);
    break;
  case ALLGATHER:
    MPI_Allgather(r->send, n, r->type, r->recv, n, r->type, r->comm);
    break;
  case BCAST:
    MPI_Bcast(r->recv, n, r->type, r->root, r->comm);
    break;
  case SCATTER:
    MPI_Scatter(r->send, n, r->type, r->recv, n, r->type, r->root, r->comm);
    break;
  default:
    MPI_Gather(r->send, n, r->type, r->recv, n, r->type, r->root, r->comm);
  }
}

/* ---- Buffers ----------------------------------------------------------------------------------------- */

static int gets_result(collective what, int at_root) {
  return at_root || (what != REDUCE && what != GATHER);
}

/* Arrays of `count` values that a rank gives, and gets. */
static uint64_t arrays_sent(collective what, const test_comm *on, int root) {
  uint64_t ranks = (uint64_t)on->ranks;
  if (what == BCAST || what == SCATTER)
    return on->rank != root ? 0 : what == SCATTER ? ranks : 1;
  return what == REDUCE_SCATTER ? ranks : 1;
}

static uint64_t arrays_received(collective what, const test_comm *on, int root) {
  return !gets_result(what, on->rank == root)  ? 0
         : what == ALLGATHER || what == GATHER ? (uint64_t)on->ranks
                                               : 1;
}

void raw_call_buffers(raw_call *r, const test_comm *on, uint64_t each) {
  uint64_t array = (uint64_t)r->count * each, sends = arrays_sent(r->what, on, r->root);
  r->sent = guarded_make((r->what == BCAST ? 0 : sends) * array, each);
  r->received = guarded_make(arrays_received(r->what, on, r->root) * array, each);
  r->send = r->sent.data;
  r->recv = r->received.data;
}

guarded *raw_call_given(raw_call *r, const test_comm *on) {
  static guarded none;
  return r->what != BCAST ? &r->sent : on->rank == r->root ? &r->received : &none;
}

void raw_call_free(raw_call *r) {
  check(guarded_intact(&r->sent) && guarded_intact(&r->received), "bytes beside a buffer have changed");
  guarded_free(&r->sent);
  guarded_free(&r->received);
}

/* ---- Values ------------------------------------------------------------------------------------------ */

static void fill_numbers(guarded *g, int is_double, uint64_t seed) {
  for (uint64_t i = 0; i < g->size / (is_double ? 8 : 4); i++) {
    double x = 1 + (double)(mix(seed, i) % 9973) / 7919;
    if (is_double)
      ((double *)(void *)g->data)[i] = x;
    else
      ((float *)(void *)g->data)[i] = (float)x;
  }
}

void raw_call_fill(raw_call *r, const test_comm *on, int is_float, uint64_t seed) {
  guarded *g = raw_call_given(r, on);
  int each;
  MPI_Type_size(r->type, &each);
  if (is_float)
    fill_numbers(g, each == 8, seed);
  for (uint64_t i = 0; i < g->size && !is_float; i++)
    g->data[i] = (uint8_t)(mix(seed, i) & 255);
}

/* ---- Arguments --------------------------------------------------------------------------------------- */

/* Fortran's mean the same, if this MPI has them. */
MPI_Datatype raw_call_real_type(uint64_t *d, int is_double) {
  const MPI_Datatype types[2][3] = {{MPI_FLOAT, MPI_REAL, MPI_REAL4},
                                    {MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_REAL8}};
  MPI_Datatype type = types[is_double][draw_below(d, 3)];
  return type == MPI_DATATYPE_NULL ? types[is_double][0] : type;
}

MPI_Op raw_call_real_op(uint64_t *d) {
  const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX};
  return ops[draw_below(d, 3)];
}

static void draw_way(raw_call *r, uint64_t *d) {
  do
    r->options.algorithm = (ghz_mpi_algorithm)(GHZ_MPI_NATIVE + draw_below(d, GHZ_MPI_LINEAR));
  while (r->options.algorithm != GHZ_MPI_NATIVE && !has_algorithm(r->what, r->options.algorithm));
  r->options.mode = draw_below(d, 2) ? GHZ_MPI_HOMOMORPHIC : (ghz_mpi_mode)draw_below(d, GHZ_MPI_PLAIN + 1);
}

raw_call raw_call_draw(const test_comm *on, uint64_t *d) {
  raw_call r = {.what = (collective)draw_below(d, COLLECTIVES),
                .count = 1 + (MPI_Count)draw_below(d, draw_below(d, 8) ? 3000 : 40000),
                .type = draw_below(d, 2) ? MPI_DOUBLE : MPI_FLOAT,
                .op = raw_call_real_op(d),
                .root = (int)draw_below(d, (uint64_t)on->ranks),
                .comm = on->comm,
                .options = GHZ_MPI_OPTIONS};
  r.options.bound = draw_below(d, 2) ? (ghz_bound){GHZ_ABS, 1e-2} : (ghz_bound){GHZ_REL, 1e-3};
  r.options.average = reduces(r.what) && r.op == MPI_SUM && draw_below(d, 3) == 0;
  r.options.of_result = (int)draw_below(d, 2);
  draw_way(&r, d);
  return r;
}

void raw_call_prepare(raw_call *r, const test_comm *on, uint64_t seed) {
  raw_call_buffers(r, on, r->type == MPI_DOUBLE ? 8 : 4);
  raw_call_fill(r, on, 1, mix(seed, (uint64_t)on->rank));
  r->options.report = &r->report;
}

int raw_call_is_among(const test_comm *on, uint64_t dice) {
  uint64_t ranks = (uint64_t)on->ranks, one = mix(dice, 1) % ranks, spared = (one + 1) % ranks;
  if ((uint64_t)on->rank == one)
    return 1;
  return dice % 2 && (uint64_t)on->rank != spared && mix(dice, 2 + (uint64_t)on->rank) % 2;
}
