/* random_calls.c: a random sequence of calls, the same on all ranks: any call, any options, on
 * communicators that come and go, with ranks that are late; every result is checked.
 *
 *   mpi_schedule RANKS [SECONDS [SEED [STEP]]]
 *
 * A step depends on the seed and its number alone, so that with STEP just this one is made, after
 * the communicators that came before it. What the library has learnt from earlier calls (which
 * algorithm was fast) is not repeated. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "comms.h"
#include "delays.h"
#include "expected.h"
#include "mistakes.h"
#include "random_args.h"
#include "shapes.h"
#include "special.h"
#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MODES = GHZ_MPI_HOMOMORPHIC + 1, ALGORITHMS = GHZ_MPI_LINEAR + 1 };

/* ---- Delays ---- */
#define VISIBLE __attribute__((visibility("default")))

static uint64_t clouds;

static void maybe_pause(uint64_t one_in) {
  if (clouds && draw_below(&clouds, one_in) == 0)
    delays_pause();
}

/* delays.c delays sends and the news of messages; these delay what begins. */
VISIBLE int MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                      MPI_Request *request) {
  maybe_pause(20);
  return PMPI_Irecv(data, n, type, from, tag, comm, request);
}

VISIBLE int MPI_Iallreduce(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                           MPI_Request *request) {
  maybe_pause(2);
  int code = PMPI_Iallreduce(send, recv, n, type, op, comm, request);
  maybe_pause(2);
  return code;
}

/* Weather for some ranks, and now and then one that is far behind the others. */
static void set_weather(const test_comm *on, uint64_t dice, uint64_t own) {
  int bad = dice % 3 == 0 && own % 2 == 0,
      late = dice % 32 == 5 && (int)(dice / 32 % 9) % on->ranks == on->rank;
  clouds = bad ? own | 1 : 0;
  delays(clouds);
  if (late)
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
  delays_pause();
}

/* ---- What else goes on on a communicator ---- */
/* A message or a barrier of the user's, under way during a call. */
typedef struct bystander {
  enum bystander_kind { NOBODY, EXPECTED, UNEXPECTED, BARRIER } kind;
  MPI_Request request;
  uint64_t sent, got;
} bystander;

static void bystander_begin(bystander *b, const test_comm *on, uint64_t dice) {
  const enum bystander_kind kind = (enum bystander_kind)(dice % 24);
  int to = (on->rank + 1) % on->ranks;
  *b = (bystander){.kind = kind <= BARRIER ? kind : NOBODY, .sent = mix(dice, (uint64_t)on->rank)};
  if (b->kind == EXPECTED)
    MPI_Irecv(&b->got, 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, on->comm, &b->request);
  else if (b->kind == UNEXPECTED)
    MPI_Isend(&b->sent, 1, MPI_UINT64_T, to, 0, on->comm, &b->request);
  else if (b->kind == BARRIER)
    MPI_Ibarrier(on->comm, &b->request);
}

static void bystander_end(bystander *b, const test_comm *on, uint64_t dice) {
  int to = (on->rank + 1) % on->ranks, from = (on->rank + on->ranks - 1) % on->ranks;
  MPI_Status status = {.MPI_SOURCE = from};
  if (b->kind == EXPECTED)
    MPI_Send(&b->sent, 1, MPI_UINT64_T, to, 0, on->comm);
  if (b->kind == UNEXPECTED)
    MPI_Recv(&b->got, 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, on->comm, &status);
  if (b->kind != NOBODY)
    MPI_Wait(&b->request, b->kind == EXPECTED ? &status : MPI_STATUS_IGNORE);
  if (b->kind == EXPECTED || b->kind == UNEXPECTED)
    check(status.MPI_SOURCE == from && b->got == mix(dice, (uint64_t)from), "another message came from rank %d",
          status.MPI_SOURCE);
}

/* ---- Drawing a call ---- */
static uint64_t draw_count(uint64_t *d, uint64_t ranks, int blocks) {
  static const uint64_t edges[] = {1023, 1024, 1025, 2048, 5000, 16383, 16384, 16385, 49152};
  const uint64_t kind = draw_below(d, 24);
  if (kind < 2)
    return kind;
  if (kind == 2)
    return draw_below(d, 2 * ranks + 2);
  if (kind > 8)
    return kind < 12 ? 2 * draw_below(d, 3000) + 1 : draw_below(d, 2000);
  const uint64_t n = kind == 3 && draw_below(d, 2) ? 100000 + draw_below(d, 200000)
                     : kind < 6                    ? draw_below(d, 70000)
                                                   : edges[draw_below(d, sizeof edges / sizeof *edges)];
  return blocks ? n / ranks : n;
}

static double uniform(uint64_t *d) { return (double)(draw(d) >> 11) * 0x1p-53; }

static ghz_bound draw_bound(uint64_t *d, int unit) {
  switch (draw_below(d, 4)) {
  case 0: return (ghz_bound){GHZ_REL, pow(10, -1 - 6 * uniform(d))};
  case 1: return (ghz_bound){GHZ_PSNR, 20 + 120 * uniform(d)};
  case 2: return (ghz_bound){GHZ_ABS, ldexp(64, unit)};
  default: return (ghz_bound){GHZ_ABS, ldexp(1 + uniform(d), unit + (int)draw_below(d, 28) - 3)};
  }
}

static ghz_mpi_algorithm draw_algorithm(collective what, uint64_t *d) {
  if (draw_below(d, 4) == 0)
    return GHZ_MPI_ALGORITHM_AUTO;
  if (draw_below(d, 12) == 0)
    return GHZ_MPI_NATIVE;
  for (;;) {
    ghz_mpi_algorithm a = (ghz_mpi_algorithm)(GHZ_MPI_RING + draw_below(d, ALGORITHMS - GHZ_MPI_RING));
    if (has_algorithm(what, a))
      return a;
  }
}

static ghz_mpi_mode draw_mode(uint64_t *d) {
  return draw_below(d, 2) ? GHZ_MPI_HOMOMORPHIC : (ghz_mpi_mode)draw_below(d, MODES);
}

/* How many arrays the ranks give. */
static void draw_deal(call *s, uint64_t *d, int ranks) {
  if (!reduces(s->what) || s->mode != GHZ_MPI_HOMOMORPHIC || s->algorithm == GHZ_MPI_NATIVE || draw_below(d, 3))
    return;
  int least = s->op >= MINIMUM ? ranks : 1; /* there is no extremum of nothing */
  s->deal = draw_below(d, 3) == 0   ? DEAL_TWO
            : draw_below(d, 2) == 0 ? DEAL_UNEVEN
                                    : least + (int)draw_below(d, 20);
  s->in_place = 0;
}

/* But for its data and bound. */
static call draw_shot(const test_comm *on, uint64_t *d, uint64_t own) {
  call s = {.what = (collective)draw_below(d, COLLECTIVES),
            .type = (ghz_type)draw_below(d, 2),
            .op = (operation)draw_below(d, OPERATIONS),
            .in_place = (int)draw_below(d, 2),
            .root = (int)draw_below(d, (uint64_t)on->ranks),
            .of_result = draw_below(d, 4) == 0,
            .keep_root = (int)draw_below(d, 2),
            .threads = 1 + (own % 16 == 0)};
  s.algorithm = draw_algorithm(s.what, d);
  s.mode = draw_mode(d);
  s.count = draw_count(d, (uint64_t)on->ranks, has_blocks(s.what));
  draw_deal(&s, d, on->ranks);
  return s;
}

/* Half of the calls say nothing of a shape. The count becomes that of the shape. */
static void draw_shape(call *s, uint64_t *d) {
  if (draw_below(d, 2))
    return;
  s->shape = shape_draw(d, 1 + (int)draw_below(d, 3), s->count);
  s->count = ghz_shape_count(&s->shape);
}

/* Floats must hold whole multiples of the unit, and their sums. */
static void draw_field(call *s, uint64_t *d) {
  int unit = draw_below(d, 2)     ? 0
             : s->type == GHZ_F64 ? (int)draw_below(d, 1700) - 900
                                  : (int)draw_below(d, 160) - 100;
  s->data = (field){(field_kind)draw_below(d, FIELD_KINDS), unit, draw(d)};
  s->bound = draw_bound(d, unit);
}

/* ---- The same another way ---- */
static const char *describe(const test_comm *on, uint64_t step, const char *what) {
  static char text[512];
  snprintf(text, sizeof text, "mpi_schedule %d 0 %llu %llu: %s of %d ranks led by %llu: %s", here.ranks,
           (unsigned long long)here.seed, (unsigned long long)step, on->kind, on->ranks,
           (unsigned long long)on->lead, what);
  return text;
}

/* Whether the bits of a result do not depend on how it was made. On all ranks. */
static int is_determined(const call_result *l, MPI_Comm comm) {
  int holds = l->code == MPI_SUCCESS && compressed(l) && !l->report.inexact;
  return on_all(holds, comm);
}

static void compare(const call *s, const call_result *a, const call_result *b) {
  check(!a->result || !b->result || memcmp(a->result, b->result, a->values * value_size(s)) == 0,
        "other bits than the first time");
}

/* By another algorithm, with other delays. */
static void once_more(const call *s, const call_result *first, const test_comm *on, uint64_t step,
                      uint64_t dice, uint64_t own) {
  call t = *s;
  t.mode = GHZ_MPI_HOMOMORPHIC;
  while (t.algorithm <= GHZ_MPI_NATIVE || !has_algorithm(t.what, t.algorithm))
    t.algorithm = (ghz_mpi_algorithm)(GHZ_MPI_RING + draw_below(&dice, ALGORITHMS - GHZ_MPI_RING));
  if (draw_below(&dice, 2))
    t.algorithm = s->algorithm > GHZ_MPI_NATIVE ? s->algorithm : t.algorithm;
  suite_case("%s", describe(on, step, call_text(&t)));
  set_weather(on, draw(&dice), own);
  call_result l = make_call(&t, on->comm);
  if (is_determined(&l, on->comm))
    compare(s, first, &l);
  else
    check(0, "inexact, but was not the first time");
  call_result_free(&l);
}

/* All contributions on one rank: every rank for itself. */
static void all_alone(const call *s, const call_result *first, const test_comm *on, uint64_t step) {
  call t = *s;
  t.what = ALLREDUCE;
  t.algorithm = GHZ_MPI_RING;
  t.mode = GHZ_MPI_HOMOMORPHIC;
  t.in_place = t.root = 0;
  t.deal = (int)dealt_in_all(s, on->ranks);
  suite_case("%s, and alone", describe(on, step, call_text(&t)));
  call_result l = make_call(&t, MPI_COMM_SELF);
  compare(s, first, &l);
  call_result_free(&l);
}

static void another_way(const call *s, const call_result *l, const test_comm *on, uint64_t step, uint64_t dice,
                        uint64_t own) {
  uint64_t how = dice % 8;
  if (how > 1 || !is_determined(l, on->comm))
    return;
  if (how == 0)
    once_more(s, l, on, step, mix(dice, 3), mix(own, 4));
  else if ((s->what == ALLREDUCE || s->what == REDUCE) && s->count < 50000)
    all_alone(s, l, on, step);
}

/* Whoever gets a result that is inexact anywhere is told. */
static void check_inexact(const call *s, const call_result *l, MPI_Comm comm) {
  int told = l->code == MPI_SUCCESS && l->report.inexact, any = on_any(told, comm);
  if (l->code == MPI_SUCCESS && (s->what == ALLREDUCE || (s->what == REDUCE && l->rank == s->root)))
    check(told == any, "inexact, but not by the report");
}

/* ---- Steps ---- */
static void check_quiet(int before) {
  check(heard.count == before, "the handler was called, with %d", heard.code);
}

static void field_step(const test_comm *on, uint64_t step, uint64_t dice, uint64_t own) {
  uint64_t state = mix(dice, 1);
  int before = heard.count;
  call s = draw_shot(on, &state, own);
  draw_field(&s, &state);
  draw_shape(&s, &state);
  suite_case("%s", describe(on, step, call_text(&s)));
  call_result l = make_call(&s, on->comm);
  check_quiet(before);
  check_expected(&s, &l, on->comm);
  check_same_bits(&s, &l, on->comm);
  check_inexact(&s, &l, on->comm);
  another_way(&s, &l, on, step, mix(dice, 2), own);
  call_result_free(&l);
}

/* What has no exact answer: NaN compared by MPI, and averages of denormals in floating point. */
static int is_vague(const call *s, const call_result *l, special kind, int rounded) {
  if (!reduces(s->what))
    return 0;
  if (s->op >= MINIMUM)
    return !compressed(l) && (kind == SPECIAL_NAN || kind == SPECIAL_BITS);
  return s->op == AVERAGE && rounded && (kind == SPECIAL_DENORMAL || kind == SPECIAL_BITS);
}

static void special_step(const test_comm *on, uint64_t step, uint64_t dice, uint64_t own) {
  static const ghz_bound bounds[] = {{GHZ_ABS, SPECIAL_EB}, {GHZ_REL, 1e-3}, {GHZ_PSNR, 70}, {GHZ_ABS, 0.01}};
  uint64_t state = mix(dice, 1), seed;
  int before = heard.count;
  call s = draw_shot(on, &state, own);
  special kind = (special)draw_below(&state, SPECIALS);
  s.mode = s.algorithm == GHZ_MPI_ALGORITHM_AUTO && s.deal == DEAL_ONE && draw_below(&state, 2)
               ? GHZ_MPI_MODE_AUTO
               : GHZ_MPI_HOMOMORPHIC;
  s.count %= has_blocks(s.what) ? 3001 : 9001;
  draw_shape(&s, &state);
  s.bound = bounds[draw_below(&state, 2) ? 0 : draw_below(&state, 4)];
  seed = draw(&state);
  special_use(&s, kind, seed, 0);
  suite_case("%s %s", describe(on, step, call_text(&s)), special_names[kind]);
  call_result l = make_call(&s, on->comm);
  check_quiet(before);
  int inexact = on_any(l.report.inexact == 1, on->comm),
      rounded = reduces(s.what) && (inexact || (!compressed(&l) && s.op <= AVERAGE));
  if (on_all(l.code == MPI_SUCCESS, on->comm) && !is_vague(&s, &l, kind, rounded))
    check_special(&s, &l, rounded);
  check_same_bits(&s, &l, on->comm);
  check_inexact(&s, &l, on->comm);
  another_way(&s, &l, on, step, mix(dice, 2), own);
  call_result_free(&l);
}

/* Calls with arguments by hand, and after a wrong one a good one. */
static void args_step(const test_comm *on, uint64_t step, uint64_t dice, uint64_t own, int is_wrong) {
  uint64_t seed = mix(dice, 1);
  const char *where = describe(on, step, "");
  if (is_wrong)
    args_wrong(on, seed, where);
  else
    args_allowed(on, seed, where);
  if (is_wrong)
    field_step(on, step, mix(dice, 5), own);
}

static void perform(uint64_t step) {
  uint64_t state = mix(here.seed, step + 1);
  uint64_t where = draw_below(&state, COMMS + 2);
  const test_comm *on = &comms[where < COMMS ? where : WORLD];
  if (where == SELF && draw_below(&state, 4))
    on = &comms[WORLD];
  if (on->comm == MPI_COMM_NULL)
    return;
  uint64_t dice = mix(draw(&state), on->lead), own = mix(dice, 1000 + (uint64_t)on->rank), kind = dice % 100;
  bystander b;
  suite_case("%s", describe(on, step, "before the call"));
  bystander_begin(&b, on, mix(dice, 6));
  set_weather(on, mix(dice, 7), own);
  if (kind < 66)
    field_step(on, step, dice, own);
  else if (kind < 80)
    special_step(on, step, dice, own);
  else
    args_step(on, step, dice, own, kind >= 87);
  bystander_end(&b, on, mix(dice, 6));
}

/* ---- The whole ---- */
/* Whether rank 0 has time left, and nothing has failed anywhere. */
static int go_on(double end) {
  return !on_any(here.failures > 0 || (here.rank == 0 && MPI_Wtime() >= end), MPI_COMM_WORLD);
}

static void play(double seconds, long only) {
  double end = MPI_Wtime() + seconds;
  for (long step = 0; only < 0 || step <= only; step++) {
    comms_change((uint64_t)step);
    if (only < 0 || step == only)
      perform((uint64_t)step);
    if (only < 0 && step % 8 == 7 && !go_on(end))
      return;
  }
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 5) {
    fprintf(stderr, "usage: mpi_schedule RANKS [SECONDS [SEED [STEP]]]\n");
    return 2;
  }
  double seconds = argc > 2 ? (double)suite_number(argv[2], "SECONDS") : 4;
  long only = argc > 4 ? (long)suite_number(argv[4], "STEP") : -1;
  char *arguments[] = {argv[0], argv[1], argc > 3 ? argv[3] : NULL, NULL};
  suite_begin(argc > 3 ? 3 : 2, arguments, MPI_THREAD_SINGLE);
  comms_begin();
  play(seconds, only);
  delays(0);
  clouds = 0;
  suite_case("the end");
  comms_end();
  return suite_end(NULL);
}
