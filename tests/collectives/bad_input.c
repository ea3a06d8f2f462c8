/* bad_input.c: wrong arguments, and ranks that disagree: an error on every rank, through the error
 * handler, with a sentence that names the call; and the communicator is as good as before. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "mistakes.h"
#include "suite.h"
#include <ghz/mpi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 3000, RANKS = 4, ROOM = COUNT * RANKS };

static float send_room[2 * ROOM], recv_room[2 * ROOM];
static MPI_Comm comm; /* which is listened to */

static test_request good(collective f) {
  test_request r = request_of(f, send_room, recv_room, COUNT, MPI_FLOAT, comm);
  r.root = 1;
  r.options.bound = (ghz_bound){GHZ_ABS, 1e-3};
  r.options.algorithm = f <= ALLGATHERV ? GHZ_MPI_RING : GHZ_MPI_TREE;
  r.options.mode = GHZ_MPI_HOMOMORPHIC;
  for (int i = 0; i < ROOM; i++)
    send_room[i] = recv_room[i] = (float)(i % 100 + here.rank);
  return r;
}

/* ---- What must happen ---- */
static void check_still_works(void) {
  const int before = heard.count;
  test_request r = good(ALLREDUCE);
  int code = request_make(&r, &r.options);
  check(code == MPI_SUCCESS && heard.count == before, "afterwards, a good call returns %d", code);
  for (int i = 0; i < COUNT && code == MPI_SUCCESS; i++) {
    float want = (float)(RANKS * (i % 100) + RANKS * (RANKS - 1) / 2);
    if (!check(fabsf(recv_room[i] - want) <= 4.001e-3f, "afterwards, value %d is %g, should be %g", i,
               (double)recv_room[i], (double)want))
      return;
  }
}

/* Makes the call; all ranks must get an error of a class, whose sentence says both. */
static void must_say(const test_request *r, int want_class, const char *what, int by, const char *one,
                     const char *other) {
  const int before = heard.count;
  suite_case("%s: %s, by rank %d", collective_names[r->what], what, by);
  check_error(r, request_make(r, &r->options), want_class, before);
  check(strstr(error_sentence, one) && strstr(error_sentence, other), "the sentence is: %s", error_sentence);
  check_still_works();
}

static void must_fail(const test_request *r, int want_class, const char *what, int by) {
  must_say(r, want_class, what, by, "", "");
}

/* ---- What can be wrong ---- */
/* One rank makes the mistake. A buffer that the root, or a rank without values, may lack must be
 * missing elsewhere. */
static void wrong_on_one(const mistake *m, collective f, int by) {
  by += m->error_class == MPI_ERR_BUFFER && block_values(f, COUNT, by, 0) == 0;
  test_request r = good(f), wrong = r;
  m->make(&wrong, by, RANKS, 0);
  if (f == BCAST && r.root == by && !wrong.recv)
    r.root = wrong.root = (by + 1) % RANKS;
  must_say(here.rank == by ? &wrong : &r, m->error_class, m->what, by,
           m->alone && here.rank != by ? "gave a bad" : "",
           wrong.deal && !m->alone ? "disagree on the count" : "");
}

static void wrong_calls(void) {
  for (int i = 0; i < mistake_count; i++)
    for (int f = 0; f < COLLECTIVES; f++)
      if (mistakes[i].fits((collective)f)) {
        test_request r = good((collective)f);
        mistakes[i].make(&r, here.rank, RANKS, 0);
        if (mistakes[i].alone)
          must_fail(&r, mistakes[i].error_class, mistakes[i].what, -1);
        wrong_on_one(&mistakes[i], (collective)f, (i + f) % RANKS);
      }
}

/* Buffers that only the root uses. */
static void wrong_at_root(void) {
  test_request r = good(SCATTER);
  if (here.rank == r.root)
    r.send = NULL;
  must_fail(&r, MPI_ERR_BUFFER, "no sendbuf at the root", r.root);
  for (int f = REDUCE; f <= GATHER; f += GATHER - REDUCE) {
    r = good((collective)f);
    if (here.rank == r.root)
      r.recv = NULL;
    must_fail(&r, MPI_ERR_BUFFER, "no recvbuf at the root", r.root);
    r = good((collective)f);
    if (here.rank == 3)
      r.send = MPI_IN_PLACE;
    must_fail(&r, MPI_ERR_BUFFER, "in place, but not at the root", 3);
  }
  r = good(ALLREDUCE);
  r.recv = send_room;
  must_fail(&r, MPI_ERR_BUFFER, "one buffer for both", -1);
}

/* All have a fill value, and not the same. */
static void other_fills(void) {
  test_request r = good(ALLREDUCE);
  r.options.has_fill = 1;
  r.options.fill = here.rank ? -999 : -998;
  must_say(&r, MPI_ERR_ARG, "other fill values", 0, "disagree on the fill value", "");
}

/* A fill value that is no float: threads that look for the range find it. */
static void fill_beyond_float(void) {
  static float many[1 << 16];
  test_request r = good(BCAST);
  r.recv = many;
  r.count = sizeof many / sizeof *many;
  r.options.bound.kind = GHZ_REL;
  r.options.has_fill = 1;
  r.options.fill = 1e39;
  r.options.threads = 2;
  must_fail(&r, MPI_ERR_ARG, "a fill value beyond float", -1);
}

/* Errors of no communicator go to the handler of the world. */
static void no_communicator(void) {
  listen_to(MPI_COMM_WORLD);
  for (int f = 0; f < COLLECTIVES; f++) {
    test_request r = good((collective)f);
    r.comm = MPI_COMM_NULL;
    must_fail(&r, MPI_ERR_COMM, "no communicator", -1);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* A rank without a type cannot tell whether the call is small: it takes the type for float. */
static void no_type_by_default(void) {
  for (int f = 0; f < COLLECTIVES; f++) {
    test_request r = good((collective)f);
    r.options.algorithm = GHZ_MPI_ALGORITHM_AUTO;
    r.options.mode = GHZ_MPI_MODE_AUTO;
    r.options.threshold = COUNT;
    if (here.rank == f % RANKS)
      r.type = MPI_DATATYPE_NULL;
    must_fail(&r, MPI_ERR_TYPE, "no type, in the usual mode", f % RANKS);
  }
}

/* Two ranks make different mistakes: each is told its own, the others that of the lower rank. */
static void two_mistakes(void) {
  for (int f = 0; f < COLLECTIVES; f++) {
    test_request r = good((collective)f);
    if (here.rank == 1)
      r.count = -1;
    if (here.rank == 3)
      r.type = MPI_DATATYPE_NULL;
    must_say(&r, here.rank == 3 ? MPI_ERR_TYPE : MPI_ERR_COUNT, "a bad count, and on rank 3 a bad type", 1, "",
             here.rank % 2 ? "" : "rank 1 gave a bad count");
  }
}

/* ---- Shapes ---- */
static void other_shapes(void) {
  static const ghz_shape shapes[][2] = {{{2, {1, 30, 100}}, {2, {1, 50, 60}}},
                                        {{3, {10, 10, 30}}, {2, {1, 50, 60}}},
                                        {{3, {10, 10, 30}}, {2, {10, 10, 30}}},
                                        {{1, {1, 1, 3000}}, {3, {10, 15, 20}}}};
  for (int i = 0; i < 4; i++)
    for (int f = 0; f < COLLECTIVES; f++) {
      test_request r = good((collective)f);
      r.options.shape = shapes[i][here.rank == (i + f) % RANKS];
      must_say(&r, MPI_ERR_ARG, "shapes", i, "the ranks disagree", "shape");
    }
  test_request r = good(ALLREDUCE);
  r.options.shape = (ghz_shape){2, {1, 29, 100}};
  must_say(&r, MPI_ERR_ARG, "a shape of fewer values", -1, "2900", "3000");
}

/* ---- Small calls ---- */
/* Averages are ours to make, below the threshold too. */
static void small_average(void) {
  test_request r = good(ALLREDUCE);
  suite_case("a small average");
  r.count = 10;
  r.options.average = 1;
  r.options.algorithm = GHZ_MPI_ALGORITHM_AUTO;
  r.options.mode = GHZ_MPI_MODE_AUTO;
  check(request_make(&r, &r.options) == MPI_SUCCESS, "an error");
  for (int i = 0; i < 10; i++)
    check(fabsf(recv_room[i] - (float)i - (RANKS - 1) / 2.0F) <= 1.001e-3F, "value %d is %g", i,
          (double)recv_room[i]);
}

/* ---- Bounds ---- */
/* One value beyond the lattice, in the first of many pieces: no bound is promised, as all are told
 * who have it. */
static void inexact_at_the_start(void) {
  enum { MANY = 400000 };
  ghz_mpi_report report;
  float *x = calloc(MANY, sizeof *x);
  test_request r = good(ALLREDUCE);
  suite_case("a value beyond the lattice");
  if (!x) {
    check(0, "out of memory");
    return;
  }
  x[5] = 1e30f * (float)(1 + here.rank);
  r.send = MPI_IN_PLACE;
  r.recv = x;
  r.count = MANY;
  r.options.report = &report;
  check(request_make(&r, &r.options) == MPI_SUCCESS, "the call fails");
  check(report.inexact && isinf(report.bound), "inexact is %d, the bound %g", report.inexact, report.bound);
  free(x);
}

/* Three shares of a bound of the result are no more than it, in exact arithmetic. */
static void shares_of_a_bound(void) {
  for (int i = 0; i < 30; i++) {
    ghz_mpi_report report;
    test_request r = good(ALLREDUCE);
    const double bound = 1e-3 * (1 + 0.037 * i);
    suite_case("a bound of the result of %.17g", bound);
    r.options.bound = (ghz_bound){GHZ_ABS, bound};
    r.options.of_result = 1;
    r.options.contributions = here.rank < 3;
    r.options.report = &report;
    check(request_make(&r, &r.options) == MPI_SUCCESS, "the call fails");
    check(fma(3, report.eb, -bound) <= 0, "three times %.17g is more", report.eb);
  }
}

/* ---- Nothing ---- */
/* What nobody contributes to is a sum of nothing; it has no average. */
static void nobody_contributes(void) {
  for (int f = 0; f <= REDUCE_SCATTERV; f++)
    for (int average = 0; average < 2; average++) {
      test_request r = good((collective)f);
      suite_case("%s of nothing, average %d", collective_names[f], average);
      r.options.contributions = 0;
      r.options.average = average;
      r.options.bound.kind = f ? GHZ_REL : GHZ_ABS;
      const int before = heard.count, code = request_make(&r, &r.options),
                receives = f != REDUCE || here.rank == r.root;
      check(average || code == MPI_SUCCESS, "the call returns %d", code);
      check((code != MPI_SUCCESS) == heard.count - before, "the handler was called %d times",
            heard.count - before);
      const int own = (int)block_values((collective)f, COUNT, here.rank, 0);
      for (int i = 0; i < own && receives && code == MPI_SUCCESS; i++)
        if (!check(recv_room[i] == 0 || average, "value %d is %g", i, (double)recv_room[i]))
          break;
      check_still_works();
    }
}

/* ---- Blocks ---- */
/* Without places they follow each other. Each rank has places of its own, or none; complex numbers
 * are counted as such. */
static void without_places(void) {
  for (unsigned parts = 1; parts < 3; parts++) {
    test_request r = good(ALLGATHERV);
    suite_case("blocks without places on some ranks, of numbers of %u parts", parts);
    r.no_places = here.rank % 2;
    r.type = parts > 1 ? MPI_C_FLOAT_COMPLEX : MPI_FLOAT;
    check(request_make(&r, &r.options) == MPI_SUCCESS, "an error");
    for (unsigned b = 0; b < RANKS; b++)
      for (uint64_t i = 0; i < parts * block_values(ALLGATHERV, COUNT, (int)b, 0); i++) {
        const uint64_t place = r.no_places ? block_place(ALLGATHERV, COUNT, (int)b, 0) : b * COUNT;
        const float got = recv_room[parts * place + i];
        check(fabsf(got - (float)(i % 100 + b)) <= 1.001e-3F, "value %d of block %u is %g", (int)i, b,
              (double)got);
      }
  }
}

/* ---- Handlers ---- */
/* MPI_ERRORS_RETURN just returns. */
static void errors_return(void) {
  MPI_Comm quiet;
  MPI_Comm_dup(MPI_COMM_WORLD, &quiet);
  MPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
  for (int round = 0; round < 300; round++) { /* codes are a resource */
    test_request r = good((collective)(round % COLLECTIVES));
    suite_case("MPI_ERRORS_RETURN, round %d", round);
    r.comm = quiet;
    r.count = here.rank == round % RANKS ? round : round + 1;
    int code = request_make(&r, &r.options);
    check(code != MPI_SUCCESS && ghz_mpi_error_class(code) == MPI_ERR_ARG, "the call returns %d", code);
  }
  MPI_Comm_free(&quiet);
}

/* ---- Complex numbers ---- */
/* A minimum has no meaning: MPI says so. */
static void minimum_of_complex(void) {
  test_request r = good(ALLREDUCE);
  suite_case("the minimum of complex numbers");
  r.options.algorithm = GHZ_MPI_ALGORITHM_AUTO;
  r.options.mode = GHZ_MPI_MODE_AUTO;
  r.type = MPI_C_FLOAT_COMPLEX;
  r.count = COUNT / 2;
  r.op = MPI_MIN;
  const int code = request_make(&r, &r.options);
  check(ghz_mpi_error_class(code) == MPI_ERR_OP, "class %d", ghz_mpi_error_class(code));
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  if (!check(here.ranks == RANKS, "this test is for %d ranks", RANKS))
    return suite_end(NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  listen_to(comm);
  check_still_works();
  wrong_calls();
  wrong_at_root();
  no_type_by_default();
  no_communicator();
  two_mistakes();
  other_fills();
  fill_beyond_float();
  other_shapes();
  small_average();
  inexact_at_the_start();
  shares_of_a_bound();
  nobody_contributes();
  without_places();
  minimum_of_complex();
  errors_return();
  MPI_Comm_free(&comm);
  return suite_end(NULL);
}
