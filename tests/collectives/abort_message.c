/* abort_message.c: a rank that cannot go on in the middle of a collective: every rank ends, those
 * that wait for its pieces with an error, and the next call works. The engine is run as the
 * collectives run it, with a payload that fails on purpose. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/engine.h"
#include "payload/payloads.h"
#include "suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 300000, TRIALS = 60 };

/* Which operation fails, on which rank; others are as in a payload that works. */
static struct {
  int rank;
  long countdown;
  ghz_status status;
  const payload *of;
} sabotage = {.of = &ghz_payload_homomorphic};

static ghz_status sabotaged(void) {
  return here.rank == sabotage.rank && sabotage.countdown-- == 0 ? sabotage.status : GHZ_OK;
}

static size_t capacity(const payload_job *job, uint64_t tiles) { return sabotage.of->capacity(job, tiles); }

static ghz_status encode(payload_job *job, const piece *p, buffer *out) {
  ghz_status status = sabotaged();
  return status == GHZ_OK ? sabotage.of->encode(job, p, out) : status;
}

static ghz_status validate(payload_job *job, const piece *p, buffer *in) {
  if (sabotaged() != GHZ_OK) {
    if (sabotage.status != GHZ_ECORRUPT || sabotage.of != &ghz_payload_bins)
      in->size /= 2; /* a message that was cut short */
    else if (in->size % 2)
      memset(in->data, 0xff, 8); /* the size of the first bin */
    else
      in->size++; /* a byte that belongs to no bin */
  }
  return sabotage.of->validate(job, p, in);
}

static ghz_status reduce(payload_job *job, const piece *p, const buffer *mine, const buffer *theirs,
                         buffer *out) {
  ghz_status status = sabotaged();
  return status == GHZ_OK ? sabotage.of->reduce(job, p, mine, theirs, out) : status;
}

static ghz_status decode(payload_job *job, const piece *p, const buffer *result) {
  ghz_status status = sabotaged();
  return status == GHZ_OK ? sabotage.of->decode(job, p, result) : status;
}

static const payload saboteur = {.capacity = capacity,
                                 .encode = encode,
                                 .validate = validate,
                                 .reduce = reduce,
                                 .decode = decode,
                                 .scratch = 4};

/* ---- One collective ---- */
typedef struct stage {
  MPI_Comm comm;
  ghz_context *codec;
  buffer_pool pool;
  plan plan;
  engine_space space;
  bins bins; /* of x */
  float *x, *y;
} stage;

static const struct {
  const char *name;
  schedule_builder find;
  int segments; /* 0: as many as ranks; -1: those of halving */
  int columns_first, moves;
} shows[] = {{"ring", ghz_ring_allreduce, 0, 0, 0},
             {"halving", ghz_halving_allreduce, -1, 0, 0},
             {"doubling", ghz_halving_allreduce, 1, 1, 0},
             {"tree reduce", ghz_tree_reduce, 1, 1, 0},
             {"tree bcast", ghz_tree_bcast, 1, 1, 1}};

enum { SHOWS = sizeof shows / sizeof *shows };

static failure play(stage *s, int show, int in_bins) {
  int moves = shows[show].moves, segments = shows[show].segments;
  const ghz_shape flat = ghz_flat(VALUES);
  layout l = {.type = GHZ_F32, .parts = 1, .piece_values = GHZ_CHUNK};
  ghz_layout_set_shape(&l, &flat);
  l.segments = segments > 0    ? segments
               : segments == 0 ? here.ranks
                               : ghz_halving_segments(here.ranks, ghz_shape_tiles(&flat));
  l.columns_first = shows[show].columns_first;
  ghz_mpi_report report = {0};
  payload_job job = {.codec = s->codec,
                     .pool = &s->pool,
                     .plan = &s->plan,
                     .rank = here.rank,
                     .order = GHZ_ORDER_BEST,
                     .reduction = moves ? REDUCE_NONE : REDUCE_SUM,
                     .contributions = 1,
                     .total_contributions = (uint64_t)here.ranks,
                     .value_size = sizeof(float),
                     .report = &report};
  sabotage.of = in_bins && !moves ? &ghz_payload_bins : &ghz_payload_homomorphic;
  job.bins = in_bins && !moves ? &s->bins : NULL;
  check(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 1e-3}, 0, 0, &job.lattice) == GHZ_OK, "no lattice");
  check(ghz_plan_cut(&s->plan, &l, NULL, NULL, (position){.rank = here.rank, .ranks = here.ranks},
                     shows[show].find),
        "no plan");
  part_lies(&s->plan.parts[0], moves && here.rank ? NULL : s->x, s->y);
  check(ghz_plan_order(&s->plan), "no events");
  check(ghz_engine_prepare(&s->space, &s->plan, &saboteur, &job), "no space");
  return ghz_engine_run(&s->plan, &saboteur, &job, &s->space, s->comm);
}

/* Whether what arrived is the sum, or what was sent. */
static void check_result(const stage *s, int show) {
  double worst = 0;
  for (int i = 0; i < VALUES; i++)
    worst = fmax(worst, fabs((double)s->y[i] / (shows[show].moves ? 1 : here.ranks) - (double)s->x[i]) /
                            fmax(1, fabs((double)s->x[i])));
  check(worst <= 1e-3 + 1e-5, "error %g", worst);
}

static void trial(stage *s, uint64_t *seed) {
  static const ghz_status statuses[] = {GHZ_ENOMEM, GHZ_ECORRUPT};
  int show = (int)draw_below(seed, SHOWS);
  sabotage.rank = (int)draw_below(seed, (uint64_t)here.ranks);
  sabotage.countdown = (long)draw_below(seed, 40);
  sabotage.status = statuses[draw_below(seed, 2)];
  suite_case("%s on %d ranks, rank %d fails at operation %ld", shows[show].name, here.ranks, sabotage.rank,
             sabotage.countdown);
  failure o = play(s, show, (int)draw_below(seed, 2));
  int struck = on_any(here.rank == sabotage.rank && sabotage.countdown < 0, MPI_COMM_WORLD);
  int here_it_was = here.rank == sabotage.rank, noticed = failure_is(&o);
  check(noticed <= struck, "fault %d without a reason", (int)o.status);
  check(!struck || !here_it_was || noticed, "the rank that failed does not know it");
  check(!noticed || o.rank == sabotage.rank, "rank %d is said to have failed", o.rank);
}

static void after(stage *s) {
  sabotage.rank = -1;
  for (int i = 0; i < 2 * SHOWS; i++) {
    const int show = i / 2;
    suite_case("%s on %d ranks, after all that", shows[show].name, here.ranks);
    memset(s->y, 0, VALUES * sizeof *s->y);
    failure o = play(s, show, i % 2);
    check(!failure_is(&o), "fault %d", (int)o.status);
    if (!strstr(shows[show].name, "reduce") || here.rank == 0)
      check_result(s, show);
  }
}

int main(int argc, char **argv) {
  stage s = {0};
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  uint64_t seed = here.seed;
  MPI_Comm_dup(MPI_COMM_WORLD, &s.comm);
  check(ghz_context_create(&s.codec, 1) == GHZ_OK, "no codec");
  s.x = malloc(VALUES * sizeof *s.x);
  s.y = malloc(VALUES * sizeof *s.y);
  for (int i = 0; i < VALUES; i++)
    s.x[i] = i % 5000 ? sinf((float)i * 0.001f) : 1e25f;
  exponents counts = {{0}};
  ghz_exponents_add(&counts, s.x, VALUES, NAN);
  check(ghz_float_bins(&counts, 3, &s.bins) && s.bins.count == 2, "%d bins", s.bins.count);
  for (int t = 0; t < TRIALS; t++)
    trial(&s, &seed);
  after(&s);
  free(s.x);
  free(s.y);
  ghz_buffer_pool_free(&s.pool);
  ghz_plan_free(&s.plan);
  ghz_engine_free(&s.space);
  ghz_context_free(s.codec);
  MPI_Comm_free(&s.comm);
  return suite_end(NULL);
}
