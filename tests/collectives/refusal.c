/* refusal.c: an MPI that refuses each call with which the library prepares, agrees and reports,
 * and a system that refuses threads, one after the other, on a communicator of one rank: an
 * error or a right result, nothing lost, and the next call works. (Where messages are under way,
 * the other ranks would wait for what never comes: that is MPI's to end.) Linked with --wrap for
 * those calls. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "alloc_log.h"
#include "request.h"
#include "suite.h"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

enum { COUNT = 20000, CALLS_MAX = 300 };

/* ---- An MPI that refuses ---- */
static struct {
  long first, last; /* the calls that are refused, counted from 0 */
  long calls;
  const char *name; /* of the first of them */
} refusal = {0, -1, 0, NULL};

static int refuses(const char *name) {
  long call = refusal.calls++;
  if (call < refusal.first || call > refusal.last)
    return 0;
  refusal.name = refusal.name ? refusal.name : name;
  return 1;
}

#define REFUSABLE(name, parameters, arguments)                                                                 \
  int __real_MPI_##name parameters;                                                                            \
  int __wrap_MPI_##name parameters;                                                                            \
  int __wrap_MPI_##name parameters {                                                                           \
    return refuses("MPI_" #name) ? MPI_ERR_OTHER : __real_MPI_##name arguments;                                \
  }

REFUSABLE(Comm_test_inter, (MPI_Comm comm, int *flag), (comm, flag))
static int no_tag = -1, has_tags = 1;

int __real_MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found);
int __wrap_MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found);
int __wrap_MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found) {
  if (refuses("MPI_Comm_get_attr"))
    return MPI_ERR_OTHER;
  int code = __real_MPI_Comm_get_attr(comm, key, value, found);
  if (key == MPI_TAG_UB && !has_tags)
    *(int **)value = &no_tag;
  return code;
}

REFUSABLE(Comm_set_attr, (MPI_Comm comm, int key, void *value), (comm, key, value))
REFUSABLE(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
REFUSABLE(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
          (comm, type, key, info, made))
REFUSABLE(Allgather,
          (const void *x, int n, MPI_Datatype type, void *y, int m, MPI_Datatype types, MPI_Comm comm),
          (x, n, type, y, m, types, comm))
REFUSABLE(Add_error_class, (int *made), (made))
REFUSABLE(Add_error_code, (int error_class, int *code), (error_class, code))
REFUSABLE(Add_error_string, (int code, const char *text), (code, text))
REFUSABLE(Error_string, (int code, char *text, int *length), (code, text, length))
REFUSABLE(Iallreduce,
          (const void *x, void *y, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
          (x, y, n, type, op, comm, request))
REFUSABLE(Allreduce, (const void *x, void *y, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
          (x, y, n, type, op, comm))
REFUSABLE(Bcast, (void *x, int n, MPI_Datatype type, int root, MPI_Comm comm), (x, n, type, root, comm))

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*begin)(void *), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*begin)(void *), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*begin)(void *), void *user) {
  return refuses("pthread_create") ? EAGAIN : __real_pthread_create(thread, how, begin, user);
}

/* ---- Calls ---- */
typedef struct way {
  const char *name;
  collective what;
  ghz_mpi_options set; /* what differs from the defaults is bound and mode */
  int n, wrong;        /* error class that the call must end with; MPI_SUCCESS */
} way;

static float send[COUNT], recv[COUNT];

static int make_call(const way *w, MPI_Comm comm) {
  test_request r = request_of(w->what, send, recv, w->n, MPI_FLOAT, comm);
  memset(recv, 0, sizeof recv);
  if (w->what == BCAST)
    memcpy(recv, send, sizeof send);
  return request_make(&r, &w->set);
}

static void check_result(const way *w) {
  int i = 0;
  while (i < w->n && fabsf(recv[i] - send[i]) < 0.1f)
    i++;
  check(i == w->n, "value %d is %g, should be %g", i, i < w->n ? (double)recv[i] : 0,
        i < w->n ? (double)send[i] : 0);
}

/* A new communicator, whose first call meets the refusals; returns whether there was one. */
static int refuse(const way *w, long first, long last) {
  MPI_Comm comm;
  long objects = alloc_log_now().objects;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  refusal.name = NULL;
  refusal.calls = 0, refusal.first = first, refusal.last = last;
  int code = make_call(w, comm);
  refusal.last = -1;
  const char *refused = refusal.name ? refusal.name : "nothing";
  if (w->wrong != MPI_SUCCESS)
    check(code != MPI_SUCCESS, "%s is refused, and the call succeeds", refused);
  else if (code == MPI_SUCCESS)
    check_result(w);
  check(refusal.name || ghz_mpi_error_class(code) == w->wrong, "class %d, not %d", ghz_mpi_error_class(code),
        w->wrong);
  code = make_call(w, comm);
  check(ghz_mpi_error_class(code) == w->wrong, "after %s was refused, the next call returns class %d, not %d",
        refused, ghz_mpi_error_class(code), w->wrong);
  if (code == MPI_SUCCESS)
    check_result(w);
  MPI_Comm_free(&comm);
  check(alloc_log_now().objects == objects, "%ld objects of MPI are lost where %s was refused",
        alloc_log_now().objects - objects, refused);
  return refusal.name != NULL;
}

static void refuse_all(const way *w) {
  long calls = 0;
  for (int met = 1; met && calls < CALLS_MAX; calls++) {
    suite_case("%s: call %ld of MPI is refused", w->name, calls);
    met = refuse(w, calls, calls);
  }
  check(calls > 5 && calls < CALLS_MAX, "only %ld calls of MPI are made", calls);
}

/* A wrong call, reported where MPI cannot take the sentence, which is each collective's own: one
 * call is refused after the agreement, or all from then on. */
static void refuse_sentences(void) {
  enum { AGREED = 4, ALONE = 3 };
  for (int i = 0; i < 7; i++) {
    way w = {"wrong bound", (collective)i, GHZ_MPI_OPTIONS, COUNT, MPI_ERR_ARG};
    w.set.bound = (ghz_bound){GHZ_ABS, -1};
    w.set.mode = GHZ_MPI_HOMOMORPHIC;
    suite_case("collective %d with a wrong bound: call %d of MPI is refused%s", i, AGREED + i % ALONE,
               i < ALONE ? "" : ", and all that follow");
    check(refuse(&w, AGREED + i % ALONE, i < ALONE ? AGREED + i : CALLS_MAX), "none is");
    check(refusal.name && strstr(refusal.name, "rror_"), "%s is no report",
          refusal.name ? refusal.name : "nothing");
  }
}

/* More pieces than an MPI has tags for. */
static void refuse_tags(void) {
  MPI_Comm comm;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length;
  way w = {"tags", ALLREDUCE, GHZ_MPI_OPTIONS, COUNT, MPI_SUCCESS};
  w.set.bound = (ghz_bound){GHZ_ABS, 1e-4};
  w.set.mode = GHZ_MPI_HOMOMORPHIC;
  suite_case("an MPI without tags");
  for (has_tags = 0; has_tags < 2; has_tags++) {
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int again = 0; again < 2; again++) {
      const int code = make_call(&w, comm);
      check((code == MPI_SUCCESS) == has_tags, "code %d", code);
      if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    }
    MPI_Comm_free(&comm);
  }
  has_tags = 1;
  check(strstr(text, "too few tags") != NULL, "the sentence is: %s", text);
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  for (int i = 0; i < COUNT; i++)
    send[i] = (float)(i % 1000);
  refuse_sentences();
  refuse_tags();
  for (int i = 0; i < COLLECTIVES; i++)
    for (int absolute = 0; absolute < 2; absolute++) {
      way w = {collective_names[i], (collective)i, GHZ_MPI_OPTIONS, COUNT, MPI_SUCCESS};
      w.set.bound = (ghz_bound){absolute ? GHZ_ABS : GHZ_REL, 1e-4};
      w.set.mode = GHZ_MPI_HOMOMORPHIC;
      w.set.threads = absolute ? 3 : 1;
      refuse_all(&w);
    }
  return suite_end(NULL);
}
