/* random_args.c: MPI's results to hold ours against, and what the ranks may differ in. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "random_args.h"
#include "expected.h"
#include "quad.h"
#include "random_request.h"
#include "suite.h"
#include <math.h>
#include <string.h>

/* ---- Against MPI ---- */
static int64_t combined(const call *s, int64_t a, int64_t b) {
  return s->op == MINIMUM ? (b < a ? b : a) : s->op == MAXIMUM ? (b > a ? b : a) : a + b;
}

/* What this rank's contributions come to, in units. */
static void fill_units(const call *s, const test_comm *on, guarded *to) {
  uint64_t first = dealt_before(s, on->rank, on->ranks), n = dealt(s, on->rank, on->ranks);
  int64_t *x = (int64_t *)(void *)to->data;
  for (uint64_t i = 0; i < to->size / sizeof *x; i++) {
    x[i] = n > 0 ? field_at(&s->data, first, i) : 0;
    for (uint64_t g = 1; g < n; g++)
      x[i] = combined(s, x[i], field_at(&s->data, first + g, i));
  }
}

/* What is promised, in units, of a value y of the result times its divisor. */
static quad promised(const call *s, const call_result *l, double y, double divisor, uint64_t terms) {
  int exponent, sums = reduces(s->what) && s->op <= AVERAGE;
  quad bound = (quad)ldexp(l->report.bound, -s->data.exponent) * divisor;
  frexp(y, &exponent);
  if (sums && s->type == GHZ_F32 && terms > 1) /* the one exception: a sum is rounded to float */
    bound += ldexp(0.5, exponent - 24) * divisor;
  return bound;
}

static void compare(const call *s, const call_result *l, const int64_t *exact) {
  uint64_t terms = reduces(s->what) ? dealt_in_all(s, l->ranks) : 1;
  double divisor = reduces(s->what) && s->op == AVERAGE ? (double)terms : 1;
  for (uint64_t j = 0; j < l->values; j++) {
    if (is_between(s, j))
      continue;
    double y = s->type == GHZ_F64 ? ((const double *)l->result)[j] : (double)((const float *)l->result)[j];
    y = ldexp(y, -s->data.exponent);
    quad error = (quad)y * divisor - exact[j], most = promised(s, l, y, divisor, terms);
    if (!check(error <= most && -error <= most,
               "value %llu is %.17g units, MPI's %lld / %g: off by %.17g, promised %.17g",
               (unsigned long long)j, y, (long long)exact[j], divisor, (double)(error / divisor),
               (double)(most / divisor)))
      return;
  }
}

void args_check_by_mpi(const call *s, const call_result *l, MPI_Comm comm) {
  const test_comm on = {.comm = comm, .rank = l->rank, .ranks = l->ranks};
  test_request r = request_of(s->what, NULL, NULL, (MPI_Count)s->count, MPI_INT64_T, comm);
  r.op = call_op(s);
  r.root = s->root;
  r.options.shape = s->shape;
  request_buffers(&r, &on, sizeof(int64_t));
  fill_units(s, &on, request_given(&r, &on));
  request_make_by_mpi(&r);
  /* sums in floating point are check_expected's business */
  int rounded = reduces(s->what) && s->op <= AVERAGE && !compressed(l);
  if (l->code == MPI_SUCCESS && l->result && !rounded && l->report.bound < (double)INFINITY)
    compare(s, l, (const int64_t *)(const void *)r.received.data);
  request_free(&r);
}

/* ---- Left to MPI ---- */
enum left { INTEGERS, PRODUCT, SMALL, NO_BOUND, LEFT };

static const char *const left_names[LEFT] = {"integers", "a product", "below the threshold", "no bound"};

static MPI_Datatype integer_type(uint64_t *d) {
  const MPI_Datatype types[] = {MPI_INT, MPI_INT64_T, MPI_UNSIGNED_CHAR, MPI_UNSIGNED_SHORT};
  return types[draw_below(d, 4)];
}

static MPI_Op integer_op(uint64_t *d) {
  const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_BXOR, MPI_PROD};
  return ops[draw_below(d, 4)];
}

static test_request draw_left(enum left how, const test_comm *on, uint64_t *d) {
  test_request r = {.what = (collective)draw_below(d, COLLECTIVES),
                    .count = (MPI_Count)draw_below(d, draw_below(d, 2) ? 20 : 3000),
                    .root = (int)draw_below(d, (uint64_t)on->ranks),
                    .comm = on->comm,
                    .options = GHZ_MPI_OPTIONS};
  r.type = how == INTEGERS ? integer_type(d) : request_real_type(d, (int)draw_below(d, 2));
  r.op = how == INTEGERS ? integer_op(d) : how == PRODUCT ? MPI_PROD : request_real_op(d);
  r.options.bound = (ghz_bound){GHZ_ABS, how == NO_BOUND ? 0 : 1e-3};
  r.options.threshold = how == SMALL ? (draw_below(d, 2) ? 256 << 10 : 3001 * 8 * on->ranks) : 0;
  if (how == PRODUCT && !reduces(r.what))
    r.options.algorithm = GHZ_MPI_NATIVE;
  return r;
}

void args_left_to_mpi(const test_comm *on, uint64_t seed, const char *where) {
  uint64_t state = seed, *d = &state;
  enum left how = (enum left)draw_below(d, LEFT);
  test_request ours = draw_left(how, on, d), theirs = ours;
  ghz_mpi_report report;
  int each, said = (int)draw_below(d, 2), complaints = comms_errors;
  suite_case("%sleft to MPI: %s: %s of %lld, root %d", where, left_names[how], collective_names[ours.what],
             (long long)ours.count, ours.root);
  MPI_Type_size(ours.type, &each);
  request_buffers(&ours, on, (uint64_t)each);
  request_buffers(&theirs, on, (uint64_t)each);
  request_fill(&ours, on, how != INTEGERS, mix(seed, (uint64_t)on->rank));
  request_fill(&theirs, on, how != INTEGERS, mix(seed, (uint64_t)on->rank));
  memset(&report, 0xee, sizeof report);
  ours.options.report = said ? &report : NULL;
  int code = request_make(&ours, how == NO_BOUND && !said ? NULL : &ours.options);
  request_make_by_mpi(&theirs);
  check(code == MPI_SUCCESS && comms_errors == complaints, "the call returns %d", code);
  check(ours.received.size == 0 || memcmp(ours.received.data, theirs.received.data, ours.received.size) == 0,
        "the result is not MPI's");
  check(ours.sent.size == 0 || memcmp(ours.sent.data, theirs.sent.data, ours.sent.size) == 0,
        "sendbuf has changed");
  if (said)
    check(report.algorithm == GHZ_MPI_NATIVE && report.raw_bytes == 0 && report.sent_bytes == 0 &&
              report.messages == 0 && report.eb == 0 && report.bound == 0 && report.seconds < 60,
          "the report says %s", ghz_mpi_algorithm_name(report.algorithm));
  request_free(&ours);
  request_free(&theirs);
}

/* ---- What the ranks may differ in ---- */
static void differ(test_request *r, uint64_t dice) {
  r->options.threads = 1 + (int)(dice % 3);
  r->options.threshold = dice >> 8 & 1 ? 1 << 30 : 0;
  r->options.report = dice >> 9 & 1 ? NULL : r->options.report;
  r->options.keep_root = dice >> 10 & 1 ? 0 : -1;
  if (dice >> 11 & 1 && r->options.shape.dims == 0 && block_values(r->what, 4, 1, 0) == 4)
    r->options.shape = ghz_flat((uint64_t)r->count);
  if (r->options.algorithm != GHZ_MPI_NATIVE)
    r->type = request_real_type(&dice, r->type == MPI_DOUBLE);
}

void args_allowed(const test_comm *on, uint64_t seed, const char *where) {
  uint64_t state = seed, *d = &state;
  test_request plain = request_draw(on, d), other = plain;
  int complaints = comms_errors;
  plain.options.mode = other.options.mode = GHZ_MPI_HOMOMORPHIC;
  suite_case("%sallowed differences: %s by %s of %lld, root %d", where, collective_names[plain.what],
             ghz_mpi_algorithm_name(plain.options.algorithm), (long long)plain.count, plain.root);
  request_prepare(&plain, on, seed);
  request_prepare(&other, on, seed);
  if (request_is_among(on, draw(d)))
    differ(&other, mix(seed, 77 + (uint64_t)on->rank));
  int code = request_make(&plain, &plain.options), again = request_make(&other, &other.options);
  check(code == MPI_SUCCESS && again == MPI_SUCCESS && comms_errors == complaints, "the calls return %d and %d",
        code, again);
  check(plain.received.size == 0 || memcmp(plain.received.data, other.received.data, plain.received.size) == 0,
        "other bits than without the differences");
  request_free(&plain);
  request_free(&other);
}
