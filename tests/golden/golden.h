/* golden.h: the streams and messages that are kept in files, and how they are made again. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "streams.h"

typedef struct golden {
  const char *name;                    /* one that holds "message" is that of a message, in a file NAME.msg */
  uint64_t checksum;                   /* of the decompressed values */
  ref_bytes (*make)(ghz_context *ctx); /* in scratch memory */
} golden;

extern const golden goldens[];
extern const size_t golden_count;
const char *golden_ending(const char *name); /* of the file: "ghz", or "msg" */

/* FNV-1a of the decompressed values of a stream or message, every NaN as the canonical one. */
uint64_t golden_checksum(ref_bytes stream, ghz_context *ctx);
