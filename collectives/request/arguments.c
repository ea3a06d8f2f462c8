/* arguments.c: what the arguments of a call mean on this rank, and whether they are right. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "request/collective.h"

#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- What they mean -------------------------------------------------------------------------- */

/* Six, and pairs of them. Each may be MPI_DATATYPE_NULL. */
#define REALS MPI_FLOAT, MPI_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8
#define PAIRS                                                                                                  \
  MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_COMPLEX,       \
      MPI_DOUBLE_COMPLEX, MPI_COMPLEX8, MPI_COMPLEX16

/* Compilers can be told to make REAL a double: the size decides. */
int ghz_type_real(MPI_Datatype type, int *parts) {
  const MPI_Datatype types[] = {REALS, PAIRS};
  enum { TYPES = sizeof types / sizeof *types };
  int i = 0, size = 0;
  while (i < TYPES && type != types[i])
    i++;
  *parts = i < 6 ? 1 : 2;
  if (i == TYPES || type == MPI_DATATYPE_NULL || MPI_Type_size(type, &size) != MPI_SUCCESS)
    return 0;
  size /= *parts;
  return size == sizeof(float) || size == sizeof(double) ? size : 0;
}

/* Complex numbers are twice as many real ones, which a sum adds one by one, and which a message may
 * hold. Other reductions of them are MPI's to refuse. Returns how many values one number is. */
static int read_type(call *c) {
  int parts, size = 0, real = ghz_type_real(c->type, &parts);
  MPI_Count values;
  c->value_size = sizeof(float); /* no type counts as float: then this rank agrees where the others do */
  if (c->type == MPI_DATATYPE_NULL || MPI_Type_size(c->type, &size) != MPI_SUCCESS || size < 0)
    return 1;
  if (__builtin_mul_overflow(c->count, parts, &values) ||
      (parts > 1 && c->collective->reduces && c->op != MPI_SUM))
    real = 0;
  c->is_real = real > 0;
  c->value_size = (size_t)(real ? real : size);
  c->real = c->value_size == sizeof(float) ? GHZ_F32 : GHZ_F64;
  if (!real || parts == 1)
    return 1;
  c->count = values;
  c->type = real == sizeof(float) ? MPI_FLOAT : MPI_DOUBLE;
  return parts;
}

/* Takes block b, behind the c->count values of those before. MPI's own call has to be able to take
 * it, too. */
static error read_block(call *c, int b, const MPI_Count *counts, const MPI_Count *places, int components) {
  MPI_Count count, place = c->count, end, bytes;
  if (counts[b] < 0 || __builtin_mul_overflow(counts[b], components, &count) ||
      __builtin_add_overflow(c->count, count, &c->count))
    return ghz_error(MPI_ERR_COUNT, "the count of rank %d is %lld", b, (long long)counts[b]);
  if (places && count > 0 &&
      (places[b] < 0 || __builtin_mul_overflow(places[b], components, &place) ||
       __builtin_add_overflow(place, count, &end) || __builtin_mul_overflow(end, c->value_size, &bytes)))
    return ghz_error(MPI_ERR_ARG, "the displacement of rank %d is %lld", b, (long long)places[b]);
  c->counts[b] = (uint64_t)count;
  c->places[b] = (uint64_t)(count ? place : 0);
  c->int_counts[b] = (int)c->counts[b];
  c->int_counts[c->at.ranks + b] = (int)c->places[b];
  return (error){0};
}

static error read_blocks(call *c, const MPI_Count *counts, const MPI_Count *places, int components) {
  const size_t ranks = (size_t)c->at.ranks;
  error e = {0};
  if (!counts)
    return ghz_error(MPI_ERR_ARG, "the counts are missing");
  if (!(c->counts = calloc(ranks, 2 * sizeof *c->counts + 2 * sizeof *c->int_counts)))
    return ghz_error(MPI_ERR_NO_MEM, "no memory for the counts");
  c->places = c->counts + ranks;
  c->int_counts = (int *)(void *)(c->places + ranks);
  for (int b = 0; b < c->at.ranks && !e.code; b++)
    e = read_block(c, b, counts, places, components);
  if (!e.code && c->count <= INT_MAX && call_all(c) > INT_MAX)
    return ghz_error(MPI_ERR_ARG, "a displacement is too large for MPI, which may have to make the call");
  return e;
}

static int has_equal_blocks(const call *c) {
  for (int b = 1; c->counts && b < c->at.ranks; b++)
    if (c->counts[b] != c->counts[0])
      return 0;
  return 1;
}

/* Blocks of several sizes are flat. */
static ghz_shape read_shape(const call *c) {
  uint64_t most = c->counts ? c->counts[0] : c->count > 0 ? (uint64_t)c->count : 0;
  for (int b = 1; c->counts && b < c->at.ranks; b++)
    most = c->counts[b] > most ? c->counts[b] : most;
  return has_equal_blocks(c) ? ghz_settings_shape(&c->set, most) : ghz_flat(most);
}

/* Without an operation it is MPI_OP_NULL. */
static reduction reduction_of(const call *c) {
  return c->op == MPI_SUM   ? REDUCE_SUM
         : c->op == MPI_MIN ? REDUCE_MIN
         : c->op == MPI_MAX ? REDUCE_MAX
                            : REDUCE_NONE;
}

static const char *reason_by_mpi(const call *c) {
  if (c->set.algorithm == GHZ_MPI_NATIVE)
    return "the algorithm is MPI's";
  if (!c->is_real)
    return "the type is none of float, double and complex numbers of them";
  if (c->collective->reduces && c->reduction == REDUCE_NONE)
    return "the operation is neither sum nor minimum nor maximum";
  if (c->set.bound.value == 0)
    return "no bound is given (options.bound, GHZ_MPI_BOUND)";
  if (c->set.bound.kind == GHZ_MPI_FLOAT && (c->real != GHZ_F32 || c->reduction != REDUCE_SUM))
    return "the bound 'float' is for sums of float";
  return NULL;
}

/* The float next to the fill value, however the program rounds: ranks find the same (law L3). */
static void round_fill(settings *s) {
  fenv_t programs;
  fegetenv(&programs);
  fesetenv(FE_DFL_ENV);
  s->fill = (float)s->fill;
  fesetenv(&programs);
}

static error read_meaning(call *c, const MPI_Count *counts, const MPI_Count *places) {
  error e = {0};
  MPI_Comm_size(c->comm, &c->at.ranks);
  MPI_Comm_rank(c->comm, &c->at.rank);
  c->at.root = c->root;
  int components = read_type(c);
  if (c->collective->counted)
    e = read_blocks(c, counts, places, components);
  if (e.code)
    c->count = -1;
  c->reduction = reduction_of(c);
  c->shape = read_shape(c);
  c->used = ghz_buffers_used(c);
  c->fits_int = c->count <= INT_MAX / call_blocks(c);
  c->by_mpi = reason_by_mpi(c);
  if (c->set.has_fill && c->is_real && c->real == GHZ_F32)
    round_fill(&c->set);
  return e;
}

/* Whether the call goes to MPI without agreement, for reasons that all ranks share if they agree at
 * all. */
static int needs_no_agreement(const call *c) {
  const settings *s = &c->set;
  int is_small = call_bytes(c) < (double)s->threshold || c->at.ranks == 1;
  return s->algorithm == GHZ_MPI_ALGORITHM_AUTO && s->mode == GHZ_MPI_MODE_AUTO && c->count >= 0 &&
         !ghz_call_reduces_fill(c) && (s->bound.value == 0 || (is_small && c->fits_int));
}

/* ---- Whether they are right ------------------------------------------------------------------ */

static error check_contributions(const call *c) {
  if (c->set.contributions == 1)
    return (error){0};
  if (!c->collective->reduces)
    return ghz_error(MPI_ERR_ARG, "only reductions take a number of contributions");
  if (c->set.mode != GHZ_MPI_HOMOMORPHIC || c->by_mpi)
    return ghz_error(MPI_ERR_ARG,
                     "%d contributions need mode homomorphic, a bound, and a type and operation of ours "
                     "(options begin as GHZ_MPI_OPTIONS)",
                     c->set.contributions);
  if (c->send == MPI_IN_PLACE)
    return ghz_error(MPI_ERR_ARG, "a number of contributions does not go in place");
  if (c->set.contributions == 0 && c->reduction != REDUCE_SUM)
    return ghz_error(MPI_ERR_ARG, "without a contribution there is no minimum or maximum");
  return (error){0};
}

static int has_algorithm(const call *c) {
  ghz_mpi_algorithm a = c->set.algorithm;
  return a == GHZ_MPI_ALGORITHM_AUTO || a == GHZ_MPI_NATIVE || collective_algorithm(c->collective, a);
}

/* MPI would add fills up. */
static error check_fill(const call *c) {
  if (!ghz_call_reduces_fill(c))
    return (error){0};
  if (!isfinite(c->set.fill))
    return ghz_error(MPI_ERR_ARG, "the fill value is no value of the type");
  if (c->by_mpi)
    return ghz_error(MPI_ERR_ARG, "a reduction with a fill value has to be compressed: %s", c->by_mpi);
  return (error){0};
}

static error check_options(const call *c) {
  const settings *s = &c->set;
  if (!has_algorithm(c))
    return ghz_error(MPI_ERR_ARG, "it has no algorithm '%s'", ghz_mpi_algorithm_name(s->algorithm));
  if (c->asks_mode && s->mode == GHZ_MPI_HOMOMORPHIC && s->bound.value == 0 && s->algorithm != GHZ_MPI_NATIVE)
    return ghz_error(MPI_ERR_ARG, "mode '%s' needs a bound, and none is given", ghz_mpi_mode_name(s->mode));
  if (s->of_result && s->bound.kind == GHZ_MPI_FLOAT)
    return ghz_error(MPI_ERR_ARG, "the bound 'float' is one of the result: of_result does not go with it");
  if (s->average && (!c->is_real || c->reduction != REDUCE_SUM))
    return ghz_error(MPI_ERR_ARG, "an average is a sum of float or double");
  error e = check_fill(c);
  return e.code ? e : check_contributions(c);
}

static error check_shape(const call *c) {
  const uint64_t values = ghz_shape_count(&c->shape), count = c->counts ? c->counts[0] : (uint64_t)c->count;
  if (!has_equal_blocks(c))
    return c->set.shape.dims ? ghz_error(MPI_ERR_ARG, "blocks of several sizes have no shape") : (error){0};
  if (values == count)
    return (error){0};
  return ghz_error(MPI_ERR_ARG, "the shape has %llu values, and the count is %llu", (unsigned long long)values,
                   (unsigned long long)count);
}

static int is_aliased(const call *c) {
  int both_matter = !collective_is_rooted(c->collective) || call_is_root(c);
  return both_matter && c->recv && c->send == c->recv && c->send != MPI_IN_PLACE && c->set.contributions;
}

static int is_too_long(const call *c) {
  uint64_t bytes;
  return __builtin_mul_overflow((uint64_t)c->count, c->value_size * (uint64_t)call_blocks(c), &bytes) ||
         bytes > PTRDIFF_MAX || (c->by_mpi && !c->fits_int);
}

static error check(const call *c) {
  if (c->type == MPI_DATATYPE_NULL)
    return ghz_error(MPI_ERR_TYPE, "the type is MPI_DATATYPE_NULL");
  if (c->count < 0)
    return ghz_error(MPI_ERR_COUNT, "the count is %lld", (long long)c->count);
  if (is_too_long(c))
    return ghz_error(MPI_ERR_COUNT, "the count is too large: %lld", (long long)c->count);
  if (collective_is_rooted(c->collective) && (c->root < 0 || c->root >= c->at.ranks))
    return ghz_error(MPI_ERR_ROOT, "the root is %d, of %d ranks", c->root, c->at.ranks);
  if (c->count > 0 && c->is_real && ghz_buffers_lack(c))
    return ghz_error(MPI_ERR_BUFFER, "a buffer is NULL, or MPI_IN_PLACE where that is not allowed");
  if (c->count > 0 && c->is_real && is_aliased(c))
    return ghz_error(MPI_ERR_BUFFER, "sendbuf is recvbuf; MPI_IN_PLACE is for that");
  error e = check_options(c);
  if (!e.code)
    e = check_shape(c);
  if (!e.code && c->on.status != GHZ_OK)
    e = ghz_error_of_device(c->on.status);
  if (!e.code && c->unasked && !c->fits_int)
    e = ghz_error(MPI_ERR_COUNT, "the count is too large for MPI, which has to do it");
  return e;
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* An algorithm that the environment names holds for the collectives that have it. */
static const char *read_settings(call *c, const ghz_mpi_options *options) {
  const char *fault = ghz_settings_make(options, c->collective, &c->set);
  c->asks_mode = options && !fault && options->mode;
  if (!(options && options->algorithm) && !has_algorithm(c))
    c->set.algorithm = GHZ_MPI_ALGORITHM_AUTO;
  return fault;
}

error ghz_call_read(call *c, const MPI_Count *counts, const MPI_Count *places, const ghz_mpi_options *options) {
  int has_groups = 0;
  const char *fault = read_settings(c, options);
  c->unasked = 1;
  if (c->comm == MPI_COMM_NULL)
    return ghz_error(MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
  int code = MPI_Comm_test_inter(c->comm, &has_groups);
  if (code != MPI_SUCCESS)
    return (error){code, ERROR_RAISED, ""};
  if (has_groups)
    return ghz_error(MPI_ERR_COMM, "the communicator is an intercommunicator");
  error e = read_meaning(c, counts, places);
  if (c->count > 0)
    c->on = ghz_device_enter(c->used.send ? c->send : NULL, c->used.recv ? c->recv : NULL);
  c->unasked = !fault && needs_no_agreement(c);
  if (fault)
    return ghz_error(MPI_ERR_ARG, "%s", fault);
  return e.code ? e : check(c);
}

void ghz_call_leave(call *c) {
  free(c->counts);
  ghz_device_leave(&c->on);
}
