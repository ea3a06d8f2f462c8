/* buffers.h: what a call reads and writes on this rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_BUFFERS_H
#define GHZ_MPI_BUFFERS_H

#include "request/collective.h"

/* Whether a buffer that this rank uses is missing. */
int ghz_buffers_lack(const call *c);

used_values ghz_buffers_used(const call *c);

/* Bytes of spare memory that this rank needs beside its buffers. */
size_t ghz_buffers_spare(const call *c);

/* Sets where the parts lie on this rank. */
void ghz_buffers_arrange(const call *c, part *parts, int count);

/* Takes the result from spare memory to where it belongs. */
void ghz_buffers_finish(const call *c);

#endif
