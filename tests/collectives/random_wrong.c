/* random_wrong.c: arguments that are wrong, or not those of the other ranks, and the error that must come of it. */
#include "random_args.h"
#include "raw_call.h"
#include "suite.h"

#include <math.h>
#include <string.h>

enum mistake {
  /* other than the rest */
  LESS,
  MORE,
  NOTHING,
  OTHER_TYPE,
  INTEGER_TYPE,
  OTHER_OP,
  PRODUCTS,
  AVERAGES,
  OTHER_ROOT,
  OTHER_BOUND,
  BOUND_LEFT_OUT,
  OTHER_KIND,
  OF_RESULT,
  OTHER_ALGORITHM,
  OTHER_MODE,
  KEPT_ROOT,
  OTHER_CALL,
  /* wrong in itself */
  NEGATIVE_COUNT,
  ROOT_BEYOND,
  ROOT_BELOW,
  NO_TYPE,
  NO_BUFFER,
  BOUND_NAN,
  OLD_OPTIONS,
  NO_ALGORITHM,
  NO_MODE,
  NEGATIVE_THREADS,
  MISTAKES
};

static const char *const mistake_names[MISTAKES] = {"a lower count",
                                                    "a higher count",
                                                    "count 0",
                                                    "another type",
                                                    "integers",
                                                    "another operation",
                                                    "a product",
                                                    "an average",
                                                    "another root",
                                                    "another bound",
                                                    "no bound",
                                                    "another kind of bound",
                                                    "a bound of the result",
                                                    "another algorithm",
                                                    "another mode",
                                                    "keep_root",
                                                    "another call",
                                                    "count -1",
                                                    "a root beyond",
                                                    "root -1",
                                                    "no type",
                                                    "no buffer",
                                                    "bound NaN",
                                                    "old options",
                                                    "algorithm 99",
                                                    "mode 99",
                                                    "threads -1"};

static int fits(enum mistake m, const raw_call *r, const test_comm *on) {
  int rooted = is_rooted(r->what);
  if (m < NEGATIVE_COUNT && on->ranks == 1)
    return 0; /* nobody to differ from */
  if (m == OTHER_OP || m == PRODUCTS || m == AVERAGES)
    return reduces(r->what);
  return rooted || (m != OTHER_ROOT && m != ROOT_BEYOND && m != ROOT_BELOW);
}

/* Gives no buffer where one is used. */
static void lose_buffer(raw_call *r, const test_comm *on) {
  if (r->what == BCAST || r->what == ALLGATHER || (r->what == SCATTER && on->rank != r->root))
    r->recv = NULL;
  else
    r->send = NULL;
}

static void other_way(raw_call *r) {
  ghz_mpi_algorithm was = r->options.algorithm;
  for (int a = GHZ_MPI_NATIVE; a <= GHZ_MPI_LINEAR && r->options.algorithm == was; a++)
    if (a != (int)was && (a == GHZ_MPI_NATIVE || has_algorithm(r->what, (ghz_mpi_algorithm)a)))
      r->options.algorithm = (ghz_mpi_algorithm)a;
}

/* Other than the rest. */
static void disagree(enum mistake m, raw_call *r, const test_comm *on, uint64_t dice) {
  ghz_mpi_options *o = &r->options;
  switch (m) {
  case LESS:
    r->count -= 1 + (MPI_Count)(dice % (uint64_t)r->count);
    break;
  case MORE:
    r->count += 1 + (MPI_Count)(dice % 100000);
    break;
  case NOTHING:
    r->count = 0;
    break;
  case OTHER_TYPE:
    r->type = r->type == MPI_DOUBLE ? MPI_FLOAT : MPI_DOUBLE;
    break;
  case INTEGER_TYPE:
    r->type = r->type == MPI_DOUBLE ? MPI_INT64_T : MPI_INT;
    break;
  case OTHER_OP:
    r->op = r->op == MPI_MAX ? MPI_MIN : MPI_MAX;
    break;
  case PRODUCTS:
    r->op = MPI_PROD;
    break;
  case AVERAGES:
    o->average = !o->average;
    break;
  case OTHER_ROOT:
    r->root = (r->root + 1 + (int)(dice % (uint64_t)(on->ranks - 1))) % on->ranks;
    break;
  case OTHER_BOUND:
    o->bound.value = nextafter(o->bound.value, dice % 2 ? 1 : 0);
    break;
  case BOUND_LEFT_OUT:
    o->bound.value = 0;
    break;
  case OTHER_KIND:
    o->bound.kind = (ghz_bound_kind)((o->bound.kind + 1 + dice % 2) % 3);
    break;
  case OF_RESULT:
    o->of_result = !o->of_result;
    break;
  case OTHER_ALGORITHM:
    other_way(r);
    break;
  case OTHER_MODE:
    o->mode = (ghz_mpi_mode)((o->mode + 1 + dice % GHZ_MPI_PLAIN) % (GHZ_MPI_PLAIN + 1));
    break;
  case KEPT_ROOT:
    o->keep_root = 1;
    break;
  default:
    r->what = (collective)((r->what + 1 + dice % (COLLECTIVES - 1)) % COLLECTIVES);
  }
}

/* Wrong in itself. Returns the class of the error. */
static int spoil(enum mistake m, raw_call *r, const test_comm *on) {
  ghz_mpi_options *o = &r->options;
  switch (m) {
  case NEGATIVE_COUNT:
    r->count = -1;
    return MPI_ERR_COUNT;
  case ROOT_BEYOND:
    r->root = on->ranks;
    return MPI_ERR_ROOT;
  case ROOT_BELOW:
    r->root = -1;
    return MPI_ERR_ROOT;
  case NO_TYPE:
    r->type = MPI_DATATYPE_NULL;
    return MPI_ERR_TYPE;
  case NO_BUFFER:
    lose_buffer(r, on);
    return MPI_ERR_BUFFER;
  case BOUND_NAN:
    o->bound.value = NAN;
    break;
  case OLD_OPTIONS:
    o->size -= sizeof o->report;
    break;
  case NO_ALGORITHM:
    o->algorithm = (ghz_mpi_algorithm)99;
    break;
  case NO_MODE:
    o->mode = (ghz_mpi_mode)99;
    break;
  default:
    o->threads = -1;
  }
  return MPI_ERR_ARG;
}

/* The class that the mistake must have on every rank. Makes it here, if this rank is among those who do. */
static int make_mistake(enum mistake m, raw_call *r, const test_comm *on, int here_too, uint64_t dice) {
  raw_call elsewhere = *r;
  if (m >= NEGATIVE_COUNT)
    return spoil(m, here_too ? r : &elsewhere, on);
  if (here_too)
    disagree(m, r, on, dice);
  return MPI_ERR_ARG;
}

static void check_error(const raw_call *r, int code, int want, int complaints) {
  static const char *const names[COLLECTIVES] = {"ghz_allreduce", "ghz_reduce", "ghz_reduce_scatter",
                                                 "ghz_allgather", "ghz_bcast",  "ghz_scatter",
                                                 "ghz_gather"};
  char sentence[MPI_MAX_ERROR_STRING] = "";
  int length, class = ghz_mpi_error_class(code);
  check(all_same((uint64_t)(code != MPI_SUCCESS ? class : 0), r->comm), "ranks have different errors");
  if (!check(code != MPI_SUCCESS, "the call succeeds"))
    return;
  MPI_Error_string(code, sentence, &length);
  check(class == want, "the class is %d, should be %d: %s", class, want, sentence);
  check(comms_errors == complaints + 1 && comms_error == code,
        "the handler was called %d times, with %d; the call returns %d", comms_errors - complaints, comms_error,
        code);
  check(strstr(sentence, names[r->what]) != NULL, "the sentence is: %s", sentence);
}

void args_wrong(const test_comm *on, uint64_t seed, const char *where) {
  uint64_t state = seed, *d = &state, dice;
  raw_call r = raw_call_draw(on, d);
  enum mistake m;
  do
    m = (enum mistake)draw_below(d, MISTAKES);
  while (!fits(m, &r, on));
  dice = draw(d);
  int here_too = raw_call_is_among(on, dice), complaints = comms_errors;
  suite_case("%swrong: %s: %s by %s, %s of %lld, root %d; %s", where, mistake_names[m],
             collective_names[r.what], ghz_mpi_algorithm_name(r.options.algorithm),
             ghz_mpi_mode_name(r.options.mode), (long long)r.count, r.root, here_too ? "here" : "elsewhere");
  raw_call_prepare(&r, on, seed);
  uint64_t before = hash_bytes(r.sent.data, r.sent.size);
  int want = make_mistake(m, &r, on, here_too, dice >> 1);
  int code = raw_call_call(&r, &r.options);
  check_error(&r, code, want, complaints);
  check(hash_bytes(r.sent.data, r.sent.size) == before, "sendbuf has changed");
  raw_call_free(&r);
}
