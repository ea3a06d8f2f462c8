/* agreement.h: whether compressed files can be worked on together, frame by frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_AGREEMENT_H
#define GHZ_CLI_AGREEMENT_H

#include "io/reader.h"

/* Whether a file has the type, number of values and frames of `first`, and the shape of `shaped`.
 * On failure, prints what differs and how to avoid it. */
bool readers_agree(const frame_reader *r, const frame_reader *first, const frame_reader *shaped);

/* The same of the lattice. */
bool lattices_agree(const frame_reader *r, const frame_reader *first);

/* Whether the frames that were read have the same fill value. On failure, prints what differs. */
bool fills_agree(const frame_reader *r, const frame_reader *first);

#endif
