/* request.c: what a call asks for, before anybody else is asked. */

#include "control/request.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "control/errors.h"
#include "control/host_copy.h"

static int type_among(MPI_Datatype type, const MPI_Datatype *types, int n) {
  for (int i = 0; i < n; i++)
    if (type == types[i] && type != MPI_DATATYPE_NULL)
      return 1;
  return 0;
}

/* Our types have several names, and compilers can be told to make REAL a double: size decides. */
void ghz_request_recognise(call *c) {
  const MPI_Datatype ours[] = {MPI_FLOAT, MPI_REAL, MPI_REAL4, MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_REAL8};
  int size = 0;
  MPI_Comm_size(c->comm, &c->at.ranks);
  MPI_Comm_rank(c->comm, &c->at.rank);
  c->at.root = c->root;
  if (c->type == MPI_DATATYPE_NULL || MPI_Type_size(c->type, &size) != MPI_SUCCESS || size < 0)
    return;
  c->value_size = (size_t)size;
  c->is_real = type_among(c->type, ours, 6) && (size == 4 || size == 8);
  c->real = size == 4 ? GHZ_F32 : GHZ_F64;
}

reduction ghz_request_reduction(const call *c) {
  if (!c->collective->reduces)
    return REDUCE_NONE;
  return c->op == MPI_SUM   ? REDUCE_SUM
         : c->op == MPI_MIN ? REDUCE_MIN
         : c->op == MPI_MAX ? REDUCE_MAX
                            : REDUCE_NONE;
}

double ghz_request_bytes(const call *c) {
  return (double)c->count * (double)c->value_size * (c->collective->blocks ? c->at.ranks : 1);
}

const char *ghz_request_not_ours(const call *c) {
  if (!c->is_real)
    return "the type is neither float nor double";
  if (c->collective->reduces && ghz_request_reduction(c) == REDUCE_NONE)
    return "the operation is neither sum nor minimum nor maximum";
  if (c->set.bound.value == 0 && c->set.mode != GHZ_MPI_PLAIN)
    return "no bound is given";
  return NULL;
}

int ghz_request_fits_int(const call *c) {
  return c->count <= INT_MAX && (!c->collective->blocks || c->count <= INT_MAX / c->at.ranks);
}

/* ---- What is wrong with it --------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static error make_error(int error_class, const char *format, ...) {
  error c = {.error_class = error_class};
  va_list values;
  va_start(values, format);
  vsnprintf(c.text, sizeof c.text, format, values);
  va_end(values);
  return c;
}

static int has_way(const call *c, ghz_mpi_algorithm a) {
  return a == GHZ_MPI_ALGORITHM_AUTO || a == GHZ_MPI_NATIVE || c->collective->algorithms[a].build;
}

static error check_contributions(const call *c) {
  if (c->set.contributions == 1)
    return (error){0};
  if (!c->collective->reduces)
    return make_error(MPI_ERR_ARG, "only reductions take a number of contributions");
  if (c->set.mode != GHZ_MPI_HOMOMORPHIC || c->set.algorithm == GHZ_MPI_NATIVE || ghz_request_not_ours(c))
    return make_error(MPI_ERR_ARG,
                      "%d contributions need mode homomorphic, a bound, and a type and operation of ours "
                      "(options begin as GHZ_MPI_OPTIONS)",
                      c->set.contributions);
  if (c->send == MPI_IN_PLACE)
    return make_error(MPI_ERR_ARG, "a number of contributions does not go in place");
  if (c->set.contributions == 0 && ghz_request_reduction(c) != REDUCE_SUM)
    return make_error(MPI_ERR_ARG, "without a contribution there is no minimum or maximum");
  return (error){0};
}

static error check_options(const call *c) {
  int compresses = c->set.mode != GHZ_MPI_MODE_AUTO && c->set.mode != GHZ_MPI_PLAIN;
  if (!has_way(c, c->set.algorithm))
    return make_error(MPI_ERR_ARG, "it has no algorithm '%s'", ghz_mpi_algorithm_name(c->set.algorithm));
  if (c->set.mode_asked && compresses && c->set.bound.value == 0 && c->set.algorithm != GHZ_MPI_NATIVE)
    return make_error(MPI_ERR_ARG, "mode '%s' needs a bound, and none is given",
                      ghz_mpi_mode_name(c->set.mode));
  if (c->set.average && (!c->is_real || ghz_request_reduction(c) != REDUCE_SUM))
    return make_error(MPI_ERR_ARG, "an average is a sum of float or double");
  return check_contributions(c);
}

static int is_aliased(const call *c) {
  int both_matter = !c->collective->rooted || call_is_root(c);
  return both_matter && c->recv && c->send == c->recv && c->send != MPI_IN_PLACE && c->set.contributions;
}

error ghz_request_check(const call *c, const char *wrong) {
  uint64_t bytes, blocks = c->collective->blocks ? (uint64_t)c->at.ranks : 1;
  if (wrong)
    return make_error(MPI_ERR_ARG, "%s", wrong);
  if (c->type == MPI_DATATYPE_NULL)
    return make_error(MPI_ERR_TYPE, "the type is MPI_DATATYPE_NULL");
  if (c->count < 0)
    return make_error(MPI_ERR_COUNT, "the count is %lld", (long long)c->count);
  if (__builtin_mul_overflow((uint64_t)c->count, c->value_size * blocks, &bytes) || bytes > PTRDIFF_MAX ||
      (ghz_request_not_ours(c) && !ghz_request_fits_int(c)))
    return make_error(MPI_ERR_COUNT, "the count is too large: %lld", (long long)c->count);
  if (c->collective->rooted && (c->root < 0 || c->root >= c->at.ranks))
    return make_error(MPI_ERR_ROOT, "the root is %d, of %d ranks", c->root, c->at.ranks);
  if (c->count > 0 && c->is_real && c->collective->lacks_buffer(c))
    return make_error(MPI_ERR_BUFFER, "a buffer is NULL, or MPI_IN_PLACE where that is not allowed");
  if (c->count > 0 && c->is_real && is_aliased(c))
    return make_error(MPI_ERR_BUFFER, "sendbuf is recvbuf; MPI_IN_PLACE is for that");
  return check_options(c);
}

int ghz_request_raise(const call *c, error wrong) {
  return ghz_mpi_raise(c->comm, wrong.error_class, c->collective->name, wrong.text);
}

/* ---- Leaving it to MPI ------------------------------------------------------------------------------- */

static void divide(const call *c, void *values, double by) {
  payload_job job = {.lattice.type = c->real, .average = 1, .total_contributions = (uint64_t)by};
  ghz_values_average(&job, values, (size_t)c->count);
}

/* Whether MPI must not be handed device buffers: it does not take them, or the host has to look at them. */
static int needs_host_copy(const call *c) {
  int copies = c->collective->reduces && c->collective->rooted && c->send == MPI_IN_PLACE;
  return c->on.any && (!ghz_device_direct() || c->set.average || copies);
}

error ghz_request_of_device(ghz_status status, const char *why) {
  return status == GHZ_OK ? (error){0}
                          : make_error(status == GHZ_ENOMEM ? MPI_ERR_NO_MEM : MPI_ERR_OTHER, "%s", why);
}

error ghz_request_for_native(const call *c, call *ready) {
  const char *why = "";
  *ready = *c;
  return needs_host_copy(c) ? ghz_request_of_device(ghz_host_copy_begin(c, ready, &why), why) : (error){0};
}

int ghz_request_native(const call *c) {
  call ready;
  error wrong = ghz_request_for_native(c, &ready);
  return wrong.error_class ? ghz_request_raise(c, wrong) : ghz_request_run_native(c, &ready);
}

int ghz_request_run_native(const call *asked, const call *c) {
  double start = MPI_Wtime();
  const char *why;
  int code = c->collective->native(c);
  if (code == MPI_SUCCESS && c->set.average && (!c->collective->rooted || call_is_root(c)))
    divide(c, c->recv, c->at.ranks);
  ghz_status status =
      code == MPI_SUCCESS && needs_host_copy(asked) ? ghz_host_copy_end(asked, c, &why) : GHZ_OK;
  if (status != GHZ_OK)
    return ghz_request_raise(asked, ghz_request_of_device(status, why));
  if (c->set.report) {
    *c->set.report = (ghz_mpi_report){.algorithm = GHZ_MPI_NATIVE, .mode = GHZ_MPI_PLAIN};
    c->set.report->seconds = MPI_Wtime() - start;
  }
  return code;
}
