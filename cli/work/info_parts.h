/* info_parts.h: what the bytes of compressed files are for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_INFO_PARTS_H
#define GHZ_CLI_INFO_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "coder/parts.h"

typedef struct info_parts {
  uint64_t streams[STREAM_PARTS]; /* as they are */
  uint64_t stored[STREAM_PARTS];  /* as the file has them, packed or not */
} info_parts;

/* Prints a table: `stream_bytes` of streams, and `bytes` of the file, what is no stream among
 * them. */
void info_print_parts(const info_parts *p, uint64_t stream_bytes, uint64_t bytes, bool packed);

/* The same as members of a JSON object, with a comma before each. */
void info_json_parts(const info_parts *p, uint64_t bytes);

#endif
