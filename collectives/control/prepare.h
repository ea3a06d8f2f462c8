/* prepare.h: what this rank needs to run a call: its plan, memory and device. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_PREPARE_H
#define GHZ_MPI_PREPARE_H

#include "choice/select.h"
#include "control/communicator.h"
#include "payload/bins.h"

/* A call that is ready to be made on this rank. */
typedef struct task {
  footprint footprint;
  const payload *payload; /* NULL: MPI makes the call */
  payload_job job;
  int has_plan;    /* there was memory for it */
  int needs_range; /* of the values of all ranks, for the lattice: */
  double min, max; /* what the first agreement brought of it */
  int agrees;      /* there has to be another agreement */
  bins bins;       /* of GHZ_MPI_FLOAT */
} task;

/* Plans a call, and reserves the memory for it. `agreed` is
 * what all ranks know, and `own` what is wrong on this rank already. Returns what is wrong, for the
 * second agreement to tell. Local. */
error ghz_prepare(const call *c, communicator *with, variant how, const record *agreed, error own, task *t);

/* Reserves memory for t->bins, where the values need more than one lattice. Whether all ranks have
 * to agree on that is in t->agrees. Local. */
error ghz_prepare_bins(communicator *with, task *t);

#endif
