/* mistakes.c: what can be wrong with a call, and the error of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "mistakes.h"
#include "suite.h"
#include <limits.h>
#include <math.h>

/* ---- Which calls a mistake fits ---- */
static int any(collective what) { return what < COLLECTIVES; }
static int moves(collective what) { return !reduces(what); }
static int is_allreduce(collective what) { return what == ALLREDUCE; }
static int has_send(collective what) { return what != BCAST && what != SCATTER; }
static int has_recv(collective what) { return what != REDUCE && what != GATHER; }
static int has_result_everywhere(collective what) {
  return what != REDUCE && what != SCATTER && what != GATHER;
}
static int reduces_everywhere(collective what) { return reduces(what) && what != REDUCE; }

static int has_places(collective what) { return what == ALLGATHERV; }

/* ---- Changes that take more than a line ---- */
/* Gives no buffer where one is used. */
static void lose_buffer(test_request *r, int rank) {
  if (r->what == BCAST || gathers_all(r->what) || (r->what == SCATTER && rank != r->root))
    r->recv = NULL;
  else
    r->send = NULL;
}

static void other_way(test_request *r) {
  ghz_mpi_algorithm was = r->options.algorithm;
  for (int a = GHZ_MPI_NATIVE; a <= GHZ_MPI_LINEAR && r->options.algorithm == was; a++)
    if (a != (int)was && (a == GHZ_MPI_NATIVE || has_algorithm(r->what, (ghz_mpi_algorithm)a)))
      r->options.algorithm = (ghz_mpi_algorithm)a;
}

/* ---- The table ---- */
#define DIFFERS(name, what, fits, ...) MISTAKE(name, what, MPI_ERR_ARG, 0, 1, fits, __VA_ARGS__)
#define DIFFERS_HERE(name, what, fits, ...) MISTAKE(name, what, MPI_ERR_ARG, 0, 0, fits, __VA_ARGS__)
#define WRONG(name, what, error_class, fits, ...) MISTAKE(name, what, error_class, 1, 1, fits, __VA_ARGS__)
#define WRONG_HERE(name, what, error_class, fits, ...) MISTAKE(name, what, error_class, 1, 0, fits, __VA_ARGS__)

#define MISTAKE(name, what, error_class, alone, anywhere, fits, ...)                                           \
  static void name(test_request *r, int rank, int ranks, uint64_t dice) {                                      \
    ghz_mpi_options *o = &r->options;                                                                          \
    (void)rank, (void)ranks, (void)dice, (void)o;                                                              \
    __VA_ARGS__;                                                                                               \
  }
#include "mistakes.inc"
#undef MISTAKE

#define MISTAKE(name, what, error_class, alone, anywhere, fits, ...)                                           \
  {what, error_class, alone, anywhere, fits, name},
const mistake mistakes[] = {
#include "mistakes.inc"
};
const int mistake_count = sizeof mistakes / sizeof *mistakes;

/* ---- The error ---- */
complaints heard;

static void hear(MPI_Comm *comm, int *code, ...) { heard = (complaints){heard.count + 1, *code, *comm}; }

void listen_to(MPI_Comm comm) {
  MPI_Errhandler listening;
  MPI_Comm_create_errhandler(hear, &listening);
  MPI_Comm_set_errhandler(comm, listening);
  MPI_Errhandler_free(&listening);
}

char error_sentence[MPI_MAX_ERROR_STRING];

void check_error(const test_request *r, int code, int want, int before) {
  char *sentence = error_sentence;
  int length, class = ghz_mpi_error_class(code), standard = MPI_SUCCESS;
  sentence[0] = 0;
  if (!check(code != MPI_SUCCESS, "the call succeeds"))
    return;
  MPI_Error_string(code, sentence, &length);
  check(heard.count == before + 1 && heard.code == code,
        "the handler was called %d times, with %d; the call returns %d", heard.count - before, heard.code,
        code);
  check(heard.comm == (r->comm == MPI_COMM_NULL ? MPI_COMM_WORLD : r->comm),
        "the handler got another communicator");
  check(request_is_named(r, sentence), "the sentence is: %s", sentence);
  check(class == want, "the class is %d, should be %d: %s", class, want, sentence);
  MPI_Error_class(code, &standard); /* with some MPIs a class of the library's own */
  check(standard != MPI_SUCCESS, "MPI's class is that of success");
}
