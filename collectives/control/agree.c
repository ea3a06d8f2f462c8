/* agree.c: the small allreduce with which every call begins. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

#include <math.h>
#include <string.h>

/* ---- What this rank knows -------------------------------------------------------------------- */

/* FNV-1a over the bytes of a number. */
static uint64_t mixed(uint64_t hash, uint64_t value) {
  for (int i = 0; i < 8; i++)
    hash = (hash ^ (value >> 8 * i & 255)) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static uint64_t count_of(const call *c) {
  uint64_t hash = (uint64_t)c->count;
  for (int b = 0; c->counts && b < c->at.ranks; b++)
    hash = mixed(hash, c->counts[b]);
  return hash;
}

static uint64_t shape_hash(const ghz_shape *s) {
  uint64_t hash = (uint64_t)s->dims;
  for (int i = 0; i < 3; i++)
    hash = mixed(hash, s->extent[i]);
  return hash;
}

static void identify(const call *c, uint64_t *identity) {
  const settings *s = &c->set;
  int foreign = c->collective->reduces && c->reduction == REDUCE_NONE;
  identity[SAME_CALL] = (uint64_t)(c->collective - ghz_collectives);
  identity[SAME_COUNT] = count_of(c);
  identity[SAME_SHAPE] = shape_hash(&c->shape);
  identity[SAME_TYPE] = (uint64_t)c->value_size << 1 | (unsigned)c->is_real;
  identity[SAME_OPERATION] = (uint64_t)c->reduction | (uint64_t)s->average << 8 | (uint64_t)foreign << 16;
  identity[SAME_ROOT] = collective_is_rooted(c->collective) ? (uint64_t)c->root : 0;
  identity[SAME_BOUND] = bits_of(s->bound.value);
  identity[SAME_FILL] = s->has_fill && c->is_real ? mixed(1, bits_of(s->fill)) : 0;
  identity[SAME_OPTIONS] = (uint64_t)s->algorithm | (uint64_t)s->mode << 8 | (uint64_t)s->bound.kind << 16 |
                           (uint64_t)s->of_result << 24 | (uint64_t)s->keep_root << 32;
  if (s->link != 0)
    identity[SAME_OPTIONS] = mixed(identity[SAME_OPTIONS], bits_of(s->link));
  if (s->check > 0)
    identity[SAME_OPTIONS] = mixed(identity[SAME_OPTIONS], (uint64_t)s->check);
  identity[CONTRIBUTIONS] = (uint64_t)(s->contributions > 0 ? s->contributions : 0);
}

record ghz_agree_record(const call *c) {
  record r = {.min = INFINITY, .max = -INFINITY, .not_isa = ~ghz_cost_isa(), .devices = c->on.any != 0};
  identify(c, r.identity);
  return r;
}

/* ---- What all ranks know together ------------------------------------------------------------ */

/* As integers with a sign: MPICH 4.0 takes those without one for such, too. */
int ghz_agree_combine(MPI_Comm comm, void *numbers, size_t bytes, MPI_Op op) {
  MPI_Request request;
  const int n = (int)(bytes / sizeof(int64_t)),
            code = MPI_Iallreduce(MPI_IN_PLACE, numbers, n, MPI_INT64_T, op, comm, &request);
  return code == MPI_SUCCESS ? ghz_wait(&request) : code;
}

/* Turns the bits of two doubles into integers of the same order, or back. */
static void turn(uint64_t *bits, int n) {
  for (int i = 0; i < n; i++)
    bits[i] ^= bits[i] >> 63 ? INT64_MAX : 0;
}

/* The most of each number, and so of its complement the least. */
static int combine_record(MPI_Comm comm, record *r) {
  for (int i = 0; i <= IDENTITIES; i++)
    r->complement[i] = ~r->identity[i];
  r->min = -r->min;
  turn(r->ends, 2);
  const int code = ghz_agree_combine(comm, r, sizeof *r, MPI_MAX);
  turn(r->ends, 2);
  r->min = -r->min;
  return code;
}

/* ---- What follows ---------------------------------------------------------------------------- */

static const char *class_text(int error_class) {
  return error_class == MPI_ERR_NO_MEM   ? "ran out of memory"
         : error_class == MPI_ERR_COUNT  ? "gave a bad count"
         : error_class == MPI_ERR_TYPE   ? "gave a bad type"
         : error_class == MPI_ERR_ROOT   ? "gave a bad root"
         : error_class == MPI_ERR_BUFFER ? "gave a bad buffer"
         : error_class == MPI_ERR_OTHER  ? "had trouble with its GPU"
                                         : "gave a bad argument";
}

static int differ(const record *r, int i) {
  return r->identity[i] != ~r->complement[i];
}

static error disagreement(const record *r) {
  static const char *const names[IDENTITIES] = {"call", "count", "shape",      "type",   "operation",
                                                "root", "bound", "fill value", "options"};
  for (int i = 0; i < IDENTITIES; i++)
    if (differ(r, i))
      return ghz_error(MPI_ERR_ARG, "the ranks disagree on the %s", names[i]);
  return (error){0};
}

/* That of the lowest rank that has one. */
static error error_of(uint64_t told) {
  const int code = (int)(uint32_t)told;
  return ghz_error(code, "rank %d %s", INT32_MAX - (int)(told >> 32), class_text(code));
}

error ghz_agree(MPI_Comm comm, record *r, error own) {
  uint64_t contributions = r->identity[CONTRIBUTIONS];
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  r->error = own.code ? (uint64_t)(INT32_MAX - rank) << 32 | (uint32_t)own.code : 0;
  int code = combine_record(comm, r);
  if (code != MPI_SUCCESS)
    return (error){code, ERROR_RAISED, ""};
  if (own.code || r->error)
    return own.code ? own : error_of(r->error);
  const error e = disagreement(r);
  if (e.code)
    return e;
  if (differ(r, CONTRIBUTIONS))
    code = ghz_agree_combine(comm, &contributions, sizeof contributions, MPI_SUM);
  else
    contributions *= (uint64_t)ranks;
  r->identity[CONTRIBUTIONS] = contributions;
  return (error){code, ERROR_RAISED, ""};
}
