/* channel.c: which calls share a communicator of ours, when one is made, and when it is freed.
 *
 * Messages of a call need a communicator that the program does not receive on. Communicators are
 * scarce (MPICH has 2048 for a process), so one serves all calls on communicators of the same
 * processes in the same order: a channel. Agreements need none: they are collective calls on the
 * program's communicator, which stand in its order of calls.
 *
 * At a time, a channel serves one call: messages of two would mix. Several calls of the same
 * processes are under way where threads use several communicators, and the threads of two ranks may
 * find different channels free. So a rank takes one, and offers it in the agreement of the call. If
 * all ranks offer the same one, it is used, and the communicator is bound to it: its next call
 * offers it again. Else all ranks put back what they offered, and make a new one. Channels are told
 * apart by names, which the rank 0 of their processes gives.
 *
 * A channel is freed with the last communicator that is bound to it: when that is freed, or is
 * bound to another. Both happen in calls that all ranks make, so MPI_Comm_free is called as it must
 * be, by all of them. Where another thread offers the channel at that moment, it is freed when that
 * thread's agreement has ended: either that binds another communicator to it, on all ranks, or it
 * was not offered by all, and each rank frees it, one here and one there, without waiting for a
 * call in which it is used. No lock is held meanwhile.
 * A process that keeps many channels, of many groups of processes, says so in the agreement. Then
 * the call's communicator is not left bound. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/channel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Protects the list of all channels of this process, and `users` and `taken` in them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static channel *channels;
static int channel_count;

/* ---- Freeing --------------------------------------------------------------------------------- */

static void destroy(channel *ch) {
  if (!ch)
    return;
  ghz_context_free(ch->codec);
  ghz_buffer_pool_free(&ch->pool);
  ghz_plan_free(&ch->plan);
  ghz_engine_free(&ch->space);
  grow_free(&ch->spare);
  ghz_device_free(ch->device);
  if (ch->comm != MPI_COMM_NULL)
    MPI_Comm_free(&ch->comm);
  free(ch);
}

/* With the lock. Returns the channel if nobody needs it, to be destroyed without the lock. */
static channel *unlink_idle(channel *ch) {
  channel **at = &channels;
  if (ch->users || ch->taken)
    return NULL;
  while (*at != ch)
    at = &(*at)->next;
  *at = ch->next;
  channel_count--;
  return ch;
}

static void put_back(channel_hold *h) {
  channel *idle = NULL;
  pthread_mutex_lock(&lock);
  if (h->taken) {
    h->taken->taken = 0;
    idle = unlink_idle(h->taken);
  }
  pthread_mutex_unlock(&lock);
  h->taken = NULL;
  destroy(idle);
}

static void bind(channel_hold *h, channel *ch) {
  channel *idle = NULL;
  pthread_mutex_lock(&lock);
  if (ch)
    ch->users++;
  if (h->bound) {
    h->bound->users--;
    idle = unlink_idle(h->bound);
  }
  pthread_mutex_unlock(&lock);
  h->bound = ch;
  destroy(idle);
}

void ghz_channel_unbind(channel_hold *h) {
  bind(h, NULL);
}

void ghz_channel_release(channel_hold *h) {
  if (h->taken && h->crowded)
    bind(h, NULL);
  put_back(h);
}

/* ---- Offering -------------------------------------------------------------------------------- */

static int is_congruent(MPI_Comm a, MPI_Comm b) {
  int size_a, size_b, rank_a, rank_b, relation = MPI_UNEQUAL;
  MPI_Comm_size(a, &size_a), MPI_Comm_size(b, &size_b);
  MPI_Comm_rank(a, &rank_a), MPI_Comm_rank(b, &rank_b);
  return size_a == size_b && rank_a == rank_b && MPI_Comm_compare(a, b, &relation) == MPI_SUCCESS &&
         relation == MPI_CONGRUENT;
}

/* With the lock. The oldest free channel of these processes: so ranks find the same one, unless
 * threads keep them from it. */
static channel *find(MPI_Comm comm) {
  channel *found = NULL;
  for (channel *ch = channels; ch; ch = ch->next)
    if (!ch->taken && (!found || ch->name < found->name) && is_congruent(comm, ch->comm))
      found = ch;
  return found;
}

static uint64_t new_name(void) {
  static _Atomic uint64_t last;
  return atomic_fetch_add(&last, 1) + 1;
}

void ghz_channel_offer(channel_hold *h, MPI_Comm comm, record *own) {
  pthread_mutex_lock(&lock);
  h->taken = h->bound && !h->bound->taken ? h->bound : find(comm);
  if (h->taken)
    h->taken->taken = 1;
  int count = channel_count + !h->taken;
  pthread_mutex_unlock(&lock);
  h->crowded = 0;
  uint64_t name = h->taken ? h->taken->name : 0;
  own->channel = (offer){.least = name,
                         .most = name,
                         .fresh = own->error_rank == 0 ? new_name() : 0,
                         .crowded = count > CHANNELS_KEPT};
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* Not MPI_Comm_dup, which copies attributes and hints. If there is none to be had, that is no error
 * of the program's, whose error handler is not called. */
static int make_comm(MPI_Comm from, MPI_Comm *made) {
  MPI_Group group;
  MPI_Errhandler handler;
  *made = MPI_COMM_NULL;
  int code = MPI_Comm_group(from, &group);
  if (code != MPI_SUCCESS)
    return code;
  MPI_Comm_get_errhandler(from, &handler);
  MPI_Comm_set_errhandler(from, MPI_ERRORS_RETURN);
  code = MPI_Comm_create(from, group, made);
  MPI_Comm_set_errhandler(from, handler);
  MPI_Errhandler_free(&handler);
  MPI_Group_free(&group);
  if (code == MPI_SUCCESS)
    MPI_Comm_set_errhandler(*made, MPI_ERRORS_RETURN);
  else
    *made = MPI_COMM_NULL;
  return code;
}

static void tell_once(const char *name) {
  static atomic_flag told = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&told))
    fprintf(stderr,
            "libghzmpi: MPI has no communicator left for our messages: %s and calls like it go to MPI, "
            "uncompressed, until the program frees some communicators\n",
            name);
}

static error none_left(const call *c, int insists) {
  if (insists)
    return (error){MPI_ERR_OTHER, ERROR_OURS,
                   "MPI has no communicator left for our messages, and cannot make this call: free some"};
  if (c->at.rank == 0)
    tell_once(c->collective->name);
  return (error){0};
}

/* Returns NULL if there is no memory. */
static channel *allocate(void) {
  channel *ch = calloc(1, sizeof *ch);
  if (ch && ghz_context_create(&ch->codec, 1) == GHZ_OK)
    return ch;
  free(ch);
  return NULL;
}

static void add(channel *ch) {
  pthread_mutex_lock(&lock);
  ch->next = channels;
  channels = ch;
  channel_count++;
  pthread_mutex_unlock(&lock);
}

/* All ranks come here, and have to learn how the others fared: one may lack memory, or MPI may
 * refuse. */
static error make(channel_hold *h, const call *c, const record *agreed) {
  const error no_memory = {MPI_ERR_NO_MEM, ERROR_OURS, "no memory, or no such instruction set, for the codec"};
  record r = {.error_rank = c->at.rank};
  MPI_Comm comm;
  channel *ch = allocate();
  r.channel.refused = make_comm(c->comm, &comm) != MPI_SUCCESS;
  r.channel.insists = c->set.contributions != 1 || !c->fits_int || ghz_call_reduces_fill(c);
  error own = {0};
  if (!ch)
    own = no_memory;
  error e = ghz_agree(c->comm, &r, own);
  if (ch)
    ch->comm = comm, ch->name = agreed->channel.fresh, ch->taken = 1;
  else if (comm != MPI_COMM_NULL)
    MPI_Comm_free(&comm);
  if (e.code || r.channel.refused) {
    destroy(ch);
    return e.code ? e : none_left(c, r.channel.insists > 0);
  }
  add(ch);
  h->taken = ch;
  return (error){0};
}

int ghz_channel_knows(const channel *c, const footprint *f) {
  unsigned known = c->footprint_count < FOOTPRINTS ? c->footprint_count : FOOTPRINTS;
  for (unsigned i = 0; i < known; i++)
    if (memcmp(&c->footprints[i], f, sizeof *f) == 0)
      return 1;
  return 0;
}

void ghz_channel_remember(channel *c, const footprint *f) {
  if (!ghz_channel_knows(c, f))
    c->footprints[c->footprint_count++ % FOOTPRINTS] = *f;
}

error ghz_channel_settle(channel_hold *h, const call *c, const record *agreed) {
  const offer *o = &agreed->channel;
  error e = {0};
  h->crowded = o->crowded > 0;
  if (!o->least || o->least != o->most) {
    put_back(h);
    e = make(h, c, agreed);
  }
  if (h->taken && h->bound != h->taken)
    bind(h, h->taken);
  return e;
}
