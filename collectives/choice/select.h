/* select.h: which algorithm, and whether to compress. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_SELECT_H
#define GHZ_MPI_SELECT_H

#include "control/agree.h"

/* Whether the tuner lets a call through to MPI without agreement. All ranks find the same. */
int ghz_select_bypass(tuner *t, const call *c, const record *own);

/* Whether this call is to be made uncompressed, as compression was worth nothing to those before,
 * by what is known before the agreement. All ranks find the same, but for calls on devices. */
int ghz_select_spares(const tuner *t, const call *c, const record *own);

/* Tells the tuner what the call before took, and selects how to make this one: as the options say,
 * else as the tuner chooses. */
variant ghz_select(tuner *t, const call *c, const record *agreed);

#endif
