/* control.h: a call under way, and its steps, in the order of docs/collectives.md. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_CONTROL_H
#define GHZ_MPI_CONTROL_H

#include "control/tuner.h"
#include "engine/engine.h"
#include "payload/device.h"
#include "payload/payloads.h"
#include "request/collective.h"

/* ---- agree.c: what all ranks have to know of each other, in one small allreduce -------------- */

/* What must be the same on all ranks. */
enum identity {
  SAME_CALL,
  SAME_COUNT,
  SAME_SHAPE,
  SAME_TYPE,
  SAME_OPERATION,
  SAME_ROOT,
  SAME_BOUND,
  SAME_FILL,
  SAME_OPTIONS,
  IDENTITIES,
  CONTRIBUTIONS = IDENTITIES /* which may differ, and are added up */
};

/* What one rank knows, and after ghz_agree, what all ranks know together: the most of each number,
 * but for `min`. */
typedef struct record {
  uint64_t identity[IDENTITIES + 1], complement[IDENTITIES + 1];
  uint64_t error;    /* a rank cannot take part: which, and why */
  uint64_t devices;  /* a rank has device buffers; */
  uint64_t fresh;    /* other memory than in the call before, see communicator.c; */
  uint64_t crowded;  /* too many communicators of ours; */
  uint64_t refused;  /* of which MPI gave it none; */
  uint64_t insists;  /* and a call that MPI cannot make instead */
  uint64_t not_isa;  /* ~ of the slowest rank's instruction set: see cost.c */
  result_bytes last; /* of the call before, for the tuner: of the rank that has most */
  union {            /* of all finite values, where that is asked: see again.c */
    struct {
      double min, max;
    };
    uint64_t ends[2]; /* while they are combined */
  };
} record;
_Static_assert(sizeof(record) == (2 * IDENTITIES + 13) * sizeof(uint64_t), "numbers alone");

/* What this rank knows of a call, but for `last`. */
record ghz_agree_record(const call *c);

/* Combines the records of all ranks, on the program's own communicator. `own` is what is wrong on
 * this rank. Returns an error if there is one on any rank, or if the ranks disagree. Adds up the
 * contributions. Collective: every call on `comm` begins with it, whatever the call. */
error ghz_agree(MPI_Comm comm, record *r, error own);

/* Has MPI combine numbers of 64 bits. Returns its code. Collective. */
int ghz_agree_combine(MPI_Comm comm, void *numbers, size_t bytes, MPI_Op op);

/* ---- cost.c: what an algorithm and the codec should cost, before anything is known ----------- */

/* What an algorithm that the collective has sends through the busiest node's link, for arrays
 * (blocks, if it moves a block per rank) of so many bytes. */
double ghz_cost_bytes(const collective *what, ghz_mpi_algorithm a, int ranks, int nodes, double bytes);

/* The algorithm that costs least with what starting messages is worth in bytes, the preferred among
 * equals. All give the same bits. */
ghz_mpi_algorithm ghz_cost_least(const collective *what, int ranks, int nodes, double bytes);

/* The instruction set of this process's codec, as a number: a slower one has a smaller number. */
uint64_t ghz_cost_isa(void);

/* The seconds that a core with that instruction set takes for a call's compression, additions and
 * decompression, with the shape or flat. */
double ghz_cost_codec(const call *c, uint64_t isa, int flat);

/* ---- link.c ---------------------------------------------------------------------------------- */

/* Bits per second of the fastest interface to other nodes, as the system says whose /sys this is:
 * of InfiniBand ports, or of network interfaces; 0: it says nothing. */
double ghz_link_of(const char *sys);

/* Cores that this rank may use, where the program's ranks of a node share theirs; may be less than
 * one. `is_part`: the communicator may not have all of them. Collective. */
double ghz_link_cores(MPI_Comm node, int is_part);

/* ---- communicator.c: what is kept with a communicator, and what a call borrows --- */

/* The memory of one call at a time. A process has as many as threads that call at once; they only
 * grow, and go with the last communicator. */
typedef struct workspace {
  struct workspace *next; /* among the idle ones */
  ghz_context *codec;
  buffer_pool pool;
  engine_space space;
  growing spare;  /* as in call */
  device *device; /* NULL: no call has needed one yet */
  team *team;     /* the same */
} workspace;

/* What the plan of a call and its memory depend on, beside communicator and rank: of what is the
 * same on all ranks, what comes before the bound. */
typedef struct footprint {
  uint64_t same[SAME_BOUND], contributions;
  uint64_t how; /* the algorithm, whether it goes flat, and whether any rank has device buffers */
} footprint;

/* How a call is made: kept for those like it. */
typedef struct outline {
  footprint footprint;
  plan plan;
  int has_plan;
  int known; /* all ranks have had memory for it in `work_before`, with so many bins and one more; 0: not yet */
} outline;

enum {
  OUTLINES = 16,
  /* Communicators of ours that a process keeps from call to call. MPICH has 2048 for a process, the
   * program's and ours together. */
  OURS_KEPT = 16,
  CHECKED_KINDS = 61 /* that are counted apart, by a hash */
};

typedef struct communicator {
  MPI_Comm own;    /* carries our messages; MPI_COMM_NULL: there is none yet */
  int nodes;       /* that its ranks are on; they stand node by node. 0: not known yet */
  double link;     /* bits per second of the slowest node's link, as systems say; 0: unknown */
  double cores;    /* that this rank has; 0: not known yet */
  double slowness; /* of the slowest rank's codec: 1 with a core, 2 with half of one, 1/4 with four */
  int crowded;     /* some rank has too many to keep this one after the call */
  workspace *work; /* of the present call */
  const workspace *work_before; /* that of the call before */
  outline outlines[OUTLINES];
  unsigned outline_count; /* counts on: the oldest is overwritten */
  tuner tuner;
  result_bytes last;                     /* of the call before */
  unsigned checks[CHECKED_KINDS], looks; /* see accuracy.c */
  growing pinned_send, pinned_recv;      /* copies of device buffers, see host_copy.c */
  int places[];                          /* of the program's ranks among those of `own` */
} communicator;

/* Finds what is kept with a communicator, or makes it at the first call. Local. */
error ghz_communicator_of(MPI_Comm comm, communicator **k);

/* Takes memory for a call, and writes into *own what the first agreement has to know. Local. */
error ghz_communicator_enter(communicator *k, record *own);

/* After the agreement: has a communicator of our own, and knows its nodes. Without an error and
 * without k->own, MPI has none left on some rank, and has to make the call. Collective. */
error ghz_communicator_settle(communicator *k, const call *c);

/* The threads that work for a call: as many as its options or the environment say, else as this
 * rank has cores. NULL: the calling one alone. */
team *ghz_communicator_team(communicator *k, const call *c);

/* Gives back what the call has taken. After ghz_communicator_settle, all ranks do. */
void ghz_communicator_leave(communicator *k);

/* ---- A call under way ------------------------------------------------------------------------ */

typedef struct run {
  call *asked;
  call made;          /* the same, on copies of device buffers where it needs them */
  communicator *with; /* NULL: MPI makes the call without agreement */
  record agreed;      /* what all ranks know */
  ghz_mpi_algorithm algorithm;
  int flat; /* it goes without its shape */
  ghz_mpi_report report;
  double start;

  /* Where we make the call. */
  outline *outline;
  const payload *payload;
  payload_job job;
  bins bins;   /* of GHZ_MPI_FLOAT */
  void *exact; /* MPI's result on this rank, if report.by_mpi says that it made the call */
} run;

/* What the tuner, and checks, take for calls of one kind. */
call_kind ghz_select_kind(const call *c, const record *r);

/* 1. Whether MPI makes a call without agreement, as compression was worth nothing to those before.
 * All ranks find the same. */
int ghz_select_rests(communicator *k, const call *c, const record *own);

/* 2. Finds this rank's part of the range that the first agreement brings, if it does and there is
 * nothing wrong yet. Local. */
error ghz_range_early(const call *c, communicator *k, error own, record *r);

/* 3. Tells the tuner how the call before compressed, and sets how to make this one; all ranks
 * alike. */
error ghz_select(run *r);

/* Bytes of a piece: what a CPU works on in its cache. */
enum { PIECE_LEAST = 128 << 10, PIECE_MOST = 512 << 10 };

/* How all ranks cut a call. */
layout ghz_layout_of(const algorithm *a, int ranks, const ghz_shape *shape, ghz_type type, int parts,
                     int on_device);

/* 4. Plans the call, and reserves the memory for it. `own` is what is wrong on this rank already.
 * Returns what is wrong, for step 5 to tell. Local. */
error ghz_prepare(run *r, error own);

/* Reserves what the job takes while messages are in flight. Local. */
error ghz_reserve(run *r);

/* 5. Agrees where there is something to agree on: a range that step 2 did not bring, exponents for
 * GHZ_MPI_FLOAT, or memory for a new plan; and for bins. Sets the lattice, or the bins. */
error ghz_agree_again(run *r, error own);

/* Has MPI make a call into its buffers, and averages there. */
error ghz_made_by_mpi(const call *c);

/* ---- accuracy.c: what the bound did to the result ---- */

/* Between 5 and 6: where the options ask for it, has MPI make the call, too, whose result is
 * r->exact. If a rank cannot, none does. Collective. */
void ghz_check_begin(run *r);

/* After 6: reports the result beside its bound, and beside MPI's. */
void ghz_check_end(run *r);

/* ---- host_copy.c: calls on device buffers that have to be made on the host ------------------- */

/* Has r->made on copies of the buffers in pinned memory, if it cannot be made on device buffers.
 * They stay with the communicator. Local. */
error ghz_host_copy_begin(run *r);

/* Copies the result back, if there are copies. */
error ghz_host_copy_end(const run *r);

#endif
