/* again.c: the second agreement, on the range of all values, and on whether all ranks have what
 * they need. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

#include <float.h>
#include <math.h>

/* Values whose range is looked for, and that of each share of them. */
typedef struct search {
  const call *c;
  const uint8_t *x;
  size_t n;
  double min[TEAM_MOST], max[TEAM_MOST];
} search;

static ghz_status search_share(ghz_context *codec, void *user, int share, int of) {
  search *s = user;
  const call *c = s->c;
  const size_t each = s->n / (size_t)of, first = each * (size_t)share, n = share + 1 < of ? each : s->n - first;
  const void *x = s->x + first * c->value_size;
  if (c->set.has_fill)
    return ghz_range_without(codec, c->real, x, n, c->set.fill, &s->min[share], &s->max[share]);
  return ghz_range(codec, c->real, x, n, &s->min[share], &s->max[share]);
}

static ghz_status host_range(const call *c, communicator *k, const void *x, size_t n, record *to) {
  team *t = ghz_communicator_team(k, c);
  search s = {.c = c, .x = x, .n = n};
  for (int i = 0; i < TEAM_MOST; i++) {
    s.min[i] = INFINITY;
    s.max[i] = -INFINITY;
  }
  const ghz_status status = t ? ghz_team_each(t, search_share, &s) : search_share(k->work->codec, &s, 0, 1);
  for (int i = 0; i < TEAM_MOST; i++) {
    to->min = s.min[i] < to->min ? s.min[i] : to->min;
    to->max = s.max[i] > to->max ? s.max[i] : to->max;
  }
  return status;
}

static error range_error(ghz_status status, int on_device) {
  if (status == GHZ_OK || on_device)
    return ghz_error_of_device(status);
  if (status == GHZ_EINVAL)
    return (error){MPI_ERR_ARG, ERROR_OURS, "the fill value is no value of the type"};
  return (error){MPI_ERR_NO_MEM, ERROR_OURS, "no memory to find the range"};
}

error ghz_range_early(const call *c, communicator *k, error own, record *r) {
  uint64_t values;
  const void *x = ghz_buffers_input(c, &values);
  if (own.code || c->on.any || values == 0 || !call_range_is_early(c))
    return own;
  return range_error(host_range(c, k, x, (size_t)values, r), 0);
}

/* ---- With a plan ----------------------------------------------------------------------------- */

/* The range of the finite values that this rank gives, or, for GHZ_MPI_FLOAT, their exponents. They
 * are on the host then: see host_copy.c. */
static error measure(run *r, record *again, exponents *e) {
  const call *c = &r->made;
  const double start = payload_seconds(r->job.has_clock);
  const int on_device = r->job.device != NULL;
  ghz_status status = GHZ_OK;
  uint64_t n;
  const void *x = ghz_buffers_input(c, &n);
  if (c->set.bound.kind == GHZ_MPI_FLOAT)
    ghz_exponents_add(e, x, (size_t)n, c->set.has_fill ? (float)c->set.fill : NAN);
  else if (n > 0)
    status = on_device ? ghz_device_range(r->job.device, c->real, x, (size_t)n, &again->min, &again->max)
                       : host_range(c, r->with, x, (size_t)n, again);
  r->report.cpu += payload_seconds(r->job.has_clock) - start;
  return range_error(status, on_device);
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

static error make_float_lattice(run *r, const exponents *e) {
  if (!ghz_float_bins(e, r->job.total_contributions, &r->bins))
    return (error){MPI_ERR_OTHER, ERROR_OURS, "no lattice for sums of floats"};
  r->job.lattice = r->bins.list[0].lattice;
  return check_terms(&r->made, r->job.total_contributions, &r->job.lattice);
}

/* ---- What there is to agree on --------------------------------------------------------------- */

/* The counts of all ranks, which tell whether some rank has to say what is wrong. */
static error agree_on_counts(const run *r, record *again, exponents *e, error own) {
  e->failed = own.code != MPI_SUCCESS;
  const int code = ghz_agree_combine(r->made.comm, e, sizeof *e, MPI_SUM);
  return code == MPI_SUCCESS && e->failed ? ghz_agree(r->made.comm, again, own)
                                          : (error){code, ERROR_RAISED, ""};
}

/* Tells all ranks what is wrong. If it is a device that failed, or memory for other threads than in
 * the calls before, none waits for another agreement, and the engine tells them. */
static error tell(run *r, int all_wait, record *again, error own) {
  if (all_wait)
    return ghz_agree(r->made.comm, again, own);
  if (!own.code || !r->outline->has_plan)
    return own;
  r->job.early_status = own.code == MPI_ERR_NO_MEM ? GHZ_ENOMEM : GHZ_EDEVICE;
  return (error){0};
}

/* Bins take more memory than one lattice, and that they are needed is known only now: the first
 * call with so many asks once more whether all ranks have it. */
static error ask_for_bins(run *r) {
  record again = {0};
  if (r->bins.count < 2 && !r->bins.list[0].scale)
    return (error){0};
  r->job.bins = &r->bins;
  const error e = tell(r, r->outline->known <= r->bins.count, &again, ghz_reserve(r));
  if (!e.code)
    r->outline->known = r->bins.count + 1;
  return e;
}

/* ---- What follows ---------------------------------------------------------------------------- */

error ghz_agree_again(run *r, error own) {
  const settings *s = &r->made.set;
  const int is_float = s->bound.kind == GHZ_MPI_FLOAT,
            measures = s->bound.kind != GHZ_ABS && (r->agreed.devices || !call_range_is_early(&r->made));
  ghz_lattice *l = &r->job.lattice;
  exponents e = {.failed = 0};
  record again = {.min = measures ? INFINITY : r->agreed.min, .max = measures ? -INFINITY : r->agreed.max};
  if (measures && !own.code)
    own = measure(r, &again, &e);
  own = is_float ? agree_on_counts(r, &again, &e, own) : tell(r, measures || !r->outline->known, &again, own);
  if (own.code)
    return own;
  r->outline->known = r->outline->known ? r->outline->known : 1;
  own = is_float ? make_float_lattice(r, &e) : make_lattice(&r->made, &again, r->job.total_contributions, l);
  if (!own.code && s->has_fill && ghz_lattice_set_fill(l, s->fill) != GHZ_OK)
    own = (error){MPI_ERR_ARG, ERROR_OURS, "the fill value is no value of the type"};
  return own.code ? own : ask_for_bins(r);
}
