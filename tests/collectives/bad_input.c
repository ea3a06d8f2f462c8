/* bad_input.c: wrong arguments, and ranks that disagree: an error on every rank, through the error handler, with a sentence that
 * names the call; and the communicator is as good as before. What the library does not do goes to MPI. */
#include "suite.h"

#include <ghz_mpi.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 3000, RANKS = 4, ROOM = COUNT * RANKS };

typedef enum function {
  F_ALLREDUCE,
  F_REDUCE,
  F_REDUCE_SCATTER,
  F_ALLGATHER,
  F_BCAST,
  F_SCATTER,
  F_GATHER,
  FUNCTIONS
} function;

static const char *const names[FUNCTIONS] = {"ghz_allreduce", "ghz_reduce", "ghz_reduce_scatter",
                                             "ghz_allgather", "ghz_bcast",  "ghz_scatter",
                                             "ghz_gather"};

/* The arguments of a call. */
typedef struct raw_call {
  function f;
  const void *send;
  void *recv;
  MPI_Count count;
  MPI_Datatype type;
  MPI_Op op;
  int root;
  MPI_Comm comm;
  ghz_mpi_options options;
} raw_call;

static float send_room[2 * ROOM], recv_room[2 * ROOM];
static double double_room[2][ROOM];
static MPI_Comm comm; /* with a handler that counts */
static int handled, handled_code;
static MPI_Comm handled_comm;

static void handler(MPI_Comm *of, int *code, ...) {
  handled++;
  handled_code = *code;
  handled_comm = *of;
}

static int make_call(const raw_call *r) {
  switch (r->f) {
  case F_ALLREDUCE:
    return ghz_allreduce(r->send, r->recv, r->count, r->type, r->op, r->comm, &r->options);
  case F_REDUCE:
    return ghz_reduce(r->send, r->recv, r->count, r->type, r->op, r->root, r->comm, &r->options);
  case F_REDUCE_SCATTER:
    return ghz_reduce_scatter(r->send, r->recv, r->count, r->type, r->op, r->comm, &r->options);
  case F_ALLGATHER:
    return ghz_allgather(r->send, r->recv, r->count, r->type, r->comm, &r->options);
  case F_BCAST:
    return ghz_bcast(r->recv, r->count, r->type, r->root, r->comm, &r->options);
  case F_SCATTER:
    return ghz_scatter(r->send, r->recv, r->count, r->type, r->root, r->comm, &r->options);
  default:
    return ghz_gather(r->send, r->recv, r->count, r->type, r->root, r->comm, &r->options);
  }
}

static int has_root(function f) {
  return f == F_REDUCE || f >= F_BCAST;
}

static int has_op(function f) {
  return f <= F_REDUCE_SCATTER;
}

static raw_call good(function f) {
  raw_call r = {f, send_room, recv_room, COUNT, MPI_FLOAT, MPI_SUM, 1, comm, GHZ_MPI_OPTIONS};
  r.options.bound = (ghz_bound){GHZ_ABS, 1e-3};
  r.options.algorithm = f <= F_ALLGATHER ? GHZ_MPI_RING : GHZ_MPI_TREE;
  r.options.mode = GHZ_MPI_HOMOMORPHIC;
  for (int i = 0; i < ROOM; i++)
    send_room[i] = recv_room[i] = (float)(i % 100 + here.rank);
  return r;
}

/* ---- What must happen -------------------------------------------------------------------------------- */

static void check_still_works(void) {
  raw_call r = good(F_ALLREDUCE);
  handled = 0;
  int code = make_call(&r);
  check(code == MPI_SUCCESS && handled == 0, "afterwards, a good call returns %d", code);
  for (int i = 0; i < COUNT && code == MPI_SUCCESS; i++) {
    float want = (float)(RANKS * (i % 100) + RANKS * (RANKS - 1) / 2);
    if (!check(fabsf(recv_room[i] - want) <= 4.001e-3f, "afterwards, value %d is %g, should be %g", i,
               (double)recv_room[i], (double)want))
      return;
  }
}

static void check_error(const raw_call *r, int code, int want_class) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0, standard = 0;
  if (!check(code != MPI_SUCCESS, "the call succeeds"))
    return;
  check(handled == 1 && handled_code == code, "the handler was called %d times, with %d; the call returns %d",
        handled, handled_code, code);
  check(handled_comm == (r->comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm),
        "the handler got another communicator");
  MPI_Error_string(code, text, &length);
  check(strstr(text, names[r->f]) != NULL, "the sentence is: %s", text);
  check(ghz_mpi_error_class(code) == want_class, "the class is %d, should be %d: %s", ghz_mpi_error_class(code),
        want_class, text);
  MPI_Error_class(code, &standard); /* with some MPIs a class of the library's own */
  check(standard != MPI_SUCCESS, "MPI's class is that of success");
}

/* Makes the call; all ranks must get an error of a class. */
static void must_fail(const raw_call *r, int want_class, const char *what, int by) {
  suite_case("%s: %s, by rank %d", names[r->f], what, by);
  handled = 0;
  check_error(r, make_call(r), want_class);
  check_still_works();
}

/* ---- What can be wrong with one call ----------------------------------------------------------------- */

typedef struct mistake {
  const char *what;
  int error_class;
  int (*fits)(function f);
  void (*make)(raw_call *r);
} mistake;

static int fits_all(function f) {
  return f < FUNCTIONS;
}
static int has_send(function f) {
  return f != F_BCAST && f != F_SCATTER;
}
static int has_recv(function f) {
  return f != F_REDUCE && f != F_GATHER;
}
static int has_op_everywhere(function f) {
  return has_op(f) && f != F_REDUCE;
}
static int moves(function f) {
  return !has_op(f);
}

static void root_below(raw_call *r) {
  r->root = -1;
}
static void root_beyond(raw_call *r) {
  r->root = RANKS;
}
static void root_far(raw_call *r) {
  r->root = INT_MAX;
}
static void negative_count(raw_call *r) {
  r->count = -1;
}
static void least_count(raw_call *r) {
  r->count = sizeof(MPI_Count) == 8 ? (MPI_Count)INT64_MIN : INT_MIN;
}
static void most_count(raw_call *r) {
  r->count = sizeof(MPI_Count) == 8 ? (MPI_Count)INT64_MAX : INT_MAX;
}
static void no_type(raw_call *r) {
  r->type = MPI_DATATYPE_NULL;
}
static void no_send(raw_call *r) {
  r->send = NULL;
}
static void no_recv(raw_call *r) {
  r->recv = NULL;
}
static void nan_bound(raw_call *r) {
  r->options.bound.value = NAN;
}
static void negative_bound(raw_call *r) {
  r->options.bound.value = -1e-3;
}
static void infinite_bound(raw_call *r) {
  r->options.bound.value = INFINITY;
}
static void unknown_bound(raw_call *r) {
  r->options.bound.kind = (ghz_bound_kind)77;
}
static void unknown_algorithm(raw_call *r) {
  r->options.algorithm = (ghz_mpi_algorithm)99;
}
static void negative_algorithm(raw_call *r) {
  r->options.algorithm = (ghz_mpi_algorithm)-1;
}
static void foreign_algorithm(raw_call *r) {
  r->options.algorithm = r->f == F_ALLREDUCE   ? GHZ_MPI_TREE
                         : r->f <= F_ALLGATHER ? GHZ_MPI_CHAIN
                         : r->f == F_BCAST     ? GHZ_MPI_LINEAR
                                               : GHZ_MPI_CHAIN;
}
static void unknown_mode(raw_call *r) {
  r->options.mode = (ghz_mpi_mode)99;
}
static void wrong_size(raw_call *r) {
  r->options.size = 8;
}
static void no_size(raw_call *r) {
  r->options.size = 0;
}
static void negative_contributions(raw_call *r) {
  r->options.contributions = -1;
}
static void two_contributions(raw_call *r) {
  r->options.contributions = 2;
}
static void two_in_place(raw_call *r) {
  r->options.contributions = 2;
  r->send = MPI_IN_PLACE;
}
static void two_uncompressed(raw_call *r) {
  r->options.contributions = 2;
  r->options.mode = GHZ_MPI_PLAIN;
}
static void nothing_to_compare(raw_call *r) {
  r->options.contributions = 0;
  r->op = MPI_MAX;
}
static void average_of_maxima(raw_call *r) {
  r->options.average = 1;
  r->op = MPI_MAX;
}
static void average_of_moves(raw_call *r) {
  r->options.average = 1;
}
static void negative_threads(raw_call *r) {
  r->options.threads = -1;
}

/* Where MPI_IN_PLACE says that the result is to go nowhere. */
static void recv_in_place(raw_call *r) {
  r->recv = MPI_IN_PLACE;
}
static int has_result_everywhere(function f) {
  return f == F_ALLREDUCE || f == F_REDUCE_SCATTER || f == F_ALLGATHER || f == F_BCAST;
}
/* What MPI has to do, but cannot count. */
static void huge_product(raw_call *r) {
  r->count = (MPI_Count)INT_MAX + 8;
  r->op = MPI_PROD;
}
static void huge_without_bound(raw_call *r) {
  r->count = (MPI_Count)INT_MAX + 8;
  r->options.bound.value = 0;
}

/* More than 62-bit integers can sum, all together. */
static void too_many_contributions(raw_call *r) {
  r->options.contributions = 1 << 23;
}

static const mistake mistakes[] = {
    {"2^23 contributions", MPI_ERR_ARG, has_op, too_many_contributions},
    {"the result in place", MPI_ERR_BUFFER, has_result_everywhere, recv_in_place},
    {"2^31 + 7 products", MPI_ERR_COUNT, has_op, huge_product},
    {"2^31 + 7 values without a bound", MPI_ERR_COUNT, fits_all, huge_without_bound},
    {"root -1", MPI_ERR_ROOT, has_root, root_below},
    {"root = ranks", MPI_ERR_ROOT, has_root, root_beyond},
    {"root INT_MAX", MPI_ERR_ROOT, has_root, root_far},
    {"count -1", MPI_ERR_COUNT, fits_all, negative_count},
    {"least count", MPI_ERR_COUNT, fits_all, least_count},
    {"most count", MPI_ERR_COUNT, fits_all, most_count},
    {"no type", MPI_ERR_TYPE, fits_all, no_type},
    {"no sendbuf", MPI_ERR_BUFFER, has_send, no_send},
    {"no recvbuf", MPI_ERR_BUFFER, has_recv, no_recv},
    {"bound NaN", MPI_ERR_ARG, fits_all, nan_bound},
    {"bound -1e-3", MPI_ERR_ARG, fits_all, negative_bound},
    {"bound infinite", MPI_ERR_ARG, fits_all, infinite_bound},
    {"bound of no kind", MPI_ERR_ARG, fits_all, unknown_bound},
    {"algorithm 99", MPI_ERR_ARG, fits_all, unknown_algorithm},
    {"algorithm -1", MPI_ERR_ARG, fits_all, negative_algorithm},
    {"an algorithm of others", MPI_ERR_ARG, fits_all, foreign_algorithm},
    {"mode 99", MPI_ERR_ARG, fits_all, unknown_mode},
    {"options.size 8", MPI_ERR_ARG, fits_all, wrong_size},
    {"options.size 0", MPI_ERR_ARG, fits_all, no_size},
    {"contributions -1", MPI_ERR_ARG, fits_all, negative_contributions},
    {"contributions of what moves", MPI_ERR_ARG, moves, two_contributions},
    {"contributions in place", MPI_ERR_ARG, has_op_everywhere, two_in_place},
    {"contributions uncompressed", MPI_ERR_ARG, has_op, two_uncompressed},
    {"the maximum of nothing", MPI_ERR_ARG, has_op, nothing_to_compare},
    {"the average of maxima", MPI_ERR_ARG, has_op, average_of_maxima},
    {"the average of what moves", MPI_ERR_ARG, moves, average_of_moves},
    {"threads -1", MPI_ERR_ARG, fits_all, negative_threads},
};

/* A buffer that is used at the root only must be missing there. */
static void wrong_on_one(const mistake *m, function f, int by) {
  raw_call r = good(f);
  if (f == F_BCAST && r.root == by && m->make == no_recv)
    r.root = (by + 1) % RANKS;
  if (here.rank == by)
    m->make(&r);
  must_fail(&r, m->error_class, m->what, by);
}

static void wrong_calls(void) {
  for (unsigned i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    for (int f = 0; f < FUNCTIONS; f++)
      if (mistakes[i].fits((function)f)) {
        raw_call r = good((function)f);
        mistakes[i].make(&r);
        must_fail(&r, mistakes[i].error_class, mistakes[i].what, -1);
        wrong_on_one(&mistakes[i], (function)f, (int)(i + (unsigned)f) % RANKS);
      }
}

/* Buffers that only the root uses. */
static void wrong_at_root(void) {
  raw_call r = good(F_SCATTER);
  if (here.rank == r.root)
    r.send = NULL;
  must_fail(&r, MPI_ERR_BUFFER, "no sendbuf at the root", r.root);
  for (int f = F_REDUCE; f <= F_GATHER; f += F_GATHER - F_REDUCE) {
    r = good((function)f);
    if (here.rank == r.root)
      r.recv = NULL;
    must_fail(&r, MPI_ERR_BUFFER, "no recvbuf at the root", r.root);
    r = good((function)f);
    if (here.rank == 3)
      r.send = MPI_IN_PLACE;
    must_fail(&r, MPI_ERR_BUFFER, "in place, but not at the root", 3);
  }
  r = good(F_ALLREDUCE);
  r.recv = send_room;
  must_fail(&r, MPI_ERR_BUFFER, "one buffer for both", -1);
}

/* Errors of no communicator go to the handler of the world. */
static void no_communicator(void) {
  MPI_Errhandler counting;
  MPI_Comm_get_errhandler(comm, &counting);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
  for (int f = 0; f < FUNCTIONS; f++) {
    raw_call r = good((function)f);
    r.comm = MPI_COMM_NULL;
    must_fail(&r, MPI_ERR_COMM, "no communicator", -1);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&counting);
}

/* ---- Ranks that disagree ----------------------------------------------------------------------------- */

static void other_count(raw_call *r) {
  r->count = COUNT - 1;
}
static void no_count(raw_call *r) {
  r->count = 0;
}
static void other_type(raw_call *r) {
  r->type = MPI_DOUBLE;
  r->send = double_room[0];
  r->recv = double_room[1];
}
static void integers(raw_call *r) {
  r->type = MPI_INT;
}
static void other_op(raw_call *r) {
  r->op = MPI_MAX;
}
static void product(raw_call *r) {
  r->op = MPI_PROD;
}
static void an_average(raw_call *r) {
  r->options.average = 1;
}
static void other_root(raw_call *r) {
  r->root = 2;
}
static void other_bound(raw_call *r) {
  r->options.bound.value = 1.0000000000000002e-3;
}
static void no_bound(raw_call *r) {
  r->options.bound.value = 0;
}
static void other_kind(raw_call *r) {
  r->options.bound.kind = GHZ_REL;
}
static void bound_of_result(raw_call *r) {
  r->options.of_result = 1;
}
static void other_algorithm(raw_call *r) {
  r->options.algorithm = r->f == F_ALLREDUCE ? GHZ_MPI_DOUBLING
                         : r->f == F_REDUCE  ? GHZ_MPI_TREE
                         : r->f == F_BCAST   ? GHZ_MPI_CHAIN
                         : r->f > F_BCAST    ? GHZ_MPI_LINEAR
                                             : GHZ_MPI_ALGORITHM_AUTO;
}
/* Algorithm and mode together are as before, number by number: 2 and 1, 3 and 0. */
static void swapped_numbers(raw_call *r) {
  r->options.algorithm = (ghz_mpi_algorithm)((int)r->options.algorithm ^ 1);
  r->options.mode = GHZ_MPI_MODE_AUTO;
}
static void other_mode(raw_call *r) {
  r->options.mode = GHZ_MPI_PLAIN;
}
static int is_allreduce(function f) {
  return f == F_ALLREDUCE;
}
static void kept_root(raw_call *r) {
  r->options.keep_root = 1;
}
static void other_call(raw_call *r) {
  r->f = r->f == F_GATHER ? F_ALLREDUCE : (function)(r->f + 1);
  r->options.algorithm = r->f <= F_ALLGATHER ? GHZ_MPI_RING : GHZ_MPI_TREE;
}

static int is_bcast(function f) {
  return f == F_BCAST;
}

static const mistake disagreements[] = {
    {"another count", MPI_ERR_ARG, fits_all, other_count},
    {"count 0", MPI_ERR_ARG, fits_all, no_count},
    {"doubles", MPI_ERR_ARG, fits_all, other_type},
    {"integers", MPI_ERR_ARG, fits_all, integers},
    {"another operation", MPI_ERR_ARG, has_op, other_op},
    {"a product", MPI_ERR_ARG, has_op, product},
    {"an average", MPI_ERR_ARG, has_op, an_average},
    {"another root", MPI_ERR_ARG, has_root, other_root},
    {"another bound", MPI_ERR_ARG, fits_all, other_bound},
    {"no bound", MPI_ERR_ARG, fits_all, no_bound},
    {"a relative bound", MPI_ERR_ARG, fits_all, other_kind},
    {"a bound of the result", MPI_ERR_ARG, fits_all, bound_of_result},
    {"another algorithm", MPI_ERR_ARG, fits_all, other_algorithm},
    {"another mode", MPI_ERR_ARG, fits_all, other_mode},
    {"another algorithm and mode", MPI_ERR_ARG, is_allreduce, swapped_numbers},
    {"keep_root", MPI_ERR_ARG, is_bcast, kept_root},
    {"another call", MPI_ERR_ARG, fits_all, other_call},
};

static void disagree(void) {
  for (unsigned i = 0; i < sizeof disagreements / sizeof *disagreements; i++)
    for (int f = 0; f < FUNCTIONS; f++)
      if (disagreements[i].fits((function)f)) {
        int by = (int)(i + (unsigned)f) % RANKS;
        raw_call r = good((function)f);
        if (here.rank == by)
          disagreements[i].make(&r);
        must_fail(&r, disagreements[i].error_class, disagreements[i].what, by);
      }
}

/* Half of the ranks call one thing, half another. */
static void two_camps(void) {
  for (int f = 0; f + 1 < FUNCTIONS; f++) {
    raw_call r = good((function)f);
    if (here.rank % 2)
      other_call(&r);
    must_fail(&r, MPI_ERR_ARG, "the odd ranks make another call", 1);
  }
}

/* ---- What is left to MPI ----------------------------------------------------------------------------- */

static void multiply_add(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; i++)
    ((float *)inout)[i] = ((float *)inout)[i] * 0.5f + ((float *)in)[i] * 0.5f;
}

/* Count values of a type by both libraries: the bits must be the same. */
static void like_mpi(const void *send, int count, MPI_Datatype type, size_t size, MPI_Op op, const char *what) {
  static char ours[8 * ROOM], theirs[8 * ROOM];
  ghz_mpi_report report;
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_ABS, 1e-3};
  o.threshold = 0;
  o.report = &report;
  suite_case("left to MPI: %s", what);
  handled = 0;
  memset(&report, 0xee, sizeof report);
  int code = ghz_allreduce(send, ours, count, type, op, comm, &o);
  MPI_Allreduce(send, theirs, count, type, op, comm);
  check(code == MPI_SUCCESS && handled == 0, "the call returns %d", code);
  check(memcmp(ours, theirs, size) == 0, "the result is not MPI's");
  check(report.algorithm == GHZ_MPI_NATIVE && report.mode == GHZ_MPI_PLAIN && report.sent_bytes == 0 &&
            report.eb == 0,
        "the report says %s", ghz_mpi_algorithm_name(report.algorithm));
}

static void left_to_mpi(void) {
  static int integers_room[COUNT];
  static float products[COUNT];
  static long double wide[100];
  MPI_Op own;
  for (int i = 0; i < COUNT; i++) {
    integers_room[i] = i * (here.rank + 1);
    products[i] = 1 + (float)((i + here.rank) % 7) / 8;
  }
  for (int i = 0; i < 100; i++)
    wide[i] = (long double)(i + here.rank);
  like_mpi(integers_room, COUNT, MPI_INT, sizeof integers_room, MPI_SUM, "integers");
  like_mpi(integers_room, COUNT, MPI_INT, sizeof integers_room, MPI_BXOR, "bits");
  like_mpi(products, COUNT, MPI_FLOAT, sizeof products, MPI_PROD, "a product");
  like_mpi(wide, 100, MPI_LONG_DOUBLE, 0, MPI_SUM, "long doubles");
  MPI_Op_create(multiply_add, 1, &own);
  like_mpi(products, COUNT, MPI_FLOAT, sizeof products, own, "an operation of the user's");
  MPI_Op_free(&own);
}

/* A derived type is moved as a whole; a bound of 0 asks for nothing to be compressed. */
static void moved_by_mpi(void) {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_FLOAT, &pair);
  MPI_Type_commit(&pair);
  for (int bound = 0; bound < 2; bound++) {
    raw_call r = good(F_BCAST);
    ghz_mpi_report report;
    suite_case("left to MPI: %s", bound ? "a derived type" : "no bound");
    r.type = bound ? pair : MPI_FLOAT;
    r.options = (ghz_mpi_options)GHZ_MPI_OPTIONS;
    r.options.bound = (ghz_bound){GHZ_ABS, bound};
    r.options.threshold = 0;
    r.options.report = &report;
    for (int i = 0; i < 2 * COUNT; i++)
      recv_room[i] = here.rank == r.root ? (float)i * 0.3f : -1;
    int code = make_call(&r);
    check(code == MPI_SUCCESS && report.algorithm == GHZ_MPI_NATIVE, "the call returns %d", code);
    for (int i = 0; i < (bound ? 2 : 1) * COUNT; i++)
      if (!check(recv_room[i] == (float)i * 0.3f, "value %d is %g", i, (double)recv_room[i]))
        break;
  }
  MPI_Type_free(&pair);
}

/* ---- NaN --------------------------------------------------------------------------------------------- */

/* NaN that one rank has comes out where it went in, and nowhere else. */
static void nan_on_one_rank(void) {
  for (int f = 0; f < FUNCTIONS; f++) {
    raw_call r = good((function)f);
    suite_case("%s: NaN on one rank", names[f]);
    for (int i = 0; i < ROOM; i++)
      if (here.rank == r.root && i % 50 == 7)
        send_room[i] = recv_room[i] = NAN;
    if (f == F_ALLREDUCE || f == F_REDUCE_SCATTER || f == F_ALLGATHER || f == F_BCAST)
      check(make_call(&r) == MPI_SUCCESS, "the call fails");
    else {
      check(make_call(&r) == MPI_SUCCESS, "the call fails");
      if (f != F_SCATTER && here.rank != r.root)
        continue;
    }
    int values = f == F_ALLGATHER || f == F_GATHER ? ROOM : COUNT;
    for (int i = 0; i < values; i++) {
      int block = i / COUNT, at = f == F_REDUCE_SCATTER || f == F_SCATTER ? here.rank * COUNT + i : i % COUNT;
      int want = at % 50 == 7 && (values == COUNT || block == r.root);
      if (!check(!isnan(recv_room[i]) == !want, "value %d is %g", i, (double)recv_room[i]))
        break;
    }
  }
}

/* ---- Nothing ----------------------------------------------------------------------------------------- */

/* What nobody contributes to is a sum of nothing; it has no average. */
static void nobody_contributes(void) {
  for (int f = 0; f <= F_REDUCE_SCATTER; f++)
    for (int average = 0; average < 2; average++) {
      raw_call r = good((function)f);
      suite_case("%s of nothing, average %d", names[f], average);
      r.options.contributions = 0;
      r.options.average = average;
      r.options.bound.kind = f ? GHZ_REL : GHZ_ABS;
      handled = 0;
      int code = make_call(&r), receives = f != F_REDUCE || here.rank == r.root;
      check(average || code == MPI_SUCCESS, "the call returns %d", code);
      check((code != MPI_SUCCESS) == handled, "the handler was called %d times", handled);
      for (int i = 0; i < COUNT && receives && code == MPI_SUCCESS; i++)
        if (!check(recv_room[i] == 0 || average, "value %d is %g", i, (double)recv_room[i]))
          break;
      check_still_works();
    }
}

/* ---- Handlers ---------------------------------------------------------------------------------------- */

/* MPI_ERRORS_RETURN just returns. */
static void errors_return(void) {
  MPI_Comm quiet;
  MPI_Comm_dup(MPI_COMM_WORLD, &quiet);
  MPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
  for (int round = 0; round < 300; round++) { /* codes are a resource */
    raw_call r = good((function)(round % FUNCTIONS));
    suite_case("MPI_ERRORS_RETURN, round %d", round);
    r.comm = quiet;
    r.count = here.rank == round % RANKS ? round : round + 1;
    int code = make_call(&r);
    check(code != MPI_SUCCESS && ghz_mpi_error_class(code) == MPI_ERR_ARG, "the call returns %d", code);
  }
  MPI_Comm_free(&quiet);
}

int main(int argc, char **argv) {
  MPI_Errhandler counting;
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  if (!check(here.ranks == RANKS, "this test is for %d ranks", RANKS))
    return suite_end(NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(handler, &counting);
  MPI_Comm_set_errhandler(comm, counting);
  MPI_Errhandler_free(&counting);
  check_still_works();
  wrong_calls();
  wrong_at_root();
  no_communicator();
  disagree();
  two_camps();
  left_to_mpi();
  moved_by_mpi();
  nan_on_one_rank();
  nobody_contributes();
  errors_return();
  MPI_Comm_free(&comm);
  return suite_end(NULL);
}
