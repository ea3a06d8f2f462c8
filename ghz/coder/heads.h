/* heads.h: what is known of a page's tiles beside symbols: kinds, orders, anchors (FILE_FORMAT.md,
 * "Heads"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CODER_HEADS_H
#define GHZ_CODER_HEADS_H

#include "coder/page.h"
#include "coder/side.h"

void ghz_heads_write(page_model *p, side_writer *side);

/* Fills p->tile, which is zeros. Returns 0 for damage. */
int ghz_heads_read(page_model *p, side_reader *side);

#endif
