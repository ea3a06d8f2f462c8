/* communicator.h: what the library keeps with a communicator of the program's until that is freed,
 * and the memory that a call borrows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_COMMUNICATOR_H
#define GHZ_MPI_COMMUNICATOR_H

#include "choice/tuner.h"
#include "control/agree.h"
#include "engine/engine.h"
#include "payload/device.h"

/* The memory of one call at a time. A process has as many as threads that call at once; they only
 * grow, and go with the last communicator. */
typedef struct workspace {
  struct workspace *next; /* among the idle ones */
  uint64_t name;
  ghz_context *codec;
  buffer_pool pool;
  plan plan;
  engine_space space;
  growing spare;  /* as in call */
  device *device; /* NULL: no call has needed one yet */
} workspace;

/* What the memory for a call depends on, beside communicator and rank. Without padding: compared
 * byte by byte. */
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
  /* Communicators of ours that a process keeps from call to call. MPICH has 2048 for a process, the
   * program's and ours together. */
  OURS_KEPT = 16
};

typedef struct communicator {
  MPI_Comm own;                     /* carries our messages; MPI_COMM_NULL: there is none yet */
  int crowded;                      /* some rank has too many to keep this one after the call */
  workspace *work;                  /* of the present call */
  uint64_t work_before;             /* its name in the call before */
  footprint footprints[FOOTPRINTS]; /* all ranks have had memory for these in `work_before` */
  unsigned footprint_count;         /* counts on: the oldest is overwritten */
  tuner tuner;
  result_bytes last;                /* of the call before */
  growing pinned_send, pinned_recv; /* copies of device buffers, see host_copy.c */
} communicator;

/* Finds what is kept with a communicator, or makes it at the first call. Local. */
error ghz_communicator_of(MPI_Comm comm, communicator **k);

/* Takes memory for a call, and writes into *own what the first agreement has to know. Local. */
error ghz_communicator_enter(communicator *k, record *own);

/* After the agreement: has a communicator of our own. Without an error and without k->own, MPI has
 * none left on some rank, and has to make the call. Collective. */
error ghz_communicator_settle(communicator *k, const call *c);

/* Gives back what the call has taken. After ghz_communicator_settle, all ranks do. */
void ghz_communicator_leave(communicator *k);

/* Whether all ranks have had memory for a call like this: then none needs to be asked. */
int ghz_communicator_knows(const communicator *k, const footprint *f);
void ghz_communicator_remember(communicator *k, const footprint *f);

#endif
