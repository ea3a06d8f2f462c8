/* range.c: the second agreement: on the range of all values, and on whether all ranks have what
 * they need. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/range.h"

#include <float.h>
#include <math.h>

static ghz_status range_of(const call *c, const payload_job *job, const void *x, double *min, double *max) {
  size_t n = (size_t)c->count;
  if (job->source_on_device && n)
    return ghz_device_range(job->device, c->real, x, n, min, max);
  return ghz_range(job->codec, c->real, x, n, min, max);
}

/* The range of the finite values that this rank gives. */
static ghz_status find_range(const call *c, const payload_job *job, record *r) {
  const plan *p = job->plan;
  int arrays = c->collective->reduces ? c->set.contributions : 1;
  for (int b = 0; b < p->layout.parts; b++)
    for (int i = 0; p->parts[b].source && i < arrays; i++) {
      double min = INFINITY, max = -INFINITY;
      ghz_status status = range_of(c, job, p->parts[b].source + (size_t)i * job->stride, &min, &max);
      if (status != GHZ_OK)
        return status;
      r->min = min < r->min ? min : r->min;
      r->max = max > r->max ? max : r->max;
    }
  return GHZ_OK;
}

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
  ghz_status status = ghz_lattice_make(c->real, s->bound, r->min, r->max, l);
  if (status == GHZ_OK && is_shared && !is_constant) {
    double share = nextafter(l->eb / (double)contributions, 0);
    status = ghz_lattice_make(c->real, (ghz_bound){GHZ_ABS, share > 0 ? share : DBL_TRUE_MIN}, 0, 0, l);
  }
  if (status != GHZ_OK)
    return (error){MPI_ERR_ARG, ERROR_OURS, "no lattice for this bound"};
  return check_terms(c, contributions, l);
}

error ghz_agree_on_range(const call *c, communicator *with, task *t, error own) {
  record r = {.min = INFINITY, .max = -INFINITY, .error_rank = c->at.rank};
  if (!own.code && t->needs_range)
    own = range_error(&t->job, find_range(c, &t->job, &r));
  if (t->agrees)
    own = ghz_agree(&with->agreement, with->comm, &r, own);
  else if (own.code && t->has_plan) { /* a device that failed: the engine tells the other ranks */
    t->job.early_status = own.code == MPI_ERR_NO_MEM ? GHZ_ENOMEM : GHZ_EDEVICE;
    own = (error){0};
  }
  if (own.code || !t->payload)
    return own;
  ghz_prepare_remember(with, &t->footprint);
  if (t->footprint.how.mode == GHZ_MPI_PLAIN)
    return (error){0};
  return make_lattice(c, &r, t->job.total_contributions, &t->job.lattice);
}
