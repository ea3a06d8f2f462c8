/* call.c: buffers of a call, the call, and what holds for every call. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "call.h"
#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const operation_names[OPERATIONS] = {"sum", "average", "minimum", "maximum"};

uint64_t value_size(const call *s) { return s->type == GHZ_F64 ? 8 : 4; }

uint64_t own_values(const call *s, int rank) { return block_values(s->what, s->count, rank, s->shape.dims); }

int is_between(const call *s, uint64_t j) {
  return s->what == ALLGATHERV && j % s->count >= own_values(s, (int)(j / s->count));
}

double call_fill(const call *s) { return s->type == GHZ_F64 ? -0x1p200 : -0x1p120; }

int is_missing(const call *s, uint64_t contribution, uint64_t i) {
  return s->has_fill && mix(mix(s->data.seed, contribution), i / 7) % 5 == 0;
}

/* ---- Contributions ---- */
uint64_t dealt(const call *s, int rank, int ranks) {
  if (!reduces(s->what) || s->deal == DEAL_ONE)
    return 1;
  if (s->deal == DEAL_TWO)
    return 2;
  if (s->deal == DEAL_UNEVEN) {
    int n = rank ? (rank + 1) % 3 : 2;
    return n == 0 && s->op >= MINIMUM ? 1 : (uint64_t)n; /* no extremum of nothing */
  }
  return (uint64_t)(s->deal * (rank + 1) / ranks - s->deal * rank / ranks);
}

uint64_t dealt_before(const call *s, int rank, int ranks) {
  uint64_t n = 0;
  for (int r = 0; r < rank; r++)
    n += dealt(s, r, ranks);
  return n;
}

uint64_t dealt_in_all(const call *s, int ranks) { return dealt_before(s, ranks, ranks); }

uint64_t call_source(const call *s, int rank, uint64_t j, uint64_t *contribution) {
  const int from_root = s->what == BCAST || s->what == SCATTER;
  *contribution = reduces(s->what) ? 0 : from_root ? (uint64_t)s->root : j / s->count;
  if (scatters_sums(s->what))
    return block_place(s->what, s->count, rank, s->shape.dims) + j;
  if (s->what == SCATTER)
    return (uint64_t)rank * s->count + j;
  return reduces(s->what) || from_root ? j : j % s->count;
}

/* ---- What is asked for ---- */
const char *call_text(const call *s) {
  static _Thread_local char text[500];
  static const char *const kinds[] = {"abs", "rel", "psnr"};
  snprintf(text, sizeof text,
           "%s %s %s %s %s%s root %d, %llu values (%dD: %llu %llu %llu), %s:%.17g%s, contributions %d, "
           "keep_root %d, threads %d, components %d%s, %s "
           "2^%d seed %llu",
           collective_names[s->what], ghz_mpi_algorithm_name(s->algorithm), ghz_mpi_mode_name(s->mode),
           s->type == GHZ_F64 ? "double" : "float", operation_names[s->op], s->in_place ? " in place" : "",
           s->root, (unsigned long long)s->count, s->shape.dims, (unsigned long long)s->shape.extent[0],
           (unsigned long long)s->shape.extent[1], (unsigned long long)s->shape.extent[2], kinds[s->bound.kind],
           s->bound.value, s->of_result ? " of the result" : "", s->deal, s->keep_root, s->threads,
           s->components, s->has_fill ? ", missing values" : "",
           s->fill ? "special" : field_names[s->data.kind], s->data.exponent, (unsigned long long)s->data.seed);
  return text;
}

/* Complex numbers have several names, and Fortran's need not be there. */
static MPI_Datatype call_type(const call *s) {
  const MPI_Datatype pairs[2][4] = {
      {MPI_C_FLOAT_COMPLEX, MPI_CXX_FLOAT_COMPLEX, MPI_COMPLEX, MPI_COMPLEX8},
      {MPI_C_DOUBLE_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX16}};
  const MPI_Datatype pair = pairs[s->type == GHZ_F64][s->data.seed % 4];
  if (s->components == 2)
    return pair == MPI_DATATYPE_NULL ? pairs[s->type == GHZ_F64][0] : pair;
  return s->type == GHZ_F64 ? MPI_DOUBLE : MPI_FLOAT;
}
static MPI_Op call_op(const call *s) {
  return s->op == MINIMUM ? MPI_MIN : s->op == MAXIMUM ? MPI_MAX : MPI_SUM;
}

static ghz_mpi_options call_options(const call *s, int rank, int ranks) {
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = s->bound;
  o.shape = s->shape;
  o.of_result = s->of_result;
  o.average = s->op == AVERAGE && reduces(s->what);
  o.algorithm = s->algorithm;
  o.mode = s->mode;
  o.threshold = 0;
  o.contributions = (int)dealt(s, rank, ranks);
  o.threads = s->threads;
  o.keep_root = s->keep_root;
  o.has_fill = s->has_fill;
  o.fill = call_fill(s);
  return o;
}

/* ---- Buffers ---- */
static void fill(const call *s, uint64_t contribution, uint64_t first, uint64_t count, void *x) {
  if (s->fill)
    s->fill(s, contribution, first, count, x);
  else
    field_fill(&s->data, contribution, first, count, s->type == GHZ_F64, x);
  for (uint64_t i = 0; i < count; i++)
    if (is_missing(s, contribution, first + i))
      set_real(x, s->type == GHZ_F64, i, i % 3 ? call_fill(s) : (double)NAN);
}

/* Sizes of the buffers, in values, and where this rank's own values lie. */
typedef struct shape {
  uint64_t send, recv;
  uint64_t own_first; /* in place: where in recv */
  int in_place;       /* on this rank */
  int receives;
} shape;

static shape shape_of(const call *s, const call_result *l, MPI_Comm comm) {
  const int at_root = l->rank == s->root, in_place = s->in_place && (at_root || !is_rooted(s->what));
  const test_request r = {.what = s->what,
                          .send = in_place ? MPI_IN_PLACE : NULL,
                          .count = (MPI_Count)s->count,
                          .root = s->root,
                          .comm = comm};
  shape p = {.in_place = in_place || s->what == BCAST};
  request_values(&r, s->shape.dims, &p.send, &p.recv);
  p.send *= dealt(s, l->rank, l->ranks);
  p.receives = gets_result(s->what, at_root) && !(s->what == SCATTER && in_place);
  p.recv = p.receives ? p.recv : 0;
  if (has_blocks(s->what) && !scatters_sums(s->what))
    p.own_first = (uint64_t)l->rank * s->count;
  return p;
}

static void fill_buffers(const call *s, call_result *l, const shape *p) {
  uint64_t each = value_size(s), mine = dealt_before(s, l->rank, l->ranks),
           arrays = dealt(s, l->rank, l->ranks);
  int in_recv = p->in_place && s->what != SCATTER;
  l->send = guarded_make(in_recv ? 0 : p->send * each, each);
  l->recv = guarded_make(p->recv * each, each);
  if (s->what == BCAST && l->rank != s->root)
    return;
  uint8_t *x = in_recv ? l->recv.data + p->own_first * each : l->send.data;
  uint64_t length =
      arrays ? (in_recv && !scatters_sums(s->what) ? own_values(s, l->rank) : p->send / arrays) : 0;
  for (uint64_t a = 0; a < arrays; a++)
    fill(s, mine + a, 0, length, x + a * length * each);
}

/* ---- The call ---- */
static int call_library(const call *s, const call_result *l, const shape *p, const ghz_mpi_options *o,
                        MPI_Comm comm) {
  test_request r =
      request_of(s->what, p->in_place ? MPI_IN_PLACE : l->send.data, p->receives ? l->recv.data : NULL,
                 (MPI_Count)(s->count / (s->components == 2 ? 2 : 1)), call_type(s), comm);
  r.op = call_op(s);
  r.root = s->root;
  if (!p->in_place && p->send == 0 && s->count > 0)
    r.send = NULL; /* ignored */
  if (s->what == SCATTER) {
    r.send = l->rank == s->root ? l->send.data : NULL;
    r.recv = p->in_place ? MPI_IN_PLACE : r.recv;
  }
  return request_make(&r, o);
}

/* Where a rank's own block stays as it is. */
static void check_own_block(const call *s, const call_result *l, const shape *p) {
  uint64_t each = value_size(s);
  int kept =
      (s->what == GATHER && p->in_place) || (s->what == BCAST && s->keep_root == 1 && l->rank == s->root);
  if (!kept || s->count == 0)
    return;
  guarded want = guarded_make(s->count * each, 0);
  fill(s, dealt_before(s, l->rank, l->ranks), 0, s->count, want.data);
  check(memcmp(want.data, l->recv.data + p->own_first * each, want.size) == 0, "the own block has changed");
  guarded_free(&want);
}

/* In place, what lies behind the first block: MPI may overwrite it. And what is between blocks. */
static uint64_t hash_rest(const call *s, const call_result *l, const shape *p) {
  const uint64_t each = value_size(s), first = own_values(s, l->rank) * each;
  uint64_t hash = 0;
  if (scatters_sums(s->what) && p->in_place)
    hash = hash_bytes(l->recv.data + first, l->recv.size - first);
  for (uint64_t j = 0; s->what == ALLGATHERV && j < p->recv; j++)
    hash = is_between(s, j) ? mix(hash, hash_bytes(l->recv.data + j * each, each)) : hash;
  return hash;
}

call_result make_call(const call *s, MPI_Comm comm) {
  call_result l = {0};
  MPI_Comm_rank(comm, &l.rank);
  MPI_Comm_size(comm, &l.ranks);
  shape p = shape_of(s, &l, comm);
  fill_buffers(s, &l, &p);
  uint64_t before = hash_bytes(l.send.data, l.send.size), rest = hash_rest(s, &l, &p);
  ghz_mpi_options o = call_options(s, l.rank, l.ranks);
  o.report = &l.report;
  memset(&l.report, 0xee, sizeof l.report);
  l.code = call_library(s, &l, &p, &o, comm);
  check(l.code == MPI_SUCCESS, "the call returns %d", l.code);
  check(hash_bytes(l.send.data, l.send.size) == before, "sendbuf has changed");
  check(l.report.algorithm == GHZ_MPI_NATIVE || hash_rest(s, &l, &p) == rest,
        "more than a block of recvbuf has changed");
  check(guarded_intact(&l.send) && guarded_intact(&l.recv), "bytes beside a buffer have changed");
  if (l.code == MPI_SUCCESS)
    check_own_block(s, &l, &p);
  l.values = scatters_sums(s->what) ? own_values(s, l.rank) : p.recv;
  l.result = p.receives ? l.recv.data : NULL;
  return l;
}

void call_result_free(call_result *l) {
  guarded_free(&l->send);
  guarded_free(&l->recv);
}
