/* communicator.c: an attribute of the program's communicator that frees itself with it.
 *
 * Messages of a call need a communicator that the program does not receive on: each of the
 * program's that compresses has one, made by the first call that needs it. These are scarce, so a
 * process that has many frees those of further ones after each call. Agreements need none: they are
 * collective calls on the program's communicator, which stand in its order of calls.
 *
 * The memory of calls is the process's. Whether all ranks have enough for a call is asked once
 * for each kind, and again when a rank comes with other memory than the time before, as threads
 * do. A rank whose device has none any more finds it on the host for telling the others: see
 * prepare.c. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static workspace *idle;       /* the last one used is the first */
static int communicators;     /* that keep something */
static _Atomic int ours_kept; /* communicators of our own */

/* ---- The memory of calls --------------------------------------------------------------------- */

static void destroy(workspace *w) {
  ghz_context_free(w->codec);
  ghz_buffer_pool_free(&w->pool);
  ghz_engine_free(&w->space);
  grow_free(&w->spare);
  ghz_device_free(w->device);
  ghz_team_free(w->team);
  free(w);
}

static workspace *make_workspace(void) {
  workspace *w = calloc(1, sizeof *w);
  if (w && ghz_context_create(&w->codec, 1) == GHZ_OK)
    return w;
  free(w);
  return NULL;
}

/* The one that the call before had, if it is idle; else any; NULL: there is no memory. */
static workspace *take(const workspace *before) {
  workspace **at = &idle, *w;
  pthread_mutex_lock(&lock);
  while (*at && *at != before)
    at = &(*at)->next;
  at = *at ? at : &idle;
  if ((w = *at))
    *at = w->next;
  else
    w = make_workspace();
  pthread_mutex_unlock(&lock);
  return w;
}

/* One communicator more or less. With the last one all memory goes. */
static void count(int by) {
  workspace *unused = NULL;
  pthread_mutex_lock(&lock);
  communicators += by;
  if (communicators == 0) {
    unused = idle;
    idle = NULL;
  }
  pthread_mutex_unlock(&lock);
  for (workspace *next; unused; unused = next) {
    next = unused->next;
    destroy(unused);
  }
}

/* ---- The attribute --------------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int keyval = MPI_KEYVAL_INVALID, keyval_code;

static void free_own(communicator *k) {
  if (k->own == MPI_COMM_NULL)
    return;
  MPI_Comm_free(&k->own);
  ours_kept--;
}

static int on_free(MPI_Comm comm, int key, void *value, void *extra) {
  communicator *k = value;
  (void)comm, (void)key, (void)extra;
  free_own(k);
  for (int i = 0; i < OUTLINES; i++)
    ghz_plan_free(&k->outlines[i].plan);
  ghz_pinned_free(&k->pinned_send);
  ghz_pinned_free(&k->pinned_recv);
  free(k);
  count(-1);
  return MPI_SUCCESS;
}

/* A duplicate of the communicator starts without our attribute, and makes its own when it needs
 * one. */
static void make_keyval(void) {
  keyval_code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &keyval, NULL);
}

error ghz_communicator_of(MPI_Comm comm, communicator **k) {
  int found = 0, ranks = 0;
  void *value = NULL;
  pthread_once(&once, make_keyval);
  int code = keyval_code == MPI_SUCCESS ? MPI_Comm_get_attr(comm, keyval, &value, &found) : keyval_code;
  *k = value;
  if (code != MPI_SUCCESS || found)
    return (error){code, ERROR_RAISED, ""};
  MPI_Comm_size(comm, &ranks);
  *k = calloc(1, sizeof **k + (size_t)ranks * sizeof *(*k)->places);
  if (!*k)
    return (error){MPI_ERR_NO_MEM, ERROR_OURS, "no memory for what is kept with a communicator"};
  (*k)->own = MPI_COMM_NULL;
  code = MPI_Comm_set_attr(comm, keyval, *k);
  if (code == MPI_SUCCESS)
    count(1);
  else
    free(*k);
  return (error){code, ERROR_RAISED, ""};
}

/* ---- A call ---------------------------------------------------------------------------------- */

error ghz_communicator_enter(communicator *k, record *own) {
  k->work = take(k->work_before);
  k->crowded = 0;
  own->fresh = !k->work || k->work != k->work_before;
  own->crowded = ours_kept + (k->own == MPI_COMM_NULL) > OURS_KEPT;
  if (!k->work)
    return (error){MPI_ERR_NO_MEM, ERROR_OURS, "no memory, or no such instruction set, for the codec"};
  ghz_team_enter(k->work->team);
  return (error){0};
}

void ghz_communicator_leave(communicator *k) {
  if (k->crowded)
    free_own(k);
  if (!k->work)
    return;
  pthread_mutex_lock(&lock);
  k->work->next = idle;
  idle = k->work;
  pthread_mutex_unlock(&lock);
  k->work_before = k->work;
  k->work = NULL;
}

/* The lowest rank of this one's node. Where MPI does not say, each rank is on its own. */
static int find_node(const call *c, communicator *k) {
  MPI_Comm node = MPI_COMM_NULL;
  int first = c->at.rank, all;
  if (MPI_Comm_split_type(c->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) == MPI_SUCCESS) {
    MPI_Bcast(&first, 1, MPI_INT, 0, node);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    k->cores = ghz_link_cores(node, c->at.ranks < all);
    MPI_Comm_free(&node);
  }
  k->link = ghz_link_of("/sys");
  return first;
}

/* As MPI has sorted the ranks by their nodes. One of each node counts it. */
static int find_places(const call *c, communicator *k, int counts) {
  int place = 0;
  if (k->own != MPI_COMM_NULL)
    MPI_Comm_rank(k->own, &place);
  place = 2 * place + counts;
  const int code = MPI_Allgather(&place, 1, MPI_INT, k->places, 1, MPI_INT, c->comm);
  for (int r = 0; r < c->at.ranks && code == MPI_SUCCESS; r++) {
    k->nodes += k->places[r] % 2;
    k->places[r] /= 2;
  }
  return code;
}

/* Not MPI_Comm_dup, which copies attributes and hints. A rank that has none goes where the others
 * wait, too. */
static int make_own(const call *c, communicator *k) {
  const int is_known = k->nodes > 0, key = is_known ? k->places[c->at.rank] : find_node(c, k);
  const int code = MPI_Comm_split(c->comm, 0, key, &k->own);
  if (code != MPI_SUCCESS)
    k->own = MPI_COMM_NULL;
  else
    MPI_Comm_set_errhandler(k->own, MPI_ERRORS_RETURN);
  const int found = is_known ? MPI_SUCCESS : find_places(c, k, key == c->at.rank);
  return code != MPI_SUCCESS ? code : found;
}

static error none_left(const call *c, int insists) {
  static atomic_flag told = ATOMIC_FLAG_INIT;
  if (insists)
    return (error){MPI_ERR_OTHER, ERROR_OURS,
                   "MPI has no communicator left for our messages, and cannot make this call: free some"};
  if (c->at.rank == 0 && !atomic_flag_test_and_set(&told))
    fprintf(stderr,
            "libghzmpi: MPI has no communicator left for our messages: %s and calls like it go to MPI, "
            "uncompressed, until the program frees some communicators\n",
            c->collective->name);
  return (error){0};
}

static int cores_of(const communicator *k) {
  return k->cores < 2 ? 1 : k->cores < TEAM_MOST ? (int)k->cores : TEAM_MOST;
}

team *ghz_communicator_team(communicator *k, const call *c) {
  enum { LEAST = 256 << 10 }; /* bytes: two pieces */
  if (call_bytes(c) < LEAST)
    return NULL;
  return ghz_team_of(&k->work->team, c->set.threads ? c->set.threads : cores_of(k), c->set.report != NULL);
}

/* All ranks come here, and have to learn how the others fared. If there is none to be had, that is
 * no error of the program's, whose error handler is not called. */
error ghz_communicator_settle(communicator *k, const call *c) {
  if (k->own != MPI_COMM_NULL)
    return (error){0};
  record r = {.error = 0};
  MPI_Errhandler programs;
  MPI_Comm_get_errhandler(c->comm, &programs);
  MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
  r.refused = make_own(c, k) != MPI_SUCCESS;
  MPI_Comm_set_errhandler(c->comm, programs);
  MPI_Errhandler_free(&programs);
  r.insists = c->set.contributions != 1 || !c->fits_int || ghz_call_reduces_fill(c);
  r.min = k->link > 0 ? k->link : INFINITY;
  r.max = k->cores > 0 && k->cores < 1 ? 1 / k->cores : 1.0 / cores_of(k);
  ours_kept += k->own != MPI_COMM_NULL;
  error e = ghz_agree(c->comm, &r, (error){0});
  k->link = k->nodes > 1 && isfinite(r.min) ? r.min : 0;
  k->slowness = r.max;
  if (e.code || r.refused) {
    free_own(k);
    k->nodes = 0; /* MPI may say more when it has communicators again */
    k->cores = 0;
  }
  return e.code || !r.refused ? e : none_left(c, r.insists > 0);
}
