/* ghz_mpi.h: the older name of <ghz/mpi.h>. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/mpi.h>
