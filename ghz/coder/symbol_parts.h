/* symbol_parts.h: what the bytes of a page of symbols are for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CODER_SYMBOL_PARTS_H
#define GHZ_CODER_SYMBOL_PARTS_H

#include "coder/page.h"
#include "coder/parts.h"
#include "coder/side.h"

/* The bytes of a page: side information; words with their states; those that are no symbols. */
typedef struct symbol_bytes {
  uint64_t side, words, bytes;
} symbol_bytes;

/* Adds what these are for to parts[STREAM_PARTS]. The sums are exact. Who shares them follows from
 * the page, which was taken apart: words by what each symbol costs, side information by what is
 * written to `side`, bytes by what they were before zstd. */
void ghz_symbol_parts(page_model *p, side_writer *side, const symbol_bytes *page, uint64_t *parts);

#endif
