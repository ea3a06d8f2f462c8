/* tables.h: how often a page has each symbol, by context: what lanes_impl.h codes by
 * (FILE_FORMAT.md, "Frequencies"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CODER_TABLES_H
#define GHZ_CODER_TABLES_H

#include "coder/page.h"
#include "coder/side.h"

/* Contexts whose frequencies a page has. */
static inline unsigned contexts_of(const page_model *p) {
  return p->values ? CONTEXTS : WIDTH_CONTEXTS;
}

/* About how many bits the tokens of contexts from .. to - 1 that were counted take, without the
 * frequencies. */
uint64_t ghz_tables_bits(const page_model *p, unsigned from, unsigned to);

/* Chooses frequencies for what was counted, writes them, and makes p->table for encoding. */
void ghz_tables_write(page_model *p, side_writer *side);

/* Reads frequencies and makes p->table for decoding. Returns 0 for damage. */
int ghz_tables_read(page_model *p, side_reader *side);

#endif
