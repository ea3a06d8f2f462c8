/* range.c: the range of all values; and the second agreement, on whether all ranks have what they
 * need. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/range.h"

#include "control/float_bound.h"
#include "engine/poll.h"

#include <fenv.h>
#include <float.h>
#include <math.h>

static ghz_status host_range(const call *c, ghz_context *codec, const void *x, size_t n, double *min,
                             double *max) {
  if (c->set.has_fill)
    return ghz_range_without(codec, c->real, x, n, c->set.fill, min, max);
  return ghz_range(codec, c->real, x, n, min, max);
}

static ghz_status range_of(const call *c, const payload_job *job, const void *x, size_t n, double *min,
                           double *max) {
  if (job->source_on_device && n)
    return ghz_device_range(job->device, c->real, x, n, min, max);
  return host_range(c, job->codec, x, n, min, max);
}

static int arrays_of(const call *c) {
  return c->collective->reduces ? c->set.contributions : 1;
}

/* The exponents of the values that this rank gives. They are on the host: see host_copy.c. */
static void find_exponents(const call *c, const payload_job *job, exponents *e) {
  const plan *p = job->plan;
  for (int b = 0; b < p->layout.parts; b++)
    for (int i = 0; p->parts[b].source && i < arrays_of(c); i++)
      ghz_exponents_add(e, (const float *)(const void *)(p->parts[b].source + (size_t)i * job->stride),
                        ghz_shape_count(&p->parts[b].shape), c->set.has_fill ? (float)c->set.fill : NAN);
}

/* The range of the finite values that this rank gives. */
static ghz_status find_range(const call *c, const payload_job *job, record *r) {
  const plan *p = job->plan;
  for (int b = 0; b < p->layout.parts; b++)
    for (int i = 0; p->parts[b].source && i < arrays_of(c); i++) {
      double min = INFINITY, max = -INFINITY;
      ghz_status status = range_of(c, job, p->parts[b].source + (size_t)i * job->stride,
                                   ghz_shape_count(&p->parts[b].shape), &min, &max);
      if (status != GHZ_OK)
        return status;
      r->min = min < r->min ? min : r->min;
      r->max = max > r->max ? max : r->max;
    }
  return GHZ_OK;
}

/* ---- Early ----------------------------------------------------------------------------------- */

/* All values that this rank gives lie in a row. */
static const void *input_of(const call *c, uint64_t *values) {
  int in_place = !c->used.send && c->used.reads_recv,
      is_block = (collective_has_blocks(c->collective) || c->counts) && !c->collective->reduces;
  *values = !in_place ? c->used.send : is_block ? call_own(c) : c->used.recv;
  if (!in_place)
    return c->send;
  return is_block ? call_block(c, c->recv, c->at.rank) : c->recv;
}

error ghz_range_early(const call *c, ghz_context *codec, error own, record *r) {
  uint64_t values;
  const void *x = input_of(c, &values);
  if (own.code || c->on.any || values == 0 || !call_range_is_early(c))
    return own;
  ghz_context_set_threads(codec, c->set.threads);
  ghz_status status = host_range(c, codec, x, (size_t)values, &r->min, &r->max);
  return status == GHZ_OK ? own : (error){MPI_ERR_NO_MEM, ERROR_OURS, "no memory to find the range"};
}

/* ---- With a plan ----------------------------------------------------------------------------- */

static error range_error(const payload_job *job, ghz_status status) {
  if (status == GHZ_OK || job->source_on_device)
    return ghz_error_of_device(status);
  return (error){MPI_ERR_NO_MEM, ERROR_OURS, "no memory to find the range"};
}

/* All ranks find alike what is wrong here, as they make the same lattice. */
static error check_terms(const call *c, uint64_t contributions, const ghz_lattice *l) {
  if (c->reduction != REDUCE_SUM)
    return (error){0};
  if (contributions > ghz_terms_limit(l->cap))
    return (error){MPI_ERR_ARG, ERROR_OURS, "more contributions than integers of 62 bits can sum"};
  if (contributions == 0 && c->set.average)
    return (error){MPI_ERR_ARG, ERROR_OURS, "nobody contributes to the average"};
  return (error){0};
}

/* A bound of the result is shared out among the contributions. Not that of a range of one value: it
 * is exact, and so is its sum. */
static error make_lattice(const call *c, const record *r, uint64_t contributions, ghz_lattice *l) {
  const settings *s = &c->set;
  int is_constant = s->bound.kind != GHZ_ABS && !(r->min < r->max);
  int is_shared = s->of_result && !s->average && c->reduction == REDUCE_SUM && contributions > 1;
  int zeros = r->min == 0 && r->max == 0;
  ghz_status status =
      ghz_lattice_make(c->real, s->bound, zeros ? INFINITY : r->min, zeros ? -INFINITY : r->max, l);
  if (status == GHZ_OK && is_shared && !is_constant) {
    double share = nextafter(l->eb / (double)contributions, 0);
    status = ghz_lattice_make(c->real, (ghz_bound){GHZ_ABS, share > 0 ? share : DBL_TRUE_MIN}, 0, 0, l);
  }
  if (status != GHZ_OK)
    return (error){MPI_ERR_ARG, ERROR_OURS, "no lattice for this bound"};
  return check_terms(c, contributions, l);
}

/* What this rank's values are like, as far as the lattice depends on it. */
static error measure(const call *c, const payload_job *job, record *r, exponents *e) {
  if (c->set.bound.kind != GHZ_MPI_FLOAT)
    return range_error(job, find_range(c, job, r));
  find_exponents(c, job, e);
  return (error){0};
}

/* The counts of all ranks, at the same time as the agreement. */
static error agree_with_counts(const call *c, communicator *with, record *r, exponents *e, error own) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_Iallreduce(MPI_IN_PLACE, e->count, EXPONENTS, MPI_UINT64_T, MPI_SUM, with->own, &request);
  const error refused = {code, ERROR_OF_MPI, ""};
  error agreed = ghz_agree(c->comm, r, code == MPI_SUCCESS ? own : refused);
  code = ghz_wait(&request);
  return agreed.code || code == MPI_SUCCESS ? agreed : (error){code, ERROR_OF_MPI, ""};
}

static error make_float_lattice(const call *c, const exponents *e, task *t) {
  if (!ghz_float_bins(e, t->job.total_contributions, &t->bins))
    return (error){MPI_ERR_OTHER, ERROR_OURS, "no lattice for sums of floats"};
  t->job.lattice = t->bins.list[0].lattice;
  return check_terms(c, t->job.total_contributions, &t->job.lattice);
}

/* Bins take more memory than one lattice, and that they are needed is known only now: the first
 * call with so many asks once more whether all ranks have it. */
static error agree_on_bins(const call *c, communicator *with, task *t) {
  record r = {.error_rank = c->at.rank};
  if (t->bins.count < 2 && !t->bins.list[0].scale)
    return (error){0};
  error e = ghz_prepare_bins(with, t);
  if (t->agrees)
    e = ghz_agree(c->comm, &r, e);
  if (!e.code)
    ghz_communicator_remember(with, &t->footprint);
  return e;
}

static error agree_on_range(const call *c, communicator *with, task *t, error own) {
  record r = {.min = t->min, .max = t->max, .error_rank = c->at.rank};
  exponents e = {{0}};
  int is_float = c->set.bound.kind == GHZ_MPI_FLOAT;
  if (!own.code && t->needs_range)
    own = measure(c, &t->job, &r, &e);
  if (t->agrees && t->needs_range && is_float)
    own = agree_with_counts(c, with, &r, &e, own);
  else if (t->agrees)
    own = ghz_agree(c->comm, &r, own);
  else if (own.code && t->has_plan) { /* a device that failed: the engine tells the other ranks */
    t->job.early_status = own.code == MPI_ERR_NO_MEM ? GHZ_ENOMEM : GHZ_EDEVICE;
    own = (error){0};
  }
  if (own.code || !t->payload)
    return own;
  ghz_communicator_remember(with, &t->footprint);
  ghz_lattice *l = &t->job.lattice;
  error made = is_float ? make_float_lattice(c, &e, t) : make_lattice(c, &r, t->job.total_contributions, l);
  if (!made.code && c->set.has_fill && ghz_lattice_set_fill(l, c->set.fill) != GHZ_OK)
    return (error){MPI_ERR_ARG, ERROR_OURS, "the fill value is no value of the type"};
  return made.code ? made : agree_on_bins(c, with, t);
}

/* As execute.c: ranks make the same lattice, whatever their floating-point environments are. */
error ghz_agree_on_range(const call *c, communicator *with, task *t, error own) {
  fenv_t programs;
  fegetenv(&programs);
  fesetenv(FE_DFL_ENV);
  own = agree_on_range(c, with, t, own);
  fesetenv(&programs);
  return own;
}
