/* channel.h: communicators of our own, which carry the messages of calls, and the memory for these;
 * communicators of the same processes share them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_CHANNEL_H
#define GHZ_MPI_CHANNEL_H

#include "control/agree.h"
#include "engine/engine.h"
#include "payload/device.h"

/* What the memory for a call depends on, beside the rank. Without padding: compared byte by
 * byte. */
typedef struct footprint {
  uint64_t call, contributions, placement, bins, root;
  layout layout; /* flat, where the call goes without its shape */
  ghz_mpi_algorithm algorithm;
  reduction reduction;
} footprint;
_Static_assert(sizeof(footprint) == 5 * sizeof(uint64_t) + sizeof(layout) + 2 * sizeof(int) &&
                   sizeof(layout) == 5 * sizeof(uint64_t) + 4 * sizeof(int),
               "no padding");

enum {
  FOOTPRINTS = 16,
  /* Channels that a process keeps from call to call. MPICH has 2048 communicators for a process,
   * the program's and ours together. */
  CHANNELS_KEPT = 16
};

typedef struct channel channel;
struct channel {
  MPI_Comm comm;
  uint64_t name; /* no other channel of these processes has had it */
  int users;     /* communicators that are bound to it */
  int taken;     /* by a call on this rank, which uses or offers it */
  channel *next;

  ghz_context *codec;
  buffer_pool pool;
  plan plan;
  engine_space space;
  growing spare;                    /* as in call */
  device *device;                   /* NULL: no call has needed one yet */
  footprint footprints[FOOTPRINTS]; /* all ranks have had memory for these */
  unsigned footprint_count;         /* counts on: the oldest is overwritten */
};

/* The hold of a communicator and its present call on channels. All zeros: none. */
typedef struct channel_hold {
  channel *bound; /* that the call before used */
  channel *taken; /* that this call uses, or offers */
  int crowded;    /* some rank has too many channels to keep this one after the call */
} channel_hold;

/* Takes a channel that no other call on this rank has, if there is one, and writes into *own what
 * the first agreement has to know of it. Local. */
void ghz_channel_offer(channel_hold *h, MPI_Comm comm, record *own);

/* After the agreement: takes the channel that all ranks offer, or makes one. Without an error and
 * without a channel in h->taken, none can be had, on any rank: MPI has to make the call.
 * Collective. */
error ghz_channel_settle(channel_hold *h, const call *c, const record *agreed);

/* Whether all ranks have had memory for a call like this: then none needs to be asked. */
int ghz_channel_knows(const channel *c, const footprint *f);
void ghz_channel_remember(channel *c, const footprint *f);

/* Gives back what the call has taken. After ghz_channel_settle, all ranks do. */
void ghz_channel_release(channel_hold *h);

/* The communicator is freed. */
void ghz_channel_unbind(channel_hold *h);

#endif
