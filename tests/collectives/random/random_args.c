/* random_args.c: arguments in which ranks may differ, and those that are wrong, or not the other
 * ranks', and the error due. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "random_args.h"
#include "mistakes.h"
#include "shapes.h"
#include "suite.h"
#include <string.h>

/* ---- Calls drawn ---- */
/* Fortran's mean the same, if this MPI has them. */
static MPI_Datatype real_type(uint64_t *d, int is_double) {
  const MPI_Datatype types[2][3] = {{MPI_FLOAT, MPI_REAL, MPI_REAL4},
                                    {MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_REAL8}};
  MPI_Datatype type = types[is_double][draw_below(d, 3)];
  return type == MPI_DATATYPE_NULL ? types[is_double][0] : type;
}

static MPI_Op real_op(uint64_t *d) {
  const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX};
  return ops[draw_below(d, 3)];
}

static void draw_way(test_request *r, uint64_t *d) {
  do
    r->options.algorithm = (ghz_mpi_algorithm)(GHZ_MPI_NATIVE + draw_below(d, GHZ_MPI_LINEAR));
  while (r->options.algorithm != GHZ_MPI_NATIVE && !has_algorithm(r->what, r->options.algorithm));
  r->options.mode = draw_below(d, 2) ? GHZ_MPI_HOMOMORPHIC : GHZ_MPI_MODE_AUTO;
}

/* A call that the library has to do: with algorithm and mode, so no rank goes to MPI. */
static test_request draw_request(const test_comm *on, uint64_t *d) {
  test_request r = {.what = (collective)draw_below(d, COLLECTIVES),
                    .count = 1 + (MPI_Count)draw_below(d, draw_below(d, 8) ? 3000 : 40000),
                    .type = draw_below(d, 2) ? MPI_DOUBLE : MPI_FLOAT,
                    .op = real_op(d),
                    .root = (int)draw_below(d, (uint64_t)on->ranks),
                    .comm = on->comm,
                    .options = GHZ_MPI_OPTIONS};
  r.options.bound = draw_below(d, 2) ? (ghz_bound){GHZ_ABS, 1e-2} : (ghz_bound){GHZ_REL, 1e-3};
  r.options.average = reduces(r.what) && r.op == MPI_SUM && draw_below(d, 3) == 0;
  r.options.of_result = (int)draw_below(d, 2);
  draw_way(&r, d);
  if (draw_below(d, 3) == 0) {
    r.options.shape = shape_draw(d, 2 + (int)draw_below(d, 2), (uint64_t)r.count);
    r.count = (MPI_Count)ghz_shape_count(&r.options.shape);
  }
  return r;
}

static void prepare(test_request *r, const test_comm *on, uint64_t seed) {
  request_buffers(r, r->type == MPI_DOUBLE ? 8 : 4);
  request_fill(r, 1, mix(seed, (uint64_t)on->rank));
  r->options.report = &r->report;
}

/* Whether this rank is among some: at least one, not all of several. The dice are all ranks'. */
static int is_among(const test_comm *on, uint64_t dice) {
  uint64_t ranks = (uint64_t)on->ranks, one = mix(dice, 1) % ranks, spared = (one + 1) % ranks;
  if ((uint64_t)on->rank == one)
    return 1;
  return dice % 2 && (uint64_t)on->rank != spared && mix(dice, 2 + (uint64_t)on->rank) % 2;
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
    r->type = real_type(&dice, r->type == MPI_DOUBLE);
}

void args_allowed(const test_comm *on, uint64_t seed, const char *where) {
  uint64_t state = seed, *d = &state;
  test_request plain = draw_request(on, d), other = plain;
  int before = heard.count;
  plain.options.mode = other.options.mode = GHZ_MPI_HOMOMORPHIC;
  suite_case("%sallowed differences: %s by %s of %lld, root %d", where, collective_names[plain.what],
             ghz_mpi_algorithm_name(plain.options.algorithm), (long long)plain.count, plain.root);
  prepare(&plain, on, seed);
  prepare(&other, on, seed);
  if (is_among(on, draw(d)))
    differ(&other, mix(seed, 77 + (uint64_t)on->rank));
  int code = request_make(&plain, &plain.options), again = request_make(&other, &other.options);
  check(code == MPI_SUCCESS && again == MPI_SUCCESS && heard.count == before, "the calls return %d and %d",
        code, again);
  check(plain.received.size == 0 || memcmp(plain.received.data, other.received.data, plain.received.size) == 0,
        "other bits than without the differences");
  request_free(&plain);
  request_free(&other);
}

/* ---- What is wrong ---- */
static int fits(const mistake *m, const test_request *r, const test_comm *on) {
  return m->anywhere && m->fits(r->what) && (m->alone || on->ranks > 1); /* somebody to differ from */
}

void args_wrong(const test_comm *on, uint64_t seed, const char *where) {
  uint64_t state = seed, *d = &state, dice;
  test_request r = draw_request(on, d);
  const mistake *m;
  do
    m = &mistakes[draw_below(d, (uint64_t)mistake_count)];
  while (!fits(m, &r, on));
  dice = draw(d);
  int here_too = is_among(on, dice), before = heard.count;
  suite_case("%swrong: %s: %s by %s, %s of %lld, root %d; %s", where, m->what, collective_names[r.what],
             ghz_mpi_algorithm_name(r.options.algorithm), ghz_mpi_mode_name(r.options.mode), (long long)r.count,
             r.root, here_too ? "here" : "elsewhere");
  /* Ranks whose count or type is wrong look for the range of what they say before they hear of it:
   * they have so much. */
  const test_request wanted = r;
  r.count += 100000;
  r.type = MPI_DOUBLE;
  prepare(&r, on, seed);
  r.count = wanted.count;
  r.type = wanted.type;
  const uint64_t given = hash_bytes(r.sent.data, r.sent.size);
  if (here_too)
    m->make(&r, on->rank, on->ranks, dice >> 1);
  int code = request_make(&r, &r.options);
  check_error(&r, code, m->error_class, before);
  check(all_same((uint64_t)ghz_mpi_error_class(code), r.comm), "ranks have different errors");
  check(hash_bytes(r.sent.data, r.sent.size) == given, "sendbuf has changed");
  request_free(&r);
}
